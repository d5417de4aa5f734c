"""What happens when the node of a container can serve: the hooks, the ready file, and the lines on standard output."""

from __future__ import annotations

import contextlib
import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.cli.ready_node import ReadyNode

READY_FILE = "/tmp/kafkacompat-ready.json"  # noqa: S108 (in the container, where /tmp belongs to the broker)
"""Exists while the node serves and its hooks are done; says where the node listens."""

RUNNING_LINES = (
    "[BrokerLifecycleManager id={id}] The broker has been unfenced. Transitioning from RECOVERY to RUNNING.",
    "[KafkaRaftServer nodeId={id}] Kafka Server started",
    "[KafkaServer id={id}] started",
)
"""What Apache Kafka logs when it is ready, now and in ZooKeeper's times. Modules and scripts wait for one of them."""


class Announcement:
    """Runs the hooks and says once that the node is ready."""

    def __init__(self, ready_file: str = READY_FILE) -> None:
        self._ready_file = ready_file

    def on_ready(self, node: ReadyNode) -> None:
        """ServeOptions.on_ready. Blocks while hooks run; a pure controller, which has no address for clients, has none.

        Raises KafkaCompatError if one fails, which ends the start.
        """
        if node.addresses:
            from kafkacompat.cli.container import hooks

            hooks.run(node, os.environ)
        if node.is_stopping():
            return
        with contextlib.suppress(OSError), open(self._ready_file, "w", encoding="ascii") as file:  # noqa: PTH123
            json.dump({"node_id": node.node_id, "pid": os.getpid(), "listeners": list(node.addresses)}, file)
        for line in RUNNING_LINES:
            _say(line.format(id=node.node_id))

    def withdraw(self) -> None:
        """Remove the ready file, if there is one."""
        with contextlib.suppress(OSError):
            os.unlink(self._ready_file)  # noqa: PTH108


def _say(line: str) -> None:
    now_s = time.time()
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now_s))
    with contextlib.suppress(OSError):
        print(f"[{at},{int(now_s * 1000) % 1000:03d}] INFO {line}", flush=True)  # noqa: T201 (standard output is meant)
