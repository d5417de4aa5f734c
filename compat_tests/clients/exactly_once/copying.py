"""Programs that copy a topic in transactions, each with a client library: `python -m … CLIENT`, then JSON on stdin.

They read, process and write as the libraries' documentation has it. Some transactions are aborted on purpose. An error
that a client reports ends the program: whoever started it starts it again, as with one that was killed.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import random
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import aiokafka
import confluent_kafka
import kafka

TRANSACTION_TIMEOUT_MS = 10_000
SESSION_TIMEOUT_MS = 1_500
POLL_S = 0.2
CALL_S = 10.0
STUCK_S = 15.0
"""After a broker came back, librdkafka 2.16 may stay in `send_offsets_to_transaction`: it asks nothing any more,
and its time-out does not end the call. Such a program has to be ended."""
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


def confluent(job: Job) -> None:
    producer = confluent_kafka.Producer({
        "bootstrap.servers": job.bootstrap_servers, "transactional.id": job.transactional_id,
        "transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
    })  # fmt: skip
    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": job.bootstrap_servers, "group.id": job.group, "isolation.level": "read_committed",
        "enable.auto.commit": False, "auto.offset.reset": "earliest", "session.timeout.ms": SESSION_TIMEOUT_MS,
        "heartbeat.interval.ms": SESSION_TIMEOUT_MS // 3,
    })  # fmt: skip
    producer.init_transactions(CALL_S)
    consumer.subscribe([job.source])
    while True:
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        messages = [each for each in consumer.consume(job.per_transaction, POLL_S) if each.error() is None]
        if not messages:
            continue
        producer.begin_transaction()
        for each in messages:
            producer.produce(job.target, each.value(), each.key(), each.partition())
        # not `consumer.position`: after a rebalance it no longer says what is in this transaction
        ends = {each.partition(): each.offset() + 1 for each in messages}
        places = [confluent_kafka.TopicPartition(job.source, index, offset) for index, offset in ends.items()]
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), CALL_S)
        if random.random() >= ABORTED:
            producer.commit_transaction(CALL_S)
            continue
        producer.abort_transaction(CALL_S)
        for place in consumer.committed(consumer.assignment(), CALL_S):
            place.offset = max(place.offset, 0)
            consumer.seek(place)


def kafka_python(job: Job) -> None:
    producer = kafka.KafkaProducer(
        bootstrap_servers=job.bootstrap_servers, transactional_id=job.transactional_id,
        transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
    )  # fmt: skip
    consumer = kafka.KafkaConsumer(
        job.source, bootstrap_servers=job.bootstrap_servers, group_id=job.group, isolation_level="read_committed",
        enable_auto_commit=False, auto_offset_reset="earliest", session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=SESSION_TIMEOUT_MS // 3, max_poll_records=job.per_transaction,
    )  # fmt: skip
    producer.init_transactions()
    while True:
        found = consumer.poll(int(POLL_S * 1000))
        if not found:
            continue
        producer.begin_transaction()
        for place, records in found.items():
            for each in records:
                producer.send(job.target, each.value, each.key, partition=place.partition)
        positions = {place: kafka.OffsetAndMetadata(records[-1].offset + 1, "", -1) for place, records in found.items()}
        producer.send_offsets_to_transaction(positions, consumer.group_metadata())
        if random.random() >= ABORTED:
            producer.commit_transaction()
            continue
        producer.abort_transaction()
        for place in consumer.assignment():
            consumer.seek(place, consumer.committed(place) or 0)


async def _aiokafka(job: Job) -> None:
    producer = aiokafka.AIOKafkaProducer(
        bootstrap_servers=job.bootstrap_servers, transactional_id=job.transactional_id,
        transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
    )  # fmt: skip
    consumer = aiokafka.AIOKafkaConsumer(
        job.source, bootstrap_servers=job.bootstrap_servers, group_id=job.group, isolation_level="read_committed",
        enable_auto_commit=False, auto_offset_reset="earliest", session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=SESSION_TIMEOUT_MS // 3,
    )  # fmt: skip
    await producer.start()
    await consumer.start()
    while True:
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
