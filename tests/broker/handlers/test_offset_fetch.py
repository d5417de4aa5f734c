"""OffsetFetch; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NOT_COORDINATOR
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
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
