"""A node as tools see it: what is there in this turn of the loop, in plain values that stay as they are.

Nothing is changed, created or moved by looking. Tests look through it; a web page, a REST interface and metrics will.
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
        """What this takes of its node."""

        @property
        def partitions(self) -> ReplicaManager: ...


class ReplicaView(NamedTuple):
    """A replica on this node. Offsets are those of its log; `isr` is that of the newest metadata that it follows."""

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
    """A partition in the cluster, as this node's metadata has it; `leader_id` is -1 while there is none."""

    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


class BrokerView(NamedTuple):
    """A broker in the cluster, as this node's metadata has it."""

    id: int
    epoch: int
    is_fenced: bool
    is_stopping: bool


class Inspection:
    """One node, to be looked at. Each question is answered as things are when it is asked."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    @property
    def node_id(self) -> int:
        """Of this node."""
        return self._node.node_id

    def topics(self) -> dict[str, bytes]:
        """Ids by name."""
        return {name: topic.topic_id for name, topic in self._node.image.topics.items()}

    def brokers(self) -> list[BrokerView]:
        """All that are registered."""
        return [
            BrokerView(broker.id, broker.epoch, broker.fenced, broker.in_controlled_shutdown)
            for broker in self._node.image.brokers.values()
        ]

    def partitions(self, topic: str) -> list[PartitionView]:
        """Of a topic, in their order; empty where there is no such topic."""
        found = self._node.image.topics.get(topic)
        partitions = () if found is None else found.partitions
        return [PartitionView(each.leader, each.leader_epoch, each.replicas, each.isr) for each in partitions]

    def replica(self, topic: str, index: int) -> ReplicaView | None:
        """The replica of a partition, None where this node has none."""
        partition = self._node.partitions.get(topic, index)
        return None if partition is None else _view(partition)

    def replicas(self) -> "Iterator[ReplicaView]":
        """All of this node."""
        return map(_view, self._node.partitions)

    @property
    def metadata_offset(self) -> int:
        """How far this node has applied the metadata log; its partitions may be behind, see `is_behind`."""
        return self._node.image.offset

    @property
    def is_behind(self) -> bool:
        """Whether partitions still have to do what the metadata says."""
        return self._node.partitions.is_behind

    @property
    def is_active_controller(self) -> bool:
        """Whether this node decides for the cluster."""
        return self._node.quorum.is_active

    @property
    def is_waiting(self) -> bool:
        """Whether any request waits for something."""
        return not self._node.purgatory.is_empty

    @property
    def timer_count(self) -> int:
        """How many things are to happen at a time."""
        return len(self._node.timers)

    @property
    def failed_directory(self) -> str | None:
        """What has taken the data directory offline; None while it works."""
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
