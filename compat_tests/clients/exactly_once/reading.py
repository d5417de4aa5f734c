"""What a loop asks the broker: how far the group has come, and what is in a topic."""

from __future__ import annotations

import time

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from compat_tests.clients.samples import Patience

ASK_S = 5.0


def committed(servers: str, group: str, topic: str, partitions: int) -> list[int] | None:
    """The committed offset of each partition, 0 where there is none.

    None while the group does not say: its coordinator is loading, or a transaction with its offsets has not ended. The
    caller asks again, and meanwhile sees to it that the program runs, which may have to end that transaction.
    """
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    places = [TopicPartition(topic, index) for index in range(partitions)]
    try:
        found = consumer.committed(places, timeout=ASK_S)
        return None if any(place.error for place in found) else [max(0, place.offset) for place in found]
    except KafkaException:
        return None
    finally:
        consumer.close()


def ends(servers: str, topic: str, partitions: int) -> list[int]:
    """The high watermark of each partition."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "unused"})
    places = [TopicPartition(topic, index) for index in range(partitions)]
    try:
        return [consumer.get_watermark_offsets(place, timeout=Patience.wait_s)[1] for place in places]
    finally:
        consumer.close()


def values(servers: str, topic: str, partitions: int) -> list[bytes]:
    """All committed records, to the end of each partition."""
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": "unused", "isolation.level": "read_committed",
        "enable.partition.eof": True, "auto.offset.reset": "earliest",
    })  # fmt: skip
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    found: list[bytes] = []
    ended: set[int] = set()
    try:
        deadline = time.monotonic() + 2 * Patience.wait_s
        while len(ended) < partitions:
            assert time.monotonic() < deadline, f"{len(found)} records, ends of {ended}"
            for message in consumer.consume(1_000, 0.2):
                error = message.error()
                if error is None:
                    found.append(message.value() or b"")
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended.add(message.partition())
    finally:
        consumer.close()
    return found
