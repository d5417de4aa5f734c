"""Frames come out whole, in order and owned, however the stream is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.server import frames
from kafkacompat.server.frames import FrameReader, FrameSizeError

LIMIT = 8 * 1024 * 1024


def framed(*bodies: bytes) -> bytes:
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


def feed(reader: FrameReader, data: bytes) -> list[bytes | bytearray]:
    """As a loop does: as much as the buffer takes, then the buffer is dirtied, as another connection would."""
    found = []
    while data:
        buffer = reader.buffer()
        count = min(len(buffer), len(data))
        buffer[:count] = data[:count]
        data = data[count:]
        found += reader.received(count)
        del buffer
        reader._shared[:] = b"\xee" * len(reader._shared)
    return found


def test_every_split_of_a_short_stream() -> None:
    bodies = [b"first", b"", b"third one"]
    stream = framed(*bodies)
    for first in range(len(stream) + 1):
        for second in range(first, len(stream) + 1):
            reader = FrameReader(bytearray(64), LIMIT)
            found = feed(reader, stream[:first]) + feed(reader, stream[first:second]) + feed(reader, stream[second:])
            assert found == bodies
            assert not reader.is_inside_frame
            assert reader.held_bytes == 0


@given(st.lists(st.binary(max_size=200), max_size=8), st.lists(st.integers(1, 60), min_size=1), st.integers(4, 80))
def test_any_split_of_any_stream(bodies: list[bytes], cuts: list[int], shared_bytes: int) -> None:
    reader = FrameReader(bytearray(shared_bytes), LIMIT)
    stream, found, turn = framed(*bodies), [], 0
    while stream:
        cut = cuts[turn % len(cuts)]
        found += feed(reader, stream[:cut])
        stream = stream[cut:]
        turn += 1
    assert found == bodies


def test_a_frame_outlives_the_shared_buffer() -> None:
    reader = FrameReader(bytearray(4096), LIMIT)
    (small,) = feed(reader, framed(b"a" * 1000))
    feed(reader, framed(b"b" * 1000))
    assert small == b"a" * 1000


def test_small_frames_are_bytes_and_large_ones_can_be_patched() -> None:
    reader = FrameReader(bytearray(frames.SHARED_BUFFER_BYTES), LIMIT)
    limit = frames.IMMUTABLE_FRAME_MAX_BYTES
    small, large = feed(reader, framed(bytes(limit), bytes(limit + 1)))
    assert isinstance(small, bytes)
    assert isinstance(large, bytearray)


def test_an_announced_frame_takes_memory_only_as_it_arrives() -> None:
    reader = FrameReader(bytearray(64 * 1024), 100 * 1024 * 1024)
    feed(reader, (100 * 1024 * 1024).to_bytes(4, "big") + b"x")
    assert reader.held_bytes == frames.FIRST_BUFFER_MAX_BYTES
    feed(reader, bytes(frames.FIRST_BUFFER_MAX_BYTES))
    assert reader.held_bytes == 2 * frames.FIRST_BUFFER_MAX_BYTES


def test_a_large_frame_is_received_whole() -> None:
    body = bytes(range(256)) * (20 * 1024 + 1)
    reader = FrameReader(bytearray(64 * 1024), LIMIT)
    (frame,) = feed(reader, framed(body))
    assert frame == body


@pytest.mark.parametrize("size", [-1, -(2**31), LIMIT + 1, 2**31 - 1])
def test_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(FrameSizeError, match=str(size)):
        feed(FrameReader(bytearray(64), LIMIT), size.to_bytes(4, "big", signed=True))


def test_what_came_before_an_impossible_size_is_handed_out() -> None:
    with pytest.raises(FrameSizeError) as refused:
        feed(FrameReader(bytearray(64), LIMIT), framed(b"one") + framed(b"two") + b"\xff\xff\xff\xffrest")
    assert refused.value.before == [b"one", b"two"]


def test_the_largest_size_is_allowed() -> None:
    reader = FrameReader(bytearray(64), 10)
    assert feed(reader, framed(b"0123456789")) == [b"0123456789"]
