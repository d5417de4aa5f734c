"""Long work on groups is done in short turns, whatever happens in between, and so are the answers of large groups."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from kafkacompat.broker.coordinator import loading, runtime
from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.group import shard as group_shard
from kafkacompat.broker.coordinator.group import sweeps
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.handlers.group_harness import Answer, Kafka, commit, heartbeat, with_coordinator

DAY_MS = 24 * 3_600_000
GROUPS, PARTITIONS = 30, 100
OFFSETS = GROUPS * PARTITIONS
MEMBERS = 1_000


@pytest.fixture
def kafka() -> Kafka:
    """Groups of which each has read 100 partitions of a topic."""
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    kafka.create_topic("wide", PARTITIONS)
    for number in range(GROUPS):
        assert commit_wide(kafka, f"group-{number}") == {errors.NONE}
    return kafka


def commit_wide(kafka: Kafka, group: str) -> set[int]:
    parts = [OffsetCommitRequestPartition(index, 7) for index in range(PARTITIONS)]
    topics = [OffsetCommitRequestTopic("wide", partitions=parts)]
    answer = kafka.ask("offset_commit", 8, OffsetCommitRequest(group, topics=topics))
    return {part.error_code for part in answer.topics[0].partitions}


def wide(kafka: Kafka, group: str) -> list[int]:
    """The offsets of topic wide that a client is told."""
    topics = kafka.ask("offset_fetch", 5, OffsetFetchRequest(group, None)).topics
    return [part.committed_offset for topic in topics for part in topic.partitions]


def delete_wide(kafka: Kafka) -> None:
    request = DeleteTopicsRequest([DeleteTopicState("wide")], timeout_ms=1_000)
    assert kafka.ask("delete_topics", 6, request).responses[0].error_code == errors.NONE


def end_offset(kafka: Kafka) -> int:
    return kafka.view.replica(GROUP_TOPIC, 0).log_end_offset


def turns(kafka: Kafka) -> Iterator[int]:
    """Let the loop turn until nothing is left to do now; how many records each turn has written."""
    while kafka.broker.timers.next_deadline_ms() <= kafka.now.monotonic_ms:
        before = end_offset(kafka)
        kafka.broker.timers.run(kafka.now)
        yield end_offset(kafka) - before


def most_in_a_turn() -> int:
    return loading.ITERATION_BUDGET // runtime.RECORD_COST + sweeps.CHECKS_PER_STEP


def test_offsets_of_a_deleted_topic_go_little_by_little(kafka: Kafka) -> None:
    before = end_offset(kafka)
    delete_wide(kafka)
    first = end_offset(kafka) - before
    written = []
    for number, count in enumerate(turns(kafka)):
        written.append(count)
        assert commit(kafka, number, "another") == errors.NONE, "others are served in between"
    assert first + sum(written) == OFFSETS
    assert max(first, *written) <= most_in_a_turn()
    assert len(written) > 5
    assert [wide(kafka, f"group-{number}") for number in range(GROUPS)] == [[]] * GROUPS
    kafka.restart(clean=False)
    assert [wide(kafka, f"group-{number}") for number in range(GROUPS)] == [[]] * GROUPS


def test_a_topic_that_is_made_anew_meanwhile_keeps_what_is_committed_for_it(kafka: Kafka) -> None:
    delete_wide(kafka)
    last = f"group-{GROUPS - 1}"
    assert wide(kafka, last) == [7] * PARTITIONS, "it has not come to this one yet"
    kafka.create_topic("wide", PARTITIONS)
    assert wide(kafka, last) == [], "no offset of the old topic is told for the new one"
    asked = OffsetCommitRequestTopic("wide", partitions=[OffsetCommitRequestPartition(3, 9)])
    kafka.ask("offset_commit", 8, OffsetCommitRequest(last, topics=[asked]))
    assert sum(turns(kafka)) > 0
    assert wide(kafka, last) == [9]
    kafka.restart(clean=False)
    assert wide(kafka, last) == [9]


def test_a_next_leader_tells_nothing_of_a_topic_that_was_being_forgotten(kafka: Kafka) -> None:
    delete_wide(kafka)
    partition = kafka.broker.partitions.get(GROUP_TOPIC, 0)
    kafka.broker.groups.on_resigned(partition, kafka.now)
    written = list(turns(kafka))
    assert sum(written) == 0, "who leads no more writes no more"
    kafka.broker.groups.on_elected(partition, kafka.now)
    list(turns(kafka))
    kafka.create_topic("wide", PARTITIONS)
    assert wide(kafka, f"group-{GROUPS - 1}") == []


def test_what_cannot_be_written_is_tried_again(kafka: Kafka) -> None:
    in_sync = kafka.broker.partitions.get(GROUP_TOPIC, 0).in_sync
    in_sync.min_isr = 2
    delete_wide(kafka)
    assert sum(turns(kafka)) == 0
    in_sync.min_isr = 1
    kafka.advance(runtime.RETRY_MS)
    list(turns(kafka))
    assert [wide(kafka, f"group-{number}") for number in range(GROUPS)] == [[]] * GROUPS


def test_offsets_expire_little_by_little(kafka: Kafka) -> None:
    """One that is committed anew meanwhile stays, and its group."""
    kafka.set_clock(kafka.now.monotonic_ms + 8 * DAY_MS)
    before = end_offset(kafka)
    kafka.broker.timers.run(kafka.now)
    first = end_offset(kafka) - before
    last = f"group-{GROUPS - 1}"
    asked = OffsetCommitRequestTopic("wide", partitions=[OffsetCommitRequestPartition(3, 9)])
    kafka.ask("offset_commit", 8, OffsetCommitRequest(last, topics=[asked]))
    written = list(turns(kafka))
    assert first + sum(written) == OFFSETS - 1 + GROUPS - 1
    assert max(first, *written) <= most_in_a_turn()
    assert len(written) > 5
    assert [group.group_id for group in kafka.ask("list_groups", 5, ListGroupsRequest()).groups] == [last]
    assert wide(kafka, last) == [9]


def test_offsets_that_stay_are_looked_at_little_by_little(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(sweeps, "has_expired", lambda *_: looks.append(None))
    kafka.set_clock(kafka.now.monotonic_ms + 600_000)
    counts = []
    while kafka.broker.timers.next_deadline_ms() <= kafka.now.monotonic_ms:
        kafka.broker.timers.run(kafka.now)
        counts.append(len(looks))
        looks.clear()
    assert sum(counts) == OFFSETS
    assert max(counts) <= loading.ITERATION_BUDGET * sweeps.CHECKS_PER_COST + sweeps.CHECKS_PER_STEP
    assert end_offset(kafka) == OFFSETS


@pytest.fixture
def large(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """A group with more offsets than are deleted at once; a turn does little."""
    monkeypatch.setattr(group_shard, "MAX_DELETED_AT_ONCE", PARTITIONS)
    monkeypatch.setattr(sweeps, "CHECKS_PER_STEP", 16)
    monkeypatch.setattr(loading, "ITERATION_BUDGET", 40)
    assert commit_wide(kafka, "large") == {errors.NONE}
    kafka.set_clock(kafka.now.monotonic_ms + 1)
    return kafka


def delete_large(kafka: Kafka) -> Answer:
    return kafka.send("delete_groups", 2, DeleteGroupsRequest(["large", "group-0", "unknown"]))


def test_a_group_with_many_offsets_is_deleted_little_by_little(large: Kafka) -> None:
    """Nobody gets in meanwhile; clients come again."""
    answer = delete_large(large)
    assert answer.body is None
    assert commit(large, 1, "large") == errors.COORDINATOR_LOAD_IN_PROGRESS
    assert large.join("large", version=3).body.error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
    again = large.ask("delete_groups", 2, DeleteGroupsRequest(["large"]))
    assert again.results[0].error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
    assert max(turns(large)) <= most_in_a_turn()
    codes = {result.group_id: result.error_code for result in answer.body.results}
    assert codes == {"large": errors.NONE, "group-0": errors.NONE, "unknown": errors.GROUP_ID_NOT_FOUND}
    assert (wide(large, "large"), wide(large, "group-0")) == ([], [])
    assert large.join("large", version=3).body.generation_id == 1
    large.restart(clean=False)
    assert wide(large, "large") == []


def test_a_deletion_that_cannot_be_written_is_told(large: Kafka) -> None:
    answer = delete_large(large)
    large.broker.partitions.get(GROUP_TOPIC, 0).in_sync.min_isr = 2
    list(turns(large))
    codes = {result.group_id: result.error_code for result in answer.body.results}
    assert codes["large"] == errors.COORDINATOR_NOT_AVAILABLE
    large.broker.partitions.get(GROUP_TOPIC, 0).in_sync.min_isr = 1
    assert commit(large, 1, "large") == errors.NONE, "it is a group like others again"


def test_what_a_leader_knew_is_let_go_little_by_little(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "ITERATION_BUDGET", 20)
    kafka.set_clock(kafka.now.monotonic_ms + 1)
    shard = kafka.shard("large")
    kafka.broker.groups.on_resigned(kafka.broker.partitions.get(GROUP_TOPIC, 0), kafka.now)
    left = [_size(shard)]
    left += [_size(shard) for _ in turns(kafka)]
    assert left[0] > OFFSETS / 2
    assert left[-1] == 0
    assert max(before - after for before, after in pairwise(left)) < OFFSETS / 4


def _size(shard: GroupCoordinatorShard) -> int:
    return len(shard.groups) + sum(shard.offsets.count(group) for group in shard.offsets.group_ids())


def test_a_log_that_was_being_read_is_let_go_little_by_little(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = kafka.broker.partitions.get(GROUP_TOPIC, 0)
    monkeypatch.setattr(loading, "ITERATION_BUDGET", 100)
    kafka.broker.groups.on_resigned(partition, kafka.now)
    list(turns(kafka))
    kafka.set_clock(kafka.now.monotonic_ms + 1)
    kafka.broker.groups.on_elected(partition, kafka.now)
    for _ in range(4):
        kafka.broker.timers.run(kafka.now)
    monkeypatch.setattr(loading, "ITERATION_BUDGET", 20)
    kafka.broker.groups.on_resigned(partition, kafka.now)
    assert len(list(turns(kafka))) > 2
    assert end_offset(kafka) == OFFSETS


# A group of 1,000.


@pytest.fixture
def party() -> Kafka:
    """All members of a group wait for its second generation to begin: the first of them has not joined again yet."""
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    kafka.first = kafka.join(version=3, session_timeout_ms=100_000).body.member_id
    kafka.waiting = [kafka.join(version=3, session_timeout_ms=100_000) for _ in range(MEMBERS - 1)]
    return kafka


def answered(answers: list[Answer]) -> int:
    return sum(answer.body is not None for answer in answers)


def answers_in_turns(kafka: Kafka, answers: list[Answer]) -> list[int]:
    """How many are answered in each turn, the one before this call first."""
    counts = [answered(answers)]
    before = counts[0]
    for _ in turns(kafka):
        counts.append(answered(answers) - before)
        before += counts[-1]
    return counts


def test_a_group_of_a_thousand_is_answered_in_short_turns(party: Kafka) -> None:
    most = runtime.ANSWERS_PER_EVENT + loading.ITERATION_BUDGET // runtime.ANSWER_COST + 1
    answers = [party.join(version=3, member_id=party.first, session_timeout_ms=100_000), *party.waiting]
    counts = answers_in_turns(party, answers)
    assert (sum(counts), max(counts) <= most) == (MEMBERS, True)
    joined = [answer.body for answer in answers]
    assert {body.generation_id for body in joined} == {2}
    leader = joined[0].leader
    assert [len(body.members) for body in joined if body.member_id == leader] == [MEMBERS]
    assert sum(len(body.members) for body in joined) == MEMBERS

    member_ids = [body.member_id for body in joined]
    shares = [SyncGroupRequestAssignment(member_id, member_id.encode()) for member_id in member_ids]
    syncs = {
        member_id: party.send("sync_group", 3, SyncGroupRequest("g", 2, member_id))
        for member_id in member_ids
        if member_id != leader
    }
    syncs[leader] = party.send("sync_group", 3, SyncGroupRequest("g", 2, leader, assignments=shares))
    counts = answers_in_turns(party, list(syncs.values()))
    assert (sum(counts), max(counts) <= most) == (MEMBERS, True)
    assert all(syncs[member_id].body.assignment == member_id.encode() for member_id in member_ids)

    assert {heartbeat(party, member_id, 2) for member_id in member_ids} == {errors.NONE}
    described = party.ask("describe_groups", 5, DescribeGroupsRequest(["g"])).groups[0]
    assert (described.group_state, len(described.members)) == ("Stable", MEMBERS)
    assert {member.member_assignment.decode() for member in described.members} == set(member_ids)
    party.restart(clean=False)
    assert {heartbeat(party, member_id, 2) for member_id in member_ids} == {errors.NONE}


def test_a_thousand_who_wait_are_sent_on_in_short_turns(party: Kafka) -> None:
    party.broker.groups.on_resigned(party.broker.partitions.get(GROUP_TOPIC, 0), party.now)
    counts = answers_in_turns(party, party.waiting)
    assert sum(counts) == MEMBERS - 1
    assert max(counts) <= runtime.ANSWERS_PER_EVENT + loading.ITERATION_BUDGET // runtime.ANSWER_COST + 1
    assert {answer.body.error_code for answer in party.waiting} == {errors.NOT_COORDINATOR}
