"""OffsetFetch; every version is in test_group_conversation.py."""

from typing import Any

import pytest

from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.handlers import offset_fetch
from kafkacompat.protocol.error_codes import INVALID_REQUEST, NONE, NOT_COORDINATOR
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
from tests.broker.handlers.group_harness import Kafka, commit, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_before_there_is_a_coordinator() -> None:
    kafka = Kafka()
    assert kafka.join().body.error_code == NOT_COORDINATOR
    assert kafka.ask("list_groups", 5, ListGroupsRequest()).groups == []
    group = OffsetFetchRequestGroup("g", topics=None)
    assert kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=[group])).groups[0].error_code == NOT_COORDINATOR
    response = kafka.ask("offset_fetch", 1, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    assert response.topics[0].partitions[0].error_code == NOT_COORDINATOR


def test_the_last_of_several_groups_decides_when_all_are_answered(kafka: Kafka) -> None:
    for group in ("a", "b", "c", "d"):
        commit(kafka, 1, group)
    groups = [OffsetFetchRequestGroup(group, topics=None) for group in ("a", "b", "c", "d", "unknown")]
    answer = kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=groups))
    assert [group.group_id for group in answer.groups] == ["a", "b", "c", "d", "unknown"]
    assert [len(group.topics) for group in answer.groups] == [1, 1, 1, 1, 0]


def test_many_groups_are_fetched_in_many_turns(kafka: Kafka, steps: list[int]) -> None:
    commit(kafka, 1, "a")
    groups = [OffsetFetchRequestGroup(group, topics=None) for group in ("unknown", "a") * (2 * UNITS_PER_ITERATION)]
    answer = kafka.send("offset_fetch", 8, OffsetFetchRequest(groups=groups))
    assert answer.body is None
    assert commit(kafka, 1, "another") == NONE, "others are served in between"
    kafka.advance(0)
    assert len(steps) >= 3
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    assert [len(group.topics) for group in answer.body.groups] == [0, 1] * (2 * UNITS_PER_ITERATION)


def test_a_response_that_grows_too_large_ends_with_refusals(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offset_fetch, "RESPONSE_BYTES_MAX", 200)
    commit(kafka, 1, "a")
    groups = [OffsetFetchRequestGroup("a", topics=None)] * 50
    found = kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=groups)).groups
    assert [group.group_id for group in found] == ["a"] * 50
    whole = [len(group.topics) for group in found].count(1)
    assert 1 < whole < 20
    assert [group.error_code for group in found] == [NONE] * whole + [INVALID_REQUEST] * (50 - whole)
    assert not any(group.topics for group in found[whole:])


def test_groups_that_wait_for_their_newest_offsets_keep_the_limit_and_the_turns(
    steps: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read at once, and answered when that is committed; a part of them may be meanwhile."""
    monkeypatch.setattr(offset_fetch, "RESPONSE_BYTES_MAX", 2_000_000)
    kafka = with_coordinator(log_flush_interval_messages="1")
    commit(kafka, 1, "a", committed_metadata="m" * 4_000)
    reads, fetch_offsets = [0], GroupCoordinatorShard.fetch_offsets

    def counted(*given: Any, **more: Any) -> Any:
        reads[0] += 1
        return fetch_offsets(*given, **more)

    monkeypatch.setattr(GroupCoordinatorShard, "fetch_offsets", counted)
    kafka.disk_is_stuck = True
    topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(1, 2)])]
    uncommitted = kafka.send("offset_commit", 8, OffsetCommitRequest("a", topics=topics))
    groups = [OffsetFetchRequestGroup("a", topics=None)] * 2_000
    answer = kafka.send("offset_fetch", 8, OffsetFetchRequest(groups=groups, require_stable=True))
    kafka.advance(0)
    assert 400 < reads[0] < 600
    assert len(steps) >= 10
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    assert (uncommitted.body, answer.body) == (None, None)
    kafka.disk_is_stuck = False
    kafka.flush()
    kafka.advance(0)
    found = answer.body.groups
    assert [len(group.topics[0].partitions) for group in found[: reads[0]]] == [2] * reads[0]
    assert [group.error_code for group in found] == [NONE] * reads[0] + [INVALID_REQUEST] * (2_000 - reads[0])


def test_newest_offsets_that_are_committed_between_two_turns_are_answered() -> None:
    kafka = with_coordinator(log_flush_interval_messages="1")
    commit(kafka, 1, "a")
    kafka.disk_is_stuck = True
    topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(1, 2)])]
    kafka.send("offset_commit", 8, OffsetCommitRequest("a", topics=topics))
    groups = [OffsetFetchRequestGroup("a", topics=None)] * (2 * UNITS_PER_ITERATION)
    answer = kafka.send("offset_fetch", 8, OffsetFetchRequest(groups=groups, require_stable=True))
    kafka.disk_is_stuck = False
    kafka.flush()
    assert answer.body is None, "not all were read"
    kafka.advance(0)
    assert [len(group.topics[0].partitions) for group in answer.body.groups] == [2] * (2 * UNITS_PER_ITERATION)


@pytest.mark.parametrize("version", range(1, 10))
def test_partitions_of_a_group_may_be_named_again_so_many_times(kafka: Kafka, version: int) -> None:
    commit(kafka, 1, "a")
    for repeats, error_code in ((offset_fetch.REPEATS_MAX, NONE), (offset_fetch.REPEATS_MAX + 1, INVALID_REQUEST)):
        parts = [[0] * (repeats - 1), [0, 0, 1]]  # both name others, too
        if version >= offset_fetch.FIRST_VERSION_WITH_GROUPS:
            groups = [
                OffsetFetchRequestGroup("a", topics=[OffsetFetchRequestTopics("t", partition_indexes=p) for p in parts])
            ]
            (found,) = kafka.ask("offset_fetch", version, OffsetFetchRequest(groups=groups)).groups
        else:
            asked = [OffsetFetchRequestTopic("t", p) for p in parts]
            found = kafka.ask("offset_fetch", version, OffsetFetchRequest("a", asked))
        answered = [
            (p.partition_index, p.error_code, p.committed_offset) for topic in found.topics for p in topic.partitions
        ]
        if error_code == NONE:
            assert answered == [(0, NONE, 1)] * (repeats + 1) + [(1, NONE, -1)]
        elif version == 1:
            assert {code for _, code, _ in answered} == {INVALID_REQUEST}
        else:
            assert (found.error_code, answered) == (INVALID_REQUEST, [])
