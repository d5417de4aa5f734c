"""Invariants of brokers, checked after each event (I1 to I11, I14, I15), at a cost proportional to its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sim.invariants import must

if TYPE_CHECKING:
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage
    from kafkacompat.replication.partition import Partition
    from tests.sim.replication.memory_log import Batch

TOPIC = "t"


class Invariants:
    """The history of a run.

    `committed` grows when any leader's high watermark passes a batch. `match` is how much of it each broker's log
    holds, and `may_have_lost` are brokers whose power went and that have not registered since: what the controller
    believes of them is out of date, as it may be.
    """

    def __init__(self) -> None:
        self.committed: list[Batch] = []
        self.match: dict[int, int] = {}
        self.logs: dict[int, list[Batch]] = {}
        self.may_have_lost: set[int] = set()
        self.partition: PartitionImage | None = None  # the controller's committed image
        self.leaders: dict[int, tuple[int, int]] = {}  # by leader epoch: node, incarnation
        self._batches: dict[tuple[int, int], str] = {}  # by offset, epoch
        self._sequences: dict[int, tuple[int, int]] = {}  # by producer: epoch and sequence of its last committed batch
        self._broker_epochs: dict[int, int] = {}
        self._high_watermarks: dict[tuple[int, int], int] = {}

    # --- logs ---

    def appended(self, node_id: int, offset: int, batch: Batch) -> None:
        """I4: an offset and an epoch are one batch, wherever."""
        key = (offset, batch.epoch)
        must(self._batches.setdefault(key, batch.value) == batch.value, f"two batches at {key}")
        if self.match[node_id] == offset:
            self._extend(node_id)

    def cut(self, node_id: int, offset: int) -> None:
        """A log ends at `offset` now."""
        self.match[node_id] = min(self.match[node_id], offset)

    def found(self, node_id: int, batches: list[Batch]) -> None:
        """A log is what the power loss has left."""
        self.logs[node_id] = batches
        self.match[node_id] = 0
        self._extend(node_id)

    def _extend(self, node_id: int) -> None:
        batches, committed, match = self.logs[node_id], self.committed, self.match[node_id]
        while match < len(committed) and match < len(batches) and _same(batches[match], committed[match]):
            match += 1
        self.match[node_id] = match

    # --- leaders ---

    def leads(self, partition: Partition, incarnation: int) -> None:
        """I1: one leader per epoch. I3: the leader of the newest epoch holds all committed records."""
        epoch, node_id = partition.leader_epoch, partition.node_id
        leader = self.leaders.setdefault(epoch, (node_id, incarnation))
        must(leader == (node_id, incarnation), f"{leader} and {(node_id, incarnation)} lead epoch {epoch}")
        assert self.partition is not None
        if epoch == self.partition.leader_epoch:
            self._must_hold_all(node_id, f"it leads epoch {epoch}")

    def moved(self, partition: Partition, incarnation: int) -> None:
        """A leader's high watermark has advanced: records below are committed. I2, I7, I9, I11."""
        node_id, high_watermark = partition.node_id, partition.high_watermark
        key = (node_id, incarnation)
        must(high_watermark >= self._high_watermarks.get(key, 0), f"the high watermark of {key} goes back")
        self._high_watermarks[key] = high_watermark
        batches, committed = self.logs[node_id], self.committed
        must(high_watermark <= len(batches), f"{node_id} has a high watermark beyond its log")
        if high_watermark > len(committed):
            must(self.match[node_id] == len(committed), f"{node_id} commits on top of what it does not hold")
            for batch in batches[len(committed) : high_watermark]:
                self._commit(batch)
            for other in self.match:
                self._extend(other)
            self._check_members()
        must(self.match[node_id] >= high_watermark, f"{node_id} commits another batch below {high_watermark}")
        current = self.partition
        assert current is not None
        if (
            partition.leader_epoch == current.leader_epoch
            and partition.in_sync.partition_epoch <= current.partition_epoch
        ):
            maximal = partition.in_sync.maximal_isr
            must(set(current.isr) <= set(maximal), f"{node_id} commits for {maximal}, in sync are {current.isr}")

    def _commit(self, batch: Batch) -> None:
        """I11: each producer's batches come once and in order."""
        if batch.producer_id >= 0:
            epoch, sequence = self._sequences.get(batch.producer_id, (-1, -1))
            expected = sequence + 1 if batch.producer_epoch == epoch else 0
            must(
                batch.producer_epoch >= epoch and batch.sequence == expected,
                f"{batch.value} is committed as {batch.producer_epoch}/{batch.sequence} after {epoch}/{sequence}",
            )
            self._sequences[batch.producer_id] = (batch.producer_epoch, batch.sequence)
        self.committed.append(batch)

    # --- the controller ---

    def controlled(self, image: MetadataImage) -> None:
        """The controller has committed a change. I7, I8, I14."""
        partition = image.topics[TOPIC].partitions[0]
        before, self.partition = self.partition, partition
        if before is not None:
            must(partition.leader_epoch >= before.leader_epoch, "the leader epoch goes back")
            must(partition.partition_epoch >= before.partition_epoch, "the partition epoch goes back")
        for broker in image.brokers.values():
            epoch = self._broker_epochs.setdefault(broker.id, broker.epoch)
            must(broker.epoch >= epoch, f"the epoch of broker {broker.id} goes back")
            if broker.epoch > epoch:
                self._broker_epochs[broker.id] = broker.epoch
        for member in partition.isr:
            must(not image.brokers[member].fenced, f"{member} is fenced and in sync")
        must(partition.leader == -1 or partition.leader in partition.isr, "the leader is not in sync")
        must(partition.recovery_state == 0, "a leader was elected that may lack committed records")
        self._check_members()

    def _check_members(self) -> None:
        """I8: in-sync and eligible replicas hold all committed records."""
        if self.partition is not None:
            for member in (*self.partition.isr, *self.partition.elr):
                if member not in self.may_have_lost:
                    self._must_hold_all(member, f"isr {self.partition.isr}, elr {self.partition.elr}")

    def _must_hold_all(self, node_id: int, why: str) -> None:
        held, total = self.match[node_id], len(self.committed)
        must(held == total, f"broker {node_id} holds {held} of {total} committed batches, and {why}")

    # --- clients ---

    def acknowledged(self, offset: int, value: str) -> None:
        """I5: a record acknowledged to acks=all is committed, at that offset."""
        must(offset < len(self.committed), f"{value} is acknowledged at {offset} and not committed")
        must(self.committed[offset].value == value, f"{value} is acknowledged where another is")

    def read(self, offset: int, batches: list[Batch]) -> None:
        """I6: consumers read committed records."""
        for at, batch in enumerate(batches, offset):
            must(at < len(self.committed) and _same(batch, self.committed[at]), f"{batch.value} is read at {at}")


def _same(one: Batch, other: Batch) -> bool:
    return one is other or (one.value == other.value and one.epoch == other.epoch)
