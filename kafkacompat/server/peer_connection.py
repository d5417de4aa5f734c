"""One connection to another node: sends requests in order and receives the responses, each with a time-out.

Needs no task or future once it is open: `accept` writes, `buffer_updated` decodes and calls back.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque

from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.server.endpoints import local_address
from kafkacompat.server.frames import SIZE, FrameReader, FrameSizeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any, Protocol

    from kafkacompat.broker.network import Address
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.server.clock import SystemClock

    Done = Callable[[object | None, Now], None]

    class Owner(Protocol):
        """The shared resources and callbacks of a node's connections, see `Peers`."""

        loop: asyncio.AbstractEventLoop
        clock: SystemClock
        shared_buffer: bytearray
        max_response_bytes: int

        def answer(self, request: PeerRequest, response: object | None) -> None: ...
        def after_event(self) -> None: ...
        def traffic_of(self, channel: str) -> ChannelTraffic: ...
        def fail(self, requests: Sequence[PeerRequest]) -> None: ...
        def closed(self, connection: PeerConnection, unanswered: Sequence[PeerRequest]) -> None: ...


log = logging.getLogger(__name__)

MAX_IN_FLIGHT = 8
"""The limit of unanswered requests on a connection. The peer works at one at a time, so more would only wait there."""
WAITING_REQUESTS_MAX = 512
WAITING_BYTES_MAX = 32 * 1024 * 1024
"""The limits of requests that wait to be sent. The request that exceeds the byte limit is still accepted, so that the
largest request of a client can be forwarded."""
JOINED_MAX_BYTES = 64 * 1024
"""The parts of a request up to this size are joined: one small write is cheaper than several."""
FIRST_BUFFER_BYTES = 16 * 1024 * 1024
"""The buffer of an announced response has at most this size at first, and is copied when it grows."""
CORRELATION_IDS = 1 << 31


class PeerRequest:
    """A request to another node, encoded except for its header, which has the connection's correlation id."""

    __slots__ = ("api_key", "body", "client_id", "correlation_id", "deadline_ms", "done", "messages", "size_bytes",
                 "version")  # fmt: skip

    def __init__(
        self, client_id: str, api_key: int, version: int, request: Message, deadline_ms: int, done: Done
    ) -> None:
        self.client_id = client_id
        self.api_key = api_key
        self.version = version
        self.deadline_ms = deadline_ms
        self.done = done
        self.correlation_id = -1
        self.messages: ModuleType = sys.modules[type(request).__module__]  # the generated codec of this API
        self.body: list[Any] = []
        self.messages.encode_request(request, version, self.body)
        self.size_bytes = sum(map(len, self.body))

    def frame(self, correlation_id: int) -> list[Any]:
        """The parts to write: size, header and body."""
        self.correlation_id = correlation_id
        header = encode_request_header(RequestHeader(self.api_key, self.version, correlation_id, self.client_id))
        parts = [SIZE.pack(len(header) + self.size_bytes), header, *self.body]
        self.body = []
        return parts

    def decode(self, frame: bytes | bytearray) -> object:
        """Decode the response. Raises MalformedMessageError, also for the correlation id of another request."""
        flexible = response_header_is_flexible(self.api_key, self.version)
        correlation_id, position = decode_response_header(frame, flexible)
        if correlation_id != self.correlation_id:
            raise MalformedMessageError(f"correlation id {correlation_id} instead of {self.correlation_id}")
        response: object = self.messages.decode_response(frame, position, self.version)
        return response


class ChannelTraffic:
    """What went over all connections of a channel, also over those that are closed."""

    __slots__ = ("bytes_in", "bytes_out", "requests", "responses")

    def __init__(self) -> None:
        self.requests = 0
        self.responses = 0
        self.bytes_in = 0
        self.bytes_out = 0


class PeerConnection(asyncio.BufferedProtocol):
    """The connection of one (address, channel). `Peers` creates it, opens its socket, and removes it when it closes."""

    __slots__ = (
        "_closed",
        "_in_flight",
        "_next_id",
        "_owner",
        "_reader",
        "_timer",
        "_timer_ms",
        "_traffic",
        "_transport",
        "_waiting",
        "_waiting_bytes",
        "channel",
        "to",
    )  # fmt: skip

    def __init__(self, owner: Owner, to: Address, channel: str) -> None:
        self._owner = owner
        self.to = to
        self.channel = channel
        self._traffic = owner.traffic_of(channel)
        self._reader = FrameReader(owner.shared_buffer, owner.max_response_bytes, FIRST_BUFFER_BYTES)
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[PeerRequest] = deque()
        self._waiting_bytes = 0
        self._in_flight: deque[PeerRequest] = deque()
        self._next_id = 0
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0

    def __repr__(self) -> str:
        return f"{self.channel} connection to {self.to}"

    # What Peers calls

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed."""
        return self._closed

    @property
    def own_address(self) -> str:
        """host:port from which it is connected, ">", and the port to which; "" while it is not. One port may have
        several connections to different places, one of a node and one of a client in the same program, say.
        """
        if self._transport is None:
            return ""
        own, peer = self._transport.get_extra_info("sockname"), self._transport.get_extra_info("peername")
        return f"{local_address(*own[:2])}>{peer[1]}" if own and peer else ""

    def opened(self, transport: asyncio.Transport) -> None:
        """The socket is open; the connection may have been closed meanwhile."""
        self._transport = transport
        if self._closed:
            transport.abort()
        else:
            self._send_waiting()

    def accept(self, request: PeerRequest) -> bool:
        """Queue a request; returns False if too many wait."""
        if len(self._waiting) >= WAITING_REQUESTS_MAX or self._waiting_bytes > WAITING_BYTES_MAX:
            return False
        self._waiting.append(request)
        self._waiting_bytes += request.size_bytes
        self._send_waiting()
        if self._timer is None or request.deadline_ms < self._timer_ms:
            self._arm(request.deadline_ms)
        return True

    def close(self, reason: str, level: int = logging.DEBUG) -> None:
        """Close at once. Unanswered requests fail in a later turn of the loop."""
        if self._closed:
            return
        log.log(level, "closing the %r: %s", self, reason)
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        unanswered = [*self._in_flight, *self._waiting]
        self._in_flight.clear()
        self._waiting.clear()
        self._owner.closed(self, unanswered)
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 (asyncio's interface)
        """The buffer that the loop receives into."""
        return self._reader.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes were received."""
        if self._closed:
            return
        self._traffic.bytes_in += nbytes
        failure = ""
        try:
            frames = self._reader.received(nbytes)
        except FrameSizeError as error:
            frames, failure = error.before, str(error)
        for frame in frames:
            self._answered(frame)
            if self._closed:  # by a malformed response, or by a callback
                break
        if failure:
            self.close(failure, logging.WARNING)
        if frames:
            if not self._closed:
                self._send_waiting()
            self._owner.after_event()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed, by either side."""
        self.close("it was lost" if exc is None else f"it was lost: {exc}")
        self._reader.drop()

    # Requests and answers

    def _send_waiting(self) -> None:
        transport, waiting, in_flight = self._transport, self._waiting, self._in_flight
        if transport is None:
            return
        while waiting and len(in_flight) < MAX_IN_FLIGHT:
            request = waiting.popleft()
            self._waiting_bytes -= request.size_bytes
            self._next_id = (self._next_id + 1) % CORRELATION_IDS
            in_flight.append(request)
            parts = request.frame(self._next_id)
            self._traffic.requests += 1
            self._traffic.bytes_out += request.size_bytes + len(parts[0]) + len(parts[1])
            if request.size_bytes <= JOINED_MAX_BYTES:
                transport.write(b"".join(parts))
            else:
                transport.writelines(parts)

    def _answered(self, frame: bytes | bytearray) -> None:
        if not self._in_flight:
            self.close("it sent a response without a request", logging.WARNING)
            return
        request = self._in_flight[0]
        try:
            response = request.decode(frame)
        except MalformedMessageError as error:
            self.close(f"it sent a malformed response: {error}", logging.WARNING)
            return
        self._in_flight.popleft()
        self._traffic.responses += 1
        self._owner.answer(request, response)

    # Time

    def _arm(self, deadline_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = deadline_ms
        delay_ms = deadline_ms - self._owner.clock.now().monotonic_ms
        self._timer = self._owner.loop.call_later(max(0, delay_ms) / 1000, self._check_deadlines)

    def _check_deadlines(self) -> None:
        """Fail the requests whose deadline has passed, if any: the timer does not move when responses arrive."""
        self._timer = None
        now_ms = self._owner.clock.now().monotonic_ms
        if any(request.deadline_ms <= now_ms for request in self._in_flight):
            self.close("no response in time", logging.INFO)
            return
        late = [request for request in self._waiting if request.deadline_ms <= now_ms]
        if late:
            self._waiting = deque(request for request in self._waiting if request.deadline_ms > now_ms)
            self._waiting_bytes = sum(request.size_bytes for request in self._waiting)
            self._owner.fail(late)
        due = [request.deadline_ms for request in (*self._in_flight, *self._waiting)]
        if due:
            self._arm(min(due))
