"""What is said of a data directory that another program than this one wrote, before anything is written to it."""

from kafkacompat.storage.checkpoints import (
    CLEAN_SHUTDOWN_FILE,
    META_PROPERTIES_FILE,
    CheckpointError,
    read_meta_properties,
)
from kafkacompat.storage.durability_marker import FILE_NAME as MARKER_FILE
from kafkacompat.storage.partition_dir import parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

METADATA_TOPIC = "__cluster_metadata"


def foreign_line(fs: "Fs", path: str) -> str | None:
    """A line that says what was found at `path` and what a start will do there. None for a directory that is new, that
    this program has written to, or that cannot be read, which the start says itself.
    """
    try:
        if not fs.exists(f"{path}/{META_PROPERTIES_FILE}") or fs.exists(f"{path}/{MARKER_FILE}"):
            return None
        meta = read_meta_properties(fs, f"{path}/{META_PROPERTIES_FILE}")
        places = [place for name in fs.listdir(path) if (place := parse_directory_name(name)) is not None]
        is_clean = fs.exists(f"{path}/{CLEAN_SHUTDOWN_FILE}")
    except (OSError, CheckpointError):
        return None
    if meta is None:
        return None
    topics = {topic for topic, _ in places} - {METADATA_TOPIC}
    count = sum(topic != METADATA_TOPIC for topic, _ in places)
    stop = (
        "It was stopped cleanly: logs are opened as they are"
        if is_clean
        else "It was not stopped cleanly: logs are read from their recovery points on, an incomplete end is truncated"
    )
    return (
        f"{path} is the directory of node {meta.node_id} of cluster {meta.cluster_id}, written by Apache Kafka: "
        f"{count} partitions of {len(topics)} topics. {stop}. Records, groups and ids stay, and Apache Kafka can have "
        "it back; session.json, disk-reserve and retention-has-run are added. Retention begins in ten minutes. To "
        "look without a write: --read-only"
    )
