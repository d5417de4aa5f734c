"""What is said of a data directory that another program than this one wrote, before anything is written to it."""

from kafkacompat.storage.checkpoints import (
    CLEAN_SHUTDOWN_FILE,
    META_PROPERTIES_FILE,
    RETENTION_FILE,
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
VOTES = f"{METADATA_TOPIC}-0/quorum-state"
"""A node writes it at its first start; a directory that was only formatted does not have it."""
OWN_FILES = (MARKER_FILE, RETENTION_FILE)
"""A start leaves at least one of them: the first in `log.dirs`, the other where only a metadata log is, too."""
KEPT = {
    "__consumer_offsets": "groups and their offsets (those of consumer, share and streams groups are frozen)",
    "__transaction_state": "transactions (open ones go on)",
    "__share_group_state": "the state of share groups (nothing is written there)",
}
"""Topics of Apache Kafka's own, and what a start does with what is in them."""
SET_ASIDE = {
    "-delete": "{} of deleted partitions, which are removed",
    "-stray": "{} set aside, which stay",
    "-future": "{} of replicas that were moving here, which go on to move",
}
"""Directories that are no partition's any more, or not yet, by how their names end."""
STOPPED = {
    True: "It was stopped cleanly: logs are opened as they are",
    False: "It was not stopped cleanly: logs are read from their recovery points on, an incomplete end is truncated",
}
"""What the last stop was, by whether it left its marker."""


def foreign_line(fs: "Fs", path: str, *, is_read_only: bool = False) -> str | None:
    """A line that says what was found at `path` and what a start will do there. None for a directory that is new, that
    this program has written to, or that cannot be read, which the start says itself.
    """
    try:
        if not fs.exists(f"{path}/{META_PROPERTIES_FILE}") or any(fs.exists(f"{path}/{each}") for each in OWN_FILES):
            return None
        meta = read_meta_properties(fs, f"{path}/{META_PROPERTIES_FILE}")
        names = fs.listdir(path)
        is_clean = fs.exists(f"{path}/{CLEAN_SHUTDOWN_FILE}")
        has_run = fs.exists(f"{path}/{VOTES}")
    except (OSError, CheckpointError):
        return None
    topics = [place[0] for name in names if (place := parse_directory_name(name)) is not None]
    of_clients = [topic for topic in topics if topic != METADATA_TOPIC]
    contents = list(_contents(names, of_clients))
    if meta is None or not (contents or has_run):
        return None
    said = [
        f"{path} is the directory of node {meta.node_id} of cluster {meta.cluster_id}, written by Apache Kafka: "
        f"{', '.join(contents or ['the metadata log'])}"
    ]
    if of_clients:  # Apache Kafka leaves no marker where the metadata log is alone
        said.append(STOPPED[is_clean])
    if is_read_only:
        said.append("Nothing is written: what recovery would change stays in memory")
    else:
        said.append(
            "Records, groups and ids stay, and Apache Kafka can have it back; session.json, disk-reserve and "
            "retention-has-run are added"
        )
        if of_clients:
            said.append("Retention begins in ten minutes")
        said.append("To look without a write: --read-only")
    return ". ".join(said)


def _contents(names: "Sequence[str]", topics: "Sequence[str]") -> "Iterator[str]":
    if topics:
        yield f"{len(topics)} partitions of {len(set(topics))} topics"
    for topic, what in KEPT.items():
        if topic in topics:
            yield what
    for suffix, what in SET_ASIDE.items():
        count = sum(name.endswith(suffix) for name in names)
        if count:
            yield what.format("1 directory" if count == 1 else f"{count} directories")
