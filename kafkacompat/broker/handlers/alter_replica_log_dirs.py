"""AlterReplicaLogDirs (34), versions 1-2: move replicas between the log directories of this broker (KIP-113).

v2 is flexible.

Behavior:
- The response does not wait for the move, only until the folder of the future replica is there, with which a restart
  goes on. Another directory while a replica moves is its new target, and its current directory ends the move.
- The folder is not made within request.timeout.ms, as the disk is slow: REQUEST_TIMED_OUT, and the move goes on.
- A directory that is none of `log.dirs`: LOG_DIR_NOT_FOUND. One that has failed, or a move while another has failed:
  KAFKA_STORAGE_ERROR. One that is cordoned: INVALID_REPLICA_ASSIGNMENT.
- A replica that is not on this broker: REPLICA_NOT_AVAILABLE, and the directory is remembered for when it is created.
  Of an unknown partition, too: UNKNOWN_TOPIC_OR_PARTITION.
- A topic whose name is too long for that of the directory of a future replica: INVALID_TOPIC_EXCEPTION.
"""

from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol.error_codes import REQUEST_TIMED_OUT
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from kafkacompat.steps import UNITS_PER_ITERATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.replicas.move_schedule import Move
    from kafkacompat.now import Now
    from kafkacompat.steps import Steps

UNITS_PER_REPLICA = 100
"""Work of making the directory of a future replica."""
REPLICAS_AT_ONCE_MAX = 1_000
"""Replicas that are listed, and answered, in a turn in which some are altered."""


def handle(request: AlterReplicaLogDirsRequest, context: "Context") -> "Steps[AlterReplicaLogDirsResponse | Pending]":
    """Begin or end the moves. If a replica is named twice, the last directory counts, as in Kafka."""
    alter = context.services.alter_log_dirs.alter
    asked = _asked(request)
    is_wide = len(asked) > REPLICAS_AT_ONCE_MAX
    if is_wide:
        yield UNITS_PER_ITERATION
    found: dict[tuple[str, int], int | Move] = {}
    for (topic, index), path in asked.items():
        found[topic, index] = alter(topic, index, path, context.now)
        yield UNITS_PER_REPLICA
    if is_wide:
        yield UNITS_PER_ITERATION
    waiting = [each for each in found.values() if not isinstance(each, int) and each.answer is None]

    def finish(_now: "Now", expired: bool) -> AlterReplicaLogDirsResponse | None:
        while waiting and waiting[-1].answer is not None:
            waiting.pop()
        return _response({key: _code(each) for key, each in found.items()}) if expired or not waiting else None

    deadline_ms = context.now.monotonic_ms + context.services.request_timeout_ms
    return finish(context.now, expired=False) or Pending(list(waiting), deadline_ms, finish)


def _code(found: "int | Move") -> int:
    if isinstance(found, int):
        return found
    return REQUEST_TIMED_OUT if found.answer is None else found.answer


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
