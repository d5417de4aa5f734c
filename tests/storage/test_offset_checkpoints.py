"""The three offset checkpoints of a directory: set, published, written, and what a crash may leave of them."""

import pytest

from kafkacompat.storage.checkpoints import (
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    RECOVERY_POINT_FILE,
    read_offsets,
)
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
from tests.storage.support import append, at, batch, open_log

DIR = "/data"
KEY = ("t", 0)


def directory() -> MemFs:
    fs = MemFs()
    fs.mkdir(DIR)
    return fs


def written(fs: MemFs) -> OffsetCheckpoints:
    """Those of a log of nine records, of which four were deleted and all are flushed."""
    checkpoints = OffsetCheckpoints(fs, DIR)
    log = open_log(fs)
    append(log, batch(9))
    log.delete_records_before(4, at())
    log.flush()
    checkpoints.note_log(KEY, log)
    checkpoints.note_high_watermark(KEY, 8)
    checkpoints.publish()
    checkpoints.write()
    return checkpoints


def test_what_is_noted_is_written_once_it_was_published() -> None:
    fs = directory()
    checkpoints = OffsetCheckpoints(fs, DIR)
    checkpoints.write()
    checkpoints.note_high_watermark(KEY, 8)
    assert not checkpoints.is_behind
    checkpoints.publish()
    assert checkpoints.is_behind
    checkpoints.write()
    assert not checkpoints.is_behind
    assert read_offsets(fs, f"{DIR}/{HIGH_WATERMARK_FILE}") == {KEY: 8}


def test_the_next_start_finds_what_was_written() -> None:
    fs = directory()
    written(fs)
    again = OffsetCheckpoints(fs, DIR)
    assert again.has_recovery_points
    fs.write_atomic(f"{DIR}/{RECOVERY_POINT_FILE}", b"\xff", sync=True)
    assert not OffsetCheckpoints(fs, DIR).has_recovery_points
    assert (again.recovery_point(KEY), again.log_start(KEY), again.first_high_watermark(KEY)) == (9, 4, 8)


def test_a_forgotten_partition_may_be_found_until_the_files_are_written() -> None:
    fs = directory()
    checkpoints = written(fs)
    checkpoints.forget(KEY)
    assert checkpoints.first_high_watermark(KEY) == 0
    assert checkpoints.may_hold(KEY)
    checkpoints.publish()
    checkpoints.write()
    assert not checkpoints.may_hold(KEY)
    assert read_offsets(fs, f"{DIR}/{RECOVERY_POINT_FILE}") == {}


def test_no_checkpoint_stays_above_the_end_of_a_truncated_log() -> None:
    fs = directory()
    checkpoints = written(fs)
    log = open_log(fs, path=f"{DIR}/u-0")
    append(log, batch(6))
    assert checkpoints.lower({KEY: log})
    checkpoints.write()
    found = [read_offsets(fs, f"{DIR}/{name}") for name in (RECOVERY_POINT_FILE, LOG_START_FILE, HIGH_WATERMARK_FILE)]
    assert found == [{KEY: 6}, {KEY: 0}, {KEY: 6}]
    assert not checkpoints.lower({KEY: log})


def test_high_watermarks_are_kept_up_to_the_ends_of_logs_that_are_there() -> None:
    fs = directory()
    checkpoints = written(fs)
    assert not checkpoints.keep_high_watermarks({KEY: 9})
    assert checkpoints.keep_high_watermarks({KEY: 5})
    checkpoints.write()
    assert read_offsets(fs, f"{DIR}/{HIGH_WATERMARK_FILE}") == {KEY: 5}
    assert checkpoints.keep_high_watermarks({})
    checkpoints.write()
    assert read_offsets(fs, f"{DIR}/{HIGH_WATERMARK_FILE}") == {}


@pytest.mark.parametrize("is_published", [True, False])
def test_what_was_compacted_ends_before_the_active_segment_of_a_truncated_log(is_published: bool) -> None:
    fs = directory()
    checkpoints = OffsetCheckpoints(fs, DIR)
    log = open_log(fs)
    append(log, batch(9))
    checkpoints.note_cleaner_offset(KEY, 6)
    if is_published:
        checkpoints.publish()
    assert checkpoints.lower({KEY: log}) == is_published, "a file is to be written for that"
    assert checkpoints.cleaner_offset(KEY) == 0
    checkpoints.publish()
    checkpoints.write()
    assert read_offsets(fs, f"{DIR}/{CLEANER_FILE}") == {KEY: 0}


def test_the_file_may_name_a_compacted_log_until_it_is_written_without_it() -> None:
    fs = directory()
    checkpoints = OffsetCheckpoints(fs, DIR)
    assert not checkpoints.may_hold_cleaner_offset(KEY)
    checkpoints.note_cleaner_offset(KEY, 6)
    assert checkpoints.may_hold_cleaner_offset(KEY)
    checkpoints.publish()
    checkpoints.write()
    checkpoints.forget_cleaner_offset(KEY)
    checkpoints.publish()
    assert checkpoints.may_hold_cleaner_offset(KEY)
    checkpoints.write()
    assert not checkpoints.may_hold_cleaner_offset(KEY)
    assert read_offsets(fs, f"{DIR}/{CLEANER_FILE}") == {}
