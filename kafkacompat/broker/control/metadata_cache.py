"""The brokers of the newest image and their addresses."""

from kafkacompat.broker.network import Address
from kafkacompat.broker.roles import inter_broker_listener
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.replication.metadata.image import MetadataImage

    Node = tuple[int, str, int, str | None]


class MetadataCache:
    """The brokers of a cluster, including this one. Derived lists are cached until the brokers change."""

    def __init__(self, config: "BrokerConfig", rng: "Random") -> None:
        self._inter_broker = inter_broker_listener(config)
        self._rng = rng
        self._image = EMPTY_IMAGE
        self._nodes: dict[tuple[str, bool], list[Node]] = {}
        self._addresses: dict[int, Address] = {}

    def set_image(self, image: "MetadataImage") -> None:
        """Use this image from now on."""
        if image.brokers is not self._image.brokers:
            self._nodes.clear()
            self._addresses.clear()
        self._image = image

    def nodes(self, listener: str, *, include_fenced: bool = False) -> "list[Node]":
        """(id, host, port, rack) of each broker with an endpoint on `listener`, by id."""
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
        """The brokers that are named to clients: those that are not fenced. If all are fenced, as at the end of a
        cluster's shutdown, all registered ones: librdkafka forgets brokers that are not in the response, and an empty
        list would leave it without a bootstrap server.
        """
        return self.nodes(listener) or self.nodes(listener, include_fenced=True)

    def address_of(self, broker_id: int) -> Address | None:
        """The inter-broker address of a broker, fenced or not; None if it is not registered."""
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
        """The controller id that is named to clients: any broker that is not fenced, because every broker forwards
        (Kafka's KRaftMetadataCache); −1 if there is none.
        """
        live = [broker.id for broker in self._image.brokers.values() if not broker.fenced]
        return self._rng.choice(live) if live else NO_NODE
