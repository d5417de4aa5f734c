"""Builds a broker's registration request."""

from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from kafkacompat.replication.metadata.features import KEPT_LEVELS, SUPPORTED_FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.replication.metadata.image import Endpoint, MetadataImage

    class Node(services.Identity, services.Configured, services.Storage, Protocol):
        """The services that a registration uses."""


def listeners_of(endpoints: "Sequence[Endpoint]") -> list[Listener]:
    """Endpoints as a registration has them."""
    return [Listener(each.name, each.host, each.port, each.security_protocol) for each in endpoints]


def registration_of(node: "Node", endpoints: "Sequence[Endpoint]", image: "MetadataImage") -> BrokerRegistrationRequest:
    """The registration request. The caller sets previous_broker_epoch once all logs are open.

    image: what is known of the cluster. It has levels that this version does not support only if nothing is written
    here: then the broker says that it supports them.
    """
    rack = node.config.get("broker.rack")
    assert rack is None or isinstance(rack, str)
    return BrokerRegistrationRequest(
        node.node_id,
        node.cluster_id,
        node.incarnation_id,
        listeners_of(endpoints),
        [Feature(name, low, high) for name, (low, high) in _ranges(image).items()],
        rack,
        log_dirs=[directory.directory_id for directory in node.logs.directories],
    )


def _ranges(image: "MetadataImage") -> dict[str, tuple[int, int]]:
    ranges = dict(SUPPORTED_FEATURES)
    for name, level in image.features.items():
        low, high = ranges.get(name) or (0, KEPT_LEVELS.get(name, 0))
        if not low <= level <= high:
            ranges[name] = level, level
    return ranges
