"""A node is asked over connections that are kept; one that it has closed meanwhile is no end of the node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from kafkacompat.control_api.joined.node_client import NodeClient, NodeGoneError

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
TIMEOUT_S = 10


class Server:
    """Answers requests as each connection's script says: ANSWER, a part of it, or nothing; then it closes, after it has
    read a request.
    """

    def __init__(self, *scripts: list[bytes]) -> None:
        self._scripts = list(scripts)
        self.requests: list[bytes] = []

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = self._scripts.pop(0)
        with suppress(asyncio.IncompleteReadError):
            for answer in script:
                self.requests.append((await reader.readuntil(b"\r\n\r\n")).split(b" HTTP")[0])
                writer.write(answer)
                await writer.drain()
        writer.close()

    def run(self, talk: Callable[[NodeClient], Awaitable[None]]) -> None:
        """Call it with a client of this server."""

        async def go() -> None:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            client = NodeClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            try:
                await talk(client)
            finally:
                client.close()
                server.close()
                await server.wait_closed()

        asyncio.run(asyncio.wait_for(go(), TIMEOUT_S))


def test_a_request_goes_once_more_when_a_kept_connection_closes_before_the_answer() -> None:
    server = Server([ANSWER, b""], [ANSWER])

    async def talk(client: NodeClient) -> None:
        for method in ("GET", "POST"):
            assert (await client.send(method, "/v1", timeout_s=TIMEOUT_S)).value == {}

    server.run(talk)
    assert server.requests == [b"GET /v1", b"POST /v1", b"POST /v1"]


@pytest.mark.parametrize(
    ("scripts", "requests"),
    [
        (([b""],), 1),  # a new connection
        (([ANSWER, b""], [b""]), 3),  # and the one that comes after a kept one
        (([ANSWER, ANSWER[:9]],), 2),  # the node has read the request and acted on it
        (([ANSWER, ANSWER[:-1]],), 2),
    ],
    ids=["new", "twice", "status", "body"],
)
def test_a_node_that_closes_otherwise_is_gone(scripts: tuple[list[bytes], ...], requests: int) -> None:
    server = Server(*scripts)

    async def talk(client: NodeClient) -> None:
        if requests > 1:
            await client.send("GET", "/v1", timeout_s=TIMEOUT_S)
        with pytest.raises(NodeGoneError):
            await client.send("GET", "/v1", timeout_s=TIMEOUT_S)

    server.run(talk)
    assert len(server.requests) == requests


def test_a_connection_that_is_known_to_be_closed_is_not_used() -> None:
    server = Server([ANSWER], [ANSWER])

    async def talk(client: NodeClient) -> None:
        await client.send("GET", "/v1", timeout_s=TIMEOUT_S)
        (kept,) = client._idle
        await kept.reader.read()
        await client.send("GET", "/v1", timeout_s=TIMEOUT_S)
        assert kept.writer.is_closing()

    server.run(talk)
    assert len(server.requests) == 2
