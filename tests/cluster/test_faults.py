"""Fault rules through `Cluster.faults`, over sockets: one rule for all nodes, waits, near misses."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from kafkacompat.broker.faults.rule_errors import FaultRuleError
from kafkacompat.broker.faults.rules import FaultRules
from kafkacompat.cluster.cluster import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, decode_response
from tests.broker.test_pipeline import frame
from tests.cli.processes import receive
from tests.control_api.harness import Api
from tests.metadata_client import ask, ask_on, connect
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.now import Now

UNAVAILABLE = {"error": "LEADER_NOT_AVAILABLE"}


@pytest.fixture(scope="module")
def shared() -> Iterator[Cluster]:
    with Cluster(topics={"t": 1}) as cluster:
        yield cluster


@pytest.fixture
def kafka(shared: Cluster) -> Iterator[Cluster]:
    yield shared
    shared.faults.clear()


def code(kafka: Cluster, broker: int = 0) -> int:
    (topic,) = ask(kafka.brokers[broker].address, ["t"]).topics
    return topic.error_code


def test_a_rule_lives_in_its_block(kafka: Cluster) -> None:
    with kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE, label="no leader") as fault:
        assert code(kafka) == errors.LEADER_NOT_AVAILABLE
        assert list(kafka.faults) == [fault]
        assert (fault.hits, fault.label, fault.near_misses) == (1, "no leader", [])
    assert code(kafka) == errors.NONE
    assert len(kafka.faults) == 0


def test_rules_over_http_are_listed_and_removed(kafka: Cluster) -> None:
    api = Api(kafka.control_url)
    mine = kafka.faults.add(when={"api": "list_groups"}, then=UNAVAILABLE)
    added = api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "then": UNAVAILABLE, "label": "theirs"})
    assert added.status == 201, added
    assert [fault.label for fault in kafka.faults] == ["", "theirs"]
    first, theirs = kafka.faults
    assert (first, list(kafka.faults)[1]) == (mine, theirs)
    assert code(kafka) == errors.LEADER_NOT_AVAILABLE
    assert theirs.wait_for_hits(1) == theirs.hits == 1
    theirs.remove()
    assert code(kafka) == errors.NONE
    assert list(kafka.faults) == [mine]
    assert [each["id"] for each in api.get("/v1/faults")["faults"]] == [mine.id]
    api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "then": UNAVAILABLE})
    assert len(kafka.faults) == 2
    api.send("DELETE", "/v1/faults")
    assert list(kafka.faults) == [mine]
    api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "then": UNAVAILABLE})
    kafka.faults.clear()
    assert code(kafka) == errors.NONE
    assert api.get("/v1/faults")["faults"] == []
    api.close()


def test_a_wait_for_hits_is_woken(kafka: Cluster) -> None:
    fault = kafka.faults.add(when={"api": "metadata"}, observe=True)
    thread = threading.Thread(target=lambda: [code(kafka) for _ in range(3)])
    thread.start()
    assert fault.wait_for_hits(3, timeout_s=30) >= 3
    thread.join()
    fault.remove()
    fault.remove()


def test_a_wait_that_runs_out_shows_near_misses(kafka: Cluster) -> None:
    fault = kafka.faults.add(when={"api": "metadata", "topic": "u"}, then=UNAVAILABLE)
    code(kafka)
    with pytest.raises(AssertionError, match=r"(?s)after 0 s .* had 0 of 1 hits.*nearly: metadata v8 .*topic is 't'"):
        fault.wait_for_hits(timeout_s=0)


def test_a_rule_that_must_hit_fails_its_block_without_one(kafka: Cluster) -> None:
    with (
        pytest.raises(AssertionError, match="no request of its APIs came"),
        kafka.faults.add(when={"api": "list_groups"}, then=UNAVAILABLE, must_hit=True) as fault,
    ):
        assert kafka.faults.unmet() == [fault]
    assert kafka.faults.unmet() == []
    with kafka.faults.add(when={"api": "metadata"}, then=UNAVAILABLE, must_hit=True):
        code(kafka)


def test_another_error_in_the_block_is_not_hidden(kafka: Cluster) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        kafka.faults.add(when={"api": "list_groups"}, then=UNAVAILABLE, must_hit=True),
    ):
        _ = 1 // 0


def test_a_mistake_adds_nothing(kafka: Cluster) -> None:
    with pytest.raises(FaultRuleError, match="did you mean 'topic'"):
        kafka.faults.add(when={"topik": "t"}, then=UNAVAILABLE)
    assert len(kafka.faults) == 0


def test_a_cluster_that_does_not_run_takes_no_rule() -> None:
    with pytest.raises(KafkaCompatError, match="this cluster is not running"):
        Cluster().faults.add(when={"topic": "t"}, then=UNAVAILABLE)


def test_the_brokers_of_a_cluster_count_together() -> None:
    with Cluster(brokers=2, topics={"t": (1, 1)}) as kafka:
        leader_of_t = ask(kafka.brokers[0].address, ["t"]).topics[0].partitions[0].leader_id
        everywhere = kafka.faults.add(when={"api": "metadata"}, then=UNAVAILABLE, times=3)
        assert [code(kafka, number % 2) for number in range(5)] == [errors.LEADER_NOT_AVAILABLE] * 3 + [0, 0]
        assert everywhere.hits == 3
        on_one = kafka.faults.add(when={"api": "metadata", "broker": 2}, then=UNAVAILABLE)
        assert [code(kafka, number) for number in (0, 1)] == [0, errors.LEADER_NOT_AVAILABLE]
        assert [miss.failed for miss in on_one.near_misses] == ["broker"]
        assert leader_of_t in (1, 2)


def test_brokers_in_processes_count_together_also_when_one_is_killed() -> None:
    with Cluster(brokers=2, processes=True, topics={"t": (1, 1)}) as kafka:
        when = {"api": "metadata", "topic": "t"}
        fault = kafka.faults.add(when=when, then=UNAVAILABLE, skip=2, times=3)
        busy = errors.LEADER_NOT_AVAILABLE
        assert [code(kafka, number % 2) for number in range(4)] == [0, 0, busy, busy]
        pid = kafka.brokers[1].pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not kafka.brokers[1].is_running)
        kafka.restart(2)
        assert (fault.hits, fault.as_dict()["left"], fault.as_dict()["has_ended"]) == (3 - 1, 1, False)
        assert [code(kafka, number) for number in (1, 0, 1)] == [busy, 0, 0]
        assert fault.wait_for_hits(3) == 3
        assert (fault.as_dict()["left"], fault.as_dict()["has_ended"]) == (0, True)
        once = kafka.faults.add(when=when, then=UNAVAILABLE, times=1, probability=1.0)
        assert [code(kafka, number) for number in (1, 0, 1)] == [busy, 0, 0]
        assert once.hits == 1
        kafka.faults.clear()
        later = kafka.faults.add(when=when, then=UNAVAILABLE, times=1)
        assert [code(kafka, number) for number in (0, 1)] == [busy, 0]
        later.remove()
        assert later.hits == 1


def test_a_rule_that_a_node_refuses_is_on_none(kafka: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("kafkacompat.broker.faults.rules.RULES_MAX", 0)
        with pytest.raises(KafkaCompatError, match="remove some first"):
            kafka.faults.add(when={"api": "metadata"}, then=UNAVAILABLE)
    assert len(kafka.faults) == 0
    with Cluster(brokers=2) as two:
        full = patch_second(two, monkeypatch)
        with pytest.raises(KafkaCompatError, match="full"):
            two.faults.add(when={"api": "metadata"}, then=UNAVAILABLE)
        assert len(full) == 1
        assert len(two.faults) == 0
        assert [two._call(node, lambda server: len(server.broker.fault_rules or ())) for node in (1, 2)] == [0, 0]


def patch_second(kafka: Cluster, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the second node refuse rules."""
    asked: list[int] = []
    add = FaultRules.add

    def refuse(rules: FaultRules, rule: Rule, now: Now) -> None:
        if rules._node.node_id == 2:
            asked.append(rule.id)
            raise KafkaCompatError("full")
        add(rules, rule, now)

    monkeypatch.setattr(FaultRules, "add", refuse)
    return asked


def test_restarts_leave_no_former_broker_behind() -> None:
    with Cluster(topics={"t": 1}) as kafka:
        fault = kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE)
        for _ in range(3):
            kafka.restart(1, clean=False)
        assert len(fault._rule.on_end) == 1


def test_a_rule_outlives_a_restart_of_its_broker() -> None:
    with Cluster(topics={"t": 1}) as kafka:
        fault = kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE, times=2)
        used = kafka.faults.add(when={"api": "list_groups"}, then=UNAVAILABLE)
        used.remove()
        assert code(kafka) == errors.LEADER_NOT_AVAILABLE
        kafka.restart(1, clean=False)
        assert code(kafka) == errors.LEADER_NOT_AVAILABLE
        assert fault.hits == 2
        kafka.restart()
        assert code(kafka) == errors.NONE


def test_a_reset_and_a_new_start_end_all_rules() -> None:
    kafka = Cluster(topics={"t": 1})
    with kafka:
        kafka.faults.add(when={"api": "metadata"}, then=UNAVAILABLE)
        kafka.reset()
        assert len(kafka.faults) == 0
        assert code(kafka) == errors.NONE
        fault = kafka.faults.add(when={"api": "metadata"}, then=UNAVAILABLE, must_hit=True)
    assert kafka.faults.unmet() == [fault]
    with kafka:
        assert len(kafka.faults) == 0
        assert code(kafka) == errors.NONE


def test_a_throttled_connection_is_muted_for_that_time(kafka: Cluster) -> None:
    fault = kafka.faults.add(when={"api": "metadata"}, then={"throttle": 150}, times=1)
    with connect(kafka.brokers[0].address) as sock:
        began = time.monotonic()
        first = ask_on(sock, ["t"])
        told = time.monotonic()
        second = ask_on(sock, ["t"])
        assert (first.throttle_time_ms, second.throttle_time_ms, fault.hits) == (150, 0, 1)
        assert time.monotonic() - began >= 0.149, "brokers count whole milliseconds"
        assert time.monotonic() - told > told - began  # the first answer came at once
        ask_on(sock, ["t"])


def test_the_rest_of_a_forwarded_request_reaches_the_controller() -> None:
    request = CreateTopicsRequest([CreatableTopic("refused", 1, 1), CreatableTopic("made", 1, 1)], timeout_ms=30_000)
    sent = frame(request, 7)
    with Cluster(brokers=2) as kafka:
        fault = kafka.faults.add(when={"api": "create_topics", "topic": "refused"}, then={"error": "POLICY_VIOLATION"})
        for broker in kafka.brokers:  # one of them is not the active controller
            with connect(broker.address) as sock:
                sock.sendall(len(sent).to_bytes(4, "big") + sent)
                topics = decode_response(receive(sock), 5, 7).topics
            found = {topic.name: topic.error_code for topic in topics}
            assert found["refused"] == errors.POLICY_VIOLATION
            assert found["made"] in (errors.NONE, errors.TOPIC_ALREADY_EXISTS)
        assert fault.hits == 2
        assert [code for code in (_code_of(kafka, "refused"), _code_of(kafka, "made")) if not code] == [0]


def _code_of(kafka: Cluster, name: str) -> int:
    (topic,) = ask(kafka.brokers[0].address, [name]).topics
    return topic.error_code
