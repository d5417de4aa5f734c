"""Invariants of transactions in whole nodes: stories of the committed logs, and markers as soon as a disk has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from kafkacompat.protocol.internal import consumer_offsets, transaction_state
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.reader import read_records
from tests.sim.invariants import must
from tests.sim.nodes.invariants import NodeInvariants
from tests.sim.nodes.transaction_protocol import DOOMED, OFFSETS_TOPIC
from tests.sim.nodes.transaction_story import (
    COMPLETED,
    PREPARED,
    STATE_NAMES,
    Data,
    Marker,
    PartitionStory,
    Results,
    Row,
    RowStory,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.inspect import Inspection, ReplicaView
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.invariants import Batch, PartitionInvariants
    from tests.sim.nodes.node import Node

STATE_TOPIC = "__transaction_state"


class TransactionInvariants(NodeInvariants):
    """The invariants of whole nodes, and T1 to T6 and T9 as the logs show them.

    row_written: told each record of a transactional id when a disk has it for the first time, and on which node.
    coordinator_elected: told that a node leads a partition of the ids.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.results = Results()
        self.rows = RowStory()
        self.cluster = cluster
        self.coordinator_elected: Callable[[], None] = lambda: None
        self.row_written: Callable[[Row, Node], None] = lambda _row, _node: None
        self.stories: dict[tuple[str, int], PartitionStory] = {}
        self._inherited: dict[tuple[str, int, int], int] = {}  # by partition and leader epoch: the log end at its start
        self._prepared: dict[str, Row] = {}  # by transactional id: its newest PREPARE
        self._looked_at: dict[tuple[str, int, int], int] = {}  # by partition and node: up to which offset
        self._written: set[tuple[str, int, int, int]] = set()  # partition, offset, epoch and checksum
        for (topic, index), partition in self.partitions.items():
            if topic == STATE_TOPIC:
                partition.on_commit = self._row_committed
            else:
                self.stories[topic, index] = PartitionStory(f"{topic}-{index}", self.results)
                partition.on_commit = self._committed_in(self.stories[topic, index])

    def _committed_in(self, story: PartitionStory) -> Callable[[Batch], None]:
        def committed(batch: Batch) -> None:
            entry = entry_of(story.name, batch)
            if entry is not None:
                story.add(entry)

        return committed

    def _row_committed(self, batch: Batch) -> None:
        for row in rows_of(batch):
            self.rows.add(row)
            if row.state in PREPARED:
                self._prepared[row.transactional_id] = row
            elif row.state in COMPLETED and row.transactional_id in self._prepared:
                self._check_complete(self._prepared.pop(row.transactional_id))

    def _check_complete(self, prepared: Row) -> None:
        """T6: COMPLETE is written behind the last marker."""
        for key in prepared.partitions - {(DOOMED, 0)}:
            story = self.stories.get(key)
            must(story is not None, f"{prepared.transactional_id} has the partition {key}, which no client uses")
            assert story is not None
            left = story.open.get(prepared.producer_id)
            must(
                left is None,
                f"T6: {prepared.transactional_id} is complete, and {left and left.name} is open in {story.name}",
            )

    def elected(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        super().elected(partition, replica, node)
        self._inherited[partition.topic, partition.index, replica.leader_epoch] = replica.log_end_offset
        if partition.topic == STATE_TOPIC:
            self.coordinator_elected()

    def is_inherited(self, topic: str, index: int, leader_epoch: int, high_watermark: int) -> bool:
        """Whether a leader may have markers at or above the high watermark that were there when it was elected.

        After a clean restart it does not know that these are not replicated, as Kafka's do not: the snapshot of the
        producers has open transactions alone. Nobody reads anything wrong: what the marker says is decided.
        """
        return high_watermark <= self._inherited.get((topic, index, leader_epoch), 0)

    def appended(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        """T1, before a marker can be committed."""
        key = partition.topic, partition.index, node.id
        batches = partition.log_of(node.id).batches()
        from_offset = min(self._looked_at.get(key, 0), replica.high_watermark)
        self._looked_at[key] = replica.log_end_offset
        for batch in reversed(batches):
            if batch.base_offset < from_offset:
                break
            self._look_at(partition, batch, node)

    def _look_at(self, partition: PartitionInvariants, batch: Batch, node: Node) -> None:
        place = f"{partition.topic}-{partition.index}"
        if partition.topic == STATE_TOPIC:
            name = place, batch.base_offset, batch.epoch, batch.crc
            if name not in self._written:
                self._written.add(name)
                for row in rows_of(batch):
                    self.row_written(row, node)
        elif batch.is_control:
            entry = entry_of(place, batch)
            if isinstance(entry, Marker) and entry.offset >= partition.end_offset:
                self.rows.must_be_prepared(entry, f"is in {place} at {entry.offset} on node {node.id}")

    def is_settled(self) -> bool:
        """T6: whether no transaction is open or prepared."""
        return not any(story.open for story in self.stories.values()) and not any(
            row.state in PREPARED for row in self.rows.rows.values()
        )

    def unsettled(self) -> list[str]:
        """What keeps it from being settled."""
        opened = [f"{story.name}: {[each.name for each in story.open.values()]}" for story in self.stories.values()]
        rows = [
            f"{name} ({row.producer_id}, {row.epoch}) {STATE_NAMES[row.state]}" for name, row in self.rows.rows.items()
        ]
        return [*opened, *rows]

    def check_producers(self, view: Inspection) -> None:
        """T6: no partition of a node has a transaction open that the committed logs do not have."""
        for topic, index in (*self.stories, (DOOMED, 0)):
            if view.replica(topic, index) is not None:
                open_ones = [each for each in view.producers(topic, index) if each.transaction_start_offset >= 0]
                must(
                    not open_ones, f"T6: node {view.node_id} has open transactions in {topic}-{index}: {open_ones[:2]}"
                )


def entry_of(place: str, batch: Batch) -> Data | Marker | None:
    """A batch of a transaction, or a marker; None for what is outside of transactions."""
    producer_id, epoch, _ = batch.producer
    if not batch.is_transactional:
        return None
    records = list(read_records(batch.data, 0, read_header(batch.data, 0)))
    if batch.is_control:
        kind = control.decode_key(records[0].key)
        must(kind in (control.ABORT, control.COMMIT), f"{place} has a control record of kind {kind}")
        coordinator_epoch = control.decode_end_transaction(records[0].value)
        return Marker(batch.base_offset, producer_id, epoch, kind == control.COMMIT, coordinator_epoch)
    value_of = offset_value if place.startswith(OFFSETS_TOPIC) else lambda _key, value: value.decode()
    values = tuple(value_of(record.key or b"", record.value or b"") for record in records)
    return Data(batch.base_offset, batch.last_offset, producer_id, epoch, values)


def offset_value(key: bytes, value: bytes) -> str:
    """A committed offset as a value of its transaction; the group is named after the transactional id."""
    record_type, decoded = consumer_offsets.decode_key(key)
    commit: Any = consumer_offsets.decode_value(record_type, value)
    return f"{cast('consumer_offsets.OffsetCommitKey', decoded).group}.{commit.offset}.offset"


def rows_of(batch: Batch) -> list[Row]:
    """The records of transactional ids in a batch. A tombstone is an error: no id expires in a run."""
    found = []
    if not batch.is_control:
        for record in read_records(batch.data, 0, read_header(batch.data, 0)):
            record_type, key = transaction_state.decode_key(record.key or b"")
            transactional_id = cast("transaction_state.TransactionLogKey", key).transactional_id
            must(record.value is not None, f"{transactional_id} has expired")
            value: Any = transaction_state.decode_value(record_type, record.value or b"")
            partitions = frozenset(
                (each.topic, index) for each in value.transaction_partitions or () for index in each.partition_ids
            )
            found.append(
                Row(
                    transactional_id, value.producer_id, value.producer_epoch, value.transaction_status,
                    partitions, value.client_transaction_version,
                )
            )  # fmt: skip
    return found
