"""A sender whose responses are treated keeps their order, and gives its place back."""

from __future__ import annotations

import asyncio

from kafkacompat.server.faulty_sender import FAULTS_MAX, FaultySender
from kafkacompat.server.sender import Sender
from tests.waiting import until


class FakeTransport:
    """Takes everything that is written."""

    def __init__(self) -> None:
        self.written = b""

    def set_write_buffer_limits(self, *, high: int, low: int) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: bytes) -> None:
        self.written += data


class Halves:
    closes = False

    def pieces(self, frame: bytes):
        half = len(frame) // 2
        return iter([(0, frame[:half]), (1, frame[half:])])


class Slice:
    """A part of a file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.is_released = False

    def __len__(self) -> int:
        return len(self.data)

    def read(self, at: int, size_bytes: int) -> bytes:
        return self.data[at : at + size_bytes]

    def release(self) -> None:
        assert not self.is_released
        self.is_released = True


def response(correlation_id: int, *more) -> list:
    return [correlation_id.to_bytes(4, "big"), *more]


async def test_treated_responses_keep_their_place() -> None:
    transport, gone = FakeTransport(), []
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), gone.append, gone.append, gone.append)
    part = Slice(b"file")
    sender.expect(2, Halves())
    sender.queue(response(1))
    sender.queue(response(2, part))
    assert sender.blocked
    assert sender.unsent_bytes == 12
    sender.queue(response(3))
    sender.flush()
    await until(lambda: gone == [inner])
    inner.flush()
    frames = [response(1), response(2, b"file"), response(3)]
    expected = b"".join(len(b"".join(each)).to_bytes(4, "big") + b"".join(each) for each in frames)
    assert transport.written == expected
    assert part.is_released
    assert not sender.blocked


async def test_what_waited_is_sent_although_another_response_is_still_to_be_treated() -> None:
    """Of pipelined requests a later one may be answered, and treated, before the one between is answered."""
    transport, resumed = FakeTransport(), []
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), print, resumed.append, print)
    sender.expect(1, Halves())
    sender.queue(response(1))
    sender.queue(response(2))
    sender.expect(4, Halves())
    await until(lambda: resumed == [sender])
    assert not sender.blocked, "the connection may go on"
    sender.flush()
    assert transport.written.endswith(b"\0\0\0\4" + response(2)[0])
    sender.queue(response(4))
    await until(lambda: resumed == [sender, inner])


async def test_a_response_behind_that_cannot_be_read_ends_the_connection() -> None:
    class Unreadable(Slice):
        def read(self, at: int, size_bytes: int) -> bytes:
            raise OSError(5, "Input/output error")

    transport, failed = FakeTransport(), []
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), print, print, failed.append)
    part = Unreadable(b"file")
    for correlation_id in (1, 2):
        sender.expect(correlation_id, Halves())
    sender.queue(response(1))
    sender.queue(response(2, part))
    await until(lambda: failed)
    assert part.is_released
    sender.drop()


async def test_a_closed_connection_sends_nothing_and_releases_what_waits() -> None:
    transport, gone = FakeTransport(), []
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), gone.append, gone.append, gone.append)
    behind = Slice(b"later")
    sender.expect(1, Halves())
    sender.queue(response(1))
    sender.queue(response(2, behind))
    sender.drop()
    assert behind.is_released
    await asyncio.sleep(0)
    assert (transport.written, gone, sender.unsent_bytes) == (b"", [], 0)


async def test_faults_of_requests_without_a_response_do_not_pile_up() -> None:
    transport = FakeTransport()
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), print, print, print)
    for correlation_id in range(FAULTS_MAX + 5):
        sender.expect(correlation_id, Halves())
    sender.queue(response(3))
    assert not sender.blocked, "the oldest are forgotten"
    sender.queue(response(FAULTS_MAX))
    assert sender.blocked
    sender.drop()


class Noted(Sender):
    """Notes what is asked of it."""

    def __init__(self, transport: FakeTransport) -> None:
        super().__init__(transport, asyncio.get_running_loop(), lambda: None)
        self.asked: list[str] = []

    def pause(self) -> None:
        self.asked.append("pause")

    def resume(self) -> None:
        self.asked.append("resume")

    def drop(self) -> None:
        self.asked.append("drop")


class CutOff(Halves):
    closes = True


async def test_a_cut_closes_the_connection_after_its_last_piece() -> None:
    transport, closed = FakeTransport(), []
    inner = Sender(transport, asyncio.get_running_loop(), lambda: None)
    sender = FaultySender(inner, transport, asyncio.get_running_loop(), closed.append, print, print)
    sender.expect(1, CutOff())
    sender.queue(response(1))
    await until(lambda: closed)
    assert (closed, len(transport.written)) == (["a fault rule cuts the connection"], 8)


async def test_the_inner_sender_knows_of_the_transport() -> None:
    transport = FakeTransport()
    inner, loop = Noted(transport), asyncio.get_running_loop()
    sender = FaultySender(inner, transport, loop, print, print, print)
    sender.pause()
    assert sender.blocked
    sender.resume()
    assert not sender.blocked
    sender.expect(1, Halves())
    sender.queue(response(1))
    timer = sender._timer
    sender.drop()
    assert inner.asked == ["pause", "resume", "drop"]
    assert timer is not None
    assert timer.cancelled()
    assert not sender._waiting
