"""Mode B: the real log under simulated brokers, on a disk that loses unsynced data, with batches as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.sim.replication import controller
from tests.sim.replication.memory_log import MAX_READ, Batch
from tests.storage.support import checkpoint

if TYPE_CHECKING:
    import random
    from typing import Any

    from kafkacompat.protocol.records.batch import BatchHeader, Buffer
    from kafkacompat.storage.append_info import AppendInfo
    from kafkacompat.storage.log import Log
    from tests.sim.replication.cluster import Cluster
    from tests.sim.replication.invariants import Invariants

DIR = "/data"
NOW = Now(0, 1_700_000_000_000)
SEGMENT_BYTES = (300, 1000, 1 << 20)


class Records(tuple[int, list[Batch]]):
    """The records of a fetch: offset and batches for the checks, and the bytes for the log."""

    raw: bytes


def records(offset: int, batches: list[Batch], raw: bytes) -> Records:
    made = Records((offset, batches))
    made.raw = raw
    return made


def encoded(batch: Batch, now: Now) -> bytearray:
    """As a producer sends it."""
    return build_batch(
        [Record(0, now.wall_ms, None, batch.value.encode())],
        producer_id=batch.producer_id, producer_epoch=batch.producer_epoch, base_sequence=batch.sequence,
    )  # fmt: skip


def decoded(header: BatchHeader, data: Buffer) -> Batch:
    (record,) = read_records(data, 0, header)
    assert record.value is not None
    sequence = header.base_sequence
    return Batch(bytes(record.value).decode(), header.producer_id, header.producer_epoch, sequence, header.leader_epoch)


class FileLog:
    """The log of a simulated broker. ``batches`` mirrors the content of the files."""

    def __init__(
        self, node_id: int, invariants: Invariants, flush_messages: int, segment_bytes: int, fs: MemFs | None = None
    ) -> None:
        self.node_id = node_id
        self.invariants = invariants
        self.ghosts: list[Batch] = []  # the disk has its own
        self._flush_messages = flush_messages
        self._segment_bytes = segment_bytes
        self.fs = fs or MemFs()
        self._open()

    def _open(self) -> None:
        broker = BrokerConfig({"node.id": (str(self.node_id), "test")})
        config = {
            "internal.segment.bytes": str(self._segment_bytes), "index.interval.bytes": "100",
            "flush.messages": str(self._flush_messages),
        }  # fmt: skip
        rng = controller_rng()
        flusher = Flusher(self.fs)
        self._manager = LogManager.open(self.fs, [DIR], broker, NOW, cluster_id="c", flusher=flusher, rng=rng)
        self._log = self._manager.open_log("t", controller.TOPIC_ID, 0, TopicConfig.resolve(config, broker), NOW)
        self._manager.registered(1, bytes(16))  # a directory of ours: a gap is a loss of power
        self._batches = [decoded(header, data) for header, data in self._log.batches(0, self._log.log_end_offset)]

    @property
    def real(self) -> Log:
        return self._log

    def __getattr__(self, name: str) -> Any:
        """Config, epochs, producers, offsets, failure: the log's own."""
        return getattr(self._log, name)

    @property
    def batches(self) -> list[Batch]:
        return self._batches

    @batches.setter
    def batches(self, batches: list[Batch]) -> None:
        assert not batches, "only another disk has other batches"
        self.fs = MemFs()

    @property
    def flushed_offset(self) -> int:
        return self._log.flushed_offset

    @flushed_offset.setter
    def flushed_offset(self, offset: int) -> None:
        assert not offset, "only another disk has another end"

    def append_as_leader(
        self, records: Batch, *, leader_epoch: int, now: Now, internal: bool = False, recompression: object = None,
        guard: object = None, transaction_version: int = 0,
    ) -> AppendInfo:  # fmt: skip
        raw = encoded(records, now)
        info = self._log.append_as_leader(memoryview(raw), leader_epoch=leader_epoch, now=now)
        if not info.duplicate:
            self._keep(records.stamped(leader_epoch))
        return info

    def append_as_follower(self, records: Records, *, leader_epoch: int, now: Now) -> None:
        self._log.append_as_follower(memoryview(bytearray(records.raw)), leader_epoch=leader_epoch, now=now)
        for batch in records[1]:
            self._keep(batch)

    def _keep(self, batch: Batch) -> None:
        self._batches.append(batch)
        self.invariants.appended(self.node_id, len(self._batches) - 1, batch)

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool, whole: bool = False) -> Any:
        end = min(end_offset, offset + MAX_READ)
        piece = self._log.read(offset, max_bytes, end_offset=end, at_least_one=at_least_one, whole=whole)
        raw = piece.read(0, len(piece))
        if raw:
            piece.release()
        batches = []
        position = 0
        while position < len(raw):
            header = read_header(raw, position)
            batches.append(decoded(header, raw[position : position + header.size_bytes]))
            position += header.size_bytes
        return records(offset, batches, raw) if batches else ()

    def truncate_to(self, offset: int) -> None:
        is_shorter = offset < len(self._batches)
        self._log.truncate_to(offset)
        if is_shorter:
            del self._batches[offset:]
            self.invariants.cut(self.node_id, offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        raise AssertionError("no log starts later than at 0 here")

    def delete_records_before(self, offset: int, now: Now) -> None:
        raise AssertionError("nothing is deleted here")

    def synced(self, offset: int) -> None:
        """A sync is done; the checkpoints are written now and then, too."""
        self._log.flush()
        checkpoint(self._manager, NOW, {})

    def reopened(self) -> FileLog:
        """The log that a new process opens."""
        self.fs.restart()
        return FileLog(self.node_id, self.invariants, self._flush_messages, self._segment_bytes, self.fs)

    def lose_power(self, rng: random.Random) -> None:
        """A power loss: any part of the unsynced data is left, which the next process recovers."""
        self.fs.crash(rng)
        self._open()
        self.fs.restart()
        self.invariants.found(self.node_id, self._batches)


def controller_rng() -> random.Random:
    """Only the directory's id comes from it."""
    from random import Random

    return Random(1)


def use_files(cluster: Cluster) -> None:
    """Give all brokers of a cluster that has not begun the real log."""
    rng = cluster.world.rng("files")
    segment_bytes = rng.choice(SEGMENT_BYTES)
    for node in cluster.nodes.values():
        node.disk.log = FileLog(node.id, cluster.invariants, cluster.flush_messages, segment_bytes)  # type: ignore[assignment]
