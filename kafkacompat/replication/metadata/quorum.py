"""A node's view of the metadata quorum: the committed image, and on the active controller a way to change it.

Each node has a replica of the log, as a voter or an observer, and applies committed records to `image`. The leader
becomes the active controller once it has committed the first record of its epoch, and thereby all earlier records. From
then on changes are decided on the newest image, which includes uncommitted changes, and answered once they are
committed. When it stops being active, uncommitted changes fail with NOT_CONTROLLER.
"""

import logging
from contextlib import suppress

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, NOT_CONTROLLER, REQUEST_TIMED_OUT
from kafkacompat.protocol.internal.cluster_metadata import NoOpRecord
from kafkacompat.replication.metadata.batch_accumulator import BatchAccumulator, DeferredEvent
from kafkacompat.replication.metadata.delta import InvalidMetadataError
from kafkacompat.replication.metadata.features import KRAFT_LEVEL, METADATA_VERSION, unsupported_levels
from kafkacompat.replication.metadata.log import Replay, mentioned
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft.batches import DamagedLogError
from kafkacompat.replication.raft.flush_mark import FlushMark
from kafkacompat.replication.raft.voters import Voter, VoterChangeError
from kafkacompat.steps import Stepped
from kafkacompat.storage.errors import LogError, ShortageError
from kafkacompat.storage.reserve import is_shortage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Set
    from random import Random

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.batch_accumulator import Operation
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.raft_driver import RaftDriver
    from kafkacompat.replication.metadata.settings import Settings
    from kafkacompat.replication.metadata.snapshot_writer import SnapshotWriter
    from kafkacompat.replication.raft.snapshots import Snapshots

    Listener = Callable[[MetadataImage, MetadataImage, Now], None]

BYTES_PER_RECORD = 100
"""The estimated size of a record in the log, with which the active controller counts bytes towards a snapshot."""

RETRY_MS = 500
"""How long after a want of room or descriptors committed records are read again, unless another event comes first."""

_log = logging.getLogger(__name__)


class NotControllerError(LogError):
    """This node is not the active controller."""

    def __init__(self) -> None:
        super().__init__(NOT_CONTROLLER, "this node is not the active controller")


class MetadataQuorum:
    """`raft` drives this node's replica. `image` is the committed image; `listeners` are called as (old, new, now) when
    it changes. `startup.open_quorum` makes one.

    on_more: called as (now) to schedule one call of `resume` in the next iteration of the event loop. Without it all
    work is done at once.
    on_active, on_inactive: called as (now) when this node becomes the active controller, and when it stops being it. A
    single voter is active from the start.
    on_event_processed: called as (now) after each event, when `deadline_ms` may have changed.
    failure: why this node has left the quorum: its disk failed, or its metadata log is damaged. None while it has not.
    """

    def __init__(
        self,
        raft: "RaftDriver",
        replay: Replay,
        settings: "Settings",
        rng: "Random",
        activation_records: "Callable[[MetadataImage], list[Message]]",
        snapshots: "Snapshots",
        writer: "SnapshotWriter",
        *,
        no_op_interval_ms: int = 0,
    ) -> None:
        """replay: the committed state at the start. activation_records: makes a new active controller's first records.

        no_op_interval_ms: how often the active controller of several voters appends a NoOpRecord; 0 for never.
        """
        self.raft = raft
        self._client = raft.client
        self._log = raft.log
        self._replay = replay
        self.on_event_processed: Callable[[Now], None] = lambda _now: None
        self.failure: str | None = None
        self.settings = settings
        self._snapshots = snapshots
        self._writer = writer
        writer.on_finished = self.after_event
        self._snapshot_ms = NEVER
        self.listeners: list[Listener] = []
        self.on_more: Callable[[Now], None] | None = None
        self.on_active: list[Callable[[Now], None]] = []
        self.on_inactive: list[Callable[[Now], None]] = []
        self._catching_up: Stepped | None = None  # applies committed records in steps
        self._catches_up_to = 0  # the high watermark when that began
        self._may_continue = True  # catching up may continue in this iteration of the event loop
        self._catch_up_at_ms = NEVER  # it lacked room or descriptors, and begins anew
        self._accumulator: BatchAccumulator | None = None  # while this node is the active controller
        self._holds_first = False
        self._opening = activation_records
        self._rng = rng
        self._no_op_interval_ms = no_op_interval_ms
        self._no_op_at_ms = NEVER
        raft.listener = self

    # --- what is known ---

    @property
    def image(self) -> "MetadataImage":
        """The newest committed image that this node knows."""
        return self._replay.image

    @property
    def kraft_level(self) -> int:
        """The level of kraft.version: 1 if the voters are in the log with their directory ids (KIP-853), 0 if they are
        in each node's configuration.
        """
        return KRAFT_LEVEL if self._client.log.voters is not None else 0

    @property
    def is_active(self) -> bool:
        """Whether this node is the active controller: it leads, and has committed all records of earlier epochs."""
        return self._accumulator is not None

    def seen_topics(self, topic_ids: "Set[bytes]") -> "Set[bytes]":
        """The topic ids that occur in the committed part of the metadata log, in any record; all of `topic_ids` if a
        snapshot has replaced the beginning of the log.
        """
        if self._log.log_start_offset > 0:
            return topic_ids
        try:
            return mentioned(self._log, self.image.offset + 1, topic_ids)
        except LogError as error:
            _log.error("the metadata log cannot be read: %s", error)
            return frozenset()

    @property
    def next_offset(self) -> int:
        """The offset of the next submitted record."""
        return self._newest.offset + 1

    @property
    def is_deciding(self) -> bool:
        """Whether a submitted change is not decided yet: a large one, or one queued behind it."""
        return self._accumulator is not None and self._accumulator.is_deciding

    @property
    def _newest(self) -> "MetadataImage":
        return self.image if self._accumulator is None else self._accumulator.newest

    # --- events ---

    @property
    def deadline_ms(self) -> int:
        """When `tick` is due, on the monotonic clock."""
        return min(self._client.deadline_ms, self._no_op_at_ms, self._snapshot_ms, self._catch_up_at_ms)

    def tick(self, now: "Now") -> None:
        """Handle expired time-outs; write a snapshot or a NoOpRecord if one is due."""
        if now.monotonic_ms >= self._catch_up_at_ms:
            self._catch_up_at_ms = NEVER  # the event tries, and sets another time if it fails
        self.raft.tick(now)
        self._write_snapshot(now)
        if now.monotonic_ms >= self._no_op_at_ms:
            self._no_op_at_ms = now.monotonic_ms + self._no_op_interval_ms
            if self._accumulator is not None:  # as in Kafka: the log advances, and all that fetch it with it
                with suppress(LogError):
                    self.submit(lambda _image, _now: Result([NoOpRecord()]), now)

    # --- what is committed ---

    def advance(self, now: "Now") -> bool:
        """Apply committed records, become or stop being the active controller. Returns whether anything changed."""
        accumulator, client = self._accumulator, self._client
        if accumulator is not None and not (client.is_leader and client.epoch == accumulator.epoch):
            if self._commit(accumulator, now):  # a leader that resigns as its own removal is committed
                return True
            self._renounce(NOT_CONTROLLER, now)
            return True
        if accumulator is not None:
            return self._write(accumulator, now) or self._commit(accumulator, now)
        if self.failure is None and self._is_behind and self._apply(now):
            return True
        if self.failure is None and client.has_committed and not self._is_behind:
            self._claim(now)
            return True
        return False

    def after_event(self, now: "Now") -> None:
        self._snapshot_ms = self._next_snapshot_ms(now)
        self.on_event_processed(now)

    def _next_snapshot_ms(self, now: "Now") -> int:
        """When a snapshot is due; NEVER after a failure."""
        return NEVER if self.failure is not None else self._writer.deadline_ms(now.monotonic_ms)

    def _write_snapshot(self, now: "Now") -> None:
        """Begin or continue a snapshot if one is due. A disk error costs only the snapshot."""
        if self._next_snapshot_ms(now) <= now.monotonic_ms:
            try:
                self._writer.tick(self.image, self._client.log.voters_at(self.image.offset), now)
            except (LogError, OSError) as error:
                _log.error("a snapshot of the metadata could not be written: %s", error)
        self._snapshot_ms = self._next_snapshot_ms(now)

    @property
    def _is_behind(self) -> bool:
        """Whether committed records are to be applied, or the last of them have used up the budget of their turn: then
        nothing is left to apply, and the work is still to be ended.
        """
        return self._catching_up is not None or self._client.high_watermark > self.image.offset + 1

    def _apply(self, now: "Now") -> bool:
        """Apply committed records from the log, within the budget of one iteration. Returns whether there is more to do
        at once.
        """
        if self._catching_up is not None and not self._may_continue:
            return False
        old = self.image
        try:
            if self._catching_up is None:
                self._catching_up = self._begin_to_catch_up()
            is_done = self._catching_up.resume()
            while not is_done and self.on_more is None:
                is_done = self._catching_up.resume()
            new = self.image
            is_changed = new.features is not old.features and METADATA_VERSION in new.features
            unsupported = unsupported_levels(new) if is_changed else []
            if unsupported:
                message = f"the cluster uses features that this version cannot serve: {', '.join(unsupported)}"
                raise InvalidMetadataError(message)
        except (DamagedLogError, InvalidMetadataError, LogError, OSError) as error:
            self._replay.image, self._catching_up = old, None
            if isinstance(error, ShortageError) or is_shortage(error):
                self.raft.report_shortage("committed metadata is read later", error, now)
                self._catch_up_at_ms = now.monotonic_ms + RETRY_MS
                return False
            self.failed(error, now)
            return True
        self._may_continue, self._catch_up_at_ms = is_done, NEVER
        if is_done:
            self._catching_up = None
        elif self.on_more is not None:
            self.on_more(now)
        self._publish(old, new, now)
        return new is not old or (is_done and self._client.high_watermark > self._catches_up_to)

    def _begin_to_catch_up(self) -> Stepped:
        from kafkacompat.replication.metadata.catch_up import catch_up  # a single voter never needs it

        self._catches_up_to = self._client.high_watermark
        return Stepped(
            catch_up(
                self._replay, self._log, self._snapshots, self._catches_up_to, self._writer.drop,
                self._writer.committed,
            )
        )  # fmt: skip

    def _publish(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        if old is not new:
            for listener in list(self.listeners):
                try:
                    listener(old, new, now)
                except Exception:  # noqa: BLE001 (the records are committed: other listeners and clients must see them)
                    _log.exception("a bug: a listener failed to apply the metadata up to offset %d", new.offset)

    # --- the active controller ---

    def begin(self, now: "Now") -> None:
        """Let a single voter commit the first record of its epoch now, on this thread. What it submits waits for
        `flush`. Raises OSError.
        """
        self.hold()
        self.raft.process_effects(now)
        if self.failure is None:
            self._log.flush()
            self.raft.on_flushed(now)
        if self.failure is not None:
            raise OSError(self.failure)

    def hold(self) -> None:
        """Hold submitted changes until `flush`, so that the first changes of a start form one batch."""
        self._holds_first = True
        if self._accumulator is not None:
            self._accumulator.is_holding = True

    def submit(self, operation: "Operation", now: "Now") -> DeferredEvent:
        """Run an operation on the newest image, and append its records as part of one atomic batch.

        An operation of more than `steps.UNITS_PER_ITERATION` is run in steps (`resume`); later ones wait for it.
        Raises LogError: NOT_CONTROLLER if this node is not the active controller, KAFKA_STORAGE_ERROR if its disk
        failed or is full, MESSAGE_TOO_LARGE for a change of more than 8 MiB.
        """
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        if self._accumulator is None or not self._client.is_leader:
            raise NotControllerError
        was_deciding = self.is_deciding
        event = self._accumulator.add(operation, self.image, now)
        if not was_deciding:
            self._resume_later(now)
        self.raft.process_effects(now)
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        if event.failed == KAFKA_STORAGE_ERROR:
            raise LogError(KAFKA_STORAGE_ERROR, f"{self._log.path}: the disk is full")
        return event

    def resume(self, now: "Now") -> None:
        """Decide queued changes or apply committed records, within the budget of one iteration of the event loop."""
        self._may_continue = True
        if self._accumulator is not None and self._accumulator.is_deciding:
            try:
                self._accumulator.decide(now)
            finally:  # an error in a callback must not block later changes
                self._resume_later(now)
        self.raft.process_effects(now)

    def _resume_later(self, now: "Now") -> None:
        if self.on_more is None:
            self._decide_all(now)
        elif self.is_deciding:
            self.on_more(now)

    def _decide_all(self, now: "Now") -> None:
        """Decide all queued changes now."""
        while self._accumulator is not None and self._accumulator.is_deciding:
            self._accumulator.decide(now)

    def change_voters(self, decide: "Callable[[], tuple[Voter, ...]]", now: "Now") -> DeferredEvent:
        """Write the voter set that `decide`, a check of `VoterChanges`, returns. It is in effect once it is written.

        Raises VoterChangeError: that of `decide`, or because another change is pending.
        """
        self._decide_all(now)
        voters = decide()
        if self._accumulator is None or self.failure is not None:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the leader is not the active controller yet")
        if self._accumulator.has_voters_waiting:
            raise VoterChangeError(REQUEST_TIMED_OUT, "another change of the voters is pending")
        record_count = 1 if self._client.log.voters is not None else 2  # the first set comes with a KRaftVersionRecord
        event = self._accumulator.add_voters(voters, record_count)
        self.raft.process_effects(now)
        if self._no_op_interval_ms and self._no_op_at_ms == NEVER and len(voters) > 1:
            self._no_op_at_ms = now.monotonic_ms + self._no_op_interval_ms
        return event

    def configured_voters(self) -> "tuple[Voter, ...]":
        """The static voters as they will be written to the log. Raises VoterChangeError."""
        return self._client.voter_changes.configured_voters(Voter(*self._client.key, self.raft.endpoints))

    def _claim(self, now: "Now") -> None:
        self._accumulator = BatchAccumulator(self.image, self._client.epoch)
        self._accumulator.is_holding = self._holds_first
        self._accumulator.add(lambda image, _now: Result(self._opening(image)), self.image, now)
        if self._no_op_interval_ms and len(self._client.voters) > 1:
            self._no_op_at_ms = now.monotonic_ms + self._no_op_interval_ms
        for callback in list(self.on_active):
            callback(now)

    def _renounce(self, error_code: int, now: "Now") -> None:
        """Stop being the active controller. Uncommitted changes fail; the next leader may still commit them."""
        accumulator, self._accumulator = self._accumulator, None
        self._no_op_at_ms = NEVER
        if accumulator is None:
            return
        for event in accumulator.take_uncommitted():
            event.finish(now, error_code)
        for callback in list(self.on_inactive):
            callback(now)

    def _write(self, accumulator: BatchAccumulator, now: "Now") -> bool:
        """Write waiting changes if no batch is in flight. Returns whether there were any."""
        voters = accumulator.next_voters()
        if voters is not None:
            try:
                if len(voters) > 1 and isinstance(self._log.owner, FlushMark):
                    self._log.owner.keep()
                self._client.append_voters(voters, now)
            except ShortageError as error:
                self._refuse_unwritten(accumulator, error, now)
            except (LogError, OSError) as error:
                self.failed(error, now)
            return True
        values = accumulator.next_batch()
        if values:
            try:
                self._client.append(values, now)
            except ShortageError as error:
                self._refuse_unwritten(accumulator, error, now)
            except (LogError, OSError) as error:
                self.failed(error, now)
        return values is not None

    def _refuse_unwritten(self, accumulator: BatchAccumulator, error: ShortageError, now: "Now") -> None:
        """Room or descriptors are short: refuse the changes that were to be written and those decided on top of them,
        and continue from the committed image.
        """
        self.raft.report_shortage("changes of the metadata are refused", error, now)
        accumulator.newest = self.image
        for event in accumulator.take_uncommitted():
            event.finish(now, KAFKA_STORAGE_ERROR)

    def _commit(self, accumulator: BatchAccumulator, now: "Now") -> bool:
        """Publish the batch in flight if it is committed, and finish its events. Returns whether it was."""
        taken = accumulator.take_committed(self._client.high_watermark)
        if taken is None:
            return False
        events, image = taken
        old, self._replay.image = self.image, image
        self._writer.committed((image.offset - old.offset) * BYTES_PER_RECORD)
        for event in events:
            event.committed = True
        self._publish(old, image, now)
        for event in events:
            event.finish(now)
        return True

    def failed(self, error: Exception, now: "Now") -> None:
        """Leave the quorum. Uncommitted changes may be on disk; the next start finds out."""
        if self.failure is None:
            self.failure = f"the metadata log in {self._log.path} cannot be used: {error}"
            self._catch_up_at_ms = NEVER
            _log.error("%s", self.failure)
            self._client.stop(now)
        self._renounce(KAFKA_STORAGE_ERROR, now)

    def flush(self, now: "Now") -> None:
        """Write all submitted changes and make them durable, on this thread, at start and stop. They are committed
        then if this node is the only voter.
        """
        self._holds_first = False
        self._decide_all(now)
        if self._accumulator is not None:
            self._accumulator.is_holding = False
        self.raft.process_effects(now)
        committed = UNKNOWN_OFFSET
        while (
            self._accumulator is not None and self._accumulator.is_writing and committed < self._client.high_watermark
        ):
            committed = self._client.high_watermark
            try:
                self._log.flush()
            except OSError as error:
                self.failed(error, now)
                return
            self.raft.on_flushed(now)

    def close(self, *, clean: bool, now: "Now") -> None:
        """Close the log's files. With `clean` everything is made durable before, unless `failure` is set."""
        if clean:
            self.flush(now)
            self.raft.resign(now)
        self._accumulator = None
        self._client.stop(now)
        with suppress(OSError):
            self._writer.drop()
        try:
            self._log.close(clean=clean and self.failure is None, now=now)
        except OSError as error:
            self.failed(error, now)
