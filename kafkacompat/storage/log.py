"""One partition's log: gives batches their offsets, appends them, rolls segments, reads from any offset, truncates.

Synchronous and single-threaded: the broker's loop owns it. Only ``Flusher`` jobs run beside it, and they touch nothing
but descriptors. A disk error takes the log offline: it answers KAFKA_STORAGE_ERROR from then on.
"""

import logging
from bisect import bisect_right

from kafkacompat.protocol.records.batch import (
    HEADER,
    LOG_OVERHEAD,
    MAX_SEQUENCE,
    NO_PRODUCER_ID,
    TRANSACTIONAL_BIT,
    BatchHeader,
    stamp,
    stamp_log_append_time,
)
from kafkacompat.storage.checkpoints import CheckpointError
from kafkacompat.storage.errors import KAFKA_STORAGE_ERROR, OFFSET_OUT_OF_RANGE, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.partition_dir import check_topic_id
from kafkacompat.storage.producer_replay import check_own_producer, rebuild_producers, replay
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.recovery import load
from kafkacompat.storage.reshape import reshape
from kafkacompat.storage.segment import DELETED_SUFFIX, Segment
from kafkacompat.storage.slices import EMPTY, Slice
from kafkacompat.storage.snapshots import SnapshotFiles
from kafkacompat.storage.validate import (
    check_all_fit,
    check_client_batch,
    check_create_time,
    check_fetched_batches,
    check_fits_segment,
    check_own_batches,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.lookup import TimestampOffset
    from kafkacompat.storage.recovery import Recovery

NO_TIMESTAMP = -1
NEVER = 2**63 - 1  #: a time that does not come
_log = logging.getLogger(__name__)


class AppendInfo:
    """What became of an append.

    ``append_time_ms`` is −1 unless the log stamps LogAppendTime; for a ``duplicate`` all is that of the batch which was
    written before. With ``sync_required`` the append must be acknowledged only once ``flushed_offset > last_offset``.
    """

    __slots__ = (
        "append_time_ms",
        "duplicate",
        "first_offset",
        "last_offset",
        "log_start_offset",
        "max_timestamp_ms",
        "sync_required",
    )

    def __init__(
        self,
        first_offset: int,
        last_offset: int,
        max_timestamp_ms: int,
        append_time_ms: int,
        log_start_offset: int,
        duplicate: bool,
        sync_required: bool,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.max_timestamp_ms = max_timestamp_ms
        self.append_time_ms = append_time_ms
        self.log_start_offset = log_start_offset
        self.duplicate = duplicate
        self.sync_required = sync_required


class Log:
    """The log of one partition in the directory ``path``. Made by ``Log.open``.

    ``log_end_offset`` is the offset of the next record; records from ``log_start_offset`` on can be read; those below
    ``flushed_offset`` are durable. ``recovery`` says what was cut after an unclean stop. ``failure`` is the error that
    took the log offline, and ``on_failure`` is called with it once.
    """

    __slots__ = (
        "_active",
        "_bases",
        "_changed_dirs",
        "_config",
        "_deleted",
        "_files",
        "_flush_messages",
        "_log_append_time",
        "_max_message_bytes",
        "_opens_batches",
        "_segment_bytes",
        "_segment_ms",
        "_segments",
        "_syncs",
        "_timestamp_after_ms",
        "_timestamp_before_ms",
        "epochs",
        "failure",
        "flushed_offset",
        "flusher",
        "fs",
        "log_end_offset",
        "log_start_offset",
        "on_failure",
        "path",
        "producers",
        "recovery",
        "snapshots",
        "topic_id",
        "truncations",
        "unflushed_since_ms",
    )

    @classmethod
    def open(
        cls,
        fs: "Fs",
        path: str,
        config: "TopicConfig",
        *,
        topic_id: bytes,
        recovery_point: int,
        log_start_offset: int,
        clean: bool,
        now: "Now",
        flusher: "Flusher | None" = None,
        files: FileCache | None = None,
    ) -> "Log":
        """Open the log in ``path``, or an empty one. Nothing but the directory is created before the first append.

        ``recovery_point`` and ``log_start_offset`` are what the checkpoint files say. After a ``clean`` stop no batch
        is read; otherwise everything from the recovery point's segment on is checked (``recovery.py``). Raises OSError,
        and LogError when ``path`` belongs to a topic with another id.
        """
        fs.mkdir(path)
        check_topic_id(fs, path, topic_id)
        epochs_path = f"{path}/{EPOCHS_FILE}"
        try:
            epochs = LeaderEpochs.load(fs, epochs_path)
        except CheckpointError as error:
            _log.warning("reading the whole log again to rebuild its epochs: %s", error)
            epochs = LeaderEpochs(fs, epochs_path)
            clean, recovery_point = False, 0
        log = cls(fs, files or FileCache(fs), path, config, topic_id=topic_id, epochs=epochs, flusher=flusher)
        load(log, recovery_point=recovery_point, log_start_offset=log_start_offset, clean=clean, now=now)
        return log

    def __init__(
        self,
        fs: "Fs",
        files: FileCache,
        path: str,
        config: "TopicConfig",
        *,
        topic_id: bytes,
        epochs: "LeaderEpochs",
        flusher: "Flusher | None",
    ) -> None:
        """An empty log; ``recovery.recover`` fills it from disk."""
        self.fs = fs
        self._files = files
        self._syncs = not fs.is_temporary
        self._segments: list[Segment] = []
        self._bases: list[int] = []
        self._active: Segment | None = None
        self._deleted: list[tuple[int, str]] = []  # when to remove which file
        self._changed_dirs = [path, path.rpartition("/")[0]]  # an earlier process may not have synced what it made
        self.path = path
        self.config = config
        self.topic_id = topic_id
        self.epochs = epochs
        self.flusher = flusher
        self.snapshots = SnapshotFiles(fs, path)
        self.producers = ProducerState()
        self.log_start_offset = 0
        self.log_end_offset = 0
        self.flushed_offset = 0
        self.unflushed_since_ms = NEVER
        self.truncations = 0
        self.recovery: Recovery | None = None
        self.failure: OSError | None = None
        self.on_failure: Callable[[OSError], None] | None = None

    @property
    def config(self) -> "TopicConfig":
        """The topic's config; assign a new one when it changes."""
        return self._config

    @config.setter
    def config(self, config: "TopicConfig") -> None:
        self._config = config
        self._segment_bytes: int = config.segment_bytes
        self._segment_ms: int = config.segment_ms
        self._max_message_bytes: int = config.max_message_bytes
        self._flush_messages: int = config.flush_messages
        self._log_append_time = config.message_timestamp_type == "LogAppendTime"
        self._timestamp_before_ms: int = config.message_timestamp_before_max_ms
        self._timestamp_after_ms: int = config.message_timestamp_after_max_ms
        self._opens_batches = config.compression_type != "producer" or "compact" in config.cleanup_policy

    @property
    def offline(self) -> bool:
        """Whether the disk failed, so that nothing can be read or written."""
        return self.failure is not None

    @property
    def size_bytes(self) -> int:
        """Bytes in all segments, also below the log start offset; indexes are not counted, as in DescribeLogDirs."""
        return sum(segment.size_bytes for segment in self._segments)

    @property
    def segments(self) -> "Sequence[Segment]":
        """All segments, the active one last. To be looked at, not changed."""
        return self._segments

    # Appending

    def append_as_leader(
        self, records: memoryview, *, leader_epoch: int, now: "Now", internal: bool = False
    ) -> AppendInfo:
        """Check ``records`` (writable, and owned by the log from now on), give them offsets and the epoch, and write them.

        From clients exactly one batch; with ``internal`` (coordinators, controller, raft leader) any number of batches,
        also control batches. All or nothing. Raises LogError with the code that Kafka answers; KAFKA_STORAGE_ERROR when
        the disk fails.
        """
        if internal:
            return self._append_own(records, leader_epoch, now)
        fields = check_client_batch(records, self._max_message_bytes)
        if self._opens_batches:
            records = reshape(records, self._config)
            fields = check_client_batch(records, self._max_message_bytes)
        _, _, _, _, _, attributes, delta, first_ms, max_ms, producer_id, epoch, sequence, _ = fields
        append_time_ms = NO_TIMESTAMP
        if self._log_append_time:
            append_time_ms = max_ms = now.wall_ms
        else:
            check_create_time(first_ms, max_ms, now.wall_ms, self._timestamp_before_ms, self._timestamp_after_ms)
        first_offset = self.log_end_offset
        last_offset = first_offset + delta
        if producer_id != NO_PRODUCER_ID:
            last_sequence = (sequence + delta) & MAX_SEQUENCE
            is_transactional = attributes & TRANSACTIONAL_BIT != 0
            duplicate = self.producers.check(
                producer_id, epoch, sequence, last_sequence, is_transactional=is_transactional
            )
            if duplicate is not None:
                at = duplicate.timestamp_ms
                return AppendInfo(
                    duplicate.first_offset, duplicate.last_offset, at, at, self.log_start_offset, True, False
                )
        stamp(records, 0, first_offset, leader_epoch)
        if append_time_ms != NO_TIMESTAMP:
            stamp_log_append_time(records, 0, append_time_ms)
        self._write(records, first_offset, last_offset, max_ms, leader_epoch, now)
        producers = self.producers
        producers.end_offset = self.log_end_offset
        if producer_id != NO_PRODUCER_ID:
            producers.update(
                producer_id,
                epoch,
                sequence,
                last_sequence,
                first_offset,
                last_offset,
                max_ms,
                is_transactional=is_transactional,
            )
        sync_required = last_offset + 1 - self.flushed_offset >= self._flush_messages
        return AppendInfo(
            first_offset, last_offset, max_ms, append_time_ms, self.log_start_offset, False, sync_required
        )

    def _write(
        self, records: memoryview, first_offset: int, last_offset: int, max_ms: int, leader_epoch: int, now: "Now"
    ) -> None:
        """Write one stamped batch and publish it."""
        try:
            segment = self._segment_for(len(records), first_offset, last_offset, max_ms, now)
            if leader_epoch != self.epochs.latest:
                self.epochs.assign(leader_epoch, first_offset)
            segment.append(records, last_offset, max_ms)
        except OSError as error:
            raise self.fail(error) from error
        self.log_end_offset = last_offset + 1
        if not self._syncs:
            self.flushed_offset = self.log_end_offset
        elif self.unflushed_since_ms == NEVER:
            self.unflushed_since_ms = now.monotonic_ms

    def _segment_for(self, size_bytes: int, first_offset: int, last_offset: int, max_ms: int, now: "Now") -> Segment:
        """The segment that the next ``size_bytes`` go to: the active one, or a new one."""
        if self.failure is not None:
            raise self.failure
        segment = self._active
        if segment is not None and not segment.must_roll(
            size_bytes, last_offset, max_ms, self._segment_bytes, self._segment_ms, now.wall_ms
        ):
            return segment
        check_fits_segment(size_bytes, self._segment_bytes)
        return self._roll(first_offset, now)

    def _roll(self, base_offset: int, now: "Now") -> Segment:
        """Seal the active segment and begin the next, with the producers' state at its beginning (Kafka's ``roll``)."""
        before = self._active
        if before is not None:
            if before.base_offset == base_offset:  # nothing in it: an append that does not fit at all was refused
                return before
            before.seal()
            self.producers.end_offset = base_offset
            self.snapshots.write(self.producers)
        segment = self.new_segment(base_offset, 0, now.wall_ms)
        self.add_segment(segment)
        if before is not None and self.flusher is not None:
            self.flusher.request(self, None)
        return segment

    def new_segment(self, base_offset: int, size_bytes: int, now_ms: int) -> Segment:
        """A segment of this log; its file appears when it is first written to."""
        return Segment(
            self.fs,
            self._files,
            self.path,
            base_offset,
            size_bytes=size_bytes,
            created_ms=now_ms,
            index_interval_bytes=self._config.index_interval_bytes,
            max_index_bytes=self._config.segment_index_bytes,
        )

    def add_segment(self, segment: Segment) -> None:
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self._active = segment
        if self.path not in self._changed_dirs:
            self._changed_dirs.append(self.path)

    def _append_own(self, records: memoryview, leader_epoch: int, now: "Now") -> AppendInfo:
        batches = check_own_batches(records, self._max_message_bytes)
        for position, header in batches:
            if header.producer_id != NO_PRODUCER_ID:
                check_own_producer(self.producers, header, records, position)
        next_offset = self.log_end_offset
        for position, header in batches:
            stamp(records, position, next_offset, leader_epoch)
            header.base_offset = next_offset
            header.leader_epoch = leader_epoch
            next_offset = header.next_offset
            if self._log_append_time and not header.is_control:
                stamp_log_append_time(records, position, now.wall_ms)
                header.max_timestamp = now.wall_ms
        return self._write_all(records, batches, now)

    def append_as_follower(self, records: memoryview, *, leader_epoch: int, now: "Now") -> AppendInfo:
        """Write what the leader of ``leader_epoch`` sent, as it is: offsets ascend from the log end, epochs never fall.

        A batch that is cut off at the end is left out. All or nothing; raises LogError.
        """
        batches = check_fetched_batches(records, self.log_end_offset, self.epochs.latest, leader_epoch)
        return self._write_all(records, batches, now)

    def _write_all(self, records: memoryview, batches: list[tuple[int, BatchHeader]], now: "Now") -> AppendInfo:
        """Write stamped batches, as many at once as belong into one segment."""
        if not batches:
            end = self.log_end_offset
            return AppendInfo(end, end - 1, NO_TIMESTAMP, NO_TIMESTAMP, self.log_start_offset, False, False)
        check_all_fit(batches, self._segment_bytes)
        first = 0
        try:
            while first < len(batches):
                first = self._write_run(records, batches, first, now)
        except OSError as error:
            raise self.fail(error) from error
        max_ms = max(header.max_timestamp for _, header in batches)
        append_time_ms = now.wall_ms if self._log_append_time else NO_TIMESTAMP
        last_offset = self.log_end_offset - 1
        sync_required = self.log_end_offset - self.flushed_offset >= self._flush_messages
        return AppendInfo(
            batches[0][1].base_offset,
            last_offset,
            max_ms,
            append_time_ms,
            self.log_start_offset,
            False,
            sync_required,
        )

    def _write_run(self, records: memoryview, batches: list[tuple[int, BatchHeader]], first: int, now: "Now") -> int:
        """Write the batches from index ``first`` on that fit into one segment; answer the index behind them."""
        start, header = batches[first]
        size_bytes = count = 0
        for position, each in batches[first:]:
            if count and position + each.size_bytes - start > self._segment_bytes:
                break
            size_bytes = position + each.size_bytes - start
            count += 1
        run = batches[first : first + count]
        last = run[-1][1]
        max_ms = max(each.max_timestamp for _, each in run)
        segment = self._segment_for(size_bytes, header.base_offset, last.last_offset, max_ms, now)
        for _, each in run:
            if each.leader_epoch != self.epochs.latest:
                self.epochs.assign(each.leader_epoch, each.base_offset)
        place = segment.size_bytes
        segment.write(records[start : start + size_bytes])
        for position, each in run:
            segment.note_batch(place + position - start, each.size_bytes, each.last_offset, each.max_timestamp)
        self.log_end_offset = last.next_offset
        for position, each in run:
            replay(self.producers, segment.txn_index, each, records[position : position + each.size_bytes])
        if not self._syncs:
            self.flushed_offset = self.log_end_offset
        elif self.unflushed_since_ms == NEVER:
            self.unflushed_since_ms = now.monotonic_ms
        return first + count

    def fail(self, error: OSError) -> LogError:
        """Take the log offline because the disk failed."""
        if self.failure is None:
            self.failure = error
            if self.on_failure is not None:
                self.on_failure(error)
        return LogError(KAFKA_STORAGE_ERROR, f"{self.path}: {error}")

    # Reading

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool) -> Slice:
        """Batches from the one that holds ``offset``, up to the one that holds ``end_offset`` (exclusive), of one segment.

        At most ``max_bytes``, where the last batch may be cut off, as Kafka cuts it; a first batch that is larger comes
        whole with ``at_least_one`` and not at all without. Empty at the end. ``release`` the slice when done. Raises
        LogError with OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise LogError(
                OFFSET_OUT_OF_RANGE, f"offset {offset} is not in {self.log_start_offset}..{self.log_end_offset}"
            )
        if offset >= end_offset or offset == self.log_end_offset:
            return EMPTY
        try:
            return self._read(offset, max_bytes, end_offset, at_least_one)
        except OSError as error:
            raise self.fail(error) from error

    def _read(self, offset: int, max_bytes: int, end_offset: int, at_least_one: bool) -> Slice:
        if self.failure is not None:
            raise self.failure
        slot = bisect_right(self._bases, offset) - 1
        for segment in self._segments[slot:]:
            position = segment.locate(offset)
            if position == segment.size_bytes:
                continue  # compaction took the end of this segment: the next one goes on
            end = segment.size_bytes
            if end_offset < self.log_end_offset and not self._is_behind(segment, end_offset):
                end = segment.locate(end_offset)
            size_bytes = end - position
            if size_bytes > max_bytes:
                first_bytes = segment.batch_size_bytes(position)
                if first_bytes > max_bytes:
                    size_bytes = first_bytes if at_least_one else 0
                else:
                    size_bytes = max_bytes
            if size_bytes <= 0:
                return EMPTY
            segment.file.open()
            return Slice(segment.file, position, size_bytes)
        return EMPTY

    def _is_behind(self, segment: Segment, offset: int) -> bool:
        """Whether ``offset`` lies in a later segment."""
        return segment is not self._active and offset >= self._bases[self._bases.index(segment.base_offset) + 1]

    def batches(self, offset: int, end_offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """Header and bytes of each whole batch with records in ``offset`` … ``end_offset``: to replay the log.

        The log must not be truncated meanwhile. Raises LogError with CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        if offset >= end_offset:
            return
        slot = max(0, bisect_right(self._bases, offset) - 1)
        try:
            for segment in self._segments[slot:]:
                if segment.base_offset >= end_offset:
                    return
                for header, batch in segment.batches(offset):
                    if header.base_offset >= end_offset:
                        return
                    yield header, batch
        except OSError as error:
            raise self.fail(error) from error

    def offset_for_timestamp(self, timestamp_ms: int, *, end_offset: int) -> "TimestampOffset | None":
        """The first record before ``end_offset``, in offset order, that is at or after ``timestamp_ms``; None without one."""
        from kafkacompat.storage.lookup import first_at_or_after

        try:
            return first_at_or_after(self._segments, timestamp_ms, self.log_start_offset, end_offset)
        except OSError as error:
            raise self.fail(error) from error

    def max_timestamp_offset(self, *, end_offset: int) -> "TimestampOffset | None":
        """The first record before ``end_offset`` that has the largest timestamp (KIP-734); None without records."""
        from kafkacompat.storage.lookup import first_with_max_timestamp

        try:
            return first_with_max_timestamp(self._segments, end_offset)
        except OSError as error:
            raise self.fail(error) from error

    # Removing

    def delete_records_before(self, offset: int, now: "Now") -> None:
        """Make ``offset`` the log start; segments that lie before it are renamed to ``.deleted``.

        Raises LogError with OFFSET_OUT_OF_RANGE beyond the log end. A lower offset than the log start changes nothing.
        """
        if offset > self.log_end_offset:
            raise LogError(OFFSET_OUT_OF_RANGE, f"cannot start at {offset}, the log ends at {self.log_end_offset}")
        if offset <= self.log_start_offset:
            return
        self.log_start_offset = offset
        try:
            self.epochs.truncate_from_start(offset)
            while len(self._segments) > 1 and self._bases[1] <= offset:
                self._drop_first_segment(now)
        except OSError as error:
            raise self.fail(error) from error

    def _drop_first_segment(self, now: "Now") -> None:
        segment = self._segments.pop(0)
        del self._bases[0]
        segment.close()
        remove_at_ms = now.monotonic_ms + self._config.file_delete_delay_ms
        for path in segment.paths():
            if self.fs.exists(path):
                self.fs.rename(path, path + DELETED_SUFFIX)
                self._deleted.append((remove_at_ms, path + DELETED_SUFFIX))
        self.snapshots.forget(segment.base_offset)

    def remove_deleted(self, now: "Now") -> None:
        """Remove the files that were deleted ``file.delete.delay.ms`` ago. Raises OSError."""
        while self._deleted and self._deleted[0][0] <= now.monotonic_ms:
            self.fs.remove(self._deleted.pop(0)[1])

    def truncate_to(self, offset: int) -> None:
        """Cut off everything from ``offset`` on (replication.md §2.5). Nothing happens when the log ends before it."""
        if offset >= self.log_end_offset:
            return
        if not self._bases or offset < self._bases[0]:
            self.truncate_fully_and_start_at(offset)
            return
        try:
            while self._bases[-1] > offset:
                self.remove_last_segment()
            segment = self._active = self._segments[-1]
            segment.truncate_to(offset)
            self._cut_state(offset)
            self.snapshots.remove_above(offset)
            rebuild_producers(self, offset)
        except OSError as error:
            raise self.fail(error) from error

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Empty the log, so that the next record gets ``offset``."""
        try:
            while self._segments:
                self.remove_last_segment()
            self._cut_state(offset)
            self.epochs.clear()
            self.snapshots.remove(list(self.snapshots.offsets))
            self.producers.clear(offset)
            self.log_start_offset = offset
            if offset:  # an empty file is what keeps the offset
                self.add_segment(self.new_segment(offset, 0, 0))
                self._segments[-1].file.open()
        except OSError as error:
            raise self.fail(error) from error

    def remove_last_segment(self) -> None:
        segment = self._segments.pop()
        del self._bases[-1]
        self._active = self._segments[-1] if self._segments else None
        segment.close()
        for path in segment.paths():
            if self.fs.exists(path):
                self.fs.remove(path)
        self.snapshots.forget(segment.base_offset)

    def _cut_state(self, offset: int) -> None:
        self.log_end_offset = offset
        self.log_start_offset = min(self.log_start_offset, offset)
        self.flushed_offset = min(self.flushed_offset, offset)
        self.truncations += 1
        self.epochs.truncate_from_end(offset)

    # Flushing and closing

    @property
    def next_flush_ms(self) -> int:
        """When ``flush.ms`` asks for a flush, by the monotonic clock; ``NEVER`` when nothing waits."""
        flush_ms: int = self._config.flush_ms
        return NEVER if self.unflushed_since_ms == NEVER else min(NEVER, self.unflushed_since_ms + flush_ms)

    def unflushed_segments(self) -> "list[Segment]":
        """The segments that hold something at or above ``flushed_offset``."""
        slot = max(0, bisect_right(self._bases, self.flushed_offset) - 1)
        return [segment for segment in self._segments[slot:] if segment.size_bytes]

    def sealed_paths(self, segments: "list[Segment]") -> list[str]:
        """The files beside those of ``segments`` that are final: indexes and snapshots of all but the active one."""
        paths = []
        for segment in segments:
            if segment is not self._active:
                paths += segment.index_paths()
        return paths + [self.snapshots.path(segment.base_offset) for segment in segments]

    def close(self, *, clean: bool, now: "Now") -> None:
        """Give all files back; with ``clean`` everything is durable and the next start reads no batches. Raises OSError."""
        if clean and self.failure is None:
            self.flush()
            if self._segments:
                self._segments[-1].seal()
                self.producers.end_offset = self.log_end_offset
                self.snapshots.write(self.producers, sync=True)
        for segment in self._segments:
            segment.close()

    def flush(self) -> None:
        """Make everything durable now. Raises OSError."""
        if self.flushed_offset >= self.log_end_offset:
            return
        for segment in self.unflushed_segments():
            segment.file.open().fsync()
        for path in self.take_changed_dirs():
            self.fs.fsync_dir(path)
        self.mark_flushed(self.log_end_offset)

    def take_changed_dirs(self) -> list[str]:
        """The directories whose names must be synced with the next flush; those of this log are then no longer due."""
        dirs, self._changed_dirs = self._changed_dirs, []
        return dirs

    def mark_flushed(self, end_offset: int) -> None:
        """Everything before ``end_offset`` is durable."""
        self.flushed_offset = max(self.flushed_offset, end_offset)
        if self.flushed_offset >= self.log_end_offset:
            self.unflushed_since_ms = NEVER

    def delete(self) -> None:
        """Remove the directory and all in it, for good. Raises OSError."""
        for segment in self._segments:
            segment.close()
        self.fs.rmtree(self.path)
