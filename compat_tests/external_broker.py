"""A broker or cluster that runs somewhere else, named by its address."""

from __future__ import annotations

from pathlib import Path

import pytest


class ExternalBroker:
    """Tests may talk to it; whatever needs to stop, kill or look into it is skipped, and the report says so."""

    kind = "external"

    def __init__(self, address: str) -> None:
        self.bootstrap_servers = address
        self.data_dirs: list[Path] = []

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pytest.skip(f"{self.bootstrap_servers} is not ours to stop")

    def kill(self) -> None:
        pytest.skip(f"{self.bootstrap_servers} is not ours to kill")

    def close(self) -> None:
        pass

    def log_tail(self) -> str:
        return "(the log is with the broker)"
