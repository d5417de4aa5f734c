"""Damaged indexes of sealed segments are built anew in turns of the event loop, for readers who come again."""

from collections.abc import Callable

import pytest

from kafkacompat.protocol.records.batch import MAGIC_OFFSET, read_header
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import PATH, START_MS, append, at, batch, offsets, open_log, topic_config

COUNT = 3_000
INDEX, TIME_INDEX = (f"{PATH}/{0:020d}.{suffix}" for suffix in ("index", "timeindex"))
TURN_BYTES = 200_000
"""Headers of a thousand batches, read in pieces."""


class Damaged:
    """A log whose first segment has more than two thousand batches, and zeros in its indexes where 11 is looked up."""

    def __init__(self) -> None:
        self.fs = MemFs()
        config = topic_config(segment_bytes=200_000, index_interval_bytes=0)
        log = open_log(self.fs, config)
        for ms in range(COUNT):
            append(log, batch(timestamp_ms=START_MS + ms))
        log.close(clean=True, now=at())
        self.sound = {path: self.fs.read_bytes(path) for path in (INDEX, TIME_INDEX)}
        for path, entry_bytes in ((INDEX, 8), (TIME_INDEX, 12)):
            content = bytearray(self.sound[path])
            content[10 * entry_bytes : 12 * entry_bytes] = bytes(2 * entry_bytes)
            self.fs.write_atomic(path, bytes(content), sync=True)
        self.log = open_log(self.fs, config, clean=True, recovery_point=COUNT)
        assert self.log.segments.all[0].base_offset + 2_000 < self.log.segments.all[1].base_offset

    @property
    def found(self) -> dict[str, bytes]:
        return {path: self.fs.read_bytes(path) for path in (INDEX, TIME_INDEX)}


def read(log: Log) -> int:
    """The offset of the first batch that is read from 11 on."""
    piece = log.read(11, 1, end_offset=log.log_end_offset, at_least_one=True, in_turns=True)
    header = read_header(piece.read(0, len(piece)))
    piece.release()
    return header.base_offset


def search(log: Log) -> int:
    found = log.offset_for_timestamp(START_MS + 11, end_offset=COUNT)
    assert found is not None
    return found.offset


@pytest.mark.parametrize("ask", [read, search])
def test_who_comes_again_finds_the_index_whole(ask: Callable[[Log], int]) -> None:
    damaged = Damaged()
    operations = damaged.fs.record()
    turns = 0
    while True:
        del operations[:]
        try:
            found = ask(damaged.log)
        except UnfinishedError:
            turns += 1
            assert turns < 10
        else:
            break
        finally:
            assert sum(size for name, _, size in operations if name == "pread") < TURN_BYTES
    assert turns == 2
    assert found == 11
    assert damaged.found == damaged.sound
    del operations[:]
    assert ask(damaged.log) == 11
    assert not [path for name, path, _ in operations if name == "write"]


def test_it_is_done_between_other_events_once() -> None:
    damaged = Damaged()
    with pytest.raises(UnfinishedError):
        read(damaged.log)
    work = damaged.log.segments.go_on()
    assert work is not None
    assert damaged.log.segments.go_on() is None
    while not work.resume():
        pass
    assert damaged.found == damaged.sound
    assert read(damaged.log) == 11


def _truncate(log: Log) -> None:
    log.truncate_to(2_000)


def _delete(log: Log) -> None:
    log.delete_records_before(log.segments.all[1].base_offset, at())


def _read_at_once(log: Log) -> None:
    assert offsets(log, 11, 12) == [11]


def _close(log: Log) -> None:
    log.close(clean=True, now=at())


@pytest.mark.parametrize("change", [_truncate, _delete, _read_at_once, _close])
def test_a_segment_that_changes_meanwhile_gets_no_index_of_what_it_was(change: Callable[[Log], None]) -> None:
    damaged = Damaged()
    with pytest.raises(UnfinishedError):
        read(damaged.log)
    work = damaged.log.segments.go_on()
    assert work is not None
    change(damaged.log)
    before = damaged.fs.files()
    while not work.resume():
        pass
    assert damaged.fs.files() == before
    if change is _truncate:
        assert read(damaged.log) == 11
        assert offsets(damaged.log) == list(range(2_000))
    elif change is _read_at_once:
        assert damaged.found == damaged.sound
        assert read(damaged.log) == 11


def test_a_damaged_batch_is_told_to_the_reader() -> None:
    damaged = Damaged()
    damaged.fs.set_byte(f"{PATH}/{0:020d}.log", 1_500 * len(batch()) + MAGIC_OFFSET, 9)
    errors = []
    while not errors or isinstance(errors[-1], UnfinishedError):
        with pytest.raises(LogError) as raised:
            read(damaged.log)
        errors.append(raised.value)
    assert len(errors) == 2
    assert "unknown magic 9 at position" in str(errors[-1])
