"""The four offset checkpoints of a data directory: recovery points, log start offsets, high watermarks, and where the
part of each log begins that was never compacted.
"""

from contextlib import nullcontext

from kafkacompat.storage.checkpoints import (
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    RECOVERY_POINT_FILE,
    readable_offsets,
)
from kafkacompat.storage.offset_file import OffsetFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.owner import OwnedLog

    TopicPartition = tuple[str, int]


class OffsetCheckpoints:
    """The event loop notes what the files are to hold, and ``publish`` hands that over; ``write`` may run anywhere.

    ``guard``: a lock, where files are written in several threads. ``has_recovery_points``: that file could be read.
    """

    __slots__ = ("_changed", "_cleaner_offsets", "_files", "_first_high_watermarks", "_high_watermarks", "_log_starts",
                 "_recovery_points", "guard", "has_recovery_points")  # fmt: skip

    def __init__(self, fs: "Fs", path: str) -> None:
        """Read what the files in ``path`` hold; one that cannot be read counts as empty. Raises OSError."""
        recovery_points = readable_offsets(fs, f"{path}/{RECOVERY_POINT_FILE}")
        self.has_recovery_points = recovery_points is not None
        self._recovery_points = recovery_points or {}
        self._log_starts = readable_offsets(fs, f"{path}/{LOG_START_FILE}") or {}
        self._high_watermarks = readable_offsets(fs, f"{path}/{HIGH_WATERMARK_FILE}") or {}
        self._cleaner_offsets = readable_offsets(fs, f"{path}/{CLEANER_FILE}") or {}
        self._first_high_watermarks = dict(self._high_watermarks)
        self._files = {name: OffsetFile(fs, f"{path}/{name}", offsets) for name, offsets in self._all()}
        self._changed: set[str] = set()  # files whose offsets here are newer than those that were published
        self.guard: AbstractContextManager[object] = nullcontext()

    def _all(self) -> "tuple[tuple[str, dict[TopicPartition, int]], ...]":
        return (
            (RECOVERY_POINT_FILE, self._recovery_points),
            (LOG_START_FILE, self._log_starts),
            (HIGH_WATERMARK_FILE, self._high_watermarks),
            (CLEANER_FILE, self._cleaner_offsets),
        )

    # What was found

    def recovery_point(self, key: "TopicPartition") -> int:
        """Where recovery of a log begins, 0 without a checkpoint."""
        return self._recovery_points.get(key, 0)

    def log_start(self, key: "TopicPartition") -> int:
        """The log start offset, 0 without a checkpoint."""
        return self._log_starts.get(key, 0)

    def first_high_watermark(self, key: "TopicPartition") -> int:
        """The high watermark that the file held when the directory was opened, 0 without one."""
        return self._first_high_watermarks.get(key, 0)

    def cleaner_offset(self, key: "TopicPartition") -> int | None:
        """Where the part of a log begins that was never compacted, None without a checkpoint."""
        return self._cleaner_offsets.get(key)

    # What the files are to hold

    def note_cleaner_offset(self, key: "TopicPartition", offset: int) -> None:
        """A log is compacted up to ``offset``, durably."""
        if self._cleaner_offsets.get(key) != offset:
            self._cleaner_offsets[key] = offset
            self._changed.add(CLEANER_FILE)

    def forget_cleaner_offset(self, key: "TopicPartition") -> None:
        """A log counts as never compacted."""
        if self._cleaner_offsets.pop(key, None) is not None:
            self._changed.add(CLEANER_FILE)

    def may_hold_cleaner_offset(self, key: "TopicPartition") -> bool:
        """Whether it is noted, or a start after a crash may find it."""
        return key in self._cleaner_offsets or self._files[CLEANER_FILE].may_hold(key)

    def note_high_watermark(self, key: "TopicPartition", offset: int) -> None:
        """The high watermark of a partition has moved."""
        self._high_watermarks[key] = offset
        self._changed.add(HIGH_WATERMARK_FILE)

    def note_log(self, key: "TopicPartition", log: "OwnedLog") -> None:
        """The flushed offset or the log start of a log has moved."""
        self._recovery_points[key] = log.flushed_offset
        self._log_starts.pop(key, None)
        if log.starts_late:
            self._log_starts[key] = log.log_start_offset
        self._changed |= {RECOVERY_POINT_FILE, LOG_START_FILE}

    def forget(self, key: "TopicPartition") -> None:
        """The log of a partition is deleted or renamed."""
        self._first_high_watermarks.pop(key, None)
        for name, offsets in self._all():
            if offsets.pop(key, None) is not None:
                self._changed.add(name)

    def may_hold(self, key: "TopicPartition") -> bool:
        """Whether a start after a crash may find a partition in one of the files."""
        return any(file.may_hold(key) for file in self._files.values())

    def lower(self, logs: "Mapping[TopicPartition, OwnedLog]") -> bool:
        """Logs were truncated: no checkpoint, noted or written, may be above their ends. Whether files have to be
        written for that.

        What was compacted ends where the active segment begins: that is written anew (``LogManager.truncateTo``).
        """
        has_lowered = False
        for name, offsets in self._all():
            ends = {key: _highest(name, log) for key, log in logs.items()}
            offsets.update([(key, end) for key, end in ends.items() if offsets.get(key, 0) > end])
            if self._files[name].lower(ends):
                self._changed.add(name)
                has_lowered = True
        return has_lowered

    def keep_high_watermarks(self, log_end_offsets: "Mapping[TopicPartition, int]") -> bool:
        """Keep the high watermarks of these logs alone, none above the end of its log. Whether a file has to be
        written for that.
        """
        found, marks = dict(self._high_watermarks), self._high_watermarks
        marks.clear()
        marks.update((key, min(mark, log_end_offsets[key])) for key, mark in found.items() if key in log_end_offsets)
        self._changed.add(HIGH_WATERMARK_FILE)
        file = self._files[HIGH_WATERMARK_FILE]
        if not file.lower({key: marks.get(key, 0) for key in found}):
            return False
        file.want(marks)
        return True

    # Writing

    def publish(self) -> None:
        """``write`` writes what was noted up to now."""
        changed, self._changed = self._changed, set()
        for name, offsets in self._all():
            if name in changed:
                self._files[name].want(offsets)

    @property
    def is_behind(self) -> bool:
        """Whether a file does not hold what was published last."""
        return any(file.is_behind for file in self._files.values())

    def write(self) -> None:
        """Write what was published last, durably, on any thread. Raises OSError."""
        with self.guard:
            for file in self._files.values():
                file.write()


def _highest(name: str, log: "OwnedLog") -> int:
    """The largest offset that a file may hold for a log after it was truncated."""
    if name == LOG_START_FILE:
        return log.log_start_offset
    active = log.segments.active
    return active.base_offset if name == CLEANER_FILE and active is not None else log.log_end_offset
