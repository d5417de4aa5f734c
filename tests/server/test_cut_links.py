"""What cut links hold back, and how they know who asks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kafkacompat.broker.connection import CloseConnection, Connection
from kafkacompat.now import Now
from kafkacompat.server.cut_links import CutLinks

NOW = Now(0, 0)


def frame(client_id: bytes | None) -> bytes:
    size = -1 if client_id is None else len(client_id)
    return bytes(8) + size.to_bytes(2, "big", signed=True) + (client_id or b"") + b"rest"


class World:
    """Connections whose broker answers each frame with its size."""

    def __init__(self) -> None:
        self.connections = SimpleNamespace(dispatch=self.answer)
        self.links = CutLinks(self.connections)
        self.served: list[bytes] = []
        self.got: list[object] = []

    def answer(self, frame, connection, now, reply) -> None:
        self.served.append(frame)
        if frame.endswith(b"bad"):
            raise CloseConnection("bad")
        reply([frame])

    def ask(self, client_id: bytes | None, connection: Connection | None = None) -> None:
        connection = connection or Connection(1, "127.0.0.1", "PLAINTEXT")
        self.connections.dispatch(frame(client_id), connection, NOW, self.got.append)


@pytest.mark.parametrize(
    ("client_id", "peer"),
    [
        (b"2", 2), (b"raft-client-2", 2), (b"broker-2-fetcher-0", 2), (b"billing-2", "clients"), (b"", "clients"),
        (None, "clients"), (b"2x", "clients"), (b"9" * 30, "clients"),
    ],
)  # fmt: skip
def test_nodes_are_known_by_their_client_ids(client_id: bytes | None, peer: int | str) -> None:
    world = World()
    world.links.cut([peer], [], NOW)
    world.ask(client_id)
    assert world.served == []
    world.links.cut([2 if peer == "clients" else "clients"], [], NOW)
    assert world.served == [frame(client_id)], "another cut delivers what this one held"


def test_without_a_cut_nothing_is_in_the_way() -> None:
    world = World()
    assert world.connections.dispatch == world.answer
    world.links.cut([1], [2], NOW)
    assert world.connections.dispatch == world.links.dispatch
    world.links.cut([], [], NOW)
    assert world.connections.dispatch == world.answer


def test_a_node_that_stops_keeps_its_own_dispatch() -> None:
    world = World()
    world.links.cut([1], [], NOW)
    world.connections.dispatch = stopped = lambda *_: None
    world.links.cut([], [], NOW)
    assert world.connections.dispatch is stopped


def test_responses_are_held_in_order_and_delivered_to_open_connections() -> None:
    world = World()
    open_, closed = Connection(1, "", ""), Connection(2, "", "")
    world.links.cut([], ["clients"], NOW)
    for client_id, connection in ((b"a", open_), (b"b", closed), (b"c", open_)):
        world.ask(client_id, connection)
    assert (world.got, world.links.held_count) == ([], 3)
    closed.is_closed = True
    world.links.cut([], [], NOW)
    assert world.got == [[frame(each)] for each in (b"a", b"b", b"c")], "the closed one's reply frees its files"


def test_a_request_that_closes_its_connection_harms_no_other() -> None:
    world = World()
    reasons: list[str] = []
    connection = Connection(1, "", "")
    connection.drop = reasons.append
    world.links.cut(["clients"], [], NOW)
    world.connections.dispatch(frame(b"") + b"bad", connection, NOW, world.got.append)
    world.ask(b"x")
    world.links.cut([], [], NOW)
    assert (reasons, world.got) == (["bad"], [[frame(b"x")]])
