"""The data directory of a new lone broker, with records: as that broker would have left it after a clean stop.

Segments are written in chunks, by tasks that know nothing of each other, each into a directory of its own below
CHUNKS. `finish` puts them together, writes everything else, and last what says that the directory is whole.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from kafkacompat.config import TopicConfig
from kafkacompat.config.broker import BrokerConfig
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.replication.metadata.new_cluster import InitialTopic, write_new_cluster
from kafkacompat.server.clock import SystemClock
from kafkacompat.spark.restore.packed_batches import LogRecord, packed
from kafkacompat.storage.checkpoints import (
    CLEAN_SHUTDOWN_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    PARTITION_METADATA_FILE,
    RECOVERY_POINT_FILE,
    write_clean_shutdown,
    write_offsets,
    write_partition_metadata,
)
from kafkacompat.storage.data_dir import random_uuid
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from kafkacompat.storage.partition_dir import directory_name
from kafkacompat.storage.segment import SNAPSHOT_SUFFIX

CHUNKS = ".chunks"
LEADER_EPOCH = 0
"""Of all records; the first leader begins the next one."""


class Chunk(NamedTuple):
    """Offsets of a partition from `start` to `end` (exclusive) that one task writes. `is_last`: to the log's end."""

    number: int
    topic: str
    partition: int
    start: int
    end: int
    is_last: bool


class WrittenChunk(NamedTuple):
    """What a task has written. `first` and `last` are offsets, -1 without records."""

    number: int
    records: int
    first: int
    last: int
    size_bytes: int


class NewLog(NamedTuple):
    """A partition of the new broker: where its log begins and ends."""

    topic: str
    partition: int
    start: int
    end: int


class Owner(NamedTuple):
    """Whose directory it becomes."""

    node_id: int
    cluster_id: str


def write_chunk(
    root: str, chunk: Chunk, records: Iterable[LogRecord], configs: Mapping[str, str], *, compression: int = 0,
    is_temporary: bool = False,
) -> WrittenChunk:  # fmt: skip
    """Write the segments of a chunk; of several attempts the first one that ends counts. Raises OSError, LogError,
    ValueError. is_temporary: nothing is synced.
    """
    first = last = UNKNOWN_OFFSET
    count = 0

    def counted() -> Iterable[LogRecord]:
        nonlocal first, last, count
        for record in records:
            if not chunk.start <= record.offset < chunk.end:
                raise ValueError(f"offset {record.offset} is beyond the chunk of {chunk.start} to {chunk.end - 1}")
            first = record.offset if first == UNKNOWN_OFFSET else first
            last = record.offset
            count += 1
            yield record

    end_offset = chunk.end if chunk.is_last else None
    batches = packed(counted(), leader_epoch=LEADER_EPOCH, compression=compression, end_offset=end_offset)
    size_bytes = write_batches(root, chunk, batches, configs, is_temporary=is_temporary)
    return WrittenChunk(chunk.number, count, first, last, size_bytes)


def write_batches(
    root: str, chunk: Chunk, batches: Iterable[bytes | bytearray], configs: Mapping[str, str], *,
    is_temporary: bool = False,
) -> int:  # fmt: skip
    """Write the segments of a chunk from its batches. Returns their size in bytes. Raises OSError, LogError."""
    fs, now = RealFs(temporary=is_temporary), SystemClock().now()
    final = f"{root}/{CHUNKS}/{chunk.number}"
    own = f"{final}.{uuid4().hex}.part"
    log = _open(fs, own, configs, chunk.start)
    for batch in batches:
        log.append_as_follower(memoryview(batch), leader_epoch=LEADER_EPOCH, now=now)
    log.close(clean=True, now=now)
    size_bytes = sum(each.stat().st_size for each in Path(own).glob("*.log"))
    if not _has_taken(own, final):
        shutil.rmtree(own)
    return size_bytes


def _has_taken(own: str, final: str) -> bool:
    try:
        Path(own).rename(final)
    except OSError:
        if not Path(final).is_dir():
            raise
        return False
    return True


def finish(
    root: str, owner: Owner, topics: Sequence[InitialTopic], logs: Sequence[NewLog], chunks: Sequence[Chunk],
    *, is_temporary: bool = False,
) -> None:  # fmt: skip
    """Put the chunks together, and write partitions, metadata, checkpoints and the marker of a clean stop. Raises
    OSError, StartupError.
    """
    fs, now = RealFs(temporary=is_temporary), SystemClock().now()
    ids = {topic.name: topic.topic_id for topic in topics}
    configs = {topic.name: topic.configs for topic in topics}
    by_log: dict[tuple[str, int], list[Chunk]] = {}
    for chunk in chunks:
        by_log.setdefault((chunk.topic, chunk.partition), []).append(chunk)
    for new in logs:
        directory = f"{root}/{directory_name(new.topic, new.partition)}"
        of_log = sorted(by_log.get((new.topic, new.partition), []))
        if of_log:
            _join(root, of_log, directory)
        else:  # an empty file keeps the offset
            _open(fs, directory, configs[new.topic], new.start).close(clean=True, now=now)
        write_partition_metadata(fs, f"{directory}/{PARTITION_METADATA_FILE}", ids[new.topic], sync=True)
        fs.fsync_dir(directory)
    shutil.rmtree(f"{root}/{CHUNKS}", ignore_errors=True)
    rng = random.Random(os.urandom(16))
    ends = {(new.topic, new.partition): new.end for new in logs}
    write_offsets(fs, f"{root}/{RECOVERY_POINT_FILE}", ends, sync=True)
    write_offsets(fs, f"{root}/{HIGH_WATERMARK_FILE}", ends, sync=True)
    write_offsets(fs, f"{root}/{LOG_START_FILE}", {}, sync=True)
    broker_epoch = write_new_cluster(
        fs, root, topics, node_id=owner.node_id, cluster_id=owner.cluster_id, directory_id=random_uuid(rng),
        incarnation_id=random_uuid(rng), now=now,
    )  # fmt: skip
    write_clean_shutdown(fs, f"{root}/{CLEAN_SHUTDOWN_FILE}", broker_epoch)
    fs.fsync_dir(root)


def _open(fs: RealFs, path: str, configs: Mapping[str, str], start: int) -> Log:
    """An empty log that begins at an offset."""
    log = Log.open(
        fs, path, TopicConfig.resolve(configs, BrokerConfig({})), topic_id=bytes(16), recovery_point=0,
        log_start_offset=0, clean=True, now=SystemClock().now(),
    )  # fmt: skip
    if start:
        log.truncate_fully_and_start_at(start)
    return log


def _join(root: str, chunks: Sequence[Chunk], directory: str) -> None:
    """Move the files of a partition's chunks into its directory. What is of a log as a whole (leader epochs) the first
    chunk has, and what is of its end (producer snapshots) the last one.
    """
    Path(directory).mkdir()
    for chunk in chunks:
        for file in sorted(Path(root, CHUNKS, str(chunk.number)).iterdir()):
            is_wanted = chunk is chunks[-1] or not file.name.endswith(SNAPSHOT_SUFFIX)
            if is_wanted and not Path(directory, file.name).exists():
                file.rename(Path(directory, file.name))
