"""The small text files of a data directory, byte for byte as Apache Kafka writes and reads them.

Every file is replaced as a whole: written beside, renamed. A malformed file raises CheckpointError, which names
the file and the line; a missing one does not.
"""

import logging
from collections.abc import Iterable, Mapping
from time import asctime, gmtime

from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.primitives import uuid_from_text, uuid_to_text
from kafkacompat.storage.fs import Fs

RECOVERY_POINT_FILE = "recovery-point-offset-checkpoint"
HIGH_WATERMARK_FILE = "replication-offset-checkpoint"
CLEANER_FILE = "cleaner-offset-checkpoint"
"""Up to where compaction has cleaned each log (Kafka's ``LogCleanerManager``)."""
LOG_START_FILE = "log-start-offset-checkpoint"
META_PROPERTIES_FILE = "meta.properties"
PARTITION_METADATA_FILE = "partition.metadata"
CLEAN_SHUTDOWN_FILE = ".kafka_cleanshutdown"
RETENTION_FILE = "retention-has-run"
"""Its name says all: a directory without it may hold old records that an earlier version kept."""

_VERSION = "0"
_NODE_ID = {"0": "broker.id", "1": "node.id"}
"""The name of the node id in each version of ``meta.properties``."""
_ZERO_UUID = bytes(16)

TopicPartition = tuple[str, int]
_log = logging.getLogger(__name__)


class CheckpointError(Exception):
    """A file that does not hold what Kafka writes there. ``line`` counts from 1, 0 stands for the whole file."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")
        self.path = path
        self.line = line


def read_checkpoint(fs: Fs, path: str, *, fields: int) -> list[list[str]]:
    """The entries of a checkpoint file: a version, a count, and as many lines of ``fields`` words.

    Empty if the file is missing or empty. A last line without a newline may be a number that a power loss has
    shortened: 14 of 145. Raises CheckpointError, OSError.
    """
    lines = _read_lines(fs, path, may_lack_end=False)
    if not lines:
        return []
    if lines[0] != _VERSION:
        raise CheckpointError(path, 1, f"version {lines[0]!r}, only {_VERSION} is known")
    if len(lines) < 2 or not lines[1].isdecimal():
        raise CheckpointError(path, 2, "no number of entries")
    entries = [line.split() for line in lines[2:]]
    for number, entry in enumerate(entries, 3):
        if len(entry) != fields:
            raise CheckpointError(path, number, f"{len(entry)} words instead of {fields}")
    if len(entries) != int(lines[1]):
        raise CheckpointError(path, 2, f"{lines[1]} entries announced, {len(entries)} found")
    return entries


def write_checkpoint(fs: Fs, path: str, entries: Iterable[Iterable[object]], *, sync: bool) -> None:
    """Replace a checkpoint file. Raises OSError."""
    lines = [" ".join(map(str, entry)) for entry in entries]
    text = "\n".join([_VERSION, str(len(lines)), *lines, ""])
    fs.write_atomic(path, text.encode(), sync=sync)


def read_offsets(fs: Fs, path: str) -> dict[TopicPartition, int]:
    """The offsets of a ``*-offset-checkpoint``, none when it is missing. Raises CheckpointError, OSError."""
    offsets = {}
    for line, (topic, partition, offset) in enumerate(read_checkpoint(fs, path, fields=3), 3):
        try:
            offsets[topic, int(partition)] = int(offset)
        except ValueError:
            raise CheckpointError(path, line, "a partition or offset is no number") from None
    return offsets


def readable_offsets(fs: Fs, path: str) -> dict[TopicPartition, int] | None:
    """A checkpoint; None for one that cannot be read. Without it recovery takes longer and keeps all gaps."""
    try:
        return read_offsets(fs, path)
    except CheckpointError as error:
        _log.warning("starting without a checkpoint: %s", error)
        return None


def write_offsets(fs: Fs, path: str, offsets: Mapping[TopicPartition, int], *, sync: bool) -> None:
    """Replace a ``*-offset-checkpoint``. Raises OSError."""
    entries = ((topic, partition, offset) for (topic, partition), offset in sorted(offsets.items()))
    write_checkpoint(fs, path, entries, sync=sync)


class OwnerlessError(CheckpointError):
    """A ``meta.properties`` of version 0 that names no node or no cluster, as that version may."""


class MetaProperties:
    """Owner of a log directory. ``directory_id`` is None in directories formatted before Kafka 3.7. ``version``: 0
    where Kafka with ZooKeeper made the directory, else 1.
    """

    __slots__ = ("cluster_id", "directory_id", "node_id", "version")

    def __init__(self, cluster_id: str, node_id: int, directory_id: bytes | None, version: int = 1) -> None:
        self.cluster_id = cluster_id
        self.node_id = node_id
        self.directory_id = directory_id
        self.version = version


def read_meta_properties(fs: Fs, path: str) -> MetaProperties | None:
    """The content of ``meta.properties``, None if it is missing (Kafka's ``MetaProperties``). Raises CheckpointError,
    OSError.
    """
    if not fs.exists(path):
        return None
    properties: dict[str, str] = {}
    for line in _read_lines(fs, path):
        stripped = line.strip()
        if stripped and stripped[0] not in "#!":
            name, _, value = _split_property(stripped)
            properties[name] = value
    version = properties.get("version", "0").strip()
    if version not in _NODE_ID:
        raise CheckpointError(path, 0, f"version {version!r}, only 0 and 1 are known")
    node_id = _NODE_ID[version]
    for name in ("cluster.id", node_id):
        if name not in properties:
            error_class = OwnerlessError if version == "0" else CheckpointError
            raise error_class(path, 0, f"{name} is missing")
    directory_id = properties.get("directory.id")
    try:
        return MetaProperties(
            properties["cluster.id"],
            int(properties[node_id]),
            None if directory_id is None else uuid_from_text(directory_id),
            int(version),
        )
    except ValueError as error:
        raise CheckpointError(path, 0, f"{node_id} or directory.id: {error}") from None


def write_meta_properties(fs: Fs, path: str, meta: MetaProperties, *, wall_ms: int) -> None:
    """Write ``meta.properties``, durably; the time goes into its comment. Raises OSError."""
    assert meta.directory_id is not None
    date = asctime(gmtime(wall_ms // 1000))
    lines = (
        "#",
        f"#{date[:-5]} UTC{date[-5:]}",
        f"{_NODE_ID[str(meta.version)]}={meta.node_id}",
        f"directory.id={uuid_to_text(meta.directory_id)}",
        f"version={meta.version}",
        f"cluster.id={_escape_property(meta.cluster_id)}",
        "",
    )
    fs.write_atomic(path, "\n".join(lines).encode(), sync=True)


def _split_property(line: str) -> tuple[str, str, str]:
    """Name, separator and value of a line of a Java properties file, as far as Kafka's own values need it."""
    for index, char in enumerate(line):
        if char in "=:" and line[index - 1 : index] != "\\":
            return line[:index].strip(), char, _unescape_property(line[index + 1 :].strip())
    return line, "", ""


def _escape_property(value: str) -> str:
    return "".join(f"\\{char}" if char in "\\=:#!" else char for char in value)


def _unescape_property(value: str) -> str:
    parts = value.split("\\\\")
    return "\\".join(part.replace("\\", "") for part in parts)


def read_partition_metadata(fs: Fs, path: str) -> bytes | None:
    """The topic id in ``partition.metadata``, None when the file is missing. Raises CheckpointError, OSError."""
    if not fs.exists(path):
        return None
    lines = _read_lines(fs, path)
    if not lines or lines[0] != f"version: {_VERSION}":
        raise CheckpointError(path, 1, f"expected version: {_VERSION}")
    name, _, text = lines[1].partition(": ") if len(lines) > 1 else ("", "", "")
    try:
        topic_id = uuid_from_text(text)
    except ValueError:
        topic_id = _ZERO_UUID
    if name != "topic_id" or topic_id == _ZERO_UUID:
        raise CheckpointError(path, 2, "no topic id")
    return topic_id


def write_partition_metadata(fs: Fs, path: str, topic_id: bytes, *, sync: bool) -> None:
    """Write a partition's ``partition.metadata``. Raises OSError."""
    fs.write_atomic(path, f"version: {_VERSION}\ntopic_id: {uuid_to_text(topic_id)}".encode(), sync=sync)


def read_clean_shutdown(fs: Fs, path: str) -> int | None:
    """The broker epoch in the marker of a clean stop, −1 when it names none. None without a marker. Raises OSError.

    Its existence counts; a marker with malformed content is a clean stop without an epoch, as in
    Kafka's ``CleanShutdownFileHandler``.
    """
    import json

    try:
        content = json.loads(fs.read_bytes(path))
        epoch = content["brokerEpoch"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return NO_BROKER_EPOCH
    return epoch if type(epoch) is int else NO_BROKER_EPOCH


def write_clean_shutdown(fs: Fs, path: str, broker_epoch: int) -> None:
    """Leave the marker of a clean stop, durably. Raises OSError."""
    fs.write_atomic(path, f'{{"version":0,"brokerEpoch":{broker_epoch}}}'.encode(), sync=True)


def _read_lines(fs: Fs, path: str, *, may_lack_end: bool = True) -> list[str]:
    """The lines of a file, without what a final newline leaves; none when it is missing or empty."""
    try:
        data = fs.read_bytes(path)
    except FileNotFoundError:
        return []
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise CheckpointError(path, 0, "is no text") from None
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        return lines[:-1]
    if not may_lack_end:
        raise CheckpointError(path, len(lines), "the line has no end")
    return lines
