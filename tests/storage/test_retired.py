"""Deleted and stray directories that cannot be renamed on a full disk wait, and the disk stays online."""

from __future__ import annotations

import errno
from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.reserve import ReserveFs
from kafkacompat.storage.retired import FILES_PER_STEP
from tests.storage.support import TOPIC_ID, append, at, batch, produced, the_log, topic_config

DIR = "/data"
OTHER_ID = bytes(reversed(range(16)))
DELAY_MS = 60_000


class Disk(MemFs):
    """A new name of a directory takes a block."""

    error_number = errno.ENOSPC

    def rename(self, path: str, new_path: str) -> None:
        if self.is_dir(path) and self.free_bytes is not None and self.free_bytes < 1:
            raise OSError(self.error_number, "no space left on device", new_path)
        super().rename(path, new_path)

    def fill(self) -> None:
        self.free_bytes = 0


def manager_on(fs: Disk) -> LogManager:
    disk = ReserveFs(fs, DIR)
    config = BrokerConfig({"node.id": ("1", "test")})
    return LogManager.open(disk, [DIR], config, at(), cluster_id=None, flusher=Flusher(disk), rng=Random(1))


def opened(manager: LogManager, topic_id: bytes = TOPIC_ID, partition: int = 0) -> Log:
    return manager.open_log("t", topic_id, partition, topic_config(), at())


def remove_due(manager: LogManager, now_ms: int) -> None:
    manager.remove_deleted(at(now_ms))
    manager.metadata_directory._flusher.background.run_inline(at(now_ms))


def names(fs: Disk) -> list[str]:
    """The directories of partitions, without what makes them unique."""
    found = (name for name in fs.listdir(DIR) if name.startswith("t-"))
    return [name.split(".")[0] + name[name.rfind("-") :] * ("." in name) for name in found]


@pytest.mark.parametrize("error_number", [errno.ENOSPC, errno.EDQUOT])
def test_a_deletion_without_room_waits_and_the_disk_goes_on(error_number: int) -> None:
    fs = Disk()
    fs.error_number = error_number
    manager = manager_on(fs)
    append(opened(manager), batch())
    other = opened(manager, partition=1)
    fs.fill()
    manager.delete_log(("t", 0), at())
    assert (manager.metadata_directory.offline, names(fs)) == (None, ["t-0", "t-1"])
    remove_due(manager, 1)
    assert (manager.metadata_directory.offline, names(fs)) == (None, ["t-0", "t-1"])
    fs.free_bytes = None
    remove_due(manager, 2)
    assert names(fs) == ["t-0-delete", "t-1"]
    manager.restore_reserves()
    append(other, batch())
    remove_due(manager, DELAY_MS)
    assert names(fs) == ["t-1"]


def test_a_log_that_was_set_aside_without_room_waits_and_stays() -> None:
    fs = Disk()
    manager = manager_on(fs)
    append(opened(manager), batch())
    opened(manager, partition=1)
    fs.fill()
    manager.metadata_directory.set_strays_aside(lambda _topic, partition: partition == 1, at())
    remove_due(manager, DELAY_MS)
    assert (manager.metadata_directory.offline, names(fs)) == (None, ["t-0", "t-1"])
    assert fs.size(f"{DIR}/t-0/{0:020}.log") > 0
    fs.free_bytes = None
    remove_due(manager, DELAY_MS)
    remove_due(manager, 3 * DELAY_MS)
    assert names(fs) == ["t-0-stray", "t-1"]


@pytest.mark.parametrize("topic_id", [TOPIC_ID, OTHER_ID])
def test_nothing_is_opened_in_a_directory_that_waits(topic_id: bytes) -> None:
    fs = Disk()
    manager = manager_on(fs)
    append(opened(manager), batch())
    fs.fill()
    manager.delete_log(("t", 0), at())
    with pytest.raises(OSError, match="no space") as raised:
        opened(manager, topic_id)
    assert raised.value.errno == errno.ENOSPC
    fs.free_bytes = None
    assert opened(manager, topic_id).log_end_offset == 0
    remove_due(manager, DELAY_MS)
    assert names(fs) == ["t-0"]


def test_a_deletion_makes_the_room_that_its_name_needs() -> None:
    fs = Disk()
    manager = manager_on(fs)
    for partition in range(2):
        append(opened(manager, partition=partition), batch())
        the_log(manager, "t", partition).flush()
    fs.fill()
    for partition in range(2):
        manager.delete_log(("t", partition), at())
    remove_due(manager, DELAY_MS - 1)
    assert names(fs) == ["t-0", "t-1"]
    remove_due(manager, DELAY_MS)
    assert fs.free_bytes
    remove_due(manager, DELAY_MS)
    assert (manager.metadata_directory.offline, names(fs)) == (None, [])


def test_segments_go_newest_first_so_that_a_crash_leaves_the_beginning_of_the_log() -> None:
    fs = Disk()
    manager = manager_on(fs)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(segment_bytes="100"), at())
    count = FILES_PER_STEP
    for offset in range(count):
        append(log, produced(3, 0, offset, 1))
    fs.fill()
    manager.delete_log(("t", 0), at())
    before = sorted(name for name in fs.listdir(f"{DIR}/t-0") if name[0].isdigit())
    remove_due(manager, DELAY_MS)
    left = sorted(name for name in fs.listdir(f"{DIR}/t-0") if name[0].isdigit())
    assert left == before[: len(before) - FILES_PER_STEP]
    fs.free_bytes = None
    fs.restart()
    again = opened(manager_on(fs))
    assert 0 < again.log_end_offset < count
    assert again.log_start_offset == 0


def test_no_log_is_opened_where_segments_are_being_removed() -> None:
    fs = Disk()
    manager = manager_on(fs)
    append(opened(manager), batch())
    fs.fill()
    manager.delete_log(("t", 0), at())
    manager.remove_deleted(at(DELAY_MS))
    fs.free_bytes = None
    with pytest.raises(OSError) as raised:
        opened(manager)
    assert raised.value.errno == errno.ENOSPC
    manager.metadata_directory._flusher.background.run_inline(at(DELAY_MS))
    manager.restore_reserves()
    append(opened(manager), batch())
    remove_due(manager, DELAY_MS)
    assert fs.size(f"{DIR}/t-0/{0:020}.log") > 0


def test_a_segment_that_cannot_be_removed_keeps_those_before_it_and_holds_up_no_other_log() -> None:
    fs = Disk()
    manager = manager_on(fs)
    for partition in range(2):
        append(opened(manager, partition=partition), batch())
    fs.fill()
    for partition in range(2):
        manager.delete_log(("t", partition), at())
    fs.fail_next(lambda operation: operation[0] == "remove" and "/t-0/" in operation[1])
    before = fs.listdir(f"{DIR}/t-0")
    remove_due(manager, DELAY_MS)
    assert fs.listdir(f"{DIR}/t-0") == before
    remove_due(manager, DELAY_MS)
    remove_due(manager, DELAY_MS)
    assert (manager.metadata_directory.offline, names(fs)) == (None, [])


def test_a_disk_that_fails_when_a_rename_is_tried_again_is_offline() -> None:
    fs = Disk()
    manager = manager_on(fs)
    opened(manager)
    fs.fill()
    manager.delete_log(("t", 0), at())
    fs.free_bytes = None
    fs.fail_next(lambda operation: operation[0] == "rename")
    remove_due(manager, 1)
    assert manager.metadata_directory.offline == "injected fault"
