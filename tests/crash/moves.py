"""A replica that moves between the directories of a broker, and what a start makes of a crash at any step of that."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from kafkacompat.broker.replicas import replica_alter_log_dirs
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import alter, produce_batch
from tests.broker.test_several_directories import DIRECTORIES, assigned, harness
from tests.crash.check import check_lookups, check_producers, lose_boot, must
from tests.crash.life import BOOT, PRODUCERS, START_MS, VALUES
from tests.crash.recording import RecordingFs

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.memfs import MemFs
    from tests.crash.recording import Step
    from tests.crash.states import State

KEY = ("t", 0)
NAME = "t-0"
ROUNDS_MAX = 100
"""Of 50 ms each: so long a start may take to go on with a move to its end."""


class Place:
    """Where the replica was when ``steps`` had been done, where it was about to move, and what must not be lost."""

    __slots__ = ("current", "deleted", "durable", "end", "future", "is_begun", "least_start", "log_start", "steps")

    def __init__(self, life: MoveLife) -> None:
        partition, logs = life.partition, life.broker.broker.logs
        directory = logs.directory_of_open(*KEY)
        assert directory is not None
        self.is_begun = logs.future_of(*KEY) is not None
        self.steps = len(life.fs.steps)
        self.current = directory.path
        self.future = None if life.target == directory.path else life.target
        self.end = partition.log_end_offset
        self.log_start = partition.log_start_offset
        self.durable = life.durable
        self.least_start = life.least_start
        self.deleted = max([self.log_start, *(place.deleted for place in life.places[-1:])])
        """Records below it were deleted, though a kill may have brought some of them back."""

    @property
    def goals(self) -> set[str]:
        """Where the replica may be once the move is over. No copy is made while a checkpoint names an earlier one."""
        return {self.current} if self.future is None else {self.future, *([] if self.is_begun else [self.current])}


def open_broker(fs: MemFs, seed: int, **config: str) -> BrokerHarness:
    with patch("os.getpid", lambda: 4711):  # it is in the lock files, and a seed is to be the same run every time
        return harness(fs, seed, **config)


def partition_of(broker: BrokerHarness) -> Partition:
    partition = broker.broker.partitions.get(*KEY)
    assert partition is not None
    return partition


def _is_folder(path: int | str) -> bool:
    """Whether it is that of the partition, under one of its names."""
    return str(path).count("/") == 2 and NAME in str(path)


class MoveLife:
    """Recorded from a seed: a whole broker with three log directories, whose only replica is sent from one to another,
    also while it moves, and back. Its metadata log is in the first of them.
    """

    def __init__(self, seed: int, length: int = 30) -> None:
        self.rng = Random(f"moves {seed}")
        self.config = {"log.flush.interval.messages": "1"} if self.rng.random() < 0.4 else {}
        self.is_group_commit = bool(self.config)
        self.part_bytes = self.rng.choice((300, 1 << 16))
        self.fs = RecordingFs()
        self.fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
        self.fs.write_atomic(BOOT_ID_PATH, BOOT, sync=True)
        for path in ("", "/proc", "/proc/sys", "/proc/sys/kernel", "/proc/sys/kernel/random"):
            self.fs.fsync_dir(path)
        self.places: list[Place] = []
        self.batches: dict[int, tuple[int, bytes]] = {}
        self.durable = self.least_start = self._opened = self._written = 0
        self._sequences = dict.fromkeys(PRODUCERS, 0)
        with patch.object(replica_alter_log_dirs, "SYNC_AGAIN_BYTES", 1):  # nothing durable is lost by a swap
            self._record(length)

    def _record(self, length: int) -> None:
        self._open()
        self.broker.create_topic("t", 1, internal_segment_bytes="4500", file_delete_delay_ms="100")
        for _ in range(20):
            self.broker.advance(50)
        self.first_step = len(self.fs.steps)
        self.target = assigned(self.broker)[0]
        self._note()
        doings: list[Callable[[], None]] = [
            *[self._produce] * 6, *[self._turn] * 10, *[self._move] * 4, self._call_off, self._flush,
            self._delete_records, self._be_killed, self._stop_cleanly, self._wait,
        ]  # fmt: skip
        for doing in (self._produce, self._flush, self._move):
            doing()
        for _ in range(length):
            self.rng.choice(doings)()

    # --- lives ---

    def _open(self) -> None:
        self._opened += 1
        self.broker = open_broker(self.fs, self._opened, **self.config)
        self.broker.broker.alter_log_dirs.part_bytes = self.part_bytes

    def _be_killed(self) -> None:
        self.fs.restart()
        self._open()
        self._note()

    def _stop_cleanly(self) -> None:
        self.broker.close()
        self.durable, self.least_start = self.partition.log_end_offset, self.partition.log_start_offset
        self._open()
        self._note()

    @property
    def partition(self) -> Partition:
        return partition_of(self.broker)

    def _note(self) -> None:
        self.durable = max(self.durable, self.partition.log.flushed_offset)
        last = self.places[-1] if self.places else None
        place = Place(self)
        if last is not None and last.current != place.current:  # what the copy began with was synced before
            self.least_start = place.least_start = max(self.least_start, last.log_start)
        self.places.append(place)

    # --- what a life does ---

    def _produce(self) -> None:
        offset = self.partition.log_end_offset
        records = []
        for _ in range(self.rng.choice((1, 1, 2))):
            self._written += 1
            value = f"{self._written}:".encode().ljust(self.rng.choice(VALUES), b".")
            records.append(Record(len(records), START_MS + offset + len(records), b"k", value))
        producer_id = self.rng.choice((*PRODUCERS, -1))
        if producer_id < 0:
            batch = build_batch(records)
        else:
            sequence = self._sequences[producer_id]
            self._sequences[producer_id] += len(records)
            batch = build_batch(records, producer_id=producer_id, producer_epoch=0, base_sequence=sequence)
        assert produce_batch(self.broker, batch) == (errors.NONE, offset)
        for header, data in self.partition.log.batches(offset, offset + len(records)):
            self.batches[header.base_offset] = header.next_offset, bytes(data)
        self._note()

    def _turn(self) -> None:
        self.broker.advance(self.rng.choice((10, 50, 50)))
        self._note()

    def _wait(self) -> None:
        for _ in range(20):
            self._turn()

    def _flush(self) -> None:
        self.broker.broker.request_flush(self.partition)
        self.broker.settle()
        self._note()

    def _move(self) -> None:
        self.target = self.rng.choice(DIRECTORIES)
        assert alter(self.broker, self.target, *KEY[1:]) == [errors.NONE]
        self._note()

    def _call_off(self) -> None:
        self.target = self.places[-1].current
        assert alter(self.broker, self.target, *KEY[1:]) == [errors.NONE]
        self._note()

    def _delete_records(self) -> None:
        offset = self.rng.randint(self.partition.log_start_offset, self.partition.log_end_offset)
        topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(0, offset)])
        self.broker.begin(DeleteRecordsRequest([topic], timeout_ms=1_000), 2)  # it may wait for the copy
        self._note()


class Moves:
    """The judge of such a life."""

    def __init__(self, seed: int) -> None:
        self.life = MoveLife(seed)
        self.steps: Sequence[Step] = self.life.fs.steps
        self.first_step = self.life.first_step
        renames = [number for number, step in enumerate(self.steps) if step[0] == "rename" and _is_folder(step[1])]
        self.close_looks: Container[int] = {number + offset for number in renames for offset in (0, 1)}
        self._steps = [place.steps for place in self.life.places]

    def check(self, state: State, fs: MemFs | None = None) -> None:
        """Start, and have the move end; the same once more. Raises CrashError, and what no start should raise."""
        fs = fs or state.fs
        if not state.is_kill:
            lose_boot(fs)
        elif fs is state.fs:
            names = [path for path in DIRECTORIES if fs.is_dir(f"{path}/{NAME}")]
            must(len(names) < 2, f"{NAME} is in {names}: Apache Kafka does not start there")
        first = self._recover(state, fs, 100)
        second = self._recover(state, fs, 101)
        must(second == first, f"a second start finds {second} after {first}")

    def _recover(self, state: State, fs: MemFs, seed: int) -> tuple[str, int]:
        before, then = self._around(state.steps)
        fs.restart()
        broker = open_broker(fs, seed, **self.life.config)
        partition = broker.broker.partitions.get(*KEY)
        must(partition is not None, "the replica is not served")
        assert partition is not None
        place = self._ended(broker)
        if state.is_kill:
            goals = before.goals | then.goals
            if None not in (before.future, then.future) and before.future != then.future:
                goals.add(before.current)  # one move was dropped, and the other one has not begun
            must(place in goals, f"the replica is in {place}, and is to be in {goals}")
        log = partition.log
        end = log.log_end_offset
        least = min(before.end, then.end) if state.is_kill else min(before.durable, then.durable)
        must(end >= least, f"the log ends at {end}, {least} must be there")
        must(partition.high_watermark == end, f"the high watermark is {partition.high_watermark}, the end {end}")
        self._check_log(log, min(before.least_start, then.least_start), then.deleted)
        fs.restart()
        return place, end

    def _around(self, steps: int) -> tuple[Place, Place]:
        number = max(0, sum(each <= steps for each in self._steps) - 1)
        return self.life.places[number], self.life.places[min(number + 1, len(self.life.places) - 1)]

    @staticmethod
    def _ended(broker: BrokerHarness) -> str:
        """Where the replica is after the move that the start has found; nowhere else is anything of it."""
        logs = broker.broker.logs
        for _ in range(ROUNDS_MAX):
            directory = logs.directory_of_open(*KEY)
            must(directory is not None, "the log is not open")
            assert directory is not None
            if logs.future_of(*KEY) is None and assigned(broker) == [directory.path]:
                break
            broker.advance(50)
        else:
            found = {path: broker.fs.listdir(path) for path in DIRECTORIES}
            must(False, f"the move does not end: assigned to {assigned(broker)}, {found}")
        broker.advance(50)
        found = [path for path in DIRECTORIES if broker.fs.is_dir(f"{path}/{NAME}")]
        must(found == [directory.path], f"the log is open in {directory.path}, and {NAME} is in {found}")
        futures = [name for path in DIRECTORIES for name in broker.fs.listdir(path) if name.endswith("-future")]
        must(not futures, f"{futures} are left")
        return directory.path

    def _check_log(self, log: Log, least_start: int, greatest_start: int) -> None:
        start, end = log.log_start_offset, log.log_end_offset
        must(least_start <= start <= greatest_start, f"starts at {start}, not in {least_start}..{greatest_start}")
        first = log.segments.all[0].base_offset if log.segments.all else end
        found = [(header, bytes(data)) for header, data in log.batches(first, end)]
        expected, epochs = first, list[tuple[int, int]]()
        for header, data in found:
            must(header.base_offset == expected, f"offset {header.base_offset} where {expected} belongs")
            expected = header.next_offset
            wrote = self.life.batches.get(header.base_offset)
            must(wrote == (header.next_offset, data), f"at {header.base_offset} is what nobody wrote")
            if header.next_offset > start and (not epochs or epochs[-1][0] != header.leader_epoch):
                epochs.append((header.leader_epoch, max(header.base_offset, start)))
        must(expected == end, f"the log ends at {end}, its batches at {expected}")
        must(first <= start, f"the log begins at {first}, behind its start {start}")
        known = [entry for entry in log.epochs.entries if entry[1] < end]
        must(known == epochs, f"epochs {known}, by the batches {epochs}")
        check_producers(log, found)
        check_lookups(log, found)
