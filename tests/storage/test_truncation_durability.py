"""Checkpoints of a data directory after a truncation and during a sync: they never claim more than what is on disk."""

from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.storage.checkpoints import HIGH_WATERMARK_FILE, LOG_START_FILE, RECOVERY_POINT_FILE, read_offsets
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import Fs, RealFs
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import TOPIC_ID, append, at, batch, checkpoint, topic_config

DIR = "/data"
KEY = ("t", 0)


class Life:
    """One process that uses a data directory, with one log in it."""

    def __init__(self, fs: Fs, path: str = DIR) -> None:
        self.fs = fs
        self.path = path
        self.flusher = Flusher(fs)
        config = BrokerConfig({"node.id": ("1", "test")})
        self.manager = LogManager.open(fs, [path], config, at(), cluster_id="c", flusher=self.flusher, rng=Random(1))
        self.log: Log = self.manager.open_log(*KEY[:1], TOPIC_ID, 0, topic_config(), at())

    def fill(self, batches: int) -> None:
        for _ in range(batches):
            append(self.log, batch(5))

    def on_disk(self, name: str) -> int | None:
        return read_offsets(self.fs, f"{self.path}/{name}").get(KEY)

    def next(self, *, boot_id: str = "") -> "Life":
        """After a kill -9, or on another boot after a loss of power."""
        assert isinstance(self.fs, MemFs)
        if boot_id:
            self.fs.crash()
            boot(self.fs, boot_id)
        else:
            self.fs.restart()
        return Life(self.fs)


def boot(fs: MemFs, boot_id: str) -> None:
    fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
    fs.write_atomic(BOOT_ID_PATH, boot_id.encode(), sync=True)


@pytest.fixture
def life() -> Life:
    fs = MemFs()
    boot(fs, "b00-1")
    return Life(fs)


# The high watermark


def test_records_after_a_truncation_are_never_taken_for_committed(life: Life) -> None:
    life.manager.registered(7, bytes(16))
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 20})
    life.log.truncate_to(10)  # an unclean election had left less
    life.fill(4)
    assert life.on_disk(HIGH_WATERMARK_FILE) == 10
    after = life.next()
    assert after.manager.previous_broker_epoch == 7
    assert after.log.log_end_offset == 30
    assert after.manager.high_watermark_checkpoint(*KEY) == 10


def test_the_high_watermark_is_lowered_before_the_truncation_is_durable_and_stays_so(life: Life) -> None:
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 20})
    life.log.truncate_to(10)
    assert isinstance(life.fs, MemFs)
    operations = life.fs.record()
    life.flusher.flush_inline(at())
    steps = [(name, path.rpartition("/")[2]) for name, path, _ in operations]
    cut = steps.index(("fsync", f"{0:020d}.log"))
    assert any(name == "rename" and HIGH_WATERMARK_FILE in file for name, file in steps[:cut])
    checkpoint(life.manager, at(), {})
    assert life.on_disk(HIGH_WATERMARK_FILE) == 10
    life.fs.crash()
    assert life.on_disk(HIGH_WATERMARK_FILE) == 10


def test_a_truncation_lowers_the_high_watermark_where_nothing_is_synced_too(tmp_path: object) -> None:
    life = Life(RealFs(temporary=True), str(tmp_path))
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 20})
    life.log.truncate_to(10)
    life.fill(1)
    assert life.on_disk(HIGH_WATERMARK_FILE) == 10


def test_an_incarnation_without_a_durability_marker_leaves_no_earlier_high_watermark(life: Life) -> None:
    life.manager.registered(7, bytes(16))
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 20})
    assert isinstance(life.fs, MemFs)
    boot(life.fs, "b00-2")  # whatever a loss of power may have taken
    lost = life.next()
    assert lost.manager.previous_broker_epoch == -1
    assert lost.manager.high_watermark_checkpoint(*KEY) == 20  # for whoever has nobody to ask
    lost.manager.registered(8, bytes(16))
    assert lost.on_disk(HIGH_WATERMARK_FILE) is None
    checkpoint(lost.manager, at(), {})
    after = lost.next()
    assert after.manager.previous_broker_epoch == 8
    assert after.manager.high_watermark_checkpoint(*KEY) == 0


def test_a_high_watermark_above_the_recovered_end_is_lowered_before_anything_is_written(life: Life) -> None:
    life.manager.registered(7, bytes(16))
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 20})
    life.log.truncate_to(10)  # and killed before anybody writes that down
    after = life.next()
    assert after.manager.previous_broker_epoch == 7
    after.manager.registered(8, bytes(16))
    assert after.on_disk(HIGH_WATERMARK_FILE) == 10


def test_a_start_that_finds_all_writes_no_checkpoint(life: Life) -> None:
    life.manager.registered(7, bytes(16))
    life.fill(4)
    checkpoint(life.manager, at(), {KEY: 15})
    after = life.next()
    assert isinstance(after.fs, MemFs)
    operations = after.fs.record()
    after.manager.registered(8, bytes(16))
    assert not [path for _, path, _ in operations if HIGH_WATERMARK_FILE in path]
    checkpoint(after.manager, at(), {})
    assert after.on_disk(HIGH_WATERMARK_FILE) == 15


# The log start


def test_what_is_written_below_an_earlier_log_start_is_not_taken_for_deleted(life: Life) -> None:
    life.manager.registered(7, bytes(16))
    life.fill(4)
    life.log.delete_records_before(18, at())
    checkpoint(life.manager, at(), {})
    assert life.on_disk(LOG_START_FILE) == 18
    life.log.truncate_to(10)
    life.fill(1)
    after = life.next()
    assert (after.log.log_start_offset, after.log.log_end_offset) == (10, 15)
    assert after.manager.previous_broker_epoch == 7


# A sync on its way


def test_a_sync_in_between_does_not_count_what_another_one_has_only_begun(life: Life) -> None:
    life.fill(2)
    life.flusher.request(life.log)
    job = life.flusher.next_job()
    assert job is not None  # its names are not durable yet
    life.log.truncate_to(5)
    life.fill(1)  # syncs the cut first
    assert life.log.flushed_offset == 5
    checkpoint(life.manager, at(), {})
    assert life.on_disk(RECOVERY_POINT_FILE) == 5
    after = life.next(boot_id="b00-2")
    assert after.log.log_end_offset >= 5


def test_a_sync_in_between_knows_that_the_one_that_ran_has_failed(life: Life) -> None:
    life.fill(2)
    life.flusher.request(life.log)
    job = life.flusher.next_job()
    assert job is not None
    assert isinstance(life.fs, MemFs)
    life.fs.fail_next(lambda operation: operation[0] == "fsync" and operation[1].endswith(".log"))
    assert job.run() is not None  # the kernel tells it once
    with pytest.raises(OSError, match="injected"):
        life.log.flush()
    assert life.log.flushed_offset == 0
    life.flusher.finish(job, None, at())
    assert life.log.offline


def test_after_the_end_of_a_sync_nothing_of_it_is_kept(life: Life) -> None:
    life.fill(1)
    life.flusher.request(life.log)
    life.flusher.flush_inline(at())
    life.fill(1)
    assert isinstance(life.fs, MemFs)
    operations = life.fs.record()
    life.log.flush()
    assert [name for name, _, _ in operations if name.startswith("fsync")] == ["fsync"]


def test_a_truncation_that_empties_the_segment_is_durable_with_the_next_sync(life: Life) -> None:
    life.fill(1)
    life.log.flush()
    life.log.truncate_to(0)
    life.flusher.flush_inline(at())
    assert not life.log.durability.is_unsynced(life.log.log_end_offset)
    assert isinstance(life.fs, MemFs)
    life.fs.crash()
    assert life.fs.size(f"{DIR}/t-0/{0:020}.log") == 0
