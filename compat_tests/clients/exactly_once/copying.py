"""Programs that copy a topic in transactions, each with a client library: `python -m … CLIENT`, then JSON on stdin.

They read, process and write as the libraries' documentation has it. Some transactions are aborted on purpose. An error
that a client reports ends the program: whoever started it starts it again, as with one that was killed.

What is read as a member of one generation of the group must not be committed as a member of the next: that member
has begun at the committed offsets, before this transaction changed them. Brokers refuse the offsets of an old
generation (KIP-447), but not of none, and a client that was thrown out of its group has none until it has joined again.
So the group's metadata is kept from the moment at which the partitions were assigned.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import random
import sys
import time
from collections.abc import Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

import aiokafka
import confluent_kafka
import kafka

SESSION_TIMEOUT_MS = 1_500
POLL_S = 0.2
CALL_S = 10.0
STUCK_S = 15.0
"""A program that stays in a call for longer is ended."""
RECOVERY = "none"
"""With its default, `rebootstrap`, librdkafka 2.16 may stay in `send_offsets_to_transaction` when its only broker came
back: it gave up that broker's handle for a new one, and waits for the old one to connect to the group's coordinator. It
sends nothing any more, so no broker can help, and the call's time-out does not end it."""
RECONNECT_MS = 1_000
"""The longest pause before librdkafka connects again. It doubles each time, up to 10 s by default: when a broker
took some seconds to start, the client did not look for as long again, and a call with `CALL_S` failed meanwhile."""
CALLS_S = 60.0
"""The same for the other clients, whose calls have no time-out of their own."""
ABORTED = 0.2
"""The part of the transactions that is aborted."""


@dataclass(frozen=True)
class Job:
    """From where to where, and as whom."""

    bootstrap_servers: str
    source: str
    target: str
    group: str
    transactional_id: str
    per_transaction: int
    transaction_timeout_ms: int


class Membership:
    """What a consumer's group knew of it when its partitions were assigned; None while it has no partitions."""

    def __init__(self) -> None:
        self.metadata: Any = None
        self.changes = 0

    def becomes(self, metadata: Any) -> None:
        self.metadata = metadata
        self.changes += 1


def confluent(job: Job) -> None:
    producer = confluent_kafka.Producer({
        "bootstrap.servers": job.bootstrap_servers, "transactional.id": job.transactional_id,
        "transaction.timeout.ms": job.transaction_timeout_ms, "metadata.recovery.strategy": RECOVERY,
        "reconnect.backoff.max.ms": RECONNECT_MS,
    })  # fmt: skip
    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": job.bootstrap_servers, "group.id": job.group, "isolation.level": "read_committed",
        "enable.auto.commit": False, "auto.offset.reset": "earliest", "session.timeout.ms": SESSION_TIMEOUT_MS,
        "heartbeat.interval.ms": SESSION_TIMEOUT_MS // 3, "reconnect.backoff.max.ms": RECONNECT_MS,
    })  # fmt: skip
    producer.init_transactions(CALL_S)
    membership = Membership()
    consumer.subscribe(
        [job.source],
        on_assign=lambda member, _places: membership.becomes(member.consumer_group_metadata()),
        on_revoke=lambda _member, _places: membership.becomes(None),
    )
    while True:
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        messages = _polled(consumer, membership, job.per_transaction)
        if not messages:
            continue
        producer.begin_transaction()
        for each in messages:
            producer.produce(job.target, each.value(), each.key(), each.partition())
        # not `consumer.position`: after a rebalance it no longer says what is in this transaction
        ends = {each.partition(): each.offset() + 1 for each in messages}
        places = [confluent_kafka.TopicPartition(job.source, index, offset) for index, offset in ends.items()]
        producer.send_offsets_to_transaction(places, membership.metadata, CALL_S)
        if random.random() >= ABORTED:
            producer.commit_transaction(CALL_S)
            continue
        producer.abort_transaction(CALL_S)
        for place in consumer.committed(consumer.assignment(), CALL_S):
            place.offset = max(place.offset, 0)
            consumer.seek(place)


def _polled(consumer: confluent_kafka.Consumer, membership: Membership, count: int) -> list[confluent_kafka.Message]:
    """Up to `count` messages of one generation: a rebalance happens inside of `poll`, before the message it returns."""
    messages: list[confluent_kafka.Message] = []
    changes, deadline = membership.changes, time.monotonic() + POLL_S
    while len(messages) < count and (left_s := deadline - time.monotonic()) > 0:
        message = consumer.poll(left_s)
        if membership.changes != changes:
            messages.clear()
            changes = membership.changes
        if message is not None and message.error() is None:
            messages.append(message)
    return messages


class _KafkaPythonListener(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
    def __init__(self, consumer: kafka.KafkaConsumer, membership: Membership) -> None:
        self._consumer, self._membership = consumer, membership

    def on_partitions_revoked(self, revoked: Collection[Any]) -> None:
        self._membership.becomes(None)

    def on_partitions_assigned(self, assigned: Collection[Any]) -> None:
        self._membership.becomes(self._consumer.group_metadata())


def kafka_python(job: Job) -> None:
    producer = kafka.KafkaProducer(
        bootstrap_servers=job.bootstrap_servers, transactional_id=job.transactional_id,
        transaction_timeout_ms=job.transaction_timeout_ms,
    )  # fmt: skip
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=job.bootstrap_servers, group_id=job.group, isolation_level="read_committed",
        enable_auto_commit=False, auto_offset_reset="earliest", session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=SESSION_TIMEOUT_MS // 3, max_poll_records=job.per_transaction,
    )  # fmt: skip
    producer.init_transactions()
    membership = Membership()
    consumer.subscribe([job.source], listener=_KafkaPythonListener(consumer, membership))
    while True:
        faulthandler.dump_traceback_later(CALLS_S, exit=True)
        found = consumer.poll(int(POLL_S * 1000))
        if not found:
            continue
        metadata = membership.metadata
        producer.begin_transaction()
        for place, records in found.items():
            for each in records:
                producer.send(job.target, each.value, each.key, partition=place.partition)
        positions = {place: kafka.OffsetAndMetadata(records[-1].offset + 1, "", -1) for place, records in found.items()}
        producer.send_offsets_to_transaction(positions, metadata)
        if random.random() >= ABORTED:
            producer.commit_transaction()
            continue
        producer.abort_transaction()
        for place in consumer.assignment():
            consumer.seek(place, consumer.committed(place) or 0)


class _EndsThere(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """aiokafka 0.14 commits offsets without the group's generation and reads them without `require_stable`.

    So after a rebalance it may begin where its own last transaction began. The one way around is `InitProducerId`,
    which waits until that transaction is complete: the program ends when it loses its partitions, and starts anew.
    """

    def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        if revoked:
            os._exit(1)

    def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        pass


async def _aiokafka(job: Job) -> None:
    producer = aiokafka.AIOKafkaProducer(
        bootstrap_servers=job.bootstrap_servers, transactional_id=job.transactional_id,
        transaction_timeout_ms=job.transaction_timeout_ms,
    )  # fmt: skip
    consumer = aiokafka.AIOKafkaConsumer(
        bootstrap_servers=job.bootstrap_servers, group_id=job.group, isolation_level="read_committed",
        enable_auto_commit=False, auto_offset_reset="earliest", session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=SESSION_TIMEOUT_MS // 3,
    )  # fmt: skip
    faulthandler.dump_traceback_later(CALLS_S, exit=True)
    await producer.start()
    await consumer.start()
    consumer.subscribe([job.source], listener=_EndsThere())
    while True:
        faulthandler.dump_traceback_later(CALLS_S, exit=True)
        found = await consumer.getmany(timeout_ms=int(POLL_S * 1000), max_records=job.per_transaction)
        if not found:
            continue
        await producer.begin_transaction()
        for place, records in found.items():
            for each in records:
                await producer.send(job.target, each.value, each.key, partition=place.partition)
        positions = {place: records[-1].offset + 1 for place, records in found.items()}
        await producer.send_offsets_to_transaction(positions, job.group)
        if random.random() >= ABORTED:
            await producer.commit_transaction()
            continue
        await producer.abort_transaction()
        for place in consumer.assignment():
            consumer.seek(place, await consumer.committed(place) or 0)


def in_loop(copies: Callable[[Job], Coroutine[Any, Any, None]]) -> Callable[[Job], None]:
    return lambda job: asyncio.run(copies(job))


CLIENTS: dict[str, Callable[[Job], None]] = {
    "confluent_kafka": confluent,
    "kafka_python": kafka_python,
    "aiokafka": in_loop(_aiokafka),
}

if __name__ == "__main__":
    CLIENTS[sys.argv[1]](Job(**json.load(sys.stdin)))
