"""ListOffsets (2), versions 1-11: offsets by timestamp, and the earliest and latest offsets of partitions.

v2 adds isolation levels, v4 leader epochs (KIP-320), v6 is flexible, v7 the offset of the largest timestamp (KIP-734),
v8 the earliest local offset and v9 the latest tiered one (KIP-405, KIP-1005), v10 a time-out, v11 the earliest offset
whose upload is pending (KIP-1023). Without tiered storage the local log is the whole log and nothing is ever tiered.

Behavior:
- No record at or after the timestamp: offset −1 and no error.
- A new leader whose high watermark has not reached its epoch: OFFSET_NOT_AVAILABLE, before v5 LEADER_NOT_AVAILABLE.
- A special timestamp that the version does not have: UNSUPPORTED_VERSION. A partition named twice: INVALID_REQUEST.
- A batch that is larger than 64 MiB decompressed counts as a whole: its first offset is returned, so that a consumer
  does not start too late.
- The time-out of v10 is ignored, because it concerns remote storage only.

Large batches are decompressed on a background thread, and requests for many partitions are answered in steps.
"""

from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import (
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_PENDING_UPLOAD_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIERED_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    NO_PARTITION_LEADER_EPOCH,
    NO_TIMESTAMP,
    UNKNOWN_OFFSET,
)
from kafkacompat.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from kafkacompat.replication.partition import READ_COMMITTED
from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Late
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.lookup import Found, Opening

FIRST_VERSION_OF = {
    LATEST_TIMESTAMP: 1, EARLIEST_TIMESTAMP: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL_TIMESTAMP: 8,
    LATEST_TIERED_TIMESTAMP: 9, EARLIEST_PENDING_UPLOAD_TIMESTAMP: 11,
}  # fmt: skip
NOT_FOUND = (NO_TIMESTAMP, UNKNOWN_OFFSET, NO_PARTITION_LEADER_EPOCH)
ISOLATION_LEVELS = (0, READ_COMMITTED)
FIRST_VERSION_WITH_LEADER_EPOCH = 4
FIRST_VERSION_WITH_OFFSET_NOT_AVAILABLE = 5
NAMED_PER_ITERATION = 1_000
"""The partitions that are answered in a turn of the loop."""
COST_OF_A_TIME = 40
"""A search by time counts as this many partitions."""


def handle(request: ListOffsetsRequest, context: "Context") -> "ListOffsetsResponse | Pending | Steps[Late]":
    """Answer every partition."""
    if request.isolation_level not in ISOLATION_LEVELS:
        return failed(request, errors.UNKNOWN_SERVER_ERROR)  # as in Kafka
    lookups = _Lookups(request, context)
    if lookups.is_wide:
        return _answer_in_steps(lookups)
    lookups.work(context.now)
    return lookups.response if lookups.is_done else lookups.wait()


def _answer_in_steps(lookups: "_Lookups") -> "Steps[Late]":
    """The same for many partitions, in several turns; what waits for a background thread goes on from there."""
    while lookups.answer_some():
        yield UNITS_PER_ITERATION
    return lookups.response if lookups.is_done else lookups.wait()


def failed(request: ListOffsetsRequest, error_code: int) -> ListOffsetsResponse:
    """The response that answers every partition of the request with one error."""
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(topic.name, [_failed(entry, error_code) for entry in topic.partitions])
            for topic in request.topics
        ]
    )


def _failed(entry: ListOffsetsPartition, error_code: int) -> ListOffsetsPartitionResponse:
    return ListOffsetsPartitionResponse(entry.partition_index, error_code)


class _Lookups:
    """The partitions of one request, answered one after the other."""

    def __init__(self, request: ListOffsetsRequest, context: "Context") -> None:
        self._context = context
        self._deadline_ms = context.now.monotonic_ms + context.services.request_timeout_ms
        self._isolation_level = request.isolation_level
        self._answers: dict[str, dict[int, ListOffsetsPartitionResponse | None]] = {}
        self._named_twice: set[tuple[str, int]] = set()
        self._waiting: list[tuple[str, ListOffsetsPartition]] = []  # the next one last
        for topic in request.topics:
            found = self._answers.setdefault(topic.name, {})
            for entry in topic.partitions:
                if entry.partition_index in found:
                    self._named_twice.add((topic.name, entry.partition_index))
                else:
                    found[entry.partition_index] = None
                    self._waiting.append((topic.name, entry))
        self._waiting.reverse()
        self.is_wide = len(self._waiting) > NAMED_PER_ITERATION
        self.is_done = False
        self.pending: Pending | None = None

    @property
    def response(self) -> ListOffsetsResponse:
        """The results so far; REQUEST_TIMED_OUT for the rest."""
        late = errors.REQUEST_TIMED_OUT
        return ListOffsetsResponse(
            topics=[
                ListOffsetsTopicResponse(
                    name, [answer or ListOffsetsPartitionResponse(index, late) for index, answer in found.items()]
                )
                for name, found in self._answers.items()
                if found
            ]
        )

    def wait(self) -> Pending:
        """What the client waits for while a background thread or a later turn goes on."""
        self.pending = Pending([self], self._deadline_ms, self._finish)
        return self.pending

    def _finish(self, _now: "Now", expired: bool) -> "ListOffsetsResponse | Steps[ListOffsetsResponse] | None":
        if not self.is_done and not expired:
            return None
        return self._built_apart() if self.is_wide else self.response

    def _built_apart(self) -> "Steps[ListOffsetsResponse]":
        """The response of many partitions, which is built in a turn of its own."""
        yield 0  # that turn is the first one of these steps
        return self.response

    def answer_some(self) -> bool:
        """Answer the partitions of one turn, or up to the first one that waits for a background thread. Returns whether
        more can be answered in another turn.
        """
        from kafkacompat.storage.lookup import Opening

        left = NAMED_PER_ITERATION
        while self._waiting and left > 0:
            topic, entry = self._waiting.pop()
            if (topic, entry.partition_index) in self._named_twice:
                self._answers[topic][entry.partition_index] = _failed(entry, errors.INVALID_REQUEST)
                continue
            left -= COST_OF_A_TIME if entry.timestamp >= 0 or entry.timestamp == MAX_TIMESTAMP else 1
            answer = _answer(topic, entry, self._isolation_level, self._context)
            if isinstance(answer, Opening):
                self._open(topic, entry, answer)
                return False
            self._answers[topic][entry.partition_index] = answer
        self.is_done = not self._waiting
        return bool(self._waiting)

    def work(self, now: "Now") -> None:
        """The same, and more of it in later turns."""
        if self.answer_some():
            self._context.services.timers.set(self, now.monotonic_ms, self._resume)

    def _resume(self, now: "Now") -> None:
        if self.pending is None or self.pending.reply is None:
            return  # the client has disconnected, or the deadline has come
        self.work(now)
        if self.is_done:
            self._context.services.purgatory.touch(self, now)

    def _open(self, topic: str, entry: ListOffsetsPartition, opening: "Opening") -> None:
        def done(outcome: "object", now: "Now") -> None:
            answer = _resumed(entry, opening, outcome, self._context)
            if isinstance(answer, ListOffsetsPartitionResponse):
                self._answers[topic][entry.partition_index] = answer
                self._resume(now)
            else:
                self._open(topic, entry, answer)

        self._context.services.background.submit(OTHER_WORK, opening.run, done)


def _answer(
    topic: str, entry: ListOffsetsPartition, isolation_level: int, context: "Context"
) -> "ListOffsetsPartitionResponse | Opening":
    is_unknown = entry.timestamp < EARLIEST_PENDING_UPLOAD_TIMESTAMP
    if is_unknown or context.version < FIRST_VERSION_OF.get(entry.timestamp, 1):
        return _failed(entry, errors.UNSUPPORTED_VERSION)
    services = context.services
    partition = services.partitions.get(topic, entry.partition_index)
    if partition is None:
        error = services.partitions.find(services.image, topic, entry.partition_index)
        assert isinstance(error, int)
        return _failed(entry, error)
    error = partition.leader_error(entry.current_leader_epoch)
    if error != errors.NONE:
        return _failed(entry, error)
    try:
        named = _named(partition, entry.timestamp, isolation_level)
        if named is not None:
            return _answered(entry, named, context)
        end_offset = partition.readable_end_offset(isolation_level)
        if entry.timestamp == MAX_TIMESTAMP:
            found = partition.log.max_timestamp_offset(end_offset=end_offset, defers=True)
        else:
            found = partition.log.offset_for_timestamp(entry.timestamp, end_offset=end_offset, defers=True)
    except LogError as refused:
        return _refused(entry, refused, context)
    return _found(entry, found, context)


def _resumed(
    entry: ListOffsetsPartition, opening: "Opening", outcome: "object", context: "Context"
) -> "ListOffsetsPartitionResponse | Opening":
    try:
        return _found(entry, opening.resume(outcome, defers=True), context)  # type: ignore[arg-type]
    except LogError as refused:
        return _refused(entry, refused, context)


def _refused(entry: ListOffsetsPartition, refused: LogError, context: "Context") -> ListOffsetsPartitionResponse:
    old = context.version < FIRST_VERSION_WITH_OFFSET_NOT_AVAILABLE
    hidden = refused.error_code == errors.OFFSET_NOT_AVAILABLE and old
    return _failed(entry, errors.LEADER_NOT_AVAILABLE if hidden else refused.error_code)


def _found(entry: ListOffsetsPartition, found: "Found", context: "Context") -> "ListOffsetsPartitionResponse | Opening":
    from kafkacompat.storage.lookup import TimestampOffset

    if isinstance(found, TimestampOffset):
        return _answered(entry, (found.timestamp_ms, found.offset, found.leader_epoch), context)
    return _answered(entry, NOT_FOUND, context) if found is None else found


def _answered(
    entry: ListOffsetsPartition, found: tuple[int, int, int], context: "Context"
) -> ListOffsetsPartitionResponse:
    timestamp, offset, epoch = found
    if context.version < FIRST_VERSION_WITH_LEADER_EPOCH:
        epoch = NO_PARTITION_LEADER_EPOCH
    return ListOffsetsPartitionResponse(entry.partition_index, errors.NONE, timestamp, offset, epoch)


def _named(partition: "Partition", timestamp: int, isolation_level: int) -> tuple[int, int, int] | None:
    """(timestamp, offset, leader epoch) of a special timestamp, each -1 if there is none; None if it needs a search.
    Raises LogError.
    """
    if timestamp in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
        return NO_TIMESTAMP, partition.log_start_offset, partition.log.epochs.epoch_at(partition.log_start_offset)
    if timestamp in (LATEST_TIERED_TIMESTAMP, EARLIEST_PENDING_UPLOAD_TIMESTAMP):
        return NOT_FOUND
    if partition.high_watermark < partition.leader_epoch_start_offset:
        # a new leader does not know yet what its predecessor had committed (KIP-207)
        raise LogError(errors.OFFSET_NOT_AVAILABLE, "the high watermark has not reached this leader epoch yet")
    if timestamp == LATEST_TIMESTAMP:
        return NO_TIMESTAMP, partition.readable_end_offset(isolation_level), partition.leader_epoch
    return None
