"""The idempotence window: what is written, what was written before, and what is refused."""

import time

import pytest

from kafkacompat.protocol.error_codes import (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    TRANSACTION_COORDINATOR_FENCED,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.steps import at_once
from kafkacompat.storage import producer_state
from kafkacompat.storage.errors import CorruptSnapshotError, LogError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.producer_state import ProducerState
from tests.storage.support import START_MS, append, at, batch, open_log, produced, topic_config

MAX_SEQUENCE = 2**31 - 1


def _refused(log: object, records: memoryview, **arguments: bool) -> int:
    with pytest.raises(LogError) as caught:
        append(log, records, **arguments)  # type: ignore[arg-type]
    return caught.value.error_code


def test_a_repeated_batch_is_answered_with_its_first_offset() -> None:
    log = open_log(MemFs())
    for i in range(7):
        append(log, produced(1, 0, 2 * i, 2))
    for i in range(2, 7):
        info = append(log, produced(1, 0, 2 * i, 2))
        assert (info.duplicate, info.first_offset, info.last_offset) == (True, 2 * i, 2 * i + 1)
        assert info.append_time_ms == START_MS + 1
    assert _refused(log, produced(1, 0, 2, 2)) == OUT_OF_ORDER_SEQUENCE_NUMBER  # the sixth last is forgotten
    assert _refused(log, produced(1, 0, 10, 1)) == OUT_OF_ORDER_SEQUENCE_NUMBER  # only the whole batch is a duplicate
    assert log.log_end_offset == 14


def test_gaps_are_refused_and_change_nothing() -> None:
    log = open_log(MemFs())
    append(log, produced(1, 0, 0))
    assert _refused(log, produced(1, 0, 2)) == OUT_OF_ORDER_SEQUENCE_NUMBER
    assert append(log, produced(1, 0, 1)).first_offset == 1


def test_an_unknown_producer_may_begin_anywhere() -> None:
    log = open_log(MemFs())
    assert append(log, produced(1, 3, 17)).first_offset == 0
    assert append(log, produced(1, 3, 18)).first_offset == 1


def test_a_new_epoch_begins_at_zero_and_fences_the_old_one() -> None:
    log = open_log(MemFs())
    append(log, produced(1, 0, 0))
    assert _refused(log, produced(1, 1, 1)) == OUT_OF_ORDER_SEQUENCE_NUMBER
    append(log, produced(1, 1, 0))
    assert _refused(log, produced(1, 0, 1)) == INVALID_PRODUCER_EPOCH
    assert log.producers.entries[1].epoch == 1


def test_sequences_wrap() -> None:
    log = open_log(MemFs())
    append(log, produced(1, 0, MAX_SEQUENCE - 1, 3))
    assert log.producers.entries[1].last_sequence == 0
    assert append(log, produced(1, 0, MAX_SEQUENCE - 1, 3)).duplicate
    append(log, produced(1, 0, 1))
    append(log, produced(2, 0, MAX_SEQUENCE))
    assert append(log, produced(2, 0, 0)).first_offset == 5


def test_only_the_last_batch_survives_in_a_snapshot() -> None:
    fs = MemFs()
    log = open_log(fs)
    for i in range(3):
        append(log, produced(1, 0, 2 * i, 2))
    log.close(clean=True, now=at())
    again = open_log(fs, clean=True, recovery_point=6)
    assert append(again, produced(1, 0, 4, 2)).first_offset == 4
    assert _refused(again, produced(1, 0, 2, 2)) == OUT_OF_ORDER_SEQUENCE_NUMBER


def test_truncation_takes_the_state_back() -> None:
    log = open_log(MemFs(), topic_config(segment_bytes=400))
    for i in range(10):
        append(log, produced(1, 0, i))
    log.truncate_to(4)
    assert log.producers.entries[1].last_sequence == 3
    assert append(log, produced(1, 0, 4)).first_offset == 4


def test_silent_producers_expire() -> None:
    log = open_log(MemFs())
    append(log, produced(1, 0, 0))
    append(log, batch(producer_id=2, producer_epoch=0, base_sequence=0, is_transactional=True))
    at_once(log.producers.expire(START_MS + 99, 100))
    assert set(log.producers.entries) == {1, 2}
    at_once(log.producers.expire(START_MS + 100, 100))
    assert set(log.producers.entries) == {2}  # its transaction is open


def _marker(producer_id: int, epoch: int, coordinator_epoch: int, kind: int) -> memoryview:
    record = Record(0, START_MS, encode_key(kind), encode_end_transaction(coordinator_epoch))
    return memoryview(
        build_batch([record], producer_id=producer_id, producer_epoch=epoch, is_transactional=True, is_control=True)
    )


def _transactional(producer_id: int, sequence: int) -> memoryview:
    return batch(producer_id=producer_id, producer_epoch=0, base_sequence=sequence, is_transactional=True)


def test_an_open_transaction_holds_the_last_stable_offset() -> None:
    log = open_log(MemFs())
    append(log, batch())
    append(log, _transactional(1, 0))
    append(log, _transactional(2, 0))
    assert log.producers.first_unstable_offset == 1
    assert _refused(log, produced(1, 0, 1)) == INVALID_TXN_STATE
    append(log, _marker(1, 0, 5, COMMIT), internal=True)
    log.producers.replicated_to(3)
    assert log.producers.last_stable_offset(3) == 1  # the marker at 3 is not replicated yet
    log.producers.replicated_to(4)
    assert log.producers.last_stable_offset(4) == 2
    append(log, _marker(2, 0, 5, ABORT), internal=True)
    assert log.producers.last_stable_offset(4) == 2
    log.producers.replicated_to(5)
    assert log.producers.last_stable_offset(5) == 5
    assert not log.producers.ended
    assert [entry[1:] for entry in log.segments.all[0].txn_index.entries()] == [(2, 2, 4, 5)]
    assert _refused(log, _marker(2, 0, 4, ABORT), internal=True) == TRANSACTION_COORDINATOR_FENCED
    assert log.producers.entries[1].coordinator_epoch == 5


def test_transactions_survive_a_restart_and_their_index_a_recovery() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, _transactional(1, 0))
    append(log, _marker(1, 0, 5, ABORT), internal=True)
    append(log, _transactional(2, 0))
    log.close(clean=False, now=at())
    again = open_log(fs)
    assert again.producers.has_open_transaction(2, 0)
    assert not again.producers.has_open_transaction(1, 0)
    again.producers.replicated_to(3)
    assert again.producers.last_stable_offset(3) == 2
    again.close(clean=True, now=at())
    once_more = open_log(fs, clean=True, recovery_point=3)
    assert once_more.producers.last_stable_offset(3) == 2
    assert len(once_more.segments.all[0].txn_index.entries()) == 1


def test_an_empty_snapshot_is_kafkas() -> None:
    assert ProducerState().encode() == bytes.fromhex("0001 48674bc7 00000000")


def test_a_snapshot_is_read_back() -> None:
    state = ProducerState(9)
    state.update(7, 2, 10, 12, 5, 7, 1234, is_transactional=True)
    state.end_transaction(8, 1, 3, 8, 99, is_aborted=False)
    data = state.encode()
    assert data[6:].hex() == (
        "00000002"
        "0000000000000007 0002 0000000c 0000000000000007 00000002 00000000000004d2 ffffffff 0000000000000005"
        "0000000000000008 0001 ffffffff ffffffffffffffff 00000000 0000000000000063 00000003 ffffffffffffffff"
    ).replace(" ", "")
    again = ProducerState.decode(data, 9)
    assert again.encode() == data
    assert (again.end_offset, again.first_unstable_offset) == (9, 5)
    (kept,) = again.entries[7].batches
    assert (kept.first_sequence, kept.first_offset) == (10, 5)


def test_a_damaged_snapshot_is_refused_whole() -> None:
    state = ProducerState(9)
    state.update(7, 2, 10, 12, 5, 7, 1234, is_transactional=False)
    data = state.encode()
    for length in range(len(data)):
        with pytest.raises(CorruptSnapshotError):
            ProducerState.decode(data[:length], 9)
    for at_byte in range(len(data)):
        damaged = bytearray(data)
        damaged[at_byte] ^= 0x40
        with pytest.raises(CorruptSnapshotError):
            ProducerState.decode(damaged, 9)


def test_a_damaged_snapshot_is_replaced_by_reading_the_log() -> None:
    fs = MemFs()
    log = open_log(fs)
    for i in range(3):
        append(log, produced(1, 0, i))
    log.close(clean=True, now=at())
    snapshot = log.segments.snapshots.path(3)
    fs.flip_bit(snapshot, 20)
    again = open_log(fs, clean=True, recovery_point=3)
    assert again.producers.entries[1].last_sequence == 2


def test_a_partition_remembers_so_many_producers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producer_state, "PRODUCERS_MAX", 10)
    monkeypatch.setattr(producer_state, "PRODUCERS_FORGOTTEN_AT_ONCE", 3)
    state = ProducerState()
    for producer in range(4):
        state.update(producer, 0, 0, 0, producer, producer, 5, is_transactional=True)
    for producer in range(4, 14):
        state.update(producer, 0, 0, 0, producer, producer, 100 - producer, is_transactional=False)
    state.update(14, 0, 0, 0, 14, 14, 0, is_transactional=False)
    assert set(state.entries) == {0, 1, 2, 3, *range(4, 11), 14}  # those that wrote longest ago went first
    state.end_transaction(20, 0, 0, 15, 1, is_aborted=True)
    assert len(state.entries) == 13


def test_forgetting_producers_takes_a_part_of_a_turn() -> None:
    state = ProducerState()
    for producer in range(producer_state.PRODUCERS_MAX):
        state.update(producer, 0, 0, 0, producer, producer, producer % 997, is_transactional=False)
    began = time.process_time()
    state.update(-2, 0, 0, 0, 60_000, 60_000, 1, is_transactional=False)
    assert time.process_time() - began < 0.06  # measured: 4 ms
    assert len(state.entries) == producer_state.PRODUCERS_MAX - producer_state.PRODUCERS_FORGOTTEN_AT_ONCE + 1
