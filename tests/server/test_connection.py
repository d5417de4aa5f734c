"""What a connection does with requests, responses, and peers that behave badly."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import deque
from pathlib import Path

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.server import direct, sender
from kafkacompat.server.limits import (
    PRODUCES_IN_FLIGHT_MAX,
    PRODUCES_IN_FLIGHT_MAX_BYTES,
    REQUESTS_PER_ITERATION,
    WRITE_PIECE_BYTES,
    Limits,
)
from tests.server.fakes import FakeSlice
from tests.server.harness import Client, serving
from tests.waiting import later_event, until

pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what senders write, in bytes, as it happens."""
    sizes: list[int] = []
    flush = sender.Sender.flush

    def counting(self: sender.Sender) -> None:
        if self._parts:
            sizes.append(sum(map(len, self._parts)))
        flush(self)

    monkeypatch.setattr(sender.Sender, "flush", counting)
    return sizes


async def test_echo_in_one_piece_and_in_many() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e1") == b"e1"
        for byte in b"\0\0\0\5ehell":
            client.writer.write(bytes([byte]))
            await later_event()
        assert await client.receive() == b"ehell"
        await client.close()


async def test_a_frame_larger_than_the_shared_buffer() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        body = b"e" + bytes(range(256)) * 12_000
        assert await client.ask(body) == body
        assert isinstance(server.broker.frames[0], bytearray)
        assert await client.ask(b"e2") == b"e2"
        assert server.connections.budget.used_bytes == 0
        await client.close()


async def test_pipelined_requests_are_answered_in_order_one_at_a_time() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"w1", b"e2", b"t3", b"n4", b"e5", b"w6", b"e7")
        await until(lambda: server.broker.waiting)
        await later_event()
        assert server.broker.frames == [b"w1"]  # the others wait
        server.broker.answer()
        assert [await client.receive() for _ in range(4)] == [b"w1", b"e2", b"t3", b"e5"]
        await until(lambda: server.broker.waiting)
        assert server.broker.frames[-1] == b"w6"
        server.broker.answer()
        assert [await client.receive() for _ in range(2)] == [b"w6", b"e7"]
        await client.close()


@pytest.mark.parametrize("at_once", [True, False])
async def test_who_waits_in_a_long_poll_makes_way_for_the_next_request(at_once: bool) -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"p1", b"p2")
        await until(lambda: server.broker.waiting)
        await later_event()
        assert server.broker.frames == [b"p1"]  # not for another one
        server.broker.answer()
        assert await client.receive() == b"p1"
        await until(lambda: server.broker.frames == [b"p1", b"p2"])
        if at_once:
            client.send(b"e3", b"p4", b"e5")
        else:
            client.send(b"e3")
            await until(lambda: server.broker.frames[-1] == b"e3")
            client.send(b"p4")
            await until(lambda: server.broker.frames[-1] == b"p4")
            client.send(b"e5")
        assert [await client.receive() for _ in range(4)] == [b"p2", b"e3", b"p4", b"e5"]
        assert server.connections.budget.used_bytes == 0
        await client.close()


@pytest.mark.parametrize("order", [(0, 0, 0), (2, 1, 0), (1, 0, 0), (1, 1, 0)])
async def test_what_is_carried_out_together_is_answered_in_order(order: tuple[int, ...]) -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"W1", b"E2", b"W3", b"W4", b"e5")
        await until(lambda: len(server.broker.waiting) == 3)
        assert server.broker.frames == [b"W1", b"E2", b"W3", b"W4"]  # the next is of another kind
        for which in order:
            server.broker.answer(which)
        assert [await client.receive() for _ in range(5)] == [b"W1", b"E2", b"W3", b"W4", b"e5"]
        assert server.connections.budget.used_bytes == 0
        client.send(b"w6", b"W7")
        await until(lambda: server.broker.waiting)
        await later_event()
        assert server.broker.frames[-1] == b"w6"  # it lets nobody go along
        server.broker.answer()
        assert await client.receive() == b"w6"
        await client.close()


async def test_so_many_are_carried_out_together_and_no_more() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        frames = [b"W%d" % number for number in range(3 * PRODUCES_IN_FLIGHT_MAX)]
        client.send(*frames)
        await until(lambda: len(server.broker.waiting) == PRODUCES_IN_FLIGHT_MAX)
        await later_event()
        assert len(server.broker.waiting) == PRODUCES_IN_FLIGHT_MAX
        for frame in frames:
            await until(lambda: server.broker.waiting)
            server.broker.answer()
            assert await client.receive() == frame
        large = b"W" + bytes(PRODUCES_IN_FLIGHT_MAX_BYTES // 2)
        client.send(large, large, large)
        await until(lambda: server.broker.waiting)
        await later_event()
        assert len(server.broker.waiting) == 1
        for _ in range(3):
            await until(lambda: server.broker.waiting)
            server.broker.answer()
            assert await client.receive() == large
        await client.close()


async def test_a_muted_connection_dispatches_nothing_even_behind_a_request_in_flight() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"W1")
        await until(lambda: server.broker.waiting)
        (connection,) = server.connections
        connection.mute(60_000)
        connection.mute(1)
        client.send(b"W2")
        await later_event()
        server.broker.answer()
        assert await client.receive() == b"W1"
        await later_event()
        assert server.broker.frames == [b"W1"], "the longer of the two mutes lasts"
        await client.close()
        await until(lambda: not len(server.connections))
        connection.mute(50)  # too late, and harmless


@pytest.mark.parametrize("by", ["the client", "the server"])
async def test_a_mute_ends_with_its_connection(by: str) -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e1") == b"e1"
        (connection,) = server.connections
        connection.mute(3_600_000)
        connection.mute(3_600_000)
        timers = list(connection._mutes)
        if by == "the client":
            client.abort()
        else:
            connection.close("a test")
        await until(lambda: not len(server.connections))
        assert [timer.cancelled() for timer in timers] == [True, True]
        await client.close()


async def test_a_muted_connection_goes_on_after_its_time() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e1") == b"e1"
        (connection,) = server.connections
        connection.mute(50)
        began_s = time.monotonic()
        client.send(b"e2", b"e3")
        assert [await client.receive(), await client.receive()] == [b"e2", b"e3"]
        assert time.monotonic() - began_s >= 0.045
        assert server.connections.budget.used_bytes == 0
        await client.close()


async def test_answers_of_one_turn_to_what_was_carried_out_together_are_one_write(writes: list[int]) -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"W0", b"W1", b"W2")
        await until(lambda: len(server.broker.waiting) == 3)
        for _ in range(3):
            server.broker.answer()
        assert [await client.receive() for _ in range(3)] == [b"W0", b"W1", b"W2"]
        assert writes == [18]
        await client.close()


@pytest.mark.skipif(
    not (hasattr(socket, "TCP_CORK") and direct.HAS_SENDFILE),
    reason="the system cannot send from a file, or hold back what is not a full packet",
)
async def test_what_stands_around_a_slice_goes_with_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    corks: list[int] = []
    send, cork = direct.DirectWriter._send, direct.DirectWriter._cork

    def sending(self: direct.DirectWriter, parts: deque, at: int) -> int:
        corks.append(self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_CORK))
        return send(self, parts, at)

    def corking(self: direct.DirectWriter, value: int) -> None:
        cork(self, value)
        if not value:
            corks.append(self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_CORK))

    monkeypatch.setattr(direct.DirectWriter, "_send", sending)
    monkeypatch.setattr(direct.DirectWriter, "_cork", corking)
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"b100000") == b"head" + bytes(100_000) + b"tail"
        assert corks[:2] == [1, 0]  # held back, and let go at the end
        await client.close()


async def test_who_leaves_while_several_are_in_flight_leaves_nothing_behind() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"W1", b"W2", b"W3")
        await until(lambda: len(server.broker.waiting) == 3)
        await client.close()
        await until(lambda: server.broker.lost)
        for _ in range(3):
            server.broker.answer(-1)
        assert server.connections.budget.used_bytes == 0


async def test_an_answer_that_waits_for_an_earlier_one_is_released_when_the_connection_closes() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"W1", b"W2")
        await until(lambda: len(server.broker.waiting) == 2)
        reply, *_ = server.broker.waiting.pop()
        behind = FakeSlice(bytes(10))
        reply([b"head", behind])
        assert behind.released == 0
        client.abort()
        await until(lambda: server.broker.lost)
        assert behind.released == 1


async def test_requests_before_an_impossible_size_are_answered() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.writer.write(b"\0\0\0\2e1\0\0\0\2e2\xff\xff\xff\xff")
        assert [await client.receive() for _ in range(2)] == [b"e1", b"e2"]
        assert await client.reader.read() == b""
        await client.close()


async def test_a_long_pipeline_gives_others_their_turn() -> None:
    async with serving() as server:
        greedy, modest = await Client.connect(server), await Client.connect(server)
        count = REQUESTS_PER_ITERATION * 20
        greedy.send(*(b"e%d" % number for number in range(count)))
        modest.send(b"emodest")
        assert await modest.receive() == b"emodest"
        assert [await greedy.receive() for _ in range(count)] == [b"e%d" % number for number in range(count)]
        await greedy.close()
        await modest.close()


async def test_responses_of_one_turn_go_out_in_one_write(writes: list[int]) -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"w0")
        await until(lambda: server.broker.waiting)
        client.send(b"e1", b"e2", b"e3")
        await later_event()
        server.broker.answer()
        for expected in (b"w0", b"e1", b"e2", b"e3"):
            assert await client.receive() == expected
        assert writes == [6, 18]
        await client.close()


async def test_an_answer_after_the_disconnect_is_dropped_and_released() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"w", b"e")
        await until(lambda: server.broker.waiting)
        client.abort()
        await until(lambda: not len(server.connections))
        assert [lost.id for lost in server.broker.lost] == [1]
        reply, *_ = server.broker.waiting.popleft()
        late = FakeSlice(bytes(10))
        reply([b"head", late])
        assert late.released == 1
        assert server.broker.frames == [b"w"]
        assert server.connections.budget.used_bytes == 0


async def test_slices_are_sent_whole_and_released_once() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        for size in (0, 1, sender.INLINE_SLICE_MAX_BYTES, sender.INLINE_SLICE_MAX_BYTES + 1, 5_000_000):
            assert await client.ask(b"b%d" % size) == b"head" + bytes(size) + b"tail"
        await until(lambda: all(part.released == 1 for part in server.broker.slices))
        assert server.broker.slices[-1].largest_read <= WRITE_PIECE_BYTES
        await client.close()


async def test_a_slow_reader_holds_little_memory_and_nobody_up() -> None:
    async with serving() as server:
        slow = await Client.connect(server)
        slow.writer.transport.pause_reading()
        slow.send(b"b50000000", b"e")
        await until(lambda: server.broker.slices)
        other = await Client.connect(server)
        assert await other.ask(b"e") == b"e"
        await later_event()
        (connection, *_) = server.connections._open
        big = server.broker.slices[0]
        assert big.read_bytes < 30_000_000  # the rest is the kernel's socket buffers
        assert connection._transport.get_write_buffer_size() <= 1024 * 1024
        assert not big.released
        slow.writer.transport.resume_reading()
        assert len(await slow.receive()) == 50_000_008
        assert await slow.receive() == b"e"
        assert big.released == 1
        await slow.close()
        await other.close()


async def test_a_disconnect_in_the_middle_of_a_slice_releases_it_once() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.writer.transport.pause_reading()
        client.send(b"b50000000", b"b50000000")
        await until(lambda: server.broker.slices)
        client.abort()
        await until(lambda: not len(server.connections))
        assert [part.released for part in server.broker.slices] == [1]


async def test_a_reader_that_takes_nothing_is_closed() -> None:
    async with serving(slow_reader_timeout_ms=300, sweep_interval_ms=50) as server:
        client = await Client.connect(server)
        client.writer.transport.pause_reading()
        client.send(b"b50000000")
        await until(lambda: server.broker.slices)
        await until(lambda: not len(server.connections))
        assert server.broker.slices[0].released == 1
        client.abort()


@pytest.mark.parametrize("size", [70_000, 100])
async def test_a_slice_that_cannot_be_read_closes_its_connection_only(size: int) -> None:
    async with serving() as server:
        client, other = await Client.connect(server), await Client.connect(server)
        client.send(b"f%d" % size)
        assert await client.is_closed_by_peer()
        assert server.broker.slices[0].released == 1
        assert await other.ask(b"e") == b"e"
        await client.close()
        await other.close()


@pytest.mark.parametrize("garbage", [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n"])
async def test_impossible_sizes_close_the_connection_with_a_log_line(garbage: bytes, caplog) -> None:
    caplog.set_level(logging.INFO)
    async with serving() as server:
        client, other = await Client.connect(server), await Client.connect(server)
        client.writer.write(garbage)
        assert await client.is_closed_by_peer()
        assert "a frame of" in caplog.text
        assert "127.0.0.1" in caplog.text
        assert await other.ask(b"e") == b"e"
        await client.close()
        await other.close()


async def test_the_size_limit_is_kafkas_setting() -> None:
    async with serving({"socket.request.max.bytes": "100"}) as server:
        client = await Client.connect(server)
        assert await client.ask(b"e" * 100) == b"e" * 100
        client.send(b"e" * 101)
        assert await client.is_closed_by_peer()
        await client.close()


async def test_an_order_to_close_is_obeyed_after_what_was_answered(caplog) -> None:
    caplog.set_level(logging.INFO)
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"e1", b"c", b"e2")
        assert await client.receive() == b"e1"
        assert await client.is_closed_by_peer()
        assert "the peer asked for it" in caplog.text
        assert server.broker.frames == [b"e1", b"c"]
        await client.close()


async def test_a_bug_closes_its_connection_only(caplog) -> None:
    async with serving() as server:
        client, other = await Client.connect(server), await Client.connect(server)
        client.send(b"x")
        assert await client.is_closed_by_peer()
        assert "a bug that a test made" in caplog.text
        assert await other.ask(b"e") == b"e"
        await client.close()
        await other.close()


async def test_who_sends_nothing_is_closed() -> None:
    async with serving(first_request_timeout_ms=100, sweep_interval_ms=20) as server:
        client = await Client.connect(server)
        client.writer.write(b"\0\0")
        assert await client.is_closed_by_peer()
        await client.close()


async def test_who_sends_too_slowly_is_closed() -> None:
    async with serving(slow_frame_window_ms=200, sweep_interval_ms=20) as server:
        slow, other = await Client.connect(server), await Client.connect(server)
        assert await slow.ask(b"e") == b"e"
        assert await other.ask(b"e") == b"e"
        slow.writer.write(b"\0\0\1\0e")
        assert await slow.is_closed_by_peer()
        assert await other.ask(b"e") == b"e"
        await slow.close()
        await other.close()


async def test_who_is_idle_is_closed() -> None:
    async with serving({"connections.max.idle.ms": "600"}, sweep_interval_ms=20) as server:
        client = await Client.connect(server)
        assert await client.ask(b"e") == b"e"
        assert await client.is_closed_by_peer()
        await client.close()


async def test_a_spent_budget_makes_new_large_frames_wait() -> None:
    async with serving({"queued.max.request.bytes": "500000"}) as server:
        first, second, small = [await Client.connect(server) for _ in range(3)]
        first.send(b"w" + bytes(600_000))
        await until(lambda: server.broker.waiting)
        assert server.connections.budget.used_bytes == 600_001
        second.send(b"e" + bytes(700_000))
        assert await small.ask(b"e") == b"e"
        await later_event()
        assert len(server.broker.frames) == 2
        assert server.connections.budget.used_bytes == 600_001
        server.broker.answer()
        assert len(await first.receive()) == 600_001
        assert len(await second.receive()) == 700_001
        await until(lambda: server.connections.budget.used_bytes == 0)
        for client in (first, second, small):
            await client.close()


@pytest.mark.parametrize(("requests", "responses"), [(1_000, 100 << 20), (200 << 20, 200 << 20)])
def test_a_response_of_any_size_may_be_unread_and_as_much_as_requests_may_have(requests: int, responses: int) -> None:
    limits = Limits(BrokerConfig.from_sources(cli={"queued.max.request.bytes": str(requests)}))
    assert (limits.request_budget_bytes, limits.response_budget_bytes) == (requests, responses)


async def test_responses_that_nobody_reads_hold_so_much_memory_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    """The kernel takes up to ten megabytes of each."""
    caplog.set_level(logging.INFO)
    async with serving(response_budget_bytes=20_000_000, sweep_interval_ms=3_600_000) as server:
        clients = [await Client.connect(server) for _ in range(3)]
        for client, count in zip(clients, (5, 40, 14), strict=True):
            client.writer.transport.pause_reading()
            client.send(b"e" + bytes(count * 1_000_000))
        await until(lambda: len(server.broker.frames) == 3)
        await later_event()
        server.connections._bound_responses()
        assert sum(each.held_response_bytes for each in server.connections) <= 20_000_000
        assert caplog.text.count("too many in all") == 1, "the one that holds the most goes first"
        await until(lambda: len(server.connections) == 2)
        clients[0].writer.transport.resume_reading()
        assert len(await clients[0].receive()) == 5_000_001
        for client in clients:
            client.abort()


async def test_where_responses_hold_too_much_who_reads_nothing_is_closed_first() -> None:
    async with serving(response_budget_bytes=1 << 30, sweep_interval_ms=3_600_000) as server:
        clients = [await Client.connect(server) for _ in range(3)]
        for client, count in zip(clients, (40, 15, 17), strict=True):
            client.writer.transport.pause_reading()
            client.send(b"e" + bytes(count * 1_000_000))
        large, *others = server.connections
        await until(lambda: all(each.held_response_bytes > 1_000_000 for each in (large, *others)))
        await later_event()
        server.connections._bound_responses()
        clients[0].writer.transport.resume_reading()
        before = large.held_response_bytes
        while large.held_response_bytes == before:
            await clients[0].reader.readexactly(100_000)
        held = sum(each.held_response_bytes for each in server.connections)
        server.connections.limits.response_budget_bytes = held - 1
        server.connections._bound_responses()
        assert [each.is_closed for each in (large, *others)] == [False, False, True]
        for client in clients:
            client.abort()


async def test_a_slice_that_nobody_reads_is_not_in_memory() -> None:
    async with serving(response_budget_bytes=1_000_000, sweep_interval_ms=20) as server:
        client = await Client.connect(server)
        client.writer.transport.pause_reading()
        client.send(b"b50000000")
        await until(lambda: server.broker.slices)
        (connection,) = server.connections
        await until(lambda: connection.unsent_bytes > 1_000_000)
        assert connection.held_response_bytes <= 1_000_000
        client.writer.transport.resume_reading()
        assert len(await client.receive()) == 50_000_008
        await client.close()


async def test_who_waits_for_the_budget_may_leave() -> None:
    async with serving({"queued.max.request.bytes": "500000"}) as server:
        first, second = [await Client.connect(server) for _ in range(2)]
        first.send(b"w" + bytes(600_000))
        await until(lambda: server.broker.waiting)
        second.send(b"e" + bytes(700_000))
        await later_event()
        first.abort()
        second.abort()
        await until(lambda: not len(server.connections))
        assert server.connections.budget.used_bytes == 0


async def test_timers_and_syncs_wake_the_broker(tmp_path: Path) -> None:
    async with serving(data_dir=tmp_path) as server:
        client = await Client.connect(server)
        assert await client.ask(b"t") == b"t"
        assert await client.ask(b"s") == b"s"
        assert server.broker.flusher.threads == {"kafkacompat-ack-sync"}
        clients = [await Client.connect(server) for _ in range(10)]
        assert await asyncio.gather(*(one.ask(b"s%d" % n) for n, one in enumerate(clients))) == [
            b"s%d" % n for n in range(10)
        ]
        assert server.broker.flusher.jobs <= 11
        for one in (client, *clients):
            await one.close()


async def test_without_a_descriptor_to_spare_slices_go_through_the_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(fd: int) -> int:
        raise OSError(24, "Too many open files")

    async with serving() as server:
        client = await Client.connect(server)
        monkeypatch.setattr(direct.os, "dup", exhausted)
        assert await client.ask(b"b1000000") == b"head" + bytes(1_000_000) + b"tail"
        assert server.broker.slices[0].released == 1
        assert server.broker.slices[0].read_bytes == 1_000_000
        await client.close()


async def test_slices_after_small_responses_keep_their_order() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"e1", b"b300000", b"e2", b"b10", b"b9000000", b"e3")
        answers = [await client.receive() for _ in range(6)]
        assert [len(answer) for answer in answers] == [2, 300_008, 2, 18, 9_000_008, 2]
        assert answers[0] + answers[2] + answers[5] == b"e1e2e3"
        assert [part.released for part in server.broker.slices] == [1, 1, 1]
        await client.close()
