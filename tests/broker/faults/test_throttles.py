"""A throttled client is told so, and its connection is muted meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.faults.throttles import Throttle
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.broker.faults.rules import Faulty, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t")
    return harness


def asked(kafka: Faulty, request: Any, version: int) -> tuple[int | None, list[int]]:
    """The throttle time in the answer, and for how long the connection was muted."""
    connection, muted = kafka.connect(), []
    connection.mute = muted.append
    message = kafka.ask(request, version, connection)
    return getattr(message, "throttle_time_ms", None), muted


@pytest.mark.parametrize(
    ("request_", "version"), [(production(0), 9), (MetadataRequest(None), 9), (ListGroupsRequest(), 4)], ids=str
)
def test_the_answer_has_the_time_and_the_connection_is_muted(kafka: Faulty, request_: Any, version: int) -> None:
    kafka.rule({}, {Throttle.kind: 250}, times=1)
    assert asked(kafka, request_, version) == (250, [250])
    assert asked(kafka, request_, version) == (0, [])


def test_it_can_be_muted_without_a_word(kafka: Faulty) -> None:
    kafka.rule({"api": "metadata"}, {"throttle": {"ms": 250, "tell": False}})
    assert asked(kafka, MetadataRequest(None), 9) == (0, [250])


def test_versions_without_the_field_are_muted_only(kafka: Faulty) -> None:
    kafka.rule({"api": "metadata"}, {"throttle": 250})
    assert asked(kafka, MetadataRequest(None), 2) == (0, [250])
