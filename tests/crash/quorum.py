"""Crashes under the metadata log: of a lone voter that submits changes, and of a voter that follows."""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import TYPE_CHECKING

from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.raft.batches import metadata_batch
from kafkacompat.storage.data_dir import METADATA_DIRECTORY
from tests.crash.check import must
from tests.crash.recording import RecordingFs
from tests.replication.quorum_world import LOG_DIR, NOW, config, open_quorum, register_broker, submit_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.memfs import MemFs
    from tests.crash.recording import Step
    from tests.crash.states import State

SEGMENT_BYTES = str(8 * 1024 * 1024)
Batches = list[tuple[int, bytes]]


class Moment:
    """What was committed when ``steps`` had been done: whole batches, topics, and the epoch."""

    __slots__ = ("batches", "epoch", "steps", "topics")

    def __init__(self, steps: int, batches: Batches, topics: frozenset[str], epoch: int) -> None:
        self.steps = steps
        self.batches = batches
        self.topics = topics
        self.epoch = epoch


class Recorded:
    """What both kinds of runs share."""

    close_looks: Container[int] = frozenset()

    def __init__(self, seed: str) -> None:
        self.rng = Random(seed)
        self.fs = RecordingFs()
        self.fs.mkdir(LOG_DIR)
        self.fs.fsync_dir("/")
        self.first_step = len(self.fs.steps)
        self.moments: list[Moment] = []

    @property
    def steps(self) -> Sequence[Step]:
        return self.fs.steps

    def note(self, log: Log | None, topics: frozenset[str] = frozenset(), epoch: int = 0) -> None:
        batches: Batches = []
        if log is not None:
            batches = [(h.next_offset, bytes(data)) for h, data in log.batches(0, log.log_end_offset)]
            batches = [batch for batch in batches if batch[0] <= log.flushed_offset]
        self.moments.append(Moment(len(self.fs.steps), batches, topics, epoch))

    def before(self, state: State) -> Moment:
        """The last moment before a crash."""
        place = bisect_right([moment.steps for moment in self.moments], state.steps) - 1
        return self.moments[max(place, 0)]


class Submitter(Recorded):
    """A lone voter with topics to create, which stops and is killed."""

    def __init__(self, seed: int) -> None:
        super().__init__(f"submitter {seed}")
        self.note(None)
        self._number = 0
        for _ in range(3):
            self._live()

    def _live(self) -> None:
        quorum = open_quorum(self.fs, clean=False, seed=self._number)
        self._note(quorum)
        register_broker(quorum)
        self._note(quorum)
        for _ in range(self.rng.randint(1, 6)):
            for _ in range(self.rng.choice((1, 1, 3))):
                self._number += 1
                submit_topic(quorum, f"t{self._number}{'x' * self.rng.choice((1, 200))}")
            quorum.flush(NOW)
            self._note(quorum)
        if self.rng.random() < 0.5:
            quorum.close(clean=True, now=NOW)
        self.fs.restart()

    def _note(self, quorum: MetadataQuorum) -> None:
        self.note(quorum.raft.log, frozenset(quorum.image.topics), quorum.raft.leader_epoch)

    def check(self, state: State, fs: MemFs | None = None) -> None:
        """Start twice: nothing that was committed is lost, and no epoch is led twice."""
        fs = fs or state.fs
        moment = self.before(state)
        epoch = moment.epoch
        for _ in range(2):
            fs.restart()
            if not fs.is_dir(LOG_DIR):
                fs.mkdir(LOG_DIR)
            quorum = open_quorum(fs, clean=False)
            register_broker(quorum)
            must(moment.topics <= set(quorum.image.topics), "committed topics are gone")
            must(quorum.raft.leader_epoch > epoch, f"epoch {quorum.raft.leader_epoch} after {epoch}")
            epoch = quorum.raft.leader_epoch
            _must_hold(quorum.raft.log, moment)
            quorum.close(clean=False, now=NOW)


class Follower(Recorded):
    """A voter whose leader sends several batches at once, and whose log is sometimes cut."""

    def __init__(self, seed: int) -> None:
        super().__init__(f"follower {seed}")
        self.note(None)
        self._log = self._open(self.fs)
        self._epoch = 1
        self._kept: list[int] = []
        doings: list[Callable[[], None]] = [self._append] * 5 + [self._cut, self._die]
        for _ in range(25):
            self.rng.choice(doings)()
        self.note(self._log)

    @staticmethod
    def _open(fs: MemFs) -> Log:
        fs.mkdir(f"{LOG_DIR}/{METADATA_DIRECTORY}")
        return metadata_log.open_log(fs, LOG_DIR, config(), None, NOW, clean=False)

    def _append(self) -> None:
        """What one fetch brings is durable before the next is sent."""
        offset, parts = self._log.log_end_offset, []
        for _ in range(self.rng.randint(1, 6)):
            values = [self.rng.randbytes(self.rng.choice((30, 30, 400, 1500))) for _ in range(self.rng.randint(1, 2))]
            parts.append(bytes(metadata_batch(values, NOW.wall_ms, base_offset=offset, epoch=self._epoch)))
            offset += len(values)
        self._log.append_as_follower(memoryview(bytearray(b"".join(parts))), leader_epoch=self._epoch, now=NOW)
        self._log.flush()
        self.note(self._log)

    def _cut(self) -> None:
        places = [header.base_offset for header, _ in self._log.batches(0, self._log.log_end_offset)]
        if places:
            offset = self.rng.choice(places[-4:])
            last = self.moments[-1]  # what is about to be cut may be gone from here on
            kept = [batch for batch in last.batches if batch[0] <= offset]
            self.moments.append(Moment(len(self.fs.steps), kept, last.topics, last.epoch))
            self._log.truncate_to(offset)
            self._epoch += 1
            self.note(self._log)

    def _die(self) -> None:
        self.fs.restart()
        self._log = self._open(self.fs)
        self.note(self._log)

    def check(self, state: State, fs: MemFs | None = None) -> None:
        """Open twice: no crash is taken for damage, nothing that was durable is lost."""
        fs = fs or state.fs
        ends = []
        for _ in range(2):
            fs.restart()
            log = self._open(fs)
            _must_hold(log, self.before(state))
            ends.append(log.log_end_offset)
            log.close(clean=False, now=NOW)
        must(ends[0] == ends[1], f"ends at {ends}")


def _must_hold(log: Log, moment: Moment) -> None:
    found = [(header.next_offset, bytes(data)) for header, data in log.batches(0, log.log_end_offset)]
    count = len(moment.batches)
    must(found[:count] == moment.batches, f"of {count} durable batches {len(found)} are there, or others")
