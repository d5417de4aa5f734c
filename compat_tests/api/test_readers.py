"""What a reader sees while topics and records change under it, on both brokers, in every version of Fetch."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import batches, fixture_logs, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from compat_tests.api.test_fetch_sessions import INITIAL, Session
from kafkacompat.protocol.messages import delete_topics, describe_producers, fetch, init_producer_id, produce
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import compress
from kafkacompat.protocol.records.reader import read_records

OWN = ["topic_id", "host", "port", "producer_id", "log_append_time_ms"]
BY_ID_SINCE, SESSIONS_SINCE = 13, 7
UNKNOWN_TOPIC, UNKNOWN_ID = 3, 100
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def one(topic: str, topic_id: bytes, version: int, offset: int, isolation_level: int = 0) -> fetch.FetchRequest:
    part = fetch.FetchPartition(0, -1, offset, partition_max_bytes=1 << 20)
    wanted = fetch.FetchTopic("" if version >= BY_ID_SINCE else topic, topic_id, [part])
    return fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted], isolation_level=isolation_level)


def delete(client: RawClient, topic: str) -> None:
    request = delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState(topic)], timeout_ms=10_000)
    answer = client.call(delete_topics.API_KEY, 6, request)
    assert answer.responses[0].error_code == 0, answer


def until_gone(client: RawClient, topic: str, topic_id: bytes, version: int) -> Any:
    """The first answer of a reader that finds the topic gone."""
    for _ in range(2_000):
        answer = client.call(fetch.API_KEY, version, one(topic, topic_id, version, 0))
        if answer.error_code or answer.responses[0].partitions[0].error_code in (UNKNOWN_TOPIC, UNKNOWN_ID):
            break
    return client.ask(fetch, version, one(topic, topic_id, version, 0), OWN)


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", versions(fetch))
def test_a_topic_is_made_anew(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        old_id = topics.create(client, topic)
        topics.produce(client, topic, 5)
        session = Session(client, topic, old_id, version)
        answers = {"before": client.ask(fetch, version, one(topic, old_id, version, 2), OWN)}
        if version >= SESSIONS_SINCE:
            answers["a session"] = session.ask(INITIAL, (0, 5))
        delete(client, topic)
        answers["gone"] = until_gone(client, topic, old_id, version)
        if version >= SESSIONS_SINCE:
            answers["gone, in the session"] = session.ask(1)
        new_id = topics.create(client, topic)
        topics.produce(client, topic, 2)
        answers["anew"] = client.ask(fetch, version, one(topic, new_id, version, 0), OWN)
        answers["where the old one was read"] = client.ask(fetch, version, one(topic, new_id, version, 5), OWN)
        answers["by the old id"] = client.ask(fetch, version, one(topic, old_id, version, 0), OWN)
        if version >= SESSIONS_SINCE:
            answers["anew, in the session"] = session.ask(2)
            answers["from the start, in the session"] = session.ask(3, (0, 0))
        return answers

    compare(script)


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", versions(fetch))
def test_records_go_under_a_reader(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic)
        for count in (4, 3, 2):
            topics.produce(client, topic, count)
        answers = {}
        for before in (0, 2, 4, 5, 9):
            if before:
                fixture_logs.cut(client, topic, 0, before)
            for offset in range(11):
                request = one(topic, topic_id, version, offset, isolation_level=offset % 2)
                answers[f"{offset} when all before {before} is gone"] = client.ask(fetch, version, request, OWN)
        return answers

    compare(script)


@pytest.mark.api("Fetch", "Produce")
@pytest.mark.parametrize("kept_as", [*CODECS, "producer"])
def test_codecs(compare: Compare, topic: str, kept_as: str) -> None:
    """What is stored of each codec in a topic of each: the codec, and records that say the same."""
    rule = "uncompressed" if kept_as == "none" else kept_as

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, compression_type=rule)
        records = [Record(n, topics.BASE_TIMESTAMP_MS + n, b"key", b"value" * 50, [("h", None)]) for n in range(20)]
        answers: dict[str, Any] = {}
        for name, codec in CODECS.items():
            data = produce.PartitionProduceData(0, bytes(build_batch(records, compression=codec)))
            request = produce.ProduceRequest(None, -1, 10_000, [produce.TopicProduceData(topic, partition_data=[data])])
            answers[name] = client.ask(produce, 9, request, OWN)
        stored = topics.stored(client, topic)
        for number, found in enumerate(topics.batches(stored)):
            header = read_header(found)
            answers[f"batch {number}"] = [header.compression, header.record_count, header.max_timestamp]
            answers[f"records of batch {number}"] = [repr(record) for record in read_records(found, 0, header)]
        return answers

    compare(script)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("version", versions(produce, 3))
def test_codecs_that_are_broken(compare: Compare, topic: str, version: int) -> None:
    """Of a topic that compresses anew every batch is opened."""

    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1, compression_type="lz4")
        answers = {}
        for name, codec in CODECS.items():
            plain = batches.batch(3)
            body = compress(codec, plain[batches.BODY_AT :])
            for what, broken in {"whole": body, "cut": body[: len(body) // 2], "rubbish": b"\xff" * 50}.items():
                if (name, what) == ("none", "rubbish"):
                    continue  # see "batches stay closed"
                records = batches.resealed(batches.with_body(plain, broken), batches.ATTRIBUTES_AT, ">h", codec)
                data = [produce.PartitionProduceData(0, records)]
                wanted = produce.TopicProduceData("" if version >= BY_ID_SINCE else topic, topic_id, data)
                request = produce.ProduceRequest(None, -1, 10_000, [wanted])
                answer = client.ask(produce, version, request, OWN)["responses"][0]["partition_responses"][0]
                answers[f"{name}, {what}"] = answer["error_code"]
        return answers

    compare(script)


@pytest.mark.api("Produce", "InitProducerId", "DescribeProducers")
@pytest.mark.parametrize("version", versions(produce, 3))
def test_idempotent_producers(compare: Compare, topic: str, version: int) -> None:
    """Duplicates, gaps and epochs of one producer, and each of them beside a batch that is right."""

    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        ask = init_producer_id.InitProducerIdRequest(None)
        mine = client.ask_until(init_producer_id, 0, ask, 0)["producer_id"]

        def write(*parts: tuple[int, int, int, int]) -> Any:
            """(partition, sequence, count, epoch) each."""
            data = [
                produce.PartitionProduceData(
                    index, batches.batch(count, producer_id=mine, producer_epoch=epoch, base_sequence=sequence)
                )
                for index, sequence, count, epoch in parts
            ]
            wanted = produce.TopicProduceData("" if version >= BY_ID_SINCE else topic, topic_id, data)
            return client.ask(produce, version, produce.ProduceRequest(None, -1, 10_000, [wanted]), OWN)

        answers = {"first": write((0, 0, 3, 0)), "first again": write((0, 0, 3, 0), (1, 0, 1, 0))}
        answers["a gap"] = write((0, 7, 1, 0), (1, 1, 1, 0))
        for number in range(6):
            answers[f"next {number}"] = write((0, 3 + number, 1, 0))
        answers["the sixth last"] = write((0, 3, 1, 0))
        answers["the fifth last"] = write((0, 4, 1, 0))
        answers["part of a duplicate"] = write((0, 0, 2, 0))
        answers["a new epoch, not from 0"] = write((0, 9, 1, 1))
        answers["a new epoch"] = write((0, 0, 1, 1), (1, 2, 1, 0))
        answers["the old epoch"] = write((0, 9, 1, 0), (1, 0, 1, 1))
        answers["an epoch far ahead"] = write((0, 0, 1, 32_767))
        answers["back from there"] = write((0, 1, 1, 1))
        who = describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(topic, [0, 1])])
        answers["who"] = client.ask(describe_producers, 0, who, OWN)
        for found in answers["who"]["topics"][0]["partitions"]:
            for producer in found["active_producers"]:
                producer["last_timestamp"] = producer["last_timestamp"] > 0
        answers["who"]["topics"][0]["partitions"].sort(key=lambda found: found["partition_index"])
        for name, answer in answers.items():
            if name != "who":
                answer["responses"][0]["partition_responses"].sort(key=lambda part: part["index"])
        return answers

    compare(script)
