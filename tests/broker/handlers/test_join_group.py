"""JoinGroup; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NONE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.broker.handlers.group_harness import Kafka, heartbeat, sync, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


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


def test_a_client_that_goes_while_it_waits_is_dropped_with_time(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    connection = kafka.connect()
    gone = kafka.join(version=3, connection=connection)
    kafka.broker.disconnected(connection, kafka.now)
    assert kafka.join(member_id=first).body.generation_id == 2, "it is a member still"
    sync(kafka, first, 2, **{first: b"1"})
    kafka.advance(9_000)
    assert heartbeat(kafka, first, 2) == NONE
    kafka.advance(1_000)
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS
    assert gone.count == 0


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
