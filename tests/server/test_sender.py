"""How much of a response of many slices is in memory."""

from __future__ import annotations

import pytest

from kafkacompat.server import direct
from kafkacompat.server.sender import INLINE_SLICE_MAX_BYTES, Sender
from tests.server.fakes import FakeSlice
from tests.server.harness import Client, serving
from tests.waiting import later_event, until

pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")

COUNT = 1_000
CONTENTS = [bytes([number]) * INLINE_SLICE_MAX_BYTES for number in range(10)]
IN_MEMORY_MAX_BYTES = 1024 * 1024


def response() -> list[bytes | FakeSlice]:
    """Slices that are small enough to be read at once, each with something before it; now and then an empty one."""
    parts: list[bytes | FakeSlice] = []
    for number in range(COUNT):
        parts += [b"%8d" % number, FakeSlice(CONTENTS[number % 10])]
        if number % 10 == 0:
            parts.append(FakeSlice(b""))
    return parts


def in_memory_bytes(sender: Sender) -> int:
    held = sum(len(part) for part in sender._parts if isinstance(part, (bytes, bytearray, memoryview)))
    return held + sender._transport.get_write_buffer_size()


@pytest.mark.parametrize("has_sendfile", sorted({False, direct.HAS_SENDFILE}))
async def test_of_many_small_slices_little_is_in_memory(monkeypatch: pytest.MonkeyPatch, has_sendfile: bool) -> None:
    if not has_sendfile:
        monkeypatch.setattr("kafkacompat.server.sender.HAS_SENDFILE", False)
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"w")
        await until(lambda: server.broker.waiting)
        client.writer.transport.pause_reading()
        reply, *_ = server.broker.waiting.popleft()
        parts = response()
        slices = [part for part in parts if isinstance(part, FakeSlice)]
        (connection,) = server.connections._open
        reply(list(parts))
        await until(lambda: connection._sender.blocked)
        await later_event()
        assert not slices[-1].released
        assert in_memory_bytes(connection._sender) <= IN_MEMORY_MAX_BYTES
        client.writer.transport.resume_reading()
        answer = memoryview(await client.receive())
        position = 0
        for part in parts:
            expected = part.data if isinstance(part, FakeSlice) else part
            assert answer[position : position + len(expected)] == expected
            position += len(expected)
        assert position == len(answer)
        await until(lambda: all(part.released == 1 for part in slices))
        await client.close()


async def test_one_that_cannot_be_read_releases_all() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        client.send(b"w")
        await until(lambda: server.broker.waiting)
        reply, *_ = server.broker.waiting.popleft()
        slices = [FakeSlice(CONTENTS[0], fails=number == 20) for number in range(30)]
        reply([b"head", *slices])
        assert await client.is_closed_by_peer()
        await until(lambda: all(part.released == 1 for part in slices))
        await client.close()


class Noting:
    """A transport that notes what is written to it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.write = self.written.append

    def set_write_buffer_limits(self, **_limits: int) -> None:
        """Every amount is taken."""


def test_a_large_part_is_not_copied() -> None:
    """Of an answer that many clients get, one copy is in memory, however slowly they read."""
    transport, large, small = Noting(), bytes(INLINE_SLICE_MAX_BYTES + 1), bytes(INLINE_SLICE_MAX_BYTES)
    sender = Sender(transport, None, None)  # type: ignore[arg-type]
    for parts in ([b"a", large], [b"b", small], [b"c", bytearray(large)]):
        sender.queue(list(parts))
    sender.flush()
    assert transport.written[1] is large
    assert [len(each) for each in transport.written] == [5, len(large), 4 + 1 + len(small) + 4 + 1 + len(large)]
    transport.written.clear()
    sender.queue([b"d", small[:-1]])
    sender.flush()
    assert [len(each) for each in transport.written] == [4 + len(small)]
