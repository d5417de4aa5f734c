"""Where the process may open no more files, nothing goes offline: the disk is sound, and who reads comes again."""

import errno
from collections.abc import Callable
from random import Random

import pytest

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.records.batch import stamp
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, encode_end_transaction, encode_key
from kafkacompat.steps import at_once
from kafkacompat.storage import scan
from kafkacompat.storage.errors import LogError, ShortageError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.lookup import Opening, search_from
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.segment import Segment
from kafkacompat.storage.segments import Segments
from kafkacompat.storage.txn_index import TxnIndex
from tests.storage.support import BROKER, START_MS, TOPIC_ID, append, at, batch, checkpoint, open_log, topic_config

NUMBERS = (errno.EMFILE, errno.ENFILE)


def shut(log: Log) -> None:
    """Let each read have to open its file."""
    for segment in log.segments.all:
        segment.file.shut()


def offsets(log: Log) -> list[int]:
    return [header.base_offset for header, _ in log.batches(0, log.log_end_offset)]


FILES = ("00000000000000000000.log", "leader-epoch-checkpoint.tmp", ".timeindex", ".snapshot.tmp", "00000002.log")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("is_leader", [True, False])
def test_an_append_is_refused_once_and_the_log_goes_on(is_leader: bool, name: str, number: int) -> None:
    """With whatever file it cannot open: the first one, or that of an epoch, or those of a new segment."""
    fs = MemFs()
    log = open_log(fs, topic_config(segment_bytes=300))

    def write(sequence: int, epoch: int) -> None:
        records = batch(producer_id=7, producer_epoch=0, base_sequence=sequence, value=b"v" * 60)
        if is_leader:
            log.append_as_leader(records, leader_epoch=epoch, now=at())
        else:
            stamp(records, 0, log.log_end_offset, epoch)
            log.append_as_follower(records, leader_epoch=epoch, now=at())

    refused = []
    fs.fail_next(lambda operation: operation[0] == "open" and operation[1].endswith(name), number)
    for sequence in range(5):
        try:
            write(sequence, sequence // 2)
        except LogError as error:
            refused.append((error.error_code, log.log_end_offset - sequence))
            write(sequence, sequence // 2)
    assert refused == [(KAFKA_STORAGE_ERROR, 0)]
    assert log.failure is None
    assert offsets(log) == [0, 1, 2, 3, 4]
    assert log.epochs.entries == [(0, 0), (1, 2), (2, 4)]
    log.close(clean=False, now=at())
    fs.restart()
    again = open_log(fs, topic_config(segment_bytes=300))
    assert offsets(again) == [0, 1, 2, 3, 4]
    assert again.producers.entries[7].last_sequence == 4


def with_aborted(fs: MemFs) -> Log:
    """A log after a clean restart whose last segment has an aborted transaction, and an open one."""
    log = open_log(fs)
    append(log, batch(producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True))
    append(log, end_marker(7), internal=True)
    append(log, batch(producer_id=8, producer_epoch=0, base_sequence=0, is_transactional=True))
    log.close(clean=True, now=at())
    fs.restart()
    log = open_log(fs, clean=True, recovery_point=3)
    append(log, batch())  # opens the log's file
    return log


def end_marker(producer_id: int) -> memoryview:
    record = Record(0, START_MS, encode_key(ABORT), encode_end_transaction(1))
    marker = build_batch([record], producer_id=producer_id, producer_epoch=0, is_transactional=True, is_control=True)
    return memoryview(marker)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("is_leader", [True, False])
def test_an_abort_marker_is_refused_before_it_is_written(is_leader: bool, number: int) -> None:
    log = with_aborted(fs := MemFs())

    def end() -> None:
        marker = end_marker(8)
        if is_leader:
            append(log, marker, internal=True)
        else:
            stamp(marker, 0, log.log_end_offset, 0)
            log.append_as_follower(marker, leader_epoch=0, now=at())

    fs.fail_next(lambda operation: operation[0] == "open" and operation[1].endswith(".txnindex"), number)
    with pytest.raises(ShortageError):
        end()
    assert (log.failure, log.log_end_offset, log.size_bytes) == (None, 4, fs.size(log.segments.all[0].file.path))
    assert log.producers.first_unstable_offset == 2
    end()
    append(log, batch())
    log.close(clean=False, now=at())
    fs.restart()
    again = open_log(fs)
    assert offsets(again) == [0, 1, 2, 3, 4, 5]
    part = again.read(0, 10_000, end_offset=6, at_least_one=True)
    assert [each.as_tuple()[:3] for each in again.aborted(0, part)] == [(7, 0, 1), (8, 2, 4)]
    part.release()


@pytest.mark.parametrize("number", [*NUMBERS, errno.ENOSPC])
@pytest.mark.parametrize("name", ["note_batch", "append"])
def test_a_want_behind_what_was_written_is_a_failure(name: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written has no place in the log: the next batch would be given its offset, and be cut off at a start."""
    log = with_aborted(MemFs())

    def fail(*_: object) -> None:
        raise OSError(number, "too few")

    monkeypatch.setattr({"note_batch": Segment, "append": TxnIndex}[name], name, fail)
    with pytest.raises(LogError):
        append(log, end_marker(8), internal=True)
    assert log.failure is not None
    assert log.log_end_offset == 4


def test_a_want_behind_a_clients_batch_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(MemFs())

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(Segment, "note_batch", fail)
    with pytest.raises(LogError):
        append(log, batch())
    assert log.failure is not None


def test_appends_that_are_refused_are_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    fs = MemFs()
    log = open_log(fs)
    for ms in (0, 59_999, 60_000):
        shut(log)
        fs.fail_next(lambda operation: operation[0] == "open", errno.EMFILE)
        with pytest.raises(ShortageError):
            append(log, batch(), ms=ms)
    told = [each.getMessage() for each in caplog.records if "appends are refused" in each.getMessage()]
    assert len(told) == 2
    assert log.path in told[0]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_truncation_that_cannot_read_the_producers_changes_nothing(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_log(MemFs())
    for sequence in range(3):
        append(log, batch(producer_id=7, producer_epoch=0, base_sequence=sequence))

    def fail(*_: object) -> None:
        raise OSError(number, "too many open files")

    with monkeypatch.context() as without_descriptors:
        without_descriptors.setattr(scan, "batches", fail)
        with pytest.raises(ShortageError):
            log.truncate_to(1)
    assert (log.failure, log.log_end_offset, log.producers.entries[7].last_sequence) == (None, 3, 2)
    log.truncate_to(1)
    assert (log.failure, log.log_end_offset, log.producers.entries[7].last_sequence) == (None, 1, 0)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", ["/t-0", ".log", "leader-epoch-checkpoint"])
def test_a_sync_is_tried_again_and_those_who_wait_for_it_wait_on(name: str, number: int) -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    shut(log)
    done: list[int] = []
    fs.fail_next(lambda operation: operation[0] in ("open", "fsync_dir") and operation[1].endswith(name), number)
    flusher.request(log, lambda _now: done.append(log.flushed_offset))
    flusher.background.run_inline(at())
    assert (log.failure, log.flushed_offset, done) == (None, 0, [])
    operations = fs.record()
    flusher.try_again()
    flusher.background.run_inline(at())
    assert done == [1]
    synced = {path.rpartition("/")[2] for kind, path, _ in operations if kind.startswith("fsync")}
    assert synced >= {"00000000000000000000.log", "leader-epoch-checkpoint", "t-0", "data"}
    flusher.try_again()
    assert not flusher.has_work


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_written_behind_a_truncation_that_could_not_be_synced(number: int) -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    log = logs.open_log("t", TOPIC_ID, 0, topic_config(), at())
    for _ in range(3):
        append(log, batch())
    log.truncate_to(1)
    shut(log)
    fs.fail_next(lambda operation: operation[0] == "open" and operation[1].endswith(".log"), number)
    with pytest.raises(LogError):
        append(log, batch())
    assert (log.failure, log.log_end_offset, log.has_unflushed_truncation) == (None, 1, True)
    append(log, batch())
    assert (log.log_end_offset, log.has_unflushed_truncation) == (2, False)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_stop_without_descriptors_is_an_unclean_one_of_a_sound_disk(number: int) -> None:
    fs = MemFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    append(logs.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    fs.fail_next(lambda operation: operation[0] == "open" and operation[1].endswith(".timeindex"), number)
    logs.close(clean=True, high_watermarks={}, broker_epoch=-1, now=at())
    assert logs.directories[0].offline is None
    assert not fs.exists("/a/.kafka_cleanshutdown")


def test_the_disk_of_another_directory_is_sound() -> None:
    """One round of syncs has logs of both."""
    fs = MemFs()
    flusher = Flusher(fs)
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=flusher, rng=Random(1))
    first, second = (logs.open_log("t", TOPIC_ID, index, topic_config(), at()) for index in range(2))
    for log in (first, second):
        append(log, batch())
        flusher.request(log)
    fs.fail_next(lambda operation: operation[0] == "fsync" and operation[1].startswith("/a/t-0/"), errno.EIO)
    flusher.background.run_inline(at())
    assert [each.offline is None for each in logs.directories] == [False, True]
    assert (first.failure is None, second.failure, second.flushed_offset) == (False, None, 1)


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
    with pytest.raises(ShortageError) as caught:
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
