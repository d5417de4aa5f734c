"""Where the process may open no more files, nothing goes offline: the disk is sound, and who reads comes again."""

import errno
from collections.abc import Callable
from random import Random

import pytest

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.steps import at_once
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.lookup import Opening, search_from
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.segments import Segments
from tests.storage.support import BROKER, START_MS, TOPIC_ID, append, at, batch, checkpoint, open_log, topic_config

NUMBERS = (errno.EMFILE, errno.ENFILE)


def shut(log: Log) -> None:
    """Let each read have to open its file."""
    for segment in log.segments.all:
        segment.file.shut()


def found_at(log: Log) -> int:
    found = log.offset_for_timestamp(START_MS, end_offset=log.log_end_offset)
    assert found is not None
    return found.offset


def found_in_large_batch(log: Log) -> int:
    opening = search_from(log, START_MS + 3_000, log.log_end_offset, defers=True)
    assert isinstance(opening, Opening)
    try:
        outcome: object = opening.run()
    except OSError as error:
        outcome = error
    found = opening.resume(outcome, defers=True)  # type: ignore[arg-type]
    assert found is not None
    assert not isinstance(found, Opening)
    return found.offset


def last_of_batches(log: Log) -> int:
    return [header.last_offset for header, _ in log.batches(0, log.log_end_offset)][-1]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(("read", "answer"), [(found_at, 0), (found_in_large_batch, 3_001), (last_of_batches, 4_000)])
def test_reads_fail_once_and_the_log_goes_on(read: Callable[[Log], int], answer: int, number: int) -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    append(log, memoryview(build_batch([Record(i, START_MS + i, b"", b"") for i in range(4_000)])))
    shut(log)
    fs.fail_next(lambda operation: operation[0] == "open", number)
    with pytest.raises(LogError) as caught:
        read(log)
    assert caught.value.error_code == KAFKA_STORAGE_ERROR
    assert log.failure is None
    assert read(log) == answer
    shut(log)
    fs.fail_next(lambda operation: operation[0] == "open", errno.EIO)
    with pytest.raises(LogError):
        read(log)
    assert log.failure is not None


@pytest.mark.parametrize("number", NUMBERS)
def test_a_reader_of_committed_records_comes_again(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(MemFs())
    append(log, batch())
    part = log.read(0, 1_000, end_offset=1, at_least_one=True)

    def fail(*_: object) -> None:
        raise OSError(number, "too many open files")

    with monkeypatch.context() as without_descriptors:
        without_descriptors.setattr(Segments, "aborted_in", fail)
        with pytest.raises(LogError) as caught:
            log.aborted(0, part)
    assert caught.value.error_code == KAFKA_STORAGE_ERROR
    assert log.failure is None
    assert log.aborted(0, part) == []
    part.release()


@pytest.mark.parametrize("number", NUMBERS)
def test_names_are_synced_with_the_next_checkpoint(number: int) -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    (directory,) = logs.directories
    background = directory._flusher.background
    fs.fail_next(lambda operation: operation[:2] == ("fsync_dir", "/a"), number)
    directory.sync_names()
    background.run_inline(at())
    assert directory.offline is None
    operations = fs.record()
    for expected in (1, 0):
        operations.clear()
        at_once(logs.checkpoint({}))
        background.run_inline(at())
        assert [operation[:2] for operation in operations].count(("fsync_dir", "/a")) == expected


@pytest.mark.parametrize("number", NUMBERS)
def test_checkpoints_are_written_the_next_time(number: int) -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    log = logs.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, batch(3))
    fs.fail_next(lambda operation: "checkpoint" in operation[1], number)
    checkpoint(logs, at(), {("t", 0): 3})
    assert logs.directories[0].offline is None
    checkpoint(logs, at(), {})
    logs.close(clean=False, high_watermarks={}, broker_epoch=-1, now=at())
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    assert logs.high_watermark_checkpoint("t", 0) == 3
