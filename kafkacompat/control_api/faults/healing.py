"""Ends all faults of a node at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def heal(server: BrokerServer) -> None:
    """End faults of links, faults of the disk, and what lets this node's replicas lag. Held messages are delivered."""
    if server.links is not None:
        server.links.set({}, {})
    directories = server.broker.logs.all_directories
    if any(getattr(each.disk.files, "faults", None) is not None for each in directories):
        from kafkacompat.control_api.faults import disks

        disks.disk(server)
    if server.broker.fetchers.held:
        from kafkacompat.control_api.faults import replicas

        replicas.catch_up(server)
