"""The proxy that misbehaves on command, between plain sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress

import pytest

from kafkacompat.cluster.proxy import BOTH, FROM, TO, Proxy
from kafkacompat.cluster.proxy_process import ProxyError, ProxyProcess
from kafkacompat.protocol.api_keys import API_VERSIONS
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from tests.waiting import later_event, until

SOON_S = 20


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, data: bytes) -> bytes:
        """What comes back for `data`."""
        self.writer.write(data)
        return await self.read(len(data))

    async def ask_in_vain(self, data: bytes) -> bool:
        """Whether nothing comes back for `data` although a later event is served."""
        self.writer.write(data)
        await later_event()
        return await self.has_heard_nothing()

    async def read(self, size: int) -> bytes:
        return await asyncio.wait_for(self.reader.readexactly(size), SOON_S)

    async def has_heard_nothing(self) -> bool:
        return await is_pending(self.reader.readexactly(1))

    async def is_reset(self) -> bool:
        try:
            return await asyncio.wait_for(self.reader.read(1), SOON_S) == b""
        except ConnectionResetError:
            return True

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


async def is_pending(what: Coroutine[object, object, object]) -> bool:
    """Whether it is not done when a later event has been served; it is cancelled then, and has ended."""
    task = asyncio.ensure_future(what)
    await later_event()
    was_pending = task.cancel()
    await asyncio.wait([task])  # a reader knows until then that somebody waits for data
    return was_pending


@asynccontextmanager
async def echoing() -> AsyncIterator[Proxy]:
    """A proxy in front of a server that sends back what it gets."""
    writers = []

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    try:
        async with Proxy(server.sockets[0].getsockname()) as proxy:
            yield proxy
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await no_task_is_left()


async def no_task_is_left() -> None:
    await until(lambda: len(asyncio.all_tasks()) == 1)


@asynccontextmanager
async def client(proxy: Proxy) -> AsyncIterator[Client]:
    one = Client(*await asyncio.wait_for(asyncio.open_connection("127.0.0.1", proxy.port), SOON_S))
    try:
        yield one
    finally:
        await one.close()


def hello(client_id: str) -> bytes:
    frame = encode_request_header(RequestHeader(API_VERSIONS, 0, 1, client_id))
    return len(frame).to_bytes(4, "big") + frame


async def test_everything_passes_at_first() -> None:
    async with echoing() as proxy, client(proxy) as one, client(proxy) as other:
        assert await one.ask(b"a" * 5_000_000) == b"a" * 5_000_000
        assert await other.ask(b"b") == b"b"
        one.writer.write_eof()
        assert await one.reader.read() == b""


@pytest.mark.parametrize("direction", [TO, FROM, BOTH])
async def test_what_is_held_arrives_after_healing(direction: str) -> None:
    async with echoing() as proxy, client(proxy) as one:
        assert await one.ask(b"before") == b"before"
        proxy.hold(direction)
        assert await one.ask_in_vain(b"held")
        async with client(proxy) as other:
            assert await other.ask_in_vain(b"new")
            proxy.heal()
            assert await one.read(4) == b"held"
            assert await other.read(3) == b"new"


async def test_one_direction_is_held_and_the_other_passes() -> None:
    got = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(4)
        got.set()
        writer.write(b"back")
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with Proxy(server.sockets[0].getsockname()) as proxy, client(proxy) as one:
        proxy.hold(FROM)
        assert await one.ask_in_vain(b"send")
        await asyncio.wait_for(got.wait(), SOON_S)
        proxy.heal()
        assert await one.read(4) == b"back"
    server.close()
    await no_task_is_left()


async def test_a_delay_is_one_delay_however_much_is_sent() -> None:
    async with echoing() as proxy, client(proxy) as one:
        proxy.delay(100)
        loop = asyncio.get_running_loop()
        since = loop.time()
        assert await one.ask(b"a" * 3_000_000) == b"a" * 3_000_000
        assert 0.2 <= loop.time() - since < 3  # one for each piece would be 4.6 s


async def test_after_healing_nothing_is_delayed() -> None:
    async with echoing() as proxy, client(proxy) as one:
        proxy.delay(60_000)
        proxy.heal()
        assert await one.ask(b"b") == b"b"


async def test_healing_ends_a_long_delay() -> None:
    async with echoing() as proxy, client(proxy) as one:
        proxy.delay(60_000, TO)
        assert await one.ask_in_vain(b"a")
        proxy.heal()
        assert await one.read(1) == b"a"


async def test_a_cut_resets_what_is_open_and_lets_new_ones_in() -> None:
    async with echoing() as proxy, client(proxy) as one:
        assert await one.ask(b"a") == b"a"
        proxy.cut()
        assert await one.is_reset()
        async with client(proxy) as other:
            assert await other.ask(b"b") == b"b"


async def test_a_dead_machine_refuses_until_it_is_healed() -> None:
    async with echoing() as proxy, client(proxy) as one:
        assert await one.ask(b"a") == b"a"
        proxy.refuse()
        assert await one.is_reset()
        for _ in range(3):
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", proxy.port)
        proxy.heal()
        async with client(proxy) as other:
            assert await other.ask(b"b") == b"b"


async def test_a_machine_that_is_cut_off_does_not_even_accept() -> None:
    async with echoing() as proxy, client(proxy) as one:
        assert await one.ask(b"a") == b"a"
        proxy.vanish()
        assert await one.ask_in_vain(b"b")
        assert await is_pending(asyncio.open_connection("127.0.0.1", proxy.port))
        proxy.heal()
        assert await one.read(1) == b"b"
        async with client(proxy) as other:
            assert await other.ask(b"c") == b"c"


@pytest.mark.parametrize("client_id", ["1", "raft-client-1", "broker-1-fetcher-0"])
async def test_a_fault_may_be_for_one_node_alone(client_id: str) -> None:
    async with echoing() as proxy, client(proxy) as one, client(proxy) as other, client(proxy) as stranger:
        for who, name in ((one, client_id), (other, "raft-client-2"), (stranger, "producer-1")):
            assert await who.ask(hello(name)) == hello(name)
        assert sorted(proxy.sources, key=str) == [1, 2, None]
        proxy.hold(BOTH, 1)
        assert await one.ask_in_vain(b"held")
        assert await other.ask(b"free") == b"free"
        assert await stranger.ask(b"free") == b"free"
        proxy.cut(2)
        assert await other.is_reset()
        proxy.heal()
        assert await one.read(4) == b"held"


async def test_a_target_that_is_not_there() -> None:
    async with echoing() as proxy:
        proxy.target = ("127.0.0.1", 1)
        async with client(proxy) as one:
            assert await one.is_reset()


def test_a_direction_that_is_none() -> None:
    with pytest.raises(ValueError, match="is not a direction: use to, from or both"):
        Proxy(("127.0.0.1", 1)).hold("left")


async def test_a_process_of_proxies() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(100):
                writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    with ProxyProcess({"a": target, "b": target}) as proxies:
        ends = [
            Client(*await asyncio.open_connection("127.0.0.1", port))
            for port in (proxies.ports["a"], proxies.ports["b"])
        ]
        a, b = ends
        proxies.tell("a", "hold", "to")
        a.writer.write(b"held")
        assert await b.ask(b"free") == b"free"
        assert await a.has_heard_nothing()
        proxies.tell("*", "heal")
        assert await a.read(4) == b"held"
        proxies.tell("*", "delay", 5, "from", 3)
        proxies.tell("a", "cut")
        assert await a.is_reset()
        proxies.tell("b", "refuse")
        assert await b.is_reset()
        for wrong in (("c", "heal"), ("a", "dance"), ("a", "hold", "left"), ("a", "delay"), ("a", "cut", "x")):
            with pytest.raises(ProxyError):
                proxies.tell(*wrong)
        for end in ends:
            await end.close()
    server.close()
    with pytest.raises(ProxyError, match="ended"):
        ProxyProcess({"a": "nonsense"})
    await no_task_is_left()
