"""OffsetFetch; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.broker.handlers import offset_fetch
from kafkacompat.protocol.error_codes import INVALID_REQUEST, NONE, NOT_COORDINATOR
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
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


def test_many_groups_are_fetched_in_many_turns(kafka: Kafka, steps: list[int]) -> None:
    commit(kafka, 1, "a")
    groups = [OffsetFetchRequestGroup(group, topics=None) for group in ("unknown", "a") * (2 * UNITS_PER_ITERATION)]
    answer = kafka.send("offset_fetch", 8, OffsetFetchRequest(groups=groups))
    assert answer.body is None
    assert commit(kafka, 1, "another") == NONE, "others are served in between"
    kafka.advance(0)
    assert len(steps) >= 3
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    assert [len(group.topics) for group in answer.body.groups] == [0, 1] * (2 * UNITS_PER_ITERATION)


def test_a_response_that_grows_too_large_ends_with_refusals(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offset_fetch, "RESPONSE_BYTES_MAX", 200)
    commit(kafka, 1, "a")
    groups = [OffsetFetchRequestGroup("a", topics=None)] * 50
    found = kafka.ask("offset_fetch", 8, OffsetFetchRequest(groups=groups)).groups
    assert [group.group_id for group in found] == ["a"] * 50
    whole = [len(group.topics) for group in found].count(1)
    assert 1 < whole < 20
    assert [group.error_code for group in found] == [NONE] * whole + [INVALID_REQUEST] * (50 - whole)
    assert not any(group.topics for group in found[whole:])
