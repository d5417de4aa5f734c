"""What a start would refuse, found out before it writes: it is rehearsed on files whose changes stay in memory.

So a refused start leaves every byte of a data directory as it was, and the program that wrote it goes on there. The
rehearsal says nothing of what recovery would do, as the start says it again.
"""

import logging
import random
from collections import Counter
from contextlib import contextmanager
from time import gmtime, strftime

from kafkacompat.errors import StartupError
from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_TIMESTAMP
from kafkacompat.replication.metadata.startup import replay_dry, say_what_is_kept
from kafkacompat.storage.background import Background
from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE
from kafkacompat.storage.data_dir import is_reserved_id
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.overlay_fs import OverlayFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.log import Replay
    from kafkacompat.storage.fs import Fs


def rehearse(
    fs: "Fs", data_dir: str, log_dirs: "Sequence[str]", config: "BrokerConfig", now: "Now", *, cluster_id: str | None
) -> "Replay":
    """Lock, identify and replay as a start does, and say which feature levels are kept. Returns what was replayed, so
    that a single voter need not do so again. Raises StartupError and OSError as `Broker.open`.
    """
    new = [path for path in log_dirs if not fs.exists(f"{path}/{META_PROPERTIES_FILE}")]
    overlay, rng = OverlayFs(fs), random.Random(0)
    flusher = Flusher(overlay, Background())
    with _silence():
        logs = LogManager.open(
            overlay, log_dirs, config, now, cluster_id=cluster_id, flusher=flusher, rng=rng, metadata_path=data_dir
        )
        try:
            directory = logs.metadata_directory
            replay = replay_dry(
                directory.disk, directory.path, node_id=config.get_int("node.id"), cluster_id=logs.cluster_id,
                directory_id=directory.directory_id, config=config, now=now, rng=rng,
                clean=directory.was_clean_shutdown,
            )  # fmt: skip
            if new:
                _check_none_is_missing(new, logs, replay, config.get_int("node.id"))
        finally:
            logs.close(clean=False, high_watermarks={}, broker_epoch=NO_BROKER_EPOCH, now=now)
    say_what_is_kept(data_dir, replay.image)
    return replay


def _check_none_is_missing(new: "Sequence[str]", logs: LogManager, replay: "Replay", node_id: int) -> None:
    """Raises StartupError if replicas of this node are in a log directory that is not there, while others are ``new``:
    maybe a disk is not mounted. Apache Kafka never starts with a directory that nobody has formatted.
    """
    failed = {directory.path for directory in logs.offline_directories}
    here = {directory.directory_id for directory in logs.all_directories}
    counts: Counter[bytes] = Counter()
    for topic in replay.image.topics.values():
        counts.update(each.directory(node_id) for each in topic.partitions if node_id in each.replicas)
    missing = {each: count for each, count in counts.items() if each not in here and not is_reserved_id(each)}
    new = [path for path in new if path not in failed]
    if new and len(missing) > len(failed):
        raise StartupError(
            f"{', '.join(new)}: no meta.properties there, and {sum(missing.values())} replicas of this broker are in a "
            f"log directory that is missing{_as_of(replay.snapshot_ms)}: mount its disk, or if it is lost or no longer "
            "needed, format the new one with kafkacompat format --properties FILE"
        )


def _as_of(snapshot_ms: int | None) -> str:
    """With several voters nobody knows at a start which later records are committed."""
    if snapshot_ms is None:
        return ""
    at = "" if snapshot_ms == NO_TIMESTAMP else strftime(", of %Y-%m-%d %H:%M:%S UTC", gmtime(snapshot_ms // 1000))
    return f", as of the last snapshot of the metadata{at}"


@contextmanager
def _silence() -> "Iterator[None]":
    """Nothing that was not done is logged. Other brokers, on other threads of the process, go on logging."""
    this_thread = logging.makeLogRecord({}).thread

    def is_done(record: logging.LogRecord) -> bool:
        return record.thread != this_thread or not record.name.startswith("kafkacompat.")

    handlers = _handlers()
    for handler in handlers:
        handler.addFilter(is_done)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(is_done)


def _handlers() -> "set[logging.Handler]":
    """All that a line may get to. A filter of a logger would not see the lines of those below it."""
    root = logging.getLogger()
    loggers = [root, *(each for each in list(root.manager.loggerDict.values()) if isinstance(each, logging.Logger))]
    found = {handler for logger in loggers for handler in logger.handlers}
    if logging.lastResort is not None:
        found.add(logging.lastResort)
    return found
