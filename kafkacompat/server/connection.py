"""A client's TCP connection: reads frames, keeps one request in flight, and writes the responses in order.

Several produce requests may be in flight: they are appended at once, and answered in order.

The fast path is `buffer_updated` -> `_pump` -> dispatch -> `_reply` -> one `transport.write`, without a task, future or
coroutine. In all other cases (a frame in parts, a long poll, a slow reader) a later event calls `_pump` again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from functools import partial

from kafkacompat.broker.connection import (
    CloseConnection,
    Connection,
    never_muted,
    no_bytes,
    not_connected,
    nothing_held,
)
from kafkacompat.server.connection_timeouts import ConnectionTimeouts, Observation
from kafkacompat.server.frames import FrameReader, FrameSizeError
from kafkacompat.server.limits import (
    LARGE_FRAME_BYTES,
    PRODUCES_IN_FLIGHT_MAX,
    PRODUCES_IN_FLIGHT_MAX_BYTES,
    REQUESTS_PER_ITERATION,
    WAITING_BYTES_MAX,
    WAITING_FRAMES_MAX,
)
from kafkacompat.server.sender import Sender, release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Protocol

    from kafkacompat.broker.connection import ByteFault
    from kafkacompat.now import Now
    from kafkacompat.server.budget import RequestBudget
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.direct import ReadAhead
    from kafkacompat.server.limits import Limits

    Reply = Callable[[list[object] | None], None]
    Dispatch = Callable[[bytes | bytearray, Connection, Now, Reply], None]
    CompleteEarly = Callable[[bytes | bytearray, Connection, Now], bool]

    class Owner(Protocol):
        """What the connections of a broker share, see `Connections`."""

        loop: asyncio.AbstractEventLoop
        clock: SystemClock
        limits: Limits
        budget: RequestBudget
        shared_buffer: bytearray
        read_ahead: ReadAhead | None
        around_large: AbstractContextManager[None]
        serve: Dispatch
        complete_early: CompleteEarly
        after_event: Callable[[int, object], None]

        def opened(self, connection: ClientConnection) -> None: ...
        def lost(self, connection: ClientConnection) -> None: ...


log = logging.getLogger(__name__)


class _Pipelined:
    """A request that is executed before an earlier one is answered, with its response once there is one."""

    __slots__ = ("is_answered", "parts", "size_bytes")

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.is_answered = False
        self.parts: list[object] | None = None


class ClientConnection(asyncio.BufferedProtocol):
    """The protocol object that asyncio calls; `Connections` owns all of them."""

    __slots__ = (
        "_behind",
        "_charged_bytes",
        "_closed",
        "_frames",
        "_in_flight",
        "_in_flight_bytes",
        "_mutes",
        "_oldest",
        "_owner",
        "_paused",
        "_pump_scheduled",
        "_pumping",
        "_reader",
        "_reply_callback",
        "_requests",
        "_sender",
        "_timeouts",
        "_transport",
        "_waits_for_budget",
        "state",
        "used_ms",
    )  # fmt: skip

    def __init__(self, owner: Owner, state: Connection, now: Now) -> None:
        self._owner = owner
        self.state = state
        self.used_ms = now.monotonic_ms  # the arrival of the last request
        self._reader = FrameReader(owner.shared_buffer, owner.limits.max_frame_bytes)
        self._timeouts = ConnectionTimeouts(now.monotonic_ms)
        self._frames: deque[bytes | bytearray] = deque()  # complete frames that wait for the request in flight
        self._requests = 0
        self._in_flight = False
        self._in_flight_bytes = 0  # size of the oldest request in flight, set once its answer is delayed
        self._behind: deque[_Pipelined] = deque()  # in flight after the oldest, in order
        self._oldest: _Pipelined | None = None  # the oldest in flight, if it was in `_behind`
        self._mutes: list[asyncio.TimerHandle] = []  # those that have not ended
        self._pumping = False
        self._pump_scheduled = False
        self._paused = False  # reading
        self._waits_for_budget = False  # waits for the request budget
        self._closed = False
        self._charged_bytes = 0
        self._reply_callback = self._reply

    def __repr__(self) -> str:
        return f"connection {self.state.id} from {self.state.client_host}"

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed or closing."""
        return self._closed

    # For views

    @property
    def ends(self) -> str:
        """host:port of the client, ">", and the port of the listener; as `PeerConnection.own_address`."""
        name = self._transport.get_extra_info("sockname")
        return f"{self.peer}>{name[1] if name else 0}"

    @property
    def peer(self) -> str:
        """The client's address as host:port, an IPv6 address in brackets."""
        host, port, *_ = self._transport.get_extra_info("peername") or (self.state.client_host, 0)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def request_count(self) -> int:
        """The number of requests that were dispatched."""
        return self._requests

    @property
    def in_flight_count(self) -> int:
        """The number of requests that were dispatched and not answered."""
        return self._in_flight + sum(not behind.is_answered for behind in self._behind)

    @property
    def received_bytes(self) -> int:
        """All bytes that were received."""
        return self._reader.total_bytes

    @property
    def unsent_bytes(self) -> int:
        """The bytes of responses that the peer has not read yet."""
        return self._sender.unsent_bytes

    @property
    def held_response_bytes(self) -> int:
        """The bytes of responses in memory that the peer has not read yet."""
        return 0 if self._closed else self._sender.held_bytes

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is connected."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self._sender = Sender(self._transport, self._owner.loop, self.resume_writing, self._owner.read_ahead)
        self.state.drop = self.close
        self.state.treat_bytes = self._treat_bytes
        self.state.mute = self.mute
        self.state.resumed = self._schedule_pump
        self._owner.opened(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 (asyncio's interface)
        """The buffer that the loop receives into."""
        return self._reader.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes were received."""
        if self._closed:
            return
        try:
            frames = self._reader.received(nbytes)
        except FrameSizeError as error:
            self._frames += error.before
            self._pump()
            self.close(str(error))
            return
        if frames:
            self._frames += frames
            self._pump()
        if self._charged_bytes or self._reader.held_bytes:
            self._account()

    def pause_writing(self) -> None:
        """The transport's buffer is full, because the peer does not read."""
        self._sender.pause()

    def resume_writing(self) -> None:
        """The transport's buffer is empty again."""
        if self._closed:
            return
        try:
            self._sender.resume()
        except OSError as error:
            self._failed(error)
            return
        self._pump()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (why the peer left does not matter)
        """The socket is closed, by either side."""
        self._forget_requests()
        self._reader.drop()  # up to a megabyte: free it now, not with the next garbage collection
        self._frames.clear()
        if self._waits_for_budget:
            self._owner.budget.forget(self._budget_available)
        try:
            self._charge(0)  # this may resume other connections
        finally:
            self._owner.lost(self)
            del self._reply_callback  # breaks a reference cycle, as does the next line
            self.state.drop = not_connected
            self.state.treat_bytes = no_bytes
            self.state.mute = never_muted
            self.state.resumed = nothing_held

    # Requests and responses

    def _pump(self) -> None:
        """Dispatch waiting frames until one must wait, the peer stops reading, or REQUESTS_PER_ITERATION are served."""
        if self._pumping:
            return
        self._pumping = True
        frames = self._frames
        served = 0
        frame: bytes | bytearray = b""
        began_ms = 0
        while (
            frames
            and (not self._in_flight or self._may_dispatch(frames[0]))
            and not self._sender.blocked
            and not self._closed
        ):
            if served == REQUESTS_PER_ITERATION:
                self._schedule_pump()
                break
            served += 1
            frame = frames.popleft()
            self._dispatch(frame)
            if served == 1:
                began_ms = self.used_ms
            if self._sender.is_full and not self._closed:
                self._flush()
        self._pumping = False
        if not self._closed:
            self._flush()
            self._steer_reading()
        if served:
            self._owner.after_event(began_ms, frame)

    def _may_dispatch(self, frame: bytes | bytearray) -> bool:
        """Whether this request may be dispatched although one is in flight. That one may be answered early for it."""
        if self._mutes or len(self._behind) >= PRODUCES_IN_FLIGHT_MAX - 1:
            return False
        may_overtake = self._owner.complete_early(frame, self.state, self._owner.clock.now())
        if self._in_flight:
            return may_overtake and self._all_in_flight_bytes + len(frame) <= PRODUCES_IN_FLIGHT_MAX_BYTES
        self._in_flight_bytes = 0
        self._account()
        return True

    def _dispatch(self, frame: bytes | bytearray) -> None:
        self._requests += 1
        reply = self._reply_callback
        behind = None
        if self._in_flight:
            behind = _Pipelined(len(frame))
            self._behind.append(behind)
            reply = partial(self._reply_behind, behind)
        self._in_flight = True
        now = self._owner.clock.now()
        self.used_ms = now.monotonic_ms
        try:
            if len(frame) < LARGE_FRAME_BYTES:
                self._owner.serve(frame, self.state, now, reply)
            else:
                with self._owner.around_large:
                    self._owner.serve(frame, self.state, now, reply)
        except CloseConnection as reason:
            self.close(str(reason))
        except Exception:
            log.exception("a bug: a request on %r was not answered", self)
            self.close("its request could not be answered")
        if self._in_flight and not self._closed:
            if behind is None:
                self._in_flight_bytes = len(frame)
            self._account()

    def _reply_behind(self, behind: _Pipelined, parts: list[object] | None) -> None:
        """The response to a request that was executed before an earlier one was answered."""
        if self._closed:
            release(parts or ())
            return
        if behind is self._oldest:
            self._oldest = None
            self._reply(parts)
            return
        assert not behind.is_answered, "a request was answered twice"
        behind.is_answered, behind.parts = True, parts

    def _reply(self, parts: list[object] | None) -> None:
        """The response to the oldest request in flight. Called within `_dispatch` or later."""
        if self._closed:
            release(parts or ())
            return
        assert self._in_flight, "a request was answered twice"
        self._in_flight = False
        try:
            if parts is not None:
                self._sender.queue(parts)  # type: ignore[arg-type]
            if self._behind:
                self._catch_up()
        except OSError as error:
            self._failed(error)
            return
        if self._pumping:
            return
        # Another event is being handled: the next request must not be dispatched inside it.
        if not self._in_flight:
            self._in_flight_bytes = 0
        self._account()
        if self._in_flight or self._frames:
            self._schedule_pump()  # further responses of this turn are sent together
        if not self._in_flight:
            self._flush()

    def _catch_up(self) -> None:
        """The oldest request is answered: queue responses up to the next unanswered request, the new oldest one."""
        behind = self._behind
        while behind:
            head = behind.popleft()
            if not head.is_answered:
                self._oldest, self._in_flight, self._in_flight_bytes = head, True, head.size_bytes
                return
            if head.parts is not None:
                self._sender.queue(head.parts)  # type: ignore[arg-type]

    def _treat_bytes(self, correlation_id: int, fault: ByteFault) -> None:
        """A fault rule treats the bytes of a response that is about to be queued."""
        from kafkacompat.server.faulty_sender import FaultySender

        if not isinstance(self._sender, FaultySender):
            self._sender = FaultySender(
                self._sender, self._transport, self._owner.loop, self.close, self._treated, self._failed
            )
        self._sender.expect(correlation_id, fault)

    def _treated(self, sender: Sender) -> None:
        """A response was written as a fault rule wants it; `sender` has the next ones."""
        self._sender = sender
        if not self._closed:
            self._flush()
            self._schedule_pump()

    def mute(self, duration_ms: int) -> None:
        """Dispatch no request for this time, as if one more were in flight, behind those that are."""
        if self._closed:
            return
        reply = self._reply_callback
        if self._in_flight:
            behind = _Pipelined(0)
            self._behind.append(behind)
            reply = partial(self._reply_behind, behind)
        self._in_flight = True

        def unmute() -> None:
            self._mutes.remove(timer)
            reply(None)

        timer = self._owner.loop.call_later(duration_ms / 1000, unmute)
        self._mutes.append(timer)

    def _flush(self) -> None:
        try:
            self._sender.flush()
        except OSError as error:
            self._failed(error)

    def _schedule_pump(self) -> None:
        if not self._pump_scheduled:
            self._pump_scheduled = True
            self._owner.loop.call_soon(self._scheduled_pump)

    def _scheduled_pump(self) -> None:
        self._pump_scheduled = False
        if not self._closed:
            self._pump()
            self._account()

    # Limits

    def _steer_reading(self) -> None:
        """Pause reading while many requests wait or the request budget is spent."""
        frames = self._frames
        pause = self._waits_for_budget or (
            bool(frames) and (len(frames) > WAITING_FRAMES_MAX or sum(map(len, frames)) > WAITING_BYTES_MAX)
        )
        if pause is not self._paused and not self._closed:
            self._paused = pause
            if pause:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _account(self) -> None:
        """Charge the budget for the bytes that this connection holds. If it is spent, a new frame waits for it."""
        if self._closed or self._waits_for_budget:
            return
        reader_bytes = self._reader.held_bytes
        if reader_bytes and not self._charged_bytes and self._owner.budget.is_spent:
            self._waits_for_budget = True
            self._owner.budget.wait(self._budget_available)
            self._steer_reading()
            return
        self._charge(reader_bytes + self._all_in_flight_bytes + sum(map(len, self._frames)))

    @property
    def _all_in_flight_bytes(self) -> int:
        """The size of all requests in flight."""
        if not self._behind:
            return self._in_flight_bytes
        return self._in_flight_bytes + sum(behind.size_bytes for behind in self._behind)

    def _budget_available(self) -> None:
        """The budget has room again for the frame that waits."""
        self._waits_for_budget = False
        self._account()
        self._steer_reading()

    def _charge(self, held_bytes: int) -> None:
        change = held_bytes - self._charged_bytes
        if change:
            self._charged_bytes = held_bytes
            self._owner.budget.charge(change)

    def sweep(self, now: Now) -> None:
        """Close the connection if it exceeds a time-out."""
        seen = Observation(
            requests=self._requests,
            received_bytes=self._reader.total_bytes,
            unsent_bytes=self._sender.unsent_bytes,
            is_inside_frame=self._reader.is_inside_frame,
            is_waiting_for_us=self._in_flight or self._paused,
        )
        reason = self._timeouts.verdict(seen, self._owner.limits, now.monotonic_ms)
        if reason:
            self.close(reason, abort=True)

    def _failed(self, error: OSError) -> None:
        gone = isinstance(error, ConnectionError)
        self.close("the peer is gone" if gone else f"a response could not be read from disk: {error}", abort=True)

    def close(self, reason: str, *, abort: bool = False) -> None:
        """Close, with a log line if there is a reason. Queued responses are still sent unless `abort` is set."""
        if not self._closed:
            if reason:
                log.info("closing %r: %s", self, reason)
            if not abort:
                self._flush()
        self._forget_requests()
        if abort:
            self._transport.abort()
        else:
            self._transport.close()

    def _forget_requests(self) -> None:
        """Nobody waits for what is in flight any more, nor for the end of a mute."""
        self._closed = True
        self._in_flight = False
        self._oldest = None
        for behind in self._behind:
            release(behind.parts or ())
        self._behind.clear()
        for timer in self._mutes:
            timer.cancel()
        self._mutes.clear()
        self._sender.drop()
