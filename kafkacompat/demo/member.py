"""One member of the consumer group: kafka-python in a process of its own, led from turn to turn.

It joins when told to. Then each turn is one poll: the member sends what the poll delivered (`Turn`) and gets a command
back, so that whoever leads the group sees every delivery and decides when members come and go. A leader that is gone
ends the pipe, and with it the member.
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
"""Commands: begin; poll; commit and go."""

POLL_MS = 1_000  # a poll that ends while the group is being formed can leave kafka-python's join unfinished
COMMIT_EVERY_RECORDS = 20_000
COMMIT_TIMEOUT_MS = 10_000
CLOSE_TIMEOUT_MS = 10_000
GROUP = {"session_timeout_ms": 10_000, "heartbeat_interval_ms": 250}
"""Heartbeats so close that a member learns soon that another one came or went."""


class Turn(NamedTuple):
    """What one poll delivered, by partition, and the partitions that the member holds after it."""

    rows: dict[int, list[Row]]
    assignment: tuple[int, ...]


class Left(NamedTuple):
    """The member's last word: None, or why it failed."""

    failure: str | None


def run(link: Connection, bootstrap_servers: str, topic: str, group: str, poll_records: int) -> None:
    """The whole life of a member; what the child process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the leader
    try:
        link.send(_life(link, bootstrap_servers, topic, group, poll_records))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)  # nobody is there to take leave of; nor perhaps a broker, which closing would wait for


def _life(link: Connection, bootstrap_servers: str, topic: str, group: str, poll_records: int) -> Left:
    if link.recv() != JOIN:
        return Left(None)
    try:
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap_servers, group_id=group, auto_offset_reset="earliest",
            enable_auto_commit=False, max_poll_records=poll_records, **GROUP,
        )  # fmt: skip
        consumer.subscribe([topic], listener=_CommitBeforeGiving(consumer))
        _consume(link, consumer)
        consumer.close(timeout_ms=CLOSE_TIMEOUT_MS)
    except (KafkaError, AssertionError) as error:
        return Left(f"{type(error).__name__}: {error}")
    return Left(None)


def _consume(link: Connection, consumer: Any) -> None:
    """Turn after turn, until told to leave."""
    uncommitted, command = 0, READ
    while command != LEAVE:
        rows = {tp.partition: [_row(record) for record in batch] for tp, batch in consumer.poll(POLL_MS).items()}
        uncommitted += sum(map(len, rows.values()))
        link.send(Turn(rows, tuple(sorted(tp.partition for tp in consumer.assignment()))))
        command = link.recv()
        if command == LEAVE or uncommitted >= COMMIT_EVERY_RECORDS:
            # one that comes too late is no harm: the records are delivered to the next member again
            with contextlib.suppress(KafkaError):
                consumer.commit(timeout_ms=COMMIT_TIMEOUT_MS)
            uncommitted = 0


class _CommitBeforeGiving(AsyncConsumerRebalanceListener):  # type: ignore[misc]
    """What was delivered is committed before the partition goes to another member."""

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
