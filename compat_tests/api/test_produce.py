"""Produce in every version, on both brokers."""

from __future__ import annotations

import os
import struct
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts
from kafkacompat.protocol.messages import produce as api
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.crc32c import crc32c

BY_ID_SINCE = 13
CRC_AT, ATTRIBUTES_AT, LAST_OFFSET_DELTA_AT, COUNT_AT = 17, 21, 23, 57
OLDEST = 3
OWN = ["topic_id", "host", "port"]


def batch(count: int = 2, **more: Any) -> bytes:
    records = [Record(n, topics.BASE_TIMESTAMP_MS + n, None, b"value") for n in range(count)]
    return bytes(build_batch(records, **more))


def resealed(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The batch with a field overwritten and a checksum that says it is right."""
    changed = bytearray(spoiled(data, at, layout, value))
    struct.pack_into(">I", changed, CRC_AT, crc32c(changed[ATTRIBUTES_AT:]))
    return bytes(changed)


def spoiled(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The batch with a field overwritten (and its checksum no longer right if it covers it)."""
    changed = bytearray(data)
    struct.pack_into(layout, changed, at, value)
    return bytes(changed)


# Null records are left out: Apache Kafka 4.3.1 never answers them, which nobody can want.
CASES: dict[str, bytes] = {
    "good": batch(),
    "another base offset": spoiled(batch(), 0, ">q", 500),
    "a leader epoch of its own": batch(leader_epoch=9),
    "bad checksum": spoiled(batch(), 17, ">I", 1),
    "old magic": spoiled(batch(), 16, ">b", 1),
    "unknown magic": spoiled(batch(), 16, ">b", 5),
    "cut short": batch()[:-3],
    "two batches": batch() + batch(),
    "nothing": b"",
    "too large": batch(20_000),
    "fewer records than said": resealed(batch(), COUNT_AT, ">i", 3),
    "offsets that do not fit": resealed(batch(), LAST_OFFSET_DELTA_AT, ">i", 5),
    "a control batch": batch(is_control=True),
    "log append time": batch(timestamp_type=1),
    "unknown codec": resealed(batch(), ATTRIBUTES_AT, ">h", 6),
    "negative count": resealed(batch(), COUNT_AT, ">i", -2),
    "sequence without producer": batch(base_sequence=4),
    "producer without sequence": batch(producer_id=4_000_000, producer_epoch=0),
    "producer without epoch": batch(producer_id=4_000_001, base_sequence=0),
}


@pytest.mark.parametrize("version", range(OLDEST, api.MAX_VERSION + 1))
def test_every_case(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1, max_message_bytes="100000")
        topics.produce(client, topic, 1)  # so that its leader is ready

        def ask(records: bytes, partition: int = 0, acks: int = -1, of: Any = (topic, topic_id)) -> Any:
            data = api.PartitionProduceData(partition, records)
            name, wanted_id = of
            wanted = api.TopicProduceData("" if version >= BY_ID_SINCE else name, wanted_id, [data])
            request = api.ProduceRequest(None, acks, 10_000, [wanted])
            return facts(client.call(api.API_KEY, version, request), OWN)

        answers = {name: ask(records) for name, records in CASES.items()}
        answers["leader alone"] = ask(batch(), acks=1)
        answers["odd acks"] = ask(batch(), acks=2)
        answers["no such partition"] = ask(batch(), partition=4)
        answers["no such topic"] = ask(batch(), of=(topic + "-not", os.urandom(16)))
        answers["what is stored"] = topics.batches(topics.stored(client, topic))
        return answers

    compare(script)


PICKY = {
    "compacted topic, no key": ({"cleanup_policy": "compact"}, batch()),
    "record too old": ({"message_timestamp_before_max_ms": "1000"}, batch()),
    "record of the future": (
        {"message_timestamp_after_max_ms": "1000"},
        bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS * 2, None, b"value")])),
    ),
    "compressed by the broker": ({"compression_type": "lz4"}, batch()),
    "stamped by the broker": ({"message_timestamp_type": "LogAppendTime"}, batch()),
}


@pytest.mark.parametrize("version", [3, 8, 12])
@pytest.mark.parametrize("name", PICKY)
def test_topics_with_rules_of_their_own(compare: Compare, topic: str, name: str, version: int) -> None:
    configs, records = PICKY[name]

    def script(client: RawClient) -> Any:
        topics.create(client, topic, 1, **configs)
        wanted = api.TopicProduceData(topic, partition_data=[api.PartitionProduceData(0, records)])
        return client.ask(api, version, api.ProduceRequest(None, -1, 10_000, [wanted]), [*OWN, "log_append_time_ms"])

    compare(script)
