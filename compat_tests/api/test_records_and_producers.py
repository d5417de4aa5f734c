"""DeleteRecords, InitProducerId, DescribeProducers and idempotent Produce, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts, unordered, versions
from kafkacompat.protocol.messages import delete_records, describe_producers, init_producer_id, list_offsets
from kafkacompat.protocol.messages import produce as produce_api
from kafkacompat.protocol.records.builder import Record, build_batch

OWN = ["producer_id"]
EARLIEST = -2


@pytest.mark.api("DeleteRecords")
@pytest.mark.parametrize("version", versions(delete_records))
def test_delete_records(compare: Compare, topic: str, version: int) -> None:
    api = delete_records

    def script(client: RawClient) -> dict[str, Any]:
        compacted = topic + "-compacted"
        topics.create(client, topic, 2)
        topics.create(client, compacted, 1, cleanup_policy="compact")
        for name in (topic, topic, compacted):
            topics.produce(client, name, 5)

        def delete(*parts: tuple[int, int], of: str = topic) -> api.DeleteRecordsRequest:
            wanted = [api.DeleteRecordsPartition(*part) for part in parts]
            return api.DeleteRecordsRequest([api.DeleteRecordsTopic(of, wanted)], 10_000)

        requests = {
            "some": delete((0, 3)),
            "fewer than are gone": delete((0, 1)),
            "in the second batch": delete((0, 7)),
            "beyond the end": delete((0, 11)),
            "negative": delete((0, -2)),
            "empty partition": delete((1, 0)),
            "all": delete((0, -1)),
            "all of nothing": delete((1, -1)),
            "no such partition": delete((9, 1), (1, 0)),
            "no such topic": delete((0, 1), of=topic + "-not"),
            "bad topic name": delete((0, 1), of="not a name"),
            "compacted": delete((0, 1), of=compacted),
            "internal": delete((0, 0), of="__consumer_offsets"),
            "no partitions": delete(),
            "nothing": api.DeleteRecordsRequest([], 10_000),
        }
        answers = client.ask_all(api, version, requests)
        part = list_offsets.ListOffsetsPartition(0, -1, EARLIEST)
        start = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, [part])])
        return unordered({**answers, "start": client.ask(list_offsets, 7, start)}, "partitions", "topics")

    compare(script)


@pytest.mark.api("InitProducerId")
@pytest.mark.parametrize("version", versions(init_producer_id))
def test_init_producer_id(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        ask = init_producer_id.InitProducerIdRequest
        client.ask_until(init_producer_id, 0, ask(None), 0)  # Kafka lets the first one come again
        requests = {
            "idempotent": ask(None),
            "with a timeout": ask(None, 5_000),
            "empty transactional id": ask(""),
            "empty transactional id with a timeout": ask("", 5_000),
        }
        if version >= 3:
            requests |= {
                "with an id": ask(None, 0, 4_000_000, 3),
                "id without epoch": ask(None, 0, 4_000_000),
                "epoch without id": ask(None, 0, -1, 3),
            }
        return client.ask_all(init_producer_id, version, requests, OWN)

    compare(script)


@pytest.mark.api("Produce", "InitProducerId", "DescribeProducers")
@pytest.mark.parametrize("version", [3, 7, 12])
def test_sequences(compare: Compare, topic: str, version: int) -> None:
    """What a partition answers to an idempotent producer's sequences, duplicates, gaps and epochs."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        producer_id = client.ask_until(
            init_producer_id, 0, init_producer_id.InitProducerIdRequest(None), 0
        )["producer_id"]  # fmt: skip

        def produce(sequence: int, count: int = 1, epoch: int = 0, who: int = producer_id) -> Any:
            records = [Record(n, topics.BASE_TIMESTAMP_MS, None, b"value") for n in range(count)]
            batch = build_batch(records, producer_id=who, producer_epoch=epoch, base_sequence=sequence)
            wanted = produce_api.TopicProduceData(
                topic, partition_data=[produce_api.PartitionProduceData(0, bytes(batch))]
            )
            answer = client.ask(produce_api, version, produce_api.ProduceRequest(None, -1, 10_000, [wanted]))
            return answer["responses"][0]["partition_responses"][0]

        def known() -> Any:
            asked = describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(topic, [0])])
            answer = facts(client.call(describe_producers.API_KEY, 0, asked), OWN)
            return unordered(answer, "active_producers")

        said = {
            "first": produce(0),
            "known": known(),
            "again": produce(0),
            "next": produce(1, 3),
            "a gap": produce(9),
            "again, longer": produce(1, 4),
            "again, a part": produce(2, 2),
        }
        for sequence in range(4, 10):
            said[f"sequence {sequence}"] = produce(sequence)
        said |= {
            "the oldest remembered": produce(5),
            "too old to be remembered": produce(0),
            "higher epoch, not from 0": produce(5, epoch=1),
            "higher epoch": produce(0, epoch=1),
            "old epoch": produce(10, epoch=0),
            "unknown producer, not from 0": produce(7, who=5_000_000),
            "unknown producer again": produce(3, who=5_000_000),
            "negative epoch": produce(0, epoch=-1, who=5_000_001),
            "the wrap": produce(2**31 - 1, 2, who=5_000_002),
            "after the wrap": produce(1, who=5_000_002),
            "in the end": known(),
            "what is stored": [len(batch) for batch in topics.batches(topics.stored(client, topic))],
        }
        return said

    compare(script)


@pytest.mark.api("DescribeProducers")
def test_describe_producers(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        topics.produce(client, topic, 1)

        def ask(name: str, *parts: int) -> describe_producers.DescribeProducersRequest:
            return describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(name, parts)])

        requests = {
            "nobody": ask(topic, 0),
            "no such partition": ask(topic, 0, 5, -1),
            "no such topic": ask(topic + "-not", 0),
            "bad name": ask("not a name", 0),
            "no name": ask("", 0),
            "no partitions": ask(topic),
            "nothing": describe_producers.DescribeProducersRequest(),
        }
        return unordered(client.ask_all(describe_producers, 0, requests, OWN), "partitions")

    compare(script)
