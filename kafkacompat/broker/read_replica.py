"""Selects the replica that a consumer reads from (KIP-392, Kafka's RackAwareReplicaSelector)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition


def preferred_read_replica(
    partition: "Partition", rack: str, fetch_offset: int, image: "MetadataImage", listener: str, now: "Now"
) -> int | None:
    """The in-sync follower in the consumer's rack with the highest end offset; None to read from the leader.

    A follower must hold `fetch_offset` and have an endpoint on the consumer's listener.
    """
    if not rack or not partition.is_leader or _rack_of(image, partition.node_id) == rack:
        return None
    found = [
        (follower.end_offset, follower.caught_up_ms - now.monotonic_ms, replica)
        for replica, follower in partition.in_sync.followers.items()
        if replica in partition.isr
        and follower.log_start_offset <= fetch_offset <= follower.end_offset
        and _rack_of(image, replica) == rack
        and _is_reached(image, replica, listener)
    ]
    return max(found)[2] if found else None


def may_be_elsewhere(partition: "Partition", rack: str, image: "MetadataImage") -> bool:
    """Whether the leader may send a consumer in this rack to a follower, now or once the follower has caught up."""
    if not partition.is_leader or _rack_of(image, partition.node_id) == rack:
        return False
    return any(_rack_of(image, replica) == rack for replica in partition.replicas)


def _rack_of(image: "MetadataImage", broker_id: int) -> str | None:
    broker = image.brokers.get(broker_id)
    return None if broker is None else broker.rack


def _is_reached(image: "MetadataImage", broker_id: int, listener: str) -> bool:
    broker = image.brokers[broker_id]
    return not broker.fenced and any(endpoint.name == listener for endpoint in broker.endpoints)
