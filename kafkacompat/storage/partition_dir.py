"""The directory of one partition: its name, and the topic that it belongs to."""

from kafkacompat.protocol.error_codes import INCONSISTENT_TOPIC_ID
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.storage.checkpoints import (
    PARTITION_METADATA_FILE,
    CheckpointError,
    read_partition_metadata,
    write_partition_metadata,
)
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

MAX_TOPIC_NAME_LENGTH = 249
DELETE_SUFFIX = "-delete"
FUTURE_SUFFIX = "-future"
MAX_FILE_NAME_LENGTH = 255
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def is_topic_name(name: str) -> bool:
    """Whether ``name`` may become part of a path (Kafka's ``Topic.validate``)."""
    return 0 < len(name) <= MAX_TOPIC_NAME_LENGTH and name not in (".", "..") and NAME_CHARACTERS.issuperset(name)


def directory_name(topic: str, partition: int) -> str:
    """``<topic>-<partition>``. Only for a valid topic: callers refuse others before they come here."""
    if not is_topic_name(topic) or partition < 0:
        raise ValueError(f"no topic name or partition: {topic!r}, {partition}")
    return f"{topic}-{partition}"


def parse_directory_name(name: str) -> tuple[str, int] | None:
    """Topic and partition of a directory, None for the name of anything else."""
    topic, dash, digits = name.rpartition("-")
    if not dash or not digits.isascii() or not digits.isdigit() or not is_topic_name(topic):
        return None
    return topic, int(digits)


def parse_future_name(name: str) -> tuple[str, int] | None:
    """Topic and partition of ``<topic>-<partition>.<unique id>-future``, None for the name of anything else."""
    stem, dot, unique_id = name.rpartition(".")
    is_future = bool(dot) and unique_id.endswith(FUTURE_SUFFIX) and unique_id != FUTURE_SUFFIX
    return parse_directory_name(stem) if is_future else None


def has_room_for_future_name(topic: str, partition: int) -> bool:
    """Whether a file name can be as long as that of a future replica (``UnifiedLog.logFutureDirName``)."""
    return len(f"{topic}-{partition}.{'0' * 32}{FUTURE_SUFFIX}") <= MAX_FILE_NAME_LENGTH


def may_hold_records(fs: "Fs", path: str) -> bool:
    """Whether a segment in the directory has content, or cannot be read."""
    try:
        return any(name.endswith(".log") and fs.size(f"{path}/{name}") for name in fs.listdir(path))
    except OSError:
        return True


def may_be_of_another_topic(fs: "Fs", path: str) -> bool:
    """Whether there are records and no ``partition.metadata`` that names their topic: a loss of power took it. Raises
    OSError.
    """
    try:
        is_named = read_partition_metadata(fs, f"{path}/{PARTITION_METADATA_FILE}") is not None
    except CheckpointError:
        is_named = False
    return not is_named and fs.exists(path) and may_hold_records(fs, path)


def check_topic_id(fs: "Fs", path: str, topic_id: bytes) -> list[str]:
    """Write ``partition.metadata``, or check that it names ``topic_id``. Raises LogError and OSError.

    Returns the file if it was written: it is not durable yet.
    """
    metadata_path = f"{path}/{PARTITION_METADATA_FILE}"
    try:
        known = read_partition_metadata(fs, metadata_path)
    except CheckpointError:
        known = None  # torn by a crash: nothing is lost, the metadata log has it
    if known is None:
        write_partition_metadata(fs, metadata_path, topic_id, sync=False)
        return [metadata_path]
    if known != topic_id:
        raise LogError(
            INCONSISTENT_TOPIC_ID,
            f"{metadata_path} names the topic id {uuid_to_text(known)}, not {uuid_to_text(topic_id)}",
        )
    return []
