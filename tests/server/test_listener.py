"""Binding, accepting, and what happens when there is no room."""

from __future__ import annotations

import asyncio
import errno
import socket

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server import listener
from kafkacompat.server.listener import bind, close_all
from tests.server.harness import Client, serving, until

pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")


def test_localhost_is_both_addresses_at_one_port(has_ipv6: bool) -> None:
    sockets = bind("localhost", 0)
    addresses = [sock.getsockname()[0] for sock in sockets]
    ports = {sock.getsockname()[1] for sock in sockets}
    close_all(sockets)
    assert addresses == (["127.0.0.1", "::1"] if has_ipv6 else ["127.0.0.1"])
    assert len(ports) == 1
    assert ports.pop() in listener.FREE_PORTS


def test_a_port_that_is_taken_on_one_address_is_not_free(monkeypatch: pytest.MonkeyPatch, has_ipv6: bool) -> None:
    if not has_ipv6:
        pytest.skip("this machine has no IPv6")
    first, other = 31_991, 31_992
    monkeypatch.setattr(listener.random.SystemRandom, "sample", lambda *_: [first, other])
    with socket.socket(socket.AF_INET6) as taken:
        taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        taken.bind(("::1", first))
        taken.listen()
        sockets = bind("localhost", 0)
        assert {sock.getsockname()[1] for sock in sockets} == {other}
        close_all(sockets)


def test_a_taken_port_is_one_line_that_says_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StartupError) as caught:
            bind("127.0.0.1", port)
    text = str(caught.value)
    assert f"127.0.0.1:{port} is taken" in text
    assert "--port" in text
    assert "\n" not in text


@pytest.mark.parametrize(("host", "words"), [("192.0.2.1", "cannot be bound"), ("no.such.host.invalid", "not known")])
def test_an_address_that_is_not_ours(host: str, words: str) -> None:
    with pytest.raises(StartupError, match=words):
        bind(host, 0)


def test_an_empty_host_is_every_address() -> None:
    sockets = bind("", 0)
    assert "0.0.0.0" in {sock.getsockname()[0] for sock in sockets}
    close_all(sockets)


def test_where_there_is_no_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener.socket, "has_ipv6", False)
    sockets = bind("localhost", 0)
    assert [sock.family for sock in sockets] == [socket.AF_INET]
    close_all(sockets)


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
        await asyncio.sleep(0.05)
        assert len(server.broker.frames) == 2
        await first.close()
        assert await third.receive() == b"ethird"
        await second.close()
        await third.close()


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
        one._accept_no_more()
        one._sockets = [Exhausted(sock) for sock in one._sockets]
        one.accept_on()
        client = await Client.connect(server)
        assert await client.ask(b"e") == b"e"
        assert tries <= 4  # two failures, one success, one look for more: not a spin
        await client.close()


async def test_the_port_is_free_again_after_stop() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e") == b"e"
        port = server.endpoints[0].port
    close_all(bind("127.0.0.1", port))
    assert await client.is_closed_by_peer()
    await client.close()


async def test_a_stop_while_connections_are_being_opened() -> None:
    async with serving() as server:
        clients = await asyncio.gather(*(Client.connect(server) for _ in range(20)))
        begun = asyncio.get_running_loop().time()
        await server.stop()
        assert asyncio.get_running_loop().time() - begun < 1.5
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
        assert asyncio.get_running_loop().time() - begun < 1.5
        assert server.broker.slices[0].released == 1
        client.abort()
