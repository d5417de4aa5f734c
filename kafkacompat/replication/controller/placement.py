"""Where the replicas of new partitions go."""

from kafkacompat.protocol.error_codes import INVALID_REPLICATION_FACTOR
from kafkacompat.replication.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage


def place(image: "MetadataImage", topic: str, first: int, count: int, replication_factor: int) -> list[tuple[int, ...]]:
    """Replicas of `count` partitions from index `first` on, the preferred leader first.

    Leaders go round the unfenced brokers, starting where a hash of the topic's name says, so that topics with one
    partition spread too; followers are the next brokers round, alternating between racks. Fenced brokers get followers
    only. Raises RefusedError as Kafka's replica placer does.
    """
    ring = _ring(list(image.brokers.values()))
    leaders = [broker for broker in ring if not image.brokers[broker].fenced]
    if not leaders:
        raise _refused(replication_factor, "All brokers are currently fenced.")
    if replication_factor > len(ring):
        reason = f"The target replication factor of {replication_factor} cannot be reached because only {len(ring)} "
        raise _refused(replication_factor, reason + "broker(s) are registered.")
    start = first + _start(topic, len(leaders))
    return [_replicas(ring, leaders[(start + n) % len(leaders)], replication_factor) for n in range(count)]


def _replicas(ring: list[int], leader: int, replication_factor: int) -> tuple[int, ...]:
    at = ring.index(leader)
    return tuple(ring[(at + n) % len(ring)] for n in range(replication_factor))


def _ring(brokers: "list[BrokerImage]") -> list[int]:
    """All brokers, one of each rack in turn."""
    racks: dict[str | None, list[int]] = {}
    for broker in sorted(brokers, key=lambda broker: broker.id):
        racks.setdefault(broker.rack, []).append(broker.id)
    rounds = max((len(rack) for rack in racks.values()), default=0)
    return [rack[n] for n in range(rounds) for rack in racks.values() if n < len(rack)]


def _start(topic: str, leader_count: int) -> int:
    if leader_count == 1:
        return 0
    from mmh3 import hash as murmur3

    return int(murmur3(topic, signed=False)) % leader_count


def _refused(replication_factor: int, reason: str) -> RefusedError:
    message = f"Unable to replicate the partition {replication_factor} time(s): {reason}"
    return RefusedError(INVALID_REPLICATION_FACTOR, message)
