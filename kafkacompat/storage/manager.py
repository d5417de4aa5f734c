"""All log directories of a broker: places, finds, opens and deletes logs (Kafka's ``LogManager``)."""

import logging

from kafkacompat.storage.data_dir import UnusableDirectoryError, absolute_path
from kafkacompat.storage.durability_marker import UNPROVED
from kafkacompat.storage.log_directory import MOVED_PER_UNIT, LogDirectory, offline_description
from kafkacompat.storage.partition_dir import directory_name, may_be_of_another_topic, parse_directory_name
from kafkacompat.storage.reserve import is_disk_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from random import Random

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.steps import Steps
    from kafkacompat.storage.data_dir import LogDirDescription
    from kafkacompat.storage.directory_moves import DirectoryMoves
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

TopicPartition = tuple[str, int]
_log = logging.getLogger(__name__)


class FailedDirectory:
    """A log directory that could not be used at the start, and why. Nobody knows its id and its logs."""

    __slots__ = ("offline", "path")
    directory_id: bytes | None = None
    logs: "Mapping[TopicPartition, Log]" = {}  # noqa: RUF012 (never changed)

    def __init__(self, path: str, offline: str) -> None:
        self.path = path
        self.offline = offline


class LogManager:
    """The log directories of one broker, locked until ``close``.

    ``directories``: those of ``log.dirs`` that could be used at the start. ``metadata_directory``: where the metadata
    log is, one of them or another one; the broker stops when it goes offline. ``all_directories``: both.
    ``offline_directories``: those whose disks failed, in that order. ``cordoned_paths``: the directories that get
    nothing new, see ``cordon``. ``opened_topics``: those with logs that
    ``open_log`` has opened, where there are several directories: cleared when the controller knows where they are.
    """

    __slots__ = (
        "_followers", "_moves", "_placed", "all_directories", "cordoned_paths", "directories", "metadata_directory",
        "offline_directories", "opened_topics",
    )  # fmt: skip

    @classmethod
    def open(
        cls,
        fs: "Fs",
        paths: "Sequence[str]",
        config: "BrokerConfig",
        now: "Now",
        *,
        cluster_id: str | None,
        flusher: "Flusher",
        rng: "Random",
        metadata_path: str | None = None,
    ) -> "LogManager":
        """Lock all directories and read their checkpoints; logs are opened later, one by one. ``metadata_path``: where
        the metadata log is, None for the first one. A directory whose disk fails is left out, if it is not that one
        and others are left. Raises StartupError.
        """
        metadata_path = metadata_path or paths[0]
        others = [path for path in paths if path != metadata_path]
        if others:
            from kafkacompat.storage.log_dir_rules import check_ids, check_metadata_directory, doubled_partitions

            check_metadata_directory(fs, metadata_path, others)
        found: dict[str, LogDirectory] = {}
        failed: list[FailedDirectory] = []
        doubled: dict[TopicPartition, list[LogDirectory]] = {}
        try:
            for path in (metadata_path, *others):
                try:
                    disk = fs if path == metadata_path else fs.apart()
                    found[path] = LogDirectory.open(
                        disk, path, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng
                    )
                    cluster_id = found[path].cluster_id
                except UnusableDirectoryError as error:
                    if path == metadata_path or (path == others[-1] and not found.keys() & set(paths)):
                        raise
                    _log.error("%s. The broker starts without it", error)
                    failed.append(FailedDirectory(path, str(error)))
            if others:
                check_ids(list(found.values()))
                doubled = doubled_partitions(found[metadata_path], [found[path] for path in others if path in found])
        except BaseException:
            for directory in found.values():
                for _ in directory.closing(clean=False, broker_epoch=UNPROVED, now=now):
                    pass
            raise
        return cls([found[path] for path in paths if path in found], found[metadata_path], failed, doubled)

    def __init__(
        self,
        directories: "Sequence[LogDirectory]",
        metadata_directory: LogDirectory,
        failed: "Sequence[FailedDirectory]" = (),
        doubled: "Mapping[TopicPartition, Sequence[LogDirectory]] | None" = None,
    ) -> None:
        self.directories = tuple(directories)
        self.metadata_directory = metadata_directory
        apart = () if metadata_directory in self.directories else (metadata_directory,)
        self.all_directories = (*self.directories, *apart)
        self.offline_directories: tuple[LogDirectory | FailedDirectory, ...] = tuple(failed)
        self.cordoned_paths: frozenset[str] = frozenset()
        self._placed: dict[TopicPartition, LogDirectory] = {}  # where logs will be made that are not yet
        self._moves: DirectoryMoves | None = None
        if doubled:
            self.moves.doubled.update(doubled)
        self.opened_topics: set[str] = set()
        self._followers: list[Callable[[bool, Now], None]] = []
        for directory in self.all_directories:
            directory.on_offline, directory.on_names_free = self._went_offline, self._names_free
        for directory in apart:
            directory.leaves_marker = False

    def _went_offline(self, directory: LogDirectory) -> None:
        self.offline_directories = (*self.offline_directories, directory)

    def follow(self, *, names_free: "Callable[[bool, Now], None]") -> None:
        """From now on call ``names_free``, too, as ``is_name_free`` says."""
        self._followers.append(names_free)

    def _names_free(self, can_go_on: bool, now: "Now") -> None:
        for names_free in self._followers:
            names_free(can_go_on, now)

    def limit_open_files(self, limit: int) -> None:
        """Keep at most ``limit`` segments open, in all directories together."""
        for directory in self.all_directories:
            directory.files.limit = max(1, limit // len(self.all_directories))

    def guard_checkpoints(self, new_lock: "Callable[[], AbstractContextManager[object]]") -> None:
        """Checkpoints are written in several threads from now on: each directory gets a lock."""
        for directory in self.all_directories:
            directory.checkpoints.guard = new_lock()

    # Directories

    @property
    def cluster_id(self) -> str:
        """The cluster to which all directories belong."""
        return self.metadata_directory.cluster_id

    @property
    def offline_directory_ids(self) -> list[bytes]:
        """The ids of the directories whose disks failed, as far as they are known."""
        return [each.directory_id for each in self.offline_directories if each.directory_id is not None]

    def cordon(self, paths: "Sequence[str]") -> None:
        """From now on these directories get no new replicas (KIP-1066); ``*`` stands for all of them."""
        configured = (each.path for each in (*self.directories, *self.offline_directories))
        self.cordoned_paths = frozenset(configured if "*" in paths else map(absolute_path, paths))

    def cordoned_directory_ids(self, *, with_full: bool) -> list[bytes]:
        """What the controller is told: the ids of cordoned directories, and twice those that refuse appends."""
        full = [each.directory_id for each in self.full_directories] if with_full else []
        cordoned = [each.directory_id for each in self.directories if each.path in self.cordoned_paths]
        return [*full, *dict.fromkeys((*full, *cordoned))]

    @property
    def full_directories(self) -> list[LogDirectory]:
        """The directories that refuse appends until their disks have room again."""
        return [directory for directory in self.directories if directory.disk.is_full]

    def give_up_reserves(self) -> None:
        """Let others have the room that is kept in reserve: at a start and at a stop."""
        for directory in self.all_directories:
            directory.disk.remove_reserve()

    def restore_reserves(self) -> None:
        """Take reserves again that are missing, and end the state of disks that have room: see ``ReserveFs.restore``.
        For a thread beside the loop.
        """
        for directory in self.all_directories:
            directory.disk.restore()

    @property
    def failure(self) -> str | None:
        """Why the broker must stop: the directory of the metadata log has failed, or all of ``log.dirs``. None if it
        may go on.
        """
        metadata = self.metadata_directory
        if metadata.offline is not None:
            return f"data directory {metadata.path} has failed: {metadata.offline}"
        if all(directory.offline is not None for directory in self.directories):
            return f"all log directories have failed; the last one was {self.offline_directories[-1].path}"
        return None

    def directory_of(self, topic: str, partition: int) -> LogDirectory | None:
        """The directory that holds a partition's log, opened or not; None if there is none. Of several directories
        only those count that are not offline.
        """
        key = topic, partition
        live = self._live
        for directory in live:
            if key in directory.logs:
                return directory
        return next((directory for directory in live if directory.holds(key)), None)

    def directory_of_open(self, topic: str, partition: int) -> LogDirectory | None:
        """The directory in which a partition's log is open; None if it is not, or that directory is offline."""
        key = topic, partition
        return next((each for each in self.directories if key in each.logs and each.offline is None), None)

    @property
    def _live(self) -> "Sequence[LogDirectory]":
        if len(self.directories) == 1:
            return self.directories
        return [directory for directory in self.directories if directory.offline is None]

    def directory_for(self, topic: str, partition: int) -> LogDirectory:
        """The directory that holds a partition, else the one where its log would be made: see ``place``."""
        if len(self.directories) == 1:
            return self.directories[0]  # saves a look at the disk
        found = self.directory_of(topic, partition) or self._placed.get((topic, partition))
        return self._emptiest() if found is None or found.offline is not None else found

    def place(
        self, topic: str, partition: int, assigned: bytes, now: "Now", *, topic_id: bytes, is_unassigned: bool
    ) -> bool:
        """Choose the directory of a partition before its log is opened (``LogManager.getOrCreateLog``): the one that
        holds it, else the one that a client wants, else the one that is ``assigned`` in the metadata, else the live one
        with the fewest logs. A future replica in the assigned one was about to become its log, and does so now
        (``LogManager.recoverAbandonedFutureLogs``). False if it must not be made, because a directory that is offline
        may hold it, or had it open.
        """
        if len(self.directories) == 1 and not self.offline_directories and not self.directories[0].future_count:
            return True
        if self._moves is not None and not self._moves.is_in_one_directory((topic, partition), assigned):
            return False
        if self.directory_of(topic, partition) is not None:
            return True
        online = (each for each in self.directories if each.offline is None and each.directory_id == assigned)
        target = next(online, None)
        if target is not None and target.has_future((topic, partition)):
            return self.moves.promote_found(target, (topic, partition), now)
        if target is None and self.offline_directories and not is_unassigned:
            return False  # whatever a client wants
        if self._moves is not None:
            target = self._moves.preferred(topic, partition) or target
        lost = (each.logs.get((topic, partition)) for each in self.offline_directories)
        if any(log is not None and log.topic_id == topic_id for log in lost):
            return False
        for directory in self._live:
            directory.set_future_aside((topic, partition), now)  # without its log nobody knows what it lacks
        placed = self._placed.get((topic, partition))
        if target is not None or placed is None or placed.offline is not None:
            self._placed[topic, partition] = target or self._emptiest()
        return True

    def forget_place(self, topic: str, partition: int) -> None:
        """A partition for which a place was chosen will not be made."""
        self._placed.pop((topic, partition), None)

    def forget_places(self) -> None:
        """All places will be chosen anew."""
        self._placed.clear()

    def work_failed(self, topic: str, partition: int, error: OSError) -> None:
        """Work on a partition has met an I/O error: the directory that holds it goes offline."""
        is_one = len(self.directories) == 1
        directory = self.directories[0] if is_one else self.directory_of(topic, partition)
        if directory is None:  # the one that held it is offline already: the others are sound
            _log.error("%s-%d: %s", topic, partition, error)
        else:
            directory.take_offline(error)

    def _emptiest(self) -> LogDirectory:
        """The live directory with the fewest logs that is not cordoned, if possible one with room. Where all are
        cordoned it is the first one (``LogManager.nextLogDirs``): the controller did not know yet.
        """
        live = [directory for directory in self.directories if directory.offline is None] or self.directories
        live = [directory for directory in live if directory.path not in self.cordoned_paths] or live[:1]
        with_room = [directory for directory in live if not directory.disk.is_full]
        waiting = list(self._placed.values())

        def log_count(directory: LogDirectory) -> int:
            return len(directory.logs) + directory.future_count + waiting.count(directory)

        return min(with_room or live, key=log_count)

    def describe(self) -> "list[LogDirDescription]":
        """All of ``log.dirs``, for DescribeLogDirs."""
        failed = [each for each in self.offline_directories if isinstance(each, FailedDirectory)]
        return [
            *(directory.describe() for directory in self.directories),
            *(offline_description(each.path) for each in failed),
        ]

    # Moves between directories

    @property
    def moves(self) -> "DirectoryMoves":
        """Moves of logs between the directories; made on first use."""
        if self._moves is None:
            from kafkacompat.storage.directory_moves import DirectoryMoves

            self._moves = DirectoryMoves(self)
        return self._moves

    def future_of(self, topic: str, partition: int) -> LogDirectory | None:
        """The directory that holds a future replica of a partition, opened or not; None if there is none."""
        if len(self.directories) == 1:
            return None
        key = topic, partition
        return next((each for each in self.directories if each.offline is None and each.has_future(key)), None)

    def directory_to_report(self, topic: str, partition: int, topic_id: bytes, assigned: bytes) -> LogDirectory | None:
        """The directory of a partition for the controller, where the metadata has it in the one ``assigned``; None if
        it is not open.
        """
        if self._moves is not None:
            return self._moves.directory_to_report((topic, partition), topic_id, assigned)
        return self.directory_of_open(topic, partition)

    # The previous incarnation

    @property
    def previous_broker_epoch(self) -> int:
        """The broker epoch of the previous incarnation if all that it acknowledged is still in every directory, else
        −1. Final once all logs are open.
        """
        epochs = {directory.marker.previous_broker_epoch for directory in self.directories}
        return epochs.pop() if len(epochs) == 1 else UNPROVED

    @property
    def last_broker_epoch(self) -> int:
        """The broker epoch of the last registration that a directory knows, proved or not; −1 without one."""
        return max(directory.marker.last_broker_epoch for directory in self.directories)

    def registered(self, broker_epoch: int, incarnation_id: bytes) -> None:
        """A registration was accepted: see ``LogDirectory.registered``."""
        for directory in self.directories:
            if directory.offline is None:
                directory.registered(broker_epoch, incarnation_id)

    def write_missing_markers(self) -> None:
        """Disks have room, maybe again: see ``LogDirectory.write_missing_marker``."""
        for directory in self.directories:
            if not directory.disk.is_full:
                directory.write_missing_marker()

    # Logs

    def all_logs(self) -> "list[Log]":
        """Every open log but those of future replicas, in no particular order."""
        return [log for directory in self.directories for log in directory.logs.values()]

    def open_found(self, topic_config: "TopicConfig", now: "Now", *, but: str) -> None:
        """Open every log in all directories except the one called ``but``: see ``LogDirectory.open_found``."""
        doubled = () if self._moves is None else self._moves.doubled
        for directory in self.directories:
            directory.open_found(topic_config, now, but={parse_directory_name(but), *doubled})
        for directory in self.directories:
            is_alone = any(self.directory_of(*key) is None for key in directory.with_futures)
            if is_alone or doubled:  # the metadata will tell what the log is: it was not looked at
                directory.marker.disprove()
        self.open_futures(now)

    def open_futures(self, now: "Now") -> None:
        """Open the future replicas of open logs, before clients are served: those of a killed broker are recovered."""
        if any(directory.future_count for directory in self.directories):
            self.moves.open_futures(now)

    def open_log(self, topic: str, topic_id: bytes, partition: int, topic_config: "TopicConfig", now: "Now") -> "Log":
        """Open the log of a partition, recovering it after an unclean stop. The name must be a valid topic's.

        The directory of an earlier topic of the same name is set aside as ``…-stray`` if it may be. Raises OSError,
        also ENOSPC while the name is not free. Of several directories one whose disk fails goes offline, so that
        ``place`` takes another one for what is new (``LogManager.getOrCreateLog``).
        """
        directory = self.directory_for(topic, partition)
        try:
            log = directory.open_log((topic, partition), topic_id, topic_config, now)
        except OSError as error:
            if len(self.directories) > 1 and is_disk_failure(error):
                directory.take_offline(error)
            raise
        else:
            if len(self.directories) > 1:
                self.opened_topics.add(topic)
                if self._moves is not None:
                    self._moves.made(topic, partition)
            return log
        finally:
            self._placed.pop((topic, partition), None)

    def set_unnamed_aside(self, topic: str, partition: int) -> None:
        """Set the directory of a partition aside as ``…-stray`` if a loss of power took the id of its topic: its
        records may be those of a deleted topic of that name. For replicas that another broker leads, which are fetched
        anew. Raises OSError.
        """
        key = topic, partition
        for directory in self.directories:
            if directory.was_clean_shutdown or directory.offline is not None or key in directory.logs:
                continue
            path = f"{directory.path}/{directory_name(*key)}"
            if may_be_of_another_topic(directory.disk, path):
                _log.warning("%s does not say which topic it is of: it is set aside, and fetched anew", path)
                directory.marker.disprove_previous()
                directory.set_aside(key)

    def is_name_free(self, topic: str, partition: int) -> bool:
        """Whether ``open_log`` may make the directory of a partition at once: no checkpoint on disk names an earlier
        partition of that name. If one does, the checkpoints are written beside the loop, and then
        ``names_free(can_go_on, now)`` is called: ask again, or later if the disk has no room.
        """
        return self.directory_for(topic, partition).is_name_free((topic, partition))

    def delete_log(self, topic_partition: TopicPartition, now: "Now") -> None:
        """Rename a partition's directory; ``remove_deleted`` removes it after ``file.delete.delay.ms``. One in a
        directory that is offline stays there.
        """
        for directory in self.directories:
            if topic_partition in directory.logs and directory.offline is None:
                directory.delete_log(topic_partition, now)
        self.delete_future(topic_partition, now)

    def delete_future(self, key: TopicPartition, now: "Now") -> None:
        """Rename the directory of a partition's future replica, if it has one; it is removed later. A loss of power may
        have left several.
        """
        for directory in self.directories:
            if directory.offline is None and directory.has_future(key):
                directory.delete_future(key, now)

    def remove_deleted(self, now: "Now") -> None:
        """Have directories and segments removed whose delay is over: see ``LogDirectory.remove_deleted``."""
        for directory in self.directories:
            directory.remove_deleted(now)

    def request_due_flushes(self, now: "Now") -> int:
        """Queue logs whose ``flush.ms`` has passed; answer when the next one is due (monotonic ms)."""
        return min(directory.waiting.request_due_flushes(now) for directory in self.directories)

    # Checkpoints

    def high_watermark_checkpoint(self, topic: str, partition: int) -> int:
        """The high watermark of a partition that was on disk when the broker started, 0 without one."""
        return self.directory_for(topic, partition).checkpoints.first_high_watermark((topic, partition))

    def checkpoint(self, high_watermarks: "dict[TopicPartition, int]") -> "Steps[None]":
        """Have the checkpoints of all directories written, in steps. ``high_watermarks``: those that have moved; they
        are taken out of it.
        """
        for count in range(len(high_watermarks)):
            self._note_high_watermark(*high_watermarks.popitem())
            if count % MOVED_PER_UNIT == 0:
                yield 1
        for directory in self.directories:
            yield from directory.checkpoint()

    def _note_high_watermark(self, key: TopicPartition, offset: int) -> None:
        for directory in self.directories:
            if key in directory.logs or directory.has_future(key):
                directory.checkpoints.note_high_watermark(key, offset)

    # Closing

    def close(
        self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int, now: "Now"
    ) -> None:
        """All of `closing` at once."""
        for _ in self.closing(clean=clean, high_watermarks=high_watermarks, broker_epoch=broker_epoch, now=now):
            pass

    def closing(
        self, *, clean: bool, high_watermarks: "Mapping[TopicPartition, int]", broker_epoch: int, now: "Now"
    ) -> "Iterator[tuple[int, int]]":
        """Close all logs and unlock the directories, in steps: how many logs are closed, of how many. See
        ``LogDirectory.closing``.
        """
        for key, offset in high_watermarks.items():
            self._note_high_watermark(key, offset)
        closed, count = 0, sum(directory.open_count for directory in self.all_directories)
        for directory in self.all_directories:
            log_count = directory.open_count
            for closed_here in directory.closing(clean=clean, broker_epoch=broker_epoch, now=now):
                yield closed + closed_here, count
            closed += log_count
