"""One partition's log: gives batches their offsets, appends them, rolls segments, truncates (Kafka's ``UnifiedLog``).

It is synchronous and belongs to the broker's event loop. Only ``Flusher`` jobs run in other threads, and they use
nothing but descriptors. A disk error takes the log offline: it answers KAFKA_STORAGE_ERROR from then on. On a full disk
only appends are refused, with the same error.
"""

import logging

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import LONG_MAX, NO_PRODUCER_ID, NO_TIMESTAMP
from kafkacompat.protocol.error_codes import OFFSET_OUT_OF_RANGE
from kafkacompat.protocol.records.batch import MAX_SEQUENCE, TRANSACTIONAL_BIT, stamp, stamp_log_append_time
from kafkacompat.storage.append_info import AppendInfo
from kafkacompat.storage.background import SEGMENT_SYNC
from kafkacompat.storage.durability import UNGUARDED, Durability
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import STEP_BYTES, Flusher, flush_now
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.log_validator import LogValidator
from kafkacompat.storage.owner import NOBODY, LogOwner
from kafkacompat.storage.producer_replay import check_own_producer, rebuild_producers, replay
from kafkacompat.storage.readable_log import ReadableLog
from kafkacompat.storage.recovery import Recovered, load
from kafkacompat.storage.segment_chunks import Chunk, assign_offsets, divide
from kafkacompat.storage.shortage import behind_records, has_made_room, refusal
from kafkacompat.storage.validate import check_fetched_batches, check_fits_segment, check_own_batches, plain_own_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.lookup import Found
    from kafkacompat.storage.recompress import Recompression
    from kafkacompat.storage.segment import Segment
    from kafkacompat.storage.segments import Cleaned
    from kafkacompat.storage.shortage import ShortageReport
    from kafkacompat.storage.verification_entries import VerificationEntry

_log = logging.getLogger(__name__)


class Log(ReadableLog):
    """The log of one partition in the directory ``path``. Made by ``Log.open``.

    ``durability`` says what is durable, ``recovery`` what recovery removed after an unclean stop (None: nothing was
    recovered). ``opens_batches``: a client's batch is decompressed before it is appended. Only this module and
    ``ReadableLog`` assign these attributes.
    """

    __slots__ = (
        "_config", "_flush_messages", "_has_moved", "_segment_bytes", "_segment_ms", "_sync_at_bytes", "_syncs",
        "_validator", "durability", "epochs", "flusher", "fs", "opens_batches", "owner", "producers",
        "recovery", "topic_id",
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
        flusher: Flusher | None = None,
        files: FileCache | None = None,
        owner: LogOwner = NOBODY,
        on_failure: "Callable[[OSError], None] | None" = None,
    ) -> "Log":
        """Open the log in ``path``, or an empty one. Nothing but the directory is created before the first append.

        ``recovery_point`` and ``log_start_offset`` are what the checkpoint files say. After a ``clean`` stop no batch
        is read; otherwise everything from the recovery point's segment on is checked (``recovery.py``). Raises OSError,
        and LogError when ``path`` belongs to a topic with another id. ``on_failure`` is called once, with the
        error that takes the log offline later.
        """
        recovered = load(
            fs, FileCache(fs) if files is None else files, path, config, owner,
            topic_id=topic_id, recovery_point=recovery_point, log_start_offset=log_start_offset, clean=clean, now=now,
        )  # fmt: skip
        log = cls(recovered, topic_id, flusher)
        log._finish_opening(now)
        log._on_failure = on_failure
        return log

    def __init__(self, recovered: Recovered, topic_id: bytes, flusher: Flusher | None) -> None:
        super().__init__(recovered.path, recovered.segments, recovered.log_start_offset, recovered.log_end_offset)
        self.fs = recovered.fs
        self._syncs = not self.fs.is_temporary
        self.owner = recovered.owner
        self.epochs = recovered.epochs
        self.durability = Durability(self.segments, self.epochs, recovered.flushed_offset)
        self.config = recovered.config
        self.topic_id = topic_id
        self.flusher = flusher
        self.producers = recovered.producers
        self.recovery = recovered.recovery
        self._has_moved = False  # the owner was told, and has not read the offsets yet
        self._sync_at_bytes = LONG_MAX  # the size at which the active segment is synced before it is rolled

    def _finish_opening(self, now: "Now") -> None:
        """Plan syncs and remove or rewrite files after recovery. Raises LogError and OSError."""
        if self.durability.flushed_offset < self.log_end_offset:
            self.durability.unflushed_since_ms = now.monotonic_ms
            self.request_sync()
        if self.log_end_offset < self.log_start_offset:
            ends = self.log_end_offset, self.log_start_offset
            _log.warning("%s ends at %d, before its start %d: emptied", self.path, *ends)
            self.owner.before_data_loss()
            self.truncate_fully_and_start_at(self.log_start_offset)
            self.segments.unsynced += self.segments.snapshots.write(self.producers)
        self.segments.remove_stray_snapshots()
        self.epochs.write_between(self.log_start_offset, self.log_end_offset, is_late=self.fs.ends_with_process)
        if self.recovery is not None and self.recovery.keeps_gap:
            flush_now(self, self.flusher)
            self.owner.after_keeping_gap()
        self._plan_sync()

    @property
    def config(self) -> "TopicConfig":
        """The topic's config; assign a new one when it changes."""
        return self._config

    @config.setter
    def config(self, config: "TopicConfig") -> None:
        if config.flush_messages != 1:
            self.owner.before_early_acknowledgement()
        self._config = config
        self._segment_bytes: int = config.segment_bytes
        self._segment_ms: int = config.max_segment_ms
        self._flush_messages: int = config.flush_messages
        self._validator = LogValidator(config)
        self.opens_batches = self._validator.opens_batches
        if self.durability.unflushed_since_ms != NEVER:
            self.owner.has_unflushed(self)

    # Appending

    def recompression(self, records: memoryview, now: "Now") -> "Recompression | None":
        """See ``LogValidator.recompression``; its result is passed to ``append_as_leader``."""
        return self._validator.recompression(records, now)

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now: "Now",
        internal: bool = False,
        recompression: "Recompression | None" = None,
        guard: "VerificationEntry | None" = None,
        transaction_version: int = 0,
    ) -> AppendInfo:
        """Check ``records`` (writable, the log's own from now on), give them offsets and the epoch, and write them.

        From clients exactly one batch; with ``internal`` (coordinators, controller, raft leader) any number of batches,
        also control batches. ``recompression``: the result of ``self.recompression``, already run. ``guard``: what
        ``ProducerState.begin_verification`` returned for a transactional batch, whose coordinator has been asked since.
        ``transaction_version``: of a transaction marker. All or nothing. Raises LogError with the code that Kafka
        answers; KAFKA_STORAGE_ERROR when the disk fails.
        """
        validator = self._validator
        if internal:
            fields = plain_own_batch(records, validator.max_message_bytes)
            if fields is None:
                return self._append_own(records, leader_epoch, now, guard, transaction_version)
        else:
            records, fields = validator.validate(records, now, recompression)
        _, _, _, _, _, attributes, delta, _, max_ms, producer_id, epoch, sequence, _ = fields
        append_time_ms = NO_TIMESTAMP
        if validator.stamps_append_time:
            append_time_ms = max_ms = now.wall_ms
        first_offset = self.log_end_offset
        last_offset = first_offset + delta
        if producer_id != NO_PRODUCER_ID:
            last_sequence = (sequence + delta) & MAX_SEQUENCE
            is_transactional = attributes & TRANSACTIONAL_BIT != 0
            duplicate = self.producers.check(
                producer_id, epoch, sequence, last_sequence, is_transactional=is_transactional, guard=guard
            )
            if duplicate is not None:
                at = duplicate.timestamp_ms
                sync_required = duplicate.last_offset + 1 - self.durability.flushed_offset >= self._flush_messages
                return AppendInfo(
                    duplicate.first_offset, duplicate.last_offset, at, at, self.log_start_offset,
                    duplicate=True, sync_required=sync_required,
                )  # fmt: skip
        stamp(records, 0, first_offset, leader_epoch)
        if append_time_ms != NO_TIMESTAMP:
            stamp_log_append_time(records, 0, append_time_ms)
        self._write(records, first_offset, last_offset, max_ms, leader_epoch, now)
        self.producers.end_offset = self.log_end_offset
        if producer_id != NO_PRODUCER_ID:
            self.producers.update(
                producer_id, epoch, sequence, last_sequence, first_offset, last_offset, max_ms,
                is_transactional=is_transactional,
            )  # fmt: skip
        sync_required = last_offset + 1 - self.durability.flushed_offset >= self._flush_messages
        return AppendInfo(
            first_offset, last_offset, max_ms, append_time_ms, self.log_start_offset, sync_required=sync_required
        )

    def _write(
        self, records: memoryview, first_offset: int, last_offset: int, max_ms: int, leader_epoch: int, now: "Now"
    ) -> None:
        """Write one stamped batch and publish it."""
        epochs = None if leader_epoch == self.epochs.latest else self.epochs.entries
        try:
            segment = self._segment_for(len(records), first_offset, last_offset, max_ms, now)
            if epochs is not None:
                self.epochs.assign(leader_epoch, first_offset)
            try:
                segment.append(records, last_offset, max_ms)
            except OSError as error:
                if not (self.owner.may_use_reserve and has_made_room(self.fs, error)):
                    raise
                segment.append(records, last_offset, max_ms)
        except OSError as error:
            raise refusal(self, error, epochs, now) from error
        self._publish(last_offset + 1, now)

    def _segment_for(self, size_bytes: int, first_offset: int, last_offset: int, max_ms: int, now: "Now") -> "Segment":
        """The segment that the next ``size_bytes`` go to: the active one, or a new one."""
        if self.failure is not None:
            raise self.failure
        if self.fs.is_full and not self.owner.may_use_reserve:
            raise DiskFullError(f"{self.path}: the disk is full")
        if self.durability.has_unflushed_truncation:
            flush_now(self, self.flusher)
        segment = self.segments.active
        if segment is not None and not segment.must_roll(
            size_bytes, last_offset, max_ms, self._segment_bytes, self._segment_ms, now.wall_ms
        ):
            if segment.size_bytes >= self._sync_at_bytes:
                self.request_sync()
            return segment
        check_fits_segment(size_bytes, self._segment_bytes)
        # a batch from a compacted log may follow a gap; segments must not show one
        is_near = last_offset - self.log_end_offset <= MAX_RELATIVE_OFFSET
        return self._roll(self.log_end_offset if is_near else first_offset, now)

    def roll(self, now: "Now") -> None:
        """Begin a new segment with the next record. Raises LogError."""
        if self.failure is not None:
            raise self.fail(self.failure)
        try:
            self._roll(self.log_end_offset, now)
        except OSError as error:
            raise refusal(self, error, None, now) from error

    def _roll(self, base_offset: int, now: "Now") -> "Segment":
        """Seal the active segment and begin the next, with the producers' state at its beginning (Kafka's ``roll``)."""
        before = self.segments.active
        if before is not None:
            if before.base_offset == base_offset:
                return before  # it is empty
            self.producers.end_offset = base_offset
            self.segments.seal(before, self.producers)
            before.drop_indexes()
            if before.is_preallocated:
                from kafkacompat.storage import preallocation

                preallocation.end(before, self.fs, self.flusher)
            self.request_sync()
        added = self._add_segment(base_offset, now.wall_ms)
        self._plan_sync()
        return added

    def _add_segment(self, base_offset: int, wall_ms: int) -> "Segment":
        added = self.segments.add(base_offset, 0, self._config, wall_ms)
        if self._config.preallocate and self.flusher is not None:
            from kafkacompat.storage import preallocation

            preallocation.begin(added, self._segment_bytes, self.fs, self.flusher.background)
        return added

    def request_sync(self) -> None:
        """Sync everything written so far in the background; no request waits for it."""
        if self.flusher is not None:
            self.flusher.request(self, work_class=SEGMENT_SYNC)
        self._plan_sync()

    def _plan_sync(self) -> None:
        """Sync the active segment after it has grown by a step, so that little is left to sync when it is rolled."""
        active = self.segments.active
        if self._syncs and active is not None:
            self._sync_at_bytes = active.size_bytes + STEP_BYTES

    def _append_own(
        self, records: memoryview, leader_epoch: int, now: "Now", guard: "VerificationEntry | None",
        transaction_version: int,
    ) -> AppendInfo:  # fmt: skip
        batches = check_own_batches(records, self._validator.max_message_bytes)
        for position, header in batches:
            if header.producer_id != NO_PRODUCER_ID:
                check_own_producer(self.producers, header, records, position, guard, transaction_version)
        chunks = divide(batches, self._segment_bytes)
        append_time_ms = now.wall_ms if self._validator.stamps_append_time else NO_TIMESTAMP
        assign_offsets(records, batches, self.log_end_offset, leader_epoch, append_time_ms)
        return self._write_chunks(records, chunks, append_time_ms, now)

    def append_as_follower(self, records: memoryview, *, leader_epoch: int, now: "Now") -> AppendInfo:
        """Write what the leader of ``leader_epoch`` sent, as it is: offsets ascend from the log end, epochs never fall.

        An incomplete batch at the end is ignored. All or nothing; raises LogError.
        """
        batches = check_fetched_batches(records, self.log_end_offset, self.epochs.latest, leader_epoch)
        return self._write_chunks(records, divide(batches, self._segment_bytes), NO_TIMESTAMP, now)

    def _write_chunks(self, records: memoryview, chunks: list[Chunk], append_time_ms: int, now: "Now") -> AppendInfo:
        """Write batches that have their offsets, and publish them. All or nothing."""
        first_offset = self.log_end_offset
        max_ms = NO_TIMESTAMP
        epochs = (
            self.epochs.entries if chunks and chunks[-1].batches[-1][1].leader_epoch != self.epochs.latest else None
        )
        try:
            for chunk in chunks:
                self._write_chunk(records, chunk, now)
                max_ms = max(max_ms, chunk.max_timestamp_ms)
        except OSError as error:
            refused = refusal(self, error, epochs, now)
            if self.failure is None and self.log_end_offset > first_offset:
                try:
                    self.truncate_to(first_offset)
                except LogError as worse:
                    raise self.fail(behind_records(error)) from worse
            raise refused from error
        sync_required = self.log_end_offset - self.durability.flushed_offset >= self._flush_messages
        return AppendInfo(
            chunks[0].base_offset if chunks else first_offset, self.log_end_offset - 1, max_ms, append_time_ms,
            self.log_start_offset, sync_required=sync_required,
        )  # fmt: skip

    def _write_chunk(self, records: memoryview, chunk: Chunk, now: "Now") -> None:
        size_bytes = chunk.end - chunk.start
        segment = self._segment_for(size_bytes, chunk.base_offset, chunk.last_offset, chunk.max_timestamp_ms, now)
        for _, header in chunk.batches:
            if header.leader_epoch != self.epochs.latest:
                self.epochs.assign(header.leader_epoch, header.base_offset)
            if header.is_control and header.producer_id != NO_PRODUCER_ID:
                self.segments.expect_marker(segment)
        place = segment.size_bytes - chunk.start
        self._write_bytes(segment, records[chunk.start : chunk.end])
        try:
            for position, header in chunk.batches:
                segment.note_batch(place + position, header.size_bytes, header.last_offset, header.max_timestamp)
                ended = replay(self.producers, header, records[position : position + header.size_bytes])
                if ended is not None and ended.is_aborted:
                    self.segments.aborted.add(segment, ended)
        except OSError as error:
            raise behind_records(error) from error
        self._publish(chunk.last_offset + 1, now)

    def _write_bytes(self, segment: "Segment", data: memoryview) -> None:
        try:
            segment.write(data)
        except OSError as error:
            if not (self.owner.may_use_reserve and has_made_room(self.fs, error)):
                raise
            segment.write(data)

    def _publish(self, end_offset: int, now: "Now") -> None:
        self.log_end_offset = end_offset
        if not self._syncs:
            self.durability.flushed_offset = end_offset
            self.tell_moved()
        elif self.durability.unflushed_since_ms == NEVER:
            self.durability.unflushed_since_ms = now.monotonic_ms
            if self._config.flush_ms != LONG_MAX:
                self.owner.has_unflushed(self)

    # Searching by time

    def offset_for_timestamp(self, timestamp_ms: int, *, end_offset: int, defers: bool = False) -> "Found":
        """The first record before ``end_offset``, in offset order, that is at or after ``timestamp_ms``, or None. With
        ``defers`` an ``Opening`` where a large batch has to be opened first. Raises LogError.
        """
        from kafkacompat.storage.lookup import search_from

        return search_from(self, timestamp_ms, end_offset, defers=defers)

    def max_timestamp_offset(self, *, end_offset: int, defers: bool = False) -> "Found":
        """The first record with the largest timestamp (KIP-734); None if that is not before ``end_offset``. ``defers``:
        see ``offset_for_timestamp``.
        """
        from kafkacompat.storage.lookup import search_max

        return search_max(self, end_offset, defers=defers)

    # Removing records

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
        except OSError as error:
            raise self.fail(error) from error
        self._drop_before(offset, now)
        self.tell_moved()

    def delete_segments(self, count: int, now: "Now") -> None:
        """Remove the oldest ``count`` segments, for retention; if these are all, the log goes on in a new one. Raises
        LogError, also when the disk is too full for that.
        """
        segments = self.segments.all
        if count == len(segments):
            try:
                self._roll(self.log_end_offset, now).file.open()  # an empty file is what keeps the offset
            except OSError as error:
                raise refusal(self, error, None, now) from error
        first_offset = segments[count].base_offset
        if first_offset > self.log_start_offset:
            self.delete_records_before(first_offset, now)
        else:
            self._drop_before(first_offset, now)

    def _drop_before(self, offset: int, now: "Now") -> None:
        try:
            self.segments.drop_before(offset, now.monotonic_ms + self._config.file_delete_delay_ms)
        except OSError as error:
            raise self.fail(error) from error
        self.owner.has_files_to_remove(self)

    def replace_segments(self, old: "list[Segment]", cleaned: "Cleaned", now: "Now") -> bool:
        """Put the result of a compaction in the place of ``old``: see ``Segments.replace``. False if it is outdated."""
        if self.failure is not None or self.is_closed:
            return False
        try:
            remove_at_ms = now.monotonic_ms + self._config.file_delete_delay_ms
            has_replaced = self.segments.replace(old, cleaned, self._config, remove_at_ms, now.wall_ms)
        except OSError as error:
            raise self.fail(error) from error
        self.owner.has_files_to_remove(self)
        return has_replaced

    def pop_deleted(self, now: "Now") -> list[str]:
        """Files of segments that were deleted ``file.delete.delay.ms`` ago. The caller removes them."""
        return self.segments.pop_deleted(now.monotonic_ms)

    def truncate_to(self, offset: int) -> None:
        """Remove all records from ``offset`` on (§2.5). Nothing is removed if the log ends before it. Raises LogError;
        a ShortageError means that nothing has changed.

        An epoch that begins at the log end is removed in any case: this node led it and wrote nothing.
        """
        snapshots, batches, start_offset = self.segments.snapshots, self.segments.batches, self.log_start_offset
        try:
            if offset >= self.log_end_offset:
                self.epochs.truncate_from_end(self.log_end_offset)
                return
            if not self.segments.all or offset < self.segments.all[0].base_offset:
                self.truncate_fully_and_start_at(offset)
                return
            producers = rebuild_producers(snapshots, batches, min(start_offset, offset), offset)
            self.segments.expect_truncation(offset)
        except OSError as error:
            raise self.read_failed(error) from error
        try:
            self._truncate(offset, offset)
            snapshots.remove_above(offset)
        except OSError as error:
            raise self.fail(error) from error
        producers.stay_stable(self.producers)
        self.producers = producers

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Empty the log, so that the next record gets ``offset``. Raises LogError, as ``truncate_to``."""
        try:
            self.segments.expect_truncation(-1)
        except OSError as error:
            raise self.read_failed(error) from error
        try:
            self._truncate(-1, offset)
            self.epochs.clear()
            self.segments.snapshots.remove_above(-1)
            self.producers.clear(offset)
            self.log_start_offset = offset
            self.tell_moved()
            if offset:  # an empty file is what keeps the offset
                self._add_segment(offset, 0).file.open()
        except OSError as error:
            raise self.fail(error) from error

    def _truncate(self, offset: int, end_offset: int) -> None:
        """Truncate the files to ``offset``, or remove all with -1; then the log ends at ``end_offset``. Raises OSError.

        Kafka syncs no truncation. Here it is durable before the next append: a crash must not bring removed
        records back among new ones. If the owner defers truncations, one round of the flusher syncs thousands of logs.
        """
        flusher = self.flusher
        is_deferred = flusher is not None and self.owner.defers_truncations
        with UNGUARDED if flusher is None or is_deferred else flusher.guard:
            self.durability.truncations += 1  # the result of a sync that runs now is outdated
            if not is_deferred:
                self.owner.before_truncate(max(0, offset))
        self.owner.has_files_to_remove(self)
        self.segments.truncate(offset, sync=not is_deferred)
        self._plan_sync()
        self.log_end_offset = end_offset
        self.log_start_offset = min(self.log_start_offset, end_offset)
        self.durability.truncated_to(end_offset, is_synced=not is_deferred)
        self.tell_moved()
        if flusher is not None and is_deferred:
            flusher.request(self)
        self.epochs.truncate_from_end(end_offset)

    # Flushing and closing

    @property
    def shortage(self) -> "ShortageReport":
        """Where this log, as the others of its directory, says that it lacks descriptors."""
        return self.segments.files.shortage

    @property
    def flushed_offset(self) -> int:
        """Records below it are durable."""
        return self.durability.flushed_offset

    @property
    def has_unflushed_truncation(self) -> bool:
        """Whether a truncation is not durable yet."""
        return self.durability.has_unflushed_truncation

    @property
    def next_flush_ms(self) -> int:
        """See ``Durability.next_flush_ms``."""
        return self.durability.next_flush_ms(self._config.flush_ms)

    def close(self, *, clean: bool, now: "Now", is_deleted: bool = False) -> None:  # noqa: ARG002 (for retention)
        """Close all files. With ``clean`` all is made durable, and the next start reads no batches. ``is_deleted``: the
        files are about to go. Raises OSError.
        """
        self.is_closed = True
        if clean and self.failure is None:
            self.seal()
            if self.durability.is_unsynced(self.log_end_offset):
                flush_now(self, self.flusher)
        self.segments.close(trims=not is_deleted)

    def seal(self) -> None:
        """Write indexes, epochs and producer snapshot, so that the next start reads no batches. Raises OSError."""
        self.epochs.write()
        if self.segments.active is not None:
            self.producers.end_offset = self.log_end_offset
            self.segments.seal(self.segments.active, self.producers)

    def flush(self) -> None:
        """Make everything durable now. Raises OSError."""
        if self.durability.is_behind(self.log_end_offset):
            flush_now(self, self.flusher)

    def mark_flushed(self, end_offset: int) -> None:
        """Everything before ``end_offset`` is durable."""
        self.durability.flushed_to(end_offset, self.log_end_offset)
        self.tell_moved()

    def tell_moved(self) -> None:
        """Tell the owner, once, that the log start or the flushed offset has changed."""
        if not self._has_moved:
            self._has_moved = True
            self.owner.moved(self)

    def pop_moved(self) -> None:
        """The owner has read log start and flushed offset: tell it of the next change again."""
        self._has_moved = False

    def hand_to(self, owner: LogOwner) -> None:
        """Use ``owner`` from now on."""
        self.owner = owner

    def rename(self, path: str) -> None:
        """Rename the directory, durably with the next flush; one that runs may miss files. Raises OSError, changing
        nothing.
        """
        self.fs.rename(self.path, path)
        self.path = path
        self.epochs.path = f"{path}/{EPOCHS_FILE}"
        self.segments.moved_to(path)

    def adopt_producers(self, other: "Log") -> None:
        """Take over the producers of a log that is written to no more, also those whose records are gone."""
        self.producers = other.producers
