"""A data directory: its owner, checkpoints, deletions, stop, restart and failures."""

import errno
from collections.abc import Iterator
from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.steps import at_once
from kafkacompat.storage.checkpoints import RECOVERY_POINT_FILE, read_offsets
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import MOVED_PER_UNIT, LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.partition_dir import directory_name, parse_directory_name
from kafkacompat.storage.waiting_logs import WaitingLogs, expire_producers
from tests.storage.support import TOPIC_ID, append, at, batch, checkpoint, produced, the_log, topic_config

DIR = "/data"
OTHER_ID = bytes(reversed(range(16)))


def _open(
    fs: Fs, path: str = DIR, *, node_id: int = 1, cluster_id: str | None = None, seed: int = 1,
    flusher: Flusher | None = None,
) -> LogManager:  # fmt: skip
    config = BrokerConfig({"node.id": (str(node_id), "test")})
    flusher = flusher or Flusher(fs)
    return LogManager.open(fs, [path], config, at(), cluster_id=cluster_id, flusher=flusher, rng=Random(seed))


def _close(manager: LogManager, *, clean: bool = True, **high_watermarks: int) -> None:
    marks = {("t", int(name[1:])): offset for name, offset in high_watermarks.items()}
    manager.close(clean=clean, high_watermarks=marks, broker_epoch=42, now=at())


def test_a_clean_stop_is_remembered_once(fs: Fs, path: str) -> None:
    manager = _open(fs, path)
    assert (manager.metadata_directory.was_clean_shutdown, manager.previous_broker_epoch) == (False, -1)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, produced(3, 0, 0, 5))
    identity = manager.cluster_id, manager.metadata_directory.directory_id
    _close(manager, p0=4)
    assert ".lock" not in fs.listdir(path)
    assert fs.read_bytes(f"{path}/.kafka_cleanshutdown") == b'{"version":0,"brokerEpoch":42}'
    assert fs.read_bytes(f"{path}/recovery-point-offset-checkpoint") == b"0\n1\nt 0 5\n"

    manager = _open(fs, path, seed=2)
    assert (manager.metadata_directory.was_clean_shutdown, manager.previous_broker_epoch) == (True, 42)
    assert (manager.cluster_id, manager.metadata_directory.directory_id) == identity
    assert ".kafka_cleanshutdown" not in fs.listdir(path)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    assert (log.log_end_offset, log.recovery) == (5, None)
    assert manager.high_watermark_checkpoint("t", 0) == 4
    _close(manager, clean=False)
    manager = _open(fs, path)
    assert (manager.metadata_directory.was_clean_shutdown, manager.previous_broker_epoch) == (False, -1)
    _close(manager, clean=False)


def test_a_clean_stop_syncs_nothing_of_a_log_twice() -> None:
    fs = MemFs()
    manager = _open(fs)
    for partition in range(3):
        append(manager.open_log("t", TOPIC_ID, partition, topic_config(), at()), produced(3, 0, 0, 5))
    operations = fs.record()
    _close(manager)
    synced = [path for name, path, _ in operations if name in ("fsync", "fsync_dir") and path.startswith(f"{DIR}/t-")]
    assert len(synced) == len(set(synced)) == 3 * 7  # log, two indexes, producers, epochs, topic id, directory


def test_a_killed_broker_leaves_the_lock_file_but_no_lock() -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch(3))
    fs.restart()
    manager = _open(fs)
    assert manager.open_log("t", TOPIC_ID, 0, topic_config(), at()).log_end_offset == 3


def test_two_brokers_cannot_share_a_directory(fs: Fs, path: str) -> None:
    manager = _open(fs, path)
    advice = r"stop it or choose another \(--data-dir, log.dirs\)"
    with pytest.raises(StartupError, match=f"is locked by another broker.*{advice}"):
        _open(fs, path)
    _close(manager)
    _close(_open(fs, path))


def test_a_directory_keeps_its_owner() -> None:
    fs = MemFs()
    manager = _open(fs, node_id=1, cluster_id="mine")
    assert manager.cluster_id == "mine"
    _close(manager)
    with pytest.raises(StartupError, match="belongs to broker 1, not to 2"):
        _open(fs, node_id=2)
    with pytest.raises(StartupError, match="belongs to cluster mine, not to yours"):
        _open(fs, cluster_id="yours")
    _close(_open(fs, cluster_id="mine"))


def test_what_cannot_be_used_is_one_line_for_the_user() -> None:
    fs = MemFs()
    fs.fail_next(lambda operation: operation[0] == "mkdir", 13)
    with pytest.raises(StartupError, match="data directory /data cannot be used"):
        _open(fs)
    _close(_open(fs))
    fs.write_atomic(f"{DIR}/meta.properties", b"nonsense", sync=True)
    with pytest.raises(StartupError, match=r"meta\.properties") as caught:
        _open(fs)
    assert "\n" not in str(caught.value)
    fs.remove(f"{DIR}/meta.properties")
    _close(_open(fs))  # the failed starts have let the lock go


def test_checkpoints_are_written_when_they_change_and_only_then() -> None:
    fs = MemFs()
    manager = _open(fs)
    log = manager.open_log("t", TOPIC_ID, 1, topic_config(), at())
    append(log, batch(9))
    checkpoint(manager, at(), {("t", 1): 7})
    assert fs.read_bytes(f"{DIR}/replication-offset-checkpoint") == b"0\n1\nt 1 7\n"
    assert fs.read_bytes(f"{DIR}/recovery-point-offset-checkpoint") == b"0\n1\nt 1 0\n"
    assert fs.read_bytes(f"{DIR}/log-start-offset-checkpoint") == b"0\n0\n"
    operations = fs.record()
    checkpoint(manager, at(), {("t", 1): 7})
    assert not operations
    log.delete_records_before(4, at())
    log.flush()
    checkpoint(manager, at(), {("t", 1): 9})
    assert fs.read_bytes(f"{DIR}/recovery-point-offset-checkpoint") == b"0\n1\nt 1 9\n"
    assert fs.read_bytes(f"{DIR}/log-start-offset-checkpoint") == b"0\n1\nt 1 4\n"
    fs.restart()
    log = _open(fs).open_log("t", TOPIC_ID, 1, topic_config(), at())
    assert (log.log_start_offset, log.log_end_offset) == (4, 9)


def test_unreadable_checkpoints_cost_time_and_no_data(caplog: pytest.LogCaptureFixture) -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch(9))
    _close(manager, p0=9)
    for name in ("recovery-point", "replication", "log-start"):
        fs.write_atomic(f"{DIR}/{name}-offset-checkpoint", b"\xff", sync=True)
    log = _open(fs).open_log("t", TOPIC_ID, 0, topic_config(), at())
    assert log.log_end_offset == 9
    assert caplog.text.count("starting without a checkpoint") == 3


def _remove_deleted(manager: LogManager, now: Now) -> None:
    manager.remove_deleted(now)
    manager.metadata_directory._flusher.background.run_inline(now)


def test_deleting_renames_at_once_and_removes_later(fs: Fs, path: str) -> None:
    manager = _open(fs, path)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    manager.delete_log(("t", 0), at())
    (renamed,) = (name for name in fs.listdir(path) if name.startswith("t-0"))
    assert renamed.endswith("-delete")
    assert len(renamed) == len("t-0.") + 32 + len("-delete")
    again = manager.open_log("t", OTHER_ID, 0, topic_config(), at())
    assert again.log_end_offset == 0
    _remove_deleted(manager, at(59_999))
    assert renamed in fs.listdir(path)
    _remove_deleted(manager, at(60_000))
    assert renamed not in fs.listdir(path)
    _close(manager)


def test_an_interrupted_deletion_is_taken_up_again() -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    manager.delete_log(("t", 0), at())
    fs.restart()
    manager = _open(fs)
    _remove_deleted(manager, at(60_000))
    assert not [name for name in fs.listdir(DIR) if name.startswith("t-0")]


def test_the_longest_topic_name_can_be_deleted() -> None:
    fs = MemFs()
    manager = _open(fs)
    manager.open_log("x" * 249, TOPIC_ID, 12345, topic_config(), at())
    manager.delete_log(("x" * 249, 12345), at())
    assert max(map(len, fs.listdir(DIR))) == 255


def test_an_earlier_topics_directory_is_set_aside(caplog: pytest.LogCaptureFixture) -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch(4))
    _close(manager, p0=4)
    manager = _open(fs)
    log = manager.open_log("t", OTHER_ID, 0, topic_config(), at())
    assert (log.log_end_offset, manager.high_watermark_checkpoint("t", 0)) == (0, 0)
    assert [name for name in fs.listdir(DIR) if name.endswith("-stray")]
    assert uuid_to_text(OTHER_ID) in caplog.text


def test_a_failing_disk_takes_all_logs_offline_and_the_stop_is_not_clean() -> None:
    fs = MemFs()
    manager = _open(fs)
    logs = [manager.open_log("t", TOPIC_ID, partition, topic_config(), at()) for partition in range(2)]
    for log in logs:
        append(log, batch())
    fs.fail_next(lambda operation: operation[0] == "write" and "/t-0/" in operation[1])
    for log in logs:
        with pytest.raises(LogError) as caught:
            append(log, batch())
        assert caught.value.error_code == KAFKA_STORAGE_ERROR
    assert manager.metadata_directory.offline
    (directory,) = manager.describe()
    assert directory.error_code == KAFKA_STORAGE_ERROR
    with pytest.raises(OSError, match="fault"):
        manager.open_log("t", TOPIC_ID, 2, topic_config(), at())
    _close(manager)
    assert ".kafka_cleanshutdown" not in fs.listdir(DIR)


def test_log_dirs_lists_sizes() -> None:
    fs = MemFs(free_bytes=100_000)
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    (directory,) = manager.describe()
    sizes = {key: log.size_bytes for key, log in directory.logs.items()}
    assert (directory.path, directory.error_code, sizes) == (DIR, 0, {("t", 0): len(batch())})
    assert 0 < directory.usable_bytes < 100_000


def test_flush_ms_is_kept() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    config = BrokerConfig({"node.id": ("1", "test")})
    manager = LogManager.open(fs, [DIR], config, at(), cluster_id=None, flusher=flusher, rng=Random(1))
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(flush_ms=100), at())
    append(log, batch(), ms=5)
    assert manager.request_due_flushes(at(50)) == 105
    assert not flusher.has_work
    manager.request_due_flushes(at(105))
    flusher.flush_inline(at(105))
    assert log.flushed_offset == 1


def test_checkpoints_get_only_changed_offsets_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = _open(MemFs())
    logs = [manager.open_log("t", TOPIC_ID, index, topic_config(), at()) for index in range(10 * MOVED_PER_UNIT)]
    take, seen = WaitingLogs.pop_moved, []

    def noted(waiting: WaitingLogs) -> Iterator[Log]:
        for log in take(waiting):
            seen.append(log)
            yield log

    monkeypatch.setattr(WaitingLogs, "pop_moved", noted)
    units = list(manager.checkpoint({("t", index): 0 for index in range(len(logs))}))
    assert len(units) == sum(units) == 2 * len(logs) // MOVED_PER_UNIT
    assert set(seen) == set(logs)
    manager.metadata_directory._flusher.background.run_inline(at())
    seen.clear()
    append(logs[3], batch())
    logs[5].delete_records_before(0, at())
    assert not list(manager.checkpoint({}))
    assert not seen  # nothing of it is durable
    logs[3].flush()
    assert len(list(manager.checkpoint({}))) == 1
    assert seen == [logs[3]]


def test_a_directory_may_be_created_while_checkpoints_are_collected() -> None:
    fs = MemFs()
    manager = _open(fs)
    for index in range(3 * MOVED_PER_UNIT):
        log = manager.open_log("t", TOPIC_ID, index, topic_config(), at())
        append(log, batch())
        log.flush()
    checkpoint(manager, at(), {})
    manager.delete_log(("t", 0), at())
    for log in manager.all_logs():
        append(log, batch())
        log.flush()
    collecting = manager.checkpoint({})
    next(collecting)
    manager.open_log("t", bytes(16)[:-1] + b"x", 0, topic_config(), at())  # the files may still name its predecessor
    assert not list(collecting)
    manager.metadata_directory._flusher.background.run_inline(at())
    found = read_offsets(fs, f"{DIR}/{RECOVERY_POINT_FILE}")
    assert found == {("t", 0): 0} | {("t", index): 2 for index in range(1, 3 * MOVED_PER_UNIT)}


def test_all_logs_share_the_files_that_may_be_open() -> None:
    manager = _open(MemFs())
    manager.limit_open_files(4)
    logs = [manager.open_log("t", TOPIC_ID, index, topic_config(), at()) for index in range(20)]
    for _ in range(2):
        for log in logs:
            append(log, batch())
            assert sum(segment.file.file is not None for log in logs for segment in log.segments.all) <= 4
    manager.metadata_directory._flusher.background.run_inline(at())
    assert [log.log_end_offset for log in logs] == [2] * 20
    assert len(manager.metadata_directory.files) == 4
    _close(manager)


def test_producers_expire() -> None:
    manager = _open(MemFs())
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, produced(3, 0, 0))
    at_once(expire_producers(manager.all_logs(), 86_400_000, at(86_399_999)))
    assert log.producers.entries
    at_once(expire_producers(manager.all_logs(), 86_400_000, at(86_400_000)))
    assert not log.producers.entries


@pytest.mark.parametrize("topic", ["", ".", "..", "a/b", "a\\b", "a\0", "ü", "x" * 250, "a b"])
def test_no_path_is_made_of_a_bad_name(topic: str) -> None:
    with pytest.raises(ValueError, match="no topic name"):
        directory_name(topic, 0)
    assert parse_directory_name(f"{topic}-0") is None


def test_directory_names() -> None:
    assert directory_name("a.b-c_1", 20) == "a.b-c_1-20"
    assert parse_directory_name("a.b-c_1-20") == ("a.b-c_1", 20)
    assert [parse_directory_name(name) for name in ("x", "x-", "-1", "x-1.0-delete", "x-١")] == [None] * 5


def test_no_recovery_trusts_what_is_written_after_a_truncation() -> None:
    fs = MemFs()
    manager = _open(fs)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    for _ in range(4):
        append(log, batch(5))
    log.flush()
    checkpoint(manager, at(), {})
    assert fs.read_bytes(f"{DIR}/recovery-point-offset-checkpoint") == b"0\n1\nt 0 20\n"
    log.truncate_to(10)
    append(log, batch(5))
    assert fs.read_bytes(f"{DIR}/recovery-point-offset-checkpoint") == b"0\n1\nt 0 10\n"


def test_truncations_of_many_logs_are_synced_together_in_a_later_iteration() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    manager = _open(fs, flusher=flusher)
    logs = [manager.open_log("t", TOPIC_ID, index, topic_config(), at()) for index in range(5)]
    for log in logs:
        append(log, batch(5))
        append(log, batch(5))
        log.flush()
    checkpoint(manager, at(), {})
    operations = fs.record()
    for log in logs:
        log.truncate_to(5)
    assert not [path for name, path, _ in operations if name.startswith("fsync")]
    assert all(log.has_unflushed_truncation for log in logs)
    flusher.flush_inline(at())
    written = [path for name, path, _ in operations if name == "rename" and "recovery-point" in path]
    assert len(written) == 1
    assert {f"{log.path}/{0:020d}.log" for log in logs} <= {path for name, path, _ in operations if name == "fsync"}
    assert not any(log.has_unflushed_truncation for log in logs)
    assert fs.read_bytes(f"{DIR}/recovery-point-offset-checkpoint").endswith(b"t 4 5\n")


def test_an_unflushed_truncation_is_synced_by_a_clean_stop() -> None:
    fs = MemFs()
    manager = _open(fs)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, batch(5))
    append(log, batch(5))
    log.flush()
    log.truncate_to(5)
    operations = fs.record()
    manager.close(clean=True, high_watermarks={}, broker_epoch=1, now=at())
    assert ("fsync", f"{log.path}/{0:020d}.log") in [(name, path) for name, path, _ in operations]


def test_a_file_that_cannot_be_removed_holds_up_no_other() -> None:
    fs = MemFs()
    manager = _open(fs)
    logs = [manager.open_log("t", TOPIC_ID, index, topic_config(segment_bytes=100), at()) for index in range(2)]
    for log in logs:
        append(log, batch(1))
        append(log, batch(1))
        log.delete_records_before(1, at())
    fs.fail_next(lambda operation: operation[0] == "remove" and "t-0" in operation[1])
    _remove_deleted(manager, at(10_000_000))
    assert manager.metadata_directory.offline is None
    assert not [name for name in fs.listdir(f"{DIR}/t-1") if name.endswith(".deleted")]


def _fail_next(fs: MemFs, name: str, part: str, error_number: int = errno.EIO) -> None:
    fs.fail_next(lambda operation: operation[0] == name and part in operation[1], error_number)


def test_a_directory_that_could_not_be_read_is_unlocked() -> None:
    fs = MemFs()
    _close(_open(fs))
    _fail_next(fs, "read_bytes", "recovery-point-offset-checkpoint")
    with pytest.raises(StartupError, match="injected fault"):
        _open(fs)
    _close(_open(fs))


@pytest.mark.parametrize("error_number", [errno.EIO, errno.ENOSPC])
def test_a_stop_without_checkpoints_is_not_clean_and_lets_the_directory_go(error_number: int) -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), produced(3, 0, 0, 5))
    for _ in range(1 + (error_number == errno.ENOSPC)):  # with the room of the reserve, too
        _fail_next(fs, "rename", "recovery-point-offset-checkpoint", error_number)
    _close(manager)
    assert (manager.metadata_directory.offline is not None) is (error_number == errno.EIO)
    again = _open(fs)
    assert not again.metadata_directory.was_clean_shutdown
    _close(again)


def test_a_disk_that_fails_at_registration_is_offline() -> None:
    fs = MemFs()
    manager = _open(fs)
    _fail_next(fs, "rename", "session.json")
    manager.registered(7, b"i" * 16)
    assert manager.metadata_directory.offline == "injected fault"


def test_a_disk_that_fails_at_a_deletion_is_offline() -> None:
    fs = MemFs()
    manager = _open(fs)
    manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    _fail_next(fs, "rename", "-delete")
    manager.delete_log(("t", 0), at())
    assert manager.metadata_directory.offline == "injected fault"


def test_a_disk_that_fails_at_a_checkpoint_is_offline() -> None:
    fs = MemFs()
    manager = _open(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), produced(3, 0, 0, 5))
    _fail_next(fs, "rename", "replication-offset-checkpoint")
    checkpoint(manager, at(), {("t", 0): 3})
    assert manager.metadata_directory.offline == "injected fault"


def test_a_log_that_is_open_takes_the_config_of_its_topic_and_gives_way_to_a_topic_of_its_name() -> None:
    manager = _open(MemFs())
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    assert manager.open_log("t", TOPIC_ID, 0, topic_config(retention_ms="7"), at()) is log
    assert log.config.retention_ms == 7
    append(log, produced(3, 0, 0, 5))
    other = manager.open_log("t", OTHER_ID, 0, topic_config(), at())
    assert log.is_closed
    assert (other.log_end_offset, the_log(manager, "t", 0)) == (0, other)


def test_checkpoints_forget_what_was_deleted() -> None:
    fs = MemFs()
    manager = _open(fs)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, produced(3, 0, 0, 5))
    log.flush()
    checkpoint(manager, at(), {("t", 0): 5})
    files = [f"{DIR}/{name}-offset-checkpoint" for name in ("recovery-point", "replication")]
    assert all(b"t 0 5\n" in fs.read_bytes(path) for path in files)
    manager.delete_log(("t", 0), at())
    checkpoint(manager, at(), {})
    assert not any(b"t 0" in fs.read_bytes(path) for path in files)
