"""What `/metrics` says of transactions, beside what happened to them."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.metrics.exposition import Exposition
from kafkacompat.control_api.metrics.partition_metrics import LATE_BUFFER_MS, REPLICAS, of_partitions
from kafkacompat.control_api.metrics.transaction_metrics import COORDINATOR, MARKERS, VERIFICATION, of_transactions
from kafkacompat.control_api.views.views import UNITS_PER_TURN
from kafkacompat.protocol import error_codes as errors
from kafkacompat.steps import Stepped, at_once
from kafkacompat.storage.errors import LogError
from tests.broker.handlers.txn_harness import Transactions, pair_of
from tests.broker.test_produce_verification import ADDS, VERIFIES, Producer, batch
from tests.control_api.node import Node


def told(kafka: Any) -> dict[str, float]:
    out = Exposition()
    node: Any = Node(kafka)
    at_once(of_partitions(out, node, is_asked_for=False))
    at_once(of_transactions(out, node))
    return {
        sample.labels.get("state", sample.name): sample.value
        for family in text_string_to_metric_families(out.text().decode())
        for sample in family.samples
    }


def test_ids_are_counted_by_state_and_a_broker_without_any_makes_no_coordinator() -> None:
    node = Node()
    assert told(node.kafka)["Ongoing"] == 0
    assert node.broker.coordinators.transactions_if_made is None
    kafka = Transactions()
    kafka.init("idle")
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    found = told(kafka)
    assert (found["Empty"], found["Ongoing"], found["CompleteCommit"]) == (1, 1, 0)
    kafka.end(pair)
    found = told(kafka)
    assert (found["Empty"], found["Ongoing"], found["CompleteCommit"]) == (1, 0, 1)


def test_markers_that_no_broker_takes_are_counted() -> None:
    kafka = Transactions()
    kafka.receiver.codes["a", 0] = errors.NOT_LEADER_OR_FOLLOWER
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    kafka.end(pair)
    assert told(kafka)[f"{MARKERS}unknowndestinationqueuesize"] == 1
    kafka.receiver.codes.clear()
    kafka.advance(1_000)
    assert told(kafka)[f"{MARKERS}unknowndestinationqueuesize"] == 0


def test_a_completion_that_cannot_be_written_is_counted() -> None:
    kafka = Transactions()
    kafka.receiver.holds = True
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    kafka.end(pair)
    context = next(each for each in kafka.broker.transactions.contexts() if each.shard.rows)
    failed = context.shard.markers_written("t", context.shard.rows["t"].offset, frozenset({("a", 0)}), kafka.now)
    assert failed.otherwise is not None
    failed.otherwise(errors.NOT_ENOUGH_REPLICAS)
    assert told(kafka)[f"{MARKERS}logappendretryqueuesize"] == 1
    context.shard.timer_fired(("completion", "t"), kafka.now)
    assert told(kafka)[f"{MARKERS}logappendretryqueuesize"] == 0


def test_time_outs_are_counted_and_stay_so_when_the_coordinator_moves() -> None:
    kafka = Transactions()
    kafka.add(pair_of(kafka.init(timeout_ms=5_000)), ("a", 0))
    assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 0
    kafka.advance(60_000)
    assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 1
    coordinator = kafka.broker.transactions
    for context in list(coordinator.contexts()):
        context.unload(kafka.now)  # as where its log has failed
        assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 1
        coordinator.on_resigned(context.partition, kafka.now)
    assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 1


def test_a_time_out_that_could_not_be_written_is_counted_when_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions()
    kafka.add(pair_of(kafka.init(timeout_ms=5_000)), ("a", 0))
    append = kafka.broker.partitions.append

    def refuse(*_: object, **__: object) -> None:
        raise LogError(errors.NOT_ENOUGH_REPLICAS, "too few")

    monkeypatch.setattr(kafka.broker.partitions, "append", refuse)
    kafka.advance(60_000)
    assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 0
    monkeypatch.setattr(kafka.broker.partitions, "append", append)
    kafka.advance(60_000)
    assert told(kafka)["kafkacompat_transactions_timed_out_total"] == 1


def test_questions_and_late_transactions_are_counted() -> None:
    producer: Any = Producer()
    kafka = producer.kafka
    assert told(kafka)["kafkacompat_transaction_verifications_total"] == 0
    assert producer.write((0, batch(producer.pair)), version=ADDS) == [errors.NONE]
    assert producer.write((1, batch(producer.pair)), version=VERIFIES) != [errors.NONE]
    found = told(kafka)
    assert found["kafkacompat_transaction_verifications_total"] == 2
    assert found[f"{VERIFICATION}verificationfailurerate_total"] == 1
    assert found[f"{REPLICAS}produceridcount"] == 1
    entry = next(iter(kafka.broker.partitions.get("a", 0).log.producers.entries.values()))
    late_ms = 900_000 + LATE_BUFFER_MS
    for silent_ms, count in ((late_ms, 0), (late_ms + 1, 1)):
        entry.last_timestamp_ms = kafka.now.wall_ms - silent_ms
        assert told(kafka)[f"{REPLICAS}partitionswithlatetransactionscount"] == count


def test_the_time_of_a_load_is_told_for_half_a_minute() -> None:
    kafka = Transactions()
    found = told(kafka)
    assert found[f"{COORDINATOR}partition_load_time_max"] >= found[f"{COORDINATOR}partition_load_time_avg"] >= 0
    kafka.advance(31_000)
    assert f"{COORDINATOR}partition_load_time_max" not in told(kafka)


def test_ten_thousand_ids_are_counted_in_steps() -> None:
    kafka = Transactions()
    kafka.init()
    context = next(each for each in kafka.broker.transactions.contexts() if each.shard.rows)
    row = context.shard.rows["t"]
    context.shard.rows.update((f"id-{number}", row) for number in range(10_000))
    node: Any = Node(kafka)
    out, turns = Exposition(), 0
    steps = Stepped(of_transactions(out, node))
    while not steps.resume(UNITS_PER_TURN):
        turns += 1
    assert turns >= 2
    assert told(kafka)["Empty"] == 10_001
