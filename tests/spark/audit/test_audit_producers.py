"""Sequences and transactions of producers, in a segment and from one to the next."""

from __future__ import annotations

import pytest

from kafkacompat.protocol.records.batch import MAX_SEQUENCE
from kafkacompat.spark.audit.audit_producers import Ended, Ends, LogProducers, ProducedBatch, State, judged
from kafkacompat.spark.audit.audit_scan import ABORT_MARKER, NO_MARKER


def data(offset: int, sequence: int, epoch: int = 0, *, is_transactional: bool = False) -> ProducedBatch:
    return ProducedBatch(7, epoch, sequence, sequence + 9, offset, offset + 9, is_transactional, NO_MARKER)


def after(batch: ProducedBatch) -> State:
    return State(batch, batch)


@pytest.mark.parametrize(
    ("batch", "is_right"),
    [
        (data(10, 10), True), (data(50, 10), True), (data(10, 0, 1), True), (data(10, 20), False), (data(10, 0), False),
        (data(10, 5, 1), False),
    ],
)  # fmt: skip
def test_a_sequence_follows_the_one_before(batch: ProducedBatch, is_right: bool) -> None:
    found = judged(after(data(0, 0)), batch, (), 0)
    assert [each.kind for each in found] == ([] if is_right else ["producer-sequence"])


def test_sequences_begin_again_behind_the_largest() -> None:
    last = ProducedBatch(7, 0, MAX_SEQUENCE - 9, MAX_SEQUENCE, 0, 9, False, NO_MARKER)
    assert judged(after(last), data(10, 0), (), 0) == []


def test_an_older_epoch_is_wrong() -> None:
    (found,) = judged(after(data(0, 0, 2)), data(10, 10, 1), (), 0)
    assert "epoch 2 was there before" in found.detail


def test_what_is_not_known_explains_a_jump_and_no_way_back() -> None:
    assert judged(after(data(0, 0)), data(100, 50), [(10, 20)], 0) == []
    assert judged(after(data(0, 0)), data(100, 50), (), 100) == []
    assert judged(after(data(0, 20)), data(100, 0), [(10, 20)], 100) != []


def test_a_transaction_goes_on_in_the_next_segment() -> None:
    log = LogProducers(0)
    first, second = data(0, 0, is_transactional=True), data(10, 10, is_transactional=True)
    marker = ProducedBatch(7, 0, 0, 0, 20, 20, True, ABORT_MARKER)
    assert log.then(Ends({7: [first]}, {7: State(first, first, 0)}, []), ()) == []
    assert log.open() == {7: 0}
    ends = Ends({7: [second]}, {7: State(second, marker)}, [Ended(7, 10, 20)])
    assert log.then(ends, ()) == []
    assert (log.open(), log.aborted) == ({}, [Ended(7, 0, 20)])
