"""Writes snapshots of the metadata, and removes the log that they replace (Kafka's SnapshotGenerator, KIP-630)."""

import logging
from contextlib import suppress
from functools import partial

from kafkacompat.now import NEVER
from kafkacompat.protocol.internal.control_records import (
    KRaftVersionRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
)
from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.replication.raft.batches import (
    DamagedLogError,
    control_batch,
    decode,
    encode_record,
    metadata_batch,
)
from kafkacompat.replication.raft.checkpoint import KRAFT_LEVEL, voters_record
from kafkacompat.storage.background import SEGMENT_SYNC, Background
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.removal import Removal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.raft.snapshots import RawSnapshotWriter, Snapshots
    from kafkacompat.replication.raft.voters import Voter
    from kafkacompat.storage.log import Log

HEADER_BYTES = 64 * 1024  #: the first batch of a snapshot is smaller
RECORDS_PER_BATCH = 1_000
"""Records encoded in one step, which bounds how long a step holds up the event loop."""
_log = logging.getLogger(__name__)


class SnapshotWriter:
    """Writes snapshots of the committed image by size and by time, and removes old log segments and snapshots.

    A snapshot is written in steps on the event loop and synced in the background; then `on_finished(now)` is called.
    Without a flusher, which has the background threads, it is synced at once.
    """

    def __init__(self, snapshots: "Snapshots", log: "Log", config: "BrokerConfig", now: "Now") -> None:
        self._snapshots = snapshots
        self._log = log
        self._background = Background() if log.flusher is None else log.flusher.background
        self._removal = Removal(snapshots.fs, self._background)
        self._max_bytes = config.get_int("metadata.log.max.record.bytes.between.snapshots")
        self._interval_ms = config.get_int("metadata.log.max.snapshot.interval.ms")
        self._retention_bytes = config.get_int("metadata.max.retention.bytes")
        self._retention_ms = config.get_int("metadata.max.retention.ms")
        self._new_bytes = 0
        self._since_ms = now.monotonic_ms
        self._written_ms: dict[int, int] = {}  # end offset -> wall clock time
        self.on_finished: Callable[[Now], None] = lambda _now: None
        self._part: RawSnapshotWriter | None = None
        self._is_finishing = False
        self._batches: Iterator[bytearray] = iter(())

    def committed(self, size_bytes: int) -> None:
        """Count newly committed bytes of records."""
        self._new_bytes += size_bytes

    def deadline_ms(self, now_ms: int) -> int:
        """When `tick` is due, in ms of the monotonic clock."""
        if self._is_finishing:
            return NEVER
        if self._part is not None or self._new_bytes >= self._max_bytes:
            return now_ms
        return self._since_ms + self._interval_ms if self._interval_ms and self._new_bytes else NEVER

    def tick(self, image: "MetadataImage", voters: "Sequence[Voter] | None", now: "Now") -> None:
        """Begin a snapshot if one is due, or continue one. Raises OSError; the log is then unchanged."""
        if self._part is None:
            is_due = self.deadline_ms(now.monotonic_ms) <= now.monotonic_ms
            newest = self._snapshots.newest
            if is_due and image.transaction is None and (newest is None or image.offset + 1 > newest[0]):
                self._part = self._snapshots.begin((image.offset + 1, image.epoch))
                self._batches = _batches(image, voters, now.wall_ms)
            if is_due:
                self._new_bytes, self._since_ms = 0, now.monotonic_ms
            return
        batch = next(self._batches, None)
        if batch is None:
            self._finish(self._part, now)
            return
        try:
            self._part.append(batch)
        except OSError:
            self.drop()
            raise

    def _finish(self, part: "RawSnapshotWriter", now: "Now") -> None:
        self._part = None
        self._is_finishing = True
        self._background.submit(SEGMENT_SYNC, part.make_durable, partial(self._finished, part))
        if self._log.flusher is None:
            self._background.run_inline(now)

    def _finished(self, part: "RawSnapshotWriter", outcome: Exception | None, now: "Now") -> None:
        self._is_finishing = False
        try:
            if outcome is not None:
                part.drop()
                raise outcome
            self._snapshots.added(part.id)
            self._written_ms[part.id[0]] = now.wall_ms
            if not self._log.is_closed:
                self.clean(now)
        except (LogError, OSError) as error:
            _log.error("a snapshot of the metadata could not be written: %s", error)
        self.on_finished(now)

    def drop(self) -> None:
        """Abandon the snapshot being written. One that is being synced is still completed."""
        part, self._part = self._part, None
        if part is not None:
            part.drop()

    def clean(self, now: "Now") -> None:
        """Remove old snapshots, and the log that the next snapshot replaces, by size and by age. The newest snapshot
        stays. Raises LogError, OSError.
        """
        snapshots = self._snapshots
        while len(snapshots.all) > 1 and self._is_old(now):
            self._written_ms.pop(snapshots.all[0][0], None)
            snapshots.remove_oldest()
            self._log.delete_records_before(min(snapshots.all[0][0], self._log.log_end_offset), now)
        self._removal.add(self._log.pop_deleted(now))

    def _is_old(self, now: "Now") -> bool:
        snapshots = self._snapshots
        size_bytes = self._log.size_bytes + sum(snapshots.size(each) for each in snapshots.all)
        if 0 <= self._retention_bytes < size_bytes:
            return True
        oldest = snapshots.all[0]
        if oldest[0] not in self._written_ms:  # written by an earlier run, or fetched
            self._written_ms[oldest[0]] = timestamp_of(snapshots, oldest, now.wall_ms)
        age_ms = now.wall_ms - self._written_ms[oldest[0]]
        return 0 <= self._retention_ms < age_ms


def timestamp_of(snapshots: "Snapshots", snapshot_id: tuple[int, int], default_ms: int) -> int:
    """The timestamp in a snapshot's header; `default_ms` if it cannot be read. Raises OSError."""
    data = memoryview(snapshots.read(snapshot_id, 0, HEADER_BYTES))
    with suppress(DamagedLogError, RecordBatchError):
        for record in decode(read_header(data, 0), data).records:
            if isinstance(record, SnapshotHeaderRecord):
                return record.last_contained_log_timestamp
    return default_ms


def _batches(image: "MetadataImage", voters: "Sequence[Voter] | None", now_ms: int) -> "Iterator[bytearray]":
    """The batches of a snapshot file, in order."""
    from kafkacompat.replication.metadata.snapshot_records import snapshot_records

    header: list[Message] = [SnapshotHeaderRecord(last_contained_log_timestamp=now_ms)]
    if voters is not None:
        header += [KRaftVersionRecord(kraft_version=KRAFT_LEVEL), voters_record(voters)]
    yield control_batch(header, now_ms, base_offset=0, epoch=image.epoch)
    offset = len(header)
    values: list[bytes] = []
    for record in snapshot_records(image):
        values.append(encode_record(record))
        if len(values) == RECORDS_PER_BATCH:
            yield metadata_batch(values, now_ms, base_offset=offset, epoch=image.epoch)
            offset, values = offset + len(values), []
    if values:
        yield metadata_batch(values, now_ms, base_offset=offset, epoch=image.epoch)
        offset += len(values)
    yield control_batch([SnapshotFooterRecord()], now_ms, base_offset=offset, epoch=image.epoch)
