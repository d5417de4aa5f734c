"""DescribeGroups; every version is in test_group_conversation.py."""

from typing import Any

import pytest

from kafkacompat.broker.authorized_operations import GROUP_OPERATIONS
from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.handlers import describe_groups
from kafkacompat.protocol.error_codes import INVALID_REQUEST, NONE
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
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


def test_many_groups_are_described_in_many_turns(kafka: Kafka, steps: list[int]) -> None:
    stable_pair(kafka)
    names = [f"unknown-{number}" for number in range(2 * UNITS_PER_ITERATION)]
    answer = kafka.send("describe_groups", 5, DescribeGroupsRequest([*names, "g"], include_authorized_operations=True))
    assert answer.body is None
    assert commit(kafka, 1, "another") == NONE, "others are served in between"
    kafka.advance(0)
    assert len(steps) >= 3
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    assert [group.group_id for group in answer.body.groups] == [*names, "g"]
    assert [group.group_state for group in answer.body.groups[-2:]] == ["Dead", "Stable"]
    assert answer.body.groups[-1].authorized_operations == GROUP_OPERATIONS


def test_a_leader_that_is_elected_meanwhile_answers_when_it_knows_what_is_committed(kafka: Kafka) -> None:
    stable_pair(kafka)
    names = [f"unknown-{number}" for number in range(2 * UNITS_PER_ITERATION)]
    answer = kafka.send("describe_groups", 5, DescribeGroupsRequest([*names, "g"]))
    kafka.disk_is_stuck = True
    partition = kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g"))
    for change in (kafka.broker.groups.on_resigned, kafka.broker.groups.on_elected):
        change(partition, kafka.now)
    high_watermark, partition.high_watermark = partition.high_watermark, partition.high_watermark - 1
    kafka.advance(0)
    assert answer.body is None
    partition.high_watermark = high_watermark
    kafka.broker.groups.on_high_watermark(partition, kafka.now)
    assert answer.body.groups[-1].group_state == "Stable"


def test_a_response_that_grows_too_large_ends_with_refusals(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe_groups, "RESPONSE_BYTES_MAX", 1_000)
    stable_pair(kafka)
    groups = kafka.ask("describe_groups", 5, DescribeGroupsRequest(["g"] * 50)).groups
    assert [group.group_id for group in groups] == ["g"] * 50
    whole = [group.group_state for group in groups].count("Stable")
    assert 1 < whole < 20
    assert [group.error_code for group in groups] == [NONE] * whole + [INVALID_REQUEST] * (50 - whole)
    assert not any(group.members for group in groups[whole:])


def test_a_new_leader_describes_no_group_beyond_the_limit(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe_groups, "RESPONSE_BYTES_MAX", 1_000)
    stable_pair(kafka)
    kafka.disk_is_stuck = True
    partition = kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g"))
    for change in (kafka.broker.groups.on_resigned, kafka.broker.groups.on_elected):
        change(partition, kafka.now)
    high_watermark, partition.high_watermark = partition.high_watermark, partition.high_watermark - 1
    kafka.advance(0)
    described, describe_group = [], GroupCoordinatorShard.describe_group

    def counted(*given: Any) -> Any:
        described.append(describe_group(*given))
        return described[-1]

    monkeypatch.setattr(GroupCoordinatorShard, "describe_group", counted)
    answer = kafka.send("describe_groups", 5, DescribeGroupsRequest(["g"] * 50))
    assert (answer.body, described) == (None, [])
    partition.high_watermark = high_watermark
    kafka.broker.groups.on_high_watermark(partition, kafka.now)
    whole = len(described)
    assert 1 < whole < 20
    assert [group.error_code for group in answer.body.groups] == [NONE] * whole + [INVALID_REQUEST] * (50 - whole)
