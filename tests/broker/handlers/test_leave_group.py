"""LeaveGroup; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NONE, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.broker.handlers.group_harness import Kafka, heartbeat, stable_pair, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_before_version_3_the_error_is_that_of_the_one_member(kafka: Kafka) -> None:
    first, second = stable_pair(kafka)
    assert kafka.ask("leave_group", 2, LeaveGroupRequest("g", "stranger")).error_code == UNKNOWN_MEMBER_ID
    assert kafka.ask("leave_group", 2, LeaveGroupRequest("g", second)).error_code == NONE
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS


def test_several_leave_and_the_last_one_empties_the_group(kafka: Kafka) -> None:
    first, second = stable_pair(kafka)
    members = [MemberIdentity(first), MemberIdentity("stranger"), MemberIdentity(second)]
    answer = kafka.ask("leave_group", 5, LeaveGroupRequest("g", members=members))
    assert answer.error_code == NONE
    assert [member.error_code for member in answer.members] == [NONE, UNKNOWN_MEMBER_ID, NONE]
    kafka.restart(clean=False)
    assert kafka.ask("describe_groups", 5, DescribeGroupsRequest(["g"])).groups[0].group_state == "Empty"
