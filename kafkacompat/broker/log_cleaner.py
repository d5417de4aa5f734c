"""Compacts logs, one after the other (Kafka's ``LogCleaner`` and ``LogCleanerManager``).

A round looks at all compacted logs, in steps, and picks one. A pass over it runs beside the event loop and writes new
files (``storage/compaction/clean_pass.py``). Here they take the place of the old segments. When the directory is
synced, the cleaner offset is noted for the checkpoint. While a log is worth it the next round follows at once, else
after ``log.cleaner.backoff.ms``. Timestamps that a plan asks for are read beside the loop as well: when no other log is
worth it, or some of them after each pass; then a new round begins.
"""

import logging
from functools import partial
from typing import Protocol

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.steps import Stepped
from kafkacompat.storage.background import COMPACTION
from kafkacompat.storage.compaction.clean_pass import StoppedError, discard
from kafkacompat.storage.compaction.plan import first_dirty_offset, plan, unread
from kafkacompat.storage.compaction.request import Request
from kafkacompat.storage.compaction.tail import bound_tail
from kafkacompat.storage.errors import LogError, ShortageError, UnfinishedError
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.reserve import is_disk_failure
from kafkacompat.storage.segments import Cleaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from random import Random

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.compaction.plan import Plan
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.log_directory import LogDirectory
    from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
    from kafkacompat.storage.segment import Segment

    class Node(services.Configured, services.Storage, services.Waiting, services.Partitions, Protocol):
        """The services that compaction uses."""

        @property
        def background(self) -> Background: ...

        @property
        def rng(self) -> Random: ...


SECRET_BYTES = 16
MAP_BYTES = 32 * 1024 * 1024
"""Memory for the keys of one pass, unless ``log.cleaner.dedupe.buffer.size`` is less; more keys take several passes."""
MB = 1024 * 1024
READS_PER_JOB = 200
"""Segments whose timestamps one job reads."""
_log = logging.getLogger(__name__)


class RunningPass(Protocol):
    """A pass over a log: ``clean_pass.Pass``, here or in another process."""

    def index(self) -> tuple[int, list[list[int]]]: ...

    def clean(self, group: list[int]) -> Cleaned: ...

    def close(self) -> None:
        """The pass is over. It may be called while ``index`` or ``clean`` runs in another thread, which ends them."""


class LogCleaner:
    """The cleaner of one node. ``new_pass`` is the shell's; logs of the topics ``first`` come first.

    For metrics: ``uncleanable``: the logs whose compaction failed, with the config that they had: a change of that is a
    reason to try again. In the last round: ``uncleanable_bytes`` that a pass over each of these would clean,
    ``dirty_ratios`` of all compacted logs, and ``max_dirty_ratio`` of those that can be cleaned. ``passes``,
    ``read_bytes``, ``written_bytes``, ``without_key``: since the start. ``last_round_ms``: when the last round began
    (monotonic); ``last_pass``: what the last pass did.
    """

    def __init__(
        self,
        node: "Node",
        new_pass: "Callable[[Fs, Request], RunningPass]",
        first: "Container[str]",
        look_later: "Callable[[Now], None]",
    ) -> None:
        self._node = node
        self._first = first
        self._look_later = look_later
        self._new_pass = new_pass
        self._work: _Work | None = None
        self._is_stopped = False
        self._unread: list[_Reading] = []
        self._unreadable: set[Log] = set()  # of which timestamps could not be read: until the next rest
        self._is_reading = False
        self.uncleanable: dict[tuple[str, int], tuple[Log, object]] = {}
        self.max_dirty_ratio = 0.0
        self.dirty_ratios: dict[tuple[str, int], float] = {}
        self.passes = self.read_bytes = self.written_bytes = self.without_key = 0
        self.uncleanable_bytes: dict[tuple[str, int], int] = {}
        self.last_round_ms: int | None = None
        self.last_pass = LastPass()

    def stop(self) -> None:
        """Begin with nothing more, and end the pass that runs."""
        self._is_stopped = True
        if self._work is not None:
            self._work.running.close()

    @property
    def working_on(self) -> "Partition | None":
        """The partition whose log is compacted now."""
        return None if self._work is None else self._work.partition

    def may_remove(self, partition: "Partition") -> bool:
        """Whether old segments of a compacted log may go (Kafka's ``LogCleanerManager.deletableLogs``)."""
        return self.working_on is not partition and (partition.topic, partition.index) not in self.uncleanable

    def look(self, now: "Now") -> None:
        """Begin with a round. ``look_later`` is called when nothing is worth it any more."""
        if not self._is_stopped:
            self._resume(Stepped(self._choose(now)), now)

    def _resume(self, work: Stepped, now: "Now") -> None:
        if not work.resume():
            self._node.timers.set("cleaner", now.monotonic_ms, partial(self._resume, work))
        elif isinstance(work.result, tuple):
            partition, found = work.result
            self._begin(partition, found, now)
        elif self._unread:
            self._read(now.monotonic_ms + self._node.config.get_int("log.cleaner.backoff.ms"))
        else:
            self._unreadable.clear()
            self._look_later(now)

    # Choosing

    def _choose(self, now: "Now") -> "Steps[tuple[Partition, Plan] | None]":
        """The log that is most worth it, and the plan for it; coordinators first."""
        best: tuple[Partition, Plan] | None = None
        best_rank = (False, 0.0)
        max_dirty_ratio, max_delay_ms = 0.0, 0
        dirty_ratios: dict[tuple[str, int], float] = {}
        self.last_round_ms = now.monotonic_ms
        self._unread.clear()
        self._forget_deleted()
        for partition in list(self._node.partitions):
            yield 1
            log = partition.log
            if not log.config.is_compacted or log.is_closed or log.failure is not None or not log.segments.all:
                continue
            if partition.future_log is not None:  # it moves to another directory: that is to be compacted
                continue
            yield 1 + len(log.segments.all) // 10
            key = partition.topic, partition.index
            try:
                found = self._plan(partition, now)
            except (LogError, OSError) as error:
                if key not in self.uncleanable:
                    self._failed(partition, error)
                continue
            if found is None:
                continue
            dirty_ratios[key] = found.ratio
            if key in self.uncleanable:
                self.uncleanable_bytes[key] = found.dirty_bytes
                continue
            max_dirty_ratio, max_delay_ms = max(max_dirty_ratio, found.ratio), max(max_delay_ms, found.delay_ms)
            rank = partition.topic in self._first, found.ratio
            if found.is_due(log.config.min_cleanable_dirty_ratio) and (best is None or rank > best_rank):
                best, best_rank = (partition, found), rank
        self.max_dirty_ratio, self.dirty_ratios = max_dirty_ratio, dirty_ratios
        if best is not None:
            self.last_pass.max_delay_ms = max_delay_ms
        return best

    def _forget_deleted(self) -> None:
        for key, (log, config) in list(self.uncleanable.items()):
            partition = self._node.partitions.get(*key)
            if partition is None or partition.log is not log or log.config is not config:
                del self.uncleanable[key]
                self.uncleanable_bytes.pop(key, None)

    @property
    def is_at_work(self) -> bool:
        """Whether a pass runs, or timestamps are read; else a timer begins the next round."""
        return self._work is not None or self._is_reading

    def _checkpoints(self, partition: "Partition") -> "OffsetCheckpoints":
        """Those of the directory in which its log is open. Raises LogError if that is offline."""
        directory = self._node.logs.directory_of_open(partition.topic, partition.index)
        if directory is None:
            raise LogError(KAFKA_STORAGE_ERROR, "its log directory is offline")
        return directory.checkpoints

    def _plan(self, partition: "Partition", now: "Now") -> "Plan | None":
        """None if timestamps have to be read first: they are in `_unread` then, unless that has failed."""
        log, key = partition.log, (partition.topic, partition.index)
        checkpoint = self._checkpoints(partition).cleaner_offset(key)
        if partition.topic in self._first:  # a follower's, or one that grew before the start
            bound_tail(log, checkpoint or 0, now)
        dirty = first_dirty_offset(checkpoint, log.log_start_offset, log.log_end_offset)
        if to_read := unread(log.segments.all, dirty, log.config):
            if key not in self.uncleanable and log not in self._unreadable:
                self._unread += [_Reading(partition, *asked) for asked in to_read]
            return None
        limit = min(partition.last_stable_offset, log.flushed_offset)
        return plan(log.segments.all, dirty, limit, log.config, now.wall_ms, _largest_ms, _first_ms)

    def _read(self, until_ms: int) -> None:
        """Read the timestamps of the next segments, and of those that follow until then (monotonic)."""
        self._is_reading = True
        some, self._unread = self._unread[:READS_PER_JOB], self._unread[READS_PER_JOB:]
        self._submit(partial(_read_all, some), partial(self._were_read, some, until_ms))

    def _were_read(self, some: "list[_Reading]", until_ms: int, outcome: object, now: "Now") -> None:
        assert isinstance(outcome, list), outcome
        self._is_reading = False
        for reading, error in zip(some, outcome, strict=True):
            if reading.is_outdated:
                continue
            if error is None:
                reading.note()
            elif reading.log not in self._unreadable and reading.is_of_log:
                self._unreadable.add(reading.log)
                self._failed(reading.partition, error)
        if self._unreadable:
            self._unread = [reading for reading in self._unread if reading.log not in self._unreadable]
        if self._unread and not self._is_stopped and now.monotonic_ms < until_ms:
            self._read(until_ms)
        else:
            self.look(now)

    # A pass

    def _begin(self, partition: "Partition", found: "Plan", now: "Now") -> None:
        there = set(map(id, partition.log.segments.all))
        if any(id(segment) not in there for segment in found.segments):
            self._node.timers.set("cleaner", now.monotonic_ms, self.look)  # retention was faster than the choice
            return
        try:
            checkpoints = self._checkpoints(partition)
            request = self._request(partition, found, now)
        except (LogError, OSError) as error:
            if isinstance(error, UnfinishedError):
                self._node.timers.set("cleaner", now.monotonic_ms, self.look)
            else:
                self._failed(partition, error)
                self._look_later(now)
            return
        self._work = _Work(partition, found, self._new_pass(partition.log.fs, request), now)
        _log.info(
            "compacting %s-%d from %d to %d", partition.topic, partition.index, found.first_dirty, found.upper_bound
        )
        key = partition.topic, partition.index
        checkpoints.note_log(key, partition.log)
        others = self._others_that_name(key, checkpoints)
        for other in others:
            other.checkpoints.forget_cleaner_offset(key)
        for each in (checkpoints, *(other.checkpoints for other in others)):
            each.publish()
        self._submit(partial(_index, self._work.running, checkpoints, others), self._indexed)

    def _others_that_name(self, key: "tuple[str, int]", checkpoints: "OffsetCheckpoints") -> "list[LogDirectory]":
        """Other directories, where an earlier partition of that name was."""
        return [
            directory
            for directory in self._node.logs.directories
            if directory.offline is None
            and directory.checkpoints is not checkpoints
            and directory.checkpoints.may_hold_cleaner_offset(key)
        ]

    def _submit(self, run: "Callable[[], object]", done: "Callable[[object, Now], None]") -> None:
        self._node.background.submit(COMPACTION, run, done)

    def _request(self, partition: "Partition", found: "Plan", now: "Now") -> Request:
        log, config = partition.log, self._node.config
        active = log.segments.active
        assert active is not None
        buffer_bytes = config.get_int("log.cleaner.dedupe.buffer.size")
        load_factor = config.get("log.cleaner.io.buffer.load.factor")
        rate = config.get("log.cleaner.io.max.bytes.per.second")
        assert isinstance(load_factor, float)
        assert isinstance(rate, float)
        indexed = [base for base in log.segments.aborted.base_offsets if base < active.base_offset]
        return Request(
            path=log.path,
            segments=[(segment.base_offset, segment.size_bytes) for segment in found.segments],
            first_dirty=found.first_dirty,
            upper_bound=found.upper_bound,
            aborted=log.segments.aborted.entries(active),
            indexed=indexed,
            last_records={
                producer_id: (entry.last_offset, entry.epoch) for producer_id, entry in log.producers.entries.items()
            },
            secret=self._node.rng.randbytes(SECRET_BYTES),
            map_bytes=int(min(buffer_bytes, MAP_BYTES) * load_factor),
            now_ms=now.wall_ms,
            delete_retention_ms=log.config.delete_retention_ms,
            segment_bytes=log.config.segment_bytes,
            max_index_bytes=log.config.segment_index_bytes,
            index_interval_bytes=log.config.index_interval_bytes,
            bytes_per_second=rate,
        )

    def _indexed(self, outcome: object, now: "Now") -> None:
        work = self._work
        assert work is not None
        if isinstance(outcome, CorruptIndexError):
            self._work = None
            work.running.close()
            if not self._is_stopped:
                self._resume(Stepped(self._mend(work, outcome)), now)
            return
        if isinstance(outcome, _OtherDirectoryError):
            if is_disk_failure(outcome.reason):
                outcome.directory.take_offline(outcome.reason)
            self._end(outcome, now)
            return
        if isinstance(outcome, Exception):
            self._end(outcome, now)
            return
        work.end_offset, work.groups = outcome  # type: ignore[misc]
        self._next_group(now)

    def _mend(self, work: "_Work", fault: CorruptIndexError) -> "Steps[None]":
        """Build damaged transaction indexes anew; the next round finds the log again."""
        log = work.partition.log
        try:
            count = 0 if log.is_closed else (yield from log.segments.aborted.mend(log.segments.all[:-1]))
        except (LogError, OSError) as error:
            self._failed(work.partition, error)
            return
        if not count:
            self._failed(work.partition, fault)

    def _next_group(self, now: "Now") -> None:
        work = self._work
        assert work is not None
        if self._is_stopped or not work.is_wanted():
            self._end(StoppedError(), now)
        elif work.groups:
            self._submit(partial(_expected, partial(work.running.clean, work.groups[0])), self._cleaned)
        else:
            log = work.partition.log
            self._submit(partial(log.fs.fsync_dir, log.path), self._synced)

    def _cleaned(self, outcome: object, now: "Now") -> None:
        work = self._work
        assert work is not None
        if not isinstance(outcome, Cleaned):
            self._end(outcome, now)
            return
        group = work.groups.pop(0)
        bases = set(group)
        old = [segment for segment in work.plan.segments if segment.base_offset in bases]
        self.read_bytes += outcome.read_bytes
        self.written_bytes += outcome.size_bytes
        work.read_bytes += outcome.read_bytes
        work.written_bytes += outcome.size_bytes
        self.without_key += outcome.without_key
        log = work.partition.log
        try:  # a policy without compact counts at once, as in Apache Kafka
            is_wanted = work.is_wanted()
            has_replaced = is_wanted and log.replace_segments(old, outcome, now)
        except LogError as error:
            self._end(error, now)
            return
        if has_replaced:
            work.has_unsynced_names = True
            self._next_group(now)
            return
        if is_wanted:
            _log.info("%s-%d changed while it was compacted", work.partition.topic, work.partition.index)
        self._submit(partial(discard, log.fs, log.path, group[0]), self._discarded)

    def _discarded(self, outcome: object, now: "Now") -> None:
        self._end(outcome if isinstance(outcome, Exception) else StoppedError(), now)

    def _synced(self, outcome: object, now: "Now") -> None:
        work = self._work
        assert work is not None
        work.has_unsynced_names = False
        partition = work.partition
        if outcome is None and not partition.log.is_closed:
            key = partition.topic, partition.index
            active = partition.log.segments.active  # the log may have been truncated meanwhile
            offset = min(work.end_offset, partition.log.log_end_offset if active is None else active.base_offset)
            directory = self._node.logs.directory_of_open(*key)
            if directory is not None:
                directory.checkpoints.note_cleaner_offset(key, offset)
            self.passes += 1
        self._end(outcome, now)

    def _names_synced(self, ends_with: object, outcome: object, now: "Now") -> None:
        self._end(ends_with if outcome is None else outcome, now)

    def _end(self, outcome: object, now: "Now") -> None:
        work = self._work
        assert work is not None
        if work.has_unsynced_names and not self._is_stopped and not work.partition.log.is_closed:
            # before the old files are removed, whose delay may end before the next flush
            work.has_unsynced_names = False
            log = work.partition.log
            self._submit(partial(log.fs.fsync_dir, log.path), partial(self._names_synced, outcome))
            return
        self._work = None
        work.running.close()
        if outcome is None:
            self.last_pass.read_bytes, self.last_pass.written_bytes = work.read_bytes, work.written_bytes
            self.last_pass.took_ms = now.monotonic_ms - work.began_ms
            _log.info(
                "compacted %s-%d up to %d: %d of %d bytes stayed, in %d ms (%.1f MB/s)", work.partition.topic,
                work.partition.index, work.end_offset, work.written_bytes, work.read_bytes, self.last_pass.took_ms,
                work.read_bytes / MB * 1000 / max(1, self.last_pass.took_ms),
            )  # fmt: skip
        if isinstance(outcome, Exception) and not isinstance(outcome, StoppedError):
            self._failed(work.partition, outcome)
        if self._is_stopped:
            return
        if outcome is None and self._unread:
            self._read(now.monotonic_ms)  # one job: neither these logs nor one that is due wait for all of the others
        elif outcome is None:
            self._node.timers.set("cleaner", now.monotonic_ms, self.look)
        else:
            self._look_later(now)

    def _failed(self, partition: "Partition", error: Exception) -> None:
        """A full disk is tried again later, as is a want of descriptors; a broken disk takes the log offline; another
        fault, until the log's config changes or the next start, leaves the log as it is.
        """
        log, name = partition.log, f"{partition.topic}-{partition.index}"
        if self._is_stopped or log.is_closed or log.failure is not None:
            return
        if isinstance(error, ShortageError):
            _log.warning("%s cannot be compacted now: %s", name, error)
            return
        if isinstance(error, OSError):
            if not is_disk_failure(error) or isinstance(error, FileNotFoundError):
                _log.warning("%s cannot be compacted now: %s", name, error)
            else:
                log.fail(error)
            return
        is_damage = isinstance(error, RecordBatchError | CorruptIndexError | LogError)
        reason = str(error) if is_damage else repr(error)
        _log.error("%s is not compacted any more, until its config changes or the next start: %s", name, reason)
        self.uncleanable[partition.topic, partition.index] = log, log.config


class _OtherDirectoryError(ShortageError):
    """The cleaner offsets of another directory cannot be written; ``reason`` says why."""

    def __init__(self, directory: "LogDirectory", reason: OSError) -> None:
        super().__init__(f"the cleaner offsets of log directory {directory.path} cannot be written: {reason}")
        self.directory = directory
        self.reason = reason


def _index(running: RunningPass, checkpoints: "OffsetCheckpoints", others: "list[LogDirectory]") -> object:
    """First the recovery point is written: behind it a start after a loss of power takes the gaps that a pass leaves
    for lost records, and removes what follows. No other directory may name the log when its cleaner offset is written:
    with two that do Apache Kafka's cleaner ends (`LogCleanerManager.allCleanerCheckpoints`).
    """
    checkpoints.write()
    for other in others:
        try:
            other.checkpoints.write()
        except OSError as error:
            return _OtherDirectoryError(other, error)
    return _expected(running.index)


def _expected(step: "Callable[[], object]") -> object:
    """The result of a step. Damage is no bug, nor is the end of a pass or of its process: those are results, too."""
    try:
        return step()
    except (CorruptIndexError, RecordBatchError, StoppedError) as outcome:
        return outcome


class LastPass:
    """What the last pass did (Kafka's ``CleanerStats``); ``max_delay_ms``: how much longer than
    ``max.compaction.lag.ms`` a record had waited when the last log was picked (``PreCleanStats``).
    """

    __slots__ = ("max_delay_ms", "read_bytes", "took_ms", "written_bytes")

    def __init__(self) -> None:
        self.max_delay_ms = self.read_bytes = self.took_ms = self.written_bytes = 0


class _Work:
    """The pass that runs. ``groups``: those to come. ``end_offset``: where the next pass begins."""

    def __init__(self, partition: "Partition", found: "Plan", running: RunningPass, now: "Now") -> None:
        self.partition = partition
        self.plan = found
        self.running = running
        self.began_ms = now.monotonic_ms
        self.read_bytes = self.written_bytes = 0
        self.groups: list[list[int]] = []
        self.end_offset = UNKNOWN_OFFSET
        self.has_unsynced_names = False

    def is_wanted(self) -> bool:
        """Whether the policy still has ``compact``. Else a line says that the pass ends; what it replaced stays so."""
        if self.partition.log.config.is_compacted:
            return True
        topic, index = self.partition.topic, self.partition.index
        _log.info("the compaction of %s-%d ends: its cleanup.policy keeps all records of a key now", topic, index)
        return False


def _largest_ms(segment: "Segment") -> int:
    found = segment.known_largest_ms
    assert found is not None
    return found


def _first_ms(segment: "Segment") -> int:
    assert segment.first_timestamp_ms is not None
    return segment.first_timestamp_ms


class _Reading:
    """Timestamps of a sealed segment that are read beside the loop: those that the plan for its log asks for."""

    __slots__ = ("_first_ms", "_largest_ms", "_needs_first", "_needs_largest", "_segment", "_truncations", "log",
                 "partition")  # fmt: skip

    def __init__(self, partition: "Partition", segment: "Segment", needs_largest: bool, needs_first: bool) -> None:
        self.partition = partition
        self.log = partition.log
        self._truncations = self.log.durability.truncations
        self._segment = segment
        self._needs_largest = needs_largest
        self._needs_first = needs_first
        self._largest_ms: int | None = None
        self._first_ms: int | None = None

    def run(self) -> "LogError | OSError | None":
        """For a thread beside the loop. Returns the error of a segment that cannot be read."""
        try:
            if self._needs_largest:
                self._largest_ms = self._segment.read_largest_ms()
            if self._needs_first:
                self._first_ms = self._segment.read_first_ms()
        except (LogError, OSError) as error:
            return error
        return None

    @property
    def is_outdated(self) -> bool:
        """Whether another log took its place, or the segment may have other records now."""
        log = self.log
        return self.partition.log is not log or log.durability.truncations != self._truncations

    @property
    def is_of_log(self) -> bool:
        """Whether the segment still is one of the log: retention may have removed it."""
        return self._segment in self.log.segments.all

    def note(self) -> None:
        """The segment knows from now on what was read."""
        if self._largest_ms is not None:
            self._segment.largest_read_ms = self._largest_ms
        if self._segment.first_timestamp_ms is None:
            self._segment.first_timestamp_ms = self._first_ms


def _read_all(some: "list[_Reading]") -> "list[LogError | OSError | None]":
    return [reading.run() for reading in some]
