"""Group commit: which files are synced, which logs are notified, and which outdated results are ignored."""

import pytest

from kafkacompat.now import Now
from kafkacompat.replication.raft.flush_mark import FlushMark
from kafkacompat.storage import flush
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, METADATA_SYNC, SEGMENT_SYNC, Job
from kafkacompat.storage.checkpoints import read_partition_metadata
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Actions, Flusher, flush_now
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFile, MemFs
from tests.storage.support import PATH, TOPIC_ID, append, at, batch, open_log, topic_config


def test_one_job_syncs_all_waiting_logs_and_notifies_them() -> None:
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
    job = flusher.next_job()
    assert job is not None
    assert flusher.next_job() is None
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


def test_a_sync_that_fails_takes_only_its_log_offline() -> None:
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
    job = flusher.next_job()
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
    job = flusher.next_job()
    assert job is not None
    log.segments.close()
    fs.rmtree(log.path)
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
    assert not logs[1].durability.is_unsynced(logs[1].log_end_offset)
    operations = fs.record()
    logs[1].close(clean=True, now=at())
    assert not operations  # nothing is left to do


def test_every_waiter_of_a_sync_is_notified_even_if_another_one_raises() -> None:
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


# Classes of syncs


def record_size_log(fs: MemFs, flusher: Flusher, name: str) -> Log:
    """A log whose segments hold one batch each."""
    return open_log(fs, topic_config(segment_bytes=len(batch())), path=f"/data/{name}", flusher=flusher)


def begun(flusher: Flusher, work_class: str) -> Job:
    job = flusher.background.next_job(work_class)
    assert job is not None
    return job


def test_an_acknowledgement_of_another_log_does_not_wait_for_a_rolled_segment() -> None:
    fs = MemFs()
    flusher, told = Flusher(fs), list[str]()
    slow, other = (record_size_log(fs, flusher, name) for name in ("slow-0", "other-0"))
    append(slow, batch())
    append(slow, batch())
    rolled = begun(flusher, SEGMENT_SYNC)
    append(slow, batch())
    append(other, batch())
    flusher.request(slow, lambda _now: told.append("slow"))
    flusher.request(other, lambda _now: told.append("other"))
    flusher.background.run_inline(at())
    assert told == ["other"]
    assert (slow.flushed_offset, other.flushed_offset) == (0, 1)
    flusher.background.finish(rolled, rolled.execute(), at())
    assert (told, slow.flushed_offset) == (["other"], 2)
    flusher.background.run_inline(at())
    assert (told, slow.flushed_offset) == (["other", "slow"], 3)


def test_the_metadata_log_waits_for_no_other() -> None:
    fs = MemFs()
    flusher, told = Flusher(fs), list[str]()
    metadata, other = (record_size_log(fs, flusher, name) for name in ("__cluster_metadata-0", "t-0"))
    metadata.hand_to(FlushMark(fs, "/data/__cluster_metadata-0", is_kept=False))
    append(other, batch())
    flusher.request(other)
    held = begun(flusher, ACKNOWLEDGED_SYNC)
    for _ in range(2):  # a rolled segment of it as well
        append(metadata, batch())
    flusher.request(metadata, lambda _now: told.append("metadata"))
    assert flusher.background.startable() == [METADATA_SYNC]
    flusher.background.run_inline(at())
    assert told == ["metadata"]
    flusher.background.finish(held, held.execute(), at())


def test_a_log_with_a_waiting_request_is_synced_as_acknowledged() -> None:
    fs = MemFs()
    flusher, told = Flusher(fs), list[Now]()
    log = record_size_log(fs, flusher, "t-0")
    append(log, batch())
    append(log, batch())
    assert flusher.background.startable() == [SEGMENT_SYNC]
    flusher.request(log, told.append)
    acknowledged = begun(flusher, ACKNOWLEDGED_SYNC)
    assert flusher.background.next_job(SEGMENT_SYNC) is None
    flusher.background.finish(acknowledged, acknowledged.execute(), at())
    assert (len(told), log.flushed_offset) == (1, 2)


def test_what_takes_long_to_sync_is_no_part_of_the_round_that_others_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkacompat.storage.flush.STEP_BYTES", 3 * len(batch()))
    fs = MemFs()
    flusher, told = Flusher(fs), list[str]()
    large, small = (open_log(fs, path=f"/data/{name}-0", flusher=flusher) for name in ("large", "small"))
    for _ in range(4):
        append(large, batch())
    append(small, batch())
    flusher.request(large, lambda _now: told.append("large"))
    flusher.request(small, lambda _now: told.append("small"))
    flusher.background.finish(job := begun(flusher, ACKNOWLEDGED_SYNC), job.execute(), at())
    assert told == ["small"]
    flusher.background.finish(job := begun(flusher, SEGMENT_SYNC), job.execute(), at())
    assert told == ["small", "large"]
    append(large, batch())
    flusher.request(large)
    assert large.durability.unsynced_bytes == len(batch())
    assert begun(flusher, ACKNOWLEDGED_SYNC)


def test_large_segments_are_synced_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkacompat.storage.flush.STEP_BYTES", 3 * len(batch()))
    fs = MemFs()
    flusher = Flusher(fs)
    logs = [open_log(fs, path=f"/data/t-{i}", flusher=flusher) for i in range(4)]
    for log, count in zip(logs, (1, 4, 1, 1), strict=True):
        for _ in range(count):
            append(log, batch())
        flusher.request(log, work_class=SEGMENT_SYNC)
    rounds = []
    while (job := flusher.next_job()) is not None:
        rounds.append(len(job.targets))
        flusher.finish(job, job.run(), at())
    assert rounds == [2, 2]


def test_a_segment_is_synced_in_steps_as_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    step = 4
    monkeypatch.setattr("kafkacompat.storage.log.STEP_BYTES", step * len(batch()))
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, topic_config(segment_bytes=100 * len(batch())), flusher=flusher)
    flushed = []
    for _ in range(3 * step):
        append(log, batch())
        flusher.background.run_inline(at())
        flushed.append(log.flushed_offset)
    # the step is noticed by the append that follows, and takes along what that has written
    assert flushed == [0] * step + [step + 1] * step + [2 * step + 1] * (step - 1) + [2 * step + 1]
    assert log.durability.unsynced_bytes < step * len(batch())
    log.truncate_to(step)
    flusher.background.run_inline(at())
    assert log.flushed_offset == step
    for _ in range(step + 1):
        append(log, batch())
    assert flusher.background.startable() == [SEGMENT_SYNC]


def test_a_temporary_log_is_not_synced_as_it_grows(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr("kafkacompat.storage.log.STEP_BYTES", 1)
    fs = RealFs(temporary=True)
    flusher = Flusher(fs)
    log = open_log(fs, path=f"{tmp_path}/t-0", flusher=flusher)
    for _ in range(3):
        append(log, batch())
    assert not flusher.background.is_startable
    log.close(clean=True, now=at())


def test_a_log_that_is_deleted_while_it_waits_for_its_other_sync_is_notified() -> None:
    fs = MemFs()
    flusher, told = Flusher(fs), list[Now]()
    log = record_size_log(fs, flusher, "t-0")
    append(log, batch())
    append(log, batch())
    rolled = begun(flusher, SEGMENT_SYNC)
    flusher.request(log, told.append)
    log.close(clean=False, now=at())
    flusher.background.run_inline(at())
    assert len(told) == 1
    flusher.background.finish(rolled, rolled.execute(), at())
    assert not flusher.background.is_startable


def test_after_recovery_all_that_was_not_flushed_may_have_to_be_synced() -> None:
    fs = MemFs()
    log = open_log(fs)
    for _ in range(3):
        append(log, batch())
    fs.restart()
    flusher = Flusher(fs)
    again = open_log(fs, flusher=flusher)
    assert again.durability.unsynced_bytes == 3 * len(batch())
    flusher.background.run_inline(at())
    assert again.durability.unsynced_bytes == 0


def test_a_sync_takes_the_file_of_leader_epochs_with_it() -> None:
    log = open_log(MemFs())
    log.epochs.assign(3, 0)
    assert log.epochs.path in log.durability.pop_unsynced()
    assert log.epochs.is_synced


@pytest.mark.parametrize("is_told_first", [True, False])
def test_of_two_syncs_at_once_one_sees_an_error_and_neither_counts(is_told_first: bool) -> None:
    """An append behind a cut syncs by itself while a job has the log on its way: the kernel tells one of them."""
    fs = MemFs()
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    for _ in range(3):
        append(log, batch())
    flusher.request(log)
    job = flusher.next_job()
    assert job is not None
    log.durability.has_unflushed_truncation = True
    fs.fail_next(lambda operation: operation[0] == "fsync" and operation[1].endswith(".log"))
    error = None if is_told_first else job.run()
    with pytest.raises(LogError):
        append(log, batch())
    flusher.finish(job, job.run() if is_told_first else error, at())
    assert (log.failure is not None, log.flushed_offset, log.log_end_offset) == (True, 0, 3)


def durable_fs() -> MemFs:
    fs = MemFs()
    fs.mkdir("/data")
    fs.fsync_dir("/")
    return fs


def test_what_a_sync_has_taken_is_found_after_a_loss_of_power() -> None:
    fs = durable_fs()
    log = open_log(fs, path="/data/t-0")
    append(log, batch())
    flush_now(log)
    log.epochs.assign(3, 1)
    flush_now(log)
    fs.crash()
    assert LeaderEpochs.load(fs, log.epochs.path).entries == [(0, 0), (3, 1)]


def test_a_segment_that_a_truncation_has_emptied_is_synced() -> None:
    fs = durable_fs()
    log = open_log(fs, topic_config(segment_bytes=len(batch())), path="/data/t-0")
    append(log, batch())
    append(log, batch())
    flush_now(log)
    log.truncate_to(1)
    flush_now(log)
    fs.crash()
    assert open_log(fs, path="/data/t-0").log_end_offset == 1


def test_a_large_log_that_waits_alone_is_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush, "STEP_BYTES", len(batch()))
    flusher = Flusher(MemFs())
    log = open_log(MemFs(), flusher=flusher)
    append(log, batch())
    append(log, batch())
    told: list[Now] = []
    flusher.request(log, told.append)
    flusher.background.run_inline(at())
    assert (len(told), log.flushed_offset) == (1, 2)


def test_a_file_that_was_closed_is_opened_by_the_sync_and_all_are_released() -> None:
    fs = MemFs()
    opened = []
    original = fs.open

    def open_file(path: str, *, append: bool = False) -> MemFile:
        opened.append(original(path, append=append))
        return opened[-1]

    fs.open = open_file  # type: ignore[method-assign]
    flusher = Flusher(fs)
    log = open_log(fs, flusher=flusher)
    append(log, batch())
    assert log.segments.active is not None
    log.segments.active.file.close()  # by the bound of open files
    before = len(opened)
    flusher.request(log)
    job = flusher.next_job()
    assert job is not None
    assert len(opened) == before
    assert job.run() is None
    assert [file.append for file in opened[before:] if file.path.endswith(".log")] == [False]
    assert log.segments.active.file.file is None
    flusher.finish(job, None, at())
    append(log, batch())
    flush_now(log)
    assert not log.segments.active.file.is_referenced
    assert {file.path.rpartition(".")[2] for file in opened if file._node is not None} == {"log"}
