"""ListOffsets in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import list_offsets as api
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.api("ListOffsets")

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING = -1, -2, -3, -4, -5, -6
TIMES = (
    LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING, -7,
    0, topics.BASE_TIMESTAMP_MS + 3, topics.BASE_TIMESTAMP_MS + 9, topics.BASE_TIMESTAMP_MS + 100,
)  # fmt: skip


@pytest.mark.parametrize("version", versions(api))
def test_every_time(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        topics.produce(client, topic, 7)
        topics.produce(client, topic, 3)

        def ask(partition: int, timestamp: int, epoch: int = -1, name: str = topic, isolation: int = 0) -> Any:
            part = api.ListOffsetsPartition(partition, epoch, timestamp)
            request = api.ListOffsetsRequest(-1, isolation, [api.ListOffsetsTopic(name, [part])])
            return client.ask(api, version, request)

        answers = {f"partition {p} at {when}": ask(p, when) for p in (0, 1) for when in TIMES}
        answers["committed only"] = ask(0, LATEST, isolation=1) if version >= 2 else None
        answers["stale epoch"] = ask(0, LATEST, epoch=0)
        answers["epoch to come"] = ask(0, LATEST, epoch=3)
        answers["no such partition"] = ask(5, LATEST)
        answers["no such topic"] = ask(0, LATEST, name=topic + "-not")
        return answers

    compare(script)


@pytest.mark.parametrize("codec", range(5))
@pytest.mark.parametrize("shape", ["10 MB", "150,000 records"])
def test_times_inside_a_large_batch(compare: Compare, topic: str, codec: int, shape: str) -> None:
    """A few kilobytes may unfold into megabytes, and a batch may hold many records: each of them is found."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, max_message_bytes="20000000")
        count, size_bytes = (10, 1_000_000) if shape == "10 MB" else (150_000, 0)
        records = [Record(n, topics.BASE_TIMESTAMP_MS + n, None, bytes(size_bytes)) for n in range(count)]
        data = produce.PartitionProduceData(0, bytes(build_batch(records, compression=codec)))
        request = produce.ProduceRequest(None, -1, 30_000, [produce.TopicProduceData(topic, partition_data=[data])])
        answer = client.call(produce.API_KEY, topics.PRODUCE_VERSION, request).responses[0].partition_responses[0]
        assert answer.error_code == 0, answer
        answers = {}
        for after_ms in (-1, 0, count // 2, count - 1, count, None):
            when = MAX_TIMESTAMP if after_ms is None else topics.BASE_TIMESTAMP_MS + after_ms
            part = api.ListOffsetsPartition(0, -1, when)
            asked = api.ListOffsetsRequest(-1, 0, [api.ListOffsetsTopic(topic, [part])])
            answers[f"after {after_ms}"] = client.ask(api, 7, asked)
        return answers

    compare(script)
