"""Reads whole topics with a kafka-python consumer without a group; looks up log ends and committed offsets."""

from __future__ import annotations

import time
from collections.abc import Sequence

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from kafkacompat.demo.errors import DemoError
from kafkacompat.demo.ledger import Ledger

POLL_MS = 500
STALL_TIMEOUT_S = 30.0


def log_ends(bootstrap_servers: str, topics: Sequence[str]) -> dict[str, dict[int, int]]:
    """The end offset of each partition, by topic."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap_servers)
    try:
        return {topic: _ends(consumer, topic) for topic in topics}
    finally:
        consumer.close()


def committed(bootstrap_servers: str, group: str, topic: str) -> dict[int, int]:
    """The group's committed offsets by partition of the topic."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap_servers)
    try:
        offsets = admin.list_group_offsets(group)[group]
    finally:
        admin.close()
    return {tp.partition: known.offset for tp, known in offsets.items() if tp.topic == topic}


def read_topics(bootstrap_servers: str, topics: Sequence[str]) -> dict[str, Ledger]:
    """Read all records up to the current log ends. Raises DemoError if no record arrives for STALL_TIMEOUT_S."""
    ledgers = {topic: Ledger() for topic in topics}
    consumer = KafkaConsumer(bootstrap_servers=bootstrap_servers, enable_auto_commit=False, max_poll_records=2_000)
    try:
        ends = {topic: _ends(consumer, topic) for topic in topics}
        total = sum(sum(partitions.values()) for partitions in ends.values())
        consumer.assign(parts := [TopicPartition(topic, n) for topic, partitions in ends.items() for n in partitions])
        consumer.seek_to_beginning(*parts)
        came = time.monotonic()
        while (delivered := sum(map(len, ledgers.values()))) < total:
            polled = consumer.poll(POLL_MS)
            for part, records in polled.items():
                ledgers[part.topic].add(
                    part.partition, ((r.offset, r.key, r.value, r.timestamp, tuple(r.headers)) for r in records)
                )
            now = time.monotonic()
            came = now if polled else came
            if now - came > STALL_TIMEOUT_S:
                raise DemoError(f"no record came for {STALL_TIMEOUT_S:.0f} s: {delivered:,} of {total:,} were read")
        return ledgers
    finally:
        consumer.close()


def _ends(consumer: KafkaConsumer, topic: str) -> dict[int, int]:
    partitions = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic) or ())]
    return {part.partition: end for part, end in consumer.end_offsets(partitions).items()}
