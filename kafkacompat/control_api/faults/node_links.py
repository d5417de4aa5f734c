"""Cuts and slows the links of a node to other nodes and to clients, one way at a time.

Peers are node ids and "clients". A delay is in ms; None cuts the link: connections stay open, and new ones are
accepted, but nothing arrives until the cut ends.
"""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from kafkacompat.server.broker_server import BrokerServer

    Peer: TypeAlias = int | str
    Delays: TypeAlias = Mapping[Peer, int | None]
    Faults: TypeAlias = dict[tuple[Peer, Peer], int | None]
    Plain = dict[str, Any]

CLIENTS = "clients"
DELAY_MAX_MS = 3_600_000


def set_links(server: BrokerServer, incoming: Delays, outgoing: Delays) -> None:
    """Have these delays for requests from peers, and for responses to peers, in place of all earlier ones.

    What waits for a cut that has ended is delivered, unless its connection has closed.
    """
    if server.links is None:
        if not incoming and not outgoing:
            return
        from kafkacompat.server.faulty_links import FaultyLinks

        server.links = FaultyLinks(server)
    server.links.set(incoming, outgoing)


def add_links(server: BrokerServer, incoming: Delays, outgoing: Delays) -> None:
    """Add these to the faulty links of a node; a link that has a fault already gets this one."""
    now = server.links
    if now is not None:
        incoming, outgoing = {**now.incoming, **incoming}, {**now.outgoing, **outgoing}
    set_links(server, incoming, outgoing)


def heal_links(server: BrokerServer, peer: Peer | None = None) -> None:
    """End the faults of a node's links to a peer, or of all its links."""
    now = server.links
    if now is not None:
        kept = [{each: delay for each, delay in delays.items() if peer not in (None, each)}
                for delays in (now.incoming, now.outgoing)]  # fmt: skip
        set_links(server, *kept)


def faults(server: BrokerServer) -> dict[tuple[Peer, Peer], int | None]:
    """The faults of a node's links, by sender and receiver."""
    now, node_id = server.links, server.broker.node_id
    if now is None:
        return {}
    return {
        **{(peer, node_id): delay_ms for peer, delay_ms in now.incoming.items()},
        **{(node_id, peer): delay_ms for peer, delay_ms in now.outgoing.items()},
    }


def check_delay(delay_ms: int) -> int:
    """A delay of a link. Raises KafkaCompatError."""
    if isinstance(delay_ms, bool) or not isinstance(delay_ms, int) or not 1 <= delay_ms <= DELAY_MAX_MS:
        raise KafkaCompatError(f"delay_ms={delay_ms!r}: give whole milliseconds from 1 to {DELAY_MAX_MS}")
    return delay_ms


def held_count(server: BrokerServer) -> int:
    """The number of requests and responses that are on their way on faulty links."""
    return 0 if server.links is None else server.links.held_count


def with_proxied(faults: Faults, proxied: Faults) -> Faults:
    """The faults of nodes and of proxies: a message passes both."""
    found = {**faults, **proxied}
    for pair in faults.keys() & proxied.keys():
        delays = faults[pair], proxied[pair]
        found[pair] = None if None in delays else sum(filter(None, delays))
    return found


def plain(faults: Mapping[tuple[Peer, Peer], int | None]) -> list[Plain]:
    """The faults as `PUT /v1/links` takes them, and `GET` shows them."""
    return [
        {"from": sender, "to": receiver, **({} if delay_ms is None else {"delay_ms": delay_ms})}
        for (sender, receiver), delay_ms in sorted(faults.items(), key=str)
    ]
