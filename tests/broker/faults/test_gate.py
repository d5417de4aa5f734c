"""Requests that no rule can match pass before anything is made for them; the fast path of Produce stays on for them."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.faults.gate import LOOKED_AT
from kafkacompat.broker.faults.session_entities import topics_of_session
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.api_keys import PRODUCE
from kafkacompat.protocol.messages.fetch import FetchTopic, ForgottenTopic
from tests.broker.faults.rules import NOT_LEADER, Faulty, fetched, poll, produced, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    harness.create_topic("u", 1)
    return harness


def handled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The produce requests that reach the handler from now on."""
    found: list[Any] = []
    handle = APIS[PRODUCE].handler.handle

    def noted(request: Any, context: Any) -> Any:
        found.append(request)
        return handle(request, context)

    monkeypatch.setattr(APIS[PRODUCE].handler, "handle", noted)
    return found


@pytest.mark.parametrize("version", [9, 13])
def test_other_topics_keep_their_fast_path(kafka: Faulty, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    rule = kafka.rule({"api": "produce", "topic": "u"}, NOT_LEADER)
    request, other = production(0), production(0, topic="u")
    for each, name in ((request, "t"), (other, "u")):
        each.topic_data[0].topic_id = kafka.broker.image.topics[name].topic_id if version >= 13 else bytes(16)
        each.topic_data[0].name = name if version < 13 else ""
    for _ in range(LOOKED_AT + 2):
        assert produced(kafka.ask(request, version)) == {0: 0}
    found = handled(monkeypatch)
    assert produced(kafka.ask(request, version)) == {0: 0}
    assert found == []
    assert produced(kafka.ask(other, version)) == {0: 6}
    assert rule.hits == 1
    assert [miss.count for miss in rule.near_misses.best()] == [LOOKED_AT]


def test_a_new_rule_ends_the_fast_path_of_its_topic(kafka: Faulty) -> None:
    kafka.rule({"api": "produce", "topic": "u"}, NOT_LEADER)
    for _ in range(LOOKED_AT + 3):
        kafka.ask(production(0), 9)
    kafka.rule({"api": "produce", "topic": "t"}, NOT_LEADER)
    assert produced(kafka.ask(production(0), 9)) == {0: 6}


def test_a_shape_from_before_a_rule_obeys_it(kafka: Faulty) -> None:
    kafka.ask(production(0), 9)
    kafka.ask(production(0), 9)
    for client in ("tests", "t*"):
        rule = kafka.rule({"api": "produce", "client_id": client}, NOT_LEADER)
        assert produced(kafka.ask(production(0), 9)) == {0: 6}
        kafka.rules.remove(rule.id)
    assert produced(kafka.ask(production(0), 9)) == {0: 0}


def test_a_session_is_looked_into(kafka: Faulty) -> None:
    kafka.ask(production(0, 1), 9)
    first = kafka.ask(poll(session=(0, 0)), 11)
    kafka.rule({"api": "fetch", "topic": "u"}, NOT_LEADER)
    for epoch in range(1, LOOKED_AT + 3):
        kafka.ask(poll(session=(first.session_id, epoch), partitions=()), 11)
    kafka.rule({"api": "fetch", "topic": "t"}, NOT_LEADER)
    answer = kafka.ask(poll(session=(first.session_id, LOOKED_AT + 3), partitions=()), 11)
    assert {code for code, _ in fetched(answer).values()} == {6}


def test_a_shape_of_the_rules_topic_does_not_pass(kafka: Faulty) -> None:
    for topic in ("t", "u", "t", "u"):
        kafka.ask(production(0, topic=topic), 9)
    kafka.rule({"api": "produce", "topic": "u"}, NOT_LEADER)
    for _ in range(LOOKED_AT + 1):
        assert produced(kafka.ask(production(0), 9)) == {0: 0}
    assert produced(kafka.ask(production(0, topic="u"), 9)) == {0: 6}


@pytest.mark.parametrize("version", [11, 15])
def test_a_session_is_looked_into_once_until_it_may_have_changed(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    looked: list[int] = []

    def noted(request: Any, services: Any) -> set[str]:
        looked.append(request.session_epoch)
        return topics_of_session(request, services)

    def fetch(epoch: int, *topics: str, forgets: tuple[str, ...] = ()) -> Any:
        ids = {name: kafka.broker.image.topics[name].topic_id if version > 12 else bytes(16) for name in "tu"}
        names = {name: "" if version > 12 else name for name in "tu"}
        request = poll(session=(session, epoch), partitions=())
        part = poll(partitions=(0,)).topics[0].partitions
        request.topics = [FetchTopic(names[each], ids[each], part) for each in topics]
        request.forgotten_topics_data = [ForgottenTopic(names[each], ids[each], [0]) for each in forgets]
        return kafka.ask(request, version)

    session = 0
    session = fetch(0, "t").session_id
    kafka.rule({"api": "fetch", "topic": "u"}, NOT_LEADER)
    monkeypatch.setattr("kafkacompat.broker.faults.gate.topics_of_session", noted)
    for epoch in range(1, LOOKED_AT + 5):
        fetch(epoch)
    assert looked == [1]
    epoch = LOOKED_AT + 5
    assert {code for code, _ in fetched(fetch(epoch, "u")).values()} == {6}, "the request names it"
    assert {code for code, _ in fetched(fetch(epoch + 1)).values()} == {6}, "the session has it now"
    fetch(epoch + 2, forgets=("u",))
    fetch(epoch + 3)
    kafka.create_topic("v", 1)
    for later in range(4, 9):
        fetch(epoch + later)
    assert looked == [1, epoch + 1, epoch + 2, epoch + 4]


def test_it_remembers_so_many_clients_and_no_more(kafka: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkacompat.broker.faults.gate.CLIENTS_MAX", 3)
    kafka.rule({"api": "produce", "topic": "u"}, NOT_LEADER)
    gate = kafka.broker.pipeline.gates[PRODUCE]
    for _ in range(10):
        kafka.ask(production(0), 9, kafka.connect())
        assert len(gate._clients) <= 3
