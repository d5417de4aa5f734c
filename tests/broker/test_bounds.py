"""Large changes go through in parts, and what is remembered for clients stays small."""

import pytest

from kafkacompat.broker import metadata_answers
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import find_coordinator, metadata, offset_commit, offset_fetch
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tests.broker.handlers.test_produce_fetch import batch, fetch_request, produce_request, values
from tests.broker.harness import BrokerHarness

GROUPS = [f"{number:02}" + "g" * 30_000 for number in range(40)]  # tombstones of more than max.message.bytes together
DAY_MS = 24 * 3_600_000


def commit(harness: BrokerHarness, group: str) -> None:
    partition = offset_commit.OffsetCommitRequestPartition(0, 5)
    topic = offset_commit.OffsetCommitRequestTopic("t", partitions=[partition])
    answer = harness.ask(offset_commit.OffsetCommitRequest(group, topics=[topic]), 8)
    assert answer.topics[0].partitions[0].error_code == errors.NONE


def committed(harness: BrokerHarness, group: str) -> bool:
    asked = offset_fetch.OffsetFetchRequestGroup(group, topics=None)
    answer = harness.ask(offset_fetch.OffsetFetchRequest(groups=[asked]), 8).groups[0]
    assert answer.error_code == errors.NONE
    return bool(answer.topics)


@pytest.mark.parametrize("event", ["deletion", "expiry"])
def test_more_tombstones_than_fit_in_a_batch(event):
    harness = BrokerHarness(offsets_topic_num_partitions="1")
    harness.create_topic("t")
    harness.ask(find_coordinator.FindCoordinatorRequest(coordinator_keys=["g"]), 4)
    for group in GROUPS:
        commit(harness, group)
    assert all(committed(harness, group) for group in GROUPS)
    if event == "deletion":
        harness.ask(DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000), 6)
    else:
        harness.advance(8 * DAY_MS)
    assert not any(committed(harness, group) for group in GROUPS)


def test_a_large_answer_is_not_kept(monkeypatch):
    monkeypatch.setattr(metadata_answers, "MAX_ANSWER_BYTES", 256 * 1024)
    harness = BrokerHarness(auto_create_topics_enable="false")
    names = ["x" * 1000 + str(number) for number in range(270)]
    asked = metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=name) for name in names])
    answer = harness.begin(asked, 9)
    for _ in range(3):  # a large request is decoded, worked on and answered in a turn each
        harness.advance(0)
    assert len(answer.message.topics) == len(names)
    assert not harness.broker.metadata_answers.answers


def test_answers_that_are_kept_have_a_limit_in_all(monkeypatch):
    harness = BrokerHarness(auto_create_topics_enable="false")
    monkeypatch.setattr(metadata_answers, "MAX_KEPT_BYTES", 1_000)
    kept = harness.broker.metadata_answers
    sizes, asked = [], 20
    for number in range(asked):
        name = f"{'x' * 100}-{number}"
        harness.ask(metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=name)]), 9)
        sizes.append(sum(metadata_answers.KEY_BYTES + len(*parts) for parts in kept.answers.values()))
    assert 500 < max(sizes) <= 1_000
    assert len(kept.answers) < asked


def test_a_fetch_does_not_wait_for_more_than_it_may_carry():
    harness = BrokerHarness()
    harness.create_topic("t")
    harness.ask(produce_request((0, batch(b"a" * 500))), 9)
    waiting = harness.begin(fetch_request((0, 0), min_bytes=10_000, max_bytes=100, max_wait_ms=500), 11)
    assert waiting.is_there
    assert values(waiting.message) == [b"a" * 500]
