"""Cuts links of a node in this process: requests that do not arrive, responses that are not sent.

A cut goes one way. What it holds back is delivered when it ends, as TCP delivers after a network partition; what
belongs to connections that have closed meanwhile is dropped. Nothing of this exists before the first cut.
"""

from __future__ import annotations

import re

from kafkacompat.broker.connection import CloseConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from kafkacompat.broker.connection import Connection
    from kafkacompat.now import Now
    from kafkacompat.server.connection import Dispatch, Reply
    from kafkacompat.server.connections import Connections

    Peer: TypeAlias = int | str

CLIENTS = "clients"
CLIENT_ID_AT = 8
"""Where the size of the client id is in a request's frame."""
PURGE_MIN = 256
"""With fewer held messages, dropping those of closed connections is not worth the search."""
_NODE = re.compile(rb"(?:raft-client-|broker-)?(\d{1,9})(?:-.*)?")


class CutLinks:
    """The cut links of one node. It replaces `Connections.dispatch` while there are any.

    Peers are node ids, recognized by the client ids that nodes use (`1`, `raft-client-1`, `broker-1-fetcher-0`), or
    CLIENTS.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._forward: Dispatch = connections.dispatch
        self._from: frozenset[Peer] = frozenset()
        self._to: frozenset[Peer] = frozenset()
        self._requests: list[tuple[Peer, bytes | bytearray, Connection, Reply]] = []
        self._replies: list[tuple[Peer, list[object] | None, Connection, Reply]] = []
        self._purge_at = PURGE_MIN

    @property
    def held_count(self) -> int:
        """The number of requests and responses that are held back."""
        return len(self._requests) + len(self._replies)

    def cut(self, from_: Iterable[Peer], to: Iterable[Peer], now: Now) -> None:
        """Hold back requests from these peers, and responses to those; deliver what is held from and to all others."""
        self._from, self._to = frozenset(from_), frozenset(to)
        is_cut = bool(self._from or self._to)
        if is_cut and self._connections.dispatch != self.dispatch:
            self._forward = self._connections.dispatch
            self._connections.dispatch = self.dispatch
        self._deliver(now)
        if not is_cut and self._connections.dispatch == self.dispatch:  # a node that stops has another one by now
            self._connections.dispatch = self._forward

    def dispatch(self, frame: bytes | bytearray, connection: Connection, now: Now, reply: Reply) -> None:
        """Answer a request, now or when the cut ends; see `Dispatcher.dispatch`."""
        peer = _peer_of(frame)
        if peer in self._from:
            self._requests.append((peer, frame, connection, reply))
            self._purge()
            return
        self._forward(frame, connection, now, lambda parts: self._reply(peer, parts, connection, reply))

    def _reply(self, peer: Peer, parts: list[object] | None, connection: Connection, reply: Reply) -> None:
        if peer in self._to and not connection.is_closed:
            self._replies.append((peer, parts, connection, reply))
            self._purge()
        else:
            reply(parts)

    def _deliver(self, now: Now) -> None:
        replies, self._replies = self._replies, []
        for peer, parts, connection, reply in replies:
            self._reply(peer, parts, connection, reply)  # that of a closed connection releases its files
        requests, self._requests = self._requests, []
        for peer, frame, connection, reply in requests:
            if connection.is_closed:
                continue
            if peer in self._from:
                self._requests.append((peer, frame, connection, reply))
                continue
            try:
                self.dispatch(frame, connection, now, reply)
            except CloseConnection as reason:
                connection.drop(str(reason))

    def _purge(self) -> None:
        """Drop what belongs to closed connections, once that may be half of all."""
        if self.held_count < self._purge_at:
            return
        self._requests = [each for each in self._requests if not each[2].is_closed]
        gone = [each for each in self._replies if each[2].is_closed]
        self._replies = [each for each in self._replies if not each[2].is_closed]
        for _, parts, _, reply in gone:
            reply(parts)
        self._purge_at = max(PURGE_MIN, 2 * self.held_count)


def _peer_of(frame: bytes | bytearray) -> Peer:
    size = int.from_bytes(frame[CLIENT_ID_AT : CLIENT_ID_AT + 2], "big", signed=True)
    found = _NODE.fullmatch(frame[CLIENT_ID_AT + 2 : CLIENT_ID_AT + 2 + max(0, size)])
    return int(found[1]) if found else CLIENTS
