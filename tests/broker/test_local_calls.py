"""Requests of a node to itself: the same handlers, no wire."""

import pytest

from kafkacompat.broker.handlers.create_topics import TOPICS_AT_ONCE
from kafkacompat.broker.local_calls import LocalCalls
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import BROKER_HEARTBEAT, CREATE_TOPICS
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.broker.harness import BrokerHarness


@pytest.fixture
def harness():
    return BrokerHarness()


def call(harness, key, version, request):
    answers = []
    LocalCalls(harness.broker).call(key, version, request, harness.now, lambda *answer: answers.append(answer))
    return answers


def test_an_answer_that_is_there_comes_at_once(harness):
    ((response, now),) = call(harness, BROKER_HEARTBEAT, 2, BrokerHeartbeatRequest(1, 12345, 0))
    assert (response.error_code, now) == (errors.STALE_BROKER_EPOCH, harness.now)


def test_what_has_to_be_committed_is_answered_then(harness):
    answers = call(harness, CREATE_TOPICS, 7, CreateTopicsRequest(topics=[CreatableTopic("t", 1, 1)]))
    assert not answers
    harness.settle()
    ((response, now),) = answers
    assert [(topic.name, topic.error_code) for topic in response.topics] == [("t", errors.NONE)]
    assert now == harness.now


def test_what_was_encoded_in_steps_is_decoded(harness):
    names = [f"t{n}" for n in range(TOPICS_AT_ONCE + 1)]
    answers = call(harness, 19, 7, CreateTopicsRequest(topics=[CreatableTopic(name, 1, 1) for name in names]))
    for _ in range(5):
        harness.advance(1)
    ((response, _),) = answers
    assert [(topic.name, topic.error_code) for topic in response.topics] == [(name, errors.NONE) for name in names]


def test_a_bug_is_answered_and_logged(harness, monkeypatch, caplog):
    monkeypatch.setattr(APIS[BROKER_HEARTBEAT].handler, "handle", lambda _request, _context: 1 // 0)
    ((response, _),) = call(harness, BROKER_HEARTBEAT, 2, BrokerHeartbeatRequest(1, 0, 0))
    assert response.error_code == errors.UNKNOWN_SERVER_ERROR
    assert "a bug: broker_heartbeat" in caplog.text


def test_a_late_answer_may_come_in_a_turn_of_its_own(harness):
    answers = []
    request = CreateTopicsRequest(topics=[CreatableTopic("t", 1, 1)])
    apart = LocalCalls(harness.broker).call_apart
    apart(CREATE_TOPICS, 7, request, harness.now, lambda response, _now: answers.append(response))
    harness.settle()
    assert "t" in harness.broker.image.topics
    assert not answers
    harness.advance(0)
    assert [topic.error_code for topic in answers[0].topics] == [errors.NONE]
    apart(BROKER_HEARTBEAT, 2, BrokerHeartbeatRequest(1, 12345, 0), harness.now, lambda *now: answers.append(now))
    assert len(answers) == 2  # this one is there at once
