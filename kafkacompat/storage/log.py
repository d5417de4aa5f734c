"""One partition's log: gives batches their offsets, appends them, rolls segments, reads from any offset, truncates.

Synchronous and single-threaded: the broker's loop owns it. Only ``Flusher`` jobs run beside it, and they touch nothing
but descriptors. A disk error takes the log offline: it answers KAFKA_STORAGE_ERROR from then on. A full disk refuses
appends, with the same error, and harms nothing else.
"""

import logging

from kafkacompat.protocol.records.batch import (
    LOG_OVERHEAD,
    MAX_SEQUENCE,
    NO_PRODUCER_ID,
    TRANSACTIONAL_BIT,
    stamp,
    stamp_log_append_time,
)
from kafkacompat.storage.append_info import AppendInfo
from kafkacompat.storage.background import SEGMENT_SYNC
from kafkacompat.storage.checkpoints import CheckpointError
from kafkacompat.storage.cut import cut
from kafkacompat.storage.errors import KAFKA_STORAGE_ERROR, OFFSET_OUT_OF_RANGE, DiskFullError, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import STEP_BYTES, flush_now
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.owner import NOBODY, LogOwner
from kafkacompat.storage.partition_dir import check_topic_id
from kafkacompat.storage.producer_replay import check_own_producer, rebuild_producers, replay
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.recovery import load
from kafkacompat.storage.reserve import is_out_of_space
from kafkacompat.storage.reshape import Reshaping, is_large, reshape
from kafkacompat.storage.runs import Run, assign_offsets, divide
from kafkacompat.storage.segments import Segments
from kafkacompat.storage.slices import EMPTY, Slice
from kafkacompat.storage.validate import (
    check_client_batch,
    check_create_time,
    check_fetched_batches,
    check_fits_segment,
    check_own_batches,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.flush import Flusher, Target
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.lookup import Found
    from kafkacompat.storage.recovery import Recovery
    from kafkacompat.storage.segment import Segment
    from kafkacompat.storage.validate import HeaderFields

NO_TIMESTAMP = -1
NEVER = 2**63 - 1  #: a time that does not come
_log = logging.getLogger(__name__)


class Log:
    """The log of one partition in the directory ``path``. Made by ``Log.open``.

    ``log_end_offset`` is the offset of the next record; records from ``log_start_offset`` on can be read; those below
    ``flushed_offset`` are durable. ``recovery`` says what was cut after an unclean stop. ``failure`` is the error that
    took the log offline, and ``on_failure`` is called with it once.
    """

    __slots__ = (
        "_config", "_flush_messages", "_log_append_time", "_max_message_bytes", "_segment_bytes",
        "_segment_ms", "_sync_at_bytes", "_syncs", "_timestamp_after_ms", "_timestamp_before_ms", "epochs", "failure",
        "flushed_offset", "flusher", "fs", "has_moved", "has_unsynced_cut", "is_closed", "log_end_offset",
        "log_start_offset", "on_failure", "opens_batches", "owner", "path", "producers", "recovery", "segments",
        "syncing", "topic_id",
        "truncations", "unflushed_since_ms",
    )  # fmt: skip

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
        owner: LogOwner = NOBODY,
    ) -> "Log":
        """Open the log in ``path``, or an empty one. Nothing but the directory is created before the first append.

        ``recovery_point`` and ``log_start_offset`` are what the checkpoint files say. After a ``clean`` stop no batch
        is read; otherwise everything from the recovery point's segment on is checked (``recovery.py``). Raises OSError,
        and LogError when ``path`` belongs to a topic with another id.
        """
        fs.mkdir(path)
        written = check_topic_id(fs, path, topic_id)
        epochs_path = f"{path}/{EPOCHS_FILE}"
        try:
            epochs = LeaderEpochs.load(fs, epochs_path)
        except CheckpointError as error:
            _log.warning("reading the whole log again to rebuild its epochs: %s", error)
            epochs = LeaderEpochs(fs, epochs_path)
        files = FileCache(fs) if files is None else files
        log = cls(fs, files, path, config, topic_id=topic_id, epochs=epochs, flusher=flusher, owner=owner)
        log.segments.unsynced += written
        load(log, recovery_point=recovery_point, log_start_offset=log_start_offset, clean=clean, now=now)
        log.plan_sync()
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
        owner: LogOwner = NOBODY,
    ) -> None:
        """An empty log; ``recovery.load`` fills it from disk."""
        self.fs = fs
        self._syncs = not fs.is_temporary
        self.segments = Segments(fs, files, path)
        self.path = path
        self.owner = owner
        self.unflushed_since_ms = NEVER
        self.config = config
        self.topic_id = topic_id
        self.epochs = epochs
        self.flusher = flusher
        self.producers = ProducerState()
        self.log_start_offset = 0
        self.log_end_offset = 0
        self.flushed_offset = 0
        self.has_moved = False  # and the owner knows
        self.truncations = 0
        self.has_unsynced_cut = False
        self.syncing: Target | None = None  # its part in a job on its way
        self._sync_at_bytes = NEVER  # the size at which the active segment is synced before it is rolled
        self.is_closed = False  # what a sync that still runs may say of it is of no interest
        self.recovery: Recovery | None = None
        self.failure: OSError | None = None
        self.on_failure: Callable[[OSError], None] | None = None

    @property
    def config(self) -> "TopicConfig":
        """The topic's config; assign a new one when it changes."""
        return self._config

    @config.setter
    def config(self, config: "TopicConfig") -> None:
        if config.flush_messages != 1:
            self.owner.acknowledging_early(self)
        self._config = config
        self._segment_bytes: int = config.segment_bytes
        self._segment_ms: int = config.segment_ms
        self._max_message_bytes: int = config.max_message_bytes
        self._flush_messages: int = config.flush_messages
        self._log_append_time = config.message_timestamp_type == "LogAppendTime"
        self._timestamp_before_ms: int = config.message_timestamp_before_max_ms
        self._timestamp_after_ms: int = config.message_timestamp_after_max_ms
        if self.unflushed_since_ms != NEVER:
            self._plan_flush()
        self.opens_batches = config.compression_type != "producer" or "compact" in config.cleanup_policy

    @property
    def offline(self) -> bool:
        """Whether the disk failed, so that nothing can be read or written."""
        return self.failure is not None

    @property
    def size_bytes(self) -> int:
        """Bytes in all segments, also below the log start offset; indexes are not counted, as in DescribeLogDirs."""
        return sum(segment.size_bytes for segment in self.segments.all)

    @property
    def starts_late(self) -> bool:
        """Whether records lie before the log start, as a checkpoint has to say."""
        segments = self.segments.all
        return bool(segments) and self.log_start_offset > segments[0].base_offset

    # Appending

    def reshaping(self, records: memoryview, now: "Now") -> "Reshaping | None":
        """What ``append_as_leader`` of a client's large batch would do for long, to be done before it; else None."""
        if not self.opens_batches:
            return None
        try:
            fields = check_client_batch(records, self._max_message_bytes, stamps_append_time=self._log_append_time)
        except LogError:
            return None  # the append says so
        records = records[: fields[1] + LOG_OVERHEAD]
        return Reshaping(records, self._config, now.wall_ms) if is_large(records) else None

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now: "Now",
        internal: bool = False,
        reshaping: "Reshaping | None" = None,
    ) -> AppendInfo:
        """Check ``records`` (writable, the log's own from now on), give them offsets and the epoch, and write them.

        From clients exactly one batch; with ``internal`` (coordinators, controller, raft leader) any number of batches,
        also control batches. ``reshaping``: what ``self.reshaping`` has answered, run by now. All or nothing. Raises
        LogError with the code that Kafka answers; KAFKA_STORAGE_ERROR when the disk fails.
        """
        if internal:
            return self._append_own(records, leader_epoch, now)
        records, fields = self._checked(records, now, reshaping)
        _, _, _, _, _, attributes, delta, first_ms, max_ms, producer_id, epoch, sequence, _ = fields
        append_time_ms = NO_TIMESTAMP
        if self._log_append_time:
            append_time_ms = max_ms = now.wall_ms
        else:
            check_create_time(
                records, first_ms, max_ms, now.wall_ms, self._timestamp_before_ms, self._timestamp_after_ms
            )
        # while the batch is as it came: it may be looked at again
        check_fits_segment(len(records), self._segment_bytes)
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
                sync_required = duplicate.last_offset + 1 - self.flushed_offset >= self._flush_messages
                return AppendInfo(
                    duplicate.first_offset, duplicate.last_offset, at, at, self.log_start_offset,
                    duplicate=True, sync_required=sync_required,
                )  # fmt: skip
        stamp(records, 0, first_offset, leader_epoch)
        if append_time_ms != NO_TIMESTAMP:
            stamp_log_append_time(records, 0, append_time_ms)
        self._write(records, first_offset, last_offset, max_ms, leader_epoch, now)
        producers = self.producers
        producers.end_offset = self.log_end_offset
        if producer_id != NO_PRODUCER_ID:
            producers.update(
                producer_id, epoch, sequence, last_sequence, first_offset, last_offset, max_ms,
                is_transactional=is_transactional,
            )  # fmt: skip
        sync_required = last_offset + 1 - self.flushed_offset >= self._flush_messages
        return AppendInfo(
            first_offset, last_offset, max_ms, append_time_ms, self.log_start_offset, sync_required=sync_required
        )

    def _checked(
        self, records: memoryview, now: "Now", reshaping: "Reshaping | None"
    ) -> "tuple[memoryview, HeaderFields]":
        """The one batch that a client sent, as the topic wants it stored, and its header. Raises LogError."""
        fields = check_client_batch(records, self._max_message_bytes, stamps_append_time=self._log_append_time)
        records = records[: fields[1] + LOG_OVERHEAD]
        if self.opens_batches:
            config = self._config
            records = reshape(records, config, now.wall_ms) if reshaping is None else reshaping.result(config)
            fields = check_client_batch(records, self._max_message_bytes)
        return records, fields

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
            raise self._not_appended(error) from error
        self._publish(last_offset + 1, now)

    def _segment_for(self, size_bytes: int, first_offset: int, last_offset: int, max_ms: int, now: "Now") -> "Segment":
        """The segment that the next ``size_bytes`` go to: the active one, or a new one."""
        if self.failure is not None:
            raise self.failure
        if self.fs.is_full and not self.owner.may_use_reserve:
            raise DiskFullError(f"{self.path}: the disk is full")
        if self.has_unsynced_cut:
            flush_now(self)
        segment = self.segments.active
        if segment is not None and not segment.must_roll(
            size_bytes, last_offset, max_ms, self._segment_bytes, self._segment_ms, now.wall_ms
        ):
            if segment.size_bytes >= self._sync_at_bytes:
                self._sync_step()
            return segment
        check_fits_segment(size_bytes, self._segment_bytes)
        # where the leader's log was compacted, it goes on behind a gap: none is to be seen between segments
        is_near = last_offset - self.log_end_offset <= MAX_RELATIVE_OFFSET
        return self._roll(self.log_end_offset if is_near else first_offset, now)

    def _roll(self, base_offset: int, now: "Now") -> "Segment":
        """Seal the active segment and begin the next, with the producers' state at its beginning (Kafka's ``roll``)."""
        before = self.segments.active
        if before is not None:
            if before.base_offset == base_offset:
                return before  # nothing is in it yet
            self.producers.end_offset = base_offset
            self.segments.seal(before, self.producers)
            before.drop_indexes()
            self._sync_step()
        added = self.segments.add(base_offset, 0, self._config, now.wall_ms)
        self.plan_sync()
        return added

    def _sync_step(self) -> None:
        """Have all that is written so far synced, with nobody waiting for it."""
        if self.flusher is not None:
            self.flusher.request(self, work_class=SEGMENT_SYNC)
        self.plan_sync()

    def plan_sync(self) -> None:
        """Have the active segment synced when it has grown by a step: a roll has little left to sync then."""
        active = self.segments.active
        if self._syncs and active is not None:
            self._sync_at_bytes = active.size_bytes + STEP_BYTES

    def _append_own(self, records: memoryview, leader_epoch: int, now: "Now") -> AppendInfo:
        batches = check_own_batches(records, self._max_message_bytes)
        for position, header in batches:
            if header.producer_id != NO_PRODUCER_ID:
                check_own_producer(self.producers, header, records, position)
        runs = divide(batches, self._segment_bytes)
        append_time_ms = now.wall_ms if self._log_append_time else NO_TIMESTAMP
        assign_offsets(records, batches, self.log_end_offset, leader_epoch, append_time_ms)
        return self._write_runs(records, runs, append_time_ms, now)

    def append_as_follower(self, records: memoryview, *, leader_epoch: int, now: "Now") -> AppendInfo:
        """Write what the leader of ``leader_epoch`` sent, as it is: offsets ascend from the log end, epochs never fall.

        A batch that is cut off at the end is left out. All or nothing; raises LogError.
        """
        batches = check_fetched_batches(records, self.log_end_offset, self.epochs.latest, leader_epoch)
        return self._write_runs(records, divide(batches, self._segment_bytes), NO_TIMESTAMP, now)

    def _write_runs(self, records: memoryview, runs: list[Run], append_time_ms: int, now: "Now") -> AppendInfo:
        """Write batches that have their offsets, and publish them. All or nothing."""
        first_offset = self.log_end_offset
        max_ms = NO_TIMESTAMP
        try:
            for run in runs:
                self._write_run(records, run, now)
                max_ms = max(max_ms, run.max_timestamp_ms)
        except OSError as error:
            refusal = self._not_appended(error)
            if self.failure is None and self.log_end_offset > first_offset:
                self.truncate_to(first_offset)
            raise refusal from error
        return AppendInfo(
            runs[0].base_offset if runs else first_offset,
            self.log_end_offset - 1,
            max_ms,
            append_time_ms,
            self.log_start_offset,
            sync_required=self.log_end_offset - self.flushed_offset >= self._flush_messages,
        )

    def _write_run(self, records: memoryview, run: Run, now: "Now") -> None:
        size_bytes = run.end - run.start
        segment = self._segment_for(size_bytes, run.base_offset, run.last_offset, run.max_timestamp_ms, now)
        for _, header in run.batches:
            if header.leader_epoch != self.epochs.latest:
                self.epochs.assign(header.leader_epoch, header.base_offset)
        place = segment.size_bytes - run.start
        self._write_bytes(segment, records[run.start : run.end])
        for position, header in run.batches:
            segment.note_batch(place + position, header.size_bytes, header.last_offset, header.max_timestamp)
            replay(self.producers, segment.txn_index, header, records[position : position + header.size_bytes])
        self._publish(run.last_offset + 1, now)

    def _write_bytes(self, segment: "Segment", data: memoryview) -> None:
        try:
            segment.write(data)
        except OSError as error:
            if not (is_out_of_space(error) and self.owner.may_use_reserve and self.fs.make_room(error)):
                raise
            segment.write(data)

    def _publish(self, end_offset: int, now: "Now") -> None:
        self.log_end_offset = end_offset
        if not self._syncs:
            self.flushed_offset = end_offset
            self.tell_moved()
        elif self.unflushed_since_ms == NEVER:
            self.unflushed_since_ms = now.monotonic_ms
            self._plan_flush()

    def _not_appended(self, error: OSError) -> LogError:
        """What to answer an append of which nothing was written. Where only room is missing, the log goes on."""
        if self.failure is None and is_out_of_space(error):
            self.fs.make_room(error)
            return DiskFullError(f"{self.path}: {error.strerror or error}")
        return self.fail(error)

    def fail(self, error: OSError) -> LogError:
        """Take the log offline because the disk failed."""
        if self.failure is None:
            self.failure = error
            if self.on_failure is not None:
                self.on_failure(error)
        return LogError(KAFKA_STORAGE_ERROR, f"{self.path}: {error}")

    # Reading

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool, whole: bool = False) -> Slice:
        """Batches of one segment, from the one that holds ``offset`` up to (without) the one that holds ``end_offset``.

        At most ``max_bytes``, where the last batch may be cut off, as Kafka cuts it; a first batch that is larger comes
        whole with ``at_least_one`` and not at all without. With ``whole`` none is cut off whose place is remembered.
        Empty at the end. ``release`` the slice when done. Raises LogError with OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE or
        KAFKA_STORAGE_ERROR.
        """
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise LogError(
                OFFSET_OUT_OF_RANGE, f"offset {offset} is not in {self.log_start_offset}..{self.log_end_offset}"
            )
        if offset >= end_offset or offset == self.log_end_offset:
            return EMPTY
        if self.failure is not None:
            raise self.fail(self.failure)
        limit = end_offset if end_offset < self.log_end_offset else None
        try:
            return self.segments.read(offset, max_bytes, limit, at_least_one=at_least_one, whole=whole)
        except OSError as error:
            raise self.fail(error) from error

    def batches(self, offset: int, end_offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """Header and bytes of each whole batch with records in ``offset`` … ``end_offset``: to replay the log.

        The log must not be truncated meanwhile. Raises LogError with CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        try:
            yield from self.segments.batches(offset, end_offset)
        except OSError as error:
            raise self.fail(error) from error

    def offset_for_timestamp(self, timestamp_ms: int, *, end_offset: int, defers: bool = False) -> "Found":
        """The first record before ``end_offset``, in offset order, that is at or after ``timestamp_ms``, or None. With
        ``defers`` an ``Opening`` where a large batch is to be opened first. Raises LogError.
        """
        from kafkacompat.storage.lookup import search_from

        try:
            return search_from(self, timestamp_ms, end_offset, defers=defers)
        except OSError as error:
            raise self.fail(error) from error

    def max_timestamp_offset(self, *, end_offset: int, defers: bool = False) -> "Found":
        """The first record with the largest timestamp (KIP-734); None if that is not before ``end_offset``. The rest is
        as in ``offset_for_timestamp``.
        """
        from kafkacompat.storage.lookup import search_max

        try:
            return search_max(self, end_offset, defers=defers)
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
            self.segments.drop_before(offset, now.monotonic_ms + self._config.file_delete_delay_ms)
        except OSError as error:
            raise self.fail(error) from error
        if self.owner.waiting is not None:
            self.owner.waiting.add_with_files(self)
        self.tell_moved()

    def take_deleted(self, now: "Now") -> list[str]:
        """The files of segments that were deleted ``file.delete.delay.ms`` ago: whoever takes them removes them."""
        return self.segments.take_deleted(now.monotonic_ms)

    def truncate_to(self, offset: int) -> None:
        """Cut off everything from ``offset`` on (replication.md §2.5); no record goes when the log ends before it.

        An epoch that begins at the log end goes in any case: this node led it, and wrote nothing.
        """
        if offset >= self.log_end_offset:
            try:
                self.epochs.truncate_from_end(self.log_end_offset)
            except OSError as error:
                raise self.fail(error) from error
            return
        segments = self.segments
        if not segments.all or offset < segments.all[0].base_offset:
            self.truncate_fully_and_start_at(offset)
            return
        try:
            cut(self, offset, offset)
            segments.snapshots.remove_above(offset)
            rebuild_producers(self, offset)
        except OSError as error:
            raise self.fail(error) from error

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Empty the log, so that the next record gets ``offset``."""
        try:
            cut(self, -1, offset)
            self.epochs.clear()
            self.segments.snapshots.remove_above(-1)
            self.producers.clear(offset)
            self.log_start_offset = offset
            self.tell_moved()
            if offset:  # an empty file is what keeps the offset
                self.segments.add(offset, 0, self._config, 0).file.open()
        except OSError as error:
            raise self.fail(error) from error

    # Flushing and closing

    @property
    def next_flush_ms(self) -> int:
        """When ``flush.ms`` asks for a flush, by the monotonic clock; ``NEVER`` when nothing waits."""
        flush_ms: int = self._config.flush_ms
        return NEVER if self.unflushed_since_ms == NEVER else min(NEVER, self.unflushed_since_ms + flush_ms)

    @property
    def unsynced_bytes(self) -> int:
        """How much of the segments a sync may have to write to the disk, at most."""
        segments = self.segments.from_offset(self.flushed_offset)
        return sum(segment.size_bytes - segment.synced_bytes for segment in segments)

    @property
    def is_unsynced(self) -> bool:
        """Whether a file of it is not durable as it is."""
        is_behind = self.flushed_offset < self.log_end_offset or self.has_unsynced_cut
        return is_behind or bool(self.segments.unsynced) or not self.epochs.is_synced

    def close(self, *, clean: bool, now: "Now") -> None:  # noqa: ARG002 (what retention will need)
        """Give all files back; with ``clean`` all is durable and the next start reads no batches. Raises OSError."""
        self.is_closed = True
        if clean and self.failure is None:
            self.seal()
            if self.is_unsynced:
                flush_now(self)
        self.segments.close()

    def seal(self) -> None:
        """Write what a next start would have to read batches for; the next flush makes it durable. Raises OSError."""
        if self.segments.active is not None:
            self.producers.end_offset = self.log_end_offset
            self.segments.seal(self.segments.active, self.producers)

    def flush(self) -> None:
        """Make everything durable now. Raises OSError."""
        if self.flushed_offset < self.log_end_offset or self.has_unsynced_cut:
            flush_now(self)

    def mark_flushed(self, end_offset: int) -> None:
        """Everything before ``end_offset`` is durable."""
        self.flushed_offset = max(self.flushed_offset, end_offset)
        self.tell_moved()
        if self.flushed_offset >= self.log_end_offset:
            self.unflushed_since_ms = NEVER

    def tell_moved(self) -> None:
        """Have the owner know that the log start or the flushed offset is another."""
        if not self.has_moved and self.owner.waiting is not None:
            self.has_moved = True
            self.owner.waiting.add_moved(self)

    def _plan_flush(self) -> None:
        if self._config.flush_ms != NEVER and self.owner.waiting is not None:
            self.owner.waiting.add_to_flush(self)

    def delete(self) -> None:
        """Remove the directory and all in it, for good. Raises OSError."""
        self.segments.close()
        self.fs.rmtree(self.path)
