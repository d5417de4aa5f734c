"""Operations on leaders, replicas and sessions answer plain values, or an error that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.faults import healing, leaders, replicas
from kafkacompat.control_api.faults.session_expiry import expire_session
from kafkacompat.replication.metadata.image import PartitionImage


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    with Cluster(topics=["orders"]) as cluster:
        yield cluster


def test_a_lone_node_tells_its_leaders(kafka: Cluster) -> None:
    assert kafka._call(1, lambda server: leaders.leader(server, "orders", 0))[0] == 1
    assert kafka._call(1, lambda server: replicas.isr(server, "orders", 0)) == (1,)
    assert kafka._call(1, replicas.lagging) == []
    assert kafka._call(1, leaders.is_applied)
    assert kafka._call(1, healing.heal) is None


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        (lambda server: leaders.move_leader(server, "nothing", 0), "there is no partition nothing-0"),
        (lambda server: leaders.move_leader(server, "orders", 0, 5), "broker 5 has no replica of orders-0"),
        (lambda server: leaders.move_controller(server, 5), "node 5 is no controller: use one of 1"),
        (lambda server: replicas.propose_shrink(server, "orders", 4, 1), "broker 1 does not lead orders-4"),
        (lambda server: expire_session(server, "g", "m"), "broker 1 does not coordinate group 'g'"),
    ],
)
def test_an_operation_that_cannot_be_says_why(kafka: Cluster, operation, says: str) -> None:
    with pytest.raises(KafkaCompatError, match=says):
        kafka._call(1, operation)


@pytest.mark.parametrize(
    ("isr", "leader", "expected"), [((1, 2, 3), 1, 2), ((1, 3), 1, 3), ((3, 1), 3, 1), ((2,), 2, 2), ((1, 2), -1, 1)]
)
def test_the_next_leader_is_the_next_in_sync_replica(isr: tuple[int, ...], leader: int, expected: int) -> None:
    assert leaders.successor(PartitionImage((1, 2, 3), isr, leader)) == expected


def test_a_leader_is_checked_before_it_is_chosen_and_when_that_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions: list[Any] = []
    monkeypatch.setattr(leaders, "_submit", lambda _server, decide: decisions.append(decide))
    topic = SimpleNamespace(topic_id=b"t" * 16)

    def image(*isr: int) -> Any:
        present = PartitionImage((1, 2), isr, 1)
        active = SimpleNamespace(is_active=True)
        return SimpleNamespace(
            partition=lambda _topic, _partition: present, topics={"orders": topic}, brokers={1: active, 2: active}
        )

    server: Any = SimpleNamespace(broker=SimpleNamespace(image=image(1)))
    with pytest.raises(KafkaCompatError, match="broker 2 is not in the ISR of orders-0"):
        leaders.move_leader(server, "orders", 0, 2)
    assert decisions == []
    server.broker.image = image(1, 2)
    assert leaders.move_leader(server, "orders", 0, 2) == 2
    (decide,) = decisions
    assert decide(image(1, 2), None).records[0].leader == 2
    with pytest.raises(KafkaCompatError, match="broker 2 is not in the ISR of orders-0"):
        decide(image(1), None)
