"""The reserve file for a full disk, and how a log behaves on one."""

import errno
from contextlib import nullcontext
from typing import Any

import pytest

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.storage.background import Background
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.owner import LogOwner
from kafkacompat.storage.reserve import FILE_NAME, RESERVE_BYTES, ROOM_BYTES, ReserveFs, is_out_of_space
from tests.storage.support import PATH as LOG_PATH
from tests.storage.support import at, batch, offsets, open_log, topic_config

PATH = f"/d/{FILE_NAME}"


def reserve_on(free_bytes: int) -> tuple[MemFs, ReserveFs]:
    fs = MemFs(free_bytes=free_bytes)
    fs.mkdir("/d")
    return fs, ReserveFs(fs, "/d")


def test_the_reserve_is_taken_where_there_is_room():
    fs, reserve = reserve_on(RESERVE_BYTES + 5)
    reserve.restore()
    assert (fs.exists(PATH), fs.free_bytes) == (True, 5)
    reserve.restore()
    assert fs.free_bytes == 5
    reserve.remove_reserve()
    assert (fs.exists(PATH), fs.free_bytes) == (False, RESERVE_BYTES + 5)


def test_no_room_for_the_reserve_stops_nothing():
    fs, reserve = reserve_on(RESERVE_BYTES - 1)
    reserve.restore()
    assert not fs.exists(PATH)
    assert not reserve.is_full


def test_what_is_replaced_gets_the_room_of_the_reserve():
    fs, reserve = reserve_on(RESERVE_BYTES)
    reserve.restore()
    reserve.write_atomic("/d/checkpoint", b"0123", sync=True)
    assert reserve.read_bytes("/d/checkpoint") == b"0123"
    assert not fs.exists(PATH)
    assert reserve.is_full
    with pytest.raises(OSError, match="no space") as caught:
        reserve.write_atomic("/d/checkpoint", bytes(RESERVE_BYTES), sync=True)
    assert is_out_of_space(caught.value)
    assert reserve.read_bytes("/d/checkpoint") == b"0123"
    assert fs.listdir("/d") == ["checkpoint"], "nothing half written takes the room that there is"


def test_an_error_of_the_disk_is_no_lack_of_room():
    fs, reserve = reserve_on(RESERVE_BYTES + 10)
    reserve.restore()
    fs.fail_next(lambda operation: operation[0] == "rename", errno.EIO)
    with pytest.raises(OSError, match="injected") as caught:
        reserve.write_atomic("/d/checkpoint", b"0", sync=True)
    assert not is_out_of_space(caught.value)
    assert fs.exists(PATH)
    assert not reserve.is_full


def test_a_full_disk_has_room_when_there_is_more_than_the_reserve():
    fs, reserve = reserve_on(0)
    reserve.make_room(OSError(errno.EDQUOT, "disk quota exceeded"))
    for free_bytes, is_full in ((0, True), (RESERVE_BYTES, True), (RESERVE_BYTES + ROOM_BYTES, False)):
        fs.free_bytes = free_bytes
        reserve.restore()
        assert reserve.is_full is is_full
    assert fs.free_bytes == ROOM_BYTES


def test_a_reserve_that_is_removed_while_it_is_written_is_not_kept() -> None:
    """The look runs beside the loop, where a write finds the disk full meanwhile."""
    fs, reserve = reserve_on(RESERVE_BYTES + ROOM_BYTES)
    allocate = fs.allocate

    def slowly(path: str, size_bytes: int) -> None:
        allocate(path, size_bytes)
        reserve.make_room(OSError(errno.ENOSPC, "no space left on device"))

    fs.allocate = slowly  # type: ignore[method-assign]
    reserve.restore()
    fs.allocate = allocate  # type: ignore[method-assign]
    assert (fs.exists(PATH), reserve.is_full, reserve.needs_restore) == (False, True, True)
    reserve.restore()
    assert (fs.exists(PATH), reserve.is_full, reserve.needs_restore) == (True, False, False)


def test_a_quota_shows_when_the_reserve_is_written():
    """What the file system has free says nothing of it."""
    fs, reserve = reserve_on(RESERVE_BYTES + ROOM_BYTES)
    reserve.make_room(OSError(errno.EDQUOT, "disk quota exceeded"))
    fs.fail_next(lambda operation: operation[0] == "allocate", errno.EDQUOT)
    reserve.restore()
    assert reserve.is_full
    reserve.restore()
    assert not reserve.is_full


def test_what_is_temporary_keeps_no_reserve_and_goes_on_all_the_same(tmp_path):
    reserve = ReserveFs(RealFs(temporary=True), str(tmp_path))
    reserve.restore()
    assert list(tmp_path.iterdir()) == []
    reserve.make_room(OSError(errno.ENOSPC, "no space left on device"))
    reserve.restore()
    assert not reserve.is_full
    assert list(tmp_path.iterdir()) == []


def test_on_a_real_disk_the_reserve_takes_up_its_room(tmp_path):
    reserve = ReserveFs(RealFs(), str(tmp_path))
    reserve.make_room(OSError(errno.ENOSPC, "no space left on device"))
    reserve.restore()
    found = (tmp_path / FILE_NAME).stat()
    assert found.st_size == RESERVE_BYTES
    assert getattr(found, "st_blocks", RESERVE_BYTES // 512) * 512 >= RESERVE_BYTES
    assert not reserve.is_full


def rolling() -> Any:
    """Two batches fit into a segment."""
    return topic_config(segment_bytes=2 * len(batch()))


def test_wherever_an_append_runs_out_of_room_the_log_is_as_it_was_and_goes_on():
    """Each operation of an append that rolls and begins an epoch fails in turn."""
    fs = MemFs()
    log = open_log(fs, rolling())
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    copy = fs.copy()
    fs = copy.copy()
    log = open_log(fs, rolling())
    operations = fs.record()
    log.append_as_leader(batch(), leader_epoch=2, now=at())
    names = [operation[:2] for operation in operations if operation[0] not in ("pread", "read_bytes")]
    assert len(names) > 5
    for name in dict.fromkeys(names):
        fs = copy.copy()
        log = open_log(fs, rolling())
        fs.fail_next(lambda operation, name=name: operation[:2] == name, errno.ENOSPC)
        with pytest.raises(DiskFullError) as caught:
            log.append_as_leader(batch(), leader_epoch=2, now=at())
        assert caught.value.error_code == KAFKA_STORAGE_ERROR
        assert (log.offline, log.log_end_offset) == (False, 2)
        assert offsets(log) == [0, 1]
        assert log.append_as_leader(batch(), leader_epoch=2, now=at()).first_offset == 2
        log.flush()
        fs.restart()
        assert offsets(open_log(fs, rolling())) == [0, 1, 2]
        assert open_log(fs, rolling()).epochs.entries == [(1, 0), (2, 2)]


class WithReserve(LogOwner):
    may_use_reserve = True


@pytest.mark.parametrize(("owner", "is_written"), [(LogOwner(), False), (WithReserve(), True)])
@pytest.mark.parametrize("count", [1, 2])
def test_who_may_use_the_reserve_appends_on_a_full_disk(owner, is_written, count):
    fs, reserve = reserve_on(RESERVE_BYTES + ROOM_BYTES)
    reserve.restore()
    log = open_log(reserve)
    log.hand_to(owner)
    batches = memoryview(bytearray(b"".join(bytes(batch()) for _ in range(count))))
    log.append_as_leader(batches, leader_epoch=1, now=at(), internal=True)
    fs.free_bytes = 0
    with nullcontext() if is_written else pytest.raises(DiskFullError):
        log.append_as_leader(batches, leader_epoch=1, now=at(), internal=True)
    assert offsets(log) == list(range(2 * count if is_written else count))
    assert not log.offline


def test_several_batches_are_written_all_or_none():
    fs = MemFs()
    log = open_log(fs, rolling())
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    several = memoryview(bytearray(b"".join(bytes(batch()) for _ in range(4))))
    fs.fail_next(lambda operation: operation[:2] == ("write", f"{LOG_PATH}/{3:020d}.log"), errno.ENOSPC)
    with pytest.raises(DiskFullError):
        log.append_as_leader(several, leader_epoch=1, now=at(), internal=True)
    assert (log.offline, log.log_end_offset, offsets(log)) == (False, 1, [0])
    assert log.append_as_leader(several, leader_epoch=1, now=at(), internal=True).first_offset == 1
    assert offsets(log) == [0, 1, 2, 3, 4]


def test_a_part_that_cannot_be_cut_off_is_a_failure():
    fs = MemFs(free_bytes=1000)
    log = open_log(fs)
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    fs.free_bytes = 10
    fs.fail_next(lambda operation: operation[0] == "truncate", errno.EIO)
    with pytest.raises(LogError):
        log.append_as_leader(batch(), leader_epoch=1, now=at())
    assert log.offline


def test_a_sync_that_finds_no_room_is_a_failure():
    fs = MemFs()
    log = open_log(fs, flusher=Flusher(fs, Background()))
    log.append_as_leader(batch(), leader_epoch=1, now=at())
    fs.fail_next(lambda operation: operation[0] == "fsync", errno.ENOSPC)
    with pytest.raises(OSError, match="at a sync") as caught:
        log.flush()
    assert caught.value.errno == errno.EIO


def test_records_can_be_deleted_without_any_room():
    fs = MemFs()
    log = open_log(fs, rolling())
    for epoch in (1, 1, 2, 2, 3):
        log.append_as_leader(batch(), leader_epoch=epoch, now=at())
    log.flush()
    fs.free_bytes = 0
    log.delete_records_before(3, at())
    assert (log.offline, log.log_start_offset, log.epochs.entries) == (False, 3, [(2, 3), (3, 4)])
    fs.free_bytes = None
    fs.restart()
    again = open_log(fs, rolling(), log_start_offset=3)
    assert (offsets(again), again.epochs.entries) == ([3, 4], [(2, 3), (3, 4)])
