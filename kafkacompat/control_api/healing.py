"""Ends all faults of a node at once."""

from __future__ import annotations

from kafkacompat.control_api import replicas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def heal(server: BrokerServer) -> None:
    """End what lets this node's replicas lag. Held requests and responses go on, and its disk is sound again."""
    if server.broker.fetchers.held:
        replicas.catch_up(server)
