"""A want of descriptors that lasts, or meets a disk that fails: nothing is lost, forgotten, or taken for durable."""

import errno
import logging
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.steps import at_once
from kafkacompat.storage import flush
from kafkacompat.storage.durability import Target
from kafkacompat.storage.durability_marker import BOOT_ID_PATH, FILE_NAME, decode
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFile, MemFs
from kafkacompat.storage.owner import LogOwner
from tests.storage.support import BROKER, TOPIC_ID, ScarceFs, append, at, batch, open_log, topic_config
from tests.tidy.tree import ROOT

NUMBERS = (errno.EMFILE, errno.ENFILE)
EPOCH = 17
INCARNATION = bytes(range(16, 32))


def shut(log: Log) -> None:
    """Let each use have to open its file."""
    for segment in log.segments.all:
        segment.file.shut()


def append_three(log: Log, epoch: int) -> None:
    for _ in range(3):
        log.append_as_leader(batch(), leader_epoch=epoch, now=at())


def synced(operations: list[tuple[str, str, int]]) -> set[str]:
    return {path for kind, path, _ in operations if kind in ("fsync", "fsync_dir")}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("is_open", [True, False])
def test_those_who_wait_for_a_sync_wait_through_all_shortages(is_open: bool, number: int) -> None:
    """Another sync is asked for before the first one is tried again, and meets the same shortage."""
    fs = ScarceFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    done: list[str] = []
    if not is_open:
        shut(log)
    fs.shortage = number
    for name in ("first", "second"):
        flusher.request(log, lambda _now, name=name: done.append(name))  # type: ignore[misc]
        flusher.background.run_inline(at())
        log.request_sync()
        flusher.background.run_inline(at())
    flusher.try_again()
    flusher.background.run_inline(at())
    assert (log.failure, log.flushed_offset, done) == (None, 0, [])
    fs.shortage = None
    operations = fs.record()
    flusher.try_again()
    flusher.background.run_inline(at())
    assert (log.failure, log.flushed_offset, done) == (None, 1, ["first", "second"])
    assert synced(operations) >= {f"{log.path}/leader-epoch-checkpoint", log.path, "/data"}


@pytest.mark.parametrize("is_flushed_here", [True, False])
def test_a_failed_directory_is_seen_behind_a_shortage(is_flushed_here: bool) -> None:
    """The kernel reports the failure once: the next sync would succeed."""
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    fs.fail_next(lambda operation: operation[:2] == ("open", log.epochs.path), errno.EMFILE)
    fs.fail_next(lambda operation: operation[:2] == ("fsync_dir", log.path), errno.EIO)
    if is_flushed_here:
        with pytest.raises(OSError, match="injected") as caught:
            log.flush()
        assert caught.value.errno == errno.EIO
        return
    flusher.request(log)
    flusher.background.run_inline(at())
    assert log.failure is not None
    flusher.try_again()
    flusher.background.run_inline(at())
    assert log.flushed_offset == 0


def test_failed_checkpoints_of_a_truncation_are_seen_before_a_shortage() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=flusher, rng=Random(1))
    log = logs.open_log("t", TOPIC_ID, 0, topic_config(), at())
    for _ in range(3):
        append(log, batch())
    flusher.request(log)
    flusher.background.run_inline(at())
    logs.directories[0]._note_all()
    logs.directories[0].checkpoints.write()
    log.truncate_to(1)
    log.epochs.is_synced = False
    fs.fail_next(lambda operation: operation[0] == "fsync" and "recovery-point" in operation[1], errno.EIO)
    fs.fail_next(lambda operation: operation[:2] == ("open", log.epochs.path), errno.EMFILE)
    flusher.background.run_inline(at())
    assert log.failure is not None
    assert logs.directories[0].offline is not None


@pytest.mark.parametrize("is_first", [True, False])
def test_a_failure_of_the_disk_wins_over_a_shortage(is_first: bool) -> None:
    log = open_log(MemFs())
    target = Target(log)
    errors = [OSError(errno.EIO, "failed"), OSError(errno.EMFILE, "no descriptors")]
    for error in errors if is_first else reversed(errors):
        target.note(error)
    assert target.error is errors[0]
    target.release()


class CountingFs(MemFs):
    """How many of its files are open at most."""

    open_now = open_max = 0

    def open(self, path: str, *, append: bool = False) -> MemFile:
        file = super().open(path, append=append)
        file._on_close = self._note_closed
        self.open_now += 1
        self.open_max = max(self.open_max, self.open_now)
        return file

    def _note_closed(self) -> None:
        self.open_now -= 1


def test_a_sync_of_many_segments_opens_one_file_at_a_time_beside_those_that_are_open() -> None:
    """Threads sync them, which may not use the cache."""
    fs = CountingFs()
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=100), flusher=flusher, files=FileCache(fs, 3))
    for _ in range(8):
        append(log, batch())
    still_open = [segment.file.path for segment in log.segments.all if segment.file.file is not None]
    assert len(still_open) == fs.open_now == 3
    operations, fs.open_max = fs.record(), 0
    flusher.request(log)
    flusher.background.run_inline(at())
    assert log.flushed_offset == 8
    assert synced(operations) >= {segment.file.path for segment in log.segments.all}
    opened = [path for kind, path, _ in operations if kind == "open" and path.endswith(".log")]
    assert opened == [segment.file.path for segment in log.segments.all if segment.file.path not in still_open]
    assert (fs.open_now, fs.open_max) == (3, 4)
    assert not any(segment.file.is_referenced for segment in log.segments.all)


MANY_SEGMENTS = """
import resource, sys
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import RealFs
from tests.storage.support import append, at, batch, open_log, topic_config

fs = RealFs()
log = open_log(fs, topic_config(segment_bytes=100), path=sys.argv[1], flusher=Flusher(fs), files=FileCache(fs, 8))
for _ in range(200):
    append(log, batch())
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
log.flusher.background.run_inline(at())
assert (log.failure, log.flushed_offset) == (None, 200)
for _ in range(100):
    append(log, batch())
log.close(clean=True, now=at())
"""


def test_a_process_syncs_a_log_with_more_segments_than_it_may_have_files_open(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MANY_SEGMENTS, str(tmp_path / "t-0")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("is_gone", [True, False])
def test_what_a_sync_has_not_found_is_not_durable(is_gone: bool) -> None:
    """The directory had another name for a while, or somebody has removed a file."""
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=100), flusher=flusher)
    for _ in range(3):
        append(log, batch())
    shut(log)
    path, done = log.path, list[int]()
    flusher.request(log, lambda _now: done.append(log.flushed_offset))
    job = flusher.next_job()
    assert job is not None
    log.rename("/data/other")
    job.run()
    log.rename(path)
    if is_gone:
        fs.remove(log.segments.all[1].file.path)
    flusher.finish(job, None, at())
    assert (log.failure is not None, log.flushed_offset, done) == (is_gone, 0, [0] if is_gone else [])
    flusher.try_again()
    flusher.background.run_inline(at())
    assert log.flushed_offset == (0 if is_gone else 3)


class Told(LogOwner):
    """An owner that notes up to where it was told of syncs, or needs none."""

    def __init__(self, *, counts_on_syncs: bool) -> None:
        self.counts_on_syncs = counts_on_syncs
        self.ends: list[int] = []

    def synced(self, end_offset: int) -> None:
        self.ends.append(end_offset)


@pytest.mark.parametrize("counts_on_syncs", [True, False])
def test_a_segment_that_is_deleted_during_a_sync_is_not_missed(counts_on_syncs: bool) -> None:
    """But an owner that keeps a mark of its own is told of a sync that has found all files."""
    fs, owner = MemFs(), Told(counts_on_syncs=counts_on_syncs)
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=100), flusher=flusher)
    log.owner = owner
    for _ in range(3):
        append(log, batch())
    shut(log)
    flusher.request(log)
    job = flusher.next_job()
    assert job is not None
    log.delete_records_before(2, at())
    job.run()
    flusher.finish(job, None, at())
    assert (log.failure, log.flushed_offset, owner.ends) == (None, 0 if counts_on_syncs else 3, [])
    flusher.try_again()
    flusher.background.run_inline(at())
    assert (log.flushed_offset, owner.ends) == (3, [3] if counts_on_syncs else [])


@pytest.mark.parametrize("has_shortage", [True, False])
def test_files_of_a_log_that_is_renamed_during_a_sync_are_synced_by_the_next_one(has_shortage: bool) -> None:
    fs = ScarceFs()
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=100), flusher=flusher, path="/data/t-0.0-future")
    for _ in range(3):
        append(log, batch(producer_id=7, producer_epoch=0, base_sequence=log.log_end_offset))
    names = {path.rpartition("/")[2] for path in log.segments.unsynced} | {"leader-epoch-checkpoint"}
    assert len(names) > 3
    done: list[int] = []
    flusher.request(log, lambda _now: done.append(log.flushed_offset))
    job = flusher.next_job()
    assert job is not None
    fs.shortage = errno.EMFILE if has_shortage else None
    if has_shortage:
        job.run()
    log.rename("/data/t-0")
    if not has_shortage:
        job.run()
    flusher.finish(job, None, at())
    assert done == ([] if has_shortage else [3])
    assert not log.epochs.is_synced
    fs.shortage = None
    operations = fs.record()
    flusher.try_again()
    flusher.request(log)
    flusher.background.run_inline(at())
    assert synced(operations) >= {f"/data/t-0/{name}" for name in names} | {"/data/t-0", "/data"}
    assert not log.durability.is_unsynced(3)


def test_a_shortage_is_reported_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    fs = ScarceFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    caplog.set_level(logging.WARNING, flush.__name__)
    fs.shortage = errno.EMFILE
    for ms in range(0, 60_001, 500):
        if ms % 1_000:
            shut(log)  # the sync cannot even begin
        flusher.request(log)
        flusher.background.run_inline(at(ms))
    assert [record.message for record in caplog.records] == [
        "1 logs wait for a sync until descriptors are free: [Errno 24] no descriptors: " + repr(f"{log.path}/{name}")
        for name in ("partition.metadata", "00000000000000000000.log")
    ]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("closed", ["all", "none"])
def test_appends_are_refused_as_long_as_it_lasts(closed: str, number: int) -> None:
    """They need a file that is not open, or begin an epoch or a segment."""
    fs = ScarceFs()
    log = open_log(fs, topic_config(segment_bytes=160))
    append(log, batch())
    if closed == "all":
        shut(log)
    fs.shortage = number
    for epoch in (0, 0, 1, 1):
        with pytest.raises(LogError) as caught:
            append_three(log, epoch)
        assert (caught.value.error_code, log.failure) == (KAFKA_STORAGE_ERROR, None)
    fs.shortage = None
    before = log.log_end_offset
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    assert log.epochs.entries == [(0, 0), (1, before)]
    end = log.log_end_offset
    assert [header.base_offset for header, _ in log.batches(0, end)] == list(range(before + 1))
    log.close(clean=False, now=at())
    fs.restart()
    again = open_log(fs, topic_config(segment_bytes=160))
    assert (again.log_end_offset, again.epochs.entries) == (end, [(0, 0), (1, before)])


def test_nothing_is_written_behind_a_truncation_as_long_as_it_lasts() -> None:
    fs = ScarceFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    log = logs.open_log("t", TOPIC_ID, 0, topic_config(), at())
    for _ in range(3):
        append(log, batch())
    log.truncate_to(1)
    fs.shortage = errno.EMFILE
    for _ in range(2):
        with pytest.raises(LogError):
            append(log, batch())
        logs.directories[0]._flusher.background.run_inline(at())
        assert (log.failure, log.log_end_offset, log.has_unflushed_truncation) == (None, 1, True)
    fs.shortage = None
    append(log, batch())
    assert (log.log_end_offset, log.has_unflushed_truncation) == (2, False)


def test_a_stop_without_descriptors_is_an_unclean_one_of_a_sound_disk() -> None:
    fs = ScarceFs()
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    append(logs.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    fs.shortage = errno.EMFILE
    logs.close(clean=True, high_watermarks={}, broker_epoch=-1, now=at())
    assert logs.directories[0].offline is None
    fs.shortage = None
    assert not fs.exists("/a/.kafka_cleanshutdown")
    logs = LogManager.open(fs, ["/a"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))
    assert logs.open_log("t", TOPIC_ID, 0, topic_config(), at()).log_end_offset == 1


def test_a_swap_while_it_lasts_is_synced_as_a_whole_when_it_is_over() -> None:
    """Renames take no descriptors. The sync that could not be done was of the name before."""
    fs, key = ScarceFs(), ("t", 0)
    flusher = Flusher(fs)
    logs = LogManager.open(fs, ["/a", "/b"], BROKER, at(), cluster_id=None, flusher=flusher, rng=Random(1))
    first, second = logs.directories
    config = topic_config(segment_bytes=100)
    old, new = first.open_log(key, TOPIC_ID, config, at()), second.futures.open(key, TOPIC_ID, config, at())
    for log in (old, new, old, new):
        append(log, batch(producer_id=7, producer_epoch=0, base_sequence=log.log_end_offset))
    names = {path.rpartition("/")[2] for path in new.segments.unsynced} | {"leader-epoch-checkpoint"}
    assert len(names) > 2
    done: list[int] = []
    fs.shortage = errno.EMFILE
    flusher.request(new, lambda _now: done.append(new.flushed_offset))
    flusher.background.run_inline(at())
    logs.moves.swap(key, second, at(), lambda _new: None)
    flusher.background.run_inline(at())
    assert (first.offline, second.offline, done) == (None, None, [])
    fs.shortage = None
    operations = fs.record()
    flusher.try_again()
    at_once(logs.checkpoint({}))
    flusher.background.run_inline(at())
    assert done == [2]
    assert synced(operations) >= {f"/b/t-0/{name}" for name in names} | {"/b/t-0", "/a", "/b"}


# The marker of a registration


class Machine:
    """A file system with a boot id and one log directory; ``flush_messages`` of 1 is group commit."""

    def __init__(self, flush_messages: int) -> None:
        self.fs = ScarceFs()
        self.boot("b00-1")
        properties = {"node.id": "1", "log.flush.interval.messages": str(flush_messages)}
        self.config = BrokerConfig({name: (value, "test") for name, value in properties.items()})

    def boot(self, boot_id: str) -> None:
        self.fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
        self.fs.write_atomic(BOOT_ID_PATH, f"{boot_id}\n".encode(), sync=True)

    def open(self) -> LogManager:
        self.fs.restart()
        return LogManager.open(
            self.fs, ["/a"], self.config, at(), cluster_id=None, flusher=Flusher(self.fs), rng=Random(1)
        )

    def lose_power(self) -> LogManager:
        self.fs.crash()
        self.boot("b00-2")
        return self.open()


def without_marker(flush_messages: int, number: int) -> tuple[Machine, LogManager]:
    """A second life that lacks descriptors when its registration is accepted."""
    machine = Machine(flush_messages)
    machine.open().registered(EPOCH, INCARNATION)
    machine.fs.fsync_dir("/a")
    manager = machine.open()
    machine.fs.shortage = number
    manager.registered(EPOCH + 1, INCARNATION)
    return machine, manager


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("flush_messages", [1, 1_000])
def test_a_registration_without_descriptors_has_its_marker_once_there_are_some(
    flush_messages: int, number: int
) -> None:
    machine, manager = without_marker(flush_messages, number)
    (directory,) = manager.directories
    for _ in range(2):
        assert directory.offline is None
        assert directory.marker.is_missing
        assert not machine.fs.exists(f"/a/{FILE_NAME}"), "an earlier life's proves nothing of this one"
        manager.write_missing_markers()
    machine.fs.shortage = None
    manager.write_missing_markers()
    assert not directory.marker.is_missing
    assert machine.open().previous_broker_epoch == EPOCH + 1


def test_after_a_power_loss_an_earlier_marker_does_not_speak_for_a_life_without_one() -> None:
    """That it is gone could not be made durable. The controller knows the later epoch, and believes no other claim."""
    machine, _ = without_marker(1, errno.EMFILE)
    machine.fs.shortage = None
    assert machine.lose_power().previous_broker_epoch == EPOCH


@pytest.mark.parametrize("is_earlier", [True, False])
def test_nothing_is_acknowledged_early_while_a_power_loss_may_bring_group_commit_back(is_earlier: bool) -> None:
    """The marker of this life or of an earlier one was removed, which could not be made durable."""
    machine = Machine(1)
    fs, path = machine.fs, f"/a/{FILE_NAME}"
    if is_earlier:
        machine.open().registered(EPOCH - 1, INCARNATION)
        machine.config = Machine(1_000).config
    manager = machine.open()
    (directory,) = manager.directories

    def is_renamed(operation: tuple[str, str, int]) -> bool:
        if operation[0] != "fsync_dir" or operation[1].strip("/") != "a" or not fs.exists(path):
            return False
        fs.shortage = errno.EMFILE
        return True

    fs.fail_next(is_renamed, errno.EMFILE)
    manager.registered(EPOCH, INCARNATION)
    assert (directory.offline, directory.marker.is_missing) == (None, True)
    assert any(is_left(fs, path, survivors) for survivors in range(20))
    for _ in range(2):
        with pytest.raises(OSError, match="no descriptors"):
            directory.before_early_acknowledgement()
    fs.shortage = None
    directory.before_early_acknowledgement()
    assert directory.marker.is_missing, "without its checkpoints it is not written"
    assert not any(is_left(fs, path, survivors) for survivors in range(20))
    manager.write_missing_markers()
    content = decode(fs.read_bytes(path))
    assert content is not None
    assert (content.broker_epoch, content.is_group_commit) == (EPOCH, False)


def is_left(fs: MemFs, path: str, seed: int) -> bool:
    """Whether a file is there after a power loss."""
    left = deepcopy(fs)
    left.crash(Random(seed))
    return left.exists(path)


def test_no_marker_is_written_for_want_of_which_nothing_is_proved_any_more() -> None:
    machine, manager = without_marker(1, errno.EMFILE)
    (directory,) = manager.directories
    machine.fs.shortage = None
    machine.fs.fail_next(lambda operation: operation[:2] == ("open", f"/a/{FILE_NAME}.tmp"), errno.EMFILE)
    directory.before_data_loss()
    manager.write_missing_markers()
    assert directory.offline is None
    assert not machine.fs.exists(f"/a/{FILE_NAME}")


def test_group_commit_that_could_not_be_withdrawn_is_withdrawn_the_next_time() -> None:
    machine = Machine(1)
    manager = machine.open()
    (directory,) = manager.directories
    manager.registered(EPOCH, INCARNATION)
    machine.fs.shortage = errno.EMFILE
    for _ in range(2):
        with pytest.raises(OSError, match="no descriptors"):
            directory.before_early_acknowledgement()
    machine.fs.shortage = None
    directory.before_early_acknowledgement()
    assert machine.lose_power().previous_broker_epoch == -1


def test_a_proof_that_could_not_be_withdrawn_is_withdrawn_the_next_time() -> None:
    machine = Machine(1)
    machine.open().registered(EPOCH, INCARNATION)
    manager = machine.open()
    (directory,) = manager.directories
    assert manager.previous_broker_epoch == EPOCH
    machine.fs.shortage = errno.EMFILE
    for _ in range(2):
        with pytest.raises(OSError, match="no descriptors"):
            directory.before_data_loss()
    machine.fs.shortage = None
    directory.before_data_loss()
    assert machine.lose_power().previous_broker_epoch == -1
