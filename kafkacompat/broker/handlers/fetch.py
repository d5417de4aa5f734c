"""Fetch (1), versions 4-18: read committed batches, waiting for them if there are none (a long poll).

v4 brought isolation levels, v5 the log start offset, v7 fetch sessions (KIP-227), v9 leader epochs (KIP-320), v11 racks
(KIP-392), v12 is flexible and shows divergence (KIP-595), v13 names topics by id (KIP-516), v15 the replica's epoch
(KIP-903), v16 the endpoints of new leaders (KIP-951), v17 a directory id (KIP-853), v18 a follower's high watermark
(KIP-1166).

Fetches of other brokers are answered in `broker/replicas/follower_fetch.py`.
"""

from kafkacompat.broker.fetch_session import FetchContext, Wanted
from kafkacompat.broker.leader_hints import name_leaders
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.read_replica import preferred_read_replica
from kafkacompat.broker.registry import CONTROLLER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch as messages
from kafkacompat.protocol.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.partition import READ_COMMITTED, Partition
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.storage.slices import Slice

FIRST_VERSION_WITH_RACKS = 11
FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15
NO_RECORDS = b""
NO_EPOCH = -1
NO_REPLICA = -1
ISOLATION_LEVELS = (0, READ_COMMITTED)
_NOBODY_TO_ASK = {errors.UNKNOWN_TOPIC_ID: 1, errors.UNKNOWN_TOPIC_OR_PARTITION: 2}
"""Errors of what does not exist, and where they come in an answer: after those of partitions, in this order."""


class _Read:
    """One pass over the wanted partitions: what each answers, and whether that is enough to answer with."""

    __slots__ = ("answers", "now", "settled", "size_bytes", "slices")

    def __init__(self, now: "Now") -> None:
        self.now = now
        self.answers: list[tuple[Wanted, PartitionData]] = []
        self.slices: list[Slice] = []
        self.size_bytes = 0
        self.settled = False  # an error or a divergence: told at once, however little there is to read

    def release(self) -> None:
        for part in self.slices:
            part.release()


def handle(request: FetchRequest, context: "Context") -> "Message | Pending":
    """Read what there is; wait for `min_bytes` up to `max_wait_ms`."""
    broker = context.broker
    if context.connection.kind == CONTROLLER:  # the metadata log is all that there is to read
        from kafkacompat.broker.control.quorum_requests import serve

        return serve(request, context)
    if request.isolation_level not in ISOLATION_LEVELS:
        return failed(request, errors.UNKNOWN_SERVER_ERROR)  # so Kafka says
    uses_topic_ids = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    is_follower = _is_follower(request, context)
    fetch = broker.fetch_sessions.open(request, context.now, uses_topic_ids=uses_topic_ids, is_privileged=is_follower)
    if fetch.error_code != errors.NONE:
        return FetchResponse(error_code=fetch.error_code)
    if is_follower and context.connection.is_inter_broker:
        from kafkacompat.broker.replicas.follower_fetch import answer_follower

        return answer_follower(request, context, fetch, _resolve, _refused_by_name, _respond)
    min_bytes = min(request.min_bytes, request.max_bytes, broker.fetch_max_bytes)  # never more than fits
    waits = request.max_wait_ms > 0 and min_bytes > 0 and len(fetch.partitions) > 0
    if not (waits and _is_at_the_end(request, fetch, context)):
        first = _read(request, fetch, context, context.now)
        if not waits or first.settled or first.size_bytes >= min_bytes:
            return _respond(first.answers, fetch, context, is_follower=is_follower)
        first.release()

    def finish(now: "Now", expired: bool) -> FetchResponse | None:
        again = _read(request, fetch, context, now)
        if not expired and not again.settled and again.size_bytes < min_bytes:
            again.release()
            return None
        return _respond(again.answers, fetch, context, is_follower=is_follower)

    keys = list({(wanted.topic or _name(wanted, context), wanted.index): None for wanted in fetch.partitions})
    return Pending(keys, context.now.monotonic_ms + request.max_wait_ms, finish, makes_way=True)


def failed(request: FetchRequest, error_code: int) -> FetchResponse:
    """The response that answers the whole request with one error. Topics asked for by id are not repeated."""
    return FetchResponse(
        error_code=error_code,
        responses=[
            FetchableTopicResponse(
                topic.topic, topic.topic_id, [_refused(asked.partition, error_code) for asked in topic.partitions]
            )
            for topic in request.topics
            if topic.topic_id == ZERO_UUID
        ],
    )


def _name(wanted: Wanted, context: "Context") -> str | None:
    return wanted.topic or context.broker.image.topic_name(wanted.topic_id)


def _size(answer: PartitionData) -> int:
    return 0 if answer.records is None else len(answer.records)


def _refused(index: int, error_code: int, *, by_partition: bool = False) -> PartitionData:
    """Kafka's partitions give no list of aborted transactions with an error; who asks none gets an empty one."""
    return PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=-1,
        aborted_transactions=None if by_partition else (),
        records=NO_RECORDS,
    )


def _refused_by_name(index: int, error_code: int) -> PartitionData:
    return _refused(index, error_code, by_partition=error_code not in _NOBODY_TO_ASK)


def _read(request: FetchRequest, fetch: FetchContext, context: "Context", now: "Now") -> _Read:
    result = _Read(now)
    left = min(request.max_bytes, context.broker.fetch_max_bytes)
    for wanted in fetch.partitions:
        found = _find(request, wanted, context)
        if isinstance(found, int):
            answer = _refused_by_name(wanted.index, found)
        else:
            answer = _send_elsewhere(found, wanted, request, context) or _read_partition(
                found, wanted, request.isolation_level, left, result
            )
        result.settled = result.settled or _is_settled(answer)
        read_bytes = _size(answer)
        result.size_bytes += read_bytes
        left -= read_bytes
        result.answers.append((wanted, answer))
    if result.settled:
        result.answers.sort(key=lambda pair: _NOBODY_TO_ASK.get(pair[1].error_code, 0))
    return result


def _is_settled(answer: PartitionData) -> bool:
    return (
        answer.error_code != errors.NONE
        or answer.diverging_epoch.epoch != NO_EPOCH
        or answer.preferred_read_replica != NO_REPLICA
    )


def _is_at_the_end(request: FetchRequest, fetch: FetchContext, context: "Context") -> bool:
    """Whether there is nothing to read and nothing to say: what most long polls find, at a third of a read's cost."""
    for wanted in fetch.partitions:
        found = _find(request, wanted, context)
        if (
            isinstance(found, int)
            or wanted.last_fetched_epoch != NO_EPOCH
            or _preferred(found, wanted, request, context) is not None
            or wanted.fetch_offset != found.readable_end_offset(request.isolation_level)
        ):
            return False
    return True


def _find(request: FetchRequest, wanted: Wanted, context: "Context") -> Partition | int:
    """The partition that a consumer reads; from v11 on a follower serves as well (KIP-392)."""
    found = _resolve(wanted, context)
    if isinstance(found, int):
        return found
    is_follower = _is_follower(request, context)
    needs_leader = is_follower or context.version < FIRST_VERSION_WITH_RACKS
    error = found.leader_error(wanted.current_leader_epoch, needs_leader=needs_leader)
    if error != errors.NONE:
        return error
    if not is_follower:
        return found
    return errors.NOT_LEADER_OR_FOLLOWER if wanted.current_leader_epoch == NO_EPOCH else errors.UNKNOWN_LEADER_EPOCH


def _resolve(wanted: Wanted, context: "Context") -> Partition | int:
    """The partition if a replica of it is here, or the error."""
    broker = context.broker
    name = _name(wanted, context)
    if name is None:
        if not wanted.known_as:
            return errors.UNKNOWN_TOPIC_ID
        is_another = wanted.known_as in broker.image.topics
        return errors.INCONSISTENT_TOPIC_ID if is_another else errors.UNKNOWN_TOPIC_OR_PARTITION
    wanted.known_as = name
    return broker.partitions.find(broker.image, name, wanted.index)


def _preferred(partition: Partition, wanted: Wanted, request: FetchRequest, context: "Context") -> int | None:
    broker = context.broker
    if not request.rack_id or not broker.selects_by_rack:
        return None
    listener = context.connection.listener
    return preferred_read_replica(partition, request.rack_id, wanted.fetch_offset, broker.image, listener, context.now)


def _send_elsewhere(
    partition: Partition, wanted: Wanted, request: FetchRequest, context: "Context"
) -> PartitionData | None:
    """No records, but the replica to read them from (KIP-392)."""
    preferred = _preferred(partition, wanted, request, context)
    if preferred is None:
        return None
    return PartitionData(
        partition_index=wanted.index,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log_start_offset,
        aborted_transactions=None,
        preferred_read_replica=preferred,
        records=NO_RECORDS,
    )


def _is_follower(request: FetchRequest, context: "Context") -> bool:
    by_state = context.version >= FIRST_VERSION_WITH_REPLICA_STATE
    return (request.replica_state.replica_id if by_state else request.replica_id) >= 0


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
        if epoch == NO_EPOCH:
            return _refused(wanted.index, errors.OFFSET_OUT_OF_RANGE, by_partition=True)
        if epoch < wanted.last_fetched_epoch or end_offset < wanted.fetch_offset:
            answer.diverging_epoch = EpochEndOffset(epoch, end_offset)
            answer.aborted_transactions = None
            return answer
    at_least_one = result.size_bytes == 0
    max_bytes = max(0, min(wanted.max_bytes, left))
    try:
        part = partition.read(wanted.fetch_offset, max_bytes, isolation_level, result.now, at_least_one=at_least_one)
    except LogError as refused:
        return _refused(wanted.index, refused.error_code, by_partition=True)
    if len(part):
        result.slices.append(part)
        answer.records = part
    return answer


def _respond(
    answers: list[tuple[Wanted, PartitionData]], fetch: FetchContext, context: "Context", *, is_follower: bool = False
) -> FetchResponse:
    topics: list[FetchableTopicResponse] = []
    named: list[tuple[str | None, int, PartitionData]] = []
    for wanted, answer in answers:
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
    if is_follower:
        endpoints = ()  # a broker knows the addresses of the others
    return FetchResponse(session_id=fetch.session_id, responses=topics, node_endpoints=endpoints)
