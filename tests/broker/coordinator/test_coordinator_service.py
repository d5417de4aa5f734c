"""What both coordinators do with the partitions of their topics."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.coordinator.coordinator_service import CoordinatorService, error_itself
from kafkacompat.broker.coordinator.coordinators import GROUP, TRANSACTION, CoordinatorType
from kafkacompat.protocol.error_codes import NONE, NOT_COORDINATOR
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.harness import BrokerHarness

KEY = "k"


@pytest.fixture(params=[GROUP, TRANSACTION], ids=["groups", "transactions"])
def led(request: pytest.FixtureRequest) -> tuple[BrokerHarness, CoordinatorService[Any]]:
    """A broker that leads all partitions of the coordinator's topic."""
    row: CoordinatorType = request.param
    kafka = BrokerHarness(offsets_topic_num_partitions="3", transaction_state_log_num_partitions="3")
    assert kafka.ask(FindCoordinatorRequest(KEY, row.key_type), 2).error_code == NONE
    return kafka, kafka.broker.coordinators.groups if row is GROUP else kafka.broker.coordinators.transactions


def asked(kafka: BrokerHarness, service: CoordinatorService[Any]) -> Any:
    return service.read(KEY, lambda _shard: "answer", error_itself, kafka.now)


def test_the_partition_that_keeps_a_key_answers_until_another_broker_leads_it(
    led: tuple[BrokerHarness, CoordinatorService[Any]],
) -> None:
    kafka, service = led
    assert [context.partition.index for context in service.contexts()] == [0, 1, 2]
    context = service.context_of(KEY)
    assert context is not None
    assert context.partition.index == service.partition_for(KEY)
    assert asked(kafka, service) == "answer"
    assert list(service.read_all(lambda _shard: "answer", error_itself, kafka.now)) == ["answer"] * 3
    service.on_resigned(context.partition, kafka.now)
    assert asked(kafka, service) == NOT_COORDINATOR
    assert not context.is_active
    assert len(list(service.shards())) == 2
    service.on_resigned(context.partition, kafka.now)  # it is none of ours


def test_in_a_new_epoch_the_state_is_loaded_anew(led: tuple[BrokerHarness, CoordinatorService[Any]]) -> None:
    kafka, service = led
    former = service.context_of(KEY)
    assert former is not None
    service.on_elected(former.partition, kafka.now)
    assert not former.is_active
    assert service.context_of(KEY) is not former
    assert asked(kafka, service) == "answer"
    assert not list(service.unsettled())


def test_only_the_partition_that_is_led_tells_of_its_high_watermark(
    led: tuple[BrokerHarness, CoordinatorService[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka, service = led
    context: Any = service.context_of(KEY)
    told = []
    monkeypatch.setattr(type(context), "on_high_watermark", lambda self, _now: told.append(self))
    service.on_high_watermark(context.partition, kafka.now)
    service.on_high_watermark(SimpleNamespace(index=context.partition.index), kafka.now)  # type: ignore[arg-type]
    service.on_high_watermark(SimpleNamespace(index=7), kafka.now)  # type: ignore[arg-type]
    assert told == [context]
