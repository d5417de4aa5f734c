"""Makes the cleaner of a node when there is a compacted log: most nodes of tests need none, nor what it imports."""

from kafkacompat.storage.compaction.tail import bound_tail, is_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from kafkacompat.broker.log_cleaner import LogCleaner, Node, RunningPass
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.compaction.request import Request
    from kafkacompat.storage.fs import Fs

    NewPass = Callable[[Fs, Request], RunningPass]

SOON_MS = 1_000
"""By then the end of a segment is synced, so that it can be compacted."""


class Compaction:
    """``cleaner``: None as long as no log was compacted. ``new_pass``: the shell's, which may take another process.

    ``last_look_ms``: when compacted logs were looked for last, or that was scheduled first (monotonic).
    """

    __slots__ = ("_first", "_is_stopped", "_node", "cleaner", "last_look_ms", "new_pass")

    def __init__(self, node: "Node", first: "Container[str]") -> None:
        """``first``: topics whose logs come before others."""
        self._node = node
        self._first = first
        self._is_stopped = False
        self.cleaner: LogCleaner | None = None
        self.new_pass: NewPass | None = None
        self.last_look_ms = 0

    def schedule(self, now: "Now") -> None:
        """Look for compacted logs from time to time, unless ``log.cleaner.enable`` is false."""
        if self.is_enabled and not self._is_stopped:
            self.last_look_ms = now.monotonic_ms
            self._look_later(now)

    def _look_later(self, now: "Now") -> None:
        backoff_ms = max(1, self._node.config.get_int("log.cleaner.backoff.ms"))
        self._node.timers.set("cleaner", now.monotonic_ms + backoff_ms, self._look)

    def bound_tail(self, partition: "Partition", now: "Now") -> None:
        """To be called before a coordinator appends. If its log gets a new segment, compaction follows soon. Raises
        LogError.
        """
        log = partition.log
        if not is_long(log) or not self.is_enabled:
            return
        directory = self._node.logs.directory_of_open(partition.topic, partition.index)
        if directory is None:  # it is offline: the append is about to hear that
            return
        clean_offset = directory.checkpoints.cleaner_offset((partition.topic, partition.index)) or 0
        if bound_tail(log, clean_offset, now) and self._node.timers.is_set("cleaner"):  # else a pass runs
            self._node.timers.set("cleaner", now.monotonic_ms + SOON_MS, self._look)

    @property
    def is_enabled(self) -> bool:
        """``log.cleaner.enable``."""
        return bool(self._node.config.get("log.cleaner.enable"))

    @property
    def is_dead(self) -> bool:
        """Whether nothing will ever be compacted any more, though it was not stopped."""
        is_at_work = self.cleaner is not None and self.cleaner.is_at_work
        return not self._is_stopped and not is_at_work and not self._node.timers.is_set("cleaner")

    def _look(self, now: "Now") -> None:
        self.last_look_ms = now.monotonic_ms
        if not any(partition.log.config.is_compacted for partition in self._node.partitions):
            self._look_later(now)
            return
        if self.cleaner is None:
            from kafkacompat.broker.log_cleaner import LogCleaner
            from kafkacompat.storage.compaction.clean_pass import Pass

            self.cleaner = LogCleaner(self._node, self.new_pass or Pass, self._first, self._look_later)
        self.cleaner.look(now)

    def may_remove(self, partition: "Partition") -> bool:
        """Whether retention may remove segments of the log now: Kafka's cleaner does that for compacted logs, between
        two passes, so that without it nobody does.
        """
        if not partition.log.config.is_compacted:
            return self.cleaner is None or self.cleaner.working_on is not partition
        if not self._node.config.get("log.cleaner.enable"):
            return False
        return self.cleaner is None or self.cleaner.may_remove(partition)

    def stop(self) -> None:
        """Compact nothing more, and end the pass that runs."""
        self._is_stopped = True
        self._node.timers.cancel("cleaner")
        if self.cleaner is not None:
            self.cleaner.stop()
