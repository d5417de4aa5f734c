"""Moves of logs between the directories of a broker: where they are wanted, what the controller is told, the swap."""

import logging

from kafkacompat.storage.reserve import is_disk_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.log_directory import LogDirectory

    TopicPartition = tuple[str, int]

    class Directories(Protocol):
        """What this uses of ``LogManager``. `offline_directories` may have others than those of `directories`."""

        opened_topics: set[str]

        @property
        def directories(self) -> Sequence[LogDirectory]: ...
        @property
        def offline_directories(self) -> Sequence[object]: ...
        def directory_of_open(self, topic: str, partition: int) -> LogDirectory | None: ...


PREFERRED_MAX = 10_000
"""Partitions that are not here whose directories clients have chosen. Apache Kafka has no limit."""
_log = logging.getLogger(__name__)


class DirectoryMoves:
    """Made when a client names a directory, or one with a future replica is found. ``doubled``: the partitions that are
    in two directories, and not opened yet. A loss of power in the middle of a swap leaves that.
    """

    __slots__ = ("_logs", "_preferred", "_promised", "doubled")

    def __init__(self, logs: "Directories") -> None:
        self._logs = logs
        self._preferred: dict[TopicPartition, LogDirectory] = {}
        self._promised: dict[TopicPartition, LogDirectory] = {}  # where logs are about to be that are open elsewhere
        self.doubled: dict[TopicPartition, Sequence[LogDirectory]] = {}

    def is_in_one_directory(self, key: "TopicPartition", assigned: bytes) -> bool:
        """Whether the log of a partition may be opened. Of two directories the one counts that is ``assigned`` in the
        metadata: no other takes the place of a log. The other's is set aside.
        """
        found = self.doubled.get(key)
        if found is None:
            return True
        if all(each.directory_id != assigned or each.offline is not None for each in found):
            paths = " and ".join(each.path for each in found)
            _log.error(
                "%s-%d is in two log directories, %s, and the metadata names neither: it is not served. Move the "
                "older copy away, and start again", *key, paths,
            )  # fmt: skip
            return False
        for each in found:
            if each.directory_id != assigned:
                _log.warning("%s-%d is in two log directories: not that in %s counts", *key, each.path)
                if not each.set_aside(key):
                    return False
        del self.doubled[key]
        return True

    def open_futures(self, now: "Now") -> None:
        """Open the future replicas of open logs. Where that fails, the move tries again later."""
        for directory in self._logs.directories:
            for key in directory.with_futures if directory.offline is None else ():
                source = self._logs.directory_of_open(*key)
                if source is None or source is directory or directory.offline is not None:
                    continue
                try:
                    directory.futures.open_found(key, source.logs[key], now)
                except OSError as error:
                    _log.error("the future replica of %s-%d in %s cannot be opened: %s", *key, directory.path, error)
                    if is_disk_failure(error):
                        directory.take_offline(error)

    def keep_one_future(self, key: "TopicPartition", assigned: bytes, now: "Now") -> None:
        """Of several future replicas that one stays which is ``assigned`` in the metadata, else the first. A loss of
        power brings one back whose move was called off, beside that of the next move. Apache Kafka does not start then.
        """
        found = [each for each in self._logs.directories if each.offline is None and each.has_future(key)]
        found.sort(key=lambda each: each.directory_id != assigned)
        for directory in found[1:]:
            _log.warning("%s-%d has two future replicas: that in %s is deleted", *key, directory.path)
            directory.delete_future(key, now)

    # Partitions that are not here yet

    def prefer(self, topic: str, partition: int, directory: "LogDirectory") -> None:
        """Make a partition there when it comes. Of too many wishes the oldest is forgotten."""
        if (topic, partition) not in self._preferred and len(self._preferred) >= PREFERRED_MAX:
            del self._preferred[next(iter(self._preferred))]
        self._preferred[topic, partition] = directory

    def preferred(self, topic: str, partition: int) -> "LogDirectory | None":
        """The directory that a client wants for a partition, unless it is offline."""
        directory = self._preferred.get((topic, partition))
        return None if directory is None or directory.offline is not None else directory

    def made(self, topic: str, partition: int) -> None:
        """A partition was made, or found: the wish is fulfilled."""
        self._preferred.pop((topic, partition), None)

    # What the controller is told

    def promise(self, topic: str, partition: int, directory: "LogDirectory | None") -> None:
        """The controller is to know that a partition will soon be in a directory; None: it stays where it is."""
        if directory is None:
            self._promised.pop((topic, partition), None)
        else:
            self._promised[topic, partition] = directory
        self._logs.opened_topics.add(topic)

    def directory_to_report(self, key: "TopicPartition", topic_id: bytes, assigned: bytes) -> "LogDirectory | None":
        """That of the open log, or the one that was promised. The one that failed with the log, if the metadata has
        ``assigned`` another: it was promised, and will not be kept. Else None.
        """
        promised = self._promised.get(key)
        if promised is not None and promised.offline is None:
            return promised
        directories = self._logs.directories
        found = self._logs.directory_of_open(*key)
        if found is not None or all(each.directory_id != assigned or each.offline is not None for each in directories):
            return found
        lost = (each for each in directories if each.offline is not None and key in each.logs)
        return next((each for each in lost if each.logs[key].topic_id == topic_id), None)

    # Taking the place of a log

    def promote_found(self, target: "LogDirectory", key: "TopicPartition", now: "Now") -> bool:
        """A future replica that was found at the start, and that the metadata names, becomes the log of its partition
        (``LogManager.recoverAbandonedFutureLogs``). Whether it has.
        """
        if not target.futures.was_found(key):  # it is open: the directory of its log has failed since
            return False
        if self._logs.offline_directories:  # one of them may hold the log, with records that this one lacks
            target.marker.disprove()
        try:
            target.futures.promote_found(key, now)
        except OSError as error:
            _log.error("%s-%d: its future replica in %s cannot be used: %s", *key, target.path, error)
            return False
        return True

    def swap(
        self, key: "TopicPartition", target: "LogDirectory", now: "Now", replaced: "Callable[[Log], None]"
    ) -> None:
        """Let the future replica in ``target`` take the place of a partition's log, whose directory is removed later.
        ``replaced`` is called with the new log, before the old one is closed. Raises OSError; then nothing has changed,
        or a directory has gone offline.

        The old one is renamed first: Apache Kafka refuses to start where a partition is in two directories, and
        promotes a future replica that the metadata names.
        """
        source = self._logs.directory_of_open(*key)
        assert source is not None
        old = source.logs[key]
        try:
            take_back = source.futures.retire_current(key)
        except OSError as error:
            if is_disk_failure(error):
                source.take_offline(error)
            raise
        try:
            new = target.futures.promote(key)
        except OSError as error:
            try:
                take_back()
            except OSError as worse:
                source.take_offline(worse)
            if is_disk_failure(error):
                target.take_offline(error)
            raise
        replaced(new)
        source.futures.replaced(key, old, now)
        self._promised.pop(key, None)  # the controller knows
        source.sync_names()
        target.sync_names()
