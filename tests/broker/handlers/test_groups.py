"""The group APIs through a whole broker: what waits, what survives, what goes wrong."""

import pytest

from kafkacompat.protocol.error_codes import (
    COORDINATOR_NOT_AVAILABLE,
    GROUP_ID_NOT_FOUND,
    INVALID_REQUEST,
    NONE,
    NOT_COORDINATOR,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
    UNKNOWN_SERVER_ERROR,
)
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
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
)
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.handlers.group_harness import PORT, Answer, Kafka


@pytest.fixture
def kafka() -> Kafka:
    kafka = Kafka()
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    return kafka


def commit(
    kafka: Kafka, offset: int, group: str = "g", *, generation: int = -1, member_id: str = "", **fields: object
) -> int:
    """Commit an offset of t-0; the error code."""
    partition = OffsetCommitRequestPartition(0, offset, **fields)
    topics = [OffsetCommitRequestTopic("t", partitions=[partition])]
    request = OffsetCommitRequest(group, generation, member_id, topics=topics)
    return kafka.ask("offset_commit", 8, request).topics[0].partitions[0].error_code


def committed(kafka: Kafka, group: str = "g") -> int:
    request = OffsetFetchRequest(group, [OffsetFetchRequestTopic("t", [0])])
    return kafka.ask("offset_fetch", 5, request).topics[0].partitions[0].committed_offset


def sync(kafka: Kafka, member_id: str, generation: int, **shares: bytes) -> Answer:
    assignments = [SyncGroupRequestAssignment(*share) for share in shares.items()]
    return kafka.send("sync_group", 3, SyncGroupRequest("g", generation, member_id, assignments=assignments))


def heartbeat(kafka: Kafka, member_id: str, generation: int) -> int:
    return kafka.ask("heartbeat", 4, HeartbeatRequest("g", generation, member_id)).error_code


def stable_pair(kafka: Kafka) -> tuple[str, str]:
    """Two members in generation 2."""
    first = kafka.join(version=3).body.member_id
    waiting = kafka.join(version=3)
    kafka.join(member_id=first)
    second = waiting.body.member_id
    assert sync(kafka, first, 2, **{first: b"1", second: b"2"}).body.assignment == b"1"
    assert sync(kafka, second, 2).body.assignment == b"2"
    return first, second


def test_the_first_question_for_a_coordinator_is_answered_at_once() -> None:
    kafka = Kafka()
    answer = kafka.ask("find_coordinator", 6, FindCoordinatorRequest(coordinator_keys=["g"])).coordinators[0]
    assert (answer.error_code, answer.node_id, answer.host, answer.port) == (NONE, 1, "broker.test", PORT)
    assert len(kafka.broker.image.topics["__consumer_offsets"].partitions) == 3


@pytest.mark.parametrize("key_type", [1, 2, 9])
def test_there_are_coordinators_of_groups_alone(kafka: Kafka, key_type: int) -> None:
    answer = kafka.ask("find_coordinator", 6, FindCoordinatorRequest(key_type=key_type, coordinator_keys=["x"]))
    assert answer.coordinators[0].error_code == INVALID_REQUEST
    assert answer.coordinators[0].error_message
    answer = kafka.ask("find_coordinator", 2, FindCoordinatorRequest("x", key_type))
    assert answer.error_code == INVALID_REQUEST


def test_before_there_is_a_coordinator() -> None:
    kafka = Kafka()
    assert kafka.join().body.error_code == NOT_COORDINATOR
    assert kafka.ask("list_groups", 5, ListGroupsRequest()).groups == []
    group = OffsetFetchRequestGroup("g", topics=None)
    assert kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=[group])).groups[0].error_code == NOT_COORDINATOR
    response = kafka.ask("offset_fetch", 1, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    assert response.topics[0].partitions[0].error_code == NOT_COORDINATOR


def test_members_wait_for_each_other(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    second = kafka.join(version=3)
    assert second.body is None
    assert heartbeat(kafka, first, 1) == REBALANCE_IN_PROGRESS
    joined = kafka.join(member_id=first).body
    assert len(joined.members) == 2
    assert second.body.leader == first
    follower = sync(kafka, second.body.member_id, 2)
    assert follower.body is None
    assert sync(kafka, first, 2, **{first: b"1", second.body.member_id: b"2"}).body.assignment == b"1"
    assert follower.body.assignment == b"2"


def test_who_is_silent_is_dropped(kafka: Kafka) -> None:
    first, second = stable_pair(kafka)
    kafka.advance(6_000)
    assert heartbeat(kafka, first, 2) == NONE
    kafka.advance(5_000)
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS
    assert heartbeat(kafka, second, 2) == UNKNOWN_MEMBER_ID


def test_a_client_that_goes_while_it_waits_is_dropped_with_time(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    sync(kafka, first, 1, **{first: b"1"})
    connection = kafka.connect()
    request = kafka.join(version=3)
    assert request.body is None
    kafka.broker.disconnected(connection, kafka.now)
    assert kafka.join(member_id=first).body.generation_id == 2


@pytest.mark.parametrize("clean", [True, False])
def test_a_group_survives_the_broker(kafka: Kafka, clean: bool) -> None:
    first, second = stable_pair(kafka)
    assert commit(kafka, 42, generation=2, member_id=first) == NONE
    assert commit(kafka, 7, "simple") == NONE
    kafka.restart(clean=clean)
    group = kafka.ask("describe_groups", 6, DescribeGroupsRequest(["g"])).groups[0]
    assert group.group_state == "Stable"
    assert [member.member_id for member in group.members] == [first, second]
    assert committed(kafka) == 42
    assert committed(kafka, "simple") == 7
    assert heartbeat(kafka, first, 2) == NONE
    assert sync(kafka, second, 2).body.assignment == b"2"


def test_fresh_sessions_after_a_restart(kafka: Kafka) -> None:
    first, _second = stable_pair(kafka)
    kafka.advance(9_000)
    kafka.restart(clean=False)
    kafka.advance(9_000)
    assert heartbeat(kafka, first, 2) == NONE
    kafka.advance(1_000)
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS


def test_offsets_of_a_deleted_topic_go(kafka: Kafka) -> None:
    commit(kafka, 42)
    kafka.ask("delete_topics", 6, DeleteTopicsRequest([DeleteTopicState("t")]))
    assert committed(kafka) == -1
    kafka.restart(clean=False)
    kafka.create_topic("t")
    assert committed(kafka) == -1


def test_groups_are_listed_from_all_partitions(kafka: Kafka) -> None:
    names = [f"g{number}" for number in range(20)]
    for name in names:
        assert commit(kafka, 1, name) == NONE
    listed = kafka.ask("list_groups", 5, ListGroupsRequest()).groups
    assert sorted(group.group_id for group in listed) == sorted(names)
    deleted = kafka.ask("delete_groups", 2, DeleteGroupsRequest([*names, "unknown"])).results
    assert {result.group_id for result in deleted if result.error_code == NONE} == set(names)
    assert [result.error_code for result in deleted if result.group_id == "unknown"] == [GROUP_ID_NOT_FOUND]
    assert kafka.ask("list_groups", 5, ListGroupsRequest()).groups == []


def test_answers_wait_until_they_are_on_disk_where_that_is_asked() -> None:
    kafka = Kafka(log_flush_interval_messages="1")
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    kafka.disk_is_stuck = True
    partition = OffsetCommitRequestPartition(0, 5)
    request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=[partition])])
    commits = [kafka.send("offset_commit", 8, request) for _ in range(2)]
    fetch = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    joined = kafka.join(version=3)
    listed = kafka.send("list_groups", 5, ListGroupsRequest())
    assert [answer.body for answer in (*commits, fetch, joined, listed)] == [None] * 5
    kafka.disk_is_stuck = False
    kafka.flush()
    assert [answer.body.topics[0].partitions[0].error_code for answer in commits] == [NONE, NONE]
    assert fetch.body.topics[0].partitions[0].committed_offset == 5
    assert joined.body.generation_id == 1
    assert [group.group_id for group in listed.body.groups] == ["g"]


def test_what_cannot_be_committed_in_time_is_told() -> None:
    kafka = Kafka(log_flush_interval_messages="1")
    kafka.create_topic("t")
    kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g"))
    kafka.disk_is_stuck = True
    partition = OffsetCommitRequestPartition(0, 5)
    request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t", partitions=[partition])])
    answer = kafka.send("offset_commit", 8, request)
    fetch = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
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


def test_an_assignment_that_does_not_fit_a_batch_is_refused(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    assert sync(kafka, first, 1, **{first: b"x" * 2_000_000}).body.error_code == UNKNOWN_SERVER_ERROR
    assert heartbeat(kafka, first, 1) == UNKNOWN_MEMBER_ID, "the core was made anew from the log"
    assert kafka.join(version=3).body.generation_id == 1


def test_a_disk_that_fails_sends_the_group_away(kafka: Kafka) -> None:
    commit(kafka, 1)
    first = kafka.join(version=3).body.member_id
    second = kafka.join(version=3)
    kafka.join(member_id=first)
    follower = sync(kafka, second.body.member_id, 2)
    index = kafka.broker.groups.partition_for("g")
    kafka.broker.partitions.get("__consumer_offsets", index).log.fail(OSError(5, "Input/output error"))
    assert commit(kafka, 5, "g") != NONE
    assert sync(kafka, first, 2, **{first: b"1"}).body.error_code == NOT_COORDINATOR
    assert follower.body.error_code == NOT_COORDINATOR
    assert heartbeat(kafka, first, 2) == NOT_COORDINATOR
    asked = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])])
    assert kafka.ask("offset_fetch", 5, asked).error_code == NOT_COORDINATOR, "not -1: that would start anew"


def test_the_last_of_several_groups_decides_when_all_are_answered(kafka: Kafka) -> None:
    for group in ("a", "b", "c", "d"):
        commit(kafka, 1, group)
    groups = [OffsetFetchRequestGroup(group, topics=None) for group in ("a", "b", "c", "d", "unknown")]
    answer = kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=groups))
    assert [group.group_id for group in answer.groups] == ["a", "b", "c", "d", "unknown"]
    assert [len(group.topics) for group in answer.groups] == [1, 1, 1, 1, 0]


def test_a_resigned_leader_sends_everyone_to_the_next(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    waiting = kafka.join(version=3)
    assert waiting.body is None
    index = kafka.broker.groups.partition_for("g")
    partition = kafka.broker.partitions.get("__consumer_offsets", index)
    kafka.broker.groups.on_resigned(partition, kafka.now)
    assert waiting.body.error_code == NOT_COORDINATOR
    assert heartbeat(kafka, first, 1) == NOT_COORDINATOR
    kafka.broker.groups.on_elected(partition, kafka.now)
    assert heartbeat(kafka, first, 1) == UNKNOWN_MEMBER_ID, "its generation was never written"
