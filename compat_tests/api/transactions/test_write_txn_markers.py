"""Markers sent raw: what they end, what they are refused for, and what readers of committed records see then."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.constants import NO_SEQUENCE
from kafkacompat.protocol.messages import describe_producers, fetch, list_offsets, produce
from kafkacompat.protocol.messages import write_txn_markers as api
from kafkacompat.protocol.records.batch import RECORDS_OFFSET, read_header
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.api("WriteTxnMarkers")

ONE, TWO = 7_000_001, 7_000_002
LATEST, READ_COMMITTED = -1, 1
PRODUCE_VERSION, FETCH_VERSION, LIST_VERSION = 9, 12, 9
OWN = (
    "timestamp",
    "last_timestamp",
    "records",
    "leader_epoch",
    "current_leader_epoch",
    "session_id",
    "host",
    "port",
    "node_id",
)
TOPIC_IDS_SINCE = 13
"""The version of Fetch."""
FETCHES = versions(fetch, 4)
LISTS = versions(list_offsets, 2)
"""Those that know of transactions."""
EVERY_VERSION = [
    pytest.param(
        (version, min(LISTS[0] + at, LISTS[-1])),
        marks=() if version in (FETCHES[0], FETCHES[-1]) else pytest.mark.sampled,
        id=f"Fetch-{version}-ListOffsets-{min(LISTS[0] + at, LISTS[-1])}",
    )
    for at, version in enumerate(FETCHES)
]
STEPS = 25
MAX_BYTES = 1 << 20


class Story:
    """One conversation about a topic; `told` is all that the broker answered. versions: of Fetch and ListOffsets."""

    def __init__(
        self, client: RawClient, topic: str, partitions: int = 1,
        versions: tuple[int, int] = (FETCH_VERSION, LIST_VERSION),
    ) -> None:  # fmt: skip
        self.client = client
        self.topic = topic
        self.told: list[Any] = []
        self._fetch_version, self._list_version = versions
        self._topic_id = topics.create(client, topic, partitions)

    def write(self, producer: int, epoch: int, sequence: int, *, count: int = 1, is_transactional: bool = True) -> Any:
        records = [Record(n, topics.BASE_TIMESTAMP_MS, b"key", b"value") for n in range(count)]
        batch = bytes(
            build_batch(
                records, producer_id=producer, producer_epoch=epoch, base_sequence=sequence,
                is_transactional=is_transactional,
            )
        )  # fmt: skip
        data = produce.TopicProduceData(self.topic, partition_data=[produce.PartitionProduceData(0, batch)])
        request = produce.ProduceRequest("an id", -1, 10_000, [data])
        return self._tell(produce, PRODUCE_VERSION, request)

    def end(
        self, producer: int, epoch: int, *, is_commit: bool, coordinator_epoch: int = 0, version: int = 0,
        api_version: int = 2,
    ) -> Any:  # fmt: skip
        of = api.WritableTxnMarkerTopic(self.topic, [0])
        marker = api.WritableTxnMarker(producer, epoch, is_commit, [of], coordinator_epoch, version)
        return self.send([marker], api_version)

    def send(self, markers: list[api.WritableTxnMarker], api_version: int = 2) -> Any:
        return self._tell(api, api_version, api.WriteTxnMarkersRequest(markers))

    def look(self, start: int = 0, max_bytes: int = MAX_BYTES) -> None:
        """What producers, offsets and readers look like now."""
        of = describe_producers.TopicRequest(self.topic, [0])
        described = self.client.ask(describe_producers, 0, describe_producers.DescribeProducersRequest([of]), OWN)
        for topic in described["topics"]:
            for partition in topic["partitions"]:
                partition["active_producers"] = sorted(
                    partition["active_producers"], key=lambda each: each["producer_id"]
                )
        self.told.append(described)
        for isolation in (0, READ_COMMITTED):
            for at in (LATEST, topics.BASE_TIMESTAMP_MS):
                asked = list_offsets.ListOffsetsTopic(self.topic, [list_offsets.ListOffsetsPartition(0, -1, at)])
                self._tell(list_offsets, self._list_version, list_offsets.ListOffsetsRequest(-1, isolation, [asked]))
            part = fetch.FetchPartition(0, fetch_offset=start, partition_max_bytes=max_bytes)
            if self._fetch_version >= TOPIC_IDS_SINCE:
                wanted = fetch.FetchTopic(topic_id=self._topic_id, partitions=[part])
            else:
                wanted = fetch.FetchTopic(self.topic, partitions=[part])
            request = fetch.FetchRequest(
                max_wait_ms=0, min_bytes=0, max_bytes=MAX_BYTES, isolation_level=isolation, topics=[wanted]
            )
            answer = self.client.call(fetch.API_KEY, self._fetch_version, request)
            (data,) = answer.responses[0].partitions
            self.told.append(
                (
                    data.error_code, data.high_watermark, data.last_stable_offset, data.log_start_offset,
                    _aborted(data), len(data.records or b""),
                )
            )  # fmt: skip

    def _tell(self, module: Any, version: int, request: Any) -> Any:
        answer = self.client.ask(module, version, request, OWN)
        self.told.append(answer)
        return answer


def _aborted(data: fetch.PartitionData) -> list[tuple[int, int]] | None:
    """The aborted transactions in what was read; a broker may name some behind it, by how coarse its index is."""
    if data.aborted_transactions is None:
        return None
    end_offset, position, records = 0, 0, memoryview(bytes(data.records or b""))
    while position + RECORDS_OFFSET <= len(records):
        header = read_header(records, position)
        end_offset, position = header.next_offset, position + header.size_bytes
    named = [(each.producer_id, each.first_offset) for each in data.aborted_transactions]
    return sorted(each for each in named if each[1] < end_offset)


@pytest.mark.parametrize("versions", EVERY_VERSION)
def test_commits_and_aborts(compare: Compare, topic: str, versions: tuple[int, int]) -> None:
    def script(client: RawClient) -> list[Any]:
        story = Story(client, topic, versions=versions)
        story.look()
        story.write(ONE, 0, 0, count=3)
        story.write(TWO, 0, 0)
        story.write(-1, -1, NO_SEQUENCE, is_transactional=False)
        story.look()
        story.end(ONE, 0, is_commit=False)
        story.look()
        story.look(start=1)
        story.end(TWO, 0, is_commit=True)
        for start in range(8):
            story.look(start)
        return story.told

    compare(script)


def test_what_a_marker_is_refused_for(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> list[Any]:
        story = Story(client, topic)
        story.write(ONE, 3, 0)
        for version in (0, 1, 2):
            story.end(ONE, 2, is_commit=True, version=version)
        story.end(ONE, 3, is_commit=True, version=2)
        story.end(ONE, 4, is_commit=True, version=2, coordinator_epoch=5)
        story.end(ONE, 4, is_commit=True, version=2, coordinator_epoch=5)
        story.end(ONE, 4, is_commit=True, version=2, coordinator_epoch=4)
        story.end(ONE, 4, is_commit=True, version=1, coordinator_epoch=5)
        story.end(ONE, 5, is_commit=False, coordinator_epoch=-1)
        story.end(TWO, 9, is_commit=False, version=2)  # nothing is known of it
        story.write(TWO, 8, 0)
        story.write(TWO, 9, 0)
        story.write(TWO, 9, 1, is_transactional=False)
        story.end(TWO, 9, is_commit=False, version=2)
        story.end(TWO, 9, is_commit=False, version=3)
        story.end(TWO, 9, is_commit=False, version=2, api_version=1)  # v1 has no such field
        story.write(TWO, 32767, 0)
        story.end(TWO, 32767, is_commit=True, version=2)
        story.look()
        return story.told

    compare(script)


def test_places_and_shapes(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> list[Any]:
        story = Story(client, topic, partitions=3)

        def marker(producer: int, *places: tuple[str, list[int]], epoch: int = 1) -> api.WritableTxnMarker:
            of = [api.WritableTxnMarkerTopic(name, indexes) for name, indexes in places]
            return api.WritableTxnMarker(producer, epoch, True, of, 0, 0)

        for version in (1, 2):
            story.send([], version)
            story.send([marker(ONE, (topic, [0, 1, 2]))], version)
            # Apache Kafka never answers a request whose last marker has no partition here
            story.send([marker(TWO, (topic + "-not", [0])), marker(ONE, (topic, [0, 7]))], version)
            story.send([marker(TWO, (topic + "-not", [0]))], version)
            story.send([marker(ONE, (topic, [0])), marker(ONE, (topic, [1]), epoch=0)], version)
            story.send([marker(ONE, (topic, [0])), marker(ONE, (topic, [0]), epoch=0)], version)
        for told in story.told:
            told["markers"].sort(key=lambda each: each["producer_id"])
            for each in told["markers"]:
                for of in each["topics"]:
                    of["partitions"].sort(key=lambda found: found["partition_index"])
        story.look()
        return story.told

    compare(script)


@pytest.mark.parametrize("seed", range(12))
def test_generated_sequences_of_two_producers(compare: Compare, topic: str, seed: int) -> None:
    def script(client: RawClient) -> list[Any]:
        rng = Random(seed)
        story = Story(client, topic)
        epochs, sequences = {ONE: 0, TWO: 0}, {ONE: 0, TWO: 0}
        for _ in range(STEPS):
            producer = rng.choice((ONE, TWO))
            epoch = max(0, epochs[producer] + rng.choice((0, 0, 0, 0, 0, -1, 1)))
            if rng.random() < 0.55:
                sequence = 0 if epoch > epochs[producer] else sequences[producer] + rng.choice((0, 0, 0, 0, -1, 1))
                count = rng.randrange(1, 4)
                answer = story.write(
                    producer, epoch, max(0, sequence), count=count, is_transactional=rng.random() < 0.85
                )
                if answer["responses"][0]["partition_responses"][0]["error_code"] == 0 and epoch >= epochs[producer]:
                    epochs[producer], sequences[producer] = epoch, max(0, sequence) + count
            else:
                answer = story.end(
                    producer, epoch, is_commit=rng.random() < 0.4, version=rng.choice((0, 1, 2, 2)),
                    coordinator_epoch=rng.choice((0, 0, 0, 1)),
                )  # fmt: skip
                code = answer["markers"][0]["topics"][0]["partitions"][0]["error_code"]
                if code == 0 and epoch > epochs[producer]:
                    epochs[producer], sequences[producer] = epoch, 0
            story.look(rng.randrange(4), rng.choice((200, 500, MAX_BYTES)))
        return story.told

    compare(script)
