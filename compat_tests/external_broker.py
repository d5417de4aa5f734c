"""A broker or cluster that runs somewhere else, named by its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.api.raw import RawClient
from compat_tests.recorder.client import Recorder
from kafkacompat.protocol.messages import metadata

METADATA_VERSION = 4


class ExternalBroker:
    """Tests may talk to it; whatever needs to stop, kill or look into it is skipped, and the report says so.

    The recorder stands in for each of its brokers. As they cannot be told, it rewrites the addresses in their answers.
    """

    kind = "external"

    def __init__(self, address: str, recorder: Recorder) -> None:
        self._address = address
        self._recorder = recorder
        self.bootstrap_servers = address
        self.data_dirs: list[Path] = []

    def start(self) -> None:
        """Find out who belongs to the cluster. Raises OSError when nobody answers."""
        with RawClient(self._address) as client:
            answer = client.call(metadata.API_KEY, METADATA_VERSION, metadata.MetadataRequest(topics=[]))
        ports = [self._recorder.listen(node.host, node.port, readdress=True) for node in answer.brokers]
        self.bootstrap_servers = ",".join(f"127.0.0.1:{port}" for port in ports)

    def stop(self) -> None:
        pytest.skip(f"{self._address} is not ours to stop")

    def kill(self) -> None:
        pytest.skip(f"{self._address} is not ours to kill")

    def close(self) -> None:
        pass

    def log_tail(self) -> str:
        return "(the log is with the broker)"
