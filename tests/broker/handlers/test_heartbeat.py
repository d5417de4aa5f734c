"""Heartbeat; every version is in test_group_conversation.py."""

import pytest

from kafkacompat.protocol.error_codes import NONE, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.broker.handlers.group_harness import Kafka, heartbeat, stable_pair, with_coordinator


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator()


def test_who_is_silent_is_dropped(kafka: Kafka) -> None:
    first, second = stable_pair(kafka)
    kafka.advance(6_000)
    assert heartbeat(kafka, first, 2) == NONE
    kafka.advance(5_000)
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS
    assert heartbeat(kafka, second, 2) == UNKNOWN_MEMBER_ID


def test_fresh_sessions_after_a_restart(kafka: Kafka) -> None:
    first, _second = stable_pair(kafka)
    kafka.advance(9_000)
    kafka.restart(clean=False)
    kafka.advance(9_000)
    assert heartbeat(kafka, first, 2) == NONE
    kafka.advance(1_000)
    assert heartbeat(kafka, first, 2) == REBALANCE_IN_PROGRESS
