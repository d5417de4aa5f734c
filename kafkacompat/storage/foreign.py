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
    from collections.abc import Iterator, Sequence

    from kafkacompat.storage.fs import Fs

METADATA_TOPIC = "__cluster_metadata"
KEPT = {
    "__consumer_offsets": "groups and their offsets (those of consumer, share and streams groups are frozen)",
    "__transaction_state": "transactions (open ones go on)",
    "__share_group_state": "the state of share groups (nothing is written there)",
}
"""Topics of Apache Kafka's own, and what a start does with what is in them."""
SET_ASIDE = {
    "-delete": "{} of deleted partitions, which are removed",
    "-stray": "{} set aside, which stay",
    "-future": "{} of replicas that were moving here, which stay as they are",
}
"""Directories that are no partition's any more, or not yet, by how their names end."""


def foreign_line(fs: "Fs", path: str, *, is_read_only: bool = False) -> str | None:
    """A line that says what was found at `path` and what a start will do there. None for a directory that is new, that
    this program has written to, or that cannot be read, which the start says itself.
    """
    try:
        if not fs.exists(f"{path}/{META_PROPERTIES_FILE}") or fs.exists(f"{path}/{MARKER_FILE}"):
            return None
        meta = read_meta_properties(fs, f"{path}/{META_PROPERTIES_FILE}")
        names = fs.listdir(path)
        is_clean = fs.exists(f"{path}/{CLEAN_SHUTDOWN_FILE}")
    except (OSError, CheckpointError):
        return None
    if meta is None:
        return None
    stop = (
        "It was stopped cleanly: logs are opened as they are"
        if is_clean
        else "It was not stopped cleanly: logs are read from their recovery points on, an incomplete end is truncated"
    )
    consequence = (
        "Nothing is written: what recovery would change stays in memory"
        if is_read_only
        else "Records, groups and ids stay, and Apache Kafka can have it back; session.json, disk-reserve and "
        "retention-has-run are added. Retention begins in ten minutes. To look without a write: --read-only"
    )
    return (
        f"{path} is the directory of node {meta.node_id} of cluster {meta.cluster_id}, written by Apache Kafka: "
        f"{', '.join(_contents(names))}. {stop}. {consequence}"
    )


def _contents(names: "Sequence[str]") -> "Iterator[str]":
    places = [place for name in names if (place := parse_directory_name(name)) is not None]
    topics = {topic for topic, _ in places} - {METADATA_TOPIC}
    yield f"{sum(topic != METADATA_TOPIC for topic, _ in places)} partitions of {len(topics)} topics"
    for topic, what in KEPT.items():
        if topic in topics:
            yield what
    for suffix, what in SET_ASIDE.items():
        count = sum(name.endswith(suffix) for name in names)
        if count:
            yield what.format("1 directory" if count == 1 else f"{count} directories")
