"""Several log directories of one manager: where a log is placed, and what a failed or full one affects."""

import errno
from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.storage.checkpoints import HIGH_WATERMARK_FILE, RECOVERY_POINT_FILE, read_offsets
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.protocol.records.old_messages import old_message
from tests.storage.support import TOPIC_ID, append, at, batch, checkpoint, topic_config

PATHS = ["/a", "/b"]
EPOCH = 17
INCARNATION = bytes(range(16, 32))


def machine() -> MemFs:
    fs = MemFs()
    fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
    fs.write_atomic(BOOT_ID_PATH, b"b00-1\n", sync=False)
    return fs


def opened(fs: MemFs) -> LogManager:
    config = BrokerConfig({"node.id": ("1", "test")})
    return LogManager.open(fs, PATHS, config, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))


def log_of(manager: LogManager, partition: int) -> Log:
    return manager.open_log("t", TOPIC_ID, partition, topic_config(), at())


def four_logs(manager: LogManager) -> list[Log]:
    logs = [log_of(manager, partition) for partition in range(4)]
    for log in logs:
        append(log, batch(3))
    return logs


def test_a_new_log_goes_to_the_directory_with_the_fewest_and_is_found_there_again() -> None:
    fs = machine()
    manager = opened(fs)
    assert [log.path for log in four_logs(manager)] == ["/a/t-0", "/b/t-1", "/a/t-2", "/b/t-3"]
    assert manager.directory_of("t", 4) is None
    manager.close(clean=True, high_watermarks={("t", 1): 3}, broker_epoch=EPOCH, now=at())
    manager = opened(fs)
    assert manager.directory_of("t", 3) is manager.directories[1]
    assert log_of(manager, 3).path == "/b/t-3"
    assert log_of(manager, 1).path == "/b/t-1"
    assert (manager.previous_broker_epoch, manager.high_watermark_checkpoint("t", 1)) == (EPOCH, 3)


def test_all_directories_are_of_one_cluster_and_have_ids_of_their_own() -> None:
    manager = opened(machine())
    first, second = manager.directories
    assert first.cluster_id == second.cluster_id == manager.cluster_id
    assert first.directory_id != second.directory_id


def test_directories_fail_apart() -> None:
    manager = opened(machine())
    logs = four_logs(manager)
    manager.directories[1].take_offline(OSError(errno.EIO, "I/O error"))
    assert manager.offline_directories == (manager.directories[1],)
    append(logs[0], batch())
    with pytest.raises(LogError) as caught:
        append(logs[1], batch())
    assert caught.value.error_code == KAFKA_STORAGE_ERROR
    assert [each.error_code for each in manager.describe()] == [0, KAFKA_STORAGE_ERROR]
    assert log_of(manager, 4).path == "/a/t-4"


def test_a_full_disk_stops_appends_to_its_own_directory() -> None:
    manager = opened(machine())
    logs = four_logs(manager)
    manager.directories[0].disk.make_room(OSError(errno.ENOSPC, "no space left on device"))
    assert manager.full_directories == [manager.directories[0]]
    append(logs[1], batch())
    with pytest.raises(LogError):
        append(logs[0], batch())
    manager.restore_reserves()
    append(logs[0], batch())


def test_each_directory_has_the_checkpoints_of_its_logs() -> None:
    fs = machine()
    manager = opened(fs)
    for log in four_logs(manager):
        log.flush()
    checkpoint(manager, at(), {("t", partition): 2 for partition in range(4)})
    assert read_offsets(fs, f"/a/{RECOVERY_POINT_FILE}") == {("t", 0): 3, ("t", 2): 3}
    assert read_offsets(fs, f"/b/{HIGH_WATERMARK_FILE}") == {("t", 1): 2, ("t", 3): 2}


def test_what_one_directory_cannot_prove_the_broker_does_not_claim() -> None:
    fs = machine()
    manager = opened(fs)
    four_logs(manager)
    manager.registered(EPOCH, INCARNATION)
    fs.restart()
    assert opened(fs).previous_broker_epoch == EPOCH
    fs.restart()
    fs.remove("/b/session.json")
    assert opened(fs).previous_broker_epoch == -1


def test_a_stop_closes_all_directories_in_steps() -> None:
    fs = machine()
    manager = opened(fs)
    four_logs(manager)
    steps = manager.closing(clean=True, high_watermarks={}, broker_epoch=EPOCH, now=at())
    assert list(steps) == [(2, 4), (4, 4)]
    opened(fs).close(clean=True, high_watermarks={}, broker_epoch=EPOCH, now=at())


def test_a_start_that_cannot_have_all_directories_leaves_none_locked() -> None:
    fs = machine()
    fs.mkdir("/b")
    lock = fs.lock("/b/.lock")
    with pytest.raises(StartupError, match="/b is locked"):
        opened(fs)
    lock.close()
    opened(fs)


def test_a_log_that_was_not_recovered_makes_no_stop_a_clean_one() -> None:
    fs = machine()
    manager = opened(fs)
    four_logs(manager)
    manager.close(clean=False, high_watermarks={}, broker_epoch=EPOCH, now=at())
    path = f"/a/t-0/{0:020d}.log"
    fs.write_atomic(path, fs.read_bytes(path) + old_message(3, 1, b"k", b"v"), sync=True)
    manager = opened(fs)
    with pytest.raises(OSError, match="not served"):
        log_of(manager, 0)
    log_of(manager, 1)
    manager.close(clean=True, high_watermarks={}, broker_epoch=EPOCH, now=at())
    manager = opened(fs)
    assert [directory.was_clean_shutdown for directory in manager.directories] == [False, True]
    with pytest.raises(OSError, match="not served"):
        log_of(manager, 0)
