"""Tells a broker's files in a data directory from what somebody else has put there."""

from kafkacompat.storage.checkpoints import (
    CLEAN_SHUTDOWN_FILE,
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    META_PROPERTIES_FILE,
    RECOVERY_POINT_FILE,
    RETENTION_FILE,
)
from kafkacompat.storage.data_dir import LOCK_FILE
from kafkacompat.storage.durability_marker import FILE_NAME as MARKER_FILE
from kafkacompat.storage.partition_dir import parse_directory_name
from kafkacompat.storage.reserve import FILE_NAME as RESERVE_FILE

FILES = frozenset(
    (
        CLEAN_SHUTDOWN_FILE, HIGH_WATERMARK_FILE, LOCK_FILE, LOG_START_FILE, MARKER_FILE, META_PROPERTIES_FILE,
        RECOVERY_POINT_FILE, RESERVE_FILE, RETENTION_FILE, CLEANER_FILE, "bootstrap.checkpoint", "kept-partitions",
    )
)  # fmt: skip
"""Files beside the directories of partitions: ours, and those of Apache Kafka."""


def is_of_broker(name: str, *, is_directory: bool) -> bool:
    """Whether a broker has made this entry of its data directory: a log, one that is set aside, or a file of FILES."""
    if not is_directory:
        return name.removesuffix(".tmp") in FILES
    return parse_directory_name(name.rpartition(".")[0] if _is_set_aside(name) else name) is not None


def _is_set_aside(name: str) -> bool:
    """Whether this is TOPIC-PARTITION.ID-delete, -stray or -future, as Kafka renames directories."""
    return name.endswith(("-delete", "-stray", "-future"))
