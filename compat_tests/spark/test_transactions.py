"""Transactions in Spark's Kafka source: what read_committed shows of them, in one batch and in micro-batches."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from confluent_kafka import Producer

from compat_tests.spark.workbench import WAIT_S, Workbench, finish, progress, rows_of

pytestmark = pytest.mark.api("InitProducerId", "AddPartitionsToTxn", "EndTxn", "Fetch", "ListOffsets")


class Transactions:
    """One transactional producer, which writes to partition 0 of a topic."""

    def __init__(self, bench: Workbench, topic: str) -> None:
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": bench.bootstrap_servers, "transactional.id": topic})
        self._producer.init_transactions(WAIT_S)

    def begin(self, values: Iterable[object]) -> None:
        """Write values, each as a batch of its own, and leave the transaction open."""
        self._producer.begin_transaction()
        for value in values:
            self._producer.produce(self._topic, str(value), partition=0)
            self._producer.flush(WAIT_S)

    def commit(self, values: Iterable[object]) -> None:
        self.begin(values)
        self._producer.commit_transaction(WAIT_S)

    def abort(self, values: Iterable[object]) -> None:
        self.begin(values)
        self._producer.abort_transaction(WAIT_S)


@pytest.mark.spark_behaviour(18, 19)
def test_committed_records_are_seen_once_their_transaction_has_ended(bench: Workbench, topic: str) -> None:
    """Offsets 5 and 11 are markers; what is open begins at 12."""
    bench.create(topic, 1)
    transactions = Transactions(bench, topic)
    transactions.commit(range(5))
    transactions.abort(range(5, 10))
    transactions.begin(range(10, 15))
    committed = bench.read(subscribe=topic, kafka_isolation_level="read_committed")
    everything = bench.read(subscribe=topic)
    assert bench.rows(committed) == rows_of(0, range(5))
    assert bench.rows(everything) == [
        *rows_of(0, range(5)), *rows_of(0, range(5, 10), first_offset=6), *rows_of(0, range(10, 15), first_offset=12),
    ]  # fmt: skip


@pytest.mark.spark_behaviour(32, 33)
@pytest.mark.parametrize("batch", [3, 7, 1000])
def test_micro_batches_of_which_nothing_some_or_all_is_visible(bench: Workbench, topic: str, batch: int) -> None:
    """Batches of three offsets are invisible as a whole, or at their ends; the consumer has fetched them ahead."""
    bench.create(topic, 1)
    transactions = Transactions(bench, topic)
    transactions.abort(range(100, 108))  # 0-7, marker at 8
    transactions.commit(range(4))  # 9-12, marker at 13
    transactions.abort(range(200, 205))  # 14-18, marker at 19
    transactions.commit(range(4, 6))  # 20-21, marker at 22
    transactions.abort(range(300, 301))  # 23, marker at 24
    stream = bench.stream(
        subscribe=topic, startingOffsets="earliest", kafka_isolation_level="read_committed", maxOffsetsPerTrigger=batch
    )
    query = bench.start(stream, availableNow=True)
    finish(query)
    assert bench.rows(bench.table(query)) == [
        *rows_of(0, range(4), first_offset=9), *rows_of(0, range(4, 6), first_offset=20),
    ]  # fmt: skip
    assert sum(entry["numInputRows"] for entry in progress(query)) == 6
