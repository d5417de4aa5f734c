"""DescribeGroups; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from tests.broker.handlers.group_harness import Kafka, commit, committed, heartbeat, stable_pair, sync, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


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
