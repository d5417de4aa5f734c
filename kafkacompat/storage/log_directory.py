"""One log directory: its lock, its logs, their checkpoints, its durability marker, its reserve, its offline state."""

import logging
from contextlib import suppress

from kafkacompat.now import NEVER
from kafkacompat.protocol.error_codes import INCONSISTENT_TOPIC_ID, KAFKA_STORAGE_ERROR, NONE
from kafkacompat.steps import at_once
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, OTHER_WORK
from kafkacompat.storage.checkpoints import (
    PARTITION_METADATA_FILE,
    RETENTION_FILE,
    CheckpointError,
    read_partition_metadata,
)
from kafkacompat.storage.data_dir import DataDir, LogDirDescription, unusable
from kafkacompat.storage.durability_marker import DurabilityMarker
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.log import Log
from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
from kafkacompat.storage.owner import LogOwner
from kafkacompat.storage.partition_dir import (
    DELETE_SUFFIX,
    directory_name,
    may_hold_records,
    parse_directory_name,
    parse_future_name,
)
from kafkacompat.storage.reserve import ReserveFs, is_disk_failure, is_shortage
from kafkacompat.storage.retired import STRAY_SUFFIX, RetiredLogs
from kafkacompat.storage.waiting_logs import WaitingLogs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from random import Random

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.steps import Steps
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.future_logs import FutureLogs
    from kafkacompat.storage.owner import OwnedLog

TopicPartition = tuple[str, int]
METADATA_TOPIC = "__cluster_metadata"
LOGS_PER_CLOSING_STEP = 100
"""Logs that are synced together when the directory is closed, before the caller hears how many are done."""
MOVED_PER_UNIT = 4
"""Moved logs, or moved high watermarks, that are noted for the checkpoints in one unit of work."""
_log = logging.getLogger(__name__)


def _key_of(log: "OwnedLog") -> TopicPartition | None:
    """The partition of a log, current or future."""
    name = log.path.rpartition("/")[2]
    return parse_directory_name(name) or parse_future_name(name)


def offline_description(path: str) -> LogDirDescription:
    """What DescribeLogDirs says of a directory that is offline."""
    return LogDirDescription(path, KAFKA_STORAGE_ERROR, -1, -1, {}, {})


class LogDirectory(LogOwner):
    """The logs in one directory, which stays locked until ``closing`` has ended.

    ``disk`` is its file system, which knows whether the disk is full. ``offline`` is None, or the reason why the
    directory is not used any more: then every log in it answers KAFKA_STORAGE_ERROR, and ``on_offline`` was called.
    ``leaves_marker``: whether a clean stop leaves its marker. ``is_new_to_retention``: it holds partitions of a version
    without retention, and no check has ended since its ten minutes.
    """

    __slots__ = (
        "_config", "_flusher", "_futures", "_has_unrecovered", "_has_unsynced_names", "_identity", "_is_checkpointing",
        "_is_freeing_names", "_keeps_gaps", "_retired", "_rng", "_was_registered", "checkpoints", "disk", "files",
        "is_new_to_retention", "leaves_marker", "logs", "marker", "may_set_aside", "offline", "on_names_free",
        "on_offline", "path", "waiting",
    )  # fmt: skip

    @classmethod
    def open(
        cls,
        fs: "Fs",
        path: str,
        config: "BrokerConfig",
        now: "Now",
        *,
        cluster_id: str | None,
        flusher: "Flusher",
        rng: "Random",
    ) -> "LogDirectory":
        """Lock ``path`` and read its checkpoints; logs are opened later, one by one. Raises StartupError."""
        disk = ReserveFs(fs, path)
        node_id = config.get_int("node.id")
        identity = DataDir(disk, path, node_id=node_id, cluster_id=cluster_id, now=now, rng=rng)
        try:
            directory = cls(disk, identity, config, flusher, rng)
            directory._schedule_removals(now)
        except OSError as error:
            identity.unlock()
            raise unusable(path, error) from error
        return directory

    def __init__(
        self, disk: ReserveFs, identity: DataDir, config: "BrokerConfig", flusher: "Flusher", rng: "Random"
    ) -> None:
        self.disk = disk
        self.path = identity.path
        self.files = FileCache(disk)
        self.logs: dict[TopicPartition, Log] = {}
        self.offline: str | None = None
        self.on_offline: Callable[[LogDirectory], None] = lambda _directory: None
        self.on_names_free: Callable[[bool, Now], None] = lambda _can_go_on, _now: None
        self.may_set_aside: Callable[[str, int], bool] = lambda _topic, _partition: True
        self.waiting = WaitingLogs()
        self.leaves_marker = True
        self._identity = identity
        self._config = config
        self._flusher = flusher
        self._is_checkpointing = self._is_freeing_names = self._has_unsynced_names = False
        self._has_unrecovered = self._was_registered = self._keeps_gaps = self.is_new_to_retention = False
        self.checkpoints = OffsetCheckpoints(disk, self.path)
        self._retired = RetiredLogs(disk, self.path, flusher.background, rng)
        self._futures: FutureLogs | None = None
        self._rng = rng
        self.marker = DurabilityMarker(disk, identity, has_recovery_points=self.checkpoints.has_recovery_points)

    @property
    def cluster_id(self) -> str:
        return self._identity.cluster_id

    @property
    def directory_id(self) -> bytes:
        return self._identity.directory_id

    @property
    def was_clean_shutdown(self) -> bool:
        return self._identity.was_clean_shutdown

    # The durability marker

    def registered(self, broker_epoch: int, incarnation_id: bytes) -> None:
        """A registration was accepted: a later start may prove that nothing was lost since. A failing disk takes the
        directory offline; on a full one the marker waits for ``write_missing_marker``.
        """
        is_group_commit = not self.disk.is_temporary and self._config.get("log.flush.interval.messages") == 1
        is_group_commit = is_group_commit and all(log.config.flush_messages == 1 for log in self.logs.values())
        self.marker.renew(broker_epoch, incarnation_id, is_group_commit=is_group_commit)
        self._write_marker()

    def write_missing_marker(self) -> None:
        """The disk has room, maybe again: write the marker if there was none for it at the registration."""
        if self.marker.is_missing and self.offline is None:
            self._write_marker()

    def _write_marker(self) -> None:
        """Write the checkpoints that the marker relies on, then the marker. Without room for them there must be no
        marker: no start may prove anything by an earlier one.
        """
        try:
            try:
                if not self._was_registered:
                    self._was_registered = True
                    self._settle_high_watermarks()
                if self._keeps_gaps or self.marker.is_missing:
                    # from now on the recovery point tells a gap that was kept from one that a power loss leaves
                    self._note_all()
                    self.checkpoints.write()
                    self._keeps_gaps = False
                self.marker.write()
            except OSError as error:
                if not is_shortage(error):
                    raise
                self.marker.remove()
        except OSError as error:
            self.take_offline(error)

    def _settle_high_watermarks(self) -> None:
        """Before a start can prove anything, and before a record is written: no high watermark on disk is above the end
        of its log, and none is left if the previous incarnation proves nothing.
        """
        is_proved = self.marker.is_proved
        ends = {key: log.log_end_offset for key, log in self._all_logs()} if is_proved else {}
        if self.checkpoints.keep_high_watermarks(ends):
            self.checkpoints.write()

    # LogOwner

    defers_truncations = True

    @property
    def has_lost_power(self) -> bool:
        return self.marker.has_lost_power

    def moved(self, log: "OwnedLog") -> None:
        self.waiting.add_moved(log)

    def has_unflushed(self, log: "OwnedLog") -> None:
        self.waiting.add_to_flush(log)

    def has_files_to_remove(self, log: "OwnedLog") -> None:
        self.waiting.add_with_files(log)

    def after_keeping_gap(self) -> None:
        self._keeps_gaps = True

    def before_data_loss(self) -> None:
        self.marker.disprove_previous()

    def before_early_acknowledgement(self) -> None:
        self.marker.withdraw_group_commit()

    def after_truncate(self, logs: "Iterable[OwnedLog]") -> "Callable[[], None] | None":
        """Until records behind a truncation are flushed, no start may trust them, nor take them for committed or
        deleted.
        """
        by_partition = {_key_of(log): log for log in logs}
        has_lowered = self.checkpoints.lower({key: log for key, log in by_partition.items() if key is not None})
        return self.checkpoints.write if has_lowered else None

    # Logs

    def holds(self, key: TopicPartition) -> bool:
        """Whether the directory of a partition is here, opened or not."""
        return key in self.logs or self.disk.exists(self._path_of(key))

    def _all_logs(self) -> "Iterator[tuple[TopicPartition, Log]]":
        """Current and future replicas; no partition has both of them here."""
        yield from self.logs.items()
        if self._futures is not None:
            yield from self._futures.logs.items()

    @property
    def futures(self) -> "FutureLogs":
        """The future replicas; made on first use."""
        if self._futures is None:
            from kafkacompat.storage.future_logs import FutureLogs

            self._futures = FutureLogs(
                self.disk, self.path, self.logs, self.checkpoints, self._retired, self._rng, self._open
            )
        return self._futures

    @property
    def with_futures(self) -> "Sequence[TopicPartition]":
        """The partitions that have a future replica here, opened or not."""
        return () if self._futures is None else self._futures.partitions

    def has_future(self, key: TopicPartition) -> bool:
        """Whether a partition has a future replica here, opened or not."""
        return self._futures is not None and key in self._futures

    @property
    def future_count(self) -> int:
        """How many partitions have a future replica here."""
        return 0 if self._futures is None else len(self._futures)

    @property
    def open_count(self) -> int:
        """How many logs are open here, those of future replicas included."""
        return len(self.logs) + (0 if self._futures is None else len(self._futures.logs))

    def _path_of(self, key: TopicPartition) -> str:
        return f"{self.path}/{directory_name(*key)}"

    def open_found(self, topic_config: "TopicConfig", now: "Now", *, but: "Container[TopicPartition | None]") -> None:
        """Open every log in the directory except those of ``but``.

        For a broker that hears later which of them belong here: once all are recovered it is known whether everything
        that the previous incarnation acknowledged is there. ``topic_config`` serves for all until ``open_log`` brings
        their own.
        """
        for name in self.disk.listdir(self.path):
            key = parse_directory_name(name)
            if key is None or key in but:
                continue
            try:
                topic_id = read_partition_metadata(self.disk, f"{self.path}/{name}/{PARTITION_METADATA_FILE}")
                if topic_id is not None:
                    self.open_log(key, topic_id, topic_config, now)
            except (CheckpointError, OSError) as error:
                _log.error("the log of %s-%d cannot be opened: %s", *key, error)
                if isinstance(error, OSError) or may_hold_records(self.disk, f"{self.path}/{name}"):
                    self.marker.disprove()  # else it was never flushed, and the name of its topic with it
            except Exception:  # noqa: BLE001 (whatever it is)
                _log.exception("a bug: the log of %s-%d cannot be opened", *key)
                self.marker.disprove()

    def open_log(self, key: TopicPartition, topic_id: bytes, topic_config: "TopicConfig", now: "Now") -> Log:
        """See ``LogManager.open_log``."""
        if self.offline is not None:
            raise OSError(self.offline)
        found = self.logs.get(key)
        if found is not None and found.topic_id == topic_id:
            found.config = topic_config
            return found
        if found is not None:
            self.logs.pop(key).close(clean=False, now=now)
        self._retired.free_name(key)
        try:
            log = self._open_own(key, topic_id, topic_config, now)
        except Exception:
            self._has_unrecovered |= not self.was_clean_shutdown  # the next start must not take it for clean
            if not self._was_registered:  # it may hold records that were acknowledged
                self.marker.disprove()
            raise
        self.logs[key] = log
        log.tell_moved()
        self.waiting.add_to_flush(log)  # maybe
        self.waiting.add_with_files(log)
        return log

    def _open_own(self, key: TopicPartition, topic_id: bytes, topic_config: "TopicConfig", now: "Now") -> Log:
        """Open the log, and set the directory of an earlier topic of that name aside if it may be: no loss."""
        path = self._path_of(key)
        try:
            return self._open(path, key, topic_id, topic_config, now)
        except LogError as error:
            if error.error_code != INCONSISTENT_TOPIC_ID or not self.may_set_aside(*key):
                raise OSError(str(error)) from error
            stray = self._retired.unique_name(*key, STRAY_SUFFIX)
            _log.warning("%s; it is set aside as %s", error, stray)
            self.disk.rename(path, stray)
            self.checkpoints.forget(key)
            return self._open(path, key, topic_id, topic_config, now)

    def _open(self, path: str, key: TopicPartition, topic_id: bytes, config: "TopicConfig", now: "Now") -> Log:
        if not self.disk.exists(path):
            self._forget_predecessor(key)
        return Log.open(
            self.disk,
            path,
            config,
            topic_id=topic_id,
            recovery_point=self.checkpoints.recovery_point(key),
            log_start_offset=self.checkpoints.log_start(key),
            clean=self.was_clean_shutdown,
            now=now,
            flusher=self._flusher,
            files=self.files,
            owner=self,
            on_failure=self.take_offline,
        )

    def _forget_predecessor(self, key: TopicPartition) -> None:
        """Before a directory is made: the checkpoints on disk must not name an earlier partition of that name.

        A start after a crash would believe them, and a log start behind the new log's end would empty it.
        """
        self.checkpoints.forget(key)
        if self.checkpoints.may_hold(key):
            self._note_all()
            self.checkpoints.write()

    def is_name_free(self, key: TopicPartition) -> bool:
        """See ``LogManager.is_name_free``."""
        if self.offline is not None or self.holds(key):
            return True
        self.checkpoints.forget(key)
        if not self.checkpoints.may_hold(key):
            return True
        if not self._is_freeing_names:
            self._is_freeing_names = True
            self._flusher.background.submit(
                ACKNOWLEDGED_SYNC, self.checkpoints.write, self._names_freed, self._begin_to_free_names
            )
        return False

    def _begin_to_free_names(self) -> bool:
        self._is_freeing_names = False
        self.checkpoints.publish()
        return True

    def _names_freed(self, outcome: "Exception | None", now: "Now") -> None:
        self._check_outcome(outcome)
        self.on_names_free(outcome is None or self.offline is not None, now)

    def set_strays_aside(self, is_known: "Callable[[str, int], bool]", now: "Now") -> None:
        """Rename the directories of unknown partitions: they were moved or deleted while this broker was down.

        They are kept as ``…-stray``, as by Kafka, for people to look at.
        """
        for name in self.disk.listdir(self.path):
            key = parse_directory_name(name)
            if key is None or is_known(*key):
                continue
            found = self.logs.pop(key, None)
            if found is not None:
                found.close(clean=False, now=now)
            _log.warning("no replica of %s-%d lives here any more", *key)
            if not self._retire(key, STRAY_SUFFIX, due_ms=NEVER):
                return
        for key in self.with_futures:
            if not is_known(*key):
                self.set_future_aside(key, now)

    def delete_log(self, key: TopicPartition, now: "Now") -> None:
        """Rename a partition's directory; ``remove_deleted`` removes it after ``file.delete.delay.ms``."""
        log = self.logs.pop(key)
        log.close(clean=False, now=now, is_deleted=True)
        self._retire(key, DELETE_SUFFIX, now.monotonic_ms + log.config.file_delete_delay_ms)

    def delete_future(self, key: TopicPartition, now: "Now") -> None:
        """Rename the directory of a future replica, as ``delete_log`` does."""
        try:
            self.futures.delete(key, now.monotonic_ms + self._config.get_int("log.segment.delete.delay.ms"), now)
        except OSError as error:
            self.take_offline(error)

    def set_aside(self, key: TopicPartition) -> bool:
        """Rename the directory of a partition that is not opened, for people to look at. Whether it went."""
        return self._retire(key, STRAY_SUFFIX, due_ms=NEVER) and not self.holds(key)

    def set_future_aside(self, key: TopicPartition, now: "Now") -> None:
        """Rename the directory of a future replica, for people to look at, if there is one."""
        if not self.has_future(key):
            return
        try:
            self.futures.set_aside(key, now)
        except OSError as error:
            self.take_offline(error)

    def _retire(self, key: TopicPartition, suffix: str, due_ms: int) -> bool:
        """Rename the directory of a closed log, as soon as there is room. False if the disk has failed."""
        self.checkpoints.forget(key)
        try:
            self._retired.retire(key, suffix, due_ms)
        except OSError as error:
            self.take_offline(error)
        return self.offline is None

    def _schedule_removals(self, now: "Now") -> None:
        """Have what an earlier broker left deleted removed; name directories that are not ours."""
        delay_ms = self._config.get_int("log.segment.delete.delay.ms")
        names = self.disk.listdir(self.path)
        if RETENTION_FILE not in names:
            found = (parse_directory_name(name) for name in names)
            self.is_new_to_retention = any(key is not None and key[0] != METADATA_TOPIC for key in found)
            if not self.is_new_to_retention:
                self.retention_begins()
        if any(parse_future_name(name) for name in names):
            self.futures.find(names)
        for name in names:
            path = f"{self.path}/{name}"
            if name.endswith(DELETE_SUFFIX):
                self._retired.schedule_removal(path, now.monotonic_ms + delay_ms)
            elif (parse_directory_name(name) or parse_future_name(name)) is None and self.disk.is_dir(path):
                _log.warning("ignoring the directory %s, which is no partition's", path)

    def retention_begins(self) -> None:
        """From now on the directory has no records which only a version without retention has kept."""
        self.is_new_to_retention = False
        if self.disk.is_temporary or self.offline is not None:
            return
        try:
            self.disk.write_atomic(f"{self.path}/{RETENTION_FILE}", b"", sync=False)
        except OSError as error:
            if not is_shortage(error):
                self.take_offline(error)

    def remove_deleted(self, now: "Now") -> None:
        """Have directories and segments removed whose delay is over, and those renamed that wait for room. What cannot
        be removed is left to the next start.
        """
        if self.offline is not None:
            return
        try:
            if self._futures is not None:
                self._futures.drop_waiting()
            self._retired.remove_due(self.waiting.pop_deleted(now), now)
        except OSError as error:
            self.take_offline(error)

    # Failing

    def take_offline(self, error: OSError) -> None:
        """Stop using the directory, because its disk failed."""
        if self.offline is not None:
            return
        self.offline = error.strerror or str(error)
        _log.error("data directory %s goes offline: %s", self.path, error)
        with suppress(OSError):  # a disk that has failed once may have lost what it was told to keep
            self.marker.disprove()
        for _, log in self._all_logs():
            log.fail(error)
        self.on_offline(self)

    def sync_names(self) -> None:
        """Have the names of partitions' directories made durable."""
        if not self.disk.is_temporary:
            self._flusher.background.submit(OTHER_WORK, lambda: self.disk.fsync_dir(self.path), self._names_synced)

    def _names_synced(self, outcome: "Exception | None", _now: "Now") -> None:
        self._has_unsynced_names = outcome is not None
        self._check_outcome(outcome)

    def _check_outcome(self, outcome: "Exception | None") -> None:
        """Take the directory offline if background work failed because the disk did."""
        if isinstance(outcome, OSError) and is_disk_failure(outcome):
            self.take_offline(outcome)

    # Checkpoints

    def checkpoint(self) -> "Steps[None]":
        """Have the checkpoints written that have changed, in steps: the next time, where the disk has no room, or the
        last ones are still being written.
        """
        if self.offline is not None:
            return
        if self._has_unsynced_names:
            self.sync_names()
        yield from self._note_moved()
        if not self._is_checkpointing and self.checkpoints.is_behind:
            self._is_checkpointing = True
            self._flusher.background.submit(OTHER_WORK, self.checkpoints.write, self._checkpointed)

    def _checkpointed(self, outcome: "Exception | None", _now: "Now") -> None:
        self._is_checkpointing = False
        self._check_outcome(outcome)

    def _note_moved(self) -> "Steps[None]":
        """Note for the checkpoints which logs have moved, and publish that."""
        for count, log in enumerate(self.waiting.pop_moved()):
            topic, _, index = log.path[len(self.path) + 1 :].rpartition("-")
            key = (topic, int(index)) if index.isdigit() else _key_of(log)
            is_future = key is not None and self.logs.get(key) is not log and self._futures is not None
            if key is not None and (self.futures.logs if is_future else self.logs).get(key) is log:
                self.checkpoints.note_log(key, log)
            if count % MOVED_PER_UNIT == 0:
                yield 1
        self.checkpoints.publish()

    def _note_all(self) -> None:
        at_once(self._note_moved())

    def describe(self) -> LogDirDescription:
        """The directory for DescribeLogDirs; an offline one lists no logs."""
        if self.offline is not None:
            return offline_description(self.path)
        try:
            total_bytes, usable_bytes = self.disk.disk_usage(self.path)
        except OSError:
            total_bytes = usable_bytes = -1
        logs, futures = dict(self.logs), {} if self._futures is None else dict(self._futures.logs)
        return LogDirDescription(self.path, NONE, total_bytes, usable_bytes, logs, futures)

    # Closing

    def closing(self, *, clean: bool, broker_epoch: int, now: "Now") -> "Iterator[int]":
        """Close all logs and unlock the directory, in steps: how many logs are closed. ``clean`` makes all durable and
        leaves the marker of a clean shutdown.

        A disk that fails now makes the stop an unclean one; nothing is raised.
        """
        logs = [log for _, log in self._all_logs()]
        clean = clean and self.offline is None
        for begin in range(0, len(logs), LOGS_PER_CLOSING_STEP):
            some = logs[begin : begin + LOGS_PER_CLOSING_STEP]
            clean = self._close_some(some, clean=clean, now=now)
            yield begin + len(some)
        try:
            self._unlock(clean=clean, broker_epoch=broker_epoch)
        except OSError as error:
            if not is_shortage(error):
                self.take_offline(error)
        self.logs.clear()
        if self._futures is not None:
            self._futures.logs.clear()

    def _unlock(self, *, clean: bool, broker_epoch: int) -> None:
        """Unlock the directory, whatever fails: the next broker may be of this very process. Raises OSError."""
        has_checkpoints = False
        try:
            if clean:
                self._note_all()
                self.checkpoints.write()
                has_checkpoints = True
        finally:
            clean = has_checkpoints and self.leaves_marker and not self._has_unrecovered
            self._identity.close(clean=clean, broker_epoch=broker_epoch)

    def _close_some(self, logs: "Sequence[Log]", *, clean: bool, now: "Now") -> bool:
        """Close these; whether the stop is still a clean one."""
        if clean:
            has_sealed = self._flusher.seal(logs)
            self._flusher.flush_inline(now)  # all at once: each directory is synced once
            clean = has_sealed and self.offline is None
        for log in logs:
            try:
                log.close(clean=clean, now=now)
            except OSError as error:
                if not is_shortage(error):
                    self.take_offline(error)
                clean = False
        return clean
