"""The check of retention: removes segments of all partitions that are old or too many, leader or not.

Apache Kafka's ``LogManager.cleanupLogs``. A directory that no version with retention has opened before is spared for
ten minutes: a warning for each topic says how many bytes will go, and which setting keeps them.
"""

import logging
from functools import partial

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.steps import Stepped
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.retention import LogFacts, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.log_directory import LogDirectory
    from kafkacompat.storage.manager import LogManager
    from kafkacompat.storage.retention import Plan
    from kafkacompat.storage.segment import Segment

GRACE_MS = 600_000
"""How long after its start a broker removes nothing from a directory that retention has never seen."""
SEGMENTS_PER_STEP = 4
"""Segments that are renamed in one step: five files each, well below a millisecond."""
SEGMENT_UNITS = 20
"""What one of them counts as work (`kafkacompat/steps.py`)."""
UNITS_PER_PARTITION = 1
"""What one with nothing to remove counts as work: 5 µs."""
SEGMENTS_PER_UNIT = 50
"""Segments whose sizes are added as one unit of work."""
READS_PER_JOB = 200
"""Time indexes that one job reads beside the loop."""
GONE_MAX = 1_000
"""Partitions that `pop_gone` tells of."""
WARNED_MAX = 10_000
"""Segments with timestamps in the future, or that cannot be read, that are remembered: each is named once."""
_log = logging.getLogger(__name__)


class RetentionCheck:
    """The checks of one broker. `is_running`: one has begun and has not ended yet, background work included.

    `may_remove`: False for a log that the cleaner works on, as in Kafka, and for a compacted one when there is no
    cleaner: the next check looks again.
    """

    __slots__ = ("_background", "_gone", "_is_stopped", "_logs", "_may_remove", "_partitions", "_previewed",
                 "_start_ms", "_timers", "_unread", "_warned", "is_running")  # fmt: skip

    def __init__(
        self,
        logs: "LogManager",
        partitions: "ReplicaManager",
        background: "Background",
        timers: "Timers",
        may_remove: "Callable[[Partition], bool]",
    ) -> None:
        self._logs = logs
        self._partitions = partitions
        self._background = background
        self._timers = timers
        self._may_remove = may_remove
        self._is_stopped = False
        self._start_ms = 0
        self._gone: dict[str, list[int]] = {}
        self._warned: set[Segment] = set()
        self._previewed: dict[tuple[str, int], int] | None = {}
        self._unread: list[tuple[Partition, Segment]] = []
        self.is_running = False

    def begin(self, now: "Now") -> None:
        """The broker has started."""
        self._start_ms = now.monotonic_ms

    def end_grace(self) -> None:
        """Remove what is old also from a directory that is new to retention: a test has moved the clock for that."""
        self._start_ms = -GRACE_MS

    def pop_gone(self) -> list[str]:
        """What went since the last call, one line for each partition."""
        gone, self._gone = self._gone, {}
        return [f"retention of {name}: {count} segments, {size} bytes" for name, (count, size) in gone.items()]

    def stop(self) -> None:
        """Remove nothing more."""
        self._is_stopped = True

    def check(self, now: "Now") -> "Steps[None]":
        """Look at every partition, in steps; segments whose time indexes were not read yet are read beside the loop,
        and looked at again.
        """
        if self.is_running or self._is_stopped:
            return
        self.is_running = True
        self._gone.clear()
        try:
            yield from self._check_all(list(self._partitions), now)
        finally:
            self.is_running = self._has_to_read()
        if not self.is_running:
            self._ended(now)

    def _check_all(self, partitions: "list[Partition]", now: "Now") -> "Steps[None]":
        for partition in partitions:
            yield from self._check_one(partition, now)
            yield UNITS_PER_PARTITION + len(partition.log.segments.all) // SEGMENTS_PER_UNIT

    def _check_one(self, partition: "Partition", now: "Now") -> "Steps[None]":
        while self._is_served(partition):
            found = self._plan(partition, SEGMENTS_PER_STEP, now)
            if found.unread is not None:
                self._unread.append((partition, partition.log.segments.all[found.unread]))
            if found.in_future is not None:
                self._warn_of_future(partition.log.segments.all[found.in_future])
            if not found.count:
                return
            directory = self._logs.directory_of(partition.topic, partition.index)
            if directory is not None and directory.is_new_to_retention and self._is_grace(now):
                self._preview(partition, now)
                return
            try:
                self._remove(partition, found, now)
            except LogError as error:
                _log.warning("nothing was removed from %s-%d: %s", partition.topic, partition.index, error)
                return
            yield SEGMENT_UNITS * found.count

    def _is_served(self, partition: "Partition") -> bool:
        log = partition.log
        if self._is_stopped or log.is_closed or log.offline or not self._may_remove(partition):
            return False
        return self._partitions.get(partition.topic, partition.index) is partition

    def _plan(self, partition: "Partition", limit: int, now: "Now") -> "Plan":
        log = partition.log
        facts = LogFacts(
            log.segments.all, log.log_start_offset, partition.high_watermark, log.log_end_offset, now.wall_ms
        )
        return plan(facts, log.config, _largest_ms, limit)

    def _remove(self, partition: "Partition", found: "Plan", now: "Now") -> None:
        going = partition.log.segments.all[: found.count]
        sizes = sum(segment.size_bytes for segment in going)
        self._partitions.delete_segments(partition, found.count, now)
        name = f"{partition.topic}-{partition.index}"
        _log.info(
            "%s: %d segments (%d bytes) go, log start is %d now; by log start %d, by size %d, by time %d",
            name, found.count, sizes, partition.log.log_start_offset, found.by_log_start, found.by_size, found.by_time,
        )  # fmt: skip
        if name in self._gone or len(self._gone) < GONE_MAX:
            entry = self._gone.setdefault(name, [0, 0])
            entry[0] += found.count
            entry[1] += sizes

    def _warn_of_future(self, segment: "Segment") -> None:
        """A record of the future keeps its segment and all behind it: say so once (KAFKA-18929)."""
        if segment in self._warned or len(self._warned) >= WARNED_MAX:
            return
        self._warned.add(segment)
        _log.warning(
            "%s has a record with a timestamp in the future (%d): by time neither it nor what is behind it goes",
            segment.file.path, _largest_ms(segment),
        )  # fmt: skip

    # Time indexes that are not read yet

    def _has_to_read(self) -> bool:
        if not self._unread:
            return False
        some, self._unread = self._unread[:READS_PER_JOB], self._unread[READS_PER_JOB:]
        segments = [segment for _, segment in some]
        self._background.submit(OTHER_WORK, partial(_read_all, segments), partial(self._were_read, some))
        return True

    def _were_read(self, some: "list[tuple[Partition, Segment]]", outcome: object, now: "Now") -> None:
        assert isinstance(outcome, list), outcome
        read: dict[Partition, None] = {}
        for (partition, segment), found in zip(some, outcome, strict=True):
            if isinstance(found, Exception):  # the next check reads it again
                self._warn_of_unreadable(partition, segment, found)
                continue
            read[partition] = None
            segment.largest_read_ms = found
            if found == NO_TIMESTAMP:
                _log.warning("no time makes %s old: its records have no timestamp", segment.file.path)
        self._resume(Stepped(self._check_all(list(read), now)), now)

    def _warn_of_unreadable(self, partition: "Partition", segment: "Segment", error: Exception) -> None:
        """It keeps its log: say so once, unless it has gone meanwhile."""
        if not self._is_served(partition) or segment not in partition.log.segments.all:
            return
        if segment not in self._warned and len(self._warned) < WARNED_MAX:
            self._warned.add(segment)
            _log.warning(
                "by time neither %s nor what is behind it goes until it can be read: %s", segment.file.path, error
            )

    def _resume(self, work: Stepped, now: "Now") -> None:
        try:
            is_done = work.resume()
        except BaseException:
            self.is_running = False  # the next check is not kept from it
            raise
        if not is_done:
            self._timers.set("retention of read", now.monotonic_ms, partial(self._resume, work))
            return
        self.is_running = self._has_to_read()
        if not self.is_running:
            self._ended(now)

    # A directory that retention has not seen

    def _is_grace(self, now: "Now") -> bool:
        return now.monotonic_ms < self._start_ms + GRACE_MS

    def _preview(self, partition: "Partition", now: "Now") -> None:
        if self._previewed is None:
            return
        found = self._plan(partition, len(partition.log.segments.all), now)
        sizes = sum(segment.size_bytes for segment in partition.log.segments.all[: found.count])
        self._previewed[partition.topic, partition.index] = sizes

    def _ended(self, now: "Now") -> None:
        fresh = [directory for directory in self._logs.directories if directory.is_new_to_retention]
        if fresh and self._is_grace(now):
            self._warn_of_first_removal(fresh)
            return
        for directory in fresh:
            directory.retention_begins()

    def _warn_of_first_removal(self, fresh: "list[LogDirectory]") -> None:
        previewed, self._previewed = self._previewed, None
        topics: dict[str, int] = {}
        for (topic, _), size_bytes in (previewed or {}).items():
            topics[topic] = topics.get(topic, 0) + size_bytes
        for topic, size_bytes in sorted(topics.items()):
            _log.warning(
                "retention has not run in %s before: ten minutes after the start it removes %d bytes or more of topic "
                "%s; to keep them set retention.ms=-1 and retention.bytes=-1 of the topic now",
                ", ".join(directory.path for directory in fresh), size_bytes, topic,
            )  # fmt: skip


def _largest_ms(segment: "Segment") -> int | None:
    return segment.known_largest_ms


def _read_all(segments: "list[Segment]") -> "list[int | LogError | OSError]":
    """Their largest timestamps, or why they cannot be read. For a thread beside the loop."""
    return [_read(segment) for segment in segments]


def _read(segment: "Segment") -> "int | LogError | OSError":
    try:
        return segment.read_largest_ms()
    except (LogError, OSError) as error:
        return error
