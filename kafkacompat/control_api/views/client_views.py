"""Connections, fetch sessions and what waits, as plain values."""

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from kafkacompat.broker.fetch_session import CachedPartition, FetchSession
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.connection import ClientConnection
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

CONNECTIONS_PER_YIELD = 25
SESSION_PARTITIONS_MAX = 1_000
"""The most partitions that are shown of one fetch session."""
KEYS_MAX = 100
"""The most keys that are shown of one delayed request."""


def connections(server: "BrokerServer") -> "Steps[list[Plain]]":
    """The open connections, oldest first.

    Each has `broker`, `connection` (a number of this broker), `peer` (host:port), `listener`, `client_id`,
    `client_software_name` and `_version` (from ApiVersions; empty before that), `request_count`, `in_flight`,
    `received_bytes`, `unsent_bytes`, `idle_ms` since the last request, and `waits`: for each delayed request `keys`,
    of which one must change, and `left_ms` until its deadline.
    """
    found = []
    now_ms = server.now().monotonic_ms
    node_id = server.broker.node_id
    for connection in list(server.connections):
        found.append({"broker": node_id, **_connection(connection, now_ms)})
        if len(found) % CONNECTIONS_PER_YIELD == 0:
            yield CONNECTIONS_PER_YIELD
    return found


def fetch_sessions(server: "BrokerServer") -> "Steps[list[Plain]]":
    """The fetch sessions (KIP-227), the least recently used first.

    Each has `broker`, `session_id`, `epoch` (expected in its next request), `is_follower`, `client_id` and
    `connection` while a fetch of it is delayed (else None), `partition_count`, and `partitions`: of the first
    SESSION_PARTITIONS_MAX of them `topic`, `partition`, `fetch_offset` and `last_sent_high_watermark`.
    """
    waiting = {
        key: connection.state
        for connection in server.connections
        for pending in connection.state.waiting
        for key in pending.keys
    }
    found = []
    units = 0
    for session in list(server.broker.fetch_sessions):
        client = waiting.get(session)
        partitions = list(islice(session.partitions.values(), SESSION_PARTITIONS_MAX))
        found.append(
            {
                "broker": server.broker.node_id,
                "session_id": session.id,
                "epoch": session.epoch,
                "is_follower": session.is_privileged,
                "client_id": None if client is None else client.client_id,
                "connection": None if client is None else client.id,
                "partition_count": len(session.partitions),
                "partitions": [_cached(each) for each in partitions],
            }
        )
        units += 1 + len(partitions) // 4
        if units >= CONNECTIONS_PER_YIELD:
            yield units
            units = 0
    return found


def _connection(connection: "ClientConnection", now_ms: int) -> "Plain":
    state = connection.state
    return {
        "connection": state.id,
        "peer": connection.peer,
        "listener": state.listener,
        "client_id": state.client_id,
        "client_software_name": state.software_name,
        "client_software_version": state.software_version,
        "request_count": connection.request_count,
        "in_flight": connection.in_flight_count,
        "received_bytes": connection.received_bytes,
        "unsent_bytes": connection.unsent_bytes,
        "idle_ms": max(0, now_ms - connection.used_ms),
        "waits": [_wait(pending, now_ms) for pending in state.waiting],
    }


def _wait(pending: "Pending", now_ms: int) -> "Plain":
    keys = [_key(key) for key in pending.keys[:KEYS_MAX]]
    return {"keys": keys, "left_ms": max(0, pending.deadline_ms - now_ms)}


def _key(key: "Hashable") -> str:
    """A purgatory key as text: `topic-partition`, a word, `fetch session 7`, or what kind of request waits."""
    from kafkacompat.broker.fetch_session import FetchSession

    if isinstance(key, tuple):
        return "-".join(map(str, key))
    if isinstance(key, FetchSession):
        return _session(key)
    return key if isinstance(key, str) else type(key).__name__


def _session(session: "FetchSession") -> str:
    """The partitions of a fetch without a session have a temporary one, with the id 0."""
    if session.id:
        return f"fetch session {session.id}"
    names = sorted({each.known_as for each in islice(session.partitions.values(), KEYS_MAX)})
    return f"fetch of {', '.join(names[:3])}" + (" and others" if len(names) > 3 else "")


def _cached(cached: "CachedPartition") -> "Plain":
    return {
        "topic": cached.known_as,
        "partition": cached.index,
        "fetch_offset": cached.fetch_offset,
        "last_sent_high_watermark": cached.last_sent_high_watermark,
    }
