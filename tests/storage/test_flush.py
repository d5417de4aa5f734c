"""Group commit: what is synced, what is told, and what is not believed."""

import pytest

from kafkacompat.now import Now
from kafkacompat.storage.checkpoints import read_partition_metadata
from kafkacompat.storage.flush import Actions, Flusher
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import PATH, TOPIC_ID, append, at, batch, open_log, topic_config


def test_one_job_syncs_all_that_wait_and_tells_them() -> None:
    fs = MemFs()
    fs.mkdir("/data")
    fs.fsync_dir("/")
    flusher = Flusher(fs)
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(3)]
    told: list[tuple[int, int]] = []
    for i, log in enumerate(logs):
        for _ in range(4):
            append(log, batch())
            flusher.request(log, lambda now, i=i: told.append((i, now.monotonic_ms)))  # type: ignore[misc]
    job = flusher.take()
    assert job is not None
    assert flusher.take() is None
    append(logs[0], batch())
    operations = fs.record()
    assert job.run() is None
    assert [name for name, _, _ in operations].count("fsync") == 9  # batches, epochs and the topic id
    assert [log.flushed_offset for log in logs] == [0, 0, 0]
    flusher.finish(job, None, at(7))
    assert [log.flushed_offset for log in logs] == [4, 4, 4]  # not what came after
    assert told == [(i, 7) for i in range(3) for _ in range(4)]
    fs.crash()
    ends = [open_log(fs, path=f"/data/t-{i}").log_end_offset for i in range(3)]
    assert ends == [5, 4, 4]  # a sync takes along what was written before it ran


def test_a_second_flush_syncs_no_names() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    for expected in (2, 0):
        append(log, batch())
        flusher.request(log)
        operations = fs.record()
        flusher.flush_inline(at())
        assert [name for name, _, _ in operations].count("fsync_dir") == expected


def test_a_roll_has_the_sealed_segment_synced() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=len(batch())), flusher=flusher)
    append(log, batch())
    assert not flusher.has_work
    append(log, batch())
    operations = fs.record()
    flusher.flush_inline(at())
    synced = {path.rpartition("/")[2] for name, path, _ in operations if name == "fsync"}
    assert {f"{0:020d}.log", f"{0:020d}.index", f"{0:020d}.timeindex", f"{1:020d}.snapshot"} <= synced


def test_a_sync_that_fails_takes_its_log_offline_and_nobody_else() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(2)]
    told: list[Now] = []
    for log in logs:
        append(log, batch())
        flusher.request(log, told.append)
    fs.fail_next(lambda operation: operation[0] == "fsync" and "t-0" in operation[1])
    flusher.flush_inline(at())
    assert [log.offline for log in logs] == [True, False]
    assert [log.flushed_offset for log in logs] == [0, 1]
    assert len(told) == 2


def test_what_was_truncated_meanwhile_is_not_taken_for_flushed() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch(5))
    append(log, batch(5))
    flusher.request(log)
    job = flusher.take()
    assert job is not None
    job.run()
    log.truncate_to(5)
    append(log, batch(5))
    flusher.finish(job, None, at())
    assert log.flushed_offset == 0


def test_a_deleted_log_can_still_finish_its_sync() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    flusher.request(log)
    job = flusher.take()
    assert job is not None
    log.delete()
    job.run()
    flusher.finish(job, None, at())


def test_a_temporary_directory_is_always_flushed(tmp_path: object) -> None:
    fs = RealFs(temporary=True)
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(flush_messages=1), path=f"{tmp_path}/t-0", flusher=flusher)
    assert not append(log, batch(3)).sync_required
    assert log.flushed_offset == 3
    told: list[Now] = []
    flusher.request(log, told.append)
    flusher.flush_inline(at())
    assert len(told) == 1
    log.close(clean=True, now=at())


def test_what_needs_no_order_is_handed_out_to_be_done_side_by_side() -> None:
    fs = MemFs()
    fs.mkdir("/data")
    fs.fsync_dir("/")
    flusher = Flusher(fs)
    handed_out: list[int] = []

    def last_one_first(actions: Actions) -> None:
        handed_out.append(len(actions))
        for action in reversed(actions):
            action()

    flusher.carry_out = last_one_first
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(3)]
    for log in logs:
        append(log, batch())
        flusher.request(log)
    flusher.flush_inline(at())
    assert handed_out == [3, 4]  # the files of each log, then their directories and the one above
    assert [log.flushed_offset for log in logs] == [1, 1, 1]
    fs.crash()
    assert [open_log(fs, path=f"/data/t-{i}").log_end_offset for i in range(3)] == [1, 1, 1]


def test_a_directory_that_cannot_be_synced_fails_every_log_that_it_holds() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(2)]
    for log in logs:
        append(log, batch())
        flusher.request(log)
    fs.fail_next(lambda operation: operation[:2] == ("fsync_dir", "/data"))
    flusher.flush_inline(at())
    assert [log.offline for log in logs] == [True, True]
    assert [log.flushed_offset for log in logs] == [0, 0]


def test_logs_are_sealed_for_one_sync_and_one_that_cannot_be_is_offline() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(2)]
    for log in logs:
        append(log, batch())
    fs.fail_next(lambda operation: operation[0] == "write" and operation[1].startswith("/data/t-0"))
    flusher.seal(logs)
    flusher.flush_inline(at())
    assert [log.offline for log in logs] == [True, False]
    assert not logs[1].is_unsynced
    operations = fs.record()
    logs[1].close(clean=True, now=at())
    assert not operations  # nothing is left to do


def test_whoever_waits_for_a_sync_is_told_whatever_another_one_raises() -> None:
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    told: list[Now] = []
    flusher.request(log, lambda _now: 1 // 0)  # type: ignore[arg-type, return-value]
    flusher.request(log, told.append)
    with pytest.raises(ZeroDivisionError):
        flusher.flush_inline(at())
    assert len(told) == 1


def test_the_topic_id_is_as_durable_as_the_records() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    log.flush()
    fs.fsync_dir("/data")
    fs.fsync_dir("/")
    fs.crash()
    assert read_partition_metadata(fs, f"{PATH}/partition.metadata") == TOPIC_ID
