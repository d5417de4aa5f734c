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

BY_ID_SINCE = 13
OLDEST = 3
OWN = ["topic_id", "host", "port"]


def batch(count: int = 2, **more: Any) -> bytes:
    records = [Record(n, topics.BASE_TIMESTAMP_MS + n, None, b"value") for n in range(count)]
    return bytes(build_batch(records, **more))


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
        return answers

    compare(script)
