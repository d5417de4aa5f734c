"""Helpers for tests of the log: a config, a clock, batches, and opening a log."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.steps import at_once
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.log import AppendInfo, Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF, VerificationEntry

TOPIC_ID = bytes(range(16))
START_MS = 1_700_000_000_000
PATH = "/data/t-0"
BROKER = BrokerConfig({"node.id": ("1", "test")})


class ScarceFs(MemFs):
    """Files of a process that can be out of descriptors until told otherwise: then all fails that needs a new one."""

    def __init__(self) -> None:
        super().__init__()
        self.shortage: int | None = None  #: EMFILE or ENFILE, None while there are descriptors

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        super().begin(name, path, size_bytes)
        if self.shortage is not None and name in ("open", "fsync_dir", "read_bytes", "allocate", "rmtree"):
            raise OSError(self.shortage, "no descriptors", path)

    def listdir(self, path: str) -> list[str]:
        self.begin("open", path)
        return super().listdir(path)


def topic_config(**overrides: object) -> TopicConfig:
    """A config with small segments: ``topic_config(segment_bytes=500)``."""
    names = {name.replace("_", "."): str(value) for name, value in overrides.items()}
    if "segment.bytes" in names:
        names["internal.segment.bytes"] = names.pop("segment.bytes")
    return TopicConfig.resolve(names, BROKER)


def at(ms: int = 0) -> Now:
    return Now(ms, START_MS + ms)


def open_log(
    fs: Fs,
    config: TopicConfig | None = None,
    *,
    path: str = PATH,
    clean: bool = False,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    flusher: Flusher | None = None,
    files: FileCache | None = None,
) -> Log:
    return Log.open(
        fs,
        path,
        config or topic_config(),
        topic_id=TOPIC_ID,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        clean=clean,
        now=at(),
        flusher=flusher,
        files=files,
    )


def the_log(manager: LogManager, topic: str, partition: int) -> Log:
    """The open log of a partition."""
    return manager.metadata_directory.logs[topic, partition]


def checkpoint(manager: LogManager, now: Now, high_watermarks: Mapping[tuple[str, int], int]) -> None:
    """Have the checkpoints written, and nothing synced that waits for it."""
    at_once(manager.checkpoint(dict(high_watermarks)))
    manager.metadata_directory._flusher.background.run_inline(now, (OTHER_WORK,))


def batch(count: int = 1, *, timestamp_ms: int = START_MS, value: bytes = b"value", **fields: int | bool) -> memoryview:
    """A batch as a client sends it, the timestamps of its records one ms apart."""
    records = [Record(i, timestamp_ms + i, b"key", value) for i in range(count)]
    return memoryview(build_batch(records, **fields))  # type: ignore[arg-type]


def produced(producer_id: int, epoch: int, sequence: int, count: int = 1) -> memoryview:
    return batch(count, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)


def append(
    log: Log,
    records: memoryview,
    *,
    epoch: int = 0,
    ms: int = 0,
    internal: bool = False,
    guard: VerificationEntry | None = VERIFICATION_IS_OFF,
    transaction_version: int = 0,
) -> AppendInfo:
    return log.append_as_leader(
        records, leader_epoch=epoch, now=at(ms), internal=internal, guard=guard, transaction_version=transaction_version
    )


def offsets(log: Log, start: int | None = None, end: int | None = None) -> list[int]:
    """The offsets of all records, read through every segment with ``batches``."""
    first = log.log_start_offset if start is None else start
    last = log.log_end_offset if end is None else end
    return [record.offset for header, data in log.batches(first, last) for record in read_records(data, 0, header)]


def read_bytes(log: Log, offset: int, max_bytes: int = 1 << 30, **arguments: int | bool) -> bytes:
    fields: Mapping[str, int | bool] = {"end_offset": log.log_end_offset, "at_least_one": True} | arguments
    piece = log.read(offset, max_bytes, **fields)  # type: ignore[arg-type]
    try:
        return piece.read(0, len(piece))
    finally:
        piece.release()


def left_open(directory: Path) -> list[str]:
    """Files below the directory that this process has open, where the system tells."""
    found = []
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):  # the descriptor of this very search
            found.append(str(link.readlink()))
    return [path for path in found if path.startswith(str(directory))]
