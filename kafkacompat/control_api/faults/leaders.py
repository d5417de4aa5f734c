"""Moves leaders of partitions, coordinators of groups and the active controller."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage
    from kafkacompat.replication.metadata.result import Result
    from kafkacompat.server.broker_server import BrokerServer


def move_leader(server: BrokerServer, topic: str, partition: int, to: int | None = None) -> int:
    """Have the active controller, which is this node, elect another leader. Returns the new leader's id.

    to: an in-sync replica; None for the next one. If that is the present leader, it begins a new leader epoch. The
    change is committed later. Raises KafkaCompatError for a partition that is not there, or a broker that cannot lead.
    """
    broker = server.broker
    present = found(broker.image, topic, partition)
    chosen = successor(present) if to is None else to
    check_leader(broker.image, topic, partition, chosen)

    def decide(image: MetadataImage, _now: Now) -> Result:
        from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
        from kafkacompat.replication.metadata.result import Result

        check_leader(image, topic, partition, chosen)
        return Result([PartitionChangeRecord(partition, image.topics[topic].topic_id, leader=chosen)], None)

    _submit(server, decide)
    return chosen


def move_controller(server: BrokerServer, to: int | None = None) -> None:
    """Let the active controller, which is this node, resign, and name `to` first among its successors.

    A controller without other voters is elected again, in a new epoch. Raises KafkaCompatError if `to` is no voter.
    """
    quorum = server.broker.quorum
    voters = sorted(quorum.raft.client.voters)
    if to is not None and to not in voters:
        raise KafkaCompatError(f"node {to} is no controller: use one of {', '.join(map(str, voters))}")
    quorum.raft.resign_leadership(server.now(), to)


def leader(server: BrokerServer, topic: str, partition: int) -> tuple[int, int]:
    """(leader, leader epoch) of a partition that exists, as this node's metadata has it and its replicas follow it."""
    present = found(server.broker.image, topic, partition)
    return present.leader, present.leader_epoch


def controller(server: BrokerServer) -> tuple[int, int]:
    """(active controller, its epoch) as this node knows it; -1 while it knows none."""
    raft = server.broker.quorum.raft
    return raft.leader_id, raft.leader_epoch


def is_controller_active(server: BrokerServer) -> bool:
    """Whether this node is the active controller and has begun its work."""
    return server.broker.quorum.is_active and server.broker.controller_server.active is not None


def coordinator_partition(server: BrokerServer, topic: str, key: str) -> int:
    """The partition of a coordinator's topic that keeps a group or a transactional id."""
    from kafkacompat.broker.coordinator.coordinators import BY_TOPIC

    return server.broker.coordinators.partition_for(BY_TOPIC[topic], key)


def is_applied(server: BrokerServer) -> bool:
    """Whether this node's replicas follow its newest metadata, and its coordinators have loaded their state."""
    broker = server.broker
    made = (broker.coordinators.groups_if_made, broker.coordinators.transactions_if_made)
    is_loaded = all(context.is_active for each in made if each is not None for context in each.contexts())
    return not broker.partitions.is_behind and is_loaded


def found(image: MetadataImage, topic: str, partition: int) -> PartitionImage:
    """The partition. Raises KafkaCompatError if it does not exist."""
    present = image.partition(topic, partition)
    if present is None:
        count = len(image.topics[topic].partitions) if topic in image.topics else 0
        advice = f"it has {count}" if count else "create the topic first"
        raise KafkaCompatError(f"there is no partition {topic}-{partition}: {advice}")
    return present


def check_leader(image: MetadataImage, topic: str, partition: int, chosen: int) -> None:
    """Check that a broker may lead a partition. Raises KafkaCompatError."""
    present = found(image, topic, partition)
    name = f"{topic}-{partition}"
    if chosen not in present.replicas:
        raise KafkaCompatError(f"broker {chosen} has no replica of {name}: use one of {_ids(present.replicas)}")
    if chosen not in present.isr:
        isr = _ids(present.isr) or "empty"
        raise KafkaCompatError(f"broker {chosen} is not in the ISR of {name} ({isr}): wait, or use expand_isr")
    if not image.brokers[chosen].is_active:
        raise KafkaCompatError(f"broker {chosen} is fenced or stops: it cannot lead {name}")


def successor(present: PartitionImage) -> int:
    """The in-sync replica after the leader, in the order of the replicas; the leader itself if there is no other."""
    replicas = [each for each in present.replicas if each in present.isr]
    if present.leader not in replicas:
        return replicas[0] if replicas else present.leader
    return replicas[(replicas.index(present.leader) + 1) % len(replicas)]


def _submit(server: BrokerServer, decide: object) -> None:
    from kafkacompat.storage.errors import LogError

    try:
        server.broker.quorum.submit(decide, server.now())  # type: ignore[arg-type]
    except LogError as error:
        raise KafkaCompatError(f"node {server.broker.node_id} is not the active controller: {error}") from error


def _ids(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids))
