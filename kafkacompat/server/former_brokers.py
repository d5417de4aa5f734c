"""A metadata log from a snapshot has registrations of the brokers of that cluster, which may still run there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def former_brokers_are_gone(server: BrokerServer) -> None:
    """Let the brokers of this cluster register without waiting for the ends of former sessions.

    Called when the node has opened its directory, before it is told anything: so each registration that its log has is
    of a former broker, and each one of now gets a higher offset.
    """
    server.broker.controller_server.former_end_offset = server.broker.quorum.raft.log.log_end_offset
