"""SyncGroup; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NONE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS, UNKNOWN_SERVER_ERROR
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from tests.broker.handlers.group_harness import Kafka, commit, heartbeat, sync, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_an_assignment_that_does_not_fit_a_batch_is_refused(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    assert sync(kafka, first, 1, **{first: b"x" * 2_000_000}).body.error_code == UNKNOWN_SERVER_ERROR
    assert heartbeat(kafka, first, 1) == REBALANCE_IN_PROGRESS, "as in Kafka: somebody may assign less"
    assert kafka.join(version=3, member_id=first).body.generation_id == 2
    assert sync(kafka, first, 2, **{first: b"mine"}).body.assignment == b"mine"


def test_those_who_wait_for_an_assignment_that_cannot_be_written_hear_so(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    joined = kafka.join(version=3)
    kafka.join(member_id=first)
    second = joined.body.member_id
    follower = sync(kafka, second, 2)
    assert sync(kafka, first, 2, **{first: b"x" * 2_000_000}).body.error_code == UNKNOWN_SERVER_ERROR
    assert follower.body.error_code == UNKNOWN_SERVER_ERROR
    again = [kafka.join(version=3, member_id=member_id) for member_id in (first, second)]
    assert [answer.body.generation_id for answer in again] == [3, 3]


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
