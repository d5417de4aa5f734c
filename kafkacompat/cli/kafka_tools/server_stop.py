"""`kafka-server-stop`: sends SIGTERM to the broker of this container, found by its ready file."""

from __future__ import annotations

import json
import os
import signal

from kafkacompat.cli.container.ready import READY_FILE
from kafkacompat.cli.kafka_tools.arguments import ToolError


def run(arguments: list[str], ready_file: str = READY_FILE) -> int:  # noqa: ARG001 (Kafka's flags pick among processes)
    """Run the tool."""
    try:
        with open(ready_file, encoding="ascii") as file:  # noqa: PTH123 (pathlib costs start-up time)
            pid = int(json.load(file)["pid"])
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError, KeyError):
        raise ToolError("No kafka server to stop") from None
    return 0
