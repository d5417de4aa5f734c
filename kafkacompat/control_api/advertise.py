"""The addresses that a running broker advertises to clients."""

from __future__ import annotations

from kafkacompat.config.listeners import ANYWHERE, parse_address
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.server.broker_server import BrokerServer


def advertise(server: BrokerServer, addresses: Mapping[str, str]) -> dict[str, str]:
    """Let a broker register again with other addresses; those of the start with an empty mapping.

    addresses: {LISTENER: "host:port"}; other listeners keep the address of the start. It returns before the controller
    has registered them; `registered` tells when. A restart forgets them. Returns {LISTENER: "host:port"} of all
    advertised listeners. Raises KafkaCompatError for an unknown listener or a malformed address.
    """
    broker = server.broker
    if broker.lifecycle is None:
        raise KafkaCompatError(f"node {broker.node_id} is only a controller: it advertises no address to clients")
    wanted = {name.upper(): _address(text) for name, text in addresses.items()}
    try:
        broker.advertised.replace(wanted, server.now())
    except KeyError as error:
        names = ", ".join(broker.advertised.listeners)
        raise KafkaCompatError(
            f"broker {broker.node_id} advertises no listener {error.args[0]}: use one of {names}"
        ) from None
    return advertised(server)


def advertised(server: BrokerServer) -> dict[str, str]:
    """{LISTENER: "host:port"} that the broker asks the controller to register."""
    lifecycle = server.broker.lifecycle
    return {} if lifecycle is None else {each.name: each.address for each in lifecycle.endpoints}


def registered(server: BrokerServer, broker_id: int) -> dict[str, str]:
    """{LISTENER: "host:port"} with which this node's metadata has a broker; empty if it is not registered."""
    broker = server.broker.image.brokers.get(broker_id)
    return {} if broker is None else {each.name: each.address for each in broker.endpoints}


def _address(text: str) -> tuple[str, int]:
    try:
        host, port = parse_address(text)
    except ValueError:
        raise KafkaCompatError(f"{text!r} is not an address: write host:port, such as localhost:19092") from None
    if host in ANYWHERE or not port:
        raise KafkaCompatError(f"nobody can connect to {text}: give a host and a port that clients can reach")
    return host, port
