"""All logs of a data directory: open and delete them, write the checkpoints, close with or without a clean marker."""

import logging
from contextlib import nullcontext, suppress

from kafkacompat.steps import at_once
from kafkacompat.storage import session
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, OTHER_WORK
from kafkacompat.storage.checkpoints import (
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    PARTITION_METADATA_FILE,
    RECOVERY_POINT_FILE,
    CheckpointError,
    read_partition_metadata,
    readable_offsets,
)
from kafkacompat.storage.data_dir import DataDir, LogDir, unusable
from kafkacompat.storage.errors import INCONSISTENT_TOPIC_ID, KAFKA_STORAGE_ERROR, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.log import Log
from kafkacompat.storage.offset_file import OffsetFile
from kafkacompat.storage.owner import LogOwner
from kafkacompat.storage.partition_dir import (
    DELETE_SUFFIX,
    directory_name,
    may_hold_records,
    parse_directory_name,
)
from kafkacompat.storage.reserve import is_out_of_space
from kafkacompat.storage.retired import STRAY_SUFFIX, RetiredLogs
from kafkacompat.storage.waiting_logs import NEVER, WaitingLogs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from random import Random

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.steps import Steps
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.owner import OwnedLog

TopicPartition = tuple[str, int]
CLOSED_A_STEP = 100
"""Logs that are synced together at the end, before whoever waits for that hears how far it is."""
MOVED_A_UNIT = 4
"""So many logs are looked at for where they have moved to in a unit of work."""
NO_ERROR = 0
_log = logging.getLogger(__name__)


class LogManager(LogOwner):
    """The logs in one data directory, which stays locked until ``close``.

    ``offline`` is None, or the reason why the directory is not used any more: then every log in it answers
    KAFKA_STORAGE_ERROR. ``guard``: a lock where checkpoints are written in other threads.
    """

    __slots__ = (
        "_boot_id", "_changed", "_config", "_dir", "_files", "_first_high_watermarks", "_flusher",
        "_fs", "_has_lost_power", "_high_watermarks", "_is_checkpointing", "_is_freeing", "_keeps_gaps",
        "_lacks_session", "_log_starts", "_recovery_points", "_retired", "_session", "_was_registered",
        "files", "guard", "last_broker_epoch", "logs", "may_set_aside", "offline", "on_names_free", "path",
        "previous_broker_epoch", "waiting",
    )  # fmt: skip

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
        try:
            manager = cls(fs, directory, config, flusher, rng)
            manager._look_around(now)
        except OSError as error:
            directory.let_go()
            raise unusable(directory.path, error) from error
        return manager

    def __init__(self, fs: "Fs", directory: DataDir, config: "BrokerConfig", flusher: "Flusher", rng: "Random") -> None:
        self._fs = fs
        self._dir = directory
        self._config = config
        self._flusher = flusher
        self.path = directory.path
        self.files = FileCache(fs)
        self.logs: dict[TopicPartition, Log] = {}
        self.offline: str | None = None
        recovery_points = readable_offsets(fs, f"{self.path}/{RECOVERY_POINT_FILE}")
        self._recovery_points = recovery_points or {}
        self._log_starts = readable_offsets(fs, f"{self.path}/{LOG_START_FILE}") or {}
        self._high_watermarks = readable_offsets(fs, f"{self.path}/{HIGH_WATERMARK_FILE}") or {}
        self._first_high_watermarks = dict(self._high_watermarks)
        self._was_registered = False
        self._lacks_session = False  # as the disk has no room for it
        self._files = {name: OffsetFile(fs, f"{self.path}/{name}", found) for name, found in self._checkpoints()}
        self._is_checkpointing = False
        self._is_freeing = False
        self.on_names_free: Callable[[bool, Now], None] = lambda _can_go_on, _now: None
        self._changed: set[str] = set()  # files that are to hold something else than they were told
        self.waiting = WaitingLogs()
        self.guard: AbstractContextManager[object] = nullcontext()
        self._retired = RetiredLogs(fs, self.path, flusher.background, rng)
        self._boot_id = session.current_boot_id(fs)
        self._session = session.load(fs, self.path)
        last = self._session if recovery_points is not None else None
        self._has_lost_power = last is not None and last.has_lost_power(self.directory_id, self._boot_id)
        self._keeps_gaps = False
        self.last_broker_epoch = self._last_epoch()
        self.previous_broker_epoch = self._proved_epoch()
        if self.previous_broker_epoch == session.UNPROVED:
            self._disprove()
        self.may_set_aside: Callable[[str, int], bool] = lambda _topic, _partition: True

    @property
    def cluster_id(self) -> str:
        return self._dir.cluster_id

    @property
    def directory_id(self) -> bytes:
        return self._dir.directory_id

    @property
    def was_clean_shutdown(self) -> bool:
        return self._dir.was_clean_shutdown

    defers_truncations = True

    # The proof of no loss: ``previous_broker_epoch`` is that of the last life here if all that it acknowledged is still
    # there, else −1; final when all logs are open

    def _last_epoch(self) -> int:
        """Of the last registration that is known here, whether or not it proves anything; −1 without one."""
        last = self._session
        is_ours = last is not None and last.directory_id == self.directory_id
        known = last.broker_epoch if last is not None and is_ours else session.UNPROVED
        return max(known, self._dir.previous_broker_epoch)

    def _proved_epoch(self) -> int:
        if self.was_clean_shutdown:
            return self._dir.previous_broker_epoch
        if self._session is None or not self._session.proves(self.directory_id, self._boot_id):
            return session.UNPROVED
        return self._session.broker_epoch

    def _disprove(self) -> None:
        """What the last life left may be less than it acknowledged: it claims nothing more. Which boot it was, and that
        it was ours, stays known.
        """
        self.previous_broker_epoch = session.UNPROVED
        if self._session is not None and self._session.broker_epoch == session.UNPROVED:
            return
        try:
            if self._session is None:
                session.remove(self._fs, self.path)
            else:
                self._session.broker_epoch = session.UNPROVED
                session.store(self._fs, self.path, self._session)
        except OSError:
            session.remove(self._fs, self.path)  # that takes no space
            self._session = None

    def registered(self, broker_epoch: int, incarnation_id: bytes) -> None:
        """A registration was accepted: a later start may prove that it lost nothing since. A failing disk takes the
        directory offline; on a full one the proof waits for `has_room`.
        """
        is_group_commit = not self._fs.is_temporary and self._config.get("log.flush.interval.messages") == 1
        is_group_commit = is_group_commit and all(log.config.flush_messages == 1 for log in self.logs.values())
        self._session = session.Session(
            self._boot_id, self.directory_id, broker_epoch, incarnation_id, is_group_commit=is_group_commit
        )
        self._keep_session()

    def has_room(self) -> None:
        """The disk has room, maybe again: write what it had none for when the broker was registered."""
        if self._lacks_session and self.offline is None:
            self._keep_session()

    def _keep_session(self) -> None:
        """Write the session and what has to be there before it. Where the disk has no room for that there is to be no
        session: no start can prove anything by an earlier one then.
        """
        assert self._session is not None
        try:
            try:
                if not self._was_registered:
                    self._was_registered = True
                    self._settle_high_watermarks()
                if self._keeps_gaps or self._lacks_session:
                    # from now on it is the recovery point that tells them from those of a power loss
                    self._write_checkpoints({})
                    self._keeps_gaps = False
                session.store(self._fs, self.path, self._session)
                self._lacks_session = False
            except OSError as error:
                if not is_out_of_space(error):
                    raise
                self._lacks_session = True
                session.remove(self._fs, self.path)
        except OSError as error:
            self.take_offline(error)

    def _settle_high_watermarks(self) -> None:
        """Before the next start can prove anything, and before a record is written: no checkpoint is above the end of
        its log, and none is left of what could not be proved.
        """
        is_proved = self.previous_broker_epoch != session.UNPROVED
        known = self._high_watermarks if is_proved else {}
        found, self._high_watermarks = (
            self._high_watermarks,
            {key: min(offset, self.logs[key].log_end_offset) for key, offset in known.items() if key in self.logs},
        )
        self._changed.add(HIGH_WATERMARK_FILE)
        if self._files[HIGH_WATERMARK_FILE].lower({key: self._high_watermarks.get(key, 0) for key in found}):
            self._files[HIGH_WATERMARK_FILE].want(self._high_watermarks)
            self._write_files()

    @property
    def has_lost_power(self) -> bool:
        return self._has_lost_power

    def moved(self, log: "OwnedLog") -> None:
        self.waiting.add_moved(log)

    def has_unflushed(self, log: "OwnedLog") -> None:
        self.waiting.add_to_flush(log)

    def has_files_to_remove(self, log: "OwnedLog") -> None:
        self.waiting.add_with_files(log)

    def after_keeping_gap(self) -> None:
        self._keeps_gaps = True

    def before_data_loss(self) -> None:
        self._disprove()

    def after_truncate(self, logs: "Iterable[OwnedLog]") -> "Callable[[], None] | None":
        """No start may trust what is written again behind a cut until that is flushed, take it for committed, or for
        deleted.
        """
        cut = {parse_directory_name(log.path.rpartition("/")[2]): log for log in logs}
        has_lowered = False
        for name, offsets in self._checkpoints():
            ends = {
                key: log.log_start_offset if name == LOG_START_FILE else log.log_end_offset
                for key, log in cut.items()
                if key is not None
            }
            if self._files[name].lower(ends):
                offsets.update((key, end) for key, end in ends.items() if offsets.get(key, 0) > end)
                self._changed.add(name)
                has_lowered = True
        return self._write_files if has_lowered else None

    def acknowledging_early(self) -> None:
        known = self._session
        if known is not None and known.is_group_commit:
            known.is_group_commit = False
            session.store(self._fs, self.path, known)

    def _look_around(self, now: "Now") -> None:
        """Take up what an earlier broker left to be deleted; name what is not ours."""
        delay_ms = self._config.get("log.segment.delete.delay.ms")
        assert isinstance(delay_ms, int)
        for name in self._fs.listdir(self.path):
            path = f"{self.path}/{name}"
            if name.endswith(DELETE_SUFFIX):
                self._retired.take_up(path, now.monotonic_ms + delay_ms)
            elif parse_directory_name(name) is None and self._fs.is_dir(path):
                _log.warning("ignoring the directory %s, which is no partition's", path)

    # Logs

    def open_found(self, topic_config: "TopicConfig", now: "Now", *, but: str) -> None:
        """Open every log that the directory holds, but for the one in `but`.

        For a broker that is told later which of them have a place here: once all logs are recovered it is known whether
        all is there that the last life acknowledged. `topic_config` is for all, until `open_log` brings their own.
        """
        for name in self._fs.listdir(self.path):
            key = parse_directory_name(name)
            if key is None or name == but:
                continue
            try:
                topic_id = read_partition_metadata(self._fs, f"{self.path}/{name}/{PARTITION_METADATA_FILE}")
                if topic_id is not None:
                    self.open_log(key[0], topic_id, key[1], topic_config, now)
            except (CheckpointError, OSError) as error:
                _log.error("the log of %s-%d cannot be opened: %s", *key, error)
                if isinstance(error, OSError) or may_hold_records(self._fs, f"{self.path}/{name}"):
                    self._disprove()  # else it was never flushed, and the name of its topic with it
            except Exception:  # noqa: BLE001 (whatever it is)
                _log.exception("a bug: the log of %s-%d cannot be opened", *key)
                self._disprove()

    def open_log(self, topic: str, topic_id: bytes, partition: int, topic_config: "TopicConfig", now: "Now") -> Log:
        """Open the log of a partition, recovering it after an unclean stop. The name must be a valid topic's.

        A directory of an earlier topic of the same name is set aside as ``…-stray`` if it may be. Raises OSError, also
        ENOSPC while the name is not free.
        """
        if self.offline is not None:
            raise OSError(self.offline)
        key = topic, partition
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
            if not self._was_registered:  # what it holds may have been acknowledged
                self._disprove()
            raise
        self.logs[key] = log
        log.tell_moved()
        self.waiting.add_to_flush(log)  # maybe
        self.waiting.add_with_files(log)
        return log

    def _open_own(self, key: TopicPartition, topic_id: bytes, topic_config: "TopicConfig", now: "Now") -> Log:
        path = f"{self.path}/{directory_name(*key)}"
        try:
            return self._open(path, key, topic_id, topic_config, now)
        except LogError as error:
            if error.error_code != INCONSISTENT_TOPIC_ID or not self.may_set_aside(*key):
                raise OSError(str(error)) from error
            stray = self._retired.unique_name(*key, STRAY_SUFFIX)
            _log.warning("%s; it is set aside as %s", error, stray)
            self._disprove()
            self._fs.rename(path, stray)
            self._forget(key)
            return self._open(path, key, topic_id, topic_config, now)

    def set_strays_aside(self, is_known: "Callable[[str, int], bool]", now: "Now") -> None:
        """Rename what no partition that is known lives in: it was moved or deleted while this broker was down.

        It is kept as ``…-stray``, as by Kafka, for whoever wants to look at it.
        """
        for name in self._fs.listdir(self.path):
            key = parse_directory_name(name)
            if key is None or is_known(*key):
                continue
            found = self.logs.pop(key, None)
            if found is not None:
                found.close(clean=False, now=now)
            _log.warning("no replica of %s-%d lives here any more", *key)
            if not self._retire(key, STRAY_SUFFIX, due_ms=NEVER):
                return

    def _open(self, path: str, key: TopicPartition, topic_id: bytes, config: "TopicConfig", now: "Now") -> Log:
        if not self._fs.exists(path):
            self._disown_predecessor(key)
        return Log.open(
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
            owner=self,
            on_failure=self.take_offline,
        )

    def is_name_free(self, topic: str, partition: int) -> bool:
        """Whether ``open_log`` may make a directory for a partition at once: no checkpoint on disk speaks of an earlier
        partition of that name. If one does, all are written beside the loop, and ``on_names_free(can_go_on, now)`` is
        called then: to ask again, or later if the disk has no room.
        """
        key = topic, partition
        if self.offline is not None or key in self.logs or self._fs.exists(f"{self.path}/{directory_name(*key)}"):
            return True
        self._forget(key)
        if not any(file.may_hold(key) for file in self._files.values()):
            return True
        if not self._is_freeing:
            self._is_freeing = True
            self._flusher.background.submit(
                ACKNOWLEDGED_SYNC, self._write_files, self._names_freed, self._begin_to_free_names
            )
        return False

    def _begin_to_free_names(self) -> bool:
        self._is_freeing = False
        self._tell_files()
        return True

    def _names_freed(self, outcome: "Exception | None", now: "Now") -> None:
        self._look_for_failure(outcome)
        self.on_names_free(outcome is None or self.offline is not None, now)

    def _disown_predecessor(self, key: TopicPartition) -> None:
        """Before a directory is made: the checkpoints on disk must not speak of one that had its name.

        After a crash they would be believed, and a log start that lies behind the new log's end would empty it.
        """
        self._forget(key)
        if any(file.may_hold(key) for file in self._files.values()):
            self._write_checkpoints({})

    def take_offline(self, error: OSError) -> None:
        """Stop using the directory, because its disk failed."""
        if self.offline is not None:
            return
        self.offline = error.strerror or str(error)
        _log.error("data directory %s goes offline: %s", self.path, error)
        with suppress(OSError):  # a disk that has failed once may have lost what it was told to keep
            self._disprove()
        for log in self.logs.values():
            log.fail(error)

    def delete_log(self, topic_partition: TopicPartition, now: "Now") -> None:
        """Rename a partition's directory away; ``remove_deleted`` removes it after ``file.delete.delay.ms``."""
        log = self.logs.pop(topic_partition)
        log.close(clean=False, now=now)
        self._retire(topic_partition, DELETE_SUFFIX, now.monotonic_ms + log.config.file_delete_delay_ms)

    def _retire(self, key: TopicPartition, suffix: str, due_ms: int) -> bool:
        """Rename the directory of a closed log, as soon as there is room. False if the disk has failed."""
        self._forget(key)
        try:
            self._retired.retire(key, suffix, due_ms)
        except OSError as error:
            self.take_offline(error)
        return self.offline is None

    def _forget(self, key: TopicPartition) -> None:
        self._first_high_watermarks.pop(key, None)
        for name, offsets in self._checkpoints():
            if offsets.pop(key, None) is not None:
                self._changed.add(name)

    def remove_deleted(self, now: "Now") -> None:
        """Have the directories and segments removed whose delay is over, and those renamed that wait for room. What
        cannot be removed is left to the next start.
        """
        if self.offline is not None:
            return
        try:
            self._retired.remove_due(self.waiting.take_deleted(now), now)
        except OSError as error:
            self.take_offline(error)

    # Checkpoints

    def high_watermark_checkpoint(self, topic: str, partition: int) -> int:
        """The high watermark that this life has found written for a partition, 0 without one."""
        return self._first_high_watermarks.get((topic, partition), 0)

    def checkpoint(self, high_watermarks: "dict[TopicPartition, int]") -> "Steps[None]":
        """Have the checkpoints written that have changed, in steps: the next time, where the disk has no room, or the
        last ones are being written. ``high_watermarks``: those that have moved; what is taken goes from it.
        """
        if self.offline is not None:
            return
        yield from self._collect(high_watermarks)
        if not self._is_checkpointing and any(file.is_behind for file in self._files.values()):
            self._is_checkpointing = True
            self._flusher.background.submit(OTHER_WORK, self._write_files, self._checkpointed)

    def _checkpointed(self, outcome: "Exception | None", _now: "Now") -> None:
        self._is_checkpointing = False
        self._look_for_failure(outcome)

    def _look_for_failure(self, outcome: "Exception | None") -> None:
        if isinstance(outcome, OSError) and not is_out_of_space(outcome):
            self.take_offline(outcome)

    def _write_checkpoints(self, high_watermarks: "Mapping[TopicPartition, int]") -> None:
        """Write them on this thread. Raises OSError."""
        at_once(self._collect(dict(high_watermarks)))
        self._write_files()

    def _collect(self, high_watermarks: "dict[TopicPartition, int]") -> "Steps[None]":
        """Say what the files are to hold from now on."""
        for count in range(len(high_watermarks)):
            key, offset = high_watermarks.popitem()
            if key in self.logs:
                self._high_watermarks[key] = offset
                self._changed.add(HIGH_WATERMARK_FILE)
            if count % MOVED_A_UNIT == 0:
                yield 1
        for count, log in enumerate(self.waiting.take_moved()):
            topic, _, index = log.path[len(self.path) + 1 :].rpartition("-")
            key = topic, int(index)
            if self.logs.get(key) is log:
                self._recovery_points[key] = log.flushed_offset
                self._log_starts.pop(key, None)
                self._log_starts.update({key: log.log_start_offset} if log.starts_late else {})
                self._changed |= {RECOVERY_POINT_FILE, LOG_START_FILE}
            if count % MOVED_A_UNIT == 0:
                yield 1
        self._tell_files()

    def _tell_files(self) -> None:
        changed, self._changed = self._changed, set()
        for name, offsets in self._checkpoints():
            if name in changed:
                self._files[name].want(offsets)

    def _write_files(self) -> None:
        """Write what is to be in the files, on any thread. Raises OSError."""
        with self.guard:
            for file in self._files.values():
                file.write()

    def _checkpoints(self) -> "tuple[tuple[str, dict[TopicPartition, int]], ...]":
        """The files, and what is to be in them."""
        return (
            (RECOVERY_POINT_FILE, self._recovery_points),
            (LOG_START_FILE, self._log_starts),
            (HIGH_WATERMARK_FILE, self._high_watermarks),
        )

    def log_dirs(self) -> list[LogDir]:
        """The one data directory, for DescribeLogDirs."""
        error_code = NO_ERROR if self.offline is None else KAFKA_STORAGE_ERROR
        try:
            total_bytes, usable_bytes = self._fs.disk_usage(self.path)
        except OSError:
            total_bytes = usable_bytes = -1
        logs = dict(self.logs) if self.offline is None else {}
        return [LogDir(self.path, error_code, total_bytes, usable_bytes, logs)]

    def close(
        self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int, now: "Now"
    ) -> None:
        """All of `closing` at once."""
        for _ in self.closing(clean=clean, high_watermarks=high_watermarks, broker_epoch=broker_epoch, now=now):
            pass

    def closing(
        self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int, now: "Now"
    ) -> "Iterator[tuple[int, int]]":
        """Close all logs and let go of the directory, in steps: how many logs are closed, of how many. ``clean`` makes
        all durable and leaves the marker for it.

        A disk that fails now makes the stop an unclean one; nothing is raised.
        """
        logs = list(self.logs.values())
        clean = clean and self.offline is None
        for begin in range(0, len(logs), CLOSED_A_STEP):
            some = logs[begin : begin + CLOSED_A_STEP]
            clean = self._close_some(some, clean=clean, now=now)
            yield begin + len(some), len(logs)
        try:
            self._let_go(clean=clean, high_watermarks=high_watermarks, broker_epoch=broker_epoch)
        except OSError as error:
            if not is_out_of_space(error):
                self.take_offline(error)
        self.logs.clear()

    def _let_go(self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int) -> None:
        """Unlock the directory, whatever fails: the next broker may be of this very process. Raises OSError."""
        has_all = False
        try:
            if clean:
                self._write_checkpoints(high_watermarks)
                has_all = True
        finally:
            self._dir.close(clean=has_all, broker_epoch=broker_epoch)

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
                if not is_out_of_space(error):
                    self.take_offline(error)
                clean = False
        return clean
