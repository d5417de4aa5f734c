"""ListGroups; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import GROUP_ID_NOT_FOUND, NONE
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from tests.broker.handlers.group_harness import Kafka, commit, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


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
