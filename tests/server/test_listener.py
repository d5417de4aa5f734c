"""Accepting, and what happens when there is no room."""

from __future__ import annotations

import asyncio
import errno
import socket

import pytest

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.server import descriptors, listener
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.descriptors import reserved_for_nodes
from kafkacompat.server.endpoints import Binding
from kafkacompat.server.ports import bind, close_all
from tests.server.harness import Client, binding, serving
from tests.waiting import later_event, until

pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")


async def test_five_hundred_connections() -> None:
    async with serving() as server:
        clients = await asyncio.gather(*(Client.connect(server) for _ in range(500)))
        bodies = [b"e%d" % number for number in range(500)]
        assert await asyncio.gather(*(one.ask(body) for one, body in zip(clients, bodies, strict=True))) == bodies
        assert len(server.connections) == 500
        for one in clients:
            await one.close()
        await until(lambda: not len(server.connections))
        assert len(server.broker.lost) == 500


async def test_connections_over_the_limit_wait_until_one_ends() -> None:
    async with serving({"max.connections": "2"}) as server:
        first, second, third = [await Client.connect(server) for _ in range(3)]
        assert await first.ask(b"e") == b"e"
        assert await second.ask(b"e") == b"e"
        third.send(b"ethird")
        await later_event()
        assert len(server.broker.frames) == 2
        await first.close()
        assert await third.receive() == b"ethird"
        await second.close()
        await third.close()


def apart() -> list[Binding]:
    """Clients, brokers and controllers have a listener each."""
    return [binding("CLIENTS", is_inter_broker=False), binding("BROKERS"), binding("CONTROLLER", CONTROLLER)]


def port_of(server: BrokerServer, listener: int) -> int:
    """Of one of its listeners; those of controllers come last."""
    return (server.endpoints + server.controller_endpoints)[listener].port


async def connected(server: BrokerServer, listener: int, count: int = 1) -> list[Client]:
    """Connections to one of its listeners, of which each has asked something."""
    clients = []
    for _ in range(count):
        client = await Client.connect(server, port=port_of(server, listener))
        assert await client.ask(b"e") == b"e"
        clients.append(client)
        asked_ms = SystemClock().now().monotonic_ms
        await until(lambda: SystemClock().now().monotonic_ms > asked_ms)  # noqa: B023 (it is awaited at once)
    return clients


async def waiting(server: BrokerServer, listener: int) -> Client:
    """A connection that is not accepted yet."""
    client = await Client.connect(server, port=port_of(server, listener))
    count = len(server.broker.frames)
    client.send(b"elate")
    await later_event()
    assert len(server.broker.frames) == count
    return client


async def test_all_listeners_of_a_broker_share_one_limit() -> None:
    async with serving({"max.connections": "3"}, apart()) as server:
        clients = await connected(server, 0, 2)
        brokers = await connected(server, 1)
        late = await waiting(server, 0)
        clients[0].abort()
        assert await late.receive() == b"elate"
        for one in (*clients, *brokers, late):
            one.abort()


async def test_brokers_take_the_place_of_the_clients_that_asked_longest_ago() -> None:
    async with serving({"max.connections": "3"}, apart()) as server:
        first, second, third = await connected(server, 0, 3)
        late = await waiting(server, 0)
        assert await first.ask(b"e") == b"e"  # now it is not the one that has been silent longest
        brokers = []
        for pushed_out in (second, third, first):
            brokers += await connected(server, 1)
            assert await pushed_out.is_closed_by_peer()
        assert len(server.connections) == 3
        brokers.append(await waiting(server, 1))  # each listener may have as many as all
        brokers[0].abort()
        assert await brokers[-1].receive() == b"elate"
        for one in (*brokers, first, second, third, late):
            one.abort()


async def test_the_limit_counts_brokers_and_controllers_apart() -> None:
    async with serving({"max.connections": "1"}, apart()) as server:
        (controller,) = await connected(server, 2)
        (client,) = await connected(server, 0)
        late = await waiting(server, 2)
        controller.abort()
        assert await late.receive() == b"elate"
        assert await client.ask(b"e") == b"e"
        for one in (client, late):
            one.abort()


async def test_a_listener_may_have_a_limit_of_its_own() -> None:
    config = {"max.connections": "4", "listener.name.clients.max.connections": "2"}
    async with serving(config | {"listener.name.brokers.max.connections": "3"}, apart()) as server:
        clients = await connected(server, 0, 2)
        late = await waiting(server, 0)
        brokers = await connected(server, 1, 3)  # five are one too many
        assert await clients[0].is_closed_by_peer()
        assert await clients[1].ask(b"e") == b"e"
        brokers.append(await waiting(server, 1))
        for one in (*clients, *brokers, late):
            one.abort()


async def test_clients_that_were_just_accepted_make_room_later() -> None:
    async with serving({"max.connections": "1"}, apart(), sweep_interval_ms=10) as server:
        opened, opening = server.connections.opened, []
        server.connections.opened = opening.append
        client = await Client.connect(server, port=port_of(server, 0))
        await until(lambda: opening)
        server.connections.opened = opened
        (broker,) = await connected(server, 1)
        opened(opening[0])
        assert await client.is_closed_by_peer()
        assert await broker.ask(b"e") == b"e"
        for one in (client, broker):
            one.abort()


@pytest.mark.parametrize(("capacity", "reserved"), [(1, 0), (64, 8), (100_000, 256)])
def test_clients_leave_connections_to_other_nodes(capacity: int, reserved: int) -> None:
    assert reserved_for_nodes(capacity) == reserved


async def test_descriptors_that_clients_do_not_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "connection_capacity", lambda _limit: 8)
    async with serving(bindings=[binding("CLIENTS", is_inter_broker=False), binding("BROKERS")]) as server:
        clients = [await Client.connect(server) for _ in range(8)]
        await until(lambda: len(server.connections) == 7)
        node = await Client.connect(server, port=port_of(server, 1))
        assert await node.ask(b"e") == b"e"
        for one in (*clients, node):
            one.abort()


async def test_connections_over_an_addresss_limit_are_closed() -> None:
    config = {"max.connections.per.ip": "1", "max.connections.per.ip.overrides": "127.0.0.1:2"}
    async with serving(config) as server:
        first, second = [await Client.connect(server) for _ in range(2)]
        assert await first.ask(b"e") == b"e"
        assert await second.ask(b"e") == b"e"
        third = await Client.connect(server)
        assert await third.is_closed_by_peer()
        await first.close()
        await until(lambda: len(server.connections) == 1)
        fourth = await Client.connect(server)
        assert await fourth.ask(b"e") == b"e"
        for client in (second, third, fourth):
            await client.close()


async def test_accepting_pauses_when_descriptors_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "OUT_OF_DESCRIPTORS_PAUSE_S", 0.1)
    tries = 0

    class Exhausted:
        """A listening socket whose first two accepts find no descriptor."""

        def __init__(self, sock: socket.socket) -> None:
            self._sock = sock

        def __getattr__(self, name: str) -> object:
            return getattr(self._sock, name)

        def accept(self) -> object:
            nonlocal tries
            tries += 1
            if tries <= 2:
                raise OSError(errno.EMFILE, "Too many open files")
            return self._sock.accept()

    async with serving() as server:
        (one,) = server._listeners
        one._pause_accepting()
        one._sockets = [Exhausted(sock) for sock in one._sockets]
        one.resume_accepting()
        client = await Client.connect(server)
        assert await client.ask(b"e") == b"e"
        assert tries <= 4  # two failures, one success, one look for more: not a spin
        await client.close()


async def test_the_port_is_free_again_after_stop() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e") == b"e"
        port = port_of(server, 0)
    close_all(bind("127.0.0.1", port))
    assert await client.is_closed_by_peer()
    await client.close()


async def test_a_stop_while_connections_are_being_opened() -> None:
    async with serving() as server:
        clients = await asyncio.gather(*(Client.connect(server) for _ in range(20)))
        begun = asyncio.get_running_loop().time()
        await server.stop()
        assert asyncio.get_running_loop().time() - begun < 5
        assert not len(server.connections)
    for client in clients:
        client.abort()


async def test_a_peer_that_does_not_hang_up_does_not_hold_up_the_stop() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.writer.transport.pause_reading()
        client.send(b"b50000000")
        await until(lambda: server.broker.slices)
        begun = asyncio.get_running_loop().time()
        await server.stop()
        assert asyncio.get_running_loop().time() - begun < 5
        assert server.broker.slices[0].released == 1
        client.abort()
