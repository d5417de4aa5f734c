"""Makes the cleaner of a node when there is a compacted log: most nodes of tests need none, nor what it imports."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from kafkacompat.broker.log_cleaner import LogCleaner, Node, RunningPass
    from kafkacompat.now import Now
    from kafkacompat.storage.compaction.request import Request
    from kafkacompat.storage.fs import Fs

    NewPass = Callable[[Fs, Request], RunningPass]


class Compaction:
    """``cleaner``: None as long as no log was compacted. ``new_pass``: the shell's, which may take another process."""

    __slots__ = ("_first", "_is_stopped", "_node", "cleaner", "new_pass")

    def __init__(self, node: "Node", first: "Container[str]") -> None:
        """``first``: topics whose logs come before others."""
        self._node = node
        self._first = first
        self._is_stopped = False
        self.cleaner: LogCleaner | None = None
        self.new_pass: NewPass | None = None

    def schedule(self, now: "Now") -> None:
        """Look for compacted logs from time to time, unless ``log.cleaner.enable`` is false."""
        if self._node.config.get("log.cleaner.enable") and not self._is_stopped:
            self._look_later(now)

    def _look_later(self, now: "Now") -> None:
        backoff_ms = max(1, self._node.config.get_int("log.cleaner.backoff.ms"))
        self._node.timers.set("cleaner", now.monotonic_ms + backoff_ms, self._look)

    def _look(self, now: "Now") -> None:
        if not any(partition.log.config.is_compacted for partition in self._node.partitions):
            self._look_later(now)
            return
        if self.cleaner is None:
            from kafkacompat.broker.log_cleaner import LogCleaner
            from kafkacompat.storage.compaction.clean_pass import Pass

            self.cleaner = LogCleaner(self._node, self.new_pass or Pass, self._first, self._look_later)
        self.cleaner.look(now)

    def stop(self) -> None:
        """Compact nothing more, and end the pass that runs."""
        self._is_stopped = True
        self._node.timers.cancel("cleaner")
        if self.cleaner is not None:
            self.cleaner.stop()
