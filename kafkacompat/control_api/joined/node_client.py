"""Requests to the control API of a node in another process, on an event loop."""

from __future__ import annotations

import asyncio
import json
from typing import NamedTuple
from urllib.parse import urlsplit

import h11

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNECT_TIMEOUT_S = 5.0
IDLE_MAX_S = 20.0
"""A connection that was idle for longer is not used again: the node closes it after a minute."""
IDLE_CONNECTIONS_MAX = 8
RESPONSE_BYTES_MAX = 256 * 1024 * 1024
READ_BYTES = 65_536
CLOSED = (OSError, EOFError, h11.RemoteProtocolError)
"""Raised when the node has closed a connection."""


class NodeGoneError(Exception):
    """The node does not answer: it has ended, or hangs."""


class Answered(NamedTuple):
    """The response of a node."""

    status: int
    media_type: str
    content: bytes

    @property
    def value(self) -> Any:
        """Its JSON, or its bytes if it is none."""
        return json.loads(self.content) if "json" in self.media_type else self.content


class _Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection
    idle_since_s: float


class NodeClient:
    """The control API at a URL. Several requests at once use a connection each; idle ones are kept."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host, self._port = parts.hostname, parts.port or 80
        self._authority = parts.netloc
        self._idle: list[_Connection] = []

    async def send(self, method: str, target: str, body: object = None, *, timeout_s: float) -> Answered:
        """Send a request and return its response. Raises NodeGoneError if that does not come within the time."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self._ask(method, target, body)
        except TimeoutError:
            raise NodeGoneError(f"no answer within {timeout_s:g} s") from None
        except CLOSED as error:
            raise NodeGoneError(str(error) or "it has closed the connection") from None

    def close(self) -> None:
        """Close the idle connections."""
        for connection in self._idle:
            connection.writer.close()
        self._idle.clear()

    async def _ask(self, method: str, target: str, body: object) -> Answered:
        """The response. A kept connection that the node closes before it has read the request is no end of the node, so
        the request is sent once more, on a new one. A node that has read it answers, or ends with its port.
        """
        kept = self._kept()
        if kept is not None:
            try:
                return await self._use(kept, method, target, body)
            except CLOSED:
                if _has_begun(kept.http):
                    raise
        return await self._use(await self._connected(), method, target, body)

    async def _use(self, connection: _Connection, method: str, target: str, body: object) -> Answered:
        try:
            return await self._exchange(connection, method, target, body)
        finally:
            self._put_back(connection)

    def _kept(self) -> _Connection | None:
        """An idle connection that seems to be open; None if there is none."""
        now_s = asyncio.get_running_loop().time()
        while self._idle:
            connection = self._idle.pop()
            if now_s - connection.idle_since_s < IDLE_MAX_S and not connection.reader.at_eof():
                return connection
            connection.writer.close()
        return None

    async def _connected(self) -> _Connection:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port)
        return _Connection(reader, writer, h11.Connection(h11.CLIENT), asyncio.get_running_loop().time())

    def _put_back(self, connection: _Connection) -> None:
        http = connection.http
        if http.our_state is h11.DONE and http.their_state is h11.DONE and len(self._idle) < IDLE_CONNECTIONS_MAX:
            http.start_next_cycle()
            self._idle.append(connection._replace(idle_since_s=asyncio.get_running_loop().time()))
        else:
            connection.writer.close()

    async def _exchange(self, connection: _Connection, method: str, target: str, body: object) -> Answered:
        writer, http = connection.writer, connection.http
        content = b"" if body is None else json.dumps(body).encode()
        headers = [("host", self._authority), ("content-length", str(len(content)))]
        if method != "GET":
            headers.append(("content-type", "application/json"))
        sent = http.send(h11.Request(method=method, target=target, headers=headers)) or b""
        sent += http.send(h11.Data(data=content)) or b""
        writer.write(sent + (http.send(h11.EndOfMessage()) or b""))
        await writer.drain()
        return await self._response(connection)

    async def _response(self, connection: _Connection) -> Answered:
        reader, _, http, _ = connection
        status, media_type, received = 0, "", bytearray()
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                data = await reader.read(READ_BYTES)
                if not data and not _has_begun(http):
                    raise EOFError
                http.receive_data(data)
            elif isinstance(event, h11.Response):
                status = event.status_code
                media_type = dict(event.headers).get(b"content-type", b"").decode("latin-1")
            elif isinstance(event, h11.Data):
                received += event.data
                if len(received) > RESPONSE_BYTES_MAX:
                    raise NodeGoneError(f"its response is larger than {RESPONSE_BYTES_MAX:,} bytes: ask for less")
            elif isinstance(event, h11.EndOfMessage):
                return Answered(status, media_type, bytes(received))
            elif isinstance(event, h11.ConnectionClosed):
                raise EOFError


def _has_begun(http: h11.Connection) -> bool:
    """Whether any byte of a response has come."""
    return http.their_state is not h11.SEND_RESPONSE or bool(http.trailing_data[0])
