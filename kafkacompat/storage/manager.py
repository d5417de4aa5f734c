"""All log directories of a broker: places, finds, opens and deletes logs (Kafka's ``LogManager``).

``log.dirs`` names one directory today; the methods ask which directory holds a partition, as for several.
"""

from kafkacompat.storage.durability_marker import UNPROVED
from kafkacompat.storage.log_directory import MOVED_PER_UNIT, LogDirectory

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
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

TopicPartition = tuple[str, int]


class LogManager:
    """The log directories of one broker, locked until ``close``. The metadata log is in the first one.

    ``offline_directories``: those whose disks failed, in that order.
    """

    __slots__ = ("directories", "offline_directories")

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
    ) -> "LogManager":
        """Lock all directories and read their checkpoints; logs are opened later, one by one. Raises StartupError."""
        directories: list[LogDirectory] = []
        try:
            for path in paths:
                directory = LogDirectory.open(fs, path, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng)
                directories.append(directory)
                cluster_id = directory.cluster_id
        except BaseException:
            for directory in directories:
                for _ in directory.closing(clean=False, broker_epoch=UNPROVED, now=now):
                    pass
            raise
        return cls(directories)

    def __init__(self, directories: "Sequence[LogDirectory]") -> None:
        self.directories = tuple(directories)
        self.offline_directories: tuple[LogDirectory, ...] = ()
        for directory in self.directories:
            directory.on_offline = self._went_offline

    def _went_offline(self, directory: LogDirectory) -> None:
        self.offline_directories = (*self.offline_directories, directory)

    def follow(
        self, *, names_free: "Callable[[bool, Now], None]", may_set_aside: "Callable[[str, int], bool] | None"
    ) -> None:
        """From now on call ``names_free`` as ``is_name_free`` says, and ask ``may_set_aside`` (None: never ask) before
        the directory of an earlier topic of a partition's name is set aside.
        """
        for directory in self.directories:
            directory.on_names_free = names_free
            if may_set_aside is not None:
                directory.may_set_aside = may_set_aside

    def limit_open_files(self, limit: int) -> None:
        """Keep at most ``limit`` segments open, in all directories together."""
        for directory in self.directories:
            directory.files.limit = max(1, limit // len(self.directories))

    def guard_checkpoints(self, new_lock: "Callable[[], AbstractContextManager[object]]") -> None:
        """Checkpoints are written in several threads from now on: each directory gets a lock."""
        for directory in self.directories:
            directory.checkpoints.guard = new_lock()

    # Directories

    @property
    def cluster_id(self) -> str:
        """The cluster to which all directories belong."""
        return self.metadata_directory.cluster_id

    @property
    def full_directories(self) -> list[LogDirectory]:
        """The directories that refuse appends until their disks have room again."""
        return [directory for directory in self.directories if directory.disk.is_full]

    def give_up_reserves(self) -> None:
        """Let others have the room that is kept in reserve: at a start and at a stop."""
        for directory in self.directories:
            directory.disk.remove_reserve()

    def restore_reserves(self) -> None:
        """Take reserves again that are missing, and end the state of disks that have room: see ``ReserveFs.restore``.
        For a thread beside the loop.
        """
        for directory in self.directories:
            directory.disk.restore()

    @property
    def metadata_directory(self) -> LogDirectory:
        """The directory with the metadata log; the broker stops when it goes offline."""
        return self.directories[0]

    def directory_of(self, topic: str, partition: int) -> LogDirectory | None:
        """The directory that holds a partition's log, opened or not; None if there is none."""
        key = topic, partition
        for directory in self.directories:
            if key in directory.logs:
                return directory
        return next((directory for directory in self.directories if directory.holds(key)), None)

    def directory_for(self, topic: str, partition: int) -> LogDirectory:
        """The directory that holds a partition, else the one where its log would be made: the live one with the fewest
        logs.
        """
        if len(self.directories) == 1:
            return self.directories[0]  # saves a look at the disk
        found = self.directory_of(topic, partition)
        if found is not None:
            return found
        live = [directory for directory in self.directories if directory.offline is None]
        return min(live or self.directories, key=lambda directory: len(directory.logs))

    def describe(self) -> "list[LogDirDescription]":
        """All directories, for DescribeLogDirs."""
        return [directory.describe() for directory in self.directories]

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
            directory.registered(broker_epoch, incarnation_id)

    def write_missing_markers(self) -> None:
        """Disks have room, maybe again: see ``LogDirectory.write_missing_marker``."""
        for directory in self.directories:
            if not directory.disk.is_full:
                directory.write_missing_marker()

    # Logs

    def all_logs(self) -> "list[Log]":
        """Every open log, in no particular order."""
        return [log for directory in self.directories for log in directory.logs.values()]

    def open_found(self, topic_config: "TopicConfig", now: "Now", *, but: str) -> None:
        """Open every log in all directories except the one called ``but``: see ``LogDirectory.open_found``."""
        for directory in self.directories:
            directory.open_found(topic_config, now, but=but)

    def open_log(self, topic: str, topic_id: bytes, partition: int, topic_config: "TopicConfig", now: "Now") -> "Log":
        """Open the log of a partition, recovering it after an unclean stop. The name must be a valid topic's.

        The directory of an earlier topic of the same name is set aside as ``…-stray`` if it may be. Raises OSError,
        also ENOSPC while the name is not free.
        """
        directory = self.directory_for(topic, partition)
        return directory.open_log((topic, partition), topic_id, topic_config, now)

    def is_name_free(self, topic: str, partition: int) -> bool:
        """Whether ``open_log`` may make the directory of a partition at once: no checkpoint on disk names an earlier
        partition of that name. If one does, the checkpoints are written beside the loop, and then
        ``names_free(can_go_on, now)`` is called: ask again, or later if the disk has no room.
        """
        return self.directory_for(topic, partition).is_name_free((topic, partition))

    def delete_log(self, topic_partition: TopicPartition, now: "Now") -> None:
        """Rename a partition's directory; ``remove_deleted`` removes it after ``file.delete.delay.ms``."""
        self.directory_for(*topic_partition).delete_log(topic_partition, now)

    def set_strays_aside(self, is_known: "Callable[[str, int], bool]", now: "Now") -> None:
        """Rename the directories of unknown partitions: they were moved or deleted while this broker was down.

        They are kept as ``…-stray``, as by Kafka, for people to look at.
        """
        for directory in self.directories:
            directory.set_strays_aside(is_known, now)

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
            if key in directory.logs:
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
        closed, count = 0, len(self.all_logs())
        for directory in self.directories:
            log_count = len(directory.logs)
            for closed_here in directory.closing(clean=clean, broker_epoch=broker_epoch, now=now):
                yield closed + closed_here, count
            closed += log_count
