"""ListGroups; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
from kafkacompat.broker.handlers.list_groups import GROUPS_PER_UNIT
from kafkacompat.protocol.error_codes import GROUP_ID_NOT_FOUND, NONE
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
from tests.broker.handlers.group_harness import Kafka, commit, with_coordinator

MANY = 3 * UNITS_PER_ITERATION * GROUPS_PER_UNIT


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


@pytest.fixture
def crowded(kafka: Kafka) -> Kafka:
    """A coordinator of many groups."""
    for number in range(MANY):
        name = f"g{number}"
        kafka.shard(name).groups[name] = ClassicGroup(name, kafka.now.wall_ms)
    return kafka


def test_many_groups_are_listed_in_many_turns(crowded: Kafka, steps: list[int]) -> None:
    answer = crowded.send("list_groups", 5, ListGroupsRequest())
    assert commit(crowded, 1, "another") == NONE, "others are served in between"
    crowded.advance(0)
    assert len(steps) >= 3
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    assert {group.group_id for group in answer.body.groups} - {"another"} == {f"g{number}" for number in range(MANY)}


def test_groups_that_go_meanwhile_are_told_or_not(crowded: Kafka) -> None:
    answer = crowded.send("list_groups", 5, ListGroupsRequest())
    crowded.ask("delete_groups", 2, DeleteGroupsRequest([f"g{number}" for number in range(0, MANY, MANY // 50)]))
    crowded.advance(0)
    told = {group.group_id for group in answer.body.groups}
    assert MANY - 51 < len(told) < MANY
    assert told >= {f"g{number}" for number in range(1, MANY, MANY // 50)}


def test_a_shard_that_goes_meanwhile_has_no_groups(crowded: Kafka) -> None:
    answer = crowded.send("list_groups", 5, ListGroupsRequest())
    crowded.broker.partitions.resign(crowded.now)
    crowded.advance(0)
    assert answer.body.error_code == NONE
