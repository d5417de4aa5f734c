"""The active controller's changes until they are committed: decided in order, written in batches, answered when
committed (Kafka's QuorumController, ControllerWriteEvent and BatchAccumulator).

A change of many records is decided, encoded and applied in steps, between which the event loop does other work; later
changes wait for it.

One batch is in flight at a time; changes decided meanwhile are written together in the next one. This group commit also
guarantees that a crash can damage only the last batch (`raft/damage.py`).
"""

import logging
from collections import deque
from types import GeneratorType

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import MESSAGE_TOO_LARGE, UNKNOWN_SERVER_ERROR
from kafkacompat.replication.metadata.delta import MetadataDelta
from kafkacompat.replication.metadata.log import MAX_BATCH_BYTES
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft.batches import encode_record
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP, Stepped
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.raft.voters import Voter
    from kafkacompat.steps import Steps

    Operation = Callable[[MetadataImage, Now], Result | Steps[Result]]

_log = logging.getLogger(__name__)

MAX_RECORDS_PER_BATCH = 10_000
"""Records in one batch of a change that is not atomic (Kafka's QuorumController.MAX_RECORDS_PER_BATCH)."""

CANCELLED_MIN = 64
"""Cancelled changes are removed from the queue of undecided ones when it exceeds twice the others plus this number. A
connection waits for one change at most, so the queue is bounded.
"""


class DeferredEvent:
    """A submitted change (Kafka's DeferredEvent). `response` is sent to the client once `committed` is true. `offset`
    is that of its last record.

    Both are set once it `is_decided`: at once, unless the change is large or queued behind others. `failed` is an error
    code if the outcome is unknown: NOT_CONTROLLER when this node stopped being the active controller before,
    KAFKA_STORAGE_ERROR when its disk failed. If the disk is full the code is the same, and the change was not made.
    `is_cancelled`: its client is gone; if it has not been started, it is dropped.
    """

    __slots__ = ("_callbacks", "_deciding", "committed", "failed", "is_cancelled", "is_decided", "offset", "response")

    def __init__(self, offset: int, response: object) -> None:
        self.offset = offset
        self.response = response
        self.is_decided = True
        self.is_cancelled = False
        self.committed = False
        self.failed: int | None = None
        self._callbacks: list[Callable[[Now], None]] = []
        self._deciding: list[Callable[[object], None]] = []

    def when_decided(self, callback: "Callable[[object], None]") -> None:
        """Call `callback(response)` once the change is decided, now or later. Not called if it fails before."""
        if self.is_decided:
            callback(self.response)
        else:
            self._deciding.append(callback)

    def decided(self, offset: int, response: object) -> None:
        """The change is decided: its last offset and its response are known."""
        self.offset, self.response, self.is_decided = offset, response, True
        callbacks, self._deciding = self._deciding, []
        for callback in callbacks:
            callback(response)

    @property
    def is_done(self) -> bool:
        return self.committed or self.failed is not None

    def cancel(self) -> None:
        """The client is gone."""
        self.is_cancelled = True

    def when_done(self, callback: "Callable[[Now], None]") -> None:
        """Call `callback(now)` when the change is committed or fails. Not called if that has happened already."""
        self._callbacks.append(callback)

    def finish(self, now: "Now", failed: int | None = None) -> None:
        """The change is committed, or has failed with an error code."""
        self.committed, self.failed = failed is None, failed
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback(now)
            except Exception:  # noqa: BLE001 (the other callbacks must still be called)
                _log.exception("a bug: the callback of a committed metadata change failed")


class _Change:
    """An event with its encoded records and the image after them; or a voter set, which is written by itself."""

    __slots__ = ("event", "image", "size_bytes", "values", "voters")

    def __init__(
        self,
        event: DeferredEvent,
        values: list[bytes],
        image: "MetadataImage",
        voters: "tuple[Voter, ...] | None" = None,
    ) -> None:
        self.voters = voters
        self.event = event
        self.values = values
        self.size_bytes = sum(map(len, values))
        self.image = image


class _Undecided:
    """An event and the steps that decide it."""

    __slots__ = ("event", "has_begun", "stepped")

    def __init__(self, event: DeferredEvent, steps: "Steps[None]") -> None:
        self.has_begun = False
        self.event = event
        self.stepped = Stepped(steps)

    @property
    def is_dropped(self) -> bool:
        """Whether it was cancelled before it was started."""
        return self.event.is_cancelled and not self.has_begun


class BatchAccumulator:
    """The changes in one epoch of the active controller. `newest` is the image after all decided changes. While
    `is_holding`, nothing is written.
    """

    __slots__ = ("_in_flight", "_sweep_at_count", "_undecided", "_waiting", "epoch", "is_holding", "newest")

    def __init__(self, newest: "MetadataImage", epoch: int) -> None:
        self.newest = newest
        self.is_holding = False
        self.epoch = epoch
        self._undecided: deque[_Undecided] = deque()
        self._sweep_at_count = CANCELLED_MIN
        self._waiting: list[_Change] = []
        self._in_flight: list[_Change] = []

    @property
    def is_writing(self) -> bool:
        """Whether a batch is in flight."""
        return bool(self._in_flight)

    @property
    def is_deciding(self) -> bool:
        """Whether there are changes for `decide`."""
        return bool(self._undecided)

    def add(self, operation: "Operation", committed: "MetadataImage", now: "Now") -> DeferredEvent:
        """Run an operation on the newest image. It counts as committed at once if it changes nothing and depends on no
        uncommitted change.

        committed: the committed image. If the change is not decided on return, `decide` makes the remaining steps.
        Raises LogError: MESSAGE_TOO_LARGE for a batch of more than 8 MiB.
        """
        event = DeferredEvent(UNKNOWN_OFFSET, None)
        event.is_decided = False
        undecided = _Undecided(event, self._steps(event, operation, committed, now))
        if self._undecided:
            self._undecided.append(undecided)
            if len(self._undecided) > self._sweep_at_count:
                self._undecided = deque(each for each in self._undecided if not each.is_dropped)
                self._sweep_at_count = 2 * len(self._undecided) + CANCELLED_MIN
        else:
            undecided.has_begun = True
            if not undecided.stepped.resume():
                self._undecided.append(undecided)
        return event

    def decide(self, now: "Now", budget: int = UNITS_PER_ITERATION) -> None:
        """Make steps of the first undecided change that is not cancelled."""
        while self._undecided and self._undecided[0].is_dropped:
            self._undecided.popleft()
        if not self._undecided:
            return
        head = self._undecided[0]
        head.has_begun = True
        failed: int | None = None
        try:
            if not head.stepped.resume(budget):
                return
        except LogError as refused:
            failed = refused.error_code
        except Exception:  # noqa: BLE001 (its client gets an error, and later changes are still decided)
            _log.exception("a bug: a change of the metadata could not be decided")
            failed = UNKNOWN_SERVER_ERROR
        if not self._undecided:
            return  # the epoch ended meanwhile, and `take_uncommitted` has returned the event
        self._undecided.popleft()
        if failed is not None or head.event.committed:
            head.event.finish(now, failed)

    def _steps(
        self, event: DeferredEvent, operation: "Operation", committed: "MetadataImage", now: "Now"
    ) -> "Steps[None]":
        decided = operation(self.newest, now)
        result = (yield from decided) if isinstance(decided, GeneratorType) else decided
        assert isinstance(result, Result)
        *batches, rest = [result.records] if result.is_atomic else _in_batches(result.records)
        for records in batches:
            self._enqueue((yield from self._change(DeferredEvent(UNKNOWN_OFFSET, None), records)))
        change = yield from self._change(event, rest)
        if not rest and change.image is committed:
            event.committed = True
        else:
            self._enqueue(change)
        event.decided(change.event.offset, result.response)

    def _change(self, event: DeferredEvent, records: "Sequence[Message]") -> "Steps[_Change]":
        """Encode the records, and apply them to the newest image."""
        event.offset = self.newest.offset + len(records)
        values, image = [], self.newest
        if records:
            delta = MetadataDelta(self.newest)
            for n, record in enumerate(records, 1):
                values.append(encode_record(record))
                delta.replay(record)
                if n % UNITS_PER_STEP == 0:
                    yield UNITS_PER_STEP
            image = delta.finish(event.offset, self.epoch)
        change = _Change(event, values, image)
        if change.size_bytes > MAX_BATCH_BYTES:
            message = f"a metadata change of {change.size_bytes} bytes exceeds the limit of a batch ({MAX_BATCH_BYTES})"
            raise LogError(MESSAGE_TOO_LARGE, message)
        return change

    def _enqueue(self, change: _Change) -> None:
        """Add a decided change: it is in effect for later ones, and waits for its batch."""
        self.newest = change.image
        self._waiting.append(change)

    def add_voters(self, voters: "tuple[Voter, ...]", record_count: int) -> DeferredEvent:
        """Add a voter set, which is written after the waiting changes, as `record_count` records."""
        event = DeferredEvent(self.newest.offset + record_count, None)
        self.newest = self.newest.but(offset=event.offset, epoch=self.epoch)
        self._waiting.append(_Change(event, [], self.newest, voters))
        return event

    def next_voters(self) -> "tuple[Voter, ...] | None":
        """The voter set to write now, which is in flight from now on; None if it is not the next to be written."""
        if not self._waiting or self._in_flight or self.is_holding or self._waiting[0].voters is None:
            return None
        self._in_flight, self._waiting = self._waiting[:1], self._waiting[1:]
        return self._in_flight[0].voters

    @property
    def has_voters_waiting(self) -> bool:
        """Whether a voter set waits to be written."""
        return any(change.voters is not None for change in self._waiting)

    def next_batch(self) -> list[bytes] | None:
        """The encoded records of the next batch, which is in flight from now on; None if there is none to write now.

        The list is empty for changes without records: they are committed together with the earlier changes that they
        depend on.
        """
        if not self._waiting or self._in_flight or self.is_holding or self._waiting[0].voters is not None:
            return None
        size_bytes = 0
        for count, change in enumerate(self._waiting):
            size_bytes += change.size_bytes
            if count and (size_bytes > MAX_BATCH_BYTES or change.voters is not None):
                break
        else:
            count = len(self._waiting)
        self._in_flight, self._waiting = self._waiting[:count], self._waiting[count:]
        return [value for change in self._in_flight for value in change.values]

    def take_committed(self, high_watermark: int) -> "tuple[list[DeferredEvent], MetadataImage] | None":
        """The events of the batch in flight and the image after it, if it is committed; else None."""
        group = self._in_flight
        if not group or high_watermark <= group[-1].event.offset:
            return None
        self._in_flight = []
        return [change.event for change in group], group[-1].image

    def take_uncommitted(self) -> list[DeferredEvent]:
        """Remove and return all uncommitted events, at the end of the epoch. The next leader may still commit them."""
        found = [change.event for change in (*self._in_flight, *self._waiting)]
        found += [undecided.event for undecided in self._undecided]
        self._in_flight, self._waiting = [], []
        self._undecided.clear()
        return found


def _in_batches(records: "Sequence[Message]") -> "list[Sequence[Message]]":
    """The records in batches: at least one, possibly empty."""
    begins = range(0, max(len(records), 1), MAX_RECORDS_PER_BATCH)
    return [records[begin : begin + MAX_RECORDS_PER_BATCH] for begin in begins]
