"""What a broker does with requests that match rules: delays, closed connections, silence, counts."""

from __future__ import annotations

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.faults.delays import DELAY_MAX_MS, Delay
from kafkacompat.broker.faults.drops import Drop, Silence
from kafkacompat.broker.faults.turn import NO_SOCKET
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.storage.slices import Slice
from tests.broker.faults.rules import NOT_LEADER, Faulty, ends, poll, produced, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def test_a_delayed_request_is_carried_out_later(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"delay": 50})
    connection = kafka.connect()
    answer = kafka.begin(production(0), 9, connection)
    assert connection.held_count == 1  # nothing overtakes it
    kafka.advance(49)
    assert ends(kafka) == [0, 0]
    kafka.advance(1)
    assert produced(answer.message) == {0: 0}
    assert connection.held_count == 0


def test_a_delayed_answer_comes_after_the_work(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"delay": {"ms": 50, "at": "after"}})
    answer = kafka.begin(production(0), 9)
    assert ends(kafka) == [1, 0]
    kafka.advance(49)
    assert not answer.is_there
    kafka.advance(1)
    assert produced(answer.message) == {0: 0}


@pytest.mark.parametrize("at", ["before", "after"])
def test_a_delay_ends_with_its_connection(kafka: Faulty, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[Slice] = []
    release = Slice.release
    monkeypatch.setattr(Slice, "release", lambda part: (released.append(part), release(part)))
    kafka.ask(production(0), 9)
    kafka.rule({"api": ["produce", "fetch"]}, {"delay": {"ms": DELAY_MAX_MS, "at": at}})
    producer, consumer = kafka.connect(), kafka.connect()
    before = len(kafka.broker.timers)
    answers = [kafka.begin(production(0), 9, producer), kafka.begin(poll(), 12, consumer)]
    assert len(kafka.broker.timers) == before + 2
    for connection in (producer, consumer):
        kafka.broker.disconnected(connection, kafka.now)
    assert len(kafka.broker.timers) == before
    kafka.advance(DELAY_MAX_MS)
    assert not any(answer.is_there for answer in answers)
    assert ends(kafka) == [2 if at == "after" else 1, 0]
    assert any(len(part) for part in released) == (at == "after")


def test_a_delayed_request_that_was_answered_leaves_nothing_at_its_connection(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"delay": 50})
    connection = kafka.connect()
    kafka.begin(production(0), 9, connection)
    assert len(connection.on_close) == 1
    kafka.advance(50)
    assert connection.on_close == {}


def test_delays_of_a_seed_are_the_same_each_time() -> None:
    from random import Random

    for members in ({"uniform": [10, 20]}, {"lognormal": {"median_ms": 10, "sigma": 1}}):
        one, other = ([Delay(members, "before").draw(rng) for _ in range(200)] for rng in (Random(7), Random(7)))
        assert one == other
        assert len(set(one)) > 100
        assert all(0 < each <= DELAY_MAX_MS for each in one)
    uniform = [Delay({"uniform": [10, 20]}, "before").draw(Random(number)) for number in range(200)]
    assert 10 <= min(uniform) < 11
    assert 19 < max(uniform) <= 20


def test_a_dropped_request_is_not_carried_out(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {Drop.kind: {}}, label="cable")
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    assert not kafka.begin(production(0), 9, connection).is_there
    assert ends(kafka) == [0, 0]
    assert len(dropped) == 1
    assert "(cable) drops the connection" in dropped[0]


def test_a_dropped_answer_leaves_the_work_done(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"drop": "after"})
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    assert not kafka.begin(production(0), 9, connection).is_there
    assert ends(kafka) == [1, 0]
    assert len(dropped) == 1


@pytest.mark.parametrize(("at", "expected"), [("before", [0, 0]), ("after", [1, 0])])
def test_silence_answers_nothing_and_keeps_the_connection(kafka: Faulty, at: str, expected: list[int]) -> None:
    kafka.rule({"api": "produce"}, {Silence.kind: at})
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    answer = kafka.begin(production(0), 9, connection)
    kafka.advance(3_600_000)
    assert ends(kafka) == expected
    assert not answer.is_there
    assert not dropped


def test_a_rule_skips_and_stops_by_its_numbers(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce"}, NOT_LEADER, skip=1, times=2)
    found = [produced(kafka.ask(production(0), 9))[0] for _ in range(5)]
    assert found == [0, 6, 6, 0, 0]
    assert (rule.hits, rule.left, rule.has_ended) == (2, 0, True)


def test_a_request_with_several_entities_counts_once(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce"}, NOT_LEADER, times=1)
    assert produced(kafka.ask(production(0, 1), 9)) == {0: 6, 1: 6}
    assert rule.hits == 1


def test_a_rule_ends_with_its_duration(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce"}, NOT_LEADER, duration_ms=100)
    kafka.advance(99)
    assert produced(kafka.ask(production(0), 9)) == {0: 6}
    kafka.advance(1)
    assert rule.has_ended
    assert kafka.broker.pipeline.steps_of == {}
    assert produced(kafka.ask(production(0), 9)) == {0: 0}


def test_a_rule_that_two_nodes_share_ends_at_one_time(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce"}, NOT_LEADER, duration_ms=100)
    kafka.advance(60)
    later = Faulty()
    later.now = kafka.now
    later.rules.add(rule, later.now)
    later.advance(39)
    assert not rule.has_ended
    later.advance(1)
    assert rule.has_ended


def test_the_journal_knows_which_rule_a_request_met(kafka: Faulty) -> None:
    from kafkacompat.broker.journal import Journal

    broker = kafka.broker
    broker.journal = Journal(broker.dispatch, lambda: 0)
    broker.dispatch = broker.journal.dispatch
    kafka.rule({"api": "produce"}, NOT_LEADER, label="moved", times=1)
    unnamed = kafka.rule({"api": "produce"}, {"delay": 0})
    kafka.ask(production(0), 9)
    kafka.begin(production(0), 9)
    assert [entry.fault for entry in broker.journal] == ["moved", f"fault rule {unnamed.id}"]


def test_chance_with_a_seed_is_the_same_each_time(kafka: Faulty) -> None:
    runs = []
    for _ in range(2):
        rule = kafka.rule({"api": "produce"}, NOT_LEADER, probability=0.5, seed=7)
        runs.append([produced(kafka.ask(production(0), 9))[0] for _ in range(40)])
        assert rule.hits == runs[-1].count(6)
        kafka.rules.remove(rule.id)
    assert runs[0] == runs[1]
    assert 10 < runs[0].count(6) < 30


def test_observing_rules_leave_the_request_to_later_ones(kafka: Faulty) -> None:
    seen = kafka.rule({"api": "produce"}, observe=True)
    rule = kafka.rule({"api": "produce"}, NOT_LEADER)
    assert produced(kafka.ask(production(0), 9)) == {0: 6}
    assert (seen.hits, rule.hits) == (1, 1)


def test_the_step_comes_with_the_first_rule_and_goes_with_the_last(kafka: Faulty) -> None:
    pipeline = kafka.broker.pipeline
    assert pipeline.steps_of == {}
    first = kafka.rule({"api": "produce"}, NOT_LEADER)
    second = kafka.rule({"api": "metadata"}, {"delay": 5}, times=1)
    assert sorted(pipeline.steps_of) == [0, 3]
    kafka.rules.remove(first.id)
    assert sorted(pipeline.steps_of) == [3]
    kafka.begin(MetadataRequest(None), 9)
    assert second.has_ended
    assert pipeline.steps_of == {}
    assert [rule.id for rule in kafka.rules] == [second.id]


def test_a_nodes_request_to_itself_is_failed_where_others_lose_their_connection() -> None:
    kafka = Faulty()
    kafka.rule({"api": "metadata"}, "drop")
    itself = Connection(NO_SOCKET, "", "PLAINTEXT")
    answer = kafka.ask(MetadataRequest([MetadataRequestTopic(name="t")]), 9, itself)
    assert [topic.error_code for topic in answer.topics] == [errors.NETWORK_EXCEPTION]
