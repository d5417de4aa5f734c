"""A connection of the control API without a socket: its time limits, when it stops to read, and how it ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.control_api.http import http
from kafkacompat.control_api.http.http_bodies import BUFFERED_BYTES_MAX
from kafkacompat.control_api.http.problems import ProblemError
from tests.waiting import until

GET = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
HEAD_OF_10 = b"PUT /file HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n"
OK = http.Response(200, "text/plain", b"fine")
Handle = Callable[[http.Request], Awaitable[http.Response]]


class Transport:
    """What a connection does with its socket."""

    def __init__(self, *, can_write_eof: bool = True) -> None:
        self.sent = b""
        self.is_reading = True
        self.ends: list[str] = []
        self._can_write_eof = can_write_eof

    def write(self, data: bytes) -> None:
        self.sent += data

    def can_write_eof(self) -> bool:
        return self._can_write_eof

    def write_eof(self) -> None:
        self.ends.append("eof")

    def close(self) -> None:
        self.ends.append("close")

    def abort(self) -> None:
        self.ends.append("abort")

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return ("127.0.0.1", 1)

    def get_write_buffer_size(self) -> int:
        return 0


class Wire:
    """A connection, its transport, and the timers that it has set."""

    def __init__(self, handle: Handle, *, is_streamed: bool = False, can_write_eof: bool = True) -> None:
        def refuse(status: int, said: str) -> http.Response:
            return http.Response(status, "text/plain", said.encode())

        self.server = http.HttpServer(handle, refuse, "1", lambda _method, _target: is_streamed)
        self.transport = Transport(can_write_eof=can_write_eof)
        self.timers: list[tuple[float, asyncio.TimerHandle]] = []
        loop = asyncio.get_running_loop()
        self._call_later = loop.call_later
        loop.call_later = self._scheduled  # type: ignore[method-assign]
        connection = self.server.connection()
        assert connection is not None
        self.connection = connection
        self.connection.connection_made(self.transport)  # type: ignore[arg-type]

    def _scheduled(self, delay_s: float, callback: Any, *arguments: Any, **more: Any) -> asyncio.TimerHandle:
        timer = self._call_later(delay_s, callback, *arguments, **more)
        if callback == self.connection_abort:
            self.timers.append((delay_s, timer))
        return timer

    @property
    def connection_abort(self) -> Callable[[], None] | None:
        found = next(iter(self.server.connections), None)
        return None if found is None else found.abort

    @property
    def limits_s(self) -> list[float]:
        """The time limits that are set: one, or none."""
        return [delay_s for delay_s, timer in self.timers if not timer.cancelled()]


async def soon() -> None:
    """Let tasks go on as far as they can."""
    for _ in range(10):
        await asyncio.sleep(0)


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def test_each_state_has_its_one_time_limit() -> None:
    go_on = asyncio.Event()

    async def handle(_request: http.Request) -> http.Response:
        await go_on.wait()
        return OK

    async def test() -> None:
        wire = Wire(handle)
        assert wire.limits_s == [http.REQUEST_TIMEOUT_S]
        wire.connection.data_received(GET)
        assert wire.limits_s == [], "what serves it has limits of its own"
        go_on.set()
        await soon()
        assert wire.transport.sent.endswith(b"\r\n\r\nfine")
        assert wire.limits_s == [http.IDLE_TIMEOUT_S]
        wire.connection.data_received(GET[:10])
        assert wire.limits_s == [http.REQUEST_TIMEOUT_S]
        wire.connection.connection_lost(None)
        assert wire.limits_s == []
        assert not wire.server.connections

    run(test)


def test_no_more_is_read_ahead_than_is_allowed() -> None:
    go_on = asyncio.Event()

    async def handle(_request: http.Request) -> http.Response:
        await go_on.wait()
        return OK

    async def test() -> None:
        wire = Wire(handle)
        wire.connection.data_received(GET)
        wire.connection.data_received(b"G" * http.READ_AHEAD_BYTES_MAX)
        assert wire.transport.is_reading
        wire.connection.data_received(b"E")
        assert not wire.transport.is_reading
        go_on.set()
        await soon()
        assert wire.transport.is_reading
        assert b"HTTP/1.1 431" in wire.transport.sent, "what was read ahead is looked at"

    run(test)


def test_a_client_that_has_gone_or_sends_no_more_ends_its_connection() -> None:
    go_on = asyncio.Event()
    ended = []

    async def handle(_request: http.Request) -> http.Response:
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return OK

    async def test() -> None:
        wire = Wire(handle)
        wire.connection.data_received(GET)
        await soon()
        assert wire.connection.eof_received()
        assert wire.limits_s == [http.HALF_CLOSED_TIMEOUT_S]
        go_on.set()
        await soon()
        assert wire.transport.sent.endswith(b"fine")
        assert wire.transport.ends == ["close"], "nothing more can come"
        assert wire.limits_s == [http.SEND_TIMEOUT_S]
        go_on.clear()
        gone = Wire(handle)
        gone.connection.data_received(GET)
        await soon()
        gone.connection.connection_lost(None)
        await soon()
        assert ended == ["cancelled"]

    run(test)


def test_a_client_that_asks_whether_to_send_its_body_is_told_to() -> None:
    async def handle(request: http.Request) -> http.Response:
        return OK._replace(body=request.body)

    async def test() -> None:
        wire = Wire(handle)
        wire.connection.data_received(HEAD_OF_10 + b"expect: 100-continue\r\n\r\n")
        assert wire.transport.sent.startswith(b"HTTP/1.1 100")
        wire.connection.data_received(b"0123456789")
        await soon()
        assert wire.transport.sent.endswith(b"0123456789")

    run(test)


@pytest.mark.parametrize("can_write_eof", [True, False])
def test_a_request_that_is_refused_early_gets_its_answer_and_the_rest_is_dropped(can_write_eof: bool) -> None:
    bodies = []

    async def handle(request: http.Request) -> http.Response:
        bodies.append(request.incoming)
        return OK._replace(status=409)

    async def test() -> None:
        wire = Wire(handle, is_streamed=True, can_write_eof=can_write_eof)
        wire.connection.data_received(HEAD_OF_10 + b"\r\n")
        wire.transport.is_reading = False
        await soon()
        assert b"HTTP/1.1 409" in wire.transport.sent
        assert b"connection: close" in wire.transport.sent
        if can_write_eof:
            assert (wire.transport.ends, wire.transport.is_reading) == (["eof"], True)
            assert wire.limits_s == [http.REFUSED_TIMEOUT_S]
        else:
            assert wire.transport.ends == ["close"]
            assert wire.limits_s == [http.SEND_TIMEOUT_S]
        sent = wire.transport.sent
        wire.connection.data_received(b"01234" + GET)
        await soon()
        assert wire.transport.sent == sent
        assert len(bodies) == 1
        with pytest.raises(ProblemError, match="cut off"):
            await bodies[0].read()

    run(test)


def test_a_body_is_received_as_fast_as_it_is_read_and_ends_with_its_connection() -> None:
    bodies = []

    async def handle(request: http.Request) -> http.Response:
        bodies.append(request.incoming)
        await asyncio.Event().wait()
        return OK

    async def test() -> None:
        size_bytes = 4 * BUFFERED_BYTES_MAX
        wire = Wire(handle, is_streamed=True)
        wire.connection.data_received(HEAD_OF_10.replace(b"10", b"%d" % size_bytes) + b"\r\n")
        await soon()
        wire.connection.data_received(b"x" * BUFFERED_BYTES_MAX)
        assert wire.transport.is_reading
        wire.connection.data_received(b"x")
        assert not wire.transport.is_reading
        assert len(await bodies[0].read()) == BUFFERED_BYTES_MAX + 1
        waiting = asyncio.ensure_future(bodies[0].read())
        await soon()
        assert wire.transport.is_reading
        assert not waiting.done(), "it waits for what has not come"
        wire.connection.data_received(b"y")
        assert await waiting == b"y"
        waiting = asyncio.ensure_future(bodies[0].read())
        await soon()
        wire.connection.connection_lost(None)
        with pytest.raises(ProblemError, match="cut off"):
            await waiting

    run(test)


def test_the_end_of_a_body_wakes_its_reader() -> None:
    bodies = []

    async def handle(request: http.Request) -> http.Response:
        assert request.incoming is not None
        while piece := await request.incoming.read():
            bodies.append(piece)
        return OK

    async def test() -> None:
        wire = Wire(handle, is_streamed=True)
        wire.connection.data_received(b"PUT /file HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
        for sent in (b"3\r\nabc\r\n", b"0\r\n\r\n"):
            wire.connection.data_received(sent)
            await soon()
        assert bodies == [b"abc"]
        assert wire.transport.sent.endswith(b"fine")

    run(test)


def test_a_body_that_is_not_http_ends_the_connection() -> None:
    async def handle(request: http.Request) -> http.Response:
        assert request.incoming is not None
        await request.incoming.read()
        return OK

    async def test() -> None:
        wire = Wire(handle, is_streamed=True)
        wire.connection.data_received(b"PUT /file HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
        wire.connection.data_received(b"no size of a chunk\r\n")
        assert wire.transport.ends == ["abort"]

    run(test)


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_body_of_very_many_chunks_is_read_in_several_turns(*, is_streamed: bool) -> None:
    bodies = []
    count = 3 * http.PARTS_PER_TURN

    async def handle(request: http.Request) -> http.Response:
        body = request.body
        while request.incoming is not None and (piece := await request.incoming.read()):
            body += piece
        bodies.append(body)
        return OK

    async def test() -> None:
        wire = Wire(handle, is_streamed=is_streamed)
        head = b"PUT /file HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
        wire.connection.data_received(head + b"1\r\nx\r\n" * count + b"0\r\n\r\n")
        assert bodies == []
        assert not wire.transport.is_reading
        await soon()
        await soon()
        assert bodies == [b"x" * count]
        assert wire.transport.is_reading

    run(test)


def test_what_a_client_asks_next_is_answered_once_it_has_read_the_last_answer() -> None:
    asked = []

    async def handle(request: http.Request) -> http.Response:
        asked.append(request.target)
        return OK._replace(body=b"much" * 100_000)

    async def test() -> None:
        wire = Wire(handle)
        wire.connection.pause_writing()  # as the transport does at the first answer
        wire.connection.data_received(GET * 3)
        await soon()
        assert len(asked) == 1
        assert wire.limits_s == [http.SEND_TIMEOUT_S]
        wire.connection.resume_writing()
        await soon()
        assert len(asked) == 3
        assert wire.limits_s == [http.IDLE_TIMEOUT_S]

    run(test)


@pytest.mark.parametrize("sends_eof_early", [True, False])
def test_a_client_that_sends_no_more_may_read_its_answer_slowly(sends_eof_early: bool) -> None:
    go_on = asyncio.Event()

    async def handle(_request: http.Request) -> http.Response:
        await go_on.wait()
        return OK

    async def test() -> None:
        wire = Wire(handle)
        wire.connection.pause_writing()
        wire.connection.data_received(GET)
        if sends_eof_early:
            assert wire.connection.eof_received()
            assert wire.limits_s == [http.HALF_CLOSED_TIMEOUT_S]
        go_on.set()
        await soon()
        assert wire.limits_s == [http.SEND_TIMEOUT_S]
        if not sends_eof_early:
            assert not wire.connection.eof_received(), "the transport closes when all of it is sent"
        wire.connection.connection_lost(None)
        await soon()
        assert wire.limits_s == []

    run(test)


async def file_sent(path: Path, while_sending: Callable[[Wire], Awaitable[None]]) -> Wire:
    async def handle(_request: http.Request) -> http.Response:
        return http.Response(200, "application/x-tar", b"", file=str(path))

    wire = Wire(handle)
    wire.connection.data_received(GET)
    await while_sending(wire)
    return wire


def test_a_file_is_sent_as_fast_as_it_is_read_and_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(3 * http.FILE_PIECE_BYTES))
    closed = []
    monkeypatch.setattr(http.os, "close", lambda fd, close=os.close: (closed.append(fd), close(fd)))

    async def test() -> None:
        async def slowly(wire: Wire) -> None:
            wire.connection.pause_writing()
            await until(lambda: len(wire.transport.sent) > http.FILE_PIECE_BYTES)
            for _ in range(3):  # what it reads on a thread before these would be here
                await asyncio.to_thread(int)
                await soon()
            assert len(wire.transport.sent) < 2 * http.FILE_PIECE_BYTES, "the next piece waits until that one is read"
            wire.connection.resume_writing()
            await until(lambda: wire.limits_s == [http.IDLE_TIMEOUT_S])

        wire = await file_sent(path, slowly)
        assert wire.transport.sent.endswith(path.read_bytes())
        assert len(closed) == 1

        async def gone(wire: Wire) -> None:
            await until(lambda: wire.limits_s == [http.IDLE_TIMEOUT_S])

        wire = await file_sent(tmp_path / "none", gone)
        assert b"HTTP/1.1 404" in wire.transport.sent

    run(test)


def test_a_client_that_reads_no_file_and_a_file_that_shrinks_end_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(3 * http.FILE_PIECE_BYTES))
    monkeypatch.setattr(http, "SEND_TIMEOUT_S", 0.01)

    async def test() -> None:
        async def unread(wire: Wire) -> None:
            wire.connection.pause_writing()
            await until(lambda: wire.transport.ends)

        wire = await file_sent(path, unread)
        assert wire.transport.ends[0] == "abort"

        async def shrinks(wire: Wire) -> None:
            monkeypatch.setattr(http.os, "pread", lambda *_: b"")
            await until(lambda: wire.transport.ends)

        wire = await file_sent(path, shrinks)
        assert wire.transport.ends[0] == "abort"

    run(test)
