"""Placement of the replicas of new partitions (Kafka's StripedReplicaPlacer, but deterministic)."""

from kafkacompat.protocol.error_codes import INVALID_REPLICATION_FACTOR
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage


def place(image: "MetadataImage", topic: str, first: int, count: int, replication_factor: int) -> list[tuple[int, ...]]:
    """The replicas of `count` partitions from index `first` on, the preferred leader first.

    Leaders are assigned round-robin to the unfenced brokers. A hash of the topic's name chooses the first one, so that
    topics with one partition are spread as well. A follower goes to a rack with the fewest replicas of the partition so
    far; on it unfenced brokers come first, then the order of the ring after the leader. That order is shifted by one
    after each round of leaders, so that the partitions led by one broker have their followers on all others. Fenced
    brokers get followers only. Brokers in controlled shutdown, and those whose log directories are all cordoned
    (KIP-1066), get no replicas. Raises RefusedError as Kafka's replica placer does.
    """
    usable = {broker.id: broker for broker in image.brokers.values() if _is_usable(broker)}
    ring = _ring(list(usable.values()))
    leaders = [broker for broker in ring if not usable[broker].fenced]
    if not leaders:
        reason = "All brokers are currently fenced, or have all their log directories cordoned."
        raise RefusedError(INVALID_REPLICATION_FACTOR, reason)
    if replication_factor > len(ring):
        reason = f"The target replication factor of {replication_factor} cannot be reached because only {len(ring)} "
        reason += "broker(s) are registered or some brokers have all their log directories cordoned."
        raise RefusedError(INVALID_REPLICATION_FACTOR, reason)
    start = first + _start(topic, len(leaders))
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    placed = []
    for n in range(start, start + count):
        leader, shift = leaders[n % len(leaders)], n // len(leaders) % max(1, len(ring) - 1)
        if (leader, shift) not in found:
            found[leader, shift] = _replicas(ring, usable, leader, shift, replication_factor)
        placed.append(found[leader, shift])
    return placed


def _is_usable(broker: "BrokerImage") -> bool:
    """Whether the broker may get replicas. One that has shut down is fenced and may: it is expected to return."""
    return not broker.is_cordoned and (broker.fenced or not broker.in_controlled_shutdown)


def _replicas(
    ring: list[int], brokers: "dict[int, BrokerImage]", leader: int, shift: int, replication_factor: int
) -> tuple[int, ...]:
    """The leader and its followers."""
    at = ring.index(leader)
    others = ring[at + 1 :] + ring[:at]
    others = others[shift:] + others[:shift]
    replicas = [leader]
    while len(replicas) < replication_factor:
        racks = [brokers[replica].rack for replica in replicas]
        chosen = min(others, key=lambda broker: (racks.count(brokers[broker].rack), brokers[broker].fenced))
        others.remove(chosen)
        replicas.append(chosen)
    return tuple(replicas)


def _ring(brokers: "list[BrokerImage]") -> list[int]:
    """All brokers, alternating between racks."""
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
