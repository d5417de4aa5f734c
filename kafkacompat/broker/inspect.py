"""A read-only view of a node for tests and tools. It returns plain values, a snapshot of the current loop turn.

Reading changes and creates nothing.
"""

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.replication.partition import Partition

    class Node(services.Identity, services.Metadata, services.Quorum, services.Storage, services.Waiting, Protocol):
        """The services that are inspected."""

        @property
        def partitions(self) -> ReplicaManager: ...


class ReplicaView(NamedTuple):
    """A local replica. `isr` is that of the newest metadata that the replica has applied."""

    topic: str
    partition: int
    leader_epoch: int
    isr: tuple[int, ...]
    log_start_offset: int
    high_watermark: int
    log_end_offset: int
    size_bytes: int
    is_leader: bool
    has_failed: bool


class PartitionView(NamedTuple):
    """A partition in this node's metadata; `leader_id` is -1 while it has no leader."""

    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


class BrokerView(NamedTuple):
    """A broker in this node's metadata."""

    id: int
    epoch: int
    is_fenced: bool
    is_stopping: bool


class Inspection:
    """The view of one node. Each call returns the current state."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    @property
    def node_id(self) -> int:
        """The node's id."""
        return self._node.node_id

    def topics(self) -> dict[str, bytes]:
        """Topic ids by topic name."""
        return {name: topic.topic_id for name, topic in self._node.image.topics.items()}

    def brokers(self) -> list[BrokerView]:
        """All registered brokers."""
        return [
            BrokerView(broker.id, broker.epoch, broker.fenced, broker.in_controlled_shutdown)
            for broker in self._node.image.brokers.values()
        ]

    def partitions(self, topic: str) -> list[PartitionView]:
        """The partitions of a topic, by index; empty if the topic does not exist."""
        found = self._node.image.topics.get(topic)
        partitions = () if found is None else found.partitions
        return [PartitionView(each.leader, each.leader_epoch, each.replicas, each.isr) for each in partitions]

    def replica(self, topic: str, index: int) -> ReplicaView | None:
        """The local replica of a partition; None if there is none."""
        partition = self._node.partitions.get(topic, index)
        return None if partition is None else _view(partition)

    def replicas(self) -> "Iterator[ReplicaView]":
        """All local replicas."""
        return map(_view, self._node.partitions)

    @property
    def metadata_offset(self) -> int:
        """The offset up to which the image includes the metadata log; partitions may lag, see `is_behind`."""
        return self._node.image.offset

    @property
    def is_behind(self) -> bool:
        """Whether partitions still have to apply the newest image."""
        return self._node.partitions.is_behind

    @property
    def is_active_controller(self) -> bool:
        """Whether this node is the active controller."""
        return self._node.quorum.is_active

    @property
    def is_waiting(self) -> bool:
        """Whether any request waits in the purgatory."""
        return not self._node.purgatory.is_empty

    @property
    def timer_count(self) -> int:
        """The number of timers that are set."""
        return len(self._node.timers)

    @property
    def failed_directory(self) -> str | None:
        """The error that took the data directory offline; None while it works."""
        return None if self._node.logs.offline is None else str(self._node.logs.offline)


def _view(partition: "Partition") -> ReplicaView:
    log = partition.log
    return ReplicaView(
        partition.topic,
        partition.index,
        partition.leader_epoch,
        tuple(partition.isr),
        partition.log_start_offset,
        partition.high_watermark,
        partition.log_end_offset,
        log.size_bytes,
        partition.is_leader,
        partition.has_failed,
    )
