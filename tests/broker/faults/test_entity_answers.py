"""Answers with all entities, and requests without an answer."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.broker.handlers import produce
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import decode_request_header
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.protocol.messages.produce import decode_request
from tests.broker.faults.rules import NOT_LEADER, Faulty, ends, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def test_a_topic_is_left_out_of_an_answer_with_all_topics(kafka: Faulty) -> None:
    kafka.create_topic("u")
    rule = kafka.rule({"api": "metadata", "topic": "t"}, {"error": "LEADER_NOT_AVAILABLE"})
    other = kafka.rule({"api": "metadata", "topic": "nobody's"}, {"error": "LEADER_NOT_AVAILABLE"})
    assert [topic.name for topic in kafka.ask(MetadataRequest(None), 9).topics] == ["u"]
    assert (rule.hits, other.hits) == (1, 0)
    named = kafka.ask(MetadataRequest([MetadataRequestTopic(name="t"), MetadataRequestTopic(name="u")]), 9)
    assert [(topic.name, topic.error_code) for topic in named.topics] == [("t", errors.LEADER_NOT_AVAILABLE), ("u", 0)]


def test_a_partition_that_only_the_answer_names_gets_its_error(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "metadata", "topic": "t", "partition": 1}, {"error": "LEADER_NOT_AVAILABLE"})
    for request in (MetadataRequest(None), MetadataRequest([MetadataRequestTopic(name="t")])):
        (topic,) = kafka.ask(request, 9).topics
        found = {each.partition_index: each.error_code for each in topic.partitions}
        assert (topic.error_code, found) == (0, {0: 0, 1: errors.LEADER_NOT_AVAILABLE})
    assert rule.hits == 2


def test_without_answers_an_error_closes_the_connection(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, NOT_LEADER)
    with pytest.raises(CloseConnection, match="NOT_LEADER_OR_FOLLOWER, by a fault rule"):
        kafka.begin(production(0, acks=0), 9)
    assert ends(kafka) == [0, 0]
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    kafka.rules.clear()
    kafka.rule({"api": "produce", "partition": 1}, NOT_LEADER)
    kafka.begin(production(0, 1, acks=0), 9, connection)
    assert ends(kafka) == [1, 0]
    assert len(dropped) == 1


@pytest.mark.parametrize("hides", [0, 1])
def test_without_answers_nothing_is_hidden_and_an_error_beside_it_counts(kafka: Faulty, hides: int) -> None:
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    rules = [
        ({"api": "produce", "topic": "t", "partition": 0}, "hide"),
        ({"api": "produce", "partition": 1}, NOT_LEADER),
    ]
    for rule in rules if hides == 0 else rules[::-1]:
        kafka.rule(*rule)
    kafka.begin(production(0, 1, acks=0), 9, connection)
    assert (ends(kafka), len(dropped)) == ([1, 0], 1)


def test_without_answers_hiding_alone_changes_nothing(kafka: Faulty) -> None:
    kafka.rule({"api": "produce", "topic": "t"}, "hide")
    kafka.begin(production(0, 1, acks=0), 9)
    assert ends(kafka) == [1, 1]


@pytest.mark.parametrize(("work", "end"), [("before", 0), ("after", 1)])
def test_without_answers_an_error_for_the_whole_request_closes_the_connection(
    kafka: Faulty, work: str, end: int
) -> None:
    kafka.rule({"api": "produce"}, {"error": {"level": "top", "work": work}})
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    if work == "before":
        with pytest.raises(CloseConnection):
            kafka.begin(production(0, acks=0), 9, connection)
    else:
        kafka.begin(production(0, acks=0), 9, connection)
        assert len(dropped) == 1
    assert ends(kafka) == [end, 0]


def test_what_is_left_of_a_request_is_in_its_frame(kafka: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what the controller gets of a request that is forwarded."""
    kafka.rule({"api": "produce", "partition": 0}, NOT_LEADER)
    frames: list[bytes] = []
    handle = produce.handle

    def noted(request: Any, context: Any) -> Any:
        frames.append(context.frame)
        return handle(request, context)

    monkeypatch.setattr(produce, "handle", noted)
    kafka.ask(production(0, 1), 9)
    (frame,) = frames
    header, position = decode_request_header(frame)
    left = decode_request(frame, position, header.api_version)
    assert [data.index for topic in left.topic_data for data in topic.partition_data] == [1]
