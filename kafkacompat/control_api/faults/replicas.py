"""Makes replicas lag, leave the ISR and return."""

from __future__ import annotations

from kafkacompat.control_api.faults.leaders import found
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def lag(server: BrokerServer, topic: str, partition: int) -> None:
    """Stop fetching a partition on this broker, whichever broker leads it, until `catch_up`.

    It leaves the ISR when `replica.lag.time.max.ms` is over and records have been written. Raises KafkaCompatError if
    the broker has no replica, or leads the partition.
    """
    broker = server.broker
    present = found(broker.image, topic, partition)
    if broker.node_id not in present.replicas:
        ids = ", ".join(map(str, present.replicas))
        raise KafkaCompatError(f"broker {broker.node_id} has no replica of {topic}-{partition}: use one of {ids}")
    if broker.node_id == present.leader:
        raise KafkaCompatError(f"broker {broker.node_id} leads {topic}-{partition}, and cannot lag: use move_leader")
    broker.fetchers.hold(topic, partition, broker.partitions.get(topic, partition))


def catch_up(server: BrokerServer, topic: str | None = None, partition: int = 0) -> None:
    """Fetch a partition again, or all of them (topic None)."""
    fetchers, partitions = server.broker.fetchers, server.broker.partitions
    wanted = lagging(server) if topic is None else [(topic, partition)]
    for key in wanted:
        fetchers.release(*key, partitions.get(*key), server.now())


def lagging(server: BrokerServer) -> list[tuple[str, int]]:
    """The partitions that `lag` keeps this broker from fetching, as (topic, partition)."""
    return sorted(server.broker.fetchers.held)


def propose_shrink(server: BrokerServer, topic: str, partition: int, replica: int) -> None:
    """Have this broker, the leader, propose an ISR without a replica now. Does nothing if it is not in the ISR.

    The controller decides later. Raises KafkaCompatError if this broker does not lead the partition.
    """
    local = server.broker.partitions.get(topic, partition)
    if local is None or not local.is_leader:
        raise KafkaCompatError(f"broker {server.broker.node_id} does not lead {topic}-{partition}")
    local.remove_from_isr(replica)
    server.broker.partitions.carry_out(local, server.now())


def isr(server: BrokerServer, topic: str, partition: int) -> tuple[int, ...]:
    """The in-sync replicas in this node's metadata."""
    return found(server.broker.image, topic, partition).isr
