"""The brokers of the newest image and their addresses."""

from kafkacompat.broker.network import Address
from kafkacompat.broker.roles import inter_broker_listener
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from kafkacompat.broker.connection import ReachedAt
    from kafkacompat.config import BrokerConfig
    from kafkacompat.replication.metadata.image import MetadataImage

    Node = tuple[int, str, int, str | None]

MAX_LISTS = 256
"""The most derived lists that are kept: there is one for each listener and address at which clients reach this node."""


class MetadataCache:
    """The brokers of a cluster, including this one. Derived lists are cached until the brokers change."""

    def __init__(self, config: "BrokerConfig", rng: "Random") -> None:
        self._inter_broker = inter_broker_listener(config)
        self._node_id = config.get("node.id")
        self._rng = rng
        self._image = EMPTY_IMAGE
        self._nodes: dict[tuple[str, bool, ReachedAt | None], list[Node]] = {}
        self._addresses: dict[int, Address] = {}

    def set_image(self, image: "MetadataImage") -> None:
        """Use this image from now on."""
        if image.brokers is not self._image.brokers:
            self._nodes.clear()
            self._addresses.clear()
        self._image = image

    def nodes(
        self, listener: str, reached_at: "ReachedAt | None" = None, *, include_fenced: bool = False
    ) -> "list[Node]":
        """(id, host, port, rack) of each broker with an endpoint on `listener`, by id. reached_at: see `Connection`."""
        key = (listener, include_fenced, reached_at)
        nodes = self._nodes.get(key)
        if nodes is None:
            nodes = [
                (broker_id, endpoint.host, endpoint.port, broker.rack)
                for broker_id, broker in sorted(self._image.brokers.items())
                for endpoint in broker.endpoints
                if endpoint.name == listener and (include_fenced or not broker.fenced)
            ]
            if reached_at is not None:
                nodes = self._as_reached(nodes, listener, reached_at)
            if len(self._nodes) >= MAX_LISTS:
                self._nodes.clear()
            self._nodes[key] = nodes
        return nodes

    def _as_reached(self, nodes: "list[Node]", listener: str, reached_at: "ReachedAt") -> "list[Node]":
        """The brokers that are registered with the host of this one are on this machine."""
        own = self._image.brokers.get(self._node_id) if isinstance(self._node_id, int) else None
        hosts = {endpoint.host for endpoint in own.endpoints if endpoint.name == listener} if own else set()
        to, own_port = reached_at
        return [
            (node_id, to, (own_port if node_id == self._node_id else 0) or port, rack)
            if host in hosts
            else (node_id, host, port, rack)
            for node_id, host, port, rack in nodes
        ]

    def alive_nodes(self, listener: str, reached_at: "ReachedAt | None" = None) -> "list[Node]":
        """The brokers that are named to clients: those that are not fenced. If all are fenced, as at the end of a
        cluster's shutdown, all registered ones: librdkafka forgets brokers that are not in the response, and an empty
        list would leave it without a bootstrap server.
        """
        return self.nodes(listener, reached_at) or self.nodes(listener, reached_at, include_fenced=True)

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
