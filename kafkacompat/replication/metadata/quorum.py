"""The metadata quorum as a node sees it: what is committed, and on the active controller a way to change it.

A node has a replica of the log, as a voter or an observer. What is committed is read from the log and applied to
`image` on each of them. The leader becomes the active controller when it has committed the first record of its epoch,
and with it all that came before; from then on changes are decided on the newest state, which includes what is not
committed yet, and answered once it is. When it is active no more, open changes fail with NOT_CONTROLLER.
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
from kafkacompat.storage.errors import DiskFullError, LogError

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

BYTES_A_RECORD = 100
"""About so large is a record with its share of the batch: what the active controller goes by when it counts."""

_log = logging.getLogger(__name__)


class NotControllerError(LogError):
    """This node is not the active controller."""

    def __init__(self) -> None:
        super().__init__(NOT_CONTROLLER, "this node is not the active controller")


class MetadataQuorum:
    """`raft` drives this node's replica. `image` is committed; `listeners` are called as (old, new, now) on a change.
    `startup.open_quorum` makes one.

    on_more: called as (now) when `go_on` is to be called in a next turn of the loop, as often as it is; without it all
    is done at once.
    on_active, on_inactive: called as (now) when this node becomes the active controller, and when it no longer is. A
    lone voter is active when it is opened.
    on_settled: called as (now) after each event, when `deadline_ms` may have moved.
    failure: why this node takes no part any more: the disk failed under its metadata log, or the log is damaged.
    """

    def __init__(
        self,
        raft: "RaftDriver",
        replay: Replay,
        settings: "Settings",
        rng: "Random",
        opening: "Callable[[MetadataImage], list[Message]]",
        snapshots: "Snapshots",
        writer: "SnapshotWriter",
        *,
        idle_ms: int = 0,
    ) -> None:
        """`replay` is what is known to be committed; `opening` are the records with which a new controller begins.

        idle_ms: how often the active controller of several voters lets the log grow, 0 for never.
        """
        self.raft = raft
        self._client = raft.client
        self._log = raft.log
        self._replay = replay
        self.on_settled: Callable[[Now], None] = lambda _now: None
        self.failure: str | None = None
        self.settings = settings
        self._snapshots = snapshots
        self._writer = writer
        writer.on_finished = self.settled
        self._snapshot_ms = NEVER
        self.listeners: list[Listener] = []
        self.on_more: Callable[[Now], None] | None = None
        self.on_active: list[Callable[[Now], None]] = []
        self.on_inactive: list[Callable[[Now], None]] = []
        self._catching_up: Stepped | None = None  # what is committed is taken in, in steps
        self._has_turn = True  # and it may go on in this turn of the loop
        self._accumulator: BatchAccumulator | None = None  # while this node is the active controller
        self._holds_first = False
        self._opening = opening
        self._rng = rng
        self._idle_ms = idle_ms
        self._idle_at_ms = NEVER
        raft.listener = self

    # --- what is known ---

    @property
    def image(self) -> "MetadataImage":
        """All that is committed, as far as this node knows."""
        return self._replay.image

    @property
    def kraft_level(self) -> int:
        """The level of kraft.version: 1 where the voters are in the log with their directories (KIP-853), 0 where each
        node's configuration names them.
        """
        return KRAFT_LEVEL if self._client.log.voters is not None else 0

    @property
    def is_active(self) -> bool:
        """Whether this node is the active controller: it leads, and has committed all that came before its epoch."""
        return self._accumulator is not None

    def seen_topics(self, topic_ids: "Set[bytes]") -> "Set[bytes]":
        """Those of which the metadata log says something up to what is committed, whatever it is; all of them where a
        snapshot has taken the place of its beginning.
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
        """The offset that the next submitted record gets."""
        return self._newest.offset + 1

    @property
    def is_deciding(self) -> bool:
        """Whether a change is submitted on which it is not decided yet: a large one, or what came behind it."""
        return self._accumulator is not None and self._accumulator.is_deciding

    @property
    def _newest(self) -> "MetadataImage":
        return self.image if self._accumulator is None else self._accumulator.newest

    # --- events ---

    @property
    def deadline_ms(self) -> int:
        """When `tick` is due, on the monotonic clock."""
        return min(self._client.deadline_ms, self._idle_at_ms, self._snapshot_ms)

    def tick(self, now: "Now") -> None:
        """Time went by."""
        self.raft.tick(now)
        self._write_snapshot(now)
        if now.monotonic_ms >= self._idle_at_ms:
            self._idle_at_ms = now.monotonic_ms + self._idle_ms
            if self._accumulator is not None:  # the log moves, and with it all who follow it; as Kafka does
                with suppress(LogError):
                    self.submit(lambda _image, _now: Result([NoOpRecord()]), now)

    # --- what is committed ---

    def advance(self, now: "Now") -> bool:
        """Take in what has become committed, claim or renounce leadership. Whether anything has changed."""
        accumulator, client = self._accumulator, self._client
        if accumulator is not None and not (client.is_leader and client.epoch == accumulator.epoch):
            if self._commit(accumulator, now):  # as a leader that resigns when its own removal is committed
                return True
            self._renounce(NOT_CONTROLLER, now)
            return True
        if accumulator is not None:
            return self._write(accumulator, now) or self._commit(accumulator, now)
        if self.failure is None and client.high_watermark > self.image.offset + 1 and self._apply(now):
            return True
        if self.failure is None and client.has_committed and self._catching_up is None:
            self._claim(now)
            return True
        return False

    def settled(self, now: "Now") -> None:
        self._snapshot_ms = self._next_snapshot_ms(now)
        self.on_settled(now)

    def _next_snapshot_ms(self, now: "Now") -> int:
        """When there is something to write. Who takes no part any more writes none, and must not be called for it."""
        return NEVER if self.failure is not None else self._writer.deadline_ms(now.monotonic_ms)

    def _write_snapshot(self, now: "Now") -> None:
        """Begin or go on with a snapshot if it is time. A disk that fails under it costs the snapshot alone."""
        if self._next_snapshot_ms(now) <= now.monotonic_ms:
            try:
                self._writer.tick(self.image, self._client.log.voters_at(self.image.offset), now)
            except (LogError, OSError) as error:
                _log.error("a snapshot of the metadata could not be written: %s", error)
        self._snapshot_ms = self._next_snapshot_ms(now)

    def _apply(self, now: "Now") -> bool:
        """Apply what is committed in the log, as much as a turn has time for. Whether there was something."""
        if self._catching_up is None:
            from kafkacompat.replication.metadata.catch_up import catch_up  # a lone voter needs it never

            self._catching_up = Stepped(
                catch_up(
                    self._replay, self._log, self._snapshots, self._client.high_watermark, self._writer.drop,
                    self._writer.committed,
                )
            )  # fmt: skip
            self._has_turn = True
        if not self._has_turn:
            return False
        old = self.image
        try:
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
            self.failed(error, now)
            return True
        self._has_turn = is_done
        if is_done:
            self._catching_up = None
        elif self.on_more is not None:
            self.on_more(now)
        self._tell(old, new, now)
        return new is not old

    def _tell(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        if old is not new:
            for listener in list(self.listeners):
                try:
                    listener(old, new, now)
                except Exception:  # noqa: BLE001 (they are committed: others follow them, and who changed them is told)
                    _log.exception("a bug: not all has followed the metadata up to offset %d", new.offset)

    # --- the active controller ---

    def begin(self, now: "Now") -> None:
        """Have a lone voter commit the beginning of its epoch, now, on this thread; what it submits waits for `flush`.

        Raises OSError.
        """
        self.hold()
        self.raft.settle(now)
        if self.failure is None:
            self._log.flush()
            self.raft.on_flushed(now)
        if self.failure is not None:
            raise OSError(self.failure)

    def hold(self) -> None:
        """Keep what is submitted until `flush`: at a start all first changes go out together."""
        self._holds_first = True
        if self._accumulator is not None:
            self._accumulator.is_holding = True

    def submit(self, operation: "Operation", now: "Now") -> DeferredEvent:
        """Run an operation on the newest image, and append its records as part of one atomic batch.

        One of more than `steps.UNITS_A_TURN` is run in steps (`go_on`), and what is submitted meanwhile waits for it.
        Raises LogError: NOT_CONTROLLER when this node is not the active controller, KAFKA_STORAGE_ERROR when its disk
        failed or is full, MESSAGE_TOO_LARGE for a change of more than 8 MiB.
        """
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        if self._accumulator is None or not self._client.is_leader:
            raise NotControllerError
        was_deciding = self.is_deciding
        event = self._accumulator.add(operation, self.image, now)
        if not was_deciding:
            self._go_on_later(now)
        self.raft.settle(now)
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        if event.failed == KAFKA_STORAGE_ERROR:
            raise LogError(KAFKA_STORAGE_ERROR, f"{self._log.path}: the disk is full")
        return event

    def go_on(self, now: "Now") -> None:
        """Decide on what waits, or take in what is committed, for one turn of the loop."""
        self._has_turn = True
        if self._accumulator is not None and self._accumulator.is_deciding:
            try:
                self._accumulator.decide(now)
            finally:  # a mistake of who is told holds up no other
                self._go_on_later(now)
        self.raft.settle(now)

    def _go_on_later(self, now: "Now") -> None:
        if self.on_more is None:
            self._decide_all(now)
        elif self.is_deciding:
            self.on_more(now)

    def _decide_all(self, now: "Now") -> None:
        """For who cannot wait."""
        while self._accumulator is not None and self._accumulator.is_deciding:
            self._accumulator.decide(now)

    def change_voters(self, decide: "Callable[[], tuple[Voter, ...]]", now: "Now") -> DeferredEvent:
        """Write the voter set on which `decide` decides, one of `VoterChanges`; it counts when it is written.

        Raises VoterChangeError, with what `decide` says or because another change is under way.
        """
        self._decide_all(now)
        voters = decide()
        if self._accumulator is None or self.failure is not None:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the leader is not the active controller yet")
        if self._accumulator.has_voters_waiting:
            raise VoterChangeError(REQUEST_TIMED_OUT, "another change of the voters is under way")
        record_count = 1 if self._client.log.voters is not None else 2  # the first set, and that there are such sets
        event = self._accumulator.add_voters(voters, record_count)
        self.raft.settle(now)
        if self._idle_ms and self._idle_at_ms == NEVER and len(voters) > 1:
            self._idle_at_ms = now.monotonic_ms + self._idle_ms
        return event

    def configured_voters(self) -> "tuple[Voter, ...]":
        """The voters that the configuration names, as they are to be written. Raises VoterChangeError."""
        return self._client.voter_changes.configured_voters(Voter(*self._client.key, self.raft.endpoints))

    def _claim(self, now: "Now") -> None:
        self._accumulator = BatchAccumulator(self.image, self._client.epoch)
        self._accumulator.is_holding = self._holds_first
        self._accumulator.add(lambda image, _now: Result(self._opening(image)), self.image, now)
        if self._idle_ms and len(self._client.voters) > 1:
            self._idle_at_ms = now.monotonic_ms + self._idle_ms
        for callback in list(self.on_active):
            callback(now)

    def _renounce(self, error_code: int, now: "Now") -> None:
        """Give up what is not committed: others may commit it yet, nobody knows."""
        accumulator, self._accumulator = self._accumulator, None
        self._idle_at_ms = NEVER
        if accumulator is None:
            return
        for event in accumulator.take_open():
            event.finish(now, error_code)
        for callback in list(self.on_inactive):
            callback(now)

    def _write(self, accumulator: BatchAccumulator, now: "Now") -> bool:
        """Write what waits, if nothing is on its way."""
        voters = accumulator.next_voters()
        if voters is not None:
            try:
                if len(voters) > 1 and isinstance(self._log.owner, FlushMark):
                    self._log.owner.keep()
                self._client.append_voters(voters, now)
            except DiskFullError as error:
                self._refuse_unwritten(accumulator, error, now)
            except (LogError, OSError) as error:
                self.failed(error, now)
            return True
        values = accumulator.next_group()
        if values:
            try:
                self._client.append(values, now)
            except DiskFullError as error:
                self._refuse_unwritten(accumulator, error, now)
            except (LogError, OSError) as error:
                self.failed(error, now)
        return values is not None

    def _refuse_unwritten(self, accumulator: BatchAccumulator, error: DiskFullError, now: "Now") -> None:
        """There is no room for what was to be written, nor for what was decided on top of it: this node goes on
        without it.
        """
        self.raft.report_no_room("changes of the metadata are refused", error, now)
        accumulator.newest = self.image
        for event in accumulator.take_open():
            event.finish(now, KAFKA_STORAGE_ERROR)

    def _commit(self, accumulator: BatchAccumulator, now: "Now") -> bool:
        """Take in what has become committed, and tell those who wait."""
        taken = accumulator.take_committed(self._client.high_watermark)
        if taken is None:
            return False
        events, image = taken
        old, self._replay.image = self.image, image
        self._writer.committed((image.offset - old.offset) * BYTES_A_RECORD)
        for event in events:
            event.committed = True
        self._tell(old, image, now)
        for event in events:
            event.finish(now)
        return True

    def failed(self, error: Exception, now: "Now") -> None:
        """Take no part any more. What is not committed may or may not be on disk, and the next start will tell."""
        if self.failure is None:
            self.failure = f"the metadata log in {self._log.path} cannot be used: {error}"
            _log.error("%s", self.failure)
            self._client.stop(now)
        self._renounce(KAFKA_STORAGE_ERROR, now)

    def flush(self, now: "Now") -> None:
        """Write all that was submitted, and make it durable, on this thread: at start and stop. A lone voter has
        committed it then.
        """
        self._holds_first = False
        self._decide_all(now)
        if self._accumulator is not None:
            self._accumulator.is_holding = False
        self.raft.settle(now)
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
        """Give the log's files back, with `clean` all of it durable, unless `failure` says why not."""
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
