"""The future replicas in one log directory: they replace logs of other directories once they have all records.

That is KIP-113. Their directories are named ``<topic>-<partition>.<id>-future``, as by Apache Kafka.
"""

import logging

from kafkacompat.protocol.error_codes import INCONSISTENT_TOPIC_ID
from kafkacompat.storage.data_dir import random_uuid
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.partition_dir import DELETE_SUFFIX, FUTURE_SUFFIX, directory_name, parse_future_name
from kafkacompat.storage.reserve import is_out_of_space
from kafkacompat.storage.retired import STRAY_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
    from kafkacompat.storage.retired import RetiredLogs

    TopicPartition = tuple[str, int]
    OpenAt = Callable[[str, TopicPartition, bytes, TopicConfig, Now], Log]

_log = logging.getLogger(__name__)


class FutureLogs:
    """``logs``: those that are open; ``current``: the logs of the directory. No partition has both here. Others were
    found at the start and are opened, promoted or deleted later. ``open_at`` opens a log at a path.
    """

    __slots__ = (
        "_checkpoints", "_found", "_fs", "_path", "_retired", "_rng", "_waiting", "current", "logs", "open_at",
    )  # fmt: skip

    def __init__(
        self,
        fs: "Fs",
        path: str,
        current: "dict[TopicPartition, Log]",
        checkpoints: "OffsetCheckpoints",
        retired: "RetiredLogs",
        rng: "Random",
        open_at: "OpenAt",
    ) -> None:
        self._fs = fs
        self._path = path
        self._checkpoints = checkpoints
        self._retired = retired
        self._rng = rng
        self.open_at = open_at
        self.current = current
        self.logs: dict[TopicPartition, Log] = {}
        self._found: dict[TopicPartition, list[str]] = {}
        #: directories that a full disk keeps from being renamed, and when they may be removed (monotonic ms)
        self._waiting: list[tuple[str, TopicPartition, int]] = []

    def find(self, names: "Iterable[str]") -> None:
        """Note the future replicas that earlier brokers have left, among the names in the directory."""
        for name in names:
            key = parse_future_name(name)
            if key is not None:
                self._found.setdefault(key, []).append(f"{self._path}/{name}")

    def was_found(self, key: "TopicPartition") -> bool:
        """Whether an earlier broker has left a future replica of a partition, and it is not opened yet."""
        return key in self._found

    @property
    def partitions(self) -> "list[TopicPartition]":
        """Those that have a future replica here."""
        return [*self.logs, *self._found]

    def __contains__(self, key: "TopicPartition") -> bool:
        return key in self.logs or key in self._found

    def __len__(self) -> int:
        return len(self.logs) + len(self._found)

    def _find_path(self, key: "TopicPartition", now: "Now") -> str | None:
        """The directory of one that was found. Of several, which Apache Kafka refuses, that with the most records.
        Raises OSError.
        """
        paths = self._found.get(key, [])
        if len(paths) > 1:
            sizes = {path: sum(self._fs.size(f"{path}/{name}") for name in self._fs.listdir(path)) for path in paths}
            paths.sort(key=sizes.__getitem__)
            while len(paths) > 1:
                _log.warning("%s is deleted: %s has more of the same partition", paths[0], paths[-1])
                self._drop(paths[0], key, now.monotonic_ms)
                del paths[0]
        return paths[0] if paths else None

    def open(self, key: "TopicPartition", topic_id: bytes, topic_config: "TopicConfig", now: "Now") -> "Log":
        """Open the future replica of a partition that has its log in another directory; made if there is none. One of
        an earlier topic of that name is deleted. Raises OSError, also ENOSPC; then its directory, if there is one by
        now, is one that was found.
        """
        found = self.logs.get(key)
        if found is not None and found.topic_id == topic_id:
            found.config = topic_config
            return found
        if found is not None:
            self.delete(key, now.monotonic_ms, now)
        path = self._find_path(key, now) or self._new_path(key)
        try:
            try:
                log = self.open_at(path, key, topic_id, topic_config, now)
            except LogError as error:
                if error.error_code != INCONSISTENT_TOPIC_ID:
                    raise
                self._drop(path, key, now.monotonic_ms)
                path = self._new_path(key)
                log = self.open_at(path, key, topic_id, topic_config, now)
        except (LogError, OSError) as error:
            self._note_found(key, path)
            if isinstance(error, OSError):
                raise
            raise OSError(str(error)) from error
        self._note_opened(key, log)
        return log

    def open_found(self, key: "TopicPartition", current: "Log", now: "Now") -> None:
        """Open the future replica of a log that was found, before clients are served: it may have to be recovered. If
        it is of another topic it stays unopened. Raises OSError.
        """
        path = self._find_path(key, now)
        if path is None:
            return
        try:
            self._note_opened(key, self.open_at(path, key, current.topic_id, current.config, now))
        except LogError as error:
            _log.warning("%s is not opened yet: %s", path, error)

    def _note_opened(self, key: "TopicPartition", log: "Log") -> None:
        self._found.pop(key, None)
        self.logs[key] = log
        log.tell_moved()

    def _note_found(self, key: "TopicPartition", path: str) -> None:
        """The next attempt to open it goes on with this directory, if there is one."""
        if self._fs.exists(path):
            self._found[key] = [path]
        else:
            self._found.pop(key, None)

    def _new_path(self, key: "TopicPartition") -> str:
        return f"{self._path}/{directory_name(*key)}.{random_uuid(self._rng).hex()}{FUTURE_SUFFIX}"

    def delete(self, key: "TopicPartition", due_ms: int, now: "Now") -> None:
        """Rename the directory of a future replica, if there is one; it is removed at ``due_ms`` (monotonic). Raises
        OSError.
        """
        paths = self._found.pop(key, [])
        log = self.logs.pop(key, None)
        if log is not None:
            log.close(clean=False, is_deleted=True, now=now)
            paths.append(log.path)
        if paths and key not in self.current:
            self._checkpoints.forget(key)
        for path in paths:
            self._drop(path, key, due_ms)

    def set_aside(self, key: "TopicPartition", now: "Now") -> None:
        """Rename the directories of future replicas of a partition, for people to look at. Raises OSError."""
        paths = self._found.pop(key, [])
        log = self.logs.pop(key, None)
        if log is not None:
            log.close(clean=False, now=now)
            paths.append(log.path)
        for path in paths:
            stray = self._retired.unique_name(*key, STRAY_SUFFIX)
            self._checkpoints.forget(key)
            self._fs.rename(path, stray)
            _log.warning(
                "%s is set aside as %s: there is no replica of %s-%d here that it could replace", path, stray, *key
            )

    def _drop(self, path: str, key: "TopicPartition", due_ms: int) -> None:
        renamed = self._retired.unique_name(*key, DELETE_SUFFIX)
        try:
            self._fs.rename(path, renamed)
        except OSError as error:
            if not is_out_of_space(error):
                raise
            _log.warning("no room to rename %s: it waits (%s)", path, error)
            self._waiting.append((path, key, due_ms))
        else:
            self._retired.schedule_removal(renamed, due_ms)

    def drop_waiting(self) -> None:
        """Try again to rename what a full disk has kept from it. Raises OSError."""
        waiting, self._waiting = self._waiting, []
        for path, key, due_ms in waiting:
            self._drop(path, key, due_ms)

    # Taking the place of a log

    def promote(self, key: "TopicPartition") -> "Log":
        """The future replica of a partition is its log from now on. Raises OSError; then nothing has changed."""
        log = self.logs[key]
        assert log.durability.syncing is None
        log.rename(f"{self._path}/{directory_name(*key)}")
        self.current[key] = self.logs.pop(key)
        log.tell_moved()
        return log

    def promote_found(self, key: "TopicPartition", now: "Now") -> None:
        """As ``promote``, before it is opened: the broker was killed in the middle of that. Raises OSError."""
        path = self._find_path(key, now)
        assert path is not None
        _log.warning("%s-%d: %s, which was about to become its log, does so now", *key, path)
        self._fs.rename(path, f"{self._path}/{directory_name(*key)}")
        del self._found[key]

    def retire_current(self, key: "TopicPartition") -> "Callable[[], None]":
        """Rename the directory of a log that one in another directory is about to replace. Returns what takes that
        back. Raises OSError; then nothing has changed.
        """
        log = self.current[key]
        path = log.path
        log.rename(self._retired.unique_name(*key, DELETE_SUFFIX))
        del self.current[key]

        def take_back() -> None:
            self.current[key] = log  # whatever comes of the rename: a directory that goes offline takes it along
            log.rename(path)

        return take_back

    def replaced(self, key: "TopicPartition", log: "Log", now: "Now") -> None:
        """A retired log was replaced: close it, and remove its directory after ``file.delete.delay.ms``."""
        try:
            log.close(clean=False, is_deleted=True, now=now)
        except OSError as error:
            _log.warning("%s, which is about to be deleted, cannot be closed: %s", log.path, error)
        self._checkpoints.forget(key)
        self._retired.schedule_removal(log.path, now.monotonic_ms + log.config.file_delete_delay_ms)
