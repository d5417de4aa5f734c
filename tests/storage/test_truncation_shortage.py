"""A truncation that lacks descriptors changes nothing, and is tried again; no directory goes offline for that."""

from __future__ import annotations

import errno
from random import Random
from typing import Any

import pytest

from kafkacompat.protocol.records.batch import stamp
from kafkacompat.storage.errors import LogError, ShortageError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFile, MemFs
from tests.storage.support import BROKER, TOPIC_ID, append, at, batch, open_log, produced, topic_config

CONFIG = {"segment_bytes": 300, "index_interval_bytes": 1}


class LimitedFs(MemFs):
    """The process may have `limit` files open."""

    limit = 1_000
    open_now = 0

    def _check(self, path: str) -> None:
        if self.open_now >= self.limit:
            raise OSError(errno.EMFILE, "too many open files", path)

    def open(self, path: str, *, append: bool = False) -> MemFile:
        self._check(path)
        file = super().open(path, append=append)
        file._on_close = self._note_closed
        self.open_now += 1
        return file

    def _note_closed(self) -> None:
        self.open_now -= 1

    def fsync_dir(self, path: str) -> None:
        self._check(path)
        super().fsync_dir(path)

    def read_bytes(self, path: str) -> bytes:
        self._check(path)
        return super().read_bytes(path)

    def listdir(self, path: str) -> list[str]:
        self._check(path)
        return super().listdir(path)


def written(log: Log) -> Log:
    """With nine records of two producers in several segments, the last of them alone in its epoch."""
    for sequence in range(8):
        append(log, produced(7 + sequence % 2, 0, sequence // 2))
    append(log, batch(), epoch=1)
    assert len(log.segments.all) > 2
    return log


def content(log: Log) -> tuple[Any, ...]:
    producers = {key: entry.last_offset for key, entry in log.producers.entries.items()}
    found = [header.base_offset for header, _ in log.batches(0, log.log_end_offset)]
    return log.log_start_offset, log.log_end_offset, found, log.epochs.entries, producers


def cut(log: Log, offset: int) -> None:
    if offset < 0:
        log.truncate_fully_and_start_at(20)
    else:
        log.truncate_to(offset)


def reference(offset: int) -> tuple[Any, ...]:
    log = written(open_log(MemFs(), topic_config(**CONFIG)))
    cut(log, offset)
    return content(log)


@pytest.mark.parametrize("free", range(4))
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("is_deferred", [True, False])
@pytest.mark.parametrize("offset", [-1, 0, 1, 4, 5, 8])
def test_with_few_descriptors_it_changes_all_or_nothing(
    offset: int, is_deferred: bool, is_open: bool, free: int
) -> None:
    fs = LimitedFs()
    flusher = Flusher(fs)
    if is_deferred:
        logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=flusher, rng=Random(1))
        log = logs.open_log("t", TOPIC_ID, 0, topic_config(**CONFIG), at())
    else:
        log = open_log(fs, topic_config(**CONFIG), flusher=flusher, files=FileCache(fs, 8))
    written(log)
    flusher.background.run_inline(at())
    if not is_open:
        for segment in log.segments.all:
            segment.file.shut()
            segment.drop_indexes()
    before = content(log)
    if not is_open:
        for segment in log.segments.all:
            segment.file.shut()
    fs.limit = fs.open_now + free
    try:
        cut(log, offset)
        is_done = True
    except ShortageError:
        is_done = False
    fs.limit = 1_000
    assert log.failure is None
    assert is_done or free < 3
    assert content(log) == (reference(offset) if is_done else before)
    if not is_done:
        cut(log, offset)
    flusher.background.run_inline(at())
    assert content(log) == reference(offset)
    append(log, batch(), epoch=2)
    assert (log.failure, log.log_end_offset) == (None, reference(offset)[1] + 1)


@pytest.mark.parametrize("free", [0, 1])
def test_an_epoch_without_records_is_removed_the_next_time(free: int) -> None:
    fs = LimitedFs()
    log = written(open_log(fs, topic_config(**CONFIG)))
    log.epochs.assign(5, 9)
    fs.limit = fs.open_now + free
    if free:
        log.truncate_to(9)
    else:
        with pytest.raises(ShortageError):
            log.truncate_to(9)
    assert (log.failure, log.epochs.latest) == (None, 1 if free else 5)


def test_producers_are_those_before_a_batch_that_is_cut_through() -> None:
    log = open_log(MemFs())
    append(log, produced(7, 0, 0))
    append(log, batch(3, producer_id=7, producer_epoch=0, base_sequence=1))
    log.truncate_to(2)
    assert log.producers.entries[7].last_offset == 0


def test_an_append_that_can_neither_end_nor_be_taken_back_is_a_failure() -> None:
    """It is one of several segments, and what is in the first of them was not to be."""
    fs = LimitedFs()
    log = open_log(fs, topic_config(segment_bytes=100))
    append(log, batch())
    records = memoryview(bytearray(bytes(batch()) + bytes(batch()) + bytes(batch())))
    size_bytes = len(records) // 3
    for place in range(3):
        stamp(records[place * size_bytes : (place + 1) * size_bytes], 0, 1 + place, 0)
    roll = log._roll

    def roll_twice(*arguments: Any) -> Any:
        if log.log_end_offset == 3:
            fs.limit = 0
            raise OSError(errno.EMFILE, "too many open files")
        return roll(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "_roll", lambda _log, *arguments: roll_twice(*arguments))
        with pytest.raises(LogError):
            log.append_as_follower(records, leader_epoch=0, now=at())
    assert log.failure is not None
