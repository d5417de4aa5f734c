"""DeleteGroups; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, NONE
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from tests.broker.handlers.group_harness import Kafka, commit, committed, stable_pair, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_only_empty_groups_go_and_stay_away(kafka: Kafka) -> None:
    stable_pair(kafka)
    commit(kafka, 1, "idle")
    results = kafka.ask("delete_groups", 2, DeleteGroupsRequest(["g", "idle", "idle", "unknown"])).results
    errors = {result.group_id: result.error_code for result in results}
    assert errors == {"g": NON_EMPTY_GROUP, "idle": NONE, "unknown": GROUP_ID_NOT_FOUND}
    assert len(results) == 3
    kafka.restart(clean=False)
    assert committed(kafka, "idle") == -1
    assert [group.group_id for group in kafka.ask("list_groups", 0, ListGroupsRequest()).groups] == ["g"]
