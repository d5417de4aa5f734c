"""A log whose start offset is inside its first batch, like its leader's."""

import pytest

from kafkacompat.storage.errors import LogError
from kafkacompat.storage.first_batch import append_to_empty
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import at, batch, offsets, open_log


def fetched(base_offset: int, count: int) -> memoryview:
    records = batch(count)
    records[:8] = base_offset.to_bytes(8, "big")
    records[12:16] = (0).to_bytes(4, "big")
    return records


@pytest.fixture
def log():
    fs = MemFs()
    fs.mkdir("/data")
    empty = open_log(fs)
    empty.truncate_fully_and_start_at(5)
    return empty


def test_the_batch_that_holds_the_start_comes_whole(log):
    append_to_empty(log, fetched(3, 4), leader_epoch=0, now=at())
    assert (log.log_start_offset, log.log_end_offset) == (5, 7)
    assert offsets(log) == [3, 4, 5, 6]


def test_a_batch_that_begins_at_the_start_or_later_is_appended_as_ever(log):
    append_to_empty(log, fetched(6, 2), leader_epoch=0, now=at())
    assert (log.log_start_offset, log.log_end_offset) == (5, 8)


def test_a_batch_that_ends_before_the_start_is_refused(log):
    with pytest.raises(LogError):
        append_to_empty(log, fetched(1, 4), leader_epoch=0, now=at())
    assert (log.log_start_offset, log.log_end_offset) == (5, 5)


@pytest.mark.parametrize("size", [0, 20, 61])
def test_what_holds_no_whole_batch_changes_nothing(log, size):
    append_to_empty(log, fetched(3, 40)[:size], leader_epoch=0, now=at())
    assert (log.log_start_offset, log.log_end_offset) == (5, 5)
