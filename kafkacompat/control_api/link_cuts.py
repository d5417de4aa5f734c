"""Cuts the links of a node to other nodes and to clients, one way at a time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.server.broker_server import BrokerServer

CLIENTS = "clients"


def cut(server: BrokerServer, from_: Iterable[int | str], to: Iterable[int | str]) -> None:
    """Let no byte from these peers arrive, and none to those leave, in place of what was cut before.

    Peers are node ids and "clients". Connections stay open, and new ones are accepted; what is held back is delivered
    when the cut ends, unless its connection has closed.
    """
    incoming, outgoing = frozenset(from_), frozenset(to)
    if server.cut_links is None:
        if not incoming and not outgoing:
            return
        from kafkacompat.server.cut_links import CutLinks

        server.cut_links = CutLinks(server.connections)
    server.cut_links.cut(incoming, outgoing, server.now())
    if not incoming and not outgoing:
        server.cut_links = None


def held_count(server: BrokerServer) -> int:
    """The number of requests and responses that cut links hold back."""
    return 0 if server.cut_links is None else server.cut_links.held_count
