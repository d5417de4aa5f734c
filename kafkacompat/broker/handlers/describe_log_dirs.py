"""DescribeLogDirs (35), versions 1-5: the log directories and the sizes of their replicas (KIP-113).

v2 is flexible, v3 adds a top-level error, v4 the size of the disk (KIP-827), v5 cordoned directories.

Behavior:
- The lag of a replica that moves here (`is_future_key`) is what it has yet to copy from the current one.
- A directory is cordoned if `cordoned.log.dirs` says so and metadata.version is 30 or higher.
"""

from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from kafkacompat.replication.metadata.features import has_cordoned_directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps
    from kafkacompat.storage.data_dir import LogDirDescription


def handle(request: DescribeLogDirsRequest, context: "Context") -> "Steps[DescribeLogDirsResponse]":
    """Describe every log directory; null topics mean all topics."""
    asked: dict[str, set[int]] | None = None
    if request.topics is not None:
        asked = {}
        for topic in request.topics:
            asked.setdefault(topic.topic, set()).update(topic.partitions)
    results: list[DescribeLogDirsResult] = []
    for log_dir in context.services.logs.describe():
        results += ((yield from _describe(log_dir, asked, context)),)
    return DescribeLogDirsResponse(results=results)


def failed(_request: DescribeLogDirsRequest, error_code: int) -> DescribeLogDirsResponse:
    """The response that fails the whole request."""
    return DescribeLogDirsResponse(error_code=error_code)


def _describe(
    log_dir: "LogDirDescription", asked: dict[str, set[int]] | None, context: "Context"
) -> "Steps[DescribeLogDirsResult]":
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    cordoned, image = context.services.logs.cordoned_paths, context.services.image
    for logs, is_future in ((log_dir.logs, False), (log_dir.futures, True)):
        for (topic, index), log in logs.items():
            yield 1
            partition = context.services.partitions.get(topic, index)
            if partition is None or (asked is not None and index not in asked.get(topic, ())):
                continue
            lag = max(partition.high_watermark - partition.log_end_offset, 0)
            if is_future:
                lag = partition.log_end_offset - log.log_end_offset
            entry = DescribeLogDirsPartition(index, log.size_bytes, lag, is_future)
            topics.setdefault(topic, []).append(entry)
    return DescribeLogDirsResult(
        log_dir.error_code,
        log_dir.path,
        [DescribeLogDirsTopic(topic, partitions) for topic, partitions in topics.items()],
        log_dir.total_bytes,
        log_dir.usable_bytes,
        log_dir.error_code == NONE and log_dir.path in cordoned and has_cordoned_directories(image),
    )
