"""ListOffsets (2), versions 1-11: offsets by timestamp, and the named ends of a partition.

v2 adds isolation levels, v4 leader epochs (KIP-320), v6 is flexible, v7 the offset of the largest timestamp (KIP-734),
v8 the earliest local offset and v9 the latest tiered one (KIP-405, KIP-1005), v10 a time-out, v11 the earliest offset
whose upload is pending (KIP-1023). Without tiered storage the local log is the whole log and nothing is ever tiered.
"""

from collections import Counter

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from kafkacompat.replication.partition import READ_COMMITTED
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.replication.partition import Partition

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = -1, -2, -3, -4, -5, -6
FIRST_VERSION_OF = {
    LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11,
}  # fmt: skip
UNKNOWN = -1
ISOLATION_LEVELS = (0, READ_COMMITTED)
FIRST_VERSION_WITH_LEADER_EPOCH = 4
FIRST_VERSION_WITH_OFFSET_NOT_AVAILABLE = 5


def handle(request: ListOffsetsRequest, context: "Context") -> ListOffsetsResponse:
    """Answer every partition that was asked for, once; one that is named twice is INVALID_REQUEST."""
    if request.isolation_level not in ISOLATION_LEVELS:
        return failed(request, errors.UNKNOWN_SERVER_ERROR)  # so Kafka says
    times = Counter((topic.name, entry.partition_index) for topic in request.topics for entry in topic.partitions)
    answers: dict[str, dict[int, ListOffsetsPartitionResponse]] = {}
    for topic in request.topics:
        for entry in topic.partitions:
            if times[topic.name, entry.partition_index] > 1:
                answer = _failed(entry, errors.INVALID_REQUEST)
            else:
                answer = _answer(topic.name, entry, request.isolation_level, context)
            answers.setdefault(topic.name, {})[entry.partition_index] = answer
    return ListOffsetsResponse(
        topics=[ListOffsetsTopicResponse(name, list(found.values())) for name, found in answers.items()]
    )


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


def _answer(
    topic: str, entry: ListOffsetsPartition, isolation_level: int, context: "Context"
) -> ListOffsetsPartitionResponse:
    if entry.timestamp < EARLIEST_PENDING_UPLOAD or context.version < FIRST_VERSION_OF.get(entry.timestamp, 1):
        return _failed(entry, errors.UNSUPPORTED_VERSION)
    broker = context.broker
    partition = broker.partitions.get(topic, entry.partition_index)
    if partition is None:
        error = broker.partitions.find(broker.image, topic, entry.partition_index)
        assert isinstance(error, int)
        return _failed(entry, error)
    error = partition.leader_error(entry.current_leader_epoch)
    if error != errors.NONE:
        return _failed(entry, error)
    try:
        timestamp, offset, epoch = _look_up(partition, entry.timestamp, isolation_level)
    except LogError as refused:
        old = context.version < FIRST_VERSION_WITH_OFFSET_NOT_AVAILABLE
        hidden = refused.error_code == errors.OFFSET_NOT_AVAILABLE and old
        return _failed(entry, errors.LEADER_NOT_AVAILABLE if hidden else refused.error_code)
    if context.version < FIRST_VERSION_WITH_LEADER_EPOCH:
        epoch = UNKNOWN
    return ListOffsetsPartitionResponse(entry.partition_index, errors.NONE, timestamp, offset, epoch)


def _look_up(partition: "Partition", timestamp: int, isolation_level: int) -> tuple[int, int, int]:
    """(timestamp, offset, leader epoch), each -1 where there is none."""
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return UNKNOWN, partition.log_start_offset, partition.log.epochs.epoch_at(partition.log_start_offset)
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return UNKNOWN, UNKNOWN, UNKNOWN
    if partition.high_watermark < partition.leader_epoch_start_offset:
        # a new leader does not know yet how far its predecessor had committed (KIP-207)
        raise LogError(errors.OFFSET_NOT_AVAILABLE, "the high watermark has not reached this leader epoch yet")
    end_offset = partition.readable_end_offset(isolation_level)
    if timestamp == LATEST:
        return UNKNOWN, end_offset, partition.leader_epoch
    if timestamp == MAX_TIMESTAMP:
        found = partition.log.max_timestamp_offset(end_offset=end_offset)
    else:
        found = partition.log.offset_for_timestamp(timestamp, end_offset=end_offset)
    if found is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    return found.timestamp_ms, found.offset, found.leader_epoch
