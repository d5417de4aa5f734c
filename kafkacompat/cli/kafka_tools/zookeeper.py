"""`zookeeper-server-start` and `-stop`, which older modules call: there is no ZooKeeper and none is needed."""

from __future__ import annotations

import sys


def run(arguments: list[str]) -> int:  # noqa: ARG001 (a properties file)
    """Say so, once, and end: the modules start it in the background and do not look after it."""
    print("kafkacompat: no ZooKeeper is needed, so none is started", file=sys.stderr)  # noqa: T201 (for the user)
    return 0
