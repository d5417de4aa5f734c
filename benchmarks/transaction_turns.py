"""`python -m benchmarks.transaction_turns`: what open transactional ids cost a broker: memory, and its longest turns.

Clients open 10,000 ids of 20 characters, one partition each, whose rows are in one partition of __transaction_state.
Then the broker looks for overdue ones, lists and describes them, loads them anew, aborts them all because they time
out, and lets the ids expire. A turn is what the broker does between two looks at its sockets. Times are CPU times of
the thread, which a busy machine leaves alone; memory is what Python has allocated.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

from benchmarks.group_turns import Loop, decoded
from kafkacompat.broker.coordinator.coordinators import TRANSACTION
from kafkacompat.protocol.messages import (
    add_partitions_to_txn,
    describe_transactions,
    end_txn,
    find_coordinator,
    init_producer_id,
    list_transactions,
)

IDS = 10_000
PARTITIONS = 10_000
SETTINGS = {
    "transaction.state.log.num.partitions": "1", "log.retention.ms": "-1", "log.cleaner.enable": "false",
    "log.flush.offset.checkpoint.interval.ms": str(2**31 - 1),
}  # fmt: skip
"""What a broker does beside its transactions is measured elsewhere (`benchmarks.turns`)."""
TOPIC = "orders"
OPEN_MS = 60_000
SCAN_MS = 10_000
EIGHT_DAYS_MS = 8 * 24 * 3_600_000
PATTERN = "transaction.*9"


class Transactions(Loop):
    """A broker with open transactions."""

    def __init__(self, data_dir: str) -> None:
        super().__init__(data_dir, SETTINGS)
        self.create(TOPIC, 1)
        self.ask(find_coordinator, 2, find_coordinator.FindCoordinatorRequest("any", TRANSACTION.key_type))
        self.settle()
        found = self.broker.partitions.get(TRANSACTION.topic, 0)
        assert found is not None
        self.log = found

    def answer(self, api: Any, version: int, request: Any) -> Any:
        """Ask, and wait for the answer."""
        answers = self.ask(api, version, request)
        while not answers:
            self.settle()
        return decoded(api, version, answers[0])

    def open(self, first: int, count: int) -> None:
        """Each of so many clients begins a transaction with one partition."""
        for name in names(first, count):
            it = self.answer(init_producer_id, 4, init_producer_id.InitProducerIdRequest(name, OPEN_MS))
            topics = [add_partitions_to_txn.AddPartitionsToTxnTopic(TOPIC, [0])]
            request = add_partitions_to_txn.AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=name, v3_and_below_producer_id=it.producer_id,
                v3_and_below_producer_epoch=it.producer_epoch, v3_and_below_topics=topics,
            )  # fmt: skip
            answer = self.answer(add_partitions_to_txn, 3, request)
            assert answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code == 0, answer

    def listed(self, **filters: Any) -> int:
        """How many ids are listed."""
        answer = self.answer(list_transactions, 2, list_transactions.ListTransactionsRequest(**filters))
        assert answer.error_code == 0
        return len(answer.transaction_states)


def names(first: int, count: int) -> list[str]:
    """Of 20 characters."""
    return [f"transactional-{number:06}" for number in range(first, first + count)]


def bytes_of_each(it: Transactions, count: int) -> float:
    """Open so many ids; what Python has allocated more, by id. The first id has made the caches of its requests."""
    it.open(0, 1)
    gc.collect()
    tracemalloc.start()
    it.open(1, count - 1)
    it.settle()
    gc.collect()
    size_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size_bytes / (count - 1)


def measure(it: Transactions, count: int) -> None:
    """Print a line for each case."""
    print(f"{count} open ids take {bytes_of_each(it, count):,.0f} bytes each", flush=True)
    it.begin()
    it.ahead_ms += SCAN_MS
    it.settle()
    it.report(f"none of {count} transactions is overdue")
    for case, filters in (
        ("listed", {}),
        ("listed by state", {"state_filters": ["Ongoing"]}),
        ("searched for a pattern", {"transactional_id_pattern": PATTERN}),
    ):
        it.listed(**filters)  # the first one also imports what it needs
        it.begin()
        found = it.listed(**filters)
        it.report(f"{count} ids are {case}, {found} found")
    it.begin()
    answer = it.answer(describe_transactions, 0, describe_transactions.DescribeTransactionsRequest(names(0, count)))
    assert {row.transaction_state for row in answer.transaction_states} == {"Ongoing"}
    it.report(f"{count} ids are described")
    it.begin()
    coordinator = it.broker.coordinators.transactions
    it.turn(lambda now: coordinator.on_resigned(it.log, now))
    it.settle()
    it.report(f"a partition with {count} open ids is let go")
    it.begin()
    it.turn(lambda now: coordinator.on_elected(it.log, now))
    it.settle()
    assert it.listed(state_filters=["Ongoing"]) == count
    it.report(f"{count} open ids are loaded")
    it.begin()
    it.ahead_ms += OPEN_MS + SCAN_MS
    while it.listed(state_filters=["CompleteAbort"]) < count:
        it.settle()
    it.report(f"{count} transactions time out at once")
    it.begin()
    it.ahead_ms += EIGHT_DAYS_MS
    while any(shard.rows for shard in coordinator.shards()):
        it.settle()
    it.report(f"{count} ids expire at once")


def measure_wide(it: Transactions, partitions: int) -> None:
    """One transaction of many partitions, in two topics, begins and ends."""
    names = ("wide-1", "wide-2")
    for name in names:
        it.create(name, partitions // len(names))
    for commits in (True, False):
        begun = it.answer(init_producer_id, 4, init_producer_id.InitProducerIdRequest("wide", OPEN_MS))
        pair = begun.producer_id, begun.producer_epoch
        indexes = list(range(partitions // len(names)))
        topics = [add_partitions_to_txn.AddPartitionsToTxnTopic(name, indexes) for name in names]
        it.begin()
        it.answer(add_partitions_to_txn, 3, add_partitions_to_txn.AddPartitionsToTxnRequest((), "wide", *pair, topics))
        if not commits:
            it.report(f"{partitions} partitions are added to a transaction")
        it.begin()
        it.answer(end_txn, 4, end_txn.EndTxnRequest("wide", *pair, commits))
        while not it.listed(state_filters=["CompleteCommit" if commits else "CompleteAbort"]):
            it.settle()
    it.report(f"a transaction of {partitions} partitions is aborted")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transaction_turns", description=__doc__.splitlines()[0])
    parser.add_argument("--ids", type=int, default=IDS)
    parser.add_argument("--partitions", type=int, default=PARTITIONS, help="of one transaction")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kafkacompat-") as folder:
        measure(Transactions(str(Path(folder) / "data")), options.ids)
    with tempfile.TemporaryDirectory(prefix="kafkacompat-") as folder:
        measure_wide(Transactions(str(Path(folder) / "data")), options.partitions)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
