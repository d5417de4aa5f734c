"""The flush mark of the metadata log, and the damage that recovery may truncate with it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.raft.batches import metadata_batch
from kafkacompat.replication.raft.flush_mark import FILE_NAME, MAX_BYTES, FlushMark
from kafkacompat.storage.durability import Target
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.reserve import RESERVE_BYTES, ReserveFs
from tests.replication.quorum_world import LOG_DIR, LOG_PATH, NOW, config
from tests.waiting import wait_until

DIRECTORY = f"{LOG_DIR}/__cluster_metadata-0"
MARK_PATH = f"{DIRECTORY}/{FILE_NAME}"


def new_fs() -> MemFs:
    fs = MemFs()
    fs.mkdir(DIRECTORY)
    fs.fsync_dir("/")
    fs.fsync_dir(LOG_DIR)
    return fs


def open_log(fs: MemFs, now: Now = NOW, *, clean: bool = False, may_vote: bool = True):
    return metadata_log.open_log(fs, LOG_DIR, config(), None, now, clean=clean, may_vote=may_vote)


def append(log, count: int = 1) -> None:
    for _ in range(count):
        offset = log.log_end_offset
        batch = metadata_batch([b"x" * 50], NOW.wall_ms, base_offset=offset, epoch=1)
        log.append_as_follower(memoryview(batch), leader_epoch=1, now=NOW)


def test_a_full_disk_gives_its_reserve_for_an_entry_and_leaves_no_part_of_one() -> None:
    fs = new_fs()
    disk = ReserveFs(fs, LOG_DIR)
    fs.free_bytes = RESERVE_BYTES + 17
    mark = FlushMark(disk, DIRECTORY, is_kept=True)
    mark.begin(3)
    disk.restore()
    mark.synced(8)  # of which five bytes fit
    assert disk.is_full
    mark.synced(9)
    assert FlushMark(disk, DIRECTORY, is_kept=True).offset == 9
    assert fs.size(MARK_PATH) == 2 * 12


def test_the_last_sound_entry_counts() -> None:
    fs = new_fs()
    mark = FlushMark(fs, DIRECTORY, is_kept=True)
    assert mark.offset is None
    mark.begin(3)
    mark.synced(8)
    mark.synced(20)
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 20
    size = fs.size(MARK_PATH)
    fs.set_byte(MARK_PATH, size - 1, fs.read_bytes(MARK_PATH)[-1] ^ 1)
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 8
    fs.write_atomic(MARK_PATH, fs.read_bytes(MARK_PATH)[:-5], sync=True)
    again = FlushMark(fs, DIRECTORY, is_kept=True)
    assert again.offset == 8
    again.begin(0)
    again.synced(9)
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 9
    fs.crash()
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 9


def test_entries_of_another_format_are_no_mark_and_make_place_for_one() -> None:
    """As if a later version had written the file in another way: as after a mark was lost, little may be cut."""
    fs = new_fs()
    fs.write_atomic(MARK_PATH, b'{"version": 2, "flushed": 20}', sync=True)
    mark = FlushMark(fs, DIRECTORY, is_kept=True)
    assert mark.offset is None
    mark.begin(3)
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 3


def test_a_lone_voter_has_none_until_another_votes_and_the_file_stays_small() -> None:
    fs = new_fs()
    mark = FlushMark(fs, DIRECTORY, is_kept=False)
    mark.begin(0)
    mark.synced(7)
    assert not fs.exists(MARK_PATH)
    mark.keep()
    for offset in range(1000):
        mark.synced(offset)
        assert fs.size(MARK_PATH) <= MAX_BYTES + 12
    again = FlushMark(fs, DIRECTORY, is_kept=False)
    again.synced(2000)
    assert FlushMark(fs, DIRECTORY, is_kept=False).offset == 2000


def test_what_was_durable_is_never_cut() -> None:
    """Bit rot in the last fetch, which may have been acknowledged."""
    fs = new_fs()
    log = open_log(fs)
    append(log, 5)
    log.flush()
    log.close(clean=False, now=NOW)
    size = fs.size(LOG_PATH)
    data = fs.read_bytes(LOG_PATH)
    for at in range(0, size, 7):
        fs.restart()
        damaged = bytearray(data)
        damaged[at] ^= 0x41
        fs.write_atomic(LOG_PATH, bytes(damaged), sync=True)
        line = ""
        try:
            found = open_log(fs)
        except StartupError as error:
            line = str(error)
        else:
            assert found.log_end_offset == 5  # an epoch too high
            found.close(clean=False, now=NOW)
        assert not line or (LOG_PATH in line and "remove-controller" in line)


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_log_that_ends_before_its_mark_is_refused(kept: int) -> None:
    fs = new_fs()
    log = open_log(fs)
    append(log, 5)
    log.flush()
    log.close(clean=False, now=NOW)
    data = fs.read_bytes(LOG_PATH)
    fs.restart()
    fs.write_atomic(LOG_PATH, data[: len(data) // 5 * kept], sync=True)
    with pytest.raises(StartupError, match=f"ends at offset {kept}, but was durable up to 5"):
        open_log(fs)


def test_what_was_not_synced_may_go() -> None:
    fs = new_fs()
    log = open_log(fs)
    append(log, 3)
    log.flush()
    append(log, 4)
    log.close(clean=False, now=NOW)
    data = bytearray(fs.read_bytes(LOG_PATH))
    data[len(data) // 7 * 4 + 30] ^= 1  # in the fifth batch of seven
    fs.restart()
    fs.write_atomic(LOG_PATH, bytes(data), sync=True)
    assert open_log(fs).log_end_offset == 4


def test_a_cut_takes_the_mark_along() -> None:
    fs = new_fs()
    log = open_log(fs)
    append(log, 5)
    log.flush()
    log.truncate_to(2)
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 2
    log.close(clean=False, now=NOW)
    fs.restart()
    assert open_log(fs).log_end_offset == 2


class SlowFs:
    """A file system on which a thread that opens `path` stops once, until it may go on."""

    def __init__(self, fs: MemFs) -> None:
        self._fs = fs
        self.path = ""
        self.opening, self.may_open = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fs, name)

    def open(self, path: str, **how: Any) -> Any:
        if path == self.path and not self.opening.is_set():
            self.opening.set()
            assert self.may_open.wait(10)
        return self._fs.open(path, **how)


class WatchedLock:
    """A lock that tells which threads have asked for it."""

    def __init__(self) -> None:
        self.askers: list[threading.Thread] = []
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self.askers.append(threading.current_thread())
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_cut_while_a_sync_writes_its_mark_comes_after_it() -> None:
    fs = new_fs()
    slow = SlowFs(fs)
    flusher = Flusher(slow)
    flusher.guard = guard = WatchedLock()
    log = metadata_log.open_log(slow, LOG_DIR, config(), flusher, NOW, clean=False, may_vote=True)
    append(log, 5)
    flusher.request(log)
    job = flusher.next_job()
    assert job is not None
    slow.path = MARK_PATH
    syncs = threading.Thread(target=job.run)
    cuts = threading.Thread(target=log.truncate_to, args=(2,))
    syncs.start()
    assert slow.opening.wait(10)
    cuts.start()
    wait_until(lambda: cuts in guard.askers, what="the cut, to stand before the lock")
    slow.may_open.set()
    syncs.join()
    cuts.join()
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 2


def test_what_a_sync_has_seen_is_not_so_once_the_log_is_cut() -> None:
    fs = new_fs()
    log = open_log(fs)
    append(log, 5)
    target = Target(log)
    target.sync_files()
    log.truncate_to(2)
    target.tell_owner()
    target.release()
    assert FlushMark(fs, DIRECTORY, is_kept=True).offset == 0


def test_a_mark_falls_with_a_cut_alone() -> None:
    """Two syncs may overtake each other."""
    mark = FlushMark(new_fs(), DIRECTORY, is_kept=True)
    mark.begin(0)
    mark.synced(9)
    mark.synced(7)
    assert mark.offset == 9


def test_without_a_mark_only_what_was_not_written_whole_may_go() -> None:
    fs = new_fs()
    log = open_log(fs)
    append(log, 3)
    log.flush()
    log.close(clean=False, now=NOW)
    data = fs.read_bytes(LOG_PATH)
    for content, end in ((data[:-10], 2), (data[:-100] + bytes(100), None), (data + bytes(500), 3)):
        fs.restart()
        fs.remove(MARK_PATH)
        fs.write_atomic(LOG_PATH, content, sync=True)
        if end is None:
            with pytest.raises(StartupError, match="is damaged"):
                open_log(fs)
            fs.write_atomic(MARK_PATH, b"", sync=True)
        else:
            found = open_log(fs)
            assert found.log_end_offset == end
            found.close(clean=False, now=NOW)


def test_an_observer_fetches_again_what_is_damaged() -> None:
    fs = new_fs()
    log = open_log(fs, may_vote=False)
    append(log, 3)
    log.flush()
    assert not fs.exists(MARK_PATH)
    log.close(clean=False, now=NOW)
    fs.restart()
    data = bytearray(fs.read_bytes(LOG_PATH))
    data[len(data) // 2] ^= 1
    fs.write_atomic(LOG_PATH, bytes(data), sync=True)
    assert open_log(fs, may_vote=False).log_end_offset == 1


def _close_cleanly(fs: MemFs, count: int = 3) -> bytes:
    log = open_log(fs)
    append(log, count)
    log.close(clean=True, now=NOW)
    return fs.read_bytes(LOG_PATH)


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"\x00" * 7, lambda data: data[:20]])
def test_a_clean_stop_leaves_no_torn_end(change) -> None:
    fs = new_fs()
    data = _close_cleanly(fs)
    open_log(fs, clean=True)
    fs.write_atomic(LOG_PATH, change(data), sync=True)
    with pytest.raises(StartupError, match=f"{LOG_PATH} is damaged at byte .*: its last batch is incomplete"):
        open_log(fs, clean=True)
    assert fs.read_bytes(LOG_PATH) == change(data)


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + bytes(100), lambda data: data[:20]])
def test_an_observer_cuts_a_torn_end_after_a_clean_stop(change) -> None:
    fs = new_fs()
    data = _close_cleanly(fs)
    fs.write_atomic(LOG_PATH, change(data), sync=True)
    log = open_log(fs, clean=True, may_vote=False)
    whole = len(data) // 3
    assert fs.read_bytes(LOG_PATH) == data[: len(change(data)) // whole * whole]
    assert log.log_end_offset == min(3, len(change(data)) // whole)


def test_after_a_clean_stop_whole_batches_below_the_mark_are_missed() -> None:
    fs = new_fs()
    data = _close_cleanly(fs)
    FlushMark(fs, DIRECTORY, is_kept=True).synced(3)
    open_log(fs, clean=True)
    fs.write_atomic(LOG_PATH, data[: 2 * len(data) // 3], sync=True)
    with pytest.raises(StartupError, match=f"{LOG_PATH} ends at offset 2, but the metadata log was durable up to"):
        open_log(fs, clean=True)
