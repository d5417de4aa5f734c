"""A group member in a thread of its own, as an application would run it.

The consumer is not made for two threads: while the thread runs, others only read the fields below.
"""

from __future__ import annotations

import threading
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition

FAST_GROUP = {"session_timeout_ms": 6000, "heartbeat_interval_ms": 200}
"""The shortest session that a broker allows, and heartbeats that notice a rebalance at once."""
POLL_MS = 2_000  # a poll that ends between the join and the sync of a leader loses the assignment
STOP_TIMEOUT_S = 15.0


class Member(ConsumerRebalanceListener):
    """Polls until stopped, and keeps what it saw: `records`, the current `assignment`, `revocations`, an `error`."""

    def __init__(self, bootstrap_servers: str, topic: str, group: str, **config: Any) -> None:
        self.records: list[Any] = []
        self.assignment: set[TopicPartition] = set()
        self.generation = -1
        self.revocations = 0
        self.error: BaseException | None = None
        self._stopping = threading.Event()
        self._consumer = KafkaConsumer(
            bootstrap_servers=bootstrap_servers,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            **{**FAST_GROUP, **config},
        )
        self._consumer.subscribe([topic], listener=self)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        if revoked and not self._stopping.is_set():
            self.revocations += 1
        self.assignment = set()

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        self.generation = self._consumer.group_metadata().generation_id
        self.assignment = set(assigned)

    def stop(self) -> None:
        """Close the consumer: a dynamic member leaves the group, a static one just goes."""
        self._stopping.set()
        self._thread.join(STOP_TIMEOUT_S)
        assert not self._thread.is_alive(), "the member's thread hangs"

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                for batch in self._consumer.poll(timeout_ms=POLL_MS).values():
                    self.records.extend(batch)
        except BaseException as error:  # noqa: BLE001 -- kept for the test to look at
            self.error = error
        finally:
            self._consumer.close(timeout_ms=5000)


def share(members: list[Member], partitions: int) -> bool:
    """Whether together they hold each partition exactly once, and each holds some."""
    for member in members:
        assert member.error is None, repr(member.error)
    held = [part for member in members for part in member.assignment]
    return len(held) == len(set(held)) == partitions and all(member.assignment for member in members)
