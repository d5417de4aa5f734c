"""AlterReplicaLogDirs (34), versions 1-2: move replicas between the log directories of this broker (KIP-113).

v2 is flexible.

Behavior:
- The response does not wait for the move. Another directory while a replica moves is its new target, and its current
  directory ends the move.
- A directory that is none of `log.dirs`: LOG_DIR_NOT_FOUND. One that has failed, or a move while another has failed:
  KAFKA_STORAGE_ERROR. One that is cordoned: INVALID_REPLICA_ASSIGNMENT.
- A replica that is not on this broker: REPLICA_NOT_AVAILABLE, and the directory is remembered for when it is created.
  Of an unknown partition, too: UNKNOWN_TOPIC_OR_PARTITION.
- A topic whose name is too long for that of the directory of a future replica: INVALID_TOPIC_EXCEPTION.
"""

from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

UNITS_PER_REPLICA = 100
"""Work of making the directory of a future replica."""


def handle(request: AlterReplicaLogDirsRequest, context: "Context") -> "Steps[AlterReplicaLogDirsResponse]":
    """Begin or end the moves. If a replica is named twice, the last directory counts, as in Kafka."""
    alter = context.services.alter_log_dirs.alter
    codes = {}
    for (topic, index), path in _asked(request).items():
        codes[topic, index] = alter(topic, index, path, context.now)
        yield UNITS_PER_REPLICA
    return _response(codes)


def failed(request: AlterReplicaLogDirsRequest, error_code: int) -> AlterReplicaLogDirsResponse:
    """The response that fails each replica."""
    return _response(dict.fromkeys(_asked(request), error_code))


def _response(codes: dict[tuple[str, int], int]) -> AlterReplicaLogDirsResponse:
    results: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for (topic, index), error_code in codes.items():
        results.setdefault(topic, []).append(AlterReplicaLogDirPartitionResult(index, error_code))
    return AlterReplicaLogDirsResponse(
        results=[AlterReplicaLogDirTopicResult(topic, partitions) for topic, partitions in results.items()]
    )


def _asked(request: AlterReplicaLogDirsRequest) -> dict[tuple[str, int], str]:
    return {
        (topic.name, index): directory.path
        for directory in request.dirs
        for topic in directory.topics
        for index in topic.partitions
    }
