"""What cut and slow links hold back, and how they know who asks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kafkacompat.broker.connection import CloseConnection, Connection
from kafkacompat.now import Now
from kafkacompat.server.faulty_links import FaultyLinks

WAITS = b"waits"


def frame(client_id: bytes | None, rest: bytes = b"rest") -> bytes:
    size = -1 if client_id is None else len(client_id)
    return bytes(8) + size.to_bytes(2, "big", signed=True) + (client_id or b"") + rest


class World:
    """Connections whose broker answers each frame with its bytes, those that end with WAITS when it is told to. Time
    by hand.
    """

    def __init__(self) -> None:
        self.now_ms = 1000
        self.timers: list[list] = []
        self.served: list[bytes] = []
        self.got: list[object] = []
        self.waiting: list = []
        self.overtakes = False
        self.broker = SimpleNamespace(dispatch=self.answer, complete_early=lambda *_: self.overtakes)
        self.connections = SimpleNamespace(
            dispatch=self.broker.dispatch, complete_early=self.broker.complete_early,
            loop=SimpleNamespace(call_later=self.call_later),
        )  # fmt: skip
        self.clock = SimpleNamespace(now=lambda: Now(self.now_ms, 0))
        self.events = 0
        self.links = FaultyLinks(self)

    def after_event(self) -> None:
        self.events += 1

    def call_later(self, delay_s: float, call, *arguments) -> SimpleNamespace:
        timer = [self.now_ms + round(delay_s * 1000), call, arguments]
        self.timers.append(timer)
        return SimpleNamespace(cancel=lambda: timer in self.timers and self.timers.remove(timer))

    def advance(self, ms: int) -> None:
        until = self.now_ms + ms
        while due := sorted((each for each in self.timers if each[0] <= until), key=lambda each: each[0]):
            self.timers.remove(due[0])
            self.now_ms = due[0][0]
            due[0][1](*due[0][2])
        self.now_ms = until

    def answer(self, frame, connection, now, reply) -> None:
        self.served.append(frame)
        if frame.endswith(b"bad"):
            raise CloseConnection("bad")
        if frame.endswith(WAITS):
            self.waiting.append(lambda *parts: reply([*(parts or [frame])]))
        else:
            reply([frame])

    def ask(self, client_id: bytes | None, connection: Connection | None = None, rest: bytes = b"rest") -> None:
        connection = connection or Connection(1, "127.0.0.1", "PLAINTEXT")
        self.connections.dispatch(frame(client_id, rest), connection, self.clock.now(), self.got.append)


@pytest.mark.parametrize(
    ("client_id", "peer"),
    [
        (b"2", 2), (b"raft-client-2", 2), (b"broker-2-fetcher-0", 2), (b"billing-2", "clients"), (b"", "clients"),
        (None, "clients"), (b"2x", "clients"), (b"9" * 30, "clients"),
    ],
)  # fmt: skip
def test_nodes_are_known_by_their_client_ids(client_id: bytes | None, peer: int | str) -> None:
    world = World()
    world.links.set({peer: None}, {})
    world.ask(client_id)
    assert world.served == []
    world.links.set({2 if peer == "clients" else "clients": None}, {})
    assert world.served == [frame(client_id)], "another cut delivers what this one held"


def test_without_a_fault_nothing_is_in_the_way() -> None:
    world = World()
    assert world.connections.dispatch == world.answer
    world.links.set({1: None}, {2: 5})
    assert world.connections.dispatch == world.links.dispatch
    assert world.connections.complete_early == world.links.complete_early
    world.ask(b"another")
    assert world.got == [[frame(b"another")]], "other peers go straight to the broker"
    world.links.set({}, {})
    assert world.connections.dispatch == world.answer
    assert world.connections.complete_early == world.broker.complete_early


def test_the_broker_is_asked_as_it_is_now() -> None:
    """A reset replaces it, and a journal puts itself in front of it."""
    world = World()
    world.links.set({}, {"clients": 5})
    seen: list[bytes] = []
    world.broker.dispatch = lambda frame, *_: seen.append(frame)
    world.ask(b"x")
    assert (seen, world.served) == ([frame(b"x")], [])
    world.links.set({}, {})
    assert world.connections.dispatch == world.links.dispatch, "one request is in the broker still"
    world.links.close()
    assert world.connections.dispatch == world.broker.dispatch


def test_a_node_that_stops_keeps_its_own_dispatch() -> None:
    world = World()
    world.links.set({1: None}, {})
    world.connections.dispatch = stopped = lambda *_: None
    world.links.set({}, {})
    assert world.connections.dispatch is stopped


def test_a_node_that_stops_forgets_what_is_on_its_way() -> None:
    world = World()
    released: list[str] = []
    piece = SimpleNamespace(release=lambda: released.append("released"))
    world.broker.dispatch = lambda _frame, _connection, _now, reply: reply([piece])
    world.connections.dispatch = world.broker.dispatch
    world.links.set({}, {"clients": 50})
    connection = Connection(1, "", "")
    for _ in range(3):
        world.ask(b"x", connection)
        world.advance(10)
    world.ask(b"x")
    world.links.close()
    world.advance(100)
    assert (world.got, world.timers, world.links.held_count, released) == ([], [], 0, ["released"] * 4)


def test_responses_are_held_in_order_and_those_of_closed_connections_are_dropped() -> None:
    world = World()
    open_, closed = Connection(1, "", ""), Connection(2, "", "")
    world.links.set({}, {"clients": None})
    for client_id, connection in ((b"a", open_), (b"b", closed), (b"c", open_)):
        world.ask(client_id, connection)
    assert (world.got, world.links.held_count) == ([], 3)
    world.links.disconnected(closed)
    world.links.set({}, {})
    assert world.got == [[frame(each)] for each in (b"a", b"c")]


def test_a_request_that_closes_its_connection_harms_no_other() -> None:
    world = World()
    reasons: list[str] = []
    connection = Connection(1, "", "")
    connection.drop = reasons.append
    world.links.set({"clients": None}, {})
    world.ask(b"", connection, b"bad")
    world.ask(b"x")
    world.links.set({}, {})
    assert (reasons, world.got) == (["bad"], [[frame(b"x")]])


def test_a_slow_link_delays_each_way_by_its_own_time() -> None:
    world = World()
    world.links.set({"clients": 30}, {"clients": 50})
    world.ask(b"a")
    world.advance(29)
    assert world.served == []
    world.advance(1)
    assert (world.served, world.got) == ([frame(b"a")], [])
    world.advance(49)
    assert world.got == []
    world.advance(1)
    assert world.got == [[frame(b"a")]]
    assert world.links.held_count == 0
    assert world.events == 2, "the broker's timers are set again after each arrival"


def test_several_requests_are_on_their_way_at_once_and_keep_their_order() -> None:
    world = World()
    connection = Connection(1, "", "")
    world.links.set({"clients": 100}, {})
    for rest in (b"1", b"2", b"3"):
        world.ask(b"a", connection, rest)
        assert world.connections.complete_early(b"", connection, world.clock.now()), "the next one may be sent"
        world.advance(10)
        assert len(world.timers) == 1
    world.advance(70)
    assert world.got == [[frame(b"a", b"1")]]
    world.links.set({"clients": 5}, {})
    assert world.got == [[frame(b"a", each)] for each in (b"1", b"2", b"3")], "a quicker link overtakes nothing"


def test_the_broker_gets_one_request_of_a_connection_at_a_time() -> None:
    world = World()
    connection = Connection(1, "", "")
    world.links.set({"clients": 10}, {})
    world.ask(b"a", connection, WAITS)
    world.ask(b"a", connection, b"2")
    world.advance(20)
    assert world.served == [frame(b"a", WAITS)]
    world.waiting.pop()()
    assert world.got == [[frame(b"a", WAITS)], [frame(b"a", b"2")]]
    world.ask(b"a", connection, WAITS)
    world.ask(b"a", connection, b"4")
    world.overtakes = True  # a produce request behind one that is written
    world.advance(20)
    assert world.served[-1] == frame(b"a", b"4")


def test_at_the_end_of_a_fault_requests_keep_their_order_until_all_have_arrived() -> None:
    world = World()
    connection = Connection(1, "", "")
    world.links.set({"clients": 10}, {})
    world.ask(b"a", connection, WAITS)
    world.ask(b"a", connection, b"2")
    world.links.set({}, {})
    world.ask(b"a", connection, b"3")
    assert world.got == []
    world.waiting.pop()()
    assert world.got == [[frame(b"a", each)] for each in (WAITS, b"2", b"3")]
    assert world.connections.dispatch == world.answer


def test_nothing_is_left_of_a_connection_that_has_closed() -> None:
    world = World()
    connection = Connection(1, "", "")
    world.links.set({"clients": 10}, {})
    for rest in (WAITS, b"2"):
        world.ask(b"a", connection, rest)
        world.advance(10)
    world.links.disconnected(connection)
    world.links.disconnected(connection)
    released: list[str] = []
    world.waiting.pop()(SimpleNamespace(release=lambda: released.append("late")))
    assert released == ["late"]
    world.advance(100)
    assert (world.got, world.served, world.links.held_count) == ([], [frame(b"a", WAITS)], 0)
    world.links.set({}, {})
    assert world.connections.dispatch == world.answer


def test_healed_links_go_on_when_the_request_on_one_answers_what_waits_on_another() -> None:
    world = World()
    producer, consumer = (Connection(number, "127.0.0.1", "PLAINTEXT") for number in (1, 2))
    world.links.set({"clients": None}, {})
    world.ask(b"app", producer, b"produce")
    world.ask(b"app", consumer, WAITS)
    serve = world.broker.dispatch

    def dispatch(frame, connection, now, reply) -> None:
        serve(frame, connection, now, reply)
        if connection is producer:
            world.waiting.pop()(b"woken")

    world.links.incoming = {}
    world.links._move(world.links._links[consumer])  # its fetch waits at the broker
    world.broker.dispatch = dispatch
    world.links.set({}, {})
    assert world.links.held_count == 0
    assert [b"woken"] in world.got
