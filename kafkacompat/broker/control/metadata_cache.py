"""Which brokers there are and where each is reached, as the newest image has it."""

from kafkacompat.broker.network import Address
from kafkacompat.broker.roles import inter_broker_listener
from kafkacompat.replication.metadata.image import EMPTY_IMAGE
from kafkacompat.replication.raft.election_state import NO_NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.replication.metadata.image import MetadataImage

    Node = tuple[int, str, int, str | None]


class MetadataCache:
    """The brokers of a cluster, this one among them. `image` is set to the newest one with `take`."""

    def __init__(self, config: "BrokerConfig", rng: "Random") -> None:
        self._inter_broker = inter_broker_listener(config)
        self._rng = rng
        self._image = EMPTY_IMAGE
        self._nodes: dict[tuple[str, bool], list[Node]] = {}
        self._addresses: dict[int, Address] = {}

    def set_image(self, image: "MetadataImage") -> None:
        """Answer from this image from now on."""
        if image.brokers is not self._image.brokers:
            self._nodes.clear()
            self._addresses.clear()
        self._image = image

    def nodes(self, listener: str, *, include_fenced: bool = False) -> "list[Node]":
        """(id, host, port, rack) of each broker that can be reached on `listener`, by id."""
        key = (listener, include_fenced)
        nodes = self._nodes.get(key)
        if nodes is None:
            nodes = self._nodes[key] = [
                (broker_id, endpoint.host, endpoint.port, broker.rack)
                for broker_id, broker in sorted(self._image.brokers.items())
                for endpoint in broker.endpoints
                if endpoint.name == listener and (include_fenced or not broker.fenced)
            ]
        return nodes

    def alive_nodes(self, listener: str) -> "list[Node]":
        """What clients are told of: those that are not fenced. While all are, as in the last moments of a cluster that
        stops, those that are known: librdkafka forgets every broker that is not in the answer, and would have nowhere
        to ask again.
        """
        return self.nodes(listener) or self.nodes(listener, include_fenced=True)

    def address_of(self, broker_id: int) -> Address | None:
        """Where that broker is reached by others, fenced or not; asked for with every fetch."""
        address = self._addresses.get(broker_id)
        if address is not None:
            return address
        broker = self._image.brokers.get(broker_id)
        if broker is None or not broker.endpoints:
            return None
        found = next((each for each in broker.endpoints if each.name == self._inter_broker), broker.endpoints[0])
        address = self._addresses[broker_id] = Address(found.host, found.port)
        return address

    def random_alive_broker_id(self) -> int:
        """What clients are told where they ask for the controller: any broker forwards what it is asked
        (Kafka's KRaftMetadataCache); −1 while there is none.
        """
        live = [broker.id for broker in self._image.brokers.values() if not broker.fenced]
        return self._rng.choice(live) if live else NO_NODE
