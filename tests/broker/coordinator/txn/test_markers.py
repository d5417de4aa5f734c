"""Markers go to the leaders of their partitions, one request at a time to each, until all are written."""

import pytest

from kafkacompat.broker.coordinator.txn import state as states
from kafkacompat.broker.coordinator.txn.markers import (
    MAX_PARTITIONS,
    MarkerQueues,
    TransactionEnd,
    outcomes,
    request_of,
)
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)

A0, A1, B0 = ("a", 0), ("a", 1), ("b", 0)
LEADERS = {A0: 1, A1: 2, B0: 1}


def end_of(name: str = "t", producer_id: int = 5, *, commits: bool = True) -> TransactionEnd:
    row = Transaction(name, producer_id, 60_000, 0).initialized(60_000, None, 0)
    row = row.with_partitions(frozenset(LEADERS), 2, 0)
    row = row.prepared(states.PREPARE_COMMIT if commits else states.PREPARE_ABORT, 2, -1, 0)
    row.offset = 9
    return TransactionEnd(row, "the shard", 7)


def answer(producer_id: int, codes: dict[tuple[str, int], int]) -> WriteTxnMarkersResponse:
    topics = [
        WritableTxnMarkerTopicResult(topic, [WritableTxnMarkerPartitionResult(index, code)])
        for (topic, index), code in codes.items()
    ]
    return WriteTxnMarkersResponse(markers=[WritableTxnMarkerResult(producer_id, topics)])


def test_each_leader_gets_its_partitions() -> None:
    queues = MarkerQueues(LEADERS.get)
    end = end_of()
    assert queues.add(end, LEADERS) == frozenset()
    assert sorted(queues.sendable()) == [1, 2]
    assert queues.take(1) == {end: frozenset({A0, B0})}
    assert queues.take(2) == {end: frozenset({A1})}


def test_the_request_says_what_the_decision_was() -> None:
    request = request_of({end_of(commits=False): frozenset({A1, B0, A0})})
    (marker,) = request.markers
    assert (marker.producer_id, marker.producer_epoch, marker.transaction_result) == (5, 1, False)
    assert (marker.coordinator_epoch, marker.transaction_version) == (7, 2)
    assert [(topic.name, list(topic.partition_indexes)) for topic in marker.topics] == [("a", [0, 1]), ("b", [0])]


def test_one_request_at_a_time_to_a_broker() -> None:
    queues = MarkerQueues(LEADERS.get)
    first, second = end_of("one", 5), end_of("two", 6)
    queues.add(first, [A0])
    batch = queues.take(1)
    queues.add(second, [A0])
    assert queues.sendable() == []
    assert queues.answered(1, batch)
    assert not queues.answered(1, batch)
    assert queues.sendable() == [1]
    assert queues.take(1) == {second: frozenset({A0})}


def test_a_request_has_no_two_transactions_of_one_producer() -> None:
    queues = MarkerQueues(LEADERS.get)
    first, second = end_of("one", 5), end_of("two", 5)
    queues.add(first, [A0])
    queues.add(second, [B0])
    assert list(queues.take(1)) == [first]


def test_a_large_transaction_needs_several_requests() -> None:
    many = [("many", index) for index in range(2 * MAX_PARTITIONS + 1)]
    queues = MarkerQueues(lambda _partition: 1)
    end = end_of()
    queues.add(end, many)
    seen: set[tuple[str, int]] = set()
    sizes = []
    while queues.sendable():
        batch = queues.take(1)
        sizes.append(len(batch[end]))
        seen |= batch[end]
        queues.answered(1, batch)
    assert sizes == [MAX_PARTITIONS, MAX_PARTITIONS, 1]
    assert seen == set(many)
    assert queues.is_empty


def test_a_partition_that_does_not_exist_is_done_and_one_without_leader_is_not() -> None:
    queues = MarkerQueues({A0: -1, A1: 2}.get)
    end = end_of()
    assert queues.add(end, [A0, A1, B0]) == frozenset({B0})
    assert queues.sendable() == [2]
    assert queues.has_delayed
    assert list(queues.take_delayed()[end]) == [A0]
    assert not queues.has_delayed


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        (errors.NONE, "done"),
        (errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, "done"),
        (errors.UNSUPPORTED_VERSION, "done"),
        (errors.INVALID_PRODUCER_EPOCH, "fenced"),
        (errors.TRANSACTION_COORDINATOR_FENCED, "fenced"),
        (errors.UNKNOWN_TOPIC_OR_PARTITION, "again"),
        (errors.NOT_LEADER_OR_FOLLOWER, "again"),
        (errors.NOT_ENOUGH_REPLICAS, "again"),
        (errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, "again"),
        (errors.REQUEST_TIMED_OUT, "again"),
        (errors.KAFKA_STORAGE_ERROR, "again"),
        (errors.UNKNOWN_SERVER_ERROR, "again"),
    ],
)
def test_what_an_answer_means(code: int, verdict: str) -> None:
    (outcome,) = outcomes({end_of(): frozenset({A0, B0})}, answer(5, {A0: errors.NONE, B0: code}))
    assert A0 in outcome.done
    assert (B0 in outcome.done) == (verdict == "done")
    assert (B0 in outcome.again) == (verdict == "again")
    assert outcome.is_fenced == (verdict == "fenced")


@pytest.mark.parametrize("response", [None, answer(5, {A0: errors.NONE}), answer(6, {A0: errors.NONE, B0: 0})])
def test_what_was_not_answered_is_sent_again(response: object) -> None:
    (outcome,) = outcomes({end_of(): frozenset({A0, B0})}, response)
    assert B0 in outcome.again


def test_markers_of_a_shard_that_moved_are_forgotten() -> None:
    queues = MarkerQueues(LEADERS.get)
    stays, goes = end_of("one", 5), end_of("two", 6)
    queues.add(stays, [A0])
    queues.add(goes, [A0, A1])
    queues.delay(goes, [B0])
    queues.drop(lambda end: end is goes)
    assert not queues.has_delayed
    assert queues.sendable() == [1]
    assert queues.take(1) == {stays: frozenset({A0})}
