"""Invariants of whole nodes, checked after each observed event: I1 to I11 and I14 of `docs/replication.md`.

Logs are read from the nodes' disks, so a process that has ended still counts.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kafkacompat.broker.coordinator.coordinators import Coordinators
from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    BATCH_OVERHEAD,
    CONTROL_BIT,
    TRANSACTIONAL_BIT,
    read_header,
)
from kafkacompat.replication.partition import APPENDED, HIGH_WATERMARK_MOVED
from tests.sim.invariants import must
from tests.sim.nodes.clients import TOPIC
from tests.sim.nodes.node import data_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.inspect import Inspection, PartitionView, ReplicaView
    from kafkacompat.replication.partition import Partition
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.node import Node


class Batch(NamedTuple):
    """One batch of a partition's log; `data` are its records as they are on disk."""

    base_offset: int
    last_offset: int
    epoch: int
    crc: int
    producer: tuple[int, int, int]
    data: bytes

    @property
    def name(self) -> tuple[int, int, int]:
        """The parts of a batch that are equal on all nodes."""
        return self.base_offset, self.epoch, self.crc

    @property
    def is_control(self) -> bool:
        return bool(self.data[ATTRIBUTES_OFFSET + 1] & CONTROL_BIT)

    @property
    def is_transactional(self) -> bool:
        return bool(self.data[ATTRIBUTES_OFFSET + 1] & TRANSACTIONAL_BIT)


class NodeLog:
    """The batches of one partition on one disk, read again where the files have changed."""

    def __init__(self, node: Node, topic: str, index: int) -> None:
        self._fs = node.fs
        self._path = f"{data_dir(node.name)}/{topic}-{index}"
        self._batches: list[Batch] = []
        self._ends: list[tuple[str, int]] = []  # of each batch: its file, and where it ends there

    def batches(self) -> list[Batch]:
        """All whole batches in the files. A gap in the offsets violates I10."""
        files = {name: self._fs.read_bytes(f"{self._path}/{name}") for name in self._segments()}
        while self._ends and not self._is_there(files):
            self._ends.pop()
            self._batches.pop()
        last_file, end = self._ends[-1] if self._ends else ("", 0)
        for name, content in files.items():
            if name >= last_file:
                self._read(name, content, end if name == last_file else 0)
        return self._batches

    def _segments(self) -> list[str]:
        if not self._fs.is_dir(self._path):
            return []
        return sorted(name for name in self._fs.listdir(self._path) if name.endswith(".log"))

    def _is_there(self, files: dict[str, bytes]) -> bool:
        name, end = self._ends[-1]
        batch = self._batches[-1]
        content = files.get(name, b"")
        start = end - len(batch.data)
        return len(content) >= end and content[start:end] == batch.data

    def _read(self, name: str, content: bytes, at: int) -> None:
        while len(content) - at >= BATCH_OVERHEAD:
            header = read_header(content, at)
            if len(content) - at < header.size_bytes:
                return
            end = at + header.size_bytes
            batch = Batch(
                header.base_offset, header.base_offset + header.last_offset_delta, header.leader_epoch, header.crc,
                (header.producer_id, header.producer_epoch, header.base_sequence), bytes(content[at:end]),
            )  # fmt: skip
            before = self._batches[-1].last_offset + 1 if self._batches else 0
            must(batch.base_offset == before, f"I10: {self._path} goes from {before} to {batch.base_offset}")
            self._batches.append(batch)
            self._ends.append((name, end))
            at = end


class PartitionInvariants:
    """One partition's history: `committed` grows when a leader's high watermark passes a batch."""

    def __init__(self, cluster: Cluster, topic: str, index: int) -> None:
        self._cluster = cluster
        self._logs = {node.id: self._make_log(node, topic, index) for node in cluster.nodes.values()}
        self.topic = topic
        self.index = index
        self.on_commit: Callable[[Batch], None] | None = None
        """Told each batch when it is committed."""
        self.committed: list[Batch] = []
        self._by_offset: dict[int, Batch] = {}
        self.image: PartitionView | None = None
        self._leaders: dict[int, tuple[int, int]] = {}  # by leader epoch: node, incarnation
        self._high_watermarks: dict[tuple[int, int], int] = {}
        self._sequences: dict[int, tuple[int, int]] = {}
        self._seen: dict[tuple[int, int], int] = {}  # by offset, epoch: checksum

    def _make_log(self, node: Node, topic: str, index: int) -> NodeLog:
        return NodeLog(node, topic, index)

    @property
    def end_offset(self) -> int:
        return self.committed[-1].last_offset + 1 if self.committed else 0

    def log_of(self, node_id: int) -> NodeLog:
        return self._logs[node_id]

    def elected(self, replica: ReplicaView, node: Node) -> None:
        """I1: one leader per epoch. I3: the leader of the newest epoch holds all committed records."""
        who = (node.id, node.lives)
        first = self._leaders.setdefault(replica.leader_epoch, who)
        must(first == who, f"I1: {first} and {who} lead epoch {replica.leader_epoch} of {self.topic}-{self.index}")
        if self.image is not None and replica.leader_epoch == self.image.leader_epoch:
            self._must_hold_all(node.id, f"I3: it leads epoch {replica.leader_epoch}")

    def moved(self, replica: ReplicaView, node: Node) -> None:
        """A high watermark has moved. I2, I7, I9, I11."""
        high_watermark = replica.high_watermark
        if not replica.is_leader:
            must(high_watermark <= self.end_offset, f"the follower {node.id} has a high watermark that no leader had")
            return
        key = (node.id, node.lives)
        must(high_watermark >= self._high_watermarks.get(key, 0), f"I7: the high watermark of {key} goes back")
        self._high_watermarks[key] = high_watermark
        self._must_begin_so(
            node.id, min(high_watermark, self.end_offset), f"I2: it commits others below {high_watermark}"
        )
        if high_watermark > self.end_offset:
            begin = self.end_offset
            for batch in self._logs[node.id].batches():
                if begin <= batch.base_offset and batch.last_offset < high_watermark:
                    self._commit(batch)
            must(self.end_offset == high_watermark, f"{node.id} has the high watermark {high_watermark} beyond its log")
            self.check_members()
        self._check_maximal_isr(replica, node)

    def _commit(self, batch: Batch) -> None:
        """I4: an offset and an epoch are one batch. I11: each producer's batches come once and in order."""
        known = self._seen.setdefault((batch.base_offset, batch.epoch), batch.crc)
        must(known == batch.crc, f"I4: two batches at {batch.base_offset} of epoch {batch.epoch}")
        self._check_sequence(batch)
        self.committed.append(batch)
        for offset in range(batch.base_offset, batch.last_offset + 1):
            self._by_offset[offset] = batch
        if self.on_commit is not None:
            self.on_commit(batch)

    def _check_sequence(self, batch: Batch) -> None:
        """I11. A marker has no sequence; one of a newer epoch begins them anew. Offsets in transactions have none."""
        producer_id, epoch, sequence = batch.producer
        if producer_id < 0 or (sequence < 0 and not batch.is_control):
            must(producer_id < 0 or self.topic != TOPIC, f"I11: producer {producer_id} writes without a sequence")
            return
        last_epoch, last = self._sequences.get(producer_id, (epoch, -1))
        must(epoch >= last_epoch, f"I11: producer {producer_id} goes back from epoch {last_epoch} to {epoch}")
        last = last if epoch == last_epoch else -1
        if batch.is_control:
            self._sequences[producer_id] = (epoch, last)
            return
        must(sequence == last + 1, f"I11: producer {producer_id} goes from {last} to {sequence}")
        self._sequences[producer_id] = (epoch, sequence + batch.last_offset - batch.base_offset)

    def _check_maximal_isr(self, replica: ReplicaView, node: Node) -> None:
        image = self.image
        if image is None or replica.leader_epoch != image.leader_epoch:
            return
        if replica.partition_epoch <= image.partition_epoch:
            maximal = replica.maximal_isr
            must(set(image.isr) <= set(maximal), f"I9: {node.id} commits for {maximal}, in sync are {image.isr}")

    def controlled(self, view: Inspection) -> None:
        """Check the newest committed metadata: I7, I8, I14."""
        partitions = view.partitions(self.topic)
        if not partitions:
            return
        partition = partitions[self.index]
        before, self.image = self.image, partition
        if before is not None:
            must(partition.leader_epoch >= before.leader_epoch, "I7: the leader epoch goes back")
            must(partition.partition_epoch >= before.partition_epoch, "I7: the partition epoch goes back")
        fenced = {broker.id for broker in view.brokers() if broker.is_fenced}
        for member in partition.isr:
            must(member not in fenced, f"I14: {member} is fenced and in sync")
        must(partition.leader_id == -1 or partition.leader_id in partition.isr, "I15: the leader is not in sync")
        if partition != before:
            self.check_members()

    def check_members(self) -> None:
        """I8: in-sync and eligible replicas hold all committed records; one that lost power may not, until it is
        in sync again.
        """
        if self.image is not None:
            for member in (*self.image.isr, *self.image.elr):
                if member != self._cluster.unsure:
                    self._must_hold_all(member, f"I8: isr {self.image.isr}, elr {self.image.elr}")

    def _must_hold_all(self, node_id: int, why: str) -> None:
        self._must_begin_so(node_id, self.end_offset, f"it lacks committed batches; {why}")

    def _must_begin_so(self, node_id: int, end_offset: int, why: str) -> None:
        """A log has all committed batches below an offset."""
        here = self._logs[node_id].batches()
        must(_starts_with(here, self.committed, end_offset), f"{node_id}: {why}")

    def is_committed(self, offset: int, value: str) -> bool:
        """I5, I6: the record that a client observed is committed, at that offset."""
        batch = self._by_offset.get(offset)
        return batch is not None and value.encode() in batch.data


def _starts_with(here: list[Batch], committed: list[Batch], end_offset: int) -> bool:
    """Whether a log has all committed batches below an offset, apart from those below its start."""
    names = [batch.name for batch in committed if batch.last_offset < end_offset]
    return [batch.name for batch in here[: len(names)]] == names


class NodeInvariants:
    """All partitions of one run, of which `kind` has the history of each."""

    kind: ClassVar[type[PartitionInvariants]] = PartitionInvariants

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._partitions = {
            (topic, index): self.kind(cluster, topic, index)
            for topic, count in cluster.topics.items()
            for index in range(count)
        }
        self._broker_epochs: dict[int, int] = {}
        self._image_offset = -1

    @property
    def committed_count(self) -> int:
        """How many batches were committed, in all partitions."""
        return sum(len(partition.committed) for partition in self._partitions.values())

    def acknowledged(self, key: str, offset: int, value: str) -> None:
        """I5: records acknowledged to acks=all are committed."""
        must(self._of(key).is_committed(offset, value), f"I5: {value} is acknowledged at {offset} and not committed")

    def polled(self, key: str, reads: list[tuple[int, str]]) -> None:
        """I6: consumers read committed records."""
        for offset, value in reads:
            must(self._of(key).is_committed(offset, value), f"I6: {value} is read at {offset} and not committed")

    def _of(self, key: str) -> PartitionInvariants:
        topic, _, index = key.rpartition("/")
        return self._partitions[topic, int(index)]

    def _controlled(self, view: Inspection) -> None:
        for broker in view.brokers():
            last = self._broker_epochs.get(broker.id, -1)
            must(broker.epoch >= last, f"I7: the epoch of broker {broker.id} goes back")
            self._broker_epochs[broker.id] = broker.epoch
        for partition in self._partitions.values():
            partition.controlled(view)

    def _look_at_metadata(self, view: Inspection) -> None:
        """By whoever knows it first: the controller that has committed it may be gone."""
        if view.metadata_offset > self._image_offset:
            self._image_offset = view.metadata_offset
            self._controlled(view)

    def _node_of(self, part: object, part_of: Callable[[Broker], object]) -> Node | None:
        """The running node with this part of a broker; None if it has ended."""
        for node in self._cluster.nodes.values():
            broker = getattr(node.server, "broker", None)
            if broker is not None and part_of(broker) is part:
                return node
        return None

    @property
    def partitions(self) -> Mapping[tuple[str, int], PartitionInvariants]:
        return self._partitions

    def elected(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        """A node leads a partition."""
        partition.elected(replica, node)

    def moved(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        """A high watermark has moved."""
        partition.moved(replica, node)

    def appended(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        """Batches were appended, which need not be committed. Runs of transactions look at them."""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at each event of these nodes while it lasts."""

        def partition_event(
            check: Callable[[PartitionInvariants, ReplicaView, Node], None], effect: int | None = None
        ) -> Callable[..., None]:
            def look(events: PartitionEvents, partition: Partition, _now: object) -> None:
                if effect is not None and not partition.effects & effect:
                    return
                node = self._node_of(events, lambda broker: broker.partitions.events)
                known = self._partitions.get((partition.topic, partition.index))
                if node is not None and known is not None:
                    view = node.view
                    self._look_at_metadata(view)
                    replica = view.replica(partition.topic, partition.index)
                    assert replica is not None
                    check(known, replica, node)

            return look

        def metadata(coordinators: Coordinators, *_images: object) -> None:
            node = self._node_of(coordinators, lambda broker: broker.coordinators)
            if node is not None:
                self._look_at_metadata(node.view)

        with (
            before(PartitionEvents, "carry_out", partition_event(self.appended, APPENDED)),
            before(PartitionEvents, "carry_out", partition_event(self.moved, HIGH_WATERMARK_MOVED)),
            before(PartitionEvents, "elected", partition_event(self.elected)),
            before(Coordinators, "on_metadata", metadata),
        ):
            yield


@contextmanager
def before(owner: type, name: str, look: Callable[..., None]) -> Iterator[None]:
    """Call the check before each call of a method."""
    own: Any = getattr(owner, name)

    def watched(*arguments: Any) -> Any:
        look(*arguments)
        return own(*arguments)

    setattr(owner, name, watched)
    try:
        yield
    finally:
        setattr(owner, name, own)
