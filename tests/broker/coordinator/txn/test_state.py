"""The rows of transactional ids: which state follows which, and what a row costs."""

import itertools
import tracemalloc

import pytest

from kafkacompat.broker.coordinator.txn import state as states
from kafkacompat.broker.coordinator.txn.end import end_v1, end_v2, fence
from kafkacompat.broker.coordinator.txn.state import FROM, STATE_NAMES, Transaction
from kafkacompat.protocol import error_codes as errors

TV1, TV2 = 0, 2


def row_in(state: int, *, producer_id: int = 5, epoch: int = 3) -> Transaction:
    row = Transaction("t", producer_id, 60_000, 1_000)
    row.state, row.epoch, row.start_ms = state, epoch, 900
    row.previous_producer_id = producer_id
    if state != states.EMPTY:
        row.partitions = frozenset({("a", 0)})
    return row


CHANGES = {
    states.EMPTY: lambda row: row.initialized(1_000, None, 2_000),
    states.ONGOING: lambda row: row.with_partitions(frozenset({("b", 0)}), TV2, 2_000),
    states.PREPARE_COMMIT: lambda row: row.prepared(states.PREPARE_COMMIT, TV2, -1, 2_000),
    states.PREPARE_ABORT: lambda row: row.prepared(states.PREPARE_ABORT, TV2, -1, 2_000),
    states.COMPLETE_COMMIT: lambda row: row.completed(2_000),
    states.COMPLETE_ABORT: lambda row: row.completed(2_000),
}


@pytest.mark.parametrize(("before", "after"), list(itertools.product(range(6), CHANGES)))
def test_a_state_follows_only_those_of_the_table(before: int, after: int) -> None:
    if before in FROM[after]:
        changed = CHANGES[after](row_in(before))
        assert changed.state == after
        assert changed.previous_producer_id == 5
        assert changed.last_update_ms == 2_000
    elif after < states.COMPLETE_COMMIT:
        with pytest.raises(AssertionError, match=f"cannot become {STATE_NAMES[after]}"):
            CHANGES[after](row_in(before))


def test_the_start_stays_until_the_next_transaction() -> None:
    row = row_in(states.ONGOING)
    done = row.prepared(states.PREPARE_COMMIT, TV1, -1, 2_000).completed(3_000)
    assert done.start_ms == 900
    assert not done.partitions
    assert done.with_partitions(frozenset({("a", 0)}), TV1, 4_000).start_ms == 4_000
    assert done.initialized(1_000, None, 5_000).start_ms == -1


def test_an_abort_of_nothing_starts_when_it_comes() -> None:
    assert row_in(states.EMPTY).prepared(states.PREPARE_ABORT, TV2, -1, 2_000).start_ms == 2_000


def test_tv1_ends_keep_the_epoch_and_fences_raise_it() -> None:
    assert row_in(states.ONGOING).prepared(states.PREPARE_COMMIT, TV1, -1, 2_000).epoch == 3
    fenced = fence(row_in(states.ONGOING), 1, lambda: None, 2_000)
    assert isinstance(fenced, Transaction)
    assert (fenced.state, fenced.epoch, fenced.last_epoch) == (states.PREPARE_ABORT, 4, -1)


@pytest.mark.parametrize("version", [1, 2])
def test_no_epoch_goes_beyond_the_last(version: int) -> None:
    fenced = fence(row_in(states.ONGOING, epoch=states.MAX_EPOCH), version, lambda: 9, 2_000)
    assert isinstance(fenced, Transaction)
    assert fenced.epoch == states.MAX_EPOCH


def test_a_client_never_sees_the_last_epoch() -> None:
    row = row_in(states.ONGOING, epoch=states.LAST_CLIENT_EPOCH)
    prepared = end_v2(row, 5, states.LAST_CLIENT_EPOCH, is_commit=True, take_producer_id=lambda: 9, now_ms=2_000)
    assert isinstance(prepared, Transaction)
    assert prepared.epoch == states.MAX_EPOCH
    assert prepared.pair_for_client == (9, 0)
    assert (prepared.completed(3_000).producer_id, prepared.completed(3_000).epoch) == (9, 0)
    with pytest.raises(states.EpochsExhaustedError):
        row_in(states.EMPTY, epoch=states.LAST_CLIENT_EPOCH).initialized(1_000, 3, 2_000)


def test_without_a_fresh_id_the_last_epoch_is_not_ended() -> None:
    row = row_in(states.ONGOING, epoch=states.LAST_CLIENT_EPOCH)
    ended = end_v2(row, 5, row.epoch, is_commit=False, take_producer_id=lambda: None, now_ms=2_000)
    assert ended == errors.COORDINATOR_LOAD_IN_PROGRESS


def test_tv1_takes_only_a_repeated_end_for_done() -> None:
    assert end_v1(row_in(states.COMPLETE_COMMIT), is_commit=True, now_ms=0) == errors.NONE
    assert end_v1(row_in(states.COMPLETE_COMMIT), is_commit=False, now_ms=0) == errors.INVALID_TXN_STATE


def test_ten_thousand_open_ids_take_less_than_a_kilobyte_each() -> None:
    rows: dict[str, Transaction] = {}
    tracemalloc.start()
    for number in range(10_000):
        name = f"transactional-id-{number:05}"
        row = Transaction(name, 1_000_000 + number, 60_000, 1_700_000_000_000 + number).initialized(60_000, None, 1)
        rows[name] = row.with_partitions(frozenset({("a-topic-of-twenty-chr", number % 7)}), 2, 1_700_000_000_000)
    size_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size_bytes / len(rows) < 1_000
