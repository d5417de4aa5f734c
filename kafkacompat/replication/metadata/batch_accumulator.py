"""Changes on their way into the metadata log: decided in their order, written together, answered when committed.

A change of many records is decided, encoded and applied in steps, so that the loop can do other things in between; what
comes meanwhile waits for its turn.

One batch is on its way at a time; what comes meanwhile waits, and goes out together in the next one. That is the group
commit, and it makes sure that a crash can spoil the last batch only (`raft/damage.py`).
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
from kafkacompat.steps import UNITS_A_STEP, UNITS_A_TURN, Stepped
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
"""Of a change that is not atomic (Kafka's QuorumController.MAX_RECORDS_PER_BATCH)."""

GIVEN_UP_MIN = 64
"""Of the changes that wait to be decided as many may be nobody's any more as are somebody's, and so many more. A
connection waits for one.
"""


class DeferredEvent:
    """A change on its way: `response` is for the client once `committed` is true. `offset` is its last record's.

    Both are there when it `is_decided`, which is at once unless it is a large one, or others are decided before it.
    `failed` is an error code when nobody can say any more what becomes of it: NOT_CONTROLLER when this node's term
    ended first, KAFKA_STORAGE_ERROR when its disk failed. The latter also of a change for which the disk has no room:
    it was not made. `is_given_up`: nobody waits for it any more; if its turn has not come by then it is not made.
    """

    __slots__ = ("_callbacks", "_deciding", "committed", "failed", "is_decided", "is_given_up", "offset", "response")

    def __init__(self, offset: int, response: object) -> None:
        self.offset = offset
        self.response = response
        self.is_decided = True
        self.is_given_up = False
        self.committed = False
        self.failed: int | None = None
        self._callbacks: list[Callable[[Now], None]] = []
        self._deciding: list[Callable[[object], None]] = []

    def when_decided(self, callback: "Callable[[object], None]") -> None:
        """Call `callback(response)` when it is decided: now, or later. Not called for one that fails before."""
        if self.is_decided:
            callback(self.response)
        else:
            self._deciding.append(callback)

    def decided(self, offset: int, response: object) -> None:
        """It is known what it changes, and what the client is told once that is committed."""
        self.offset, self.response, self.is_decided = offset, response, True
        callbacks, self._deciding = self._deciding, []
        for callback in callbacks:
            callback(response)

    @property
    def is_done(self) -> bool:
        return self.committed or self.failed is not None

    def give_up(self) -> None:
        """Nobody waits for it any more."""
        self.is_given_up = True

    def when_done(self, callback: "Callable[[Now], None]") -> None:
        """Call `callback(now)` when it is committed or has failed. Not called for one that is done already."""
        self._callbacks.append(callback)

    def finish(self, now: "Now", failed: int | None = None) -> None:
        """It is committed, or failed."""
        self.committed, self.failed = failed is None, failed
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback(now)
            except Exception:  # noqa: BLE001 (one of them; others wait for their own)
                _log.exception("a bug: who waits for a change of the metadata cannot be told")


class _Change:
    """An event with its records, encoded, and the image after them; or a voter set, which goes out alone."""

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
    """An event and the work that decides it."""

    __slots__ = ("event", "has_begun", "stepped")

    def __init__(self, event: DeferredEvent, steps: "Steps[None]") -> None:
        self.has_begun = False
        self.event = event
        self.stepped = Stepped(steps)

    @property
    def is_dropped(self) -> bool:
        """Whether it need not be decided."""
        return self.event.is_given_up and not self.has_begun


class BatchAccumulator:
    """The changes of one term. `newest` is the image after all that is decided; `is_holding` keeps them from being
    written.
    """

    __slots__ = ("_in_flight", "_look_at_count", "_undecided", "_waiting", "epoch", "is_holding", "newest")

    def __init__(self, newest: "MetadataImage", epoch: int) -> None:
        self.newest = newest
        self.is_holding = False
        self.epoch = epoch
        self._undecided: deque[_Undecided] = deque()
        self._look_at_count = GIVEN_UP_MIN
        self._waiting: list[_Change] = []
        self._in_flight: list[_Change] = []

    @property
    def is_writing(self) -> bool:
        """Whether a batch is on its way."""
        return bool(self._in_flight)

    @property
    def is_deciding(self) -> bool:
        """Whether there is something for `decide` to go on with."""
        return bool(self._undecided)

    def add(self, operation: "Operation", committed: "MetadataImage", now: "Now") -> DeferredEvent:
        """Run an operation on the newest image. One that changes nothing, and rests on nothing open, is committed.

        `committed` is the image of what is committed. What is not decided on return goes on with `decide`.
        Raises LogError: MESSAGE_TOO_LARGE for a batch of more than 8 MiB.
        """
        event = DeferredEvent(UNKNOWN_OFFSET, None)
        event.is_decided = False
        undecided = _Undecided(event, self._steps(event, operation, committed, now))
        if self._undecided:
            self._undecided.append(undecided)
            if len(self._undecided) > self._look_at_count:
                self._undecided = deque(each for each in self._undecided if not each.is_dropped)
                self._look_at_count = 2 * len(self._undecided) + GIVEN_UP_MIN
        else:
            undecided.has_begun = True
            if not undecided.stepped.resume():
                self._undecided.append(undecided)
        return event

    def decide(self, now: "Now", budget: int = UNITS_A_TURN) -> None:
        """Go on with what is not decided, and whose clients are still there."""
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
        except Exception:  # noqa: BLE001 (its client is told, and others go on)
            _log.exception("a bug: a change of the metadata could not be decided")
            failed = UNKNOWN_SERVER_ERROR
        if not self._undecided:
            return  # the term has ended meanwhile, and it was told
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
            self._take((yield from self._change(DeferredEvent(UNKNOWN_OFFSET, None), records)))
        change = yield from self._change(event, rest)
        if not rest and change.image is committed:
            event.committed = True
        else:
            self._take(change)
        event.decided(change.event.offset, result.response)

    def _change(self, event: DeferredEvent, records: "Sequence[Message]") -> "Steps[_Change]":
        """The records encoded, and the image after them."""
        event.offset = self.newest.offset + len(records)
        values, image = [], self.newest
        if records:
            delta = MetadataDelta(self.newest)
            for n, record in enumerate(records, 1):
                values.append(encode_record(record))
                delta.take(record)
                if n % UNITS_A_STEP == 0:
                    yield UNITS_A_STEP
            image = delta.finish(event.offset, self.epoch)
        change = _Change(event, values, image)
        if change.size_bytes > MAX_BATCH_BYTES:
            message = (
                f"a metadata change of {change.size_bytes} bytes is more than a batch may have ({MAX_BATCH_BYTES})"
            )
            raise LogError(MESSAGE_TOO_LARGE, message)
        return change

    def _take(self, change: _Change) -> None:
        """Let a change count, and wait for its batch."""
        self.newest = change.image
        self._waiting.append(change)

    def add_voters(self, voters: "tuple[Voter, ...]", record_count: int) -> DeferredEvent:
        """Have a voter set written, after what waits; it takes so many records."""
        event = DeferredEvent(self.newest.offset + record_count, None)
        self.newest = self.newest.but(offset=event.offset, epoch=self.epoch)
        self._waiting.append(_Change(event, [], self.newest, voters))
        return event

    def next_voters(self) -> "tuple[Voter, ...] | None":
        """The voter set whose turn it is, which is on its way from now on; None where it is not one's turn."""
        if not self._waiting or self._in_flight or self.is_holding or self._waiting[0].voters is None:
            return None
        self._in_flight, self._waiting = self._waiting[:1], self._waiting[1:]
        return self._in_flight[0].voters

    @property
    def has_voters_waiting(self) -> bool:
        """Whether a voter set is still to be written."""
        return any(change.voters is not None for change in self._waiting)

    def next_group(self) -> list[bytes] | None:
        """The values of the next batch, which is on its way from now on; None while there is none to write.

        A group of changes without records has no batch: it is committed with what it rests on, which has gone before.
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
        """What has become committed, and the image after it; None if nothing has."""
        group = self._in_flight
        if not group or high_watermark <= group[-1].event.offset:
            return None
        self._in_flight = []
        return [change.event for change in group], group[-1].image

    def take_open(self) -> list[DeferredEvent]:
        """What is not committed, for the end of the term: it may or may not be some day."""
        found = [change.event for change in (*self._in_flight, *self._waiting)]
        found += [undecided.event for undecided in self._undecided]
        self._in_flight, self._waiting = [], []
        self._undecided.clear()
        return found


def _in_batches(records: "Sequence[Message]") -> "list[Sequence[Message]]":
    """At least one batch, which may be empty."""
    begins = range(0, max(len(records), 1), MAX_RECORDS_PER_BATCH)
    return [records[begin : begin + MAX_RECORDS_PER_BATCH] for begin in begins]
