"""Each kind of damage to a log is found as what it is, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, stamp_crc
from kafkacompat.spark.audit.audit_findings import OF_LOGS
from tests.spark.audit.audited import findings
from tests.spark.audit.sound_log import IDEMPOTENT, SoundLog

Fault = Callable[[SoundLog], tuple[str, int, int]]
"""Damages a log, and says which finding is due: its kind, first and last offset."""

FAULTS: dict[str, Fault] = {}
DATA = 9
"""A batch of the idempotent producer in the middle of a segment, with data before and behind it."""


def fault(function: Fault) -> Fault:
    FAULTS[function.__name__] = function
    return function


def flip(log: SoundLog, segment: int, number: int, at: int, bit: int = 1) -> None:
    """Flip a bit of a batch, `at` bytes behind its beginning."""
    place = log.position(segment, number) + at

    def change(data: bytearray) -> None:
        data[place] ^= bit

    log.change(segment, ".log", change)


@fault
def bit_in_the_payload(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, BATCH_OVERHEAD + 20)
    return "checksum", *log.offsets(1, DATA)


@fault
def bit_in_the_sequence(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 55)
    return "checksum", *log.offsets(1, DATA)


@fault
def bit_in_the_last_offset_delta(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 25, 0x40)
    return "checksum", *log.offsets(1, DATA)


@fault
def bit_in_the_attributes_of_the_last_batch(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 2, len(log.segments[2]) - 1, 22)
    return "checksum", *log.offsets(2, len(log.segments[2]) - 1)


@fault
def bit_in_the_length(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 10, 0x10)
    return "framing", -1, -1


@fault
def bit_in_the_length_which_is_less(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 10, 0x01)
    return "framing", -1, -1


@fault
def bit_in_the_length_which_reaches_over_others(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA - 3, 10, 0x10)
    return "framing", -1, -1


@fault
def bit_in_the_length_of_the_last_segment(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 2, DATA, 9, 0x10)
    return "framing", -1, -1


@fault
def bit_in_the_magic(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 16, 3)
    return "format", -1, -1


@fault
def lost_batch(log: SoundLog) -> tuple[str, int, int]:
    found = log.offsets(1, DATA)
    del log.segments[1][DATA]
    log.write()
    return "missing-offsets", *found


@fault
def lost_end_of_a_segment(log: SoundLog) -> tuple[str, int, int]:
    count = len(log.segments[1])
    found = log.offsets(1, count - 2)[0], log.offsets(1, count - 1)[1]
    del log.segments[1][-2:]
    log.write()
    return "missing-offsets", *found


@fault
def lost_segment(log: SoundLog) -> tuple[str, int, int]:
    found = log.offsets(1, 0)[0], log.offsets(1, len(log.segments[1]) - 1)[1]
    del log.segments[1]
    log.write()
    return "missing-offsets", *found


@fault
def duplicated_batch(log: SoundLog) -> tuple[str, int, int]:
    log.segments[1].insert(DATA + 1, log.segments[1][DATA])
    log.write()
    return "duplicate-batch", *log.offsets(1, DATA)


@fault
def batch_written_again_behind(log: SoundLog) -> tuple[str, int, int]:
    log.segments[1].insert(DATA + 3, log.segments[1][DATA])
    log.write()
    return "duplicate-batch", *log.offsets(1, DATA)


@fault
def reordered_batches(log: SoundLog) -> tuple[str, int, int]:
    batches = log.segments[1]
    found = log.offsets(1, DATA)[0], log.offsets(1, DATA + 1)[1]
    batches[DATA], batches[DATA + 1] = batches[DATA + 1], batches[DATA]
    log.write()
    return "order", *found


@fault
def truncated_tail(log: SoundLog) -> tuple[str, int, int]:
    count = len(log.segments[2])
    position = log.position(2, count - 3)

    def cut(data: bytearray) -> None:
        del data[position + 30 :]

    log.change(2, ".log", cut)
    return "truncated-tail", log.offsets(2, count - 3)[0], log.end - 1


@fault
def stale_epoch(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 15, 2)
    return "leader-epoch", *log.offsets(1, DATA)


@fault
def future_epoch(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 15, 4)
    return "leader-epoch", *log.offsets(1, DATA)


@fault
def wrong_offset_in_the_index(log: SoundLog) -> tuple[str, int, int]:
    def change(data: bytearray) -> None:
        data[8 * 4 + 3] += 1

    log.change(1, ".index", change)
    last = log.offsets(1, 5)[1] + 1
    return "offset-index", last, last


@fault
def wrong_position_in_the_index(log: SoundLog) -> tuple[str, int, int]:
    def change(data: bytearray) -> None:
        data[8 * 4 + 7] += 1

    log.change(1, ".index", change)
    last = log.offsets(1, 5)[1]
    return "offset-index", last, last


@fault
def wrong_entry_of_the_time_index(log: SoundLog) -> tuple[str, int, int]:
    def change(data: bytearray) -> None:
        data[12 * 5 + 7] -= 1

    log.change(1, ".timeindex", change)
    last = log.offsets(1, 5)[1]
    return "time-index", last, last


@fault
def marker_before_a_new_epoch(log: SoundLog) -> tuple[str, int, int]:
    batches = log.segments[2]
    marker = next(n for n, batch in enumerate(batches) if n > DATA and batch[22] & 0x20)
    found = log.offsets(2, marker)
    log.aborted = [each for each in log.aborted if each[2] != found[0]]
    sequence = 0
    for batch in (each for each in batches[marker + 1 :] if each[22] & 0x10):
        batch[51:53] = (1).to_bytes(2)
        if not batch[22] & 0x20:
            batch[53:57] = sequence.to_bytes(4)
            sequence += 10
        stamp_crc(batch, 0, len(batch))
    del batches[marker]
    log.write()
    return "missing-marker", *found


@fault
def marker_of_the_last_transaction(log: SoundLog) -> tuple[str, int, int]:
    marker = max(n for n, batch in enumerate(log.segments[2]) if batch[22] & 0x20)
    found = log.offsets(2, marker)
    log.aborted = [each for each in log.aborted if each[2] != found[0]]
    del log.segments[2][marker]
    log.write()
    return "missing-marker", *found


@fault
def abort_that_the_index_lacks(log: SoundLog) -> tuple[str, int, int]:
    last = log.aborted.pop()[2]
    log.write()
    return "txn-index", last, last


@fault
def record_below_the_log_start(log: SoundLog) -> tuple[str, int, int]:
    del log.segments[0]
    base = log.offsets(0, 1)[0]
    log.log_start = base
    log.write([base, *(log.offsets(n, 0)[0] for n in range(1, 2))])
    return "below-log-start", *log.offsets(0, 0)


@fault
def wrong_base_offset(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 1, DATA, 6, 1)
    return "base-offset", *log.offsets(1, DATA)


@fault
def base_offset_that_goes_back(log: SoundLog) -> tuple[str, int, int]:
    flip(log, 2, DATA, 6, 1)
    return "base-offset", *log.offsets(2, DATA)


@fault
def log_start_behind_the_end(log: SoundLog) -> tuple[str, int, int]:
    log.log_start = log.end + 7
    log.write_checkpoints()
    return "log-start", log.end, log.end + 6


@fault
def sequence_that_jumps(log: SoundLog) -> tuple[str, int, int]:
    behind = [*log.segments[1][DATA:], *log.segments[2]]
    for batch in behind:
        if int.from_bytes(batch[43:51]) == IDEMPOTENT:
            batch[53:57] = (int.from_bytes(batch[53:57]) + 10).to_bytes(4)
            stamp_crc(batch, 0, len(batch))
    log.write()
    return "producer-sequence", *log.offsets(1, DATA)


@fault
def checkpoint_that_is_torn(log: SoundLog) -> tuple[str, int, int]:
    path = log.path / "replication-offset-checkpoint"
    path.write_text(path.read_text()[:-2])
    return "checkpoint", -1, -1


def test_a_sound_log_has_no_findings(tmp_path: Path) -> None:
    assert findings(SoundLog(tmp_path / "data").path) == []


@pytest.mark.parametrize("name", FAULTS)
def test_damage_is_found_as_what_it_is(name: str, tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "data")
    due = FAULTS[name](log)
    found = findings(log.path)
    assert [(each.kind, each.first_offset, each.last_offset) for each in found] == [due], "\n".join(map(str, found))


def test_each_kind_has_a_fault(tmp_path: Path) -> None:
    tried = {FAULTS[name](SoundLog(tmp_path / name))[0] for name in FAULTS}
    assert set(OF_LOGS) - tried == {"unreadable"}
