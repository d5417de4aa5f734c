"""Which stray partition directories may be set aside: those that the metadata has deleted or moved elsewhere.

An unknown partition may also mean that metadata was lost: the end of its log is missing, or it was restored from an
old copy. Kafka trusts the image. Here a directory is a stray only if

- the metadata has the last registration of this broker, and
- the topic is known and has its replicas elsewhere, or the metadata log shows that it once existed, or a snapshot has
  replaced the part of the log that would.

All other directories are kept and not served, until the metadata has their partitions again.
"""

import logging

from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.storage.checkpoints import PARTITION_METADATA_FILE, CheckpointError, read_partition_metadata
from kafkacompat.storage.partition_dir import directory_name, parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.storage.log_directory import LogDirectory

FILE_NAME = "kept-partitions"
"""The kept directories, one per line. Later starts must not judge them by metadata written after the loss."""
NAMED = 5
"""Directories named in one log line."""
_log = logging.getLogger(__name__)


class Strays:
    """The strays in one log directory of a broker, for one start.

    last_epoch: the broker epoch of the last registration, from the data directories, -1 for none.
    seen_topics: which of some topic ids the metadata has had, or may have had.
    """

    def __init__(
        self,
        node_id: int,
        directory: "LogDirectory",
        last_epoch: int,
        seen_topics: "Callable[[Set[bytes]], Set[bytes]]",
    ) -> None:
        self._node_id = node_id
        self.directory = directory
        self._fs = directory.disk
        self._data_dir = directory.path
        self._last_epoch = last_epoch
        self._seen_topics = seen_topics
        self._is_metadata_old = False
        self._is_foreign = False
        """Whether the file has an unknown format: it stays, and no directory is set aside."""
        self._kept = self._read()
        directory.may_set_aside = self.may_replace

    def check_registration(self, image: "MetadataImage") -> None:
        """Check that the metadata has this broker's last registration: before the next registration if all metadata is
        here, else with the first image that has the next one.
        """
        own = image.brokers.get(self._node_id)
        known_epoch = NO_BROKER_EPOCH if own is None else own.epoch
        if self._last_epoch > known_epoch and not self._is_metadata_old:
            self._is_metadata_old = True
            _log.warning(
                "metadata is lost: %s was used up to broker epoch %d, but the metadata log has %d. Partitions that "
                "it does not have are kept and not served. Stop, and restore the metadata log from a copy",
                self._data_dir, self._last_epoch, known_epoch,
            )  # fmt: skip

    def keep(self, image: "MetadataImage", is_known: "Callable[[str, int], bool]") -> None:
        """Decide which directories without a replica in this image are kept. Raises OSError."""
        unknown: dict[str, bytes | None] = {}
        for name in self._fs.listdir(self._data_dir):
            key = parse_directory_name(name)
            if key is not None and not is_known(*key):
                unknown[name] = self._topic_id(name)
        asked = {topic_id for topic_id in unknown.values() if topic_id is not None}
        given_up = {topic_id for topic_id in asked if topic_id in image.topics_by_id}
        if asked - given_up and not self._is_metadata_old:
            given_up |= self._seen_topics(asked - given_up)
        keeps_all = self._is_metadata_old or self._is_foreign
        kept = {
            name for name, topic_id in unknown.items() if keeps_all or name in self._kept or topic_id not in given_up
        }
        if kept:
            names = ", ".join(sorted(kept)[:NAMED]) + (", …" if len(kept) > NAMED else "")
            _log.warning(
                "%d directories in %s belong to partitions that the metadata does not have, and nothing shows that it "
                "deleted them: %s. They are kept and not served. Restore the metadata log from a copy, or delete them",
                len(kept), self._data_dir, names,
            )  # fmt: skip
        self._write(kept)

    def set_aside(self, image: "MetadataImage", is_known: "Callable[[str, int], bool]", now: "Now") -> None:
        """Rename the directories that are neither of a replica in this image, nor kept. A disk that fails takes the
        directory offline.
        """
        if self.directory.offline is not None:
            return
        try:
            self.keep(image, is_known)
        except OSError as error:
            self.directory.take_offline(error)
            return
        self.directory.set_strays_aside(
            lambda topic, index: is_known(topic, index) or directory_name(topic, index) in self._kept, now
        )

    def may_replace(self, topic: str, index: int) -> bool:
        """Whether the directory of an earlier topic of the same name may be set aside for this one."""
        name = directory_name(topic, index)
        topic_id = self._topic_id(name)
        keeps_all = self._is_metadata_old or self._is_foreign
        if not keeps_all and name not in self._kept and topic_id is not None and self._seen_topics({topic_id}):
            return True
        _log.warning(
            "%s/%s belongs to another topic of that name, and nothing in the metadata shows that it was deleted. It is "
            "kept. Restore the metadata log from a copy, or move the directory away",
            self._data_dir, name,
        )  # fmt: skip
        return False

    def _topic_id(self, name: str) -> bytes | None:
        try:
            return read_partition_metadata(self._fs, f"{self._data_dir}/{name}/{PARTITION_METADATA_FILE}")
        except (CheckpointError, OSError):
            return None

    def _read(self) -> frozenset[str]:
        path = f"{self._data_dir}/{FILE_NAME}"
        try:
            names = self._fs.read_bytes(path).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return frozenset()
        except OSError:
            names = [""]
        if any(parse_directory_name(name) is None for name in names):
            self._is_foreign = True
            _log.warning(
                "%s cannot be read, or is of a later version: partitions that the metadata does not have are kept and "
                "not served",
                path,
            )
        return frozenset(names)

    def _write(self, kept: set[str]) -> None:
        if kept == self._kept:
            return
        self._kept = frozenset(kept)
        if self._is_foreign:
            return
        path = f"{self._data_dir}/{FILE_NAME}"
        if kept:
            self._fs.write_atomic(path, "".join(f"{name}\n" for name in sorted(kept)).encode(), sync=True)
        else:
            self._fs.remove(path)
