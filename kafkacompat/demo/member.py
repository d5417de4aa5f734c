"""One member of the consumer group: a kafka-python consumer in its own process, controlled by the demo.

It joins on command. After each poll the member sends the records (`Polled`) and receives a command. So the demo sees
every delivery and decides when members join and leave. If the demo's process ends, the pipe ends and the member exits.
"""

from __future__ import annotations

import contextlib
import os
import signal
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from kafka import AsyncConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from kafkacompat.demo.ledger import Row

JOIN, READ, LEAVE = "join", "read", "leave"
"""Commands: join the group; poll; commit and leave."""

POLL_MS = 1_000  # a poll that ends while the group is being formed can leave kafka-python's join unfinished
COMMIT_EVERY_RECORDS = 20_000
COMMIT_TIMEOUT_MS = 10_000
CLOSE_TIMEOUT_MS = 10_000
GROUP = {"session_timeout_ms": 10_000, "heartbeat_interval_ms": 250}
"""Frequent heartbeats, so that a member learns soon that another one has joined or left."""


class Polled(NamedTuple):
    """The records of one poll by partition, and the partitions that the member has after it."""

    rows: dict[int, list[Row]]
    assignment: tuple[int, ...]


class Left(NamedTuple):
    """The member's last message. `failure` is the reason if it failed."""

    failure: str | None


def run(link: Connection, bootstrap_servers: str, topic: str, group: str, poll_records: int) -> None:
    """The main function of the child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the demo's process handles Ctrl-C
    try:
        link.send(_run(link, bootstrap_servers, topic, group, poll_records))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)  # the demo has ended; closing the consumer could wait for a broker that has ended too


def _run(link: Connection, bootstrap_servers: str, topic: str, group: str, poll_records: int) -> Left:
    if link.recv() != JOIN:
        return Left(None)
    try:
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap_servers, group_id=group, auto_offset_reset="earliest",
            enable_auto_commit=False, max_poll_records=poll_records, **GROUP,
        )  # fmt: skip
        consumer.subscribe([topic], listener=_CommitOnRevoke(consumer))
        _consume(link, consumer)
        consumer.close(timeout_ms=CLOSE_TIMEOUT_MS)
    except (KafkaError, AssertionError) as error:
        return Left(f"{type(error).__name__}: {error}")
    return Left(None)


def _consume(link: Connection, consumer: Any) -> None:
    """Poll until the command is LEAVE."""
    uncommitted, command = 0, READ
    while command != LEAVE:
        rows = {tp.partition: [_row(record) for record in batch] for tp, batch in consumer.poll(POLL_MS).items()}
        uncommitted += sum(map(len, rows.values()))
        link.send(Polled(rows, tuple(sorted(tp.partition for tp in consumer.assignment()))))
        command = link.recv()
        if command == LEAVE or uncommitted >= COMMIT_EVERY_RECORDS:
            # a commit that fails after a rebalance is harmless: the records are delivered again to another member
            with contextlib.suppress(KafkaError):
                consumer.commit(timeout_ms=COMMIT_TIMEOUT_MS)
            uncommitted = 0


class _CommitOnRevoke(AsyncConsumerRebalanceListener):  # type: ignore[misc]
    """Commits the delivered records before a partition goes to another member."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer

    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        if revoked:
            with contextlib.suppress(KafkaError):
                await self._consumer.commit_async()

    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        pass


def _row(record: Any) -> Row:
    return record.offset, record.key, record.value, record.timestamp, tuple(record.headers)
