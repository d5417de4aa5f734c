"""Changes on their way into the metadata log: decided in their order, written together, answered when committed.

One batch is on its way at a time; what comes meanwhile waits, and goes out together in the next one. That is the group
commit, and it makes sure that a crash can spoil the last batch only (`raft/damage.py`).
"""

from kafkacompat.protocol.error_codes import MESSAGE_TOO_LARGE
from kafkacompat.replication.metadata.changes import apply
from kafkacompat.replication.raft.batches import encode_record
from kafkacompat.replication.raft.log import MAX_BATCH_BYTES
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.raft.voters import Voter
    from kafkacompat.replication.result import Result

    Operation = Callable[[MetadataImage, Now], Result]


class Submission:
    """A change on its way: `response` is for the client once `committed` is true. `offset` is its last record's.

    `failed` is an error code when nobody can say any more what becomes of it: NOT_CONTROLLER when this node's term
    ended first, KAFKA_STORAGE_ERROR when its disk failed. The latter also of a change for which the disk has no room:
    it was not made.
    """

    __slots__ = ("_callbacks", "committed", "failed", "offset", "response")

    def __init__(self, offset: int, response: object) -> None:
        self.offset = offset
        self.response = response
        self.committed = False
        self.failed: int | None = None
        self._callbacks: list[Callable[[Now], None]] = []

    @property
    def is_done(self) -> bool:
        return self.committed or self.failed is not None

    def when_done(self, callback: "Callable[[Now], None]") -> None:
        """Call `callback(now)` when it is committed or has failed. Not called for one that is done already."""
        self._callbacks.append(callback)

    def finish(self, now: "Now", failed: int | None = None) -> None:
        """It is committed, or failed."""
        self.committed, self.failed = failed is None, failed
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(now)


class _Change:
    """A submission with its records, encoded, and the image after them; or a voter set, which goes out alone."""

    __slots__ = ("image", "size_bytes", "submission", "values", "voters")

    def __init__(
        self,
        submission: Submission,
        values: list[bytes],
        image: "MetadataImage",
        voters: "tuple[Voter, ...] | None" = None,
    ) -> None:
        self.voters = voters
        self.submission = submission
        self.values = values
        self.size_bytes = sum(map(len, values))
        self.image = image


class Submissions:
    """The changes of one term. `newest` is the image after all of them; `is_holding` keeps them from being written."""

    __slots__ = ("_in_flight", "_waiting", "epoch", "is_holding", "newest")

    def __init__(self, newest: "MetadataImage", epoch: int) -> None:
        self.newest = newest
        self.is_holding = False
        self.epoch = epoch
        self._waiting: list[_Change] = []
        self._in_flight: list[_Change] = []

    @property
    def is_writing(self) -> bool:
        """Whether a batch is on its way."""
        return bool(self._in_flight)

    def add(self, operation: "Operation", committed: "MetadataImage", now: "Now") -> Submission:
        """Run an operation on the newest image. One that changes nothing, and rests on nothing open, is committed.

        Raises LogError: MESSAGE_TOO_LARGE for a change of more than 8 MiB.
        """
        result = operation(self.newest, now)
        records = result.records
        values = [encode_record(record) for record in records]
        submission = Submission(self.newest.offset + len(records), result.response)
        image = apply(self.newest, records, submission.offset, self.epoch) if records else self.newest
        change = _Change(submission, values, image)
        if change.size_bytes > MAX_BATCH_BYTES:
            message = (
                f"a metadata change of {change.size_bytes} bytes is more than a batch may have ({MAX_BATCH_BYTES})"
            )
            raise LogError(MESSAGE_TOO_LARGE, message)
        if not records and image is committed:
            submission.committed = True
            return submission
        self.newest = image
        self._waiting.append(change)
        return submission

    def add_voters(self, voters: "tuple[Voter, ...]", record_count: int) -> Submission:
        """Have a voter set written, after what waits; it takes so many records."""
        submission = Submission(self.newest.offset + record_count, None)
        self.newest = self.newest.but(offset=submission.offset, epoch=self.epoch)
        self._waiting.append(_Change(submission, [], self.newest, voters))
        return submission

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

    def take_committed(self, high_watermark: int) -> "tuple[list[Submission], MetadataImage] | None":
        """What has become committed, and the image after it; None if nothing has."""
        group = self._in_flight
        if not group or high_watermark <= group[-1].submission.offset:
            return None
        self._in_flight = []
        return [change.submission for change in group], group[-1].image

    def take_open(self) -> list[Submission]:
        """What is not committed, for the end of the term: it may or may not be some day."""
        found = [change.submission for change in (*self._in_flight, *self._waiting)]
        self._in_flight, self._waiting = [], []
        return found
