"""Directories of deleted and stray partitions. They are renamed at once; deleted ones are removed after a delay.

A rename may need a disk block. On a full disk the directory keeps its name until there is space, and no log is opened
in it meanwhile. To make space, the segments of a deleted partition are removed in place when its delay is over, the
newest first, and the rename is retried. A crash in between leaves a log without its end, like that of an out-of-sync
replica. The next start renames it as a stray.
"""

import errno
import logging
import os

from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.data_dir import random_uuid
from kafkacompat.storage.partition_dir import DELETE_SUFFIX, MAX_FILE_NAME_LENGTH, directory_name, is_topic_name
from kafkacompat.storage.removal import Removal
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from kafkacompat.now import Now
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.fs import Fs

    TopicPartition = tuple[str, int]

STRAY_SUFFIX = "-stray"
RENAMES_PER_ITERATION = 500
"""Directories renamed per iteration of the event loop once there is space: about 10 ms."""
FILES_PER_STEP = 20
"""Files of a waiting directory that are removed before its rename is retried: a few segments."""
_log = logging.getLogger(__name__)


class RetiredLogs:
    """The deleted and stray partition directories in one data directory. Their logs are closed."""

    __slots__ = ("_background", "_data_dir", "_deleted", "_emptied", "_fs", "_removal", "_rng", "_waiting")

    def __init__(self, fs: "Fs", data_dir: str, background: "Background", rng: "Random") -> None:
        self._fs = fs
        self._data_dir = data_dir
        self._background = background
        self._rng = rng
        self._removal = Removal(fs, background)
        self._deleted: list[tuple[int, str]] = []  # due time (monotonic ms) and path
        #: directories that cannot be renamed yet: suffix, and when their segments may be removed (monotonic ms)
        self._waiting: dict[TopicPartition, tuple[str, int]] = {}
        self._emptied: TopicPartition | None = None  # the directory whose segments are being removed

    def schedule_removal(self, path: str, due_ms: int) -> None:
        """Remove a directory that an earlier broker renamed to delete it."""
        self._deleted.append((due_ms, path))

    def retire(self, key: "TopicPartition", suffix: str, due_ms: int) -> None:
        """Rename a partition's directory, or queue the rename if the disk is full. With DELETE_SUFFIX the directory is
        removed at ``due_ms`` (monotonic). Raises OSError if the disk has failed.
        """
        self._waiting[key] = suffix, due_ms
        try:
            self.free_name(key)
        except OSError as error:
            if not is_out_of_space(error):
                raise
            _log.warning("no room to rename the directory of %s-%d: it waits (%s)", *key, error)

    def free_name(self, key: "TopicPartition") -> None:
        """Rename the directory of a partition if that is still to be done. Raises OSError; ENOSPC if it must wait."""
        if key not in self._waiting:
            return
        path = f"{self._data_dir}/{directory_name(*key)}"
        if key == self._emptied:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        suffix, due_ms = self._waiting[key]
        renamed = self.unique_name(*key, suffix)
        self._fs.rename(path, renamed)
        del self._waiting[key]
        if suffix == DELETE_SUFFIX:
            self._deleted.append((due_ms, renamed))
        else:
            _log.warning("the directory of %s-%d is set aside as %s", *key, renamed)

    def unique_name(self, topic: str, partition: int, suffix: str) -> str:
        """A unique path in Kafka's format. The topic name is shortened if the file name would be too long."""
        assert is_topic_name(topic)
        tail = f"-{partition}.{random_uuid(self._rng).hex()}{suffix}"
        return f"{self._data_dir}/{topic[: MAX_FILE_NAME_LENGTH - len(tail)]}{tail}"

    def remove_due(self, segments: "Iterable[str]", now: "Now") -> None:
        """Remove ``segments``, and the directories whose delay is over. Raises OSError if the disk has failed."""
        self._rename_waiting(now)
        due = [path for at_ms, path in self._deleted if at_ms <= now.monotonic_ms]
        self._deleted = [entry for entry in self._deleted if entry[0] > now.monotonic_ms]
        self._removal.add([*due, *segments])

    def _rename_waiting(self, now: "Now") -> None:
        for key in list(self._waiting)[:RENAMES_PER_ITERATION]:
            try:
                self.free_name(key)
            except OSError as error:
                if not is_out_of_space(error):
                    raise
                self._make_room(now)
                return

    def _make_room(self, now: "Now") -> None:
        """Start to remove the segments of a waiting directory whose delay is over."""
        if self._emptied is None:
            due = (key for key, (suffix, at_ms) in self._waiting.items()
                   if suffix == DELETE_SUFFIX and at_ms <= now.monotonic_ms)  # fmt: skip
            self._emptied = next(due, None)
            if self._emptied is not None:
                path = f"{self._data_dir}/{directory_name(*self._emptied)}"
                self._background.submit(OTHER_WORK, lambda: self._remove_segments(path), self._segments_removed)

    def _remove_segments(self, path: str) -> None:
        """Remove up to FILES_PER_STEP files, the newest first. Raises OSError at the first that cannot be removed."""
        names = sorted((name for name in self._fs.listdir(path) if name[0].isdigit()), reverse=True)
        for name in names[:FILES_PER_STEP]:
            self._fs.remove(f"{path}/{name}")

    def _segments_removed(self, outcome: "Exception | None", _now: "Now") -> None:
        key, self._emptied = self._emptied, None
        assert key is not None
        if outcome is not None:
            _log.warning("the segments of %s-%d cannot be removed: %s", *key, outcome)
        self._waiting[key] = self._waiting.pop(key)  # move it to the end of the queue
