"""HTTP/1.1 for the control API, over h11: reads requests, calls the application, and writes its responses.

Every size, count and time is limited. Requests of a connection are answered one after the other; a client that goes
away ends what waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import NamedTuple

import h11

from kafkacompat.control_api.http.http_bodies import IncomingBody

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Handle = Callable[["Request"], Awaitable["Response"]]

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 64
"""One more takes the place of the oldest for which nothing is done; if there is none such, it is closed at once."""
HEADER_BYTES_MAX = 16 * 1024
HEADER_TOO_LARGE = f"the header is larger than {HEADER_BYTES_MAX:,} bytes: send fewer and shorter fields"
BODY_BYTES_MAX = 4 * 1024 * 1024
READ_AHEAD_BYTES_MAX = 64 * 1024
"""Bytes of later requests that are read while one is in progress."""
PARTS_PER_TURN = 200
"""Parts of a request, such as chunks of its body, that are read in one turn of the loop: about 5 ms."""
REQUEST_TIMEOUT_S = 10.0
"""For the whole of a request to arrive, from its first byte; also for the first one of a connection."""
IDLE_TIMEOUT_S = 60.0
"""An idle connection is closed after this time."""
REFUSED_TIMEOUT_S = 5.0
"""What a client still sends after its request was refused is dropped for this time."""
HALF_CLOSED_TIMEOUT_S = 1.0
"""A client that sends no more has gone away, or waits for its answer, which it gets within this time."""
SEND_TIMEOUT_S = 30.0
"""A client has to read its response within this time, and a piece of a file, too."""
FILE_PIECE_BYTES = 256 * 1024


class Request(NamedTuple):
    """A request. Names of headers are in lower case. `peer` and `local` are IP addresses.

    incoming: the body of one that is read while it arrives, else None.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    peer: str
    local: str
    incoming: IncomingBody | None = None


class Response(NamedTuple):
    """A response; `headers` without those that HTTP itself needs. file: the path of what is sent instead of `body`."""

    status: int
    media_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    closes: bool = False
    file: str | None = None


class HttpServer:
    """All connections of one port.

    handle: answers a request; raises nothing. refuse: makes the response for a request that is not HTTP or too large,
    from a status and a sentence. version: of kafkacompat. is_streamed: whether the body of a request with this method
    and target is read while it arrives.
    """

    def __init__(
        self,
        handle: Handle,
        refuse: Callable[[int, str], Response],
        version: str,
        is_streamed: Callable[[str, str], bool] = lambda _method, _target: False,
    ) -> None:
        self.handle = handle
        self.is_streamed = is_streamed
        self.name = f"kafkacompat/{version}"
        self.refuse = refuse
        self.connections: dict[HttpConnection, None] = {}  # in the order in which they came

    def connection(self) -> HttpConnection | None:
        """The protocol of a new connection; None if there are too many."""
        if len(self.connections) >= CONNECTIONS_MAX and not self._make_room():
            log.warning("a connection to the control API was closed: %d others are served", len(self.connections))
            return None
        connection = HttpConnection(self)
        self.connections[connection] = None
        return connection

    def _make_room(self) -> bool:
        """Close a connection that sends its request slowly or none, so that such ones keep nobody out."""
        for connection in self.connections:
            if not connection.is_served:
                del self.connections[connection]
                connection.abort()
                return True
        return False

    def close(self) -> None:
        """Close all connections."""
        for connection in list(self.connections):
            connection.abort()


class HttpConnection(asyncio.Protocol):
    """One connection."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEADER_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._incoming: IncomingBody | None = None  # until all of it has arrived
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_reading = True  # a request has begun to arrive, or is due
        self._is_refused = False
        self._is_sending = False
        self._ahead_bytes = 0

    # As asyncio's protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # uvloop's is no subclass of asyncio.Transport
        self._expect(REQUEST_TIMEOUT_S)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's interface)
        self._server.connections.pop(self, None)
        self._transport = None
        self._cancel_timer()
        self._tear_body()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:  # read and dropped: closing with unread bytes would reset the response
            return
        self._http.receive_data(data)
        if self._task is not None and self._incoming is None:
            self._ahead_bytes += len(data)
            if self._ahead_bytes > READ_AHEAD_BYTES_MAX and self._transport is not None:
                self._transport.pause_reading()
            return
        if not self._is_reading and self._incoming is None:
            self._is_reading = True
            self._expect(REQUEST_TIMEOUT_S)
        self._read()

    def eof_received(self) -> bool:
        """The client sends no more, or has gone away: what it has asked is answered if that takes no long wait."""
        if self._task is None or self._is_sending or self._incoming is not None:
            return False
        self._expect(HALF_CLOSED_TIMEOUT_S)
        self._ahead_bytes = 0
        self._http.receive_data(b"")
        return True

    @property
    def is_served(self) -> bool:
        """Whether a request is in progress, or its response is still being sent."""
        transport = self._transport
        return self._task is not None or (transport is not None and transport.get_write_buffer_size() > 0)

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

    # Reading

    def _read(self) -> None:
        """Handle what has arrived, up to the end of one request; many parts in several turns of the loop."""
        left = PARTS_PER_TURN
        try:
            while self._is_due and self._transport is not None and not self._is_refused:
                if not left:
                    self._transport.pause_reading()
                    asyncio.get_running_loop().call_soon(self._read_on)
                    return
                left -= 1
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    if self._incoming is None:
                        self._continue()
                    return
                if isinstance(event, h11.Request):
                    self._begin(event)
                elif self._incoming is not None:
                    self._pass_on(event)
                elif isinstance(event, h11.Data):
                    self._body += event.data
                    if len(self._body) > BODY_BYTES_MAX:
                        self._refuse(413, f"the body is larger than {BODY_BYTES_MAX:,} bytes: send less at a time")
                        return
                elif isinstance(event, h11.EndOfMessage):
                    self._complete()
                else:  # closed, or paused after an error
                    self._close()
                    return
        except h11.RemoteProtocolError as error:
            if self._incoming is not None:
                self.abort()
                return
            status = error.error_status_hint
            self._refuse(status, HEADER_TOO_LARGE if status == 431 else f"not HTTP: {error}")

    def _read_on(self) -> None:
        if self._transport is not None:
            if self._incoming is None:  # else its reader says when more may be received
                self._transport.resume_reading()
            self._read()

    @property
    def _is_due(self) -> bool:
        """Whether what arrives belongs to the request that is read."""
        return self._task is None or self._incoming is not None

    def _continue(self) -> None:
        """Tell a client that waits with its body to send it."""
        if self._http.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[]))

    def _pass_on(self, event: object) -> None:
        """Give a part of a body, or its end, to who reads it while it arrives."""
        assert self._incoming is not None
        if isinstance(event, h11.Data):
            self._incoming.feed(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            self._incoming.end()
            self._incoming = None
        else:
            self.abort()

    def _tear_body(self) -> None:
        """Nobody gets the rest of a body."""
        if self._incoming is not None:
            self._incoming.tear()
            self._incoming = None

    def _begin(self, request: h11.Request) -> None:
        self._request, self._body = request, bytearray()
        size_bytes = len(request.target) + sum(len(name) + len(value) + 4 for name, value in request.headers)
        if size_bytes > HEADER_BYTES_MAX:  # h11 limits what is incomplete
            self._refuse(431, HEADER_TOO_LARGE)
        elif self._server.is_streamed(request.method.decode("latin-1"), request.target.decode("latin-1")):
            length = dict(request.headers).get(b"content-length")
            self._incoming = IncomingBody(None if length is None else int(length), self._go_on, self._pause)
            self._complete()

    def _go_on(self) -> None:
        """Receive more of a body."""
        if self._transport is not None:
            self._continue()
            self._transport.resume_reading()

    def _pause(self) -> None:
        if self._transport is not None:
            self._transport.pause_reading()

    def _complete(self) -> None:
        assert self._request is not None
        assert self._transport is not None
        self._cancel_timer()
        headers: dict[str, str] = {}
        for name, value in self._request.headers:
            key = name.decode("latin-1")
            headers[key] = f"{headers[key]}, {value.decode('latin-1')}" if key in headers else value.decode("latin-1")
        peer, local = self._transport.get_extra_info("peername"), self._transport.get_extra_info("sockname")
        request = Request(
            self._request.method.decode("latin-1"), self._request.target.decode("latin-1"), headers, bytes(self._body),
            str(peer[0]) if peer else "", str(local[0]) if local else "", self._incoming,
        )  # fmt: skip
        self._ahead_bytes = 0
        self._task = asyncio.get_running_loop().create_task(self._answer(request))

    async def _answer(self, request: Request) -> None:
        response = await self._server.handle(request)
        if response.file is not None:
            await self._send_file(response, response.file)
        elif self._transport is not None and self._incoming is None:
            self._respond(response)
            await self._until_read()
        self._task = None
        if self._transport is None:
            return
        if self._incoming is not None:  # refused before all of it has come
            self._tear_body()
            self._last_word(response)
            return
        if self._transport is None or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self._close()
            return
        self._http.start_next_cycle()
        self._request = None
        self._is_reading = self._ahead_bytes > 0
        self._transport.resume_reading()
        self._expect(REQUEST_TIMEOUT_S if self._is_reading else IDLE_TIMEOUT_S)
        self._read()

    # Writing

    def _respond(self, response: Response) -> None:
        self._send_head(response, len(response.body))
        if not self._is_head:
            self._send(h11.Data(data=response.body))
        self._send(h11.EndOfMessage())

    @property
    def _is_head(self) -> bool:
        return self._request is not None and self._request.method == b"HEAD"

    async def _until_read(self) -> None:
        """Wait until the client has read the response: else the answers to all that it asks could fill the memory."""
        if not self._may_write.is_set():
            self._is_sending = True
            self._expect(SEND_TIMEOUT_S)
            await self._may_write.wait()
            self._is_sending = False

    async def _send_file(self, response: Response, path: str) -> None:
        """Send a file in pieces, each when the client has read the former ones. A file that fails ends the connection,
        so that the client sees that it is not whole.
        """
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError as error:
            self._respond(self._server.refuse(404, f"what was asked for is gone: {error.strerror or error}"))
            return
        try:
            left, position = os.fstat(fd).st_size, 0
            self._send_head(response, left)
            while left and self._transport is not None and not self._is_head:
                piece = await asyncio.to_thread(os.pread, fd, min(left, FILE_PIECE_BYTES), position)
                if not piece:
                    self.abort()
                    return
                self._send(h11.Data(data=piece))
                left, position = left - len(piece), position + len(piece)
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await self._may_write.wait()
            self._send(h11.EndOfMessage())
        except (OSError, TimeoutError):
            self.abort()
        finally:
            os.close(fd)

    def _send_head(self, response: Response, size_bytes: int) -> None:
        headers = [
            ("content-type", response.media_type), ("content-length", str(size_bytes)),
            ("server", self._server.name), ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"), *response.headers,
        ]  # fmt: skip
        if response.closes:
            headers.append(("connection", "close"))
        self._send(h11.Response(status_code=response.status, headers=headers))

    def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data and self._transport is not None:
            self._transport.write(data)

    def _refuse(self, status: int, said: str) -> None:
        self._last_word(self._server.refuse(status, said))

    def _last_word(self, response: Response) -> None:
        """Answer a request that has not arrived as a whole: the rest is dropped."""
        if self._transport is not None and self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._respond(response._replace(closes=True))
        self._is_refused = True
        if self._transport is None or not self._transport.can_write_eof():
            self._close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._expect(REFUSED_TIMEOUT_S)

    def _close(self) -> None:
        """Close once the client has read what was written."""
        self._expect(SEND_TIMEOUT_S)
        if self._transport is not None:
            self._transport.close()

    # Time limits

    def _expect(self, timeout_s: float) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(timeout_s, self.abort)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
