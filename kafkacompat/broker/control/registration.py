"""Builds a broker's registration request."""

from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.replication.metadata.image import Endpoint

    class Node(services.Identity, services.Configured, services.Storage, Protocol):
        """The services that a registration uses."""


def listeners_of(endpoints: "Sequence[Endpoint]") -> list[Listener]:
    """Endpoints as a registration has them."""
    return [Listener(each.name, each.host, each.port, each.security_protocol) for each in endpoints]


def registration_of(node: "Node", endpoints: "Sequence[Endpoint]") -> BrokerRegistrationRequest:
    """The registration request. The caller sets previous_broker_epoch once all logs are open."""
    rack = node.config.get("broker.rack")
    assert rack is None or isinstance(rack, str)
    return BrokerRegistrationRequest(
        node.node_id,
        node.cluster_id,
        node.incarnation_id,
        listeners_of(endpoints),
        [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        rack,
        log_dirs=[directory.directory_id for directory in node.logs.directories],
    )
