"""Looks for faults in the files of a data directory, and says what recovery would do about each. Nothing is written.

Recovery itself is run, over every batch of every log, on an overlay of the files (`overlay_fs.py`): what it would
truncate or drop is what is wrong. Indexes are compared with the batches by the rules of Kafka's DumpLogSegments. Other
files are read as a start reads them.
"""

import errno
import os

from kafkacompat.config import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.protocol.records.batch import RecordBatchError, check_crc
from kafkacompat.storage import recovery, scan
from kafkacompat.storage.checkpoints import (
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    META_PROPERTIES_FILE,
    PARTITION_METADATA_FILE,
    RECOVERY_POINT_FILE,
    CheckpointError,
    read_meta_properties,
    read_offsets,
    read_partition_metadata,
)
from kafkacompat.storage.errors import CorruptSnapshotError, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.foreign import METADATA_TOPIC
from kafkacompat.storage.index import CorruptIndexError, OffsetIndex
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.overlay_fs import OverlayFs
from kafkacompat.storage.owner import LogOwner
from kafkacompat.storage.partition_dir import parse_directory_name, parse_future_name
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.segment import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from kafkacompat.storage.time_index import TimeIndex
from kafkacompat.storage.tools.dump import CHECKPOINT_SUFFIX, used_entries
from kafkacompat.storage.txn_index import TxnIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from struct import Struct

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.checkpoints import MetaProperties
    from kafkacompat.storage.fs import Fs

OFFSET_FILES = (RECOVERY_POINT_FILE, HIGH_WATERMARK_FILE, LOG_START_FILE, CLEANER_FILE)
_REFUSED = "the start is refused until it is mended"
_OF_TWO = "the one counts that the metadata names, the other is set aside"
_ALONE = "it becomes the log if the metadata names its directory, else it is set aside"
_REBUILT = "rebuilt from the batches when recovery reads its segment, after a stop that was not clean"


class Fault:
    """Something wrong at `position` (bytes; 0 for a whole file) of the file at `path`. recovery: what it would do."""

    __slots__ = ("path", "position", "recovery", "what")

    def __init__(self, path: str, position: int, what: str, recovery: str) -> None:
        self.path = path
        self.position = position
        self.what = what
        self.recovery = recovery

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: getattr(self, name) for name in ("path", "position", "what", "recovery")}

    def __str__(self) -> str:
        return f"{self.path}, byte {self.position}: {self.what}. Recovery: {self.recovery}"


class _Keeper(LogOwner):
    """Gaps are kept, as compaction leaves them."""

    has_lost_power = False


def verify(fs: "Fs", directory: str) -> "Iterator[Fault]":
    """The faults of a data directory, or of one partition's. Raises OSError, and ValueError for any other directory."""
    if not fs.exists(directory):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), directory)
    name = directory.rstrip("/").rpartition("/")[2]
    if not fs.exists(f"{directory}/{META_PROPERTIES_FILE}"):
        if not _has_log(name):
            raise ValueError(f"{directory} is no data directory (it has no {META_PROPERTIES_FILE}) and no partition's")
        yield from _partition(fs, directory)
        return
    yield from _read(
        lambda: read_meta_properties(fs, f"{directory}/{META_PROPERTIES_FILE}"),
        _REFUSED,
    )
    for file in OFFSET_FILES:
        path = f"{directory}/{file}"
        yield from _read(lambda path=path: read_offsets(fs, path), "ignored: all logs are read again")  # type: ignore[misc]
    for entry in fs.listdir(directory):
        if _has_log(entry) and fs.is_dir(f"{directory}/{entry}"):
            yield from _partition(fs, f"{directory}/{entry}")


def _has_log(name: str) -> bool:
    """Whether a folder of this name is one of a partition, or of a future replica. What is to be deleted, or was set
    aside, is none.
    """
    return parse_directory_name(name) is not None or parse_future_name(name) is not None


def verify_together(fs: "Fs", directories: "Sequence[str]") -> "Iterator[Fault]":
    """What is wrong between the log directories of one broker. Raises OSError, and ValueError for a directory that is
    none.
    """
    first: tuple[str, MetaProperties] | None = None
    ids: dict[bytes, str] = {}
    places: dict[tuple[str, int], str] = {}
    futures: dict[tuple[str, int], str] = {}
    for directory in directories:
        path = f"{directory}/{META_PROPERTIES_FILE}"
        try:
            found = read_meta_properties(fs, path)
        except CheckpointError:
            pass  # it is named by `verify`; its logs count
        else:
            if found is None:
                raise ValueError(
                    f"{directory} is no data directory (it has no {META_PROPERTIES_FILE}): give one at a time"
                )
            first = first or (directory, found)
            if (found.cluster_id, found.node_id) != (first[1].cluster_id, first[1].node_id):
                yield Fault(path, 0, f"another cluster or node than that of {first[0]}", _REFUSED)
            if found.directory_id is not None and ids.setdefault(found.directory_id, directory) != directory:
                yield Fault(path, 0, f"the same directory.id as in {ids[found.directory_id]}", _REFUSED)
        for name in fs.listdir(directory):
            if (key := parse_directory_name(name)) is not None and places.setdefault(key, directory) != directory:
                yield Fault(f"{directory}/{name}", 0, f"it is in {places[key]}, too", _OF_TWO)
            elif (future := parse_future_name(name)) is not None:
                futures[future] = f"{directory}/{name}"
    for key, path in futures.items():
        if key not in places:
            yield Fault(path, 0, "a future replica without its log", _ALONE)


def _read(read: "Callable[[], object]", consequence: str) -> "Iterator[Fault]":
    try:
        read()
    except (CheckpointError, CorruptIndexError) as error:
        yield _unreadable(error, consequence)


def _unreadable(error: CheckpointError | CorruptIndexError, consequence: str) -> Fault:
    return Fault(error.path, 0, str(error).removeprefix(error.path).lstrip(":, "), consequence)


def _partition(fs: "Fs", path: str) -> "Iterator[Fault]":
    names = fs.listdir(path)
    yield from _read(
        lambda: read_partition_metadata(fs, f"{path}/{PARTITION_METADATA_FILE}"), "written again from the metadata log"
    )
    yield from _read(lambda: LeaderEpochs.load(fs, f"{path}/{EPOCHS_FILE}"), "rebuilt: the whole log is read again")
    yield from _batches(fs, path)
    for offset in recovery.offsets_in(names, SNAPSHOT_SUFFIX):
        snapshot = f"{path}/{offset:020d}{SNAPSHOT_SUFFIX}"
        try:
            ProducerState.decode(fs.read_bytes(snapshot), offset)
        except CorruptSnapshotError as error:
            yield Fault(snapshot, 0, str(error), "an older snapshot, or the log itself, takes its place")
    for offset in recovery.offsets_in(names, TXN_INDEX_SUFFIX):
        stem = f"{path}/{offset:020d}"
        yield from _read(
            lambda stem=stem, offset=offset: TxnIndex.load(fs, stem, offset).entries(),  # type: ignore[misc]
            "rebuilt from the batches when a reader needs it",
        )
    for offset in recovery.offsets_in(names, LOG_SUFFIX):
        yield from _indexes(fs, f"{path}/{offset:020d}", offset)
    if (parse_directory_name(path.rpartition("/")[2]) or ("", 0))[0] == METADATA_TOPIC:
        for name in names:
            if name.endswith(CHECKPOINT_SUFFIX):
                yield from _metadata_snapshot(fs, f"{path}/{name}")


def _metadata_snapshot(fs: "Fs", path: str) -> "Iterator[Fault]":
    """The first batch that is damaged, or what follows the last whole one (KIP-630)."""
    file, end = fs.open(path), 0
    try:
        for position, header, batch in scan.batches(file, 0, file.size()):
            if not check_crc(batch, 0, header.size_bytes):
                yield Fault(path, position, "wrong checksum", _REFUSED)
                return
            end = position + header.size_bytes
        if end < file.size():
            yield Fault(path, end, "an incomplete batch", _REFUSED)
    except RecordBatchError as error:
        yield Fault(path, end, str(error).removeprefix(f"at position {end}: "), _REFUSED)
    finally:
        file.close()


def _batches(fs: "Fs", path: str) -> "Iterator[Fault]":
    """What a recovery of the whole log would remove."""
    overlay = OverlayFs(fs)
    files = FileCache(overlay)
    try:
        topic_id = read_partition_metadata(fs, f"{path}/{PARTITION_METADATA_FILE}") or ZERO_UUID
    except CheckpointError:
        topic_id = ZERO_UUID
    config = TopicConfig.resolve({"cleanup.policy": "compact"}, BrokerConfig({}))  # no line about each gap
    try:
        found = recovery.load(
            overlay, files, path, config, _Keeper(), topic_id=topic_id, recovery_point=0,
            log_start_offset=0, clean=False, now=Now(0, 0),
        )  # fmt: skip
    except LogError as error:
        yield Fault(path, 0, str(error), "the partition stays offline")
        return
    finally:
        files.close()
    for each in found.recovery.truncations if found.recovery is not None else ():
        file = f"truncated to {each.position} bytes" if each.position else "removed"
        yield Fault(
            each.path, each.position, each.reason,
            f"{file}, {each.size_bytes} bytes less, if it is at or above the recovery point; else readers get an error",
        )  # fmt: skip


def _indexes(fs: "Fs", stem: str, base_offset: int) -> "Iterator[Fault]":
    """Entries that do not name the end of a batch: offset and position, or offset and largest timestamp."""
    positions: list[tuple[int, ...]] = []
    times: list[tuple[int, ...]] = []
    for kind, found in ((OffsetIndex, positions), (TimeIndex, times)):
        path = stem + kind.suffix
        try:
            found.extend(used_entries(fs, path, kind.layout) if fs.exists(path) else ())
        except CorruptIndexError as error:
            yield _unreadable(error, _REBUILT)
    yield from _not_ascending(stem + INDEX_SUFFIX, positions, 0, OffsetIndex.layout)
    yield from _not_ascending(stem + TIME_INDEX_SUFFIX, times, 1, TimeIndex.layout)
    checks = (
        _Check(stem + INDEX_SUFFIX, [(base_offset + entry[0], entry[1]) for entry in positions], OffsetIndex.layout),
        _Check(stem + TIME_INDEX_SUFFIX, [(base_offset + entry[1], entry[0]) for entry in times], TimeIndex.layout),
    )
    file = fs.open(stem + LOG_SUFFIX)
    try:
        for position, header in scan.headers(file, 0, file.size()):
            yield from checks[0].batch(header, position, "the batch with this last offset is at")
            yield from checks[1].batch(header, header.max_timestamp, "the batch there has the largest timestamp")
    except RecordBatchError:
        return  # a fault of the segment, which is named
    finally:
        file.close()
    for check in checks:
        yield from check.rest()


class _Check:
    """Entries (offset, what the batch that ends there has) of one index, in the order of their offsets."""

    def __init__(self, path: str, entries: list[tuple[int, int]], layout: "Struct") -> None:
        self._path = path
        self._entries = entries
        self._layout = layout
        self._at = 0

    def batch(self, header: "BatchHeader", expected: int, said: str) -> "Iterator[Fault]":
        """Compare the entries up to the end of the batch."""
        while self._at < len(self._entries) and self._entries[self._at][0] <= header.last_offset:
            offset, value = self._entries[self._at]
            if offset != header.last_offset:
                yield self._fault(f"offset {offset} is not the last one of a batch")
            elif value != expected:
                yield self._fault(f"offset {offset} has {value}, and {said} {expected}")
            self._at += 1

    def rest(self) -> "Iterator[Fault]":
        """Entries behind the last batch."""
        while self._at < len(self._entries):
            yield self._fault(f"offset {self._entries[self._at][0]} is behind the end of the segment")
            self._at += 1

    def _fault(self, what: str) -> Fault:
        return Fault(self._path, self._at * self._layout.size, what, _REBUILT)


def _not_ascending(path: str, entries: list[tuple[int, ...]], offset_at: int, layout: "Struct") -> "Iterator[Fault]":
    for slot in range(1, len(entries)):
        if entries[slot][offset_at] <= entries[slot - 1][offset_at]:
            yield Fault(path, slot * layout.size, "its offset is not above the one before", _REBUILT)
