"""FindCoordinator; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import INVALID_REQUEST, NONE
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.handlers.group_harness import PORT, Kafka, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_the_first_question_for_a_coordinator_is_answered_at_once() -> None:
    kafka = Kafka()
    answer = kafka.ask("find_coordinator", 6, FindCoordinatorRequest(coordinator_keys=["g"])).coordinators[0]
    assert (answer.error_code, answer.node_id, answer.host, answer.port) == (NONE, 1, "broker.test", PORT)
    assert len(kafka.broker.image.topics["__consumer_offsets"].partitions) == 3


@pytest.mark.parametrize("key_type", [2, 9])
def test_there_are_coordinators_of_groups_and_transactions_alone(kafka: Kafka, key_type: int) -> None:
    answer = kafka.ask("find_coordinator", 6, FindCoordinatorRequest(key_type=key_type, coordinator_keys=["x"]))
    assert answer.coordinators[0].error_code == INVALID_REQUEST
    assert answer.coordinators[0].error_message
    answer = kafka.ask("find_coordinator", 2, FindCoordinatorRequest("x", key_type))
    assert answer.error_code == INVALID_REQUEST
