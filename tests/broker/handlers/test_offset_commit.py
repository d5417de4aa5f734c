"""OffsetCommit; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import (
    COORDINATOR_NOT_AVAILABLE,
    NONE,
    NOT_COORDINATOR,
    OFFSET_METADATA_TOO_LARGE,
    UNKNOWN_SERVER_ERROR,
)
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
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
