"""What the tables of compaction say, row by row."""

from kafkacompat.protocol.records.batch import BatchHeader
from kafkacompat.protocol.records.control import ABORT, COMMIT, LEADER_CHANGE
from kafkacompat.storage.compaction import clean_rules as rules
from kafkacompat.storage.txn_index import AbortedTransaction

HORIZON, TRANSACTIONAL, CONTROL = 0x40, 0x10, 0x20


def header(
    offset: int = 10, *, attributes: int = 0, producer: int = -1, epoch: int = 0, base_ms: int = 5
) -> BatchHeader:
    return BatchHeader(offset, 100, 0, 2, 0, attributes, 1, base_ms, 9, producer, epoch, 0, 2)


def test_data_that_was_aborted_is_dropped_and_its_marker_stays_while_it_was_met() -> None:
    round_ = rules.RoundTransactions([AbortedTransaction(7, 10, 20, 20)])
    assert not round_.is_aborted(header(5, attributes=TRANSACTIONAL, producer=7))
    assert round_.is_aborted(header(10, attributes=TRANSACTIONAL, producer=7))
    assert not round_.is_aborted(header(12, producer=7))
    assert not round_.is_aborted(header(14, attributes=TRANSACTIONAL, producer=8))
    assert round_.end(header(20, attributes=CONTROL, producer=7), ABORT) == (False, AbortedTransaction(7, 10, 20, 20))
    assert not round_.is_aborted(header(22, attributes=TRANSACTIONAL, producer=7))


def test_a_marker_without_data_is_not_needed() -> None:
    round_ = rules.RoundTransactions([AbortedTransaction(7, 10, 20, 20)])
    assert round_.end(header(20, attributes=CONTROL, producer=7), ABORT) == (True, None)
    assert round_.end(header(22, attributes=CONTROL, producer=8), COMMIT) == (True, None)
    round_.is_aborted(header(24, attributes=TRANSACTIONAL, producer=8))
    assert round_.end(header(26, attributes=CONTROL, producer=8), COMMIT) == (False, None)
    assert round_.end(header(28, attributes=CONTROL, producer=8), COMMIT) == (True, None)
    assert round_.end(header(30, attributes=CONTROL, producer=8), None) == (True, None)
    assert round_.end(header(32, attributes=CONTROL), LEADER_CHANGE) == (False, None)


def test_records_of_a_batch_are_dropped_at_once_or_after_the_horizon_of_a_marker() -> None:
    assert rules.drops_records(header(), 4, is_discardable=True)
    assert not rules.drops_records(header(), 4, is_discardable=False)
    marker = header(attributes=CONTROL | HORIZON, base_ms=5)
    assert [rules.drops_records(marker, now, is_discardable=True) for now in (4, 5, 6)] == [False, True, True]
    assert not rules.drops_records(marker, 9, is_discardable=False)
    assert not rules.drops_records(header(attributes=CONTROL, base_ms=5), 9, is_discardable=True)


def test_the_last_batch_of_a_producer_and_of_the_round_stays_empty() -> None:
    last = {7: (11, 0), 8: (-1, 3)}
    assert rules.retention(header(producer=7), last, 99, drops=True) == rules.RETAIN_EMPTY
    assert rules.retention(header(8, producer=7), last, 99, drops=True) == rules.DELETE
    marker = header(producer=8, attributes=CONTROL, epoch=3)
    assert rules.retention(marker, last, 99, drops=True) == rules.RETAIN_EMPTY
    assert rules.retention(header(producer=8, epoch=3), last, 99, drops=False) == rules.DELETE_EMPTY
    old = header(producer=8, attributes=CONTROL, epoch=2)
    assert rules.retention(old, last, 99, drops=False) == rules.DELETE_EMPTY
    assert rules.retention(header(producer=9), last, 99, drops=True) == rules.DELETE
    assert rules.retention(header(), {-1: (11, 0)}, 99, drops=True) == rules.DELETE
    assert rules.retention(header(10), {}, 12, drops=True) == rules.RETAIN_EMPTY


def test_a_horizon_is_set_once_and_tombstones_stay_until_it_passes() -> None:
    for has_tombstone, ends_nothing, expected in ((False, False, None), (True, False, 150), (False, True, 150)):
        found = rules.new_horizon(header(), 50, 100, has_tombstone=has_tombstone, ends_nothing=ends_nothing)
        assert found == expected
    dated = header(attributes=HORIZON, base_ms=5)
    assert rules.new_horizon(dated, 50, 100, has_tombstone=True, ends_nothing=True) is None
    assert rules.keeps_tombstones(header(), 10**15)
    assert [rules.keeps_tombstones(dated, now) for now in (4, 5)] == [True, False]
