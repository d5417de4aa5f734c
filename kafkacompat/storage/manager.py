"""All logs of a data directory: open and delete them, write the checkpoints, close with or without a clean marker."""

import logging

from kafkacompat.storage.checkpoints import (
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    RECOVERY_POINT_FILE,
    CheckpointError,
    read_offsets,
    write_offsets,
)
from kafkacompat.storage.data_dir import DataDir, random_uuid
from kafkacompat.storage.errors import INCONSISTENT_TOPIC_ID, KAFKA_STORAGE_ERROR, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.log import NEVER, Log
from kafkacompat.storage.partition_dir import DELETE_SUFFIX, directory_name, is_topic_name, parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs

TopicPartition = tuple[str, int]
STRAY_SUFFIX = "-stray"
MAX_FILE_NAME_LENGTH = 255
NO_ERROR = 0
_log = logging.getLogger(__name__)


class LogDir:
    """One data directory for DescribeLogDirs: its error code, the disk's bytes (−1: unknown), the size of each log."""

    __slots__ = ("error_code", "logs", "path", "total_bytes", "usable_bytes")

    def __init__(
        self, path: str, error_code: int, total_bytes: int, usable_bytes: int, logs: dict[TopicPartition, int]
    ) -> None:
        self.path = path
        self.error_code = error_code
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.logs = logs


class LogManager:
    """The logs in one data directory, which stays locked until ``close``.

    ``offline`` is None, or the reason why the directory is not used any more: then every log in it answers
    KAFKA_STORAGE_ERROR.
    """

    __slots__ = (
        "_config",
        "_deleted",
        "_dir",
        "_flusher",
        "_fs",
        "_high_watermarks",
        "_log_starts",
        "_recovery_points",
        "_rng",
        "_written",
        "files",
        "logs",
        "offline",
        "path",
    )

    @classmethod
    def open(
        cls,
        fs: "Fs",
        data_dir: str,
        config: "BrokerConfig",
        now: "Now",
        *,
        cluster_id: str | None,
        flusher: "Flusher",
        rng: "Random",
    ) -> "LogManager":
        """Lock ``data_dir`` and read its checkpoints; logs are opened later, one by one. Raises StartupError."""
        node_id = config.get("node.id")
        assert isinstance(node_id, int)
        directory = DataDir(fs, data_dir, node_id=node_id, cluster_id=cluster_id, now=now, rng=rng)
        manager = cls(fs, directory, config, flusher, rng)
        manager._look_around(now)
        return manager

    def __init__(self, fs: "Fs", directory: DataDir, config: "BrokerConfig", flusher: "Flusher", rng: "Random") -> None:
        self._fs = fs
        self._dir = directory
        self._config = config
        self._flusher = flusher
        self._rng = rng
        self.path = directory.path
        self.files = FileCache(fs)
        self.logs: dict[TopicPartition, Log] = {}
        self.offline: str | None = None
        self._recovery_points = self._read(RECOVERY_POINT_FILE)
        self._log_starts = self._read(LOG_START_FILE)
        self._high_watermarks = self._read(HIGH_WATERMARK_FILE)
        read = {
            RECOVERY_POINT_FILE: self._recovery_points,
            LOG_START_FILE: self._log_starts,
            HIGH_WATERMARK_FILE: self._high_watermarks,
        }
        self._written = {name: dict(offsets) for name, offsets in read.items() if offsets}  # what is on disk
        self._deleted: list[tuple[int, str]] = []  # when to remove which directory

    @property
    def cluster_id(self) -> str:
        return self._dir.cluster_id

    @property
    def directory_id(self) -> bytes:
        return self._dir.directory_id

    @property
    def was_clean_shutdown(self) -> bool:
        return self._dir.was_clean_shutdown

    @property
    def previous_broker_epoch(self) -> int:
        """The epoch of the broker that stopped cleanly here, −1 after any other stop."""
        return self._dir.previous_broker_epoch

    def _read(self, name: str) -> dict[TopicPartition, int]:
        """A checkpoint; one that cannot be read counts as empty, which costs time at recovery and no data."""
        try:
            return read_offsets(self._fs, f"{self.path}/{name}")
        except CheckpointError as error:
            _log.warning("starting without a checkpoint: %s", error)
            return {}

    def _look_around(self, now: "Now") -> None:
        """Take up what an earlier broker left to be deleted; name what is not ours."""
        delay_ms = self._config.get("log.segment.delete.delay.ms")
        assert isinstance(delay_ms, int)
        for name in self._fs.listdir(self.path):
            path = f"{self.path}/{name}"
            if name.endswith(DELETE_SUFFIX):
                self._deleted.append((now.monotonic_ms + delay_ms, path))
            elif parse_directory_name(name) is None and self._fs.is_dir(path):
                _log.warning("ignoring the directory %s, which is no partition's", path)

    # Logs

    def open_log(self, topic: str, topic_id: bytes, partition: int, topic_config: "TopicConfig", now: "Now") -> Log:
        """Open the log of a partition, recovering it after an unclean stop. The name must be a valid topic's.

        A directory of an earlier topic of the same name is set aside as ``…-stray``. Raises OSError.
        """
        if self.offline is not None:
            raise OSError(self.offline)
        key = topic, partition
        path = f"{self.path}/{directory_name(topic, partition)}"
        try:
            log = self._open(path, key, topic_id, topic_config, now)
        except LogError as error:
            if error.error_code != INCONSISTENT_TOPIC_ID:
                raise OSError(str(error)) from error
            stray = self._unique_name(topic, partition, STRAY_SUFFIX)
            _log.warning("%s; it is set aside as %s", error, stray)
            self._fs.rename(path, stray)
            self._forget(key)
            log = self._open(path, key, topic_id, topic_config, now)
        self.logs[key] = log
        return log

    def _open(self, path: str, key: TopicPartition, topic_id: bytes, config: "TopicConfig", now: "Now") -> Log:
        if not self._fs.exists(path):
            self._disown_predecessor(key)
        log = Log.open(
            self._fs,
            path,
            config,
            topic_id=topic_id,
            recovery_point=self._recovery_points.get(key, 0),
            log_start_offset=self._log_starts.get(key, 0),
            clean=self.was_clean_shutdown,
            now=now,
            flusher=self._flusher,
            files=self.files,
        )
        log.on_failure = self.take_offline
        return log

    def _disown_predecessor(self, key: TopicPartition) -> None:
        """Before a directory is made: the checkpoints on disk must not speak of one that had its name.

        After a crash they would be believed, and a log start that lies behind the new log's end would empty it.
        """
        self._forget(key)
        if any(key in offsets for offsets in self._written.values()):
            self._write_checkpoints({}, sync=True)

    def take_offline(self, error: OSError) -> None:
        """Stop using the directory, because its disk failed."""
        if self.offline is not None:
            return
        self.offline = error.strerror or str(error)
        _log.error("data directory %s goes offline: %s", self.path, error)
        for log in self.logs.values():
            log.failure = log.failure or error

    def delete_log(self, topic_partition: TopicPartition, now: "Now") -> None:
        """Rename a partition's directory away; ``remove_deleted`` removes it after ``file.delete.delay.ms``."""
        log = self.logs.pop(topic_partition)
        self._forget(topic_partition)
        log.close(clean=False, now=now)
        path = self._unique_name(*topic_partition, DELETE_SUFFIX)
        try:
            self._fs.rename(log.path, path)
        except OSError as error:
            self.take_offline(error)
            return
        self._deleted.append((now.monotonic_ms + log.config.file_delete_delay_ms, path))

    def _forget(self, key: TopicPartition) -> None:
        for offsets in (self._recovery_points, self._log_starts, self._high_watermarks):
            offsets.pop(key, None)

    def _unique_name(self, topic: str, partition: int, suffix: str) -> str:
        """A name beside the partition's, as Kafka makes it: the topic is cut off when the whole would be too long."""
        assert is_topic_name(topic)
        tail = f"-{partition}.{random_uuid(self._rng).hex()}{suffix}"
        return f"{self.path}/{topic[: MAX_FILE_NAME_LENGTH - len(tail)]}{tail}"

    def remove_deleted(self, now: "Now") -> None:
        """Remove the directories and segments whose delay is over; what cannot be removed waits for the next start."""
        if self.offline is not None:
            return
        due = [path for at_ms, path in self._deleted if at_ms <= now.monotonic_ms]
        self._deleted = [entry for entry in self._deleted if entry[0] > now.monotonic_ms]
        for path in due:
            try:
                self._fs.rmtree(path)
            except OSError as error:
                _log.warning("cannot remove %s: %s", path, error)
        for log in self.logs.values():
            log.remove_deleted(now)

    def expire_producers(self, expiration_ms: int, now: "Now") -> None:
        """Forget producers that have been silent for ``producer.id.expiration.ms``."""
        for log in self.logs.values():
            log.producers.expire(now.wall_ms, expiration_ms)

    def request_due_flushes(self, now: "Now") -> int:
        """Queue the logs whose ``flush.ms`` has passed; answer when the next one is due (monotonic ms)."""
        next_ms = NEVER
        for log in self.logs.values():
            if log.next_flush_ms <= now.monotonic_ms:
                self._flusher.request(log)
            else:
                next_ms = min(next_ms, log.next_flush_ms)
        return next_ms

    # Checkpoints

    def high_watermark_checkpoint(self, topic: str, partition: int) -> int:
        """The high watermark that was last written for a partition, 0 without one."""
        return self._high_watermarks.get((topic, partition), 0)

    def checkpoint(self, now: "Now", high_watermarks: "Mapping[TopicPartition, int]") -> None:  # noqa: ARG002
        """Write the checkpoints that have changed. A failing disk takes the directory offline."""
        if self.offline is not None:
            return
        try:
            self._write_checkpoints(high_watermarks, sync=False)
        except OSError as error:
            self.take_offline(error)

    def _write_checkpoints(self, high_watermarks: "Mapping[TopicPartition, int]", *, sync: bool) -> None:
        self._high_watermarks.update(high_watermarks)
        for key, log in self.logs.items():
            self._recovery_points[key] = log.flushed_offset
            segments = log.segments.all
            if segments and log.log_start_offset > segments[0].base_offset:
                self._log_starts[key] = log.log_start_offset
            else:
                self._log_starts.pop(key, None)
        for name, offsets in (
            (RECOVERY_POINT_FILE, self._recovery_points),
            (LOG_START_FILE, self._log_starts),
            (HIGH_WATERMARK_FILE, self._high_watermarks),
        ):
            if sync or self._written.get(name) != offsets:
                write_offsets(self._fs, f"{self.path}/{name}", offsets, sync=sync)
                self._written[name] = dict(offsets)

    def log_dirs(self) -> list[LogDir]:
        """The one data directory, for DescribeLogDirs."""
        error_code = NO_ERROR if self.offline is None else KAFKA_STORAGE_ERROR
        try:
            total_bytes, usable_bytes = self._fs.disk_usage(self.path)
        except OSError:
            total_bytes = usable_bytes = -1
        sizes = {key: log.size_bytes for key, log in self.logs.items()} if self.offline is None else {}
        return [LogDir(self.path, error_code, total_bytes, usable_bytes, sizes)]

    def close(
        self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int, now: "Now"
    ) -> None:
        """Close all logs and let go of the directory. ``clean`` makes all durable and leaves the marker for it.

        A disk that fails now makes the stop an unclean one; nothing is raised.
        """
        clean = clean and self.offline is None
        if clean:
            for log in self.logs.values():
                if log.flushed_offset < log.log_end_offset:
                    self._flusher.request(log)
            self._flusher.flush_inline(now)  # all at once: each directory is synced once
            clean = self.offline is None
        for log in self.logs.values():
            try:
                log.close(clean=clean, now=now)
            except OSError as error:
                self.take_offline(error)
                clean = False
        try:
            if clean:
                self._write_checkpoints(high_watermarks, sync=True)
            self._dir.close(clean=clean, broker_epoch=broker_epoch)
        except OSError as error:
            self.take_offline(error)
        self.logs.clear()
