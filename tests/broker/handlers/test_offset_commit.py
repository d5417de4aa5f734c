"""OffsetCommit; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.broker.handlers.offset_commit import PARTITIONS_PER_ITERATION
from kafkacompat.protocol.error_codes import (
    COORDINATOR_NOT_AVAILABLE,
    NONE,
    NOT_COORDINATOR,
    OFFSET_METADATA_TOO_LARGE,
    UNKNOWN_MEMBER_ID,
    UNKNOWN_SERVER_ERROR,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from kafkacompat.steps import UNITS_PER_ITERATION
from tests.broker.handlers.group_harness import Kafka, commit, committed, heartbeat, stable_pair, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


@pytest.mark.parametrize(
    ("metadata", "error_code"),
    [
        ("x" * 10, NONE),
        ("x" * 11, OFFSET_METADATA_TOO_LARGE),
        ("\N{SNOWMAN}" * 10, NONE),
        ("\N{PILE OF POO}" * 5, NONE),
        ("\N{PILE OF POO}" * 5 + "x", OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_metadata_is_as_long_as_java_takes_it_for(metadata: str, error_code: int) -> None:
    kafka = Kafka(offset_metadata_max_bytes="10")
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    partition = OffsetCommitRequestPartition(0, 5, committed_metadata=metadata)
    answer = kafka.ask(
        "offset_commit", 8, OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=[partition])])
    )
    assert answer.topics[0].partitions[0].error_code == error_code


def test_answers_wait_until_they_are_on_disk_where_that_is_asked() -> None:
    kafka = Kafka(log_flush_interval_messages="1")
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    kafka.disk_is_stuck = True
    partition = OffsetCommitRequestPartition(0, 5)
    request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=[partition])])
    commits = [kafka.send("offset_commit", 8, request) for _ in range(2)]
    fetch = kafka.send("offset_fetch", 7, stable_offset())
    joined = kafka.join(version=3)
    assert [answer.body for answer in (*commits, fetch, joined)] == [None] * 4
    assert committed(kafka) == -1, "who does not insist is told what is committed"
    assert kafka.ask("list_groups", 5, ListGroupsRequest()).groups == []
    kafka.disk_is_stuck = False
    kafka.flush()
    assert [answer.body.topics[0].partitions[0].error_code for answer in commits] == [NONE, NONE]
    assert fetch.body.topics[0].partitions[0].committed_offset == 5
    assert joined.body.generation_id == 1
    assert committed(kafka) == 5
    assert [group.group_id for group in kafka.ask("list_groups", 5, ListGroupsRequest()).groups] == ["g"]


def stable_offset() -> OffsetFetchRequest:
    """Of t-0 in group g, the newest one."""
    return OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])], require_stable=True)


def test_what_cannot_be_committed_in_time_is_told() -> None:
    kafka = Kafka(log_flush_interval_messages="1")
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    kafka.disk_is_stuck = True
    partition = OffsetCommitRequestPartition(0, 5)
    request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=[partition])])
    answer = kafka.send("offset_commit", 8, request)
    fetch = kafka.send("offset_fetch", 7, stable_offset())
    kafka.advance(5_000)
    assert answer.body.topics[0].partitions[0].error_code == COORDINATOR_NOT_AVAILABLE
    assert fetch.body.error_code == NOT_COORDINATOR


def test_a_commit_that_does_not_fit_a_batch_harms_nobody(kafka: Kafka) -> None:
    first, _second = stable_pair(kafka)
    kafka.create_topic("wide", 600)
    partitions = [OffsetCommitRequestPartition(index, 1, -1, "x" * 4096) for index in range(600)]
    request = OffsetCommitRequest("h", topics=[OffsetCommitRequestTopic("wide", partitions=partitions)])
    answer = kafka.ask("offset_commit", 8, request)
    assert {partition.error_code for partition in answer.topics[0].partitions} == {UNKNOWN_SERVER_ERROR}
    assert heartbeat(kafka, first, 2) == NONE
    assert committed(kafka, "h") == -1


def test_offsets_of_a_deleted_topic_go(kafka: Kafka) -> None:
    commit(kafka, 42)
    kafka.ask("delete_topics", 6, DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1000))
    assert committed(kafka) == -1
    kafka.restart(clean=False)
    kafka.create_topic("t")
    assert committed(kafka) == -1


MANY = 2 * PARTITIONS_PER_ITERATION + 7


def with_wide_topics(**config: str) -> Kafka:
    """Two topics of many partitions."""
    kafka = Kafka(**config)
    topics = [CreatableTopic(name, MANY, 1) for name in ("wide", "other")]
    created = kafka.send("create_topics", 7, CreateTopicsRequest(topics))
    kafka.advance(0)
    assert [topic.error_code for topic in created.body.topics] == [NONE, NONE]
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    return kafka


@pytest.fixture
def wide() -> Kafka:
    return with_wide_topics()


def large_commit(offset: int, *, generation: int = -1, member_id: str = "") -> OffsetCommitRequest:
    topics = [
        OffsetCommitRequestTopic(name, partitions=[OffsetCommitRequestPartition(n, offset) for n in range(MANY + 1)])
        for name in ("wide", "unknown", "other")
    ]
    return OffsetCommitRequest("g", generation, member_id, topics=topics)


def codes_of(body: object) -> dict[str, dict[int, int]]:
    assert [topic.name for topic in body.topics] == ["wide", "unknown", "other"]
    return {topic.name: {part.partition_index: part.error_code for part in topic.partitions} for topic in body.topics}


def offsets_of(kafka: Kafka, topic: str) -> set[int]:
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic(topic, list(range(MANY)))])
    return {part.committed_offset for part in kafka.ask("offset_fetch", 5, request).topics[0].partitions}


KNOWN, UNKNOWN = dict.fromkeys(range(MANY), NONE), {MANY: UNKNOWN_TOPIC_OR_PARTITION}
TAKEN = {
    "wide": KNOWN | UNKNOWN, "unknown": dict.fromkeys(range(MANY + 1), UNKNOWN_TOPIC_OR_PARTITION),
    "other": KNOWN | UNKNOWN,
}  # fmt: skip


def test_a_large_commit_takes_many_turns(wide: Kafka, steps: list[int]) -> None:
    answer = wide.send("offset_commit", 8, large_commit(7))
    assert answer.body is None
    assert commit(wide, 1, "another") == NONE, "others are served in between"
    wide.advance(0)
    assert len(steps) > 6
    assert max(steps) == UNITS_PER_ITERATION
    assert codes_of(answer.body) == TAKEN
    assert offsets_of(wide, "wide") == offsets_of(wide, "other") == {7}


def test_who_is_thrown_out_meanwhile_commits_no_more(wide: Kafka) -> None:
    first, _ = stable_pair(wide)
    answer = wide.send("offset_commit", 8, large_commit(7, generation=2, member_id=first))
    wide.broker.timers.run(wide.now)  # its first offsets are committed
    wide.ask("leave_group", 3, LeaveGroupRequest("g", members=[MemberIdentity(first)]))
    wide.advance(0)
    codes = codes_of(answer.body)
    assert codes["wide"][0] == NONE
    assert codes["other"][0] == UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("is_committed_meanwhile", [True, False])
def test_a_large_commit_is_answered_when_all_of_it_is_committed(is_committed_meanwhile: bool) -> None:
    kafka = with_wide_topics(log_flush_interval_messages="1")
    kafka.disk_is_stuck = not is_committed_meanwhile
    answer = kafka.send("offset_commit", 8, large_commit(7))
    kafka.advance(0)
    if not is_committed_meanwhile:
        assert answer.body is None
        kafka.disk_is_stuck = False
        kafka.flush()
    assert codes_of(answer.body) == TAKEN
