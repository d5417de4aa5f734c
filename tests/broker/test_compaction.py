"""Whether and when a node looks for logs to compact."""

import pytest

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.storage.compaction import tail
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.test_log_cleaner import a_broker, cleaner, log_of, produce, records, rounds, sealed, with_topic


def test_other_logs_are_left_alone() -> None:
    kafka = with_topic({"cleanup.policy": "delete"})
    produce(kafka)
    before = len(records(kafka))
    rounds(kafka)
    assert len(records(kafka)) == before
    assert kafka.broker.compaction.cleaner is None


def test_a_node_may_do_without() -> None:
    kafka = with_topic(settings={"log.cleaner.enable": "false"})
    produce(kafka)
    rounds(kafka)
    assert sealed(kafka) > 2


def test_the_next_look_comes_after_the_backoff() -> None:
    kafka = with_topic(settings={"log.cleaner.backoff.ms": "500"})
    rounds(kafka, after_ms=500)
    produce(kafka)
    rounds(kafka, after_ms=499)
    assert sealed(kafka) > 2
    rounds(kafka, after_ms=1)
    assert sealed(kafka) == 2


def test_nothing_begins_after_the_stop() -> None:
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    kafka.broker.compaction.stop()
    produce(kafka)
    rounds(kafka)
    assert cleaner(kafka).passes == 1


def commit(kafka: BrokerHarness, times: int) -> None:
    """The offsets of ten partitions, over and over."""
    for number in range(times):
        partitions = [OffsetCommitRequestPartition(index, number) for index in range(10)]
        request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=partitions)])
        answer = kafka.ask(request, 7)
        assert [each.error_code for each in answer.topics[0].partitions] == [0] * 10


@pytest.mark.parametrize("is_on", [True, False])
def test_the_log_of_groups_stays_as_long_as_its_keys_and_a_tail(monkeypatch: pytest.MonkeyPatch, is_on: bool) -> None:
    monkeypatch.setattr(tail, "TAIL_RECORDS", 100)
    fs = MemFs()
    settings = {"offsets.topic.num.partitions": "1", "log.cleaner.enable": str(is_on).lower()}
    kafka = a_broker(fs, **settings)
    kafka.create_topic("t", 10)
    kafka.ask(FindCoordinatorRequest("g"), 2)
    for _ in range(5):
        commit(kafka, 40)
        rounds(kafka, after_ms=1_000)
    left = log_of(kafka, GROUP_TOPIC)
    held = sum(segment.size_bytes for segment in left.segments.all)
    kafka.close(clean=False)
    again = a_broker(fs, **settings)
    rounds(again, after_ms=0)
    groups = again.broker.groups
    found = groups.read("g", lambda shard: shard.offsets.all("g", newest=True), lambda error: error, again.now)
    assert isinstance(found, dict)
    assert {each[0] for each in found["t"].values()} == {39}
    assert len(found["t"]) == 10
    assert (len(records(again, GROUP_TOPIC)) < 10 + 10 * 40 + 110) == is_on
    assert (held < 60_000) == is_on
