"""Some lives of a broker's data directory with one partition, recorded, and what was true at each moment of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.records.batch import stamp
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.crash.recording import RecordingFs
from tests.storage.support import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.storage.log import Log
    from kafkacompat.storage.memfs import MemFs

DIR = "/data"
TOPIC = "t"
TOPIC_ID = bytes(range(16))
START_MS = 1_700_000_000_000
INCARNATION = bytes(range(16, 32))
BOOT = b"b001\n"
PRODUCERS = (7, 8)
VALUES = (40, 40, 40, 40, 700, 2000)
"""Sizes of records: many are alike, so that what is cut and what is written in its place may end at the same byte."""


class Moment:
    """What was true when ``steps`` had been done. Batches are by base offset, with the offset that follows each."""

    __slots__ = ("batches", "durable", "end", "epoch", "is_stopped", "log_start", "since", "steps")

    def __init__(self, life: Life) -> None:
        self.steps = len(life.fs.steps)
        self.batches = dict(life.batches)
        self.end = life.end
        self.durable = life.durable
        self.log_start = life.log_start
        self.epoch = life.epoch
        self.is_stopped = life.is_stopped
        self.since = life.since
        """The number of the moment at which all was durable last: older states of the log cannot come back."""


def at(ms: int = 0) -> Now:
    return Now(ms, START_MS + ms)


def make_config(rng: Random) -> tuple[BrokerConfig, TopicConfig]:
    """Small segments and dense indexes; some with group commit."""
    properties = {"node.id": ("1", "test")}
    if rng.random() < 0.4:
        properties["log.flush.interval.messages"] = ("1", "test")
    config = BrokerConfig(properties)
    names = {
        "internal.segment.bytes": str(rng.choice((4200, 6500, 9000, 1 << 20))),
        "index.interval.bytes": str(rng.choice((0, 100, 2000))),
        "file.delete.delay.ms": "10",
        "cleanup.policy": rng.choice(("delete", "delete", "compact")),
    }
    return config, TopicConfig.resolve(names, config)


def open_manager(fs: MemFs, config: BrokerConfig) -> tuple[LogManager, Flusher]:
    flusher = Flusher(fs)
    with patch("os.getpid", lambda: 4711):  # it is in the lock file, and a seed is to be the same run every time
        return LogManager.open(fs, [DIR], config, at(), cluster_id=None, flusher=flusher, rng=Random(1)), flusher


def open_log(manager: LogManager, config: TopicConfig) -> Log:
    return manager.open_log(TOPIC, TOPIC_ID, 0, config, at())


class Life:
    """Recorded from a seed. ``moments`` ascend by their steps."""

    is_transactional = False

    def __init__(self, seed: int, length: int = 40) -> None:
        self.rng = Random(f"life {seed}")
        self.config, self.topic_config = make_config(self.rng)
        self.is_group_commit = self.topic_config.flush_messages == 1
        self.fs = RecordingFs()
        self.fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
        self.fs.write_atomic(BOOT_ID_PATH, BOOT, sync=True)
        for path in ("", "/proc", "/proc/sys", "/proc/sys/kernel", "/proc/sys/kernel/random"):
            self.fs.fsync_dir(path)
        self.first_step = len(self.fs.steps)
        self.batches: dict[int, tuple[int, bytes]] = {}
        self.end = self.durable = self.log_start = self.since = 0
        self.epoch = -1
        self.is_stopped = self.is_registered = False
        self.moments: list[Moment] = []
        self._sequences = dict.fromkeys(PRODUCERS, 0)
        self._leader_epoch = 0
        self._now_ms = self._written = 0
        self._begin()
        doings, quiet = self._doings(), [self._be_killed, self._stop_cleanly, self._register]
        for _ in range(length):
            self.rng.choice(doings if self.is_registered else quiet)()
            self._note()
        self._stop_cleanly()

    def _doings(self) -> list[Callable[[], None]]:
        often = [self._lead] * 5 + [self._follow] * 2
        return [
            *often, self._flush, self._flush, self._checkpoint, self._cut, self._delete_records, self._remove_deleted,
            self._be_killed, self._stop_cleanly, self._new_epoch,
        ]  # fmt: skip

    def _note(self) -> None:
        self.moments.append(Moment(self))

    # --- lives ---

    def _begin(self) -> None:
        self._note()
        self.manager, self.flusher = open_manager(self.fs, self.config)
        self.is_stopped = self.is_registered = False
        self._note()
        self.log = open_log(self.manager, self.topic_config)
        self._note()
        if self.rng.random() < 0.8:
            self._register()

    def _register(self) -> None:
        """Before it nothing is written."""
        self.is_registered = True
        self.epoch += 10
        self.manager.registered(self.epoch, INCARNATION)
        self._note()

    def _be_killed(self) -> None:
        """Everything that was written is there for the next life."""
        self.fs.restart()
        self._begin()

    def _stop_cleanly(self) -> None:
        marks = {(TOPIC, 0): self.end}
        self.is_stopped = True
        self.manager.close(clean=True, high_watermarks=marks, broker_epoch=self.epoch, now=at(self._now_ms))
        self.durable = self.end
        self._begin()

    # --- what a life does ---

    def _batch(self, count: int, offset: int) -> bytearray:
        timestamp = START_MS + offset
        records = []
        for index in range(count):
            self._written += 1
            value = f"{self._written}:".encode().ljust(self.rng.choice(VALUES), b".")
            records.append(Record(index, timestamp + index, b"k", value))
        producer_id = self.rng.choice((*PRODUCERS, -1))
        if producer_id < 0:
            return build_batch(records)
        entry = self.log.producers.entries.get(producer_id)
        sequence = 0 if entry is None else entry.last_sequence + 1
        return build_batch(
            records, producer_id=producer_id, producer_epoch=0, base_sequence=sequence,
            is_transactional=self.is_transactional,
        )  # fmt: skip

    def _lead(self) -> None:
        batch = self._batch(self.rng.choice((1, 1, 2)), self.end)
        epoch = self._leader_epoch = max(self._leader_epoch, self.log.epochs.latest)
        info = self.log.append_as_leader(
            memoryview(batch), leader_epoch=epoch, now=at(self._now_ms), guard=VERIFICATION_IS_OFF
        )  # fmt: skip
        self._keep(info.first_offset, info.last_offset, bytes(batch))
        if info.sync_required:
            self._note()
            self._flush()

    def _follow(self) -> None:
        """Several batches at once; not the same producer twice, whose sequence the log would not know yet."""
        offset = self.end
        low = max(0, self.log.epochs.latest)
        epoch = self.rng.randint(low, max(low, self._leader_epoch))
        parts = []
        seen: set[int] = set()
        for _ in range(self.rng.randint(1, 4)):
            batch = self._batch(1, offset)
            producer_id = int.from_bytes(batch[43:51], "big", signed=True)
            if producer_id in seen:
                continue
            seen.add(producer_id) if producer_id >= 0 else None
            stamp(batch, 0, offset, epoch)
            count = int.from_bytes(batch[57:61], "big")
            parts.append((offset, offset + count, bytes(batch)))
            offset += count
            if self.rng.random() < 0.2:
                epoch = min(epoch + 1, max(epoch, self._leader_epoch))
        data = memoryview(bytearray(b"".join(part for _, _, part in parts)))
        self.log.append_as_follower(data, leader_epoch=max(self._leader_epoch, epoch), now=at(self._now_ms))
        for base, following, batch_bytes in parts:
            self._keep(base, following - 1, batch_bytes)
        if self.is_group_commit:
            self._note()
            self._flush()

    def _keep(self, first: int, last: int, batch: bytes) -> None:
        assert first == self.end
        self.batches[first] = last + 1, batch
        self.end = last + 1

    def _flush(self) -> None:
        self.flusher.request(self.log)
        self.flusher.flush_inline(at(self._now_ms))
        assert self.log.flushed_offset == self.end
        self.durable = self.end
        self.since = len(self.moments)

    def _checkpoint(self) -> None:
        checkpoint(self.manager, at(self._now_ms), {(TOPIC, 0): self.rng.randint(0, self.end)})

    def _new_epoch(self) -> None:
        self._leader_epoch += self.rng.randint(1, 3)

    def _cut(self) -> None:
        """As a follower that diverges: at a batch, and what comes then is of another leader."""
        places = [base for base in self.batches if base >= self.log_start]
        if not places:
            return
        offset = self.rng.choice(places[-6:])
        self.log.truncate_to(offset)
        for base in [base for base in self.batches if base >= offset]:
            del self.batches[base]
        self.end = offset
        self.durable = min(self.durable, offset)
        self._leader_epoch += 1

    def _delete_records(self) -> None:
        offset = self.rng.randint(self.log_start, self.end)
        self.log.delete_records_before(offset, at(self._now_ms))
        self.log_start = max(offset, self.log_start)

    def _remove_deleted(self) -> None:
        self._now_ms += 20
        self.manager.remove_deleted(at(self._now_ms))
        while (job := self.flusher.background.next_job(OTHER_WORK)) is not None:
            self.flusher.background.finish(job, job.execute(), at(self._now_ms))
