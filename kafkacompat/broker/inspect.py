"""A read-only view of a node for tests and tools. It returns plain values, a snapshot of the current loop iteration.

Reading changes and creates nothing, and costs only what was asked for.
"""

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.coordinator.coordinators import Coordinators
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
    from kafkacompat.broker.coordinator.txn.state import Transaction
    from kafkacompat.broker.fetch_session import FetchSession
    from kafkacompat.broker.fetch_session_cache import FetchSessionCache
    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.replication.partition import Partition

    class Node(services.Identity, services.Metadata, services.Quorum, services.Storage, services.Waiting, Protocol):
        """The services that are inspected."""

        @property
        def coordinators(self) -> Coordinators: ...
        @property
        def fetch_sessions(self) -> FetchSessionCache: ...
        @property
        def partitions(self) -> ReplicaManager: ...


class TransactionView(NamedTuple):
    """A transactional id. `start_ms` is the wall time at which its transaction began; -1 if none has."""

    id: str
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    start_ms: int
    partitions: tuple[tuple[str, int], ...]


class QuorumView(NamedTuple):
    """The metadata quorum in this node's view; `leader_id` is -1 while the leader is unknown."""

    leader_id: int
    leader_epoch: int
    log_end_offset: int
    high_watermark: int


class ReplicaView(NamedTuple):
    """A local replica. `isr` is that of the newest metadata that the replica has applied; `maximal_isr` includes the
    replicas that its leader has asked the controller to add.
    """

    topic: str
    partition: int
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    maximal_isr: tuple[int, ...]
    log_start_offset: int
    high_watermark: int
    log_end_offset: int
    size_bytes: int
    segment_count: int
    is_leader: bool
    has_failed: bool


class ProducerView(NamedTuple):
    """A producer in the state of a local replica. `transaction_start_offset` is -1 without an open transaction."""

    id: int
    epoch: int
    last_sequence: int
    last_offset: int
    transaction_start_offset: int


class PartitionView(NamedTuple):
    """A partition in this node's metadata; `leader_id` is -1 while it has no leader."""

    leader_id: int
    leader_epoch: int
    partition_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]


class BrokerView(NamedTuple):
    """A broker in this node's metadata."""

    id: int
    epoch: int
    is_fenced: bool
    is_stopping: bool


class MemberView(NamedTuple):
    """A member of a group; `instance_id` is None for a dynamic one."""

    id: str
    instance_id: str | None
    client_id: str
    client_host: str
    assignment: bytes


class GroupView(NamedTuple):
    """A group that this node coordinates, in its newest state, which may not be committed yet."""

    id: str
    kind: str
    state: str
    generation: int
    protocol_type: str
    protocol: str | None
    leader: str | None
    members: tuple[MemberView, ...]


class FetchSessionView(NamedTuple):
    """A fetch session (KIP-227). `epoch` is expected in its next request, which has to read `due_count` partitions (of
    a follower: those that are not idle); `waiting_count` fetches of it are delayed.
    """

    id: int
    epoch: int
    is_follower: bool
    partition_count: int
    due_count: int
    waiting_count: int


class WaitView(NamedTuple):
    """A request in the purgatory: the keys that can complete it, and its deadline (monotonic)."""

    keys: tuple[str, ...]
    deadline_ms: int


class ConnectionView(NamedTuple):
    """An open connection. Client id, software name and version come from its ApiVersions request; empty before that."""

    id: int
    client_host: str
    listener: str
    client_id: str
    software_name: str
    software_version: str
    waits: tuple[WaitView, ...]


class Inspection:
    """The view of one node. Each call returns the current state.

    connections: returns the open connections, which the server keeps.
    """

    def __init__(self, node: "Node", connections: "Callable[[], Iterable[Connection]]" = tuple) -> None:
        self._node = node
        self._connections = connections

    # The cluster, as this node knows it.

    @property
    def node_id(self) -> int:
        """The node's id."""
        return self._node.node_id

    @property
    def cluster_id(self) -> str:
        """The cluster's id."""
        return self._node.cluster_id

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
        return [
            PartitionView(each.leader, each.leader_epoch, each.partition_epoch, each.replicas, each.isr, each.elr)
            for each in (() if found is None else found.partitions)
        ]

    @property
    def quorum(self) -> QuorumView:
        """The metadata quorum."""
        raft = self._node.quorum.raft
        return QuorumView(raft.leader_id, raft.leader_epoch, raft.log.log_end_offset, raft.high_watermark)

    @property
    def is_active_controller(self) -> bool:
        """Whether this node is the active controller."""
        return self._node.quorum.is_active

    @property
    def metadata_offset(self) -> int:
        """The offset up to which the image includes the metadata log; partitions may lag, see `is_behind`."""
        return self._node.image.offset

    @property
    def is_behind(self) -> bool:
        """Whether partitions still have to apply the newest image."""
        return self._node.partitions.is_behind

    # Replicas and their logs.

    def replica(self, topic: str, index: int) -> ReplicaView | None:
        """The local replica of a partition; None if there is none."""
        partition = self._node.partitions.get(topic, index)
        return None if partition is None else _replica(partition)

    def replicas(self) -> "Iterator[ReplicaView]":
        """All local replicas."""
        return map(_replica, self._node.partitions)

    def producers(self, topic: str, index: int) -> list[ProducerView]:
        """The producers in the state of a local replica; empty if there is no such replica."""
        partition = self._node.partitions.get(topic, index)
        return [
            ProducerView(
                each.producer_id, each.epoch, each.last_sequence, each.last_offset, each.transaction_first_offset
            )
            for each in (() if partition is None else partition.log.producers.entries.values())
        ]

    @property
    def offline_directories(self) -> dict[str, str]:
        """Log directories whose disks failed, and why."""
        return {directory.path: str(directory.offline) for directory in self._node.logs.offline_directories}

    # Groups.

    def groups(self) -> "Iterator[GroupView]":
        """All groups in the loaded shards of this node."""
        return (_group(group) for shard in self._shards() for group in shard.groups.values())

    def group(self, group_id: str) -> GroupView | None:
        """A group by id; None if it is not loaded on this node."""
        found = (shard.groups.get(group_id) for shard in self._shards())
        return next((_group(group) for group in found if group is not None), None)

    def committed_offsets(self, group_id: str) -> dict[tuple[str, int], int]:
        """The committed offsets of a group, by topic and partition."""
        return {
            (topic, index): committed[0]
            for shard in self._shards()
            for topic, partitions in shard.offsets.all(group_id, newest=False).items()
            for index, committed in partitions.items()
        }

    def transactions(self) -> "Iterator[TransactionView]":
        """All transactional ids in the loaded shards of this node, in their newest state."""
        made = self._node.coordinators.transactions_if_made
        return (_transaction(row) for shard in (made.shards() if made else ()) for row in shard.rows.values())

    def _shards(self) -> "Iterator[GroupCoordinatorShard]":
        groups = self._node.coordinators.groups_if_made
        return iter(()) if groups is None else groups.shards()

    # Clients, and what waits.

    def connections(self) -> "Iterator[ConnectionView]":
        """All open connections."""
        return map(_connection, self._connections())

    def fetch_sessions(self) -> list[FetchSessionView]:
        """All fetch sessions in the cache, the least recently used first."""
        return [_fetch_session(each) for each in self._node.fetch_sessions]

    @property
    def waiting_count(self) -> int:
        """The number of requests in the purgatory."""
        return len(self._node.purgatory)

    @property
    def timer_count(self) -> int:
        """The number of timers that are set."""
        return len(self._node.timers)


def _replica(partition: "Partition") -> ReplicaView:
    log, in_sync = partition.log, partition.in_sync
    return ReplicaView(
        partition.topic,
        partition.index,
        partition.leader_epoch,
        in_sync.partition_epoch,
        tuple(partition.isr),
        tuple(in_sync.maximal_isr),
        partition.log_start_offset,
        partition.high_watermark,
        partition.log_end_offset,
        log.size_bytes,
        len(log.segments.all),
        partition.is_leader,
        partition.has_failed,
    )


def _group(group: "Group") -> GroupView:
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
    from kafkacompat.broker.coordinator.group.frozen import FrozenGroup

    if isinstance(group, FrozenGroup):  # of its members only the ids are known
        frozen = tuple(MemberView(member_id, None, "", "", b"") for member_id in sorted(group.members))
        return GroupView(group.id, group.kind, group.state, 0, group.listed_protocol_type, None, None, frozen)
    assert isinstance(group, ClassicGroup), "another kind of group gets its view with its implementation"
    members = (
        MemberView(each.id, each.instance_id, each.client.id, each.client.host, each.assignment)
        for each in group.members.values()
    )
    return GroupView(
        group.id,
        group.kind,
        group.state,
        group.generation,
        group.listed_protocol_type,
        group.protocol,
        group.leader,
        tuple(members),
    )


def _transaction(row: "Transaction") -> TransactionView:
    return TransactionView(
        row.transactional_id, row.state_name, row.producer_id, row.epoch, row.timeout_ms, row.start_ms,
        tuple(sorted(row.shown_partitions)),
    )  # fmt: skip


def _connection(connection: "Connection") -> ConnectionView:
    return ConnectionView(
        connection.id,
        connection.client_host,
        connection.listener,
        connection.client_id,
        connection.software_name,
        connection.software_version,
        tuple(WaitView(tuple(map(_key, each.keys)), each.deadline_ms) for each in connection.waiting),
    )


def _fetch_session(session: "FetchSession") -> FetchSessionView:
    follower = session.follower
    due_count = len(session.due if follower is None else follower.moved)
    waiting_count = session.waiting if follower is None else int(follower.is_waiting)
    return FetchSessionView(
        session.id, session.epoch, session.is_privileged, len(session.partitions), due_count, waiting_count
    )


def _key(key: "Hashable") -> str:
    """A purgatory key as text: `topic-partition`, a word, or the class of an object."""
    if isinstance(key, tuple):
        return "-".join(map(str, key))
    return key if isinstance(key, str) else type(key).__name__
