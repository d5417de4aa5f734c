"""Fetch (1), versions 4-18: read committed batches, waiting for them if there are none (a long poll).

v4 brought isolation levels, v5 the log start offset, v7 fetch sessions (KIP-227), v9 leader epochs (KIP-320), v11 racks
(KIP-392), v12 is flexible and shows divergence (KIP-595), v13 names topics by id (KIP-516), v15 the replica's epoch
(KIP-903), v16 the endpoints of new leaders (KIP-951), v17 a directory id (KIP-853), v18 a follower's high watermark
(KIP-1166).

Not implemented: fetches of followers (UNKNOWN_LEADER_EPOCH: nobody else is a replica).
"""

from kafkacompat.broker.fetch_session import FetchContext, Wanted
from kafkacompat.broker.leader_hints import name_leaders
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch as messages
from kafkacompat.protocol.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from kafkacompat.replication.partition import READ_COMMITTED, Partition
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.storage.slices import Slice

FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15
NO_RECORDS = b""
NO_EPOCH = -1
_LEADERS_REFUSALS = frozenset((errors.FENCED_LEADER_EPOCH, errors.UNKNOWN_LEADER_EPOCH, errors.KAFKA_STORAGE_ERROR))


class _Read:
    """One pass over the wanted partitions: what each answers, and whether that is enough to answer with."""

    __slots__ = ("answers", "settled", "size_bytes", "slices")

    def __init__(self) -> None:
        self.answers: list[tuple[Wanted, PartitionData]] = []
        self.slices: list[Slice] = []
        self.size_bytes = 0
        self.settled = False  # an error or a divergence: told at once, however little there is to read

    def release(self) -> None:
        for part in self.slices:
            part.release()


def handle(request: FetchRequest, context: "Context") -> "FetchResponse | Pending":
    """Read what there is; wait for `min_bytes` up to `max_wait_ms`."""
    broker = context.broker
    uses_topic_ids = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    fetch = broker.fetch_sessions.open(request, context.now, uses_topic_ids=uses_topic_ids)
    if fetch.error_code != errors.NONE:
        return FetchResponse(error_code=fetch.error_code)
    min_bytes = min(request.min_bytes, request.max_bytes, broker.fetch_max_bytes)  # never more than fits
    waits = request.max_wait_ms > 0 and min_bytes > 0 and len(fetch.partitions) > 0
    if not (waits and _is_at_the_end(request, fetch, context)):
        first = _read(request, fetch, context)
        if not waits or first.settled or first.size_bytes >= min_bytes:
            return _respond(first, fetch, context)
        first.release()

    def finish(_now: "Now", expired: bool) -> FetchResponse | None:
        again = _read(request, fetch, context)
        if not expired and not again.settled and again.size_bytes < min_bytes:
            again.release()
            return None
        return _respond(again, fetch, context)

    keys = list({(wanted.topic or _name(wanted, context), wanted.index): None for wanted in fetch.partitions})
    return Pending(keys, context.now.monotonic_ms + request.max_wait_ms, finish)


def failed(request: FetchRequest, error_code: int) -> FetchResponse:
    """The response that answers the whole request with one error."""
    return FetchResponse(
        error_code=error_code,
        responses=[
            FetchableTopicResponse(
                topic.topic, topic.topic_id, [_refused(asked.partition, error_code) for asked in topic.partitions]
            )
            for topic in request.topics
        ],
    )


def _name(wanted: Wanted, context: "Context") -> str | None:
    return wanted.topic or context.broker.image.topic_name(wanted.topic_id)


def _size(answer: PartitionData) -> int:
    return 0 if answer.records is None else len(answer.records)


def _refused(index: int, error_code: int, *, by_leader: bool = False) -> PartitionData:
    """Kafka's leaders have no list of aborted transactions to give, those who find no such partition an empty one."""
    return PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=-1,
        aborted_transactions=None if by_leader else (),
        records=NO_RECORDS,
    )


def _read(request: FetchRequest, fetch: FetchContext, context: "Context") -> _Read:
    result = _Read()
    left = min(request.max_bytes, context.broker.fetch_max_bytes)
    for wanted in fetch.partitions:
        found = _find(request, wanted, context)
        if isinstance(found, int):
            answer = _refused(wanted.index, found, by_leader=found in _LEADERS_REFUSALS)
        else:
            answer = _read_partition(found, wanted, request.isolation_level, left, result)
        result.settled = result.settled or answer.error_code != errors.NONE or answer.diverging_epoch.epoch != NO_EPOCH
        read_bytes = _size(answer)
        result.size_bytes += read_bytes
        left -= read_bytes
        result.answers.append((wanted, answer))
    return result


def _is_at_the_end(request: FetchRequest, fetch: FetchContext, context: "Context") -> bool:
    """Whether there is nothing to read and nothing to say: what most long polls find, at a third of a read's cost."""
    for wanted in fetch.partitions:
        found = _find(request, wanted, context)
        if (
            isinstance(found, int)
            or wanted.last_fetched_epoch != NO_EPOCH
            or wanted.fetch_offset != found.readable_end_offset(request.isolation_level)
        ):
            return False
    return True


def _find(request: FetchRequest, wanted: Wanted, context: "Context") -> Partition | int:
    broker = context.broker
    name = _name(wanted, context)
    if name is None:
        return errors.UNKNOWN_TOPIC_ID
    partition = broker.partitions.get(name, wanted.index)
    if partition is None:
        return broker.partitions.find(broker.image, name, wanted.index)
    error = partition.leader_error(wanted.current_leader_epoch)
    if error != errors.NONE:
        return error
    replica = (
        request.replica_state.replica_id if context.version >= FIRST_VERSION_WITH_REPLICA_STATE else request.replica_id
    )
    return errors.UNKNOWN_LEADER_EPOCH if replica >= 0 else partition


def _read_partition(
    partition: Partition, wanted: Wanted, isolation_level: int, left: int, result: _Read
) -> PartitionData:
    answer = PartitionData(
        partition_index=wanted.index,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log_start_offset,
        aborted_transactions=[] if isolation_level == READ_COMMITTED else None,
        records=NO_RECORDS,
    )
    if wanted.last_fetched_epoch != NO_EPOCH:
        epoch, end_offset = partition.end_offset_for_epoch(wanted.last_fetched_epoch)
        if epoch < wanted.last_fetched_epoch or end_offset < wanted.fetch_offset:
            answer.diverging_epoch = EpochEndOffset(epoch, end_offset)
            return answer
    at_least_one = result.size_bytes == 0
    max_bytes = max(0, min(wanted.max_bytes, left))
    try:
        part = partition.read(wanted.fetch_offset, max_bytes, isolation_level, at_least_one=at_least_one)
    except LogError as refused:
        return _refused(wanted.index, refused.error_code, by_leader=True)
    if len(part):
        result.slices.append(part)
        answer.records = part
    return answer


def _respond(read: _Read, fetch: FetchContext, context: "Context") -> FetchResponse:
    topics: list[FetchableTopicResponse] = []
    named: list[tuple[str | None, int, PartitionData]] = []
    for wanted, answer in read.answers:
        has_records = _size(answer) > 0
        if fetch.session is not None:
            news = wanted.must_tell(answer, has_records)
            if has_records:
                fetch.session.served(wanted)
            if fetch.incremental and not news:
                continue
        if topics and topics[-1].topic == wanted.topic and topics[-1].topic_id == wanted.topic_id:
            partitions = topics[-1].partitions
        else:
            partitions = []
            topics.append(FetchableTopicResponse(wanted.topic, wanted.topic_id, partitions))
        assert isinstance(partitions, list)
        partitions.append(answer)
        if answer.error_code != errors.NONE:
            named.append((_name(wanted, context), wanted.index, answer))
    endpoints = name_leaders(named, messages, context) if named else ()
    return FetchResponse(session_id=fetch.session_id, responses=topics, node_endpoints=endpoints)
