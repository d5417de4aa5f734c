"""Frames out of a TCP stream: a size prefix of four bytes, then that many bytes. Pure: no socket, no clock.

All connections of a loop receive into one shared buffer, because a buffer for each of thousands of connections costs
far more memory than the data in them. Nothing may stay in it when `received` returns, so a frame that arrived whole is
copied out once, and one that did not gets a buffer of its own, into which the rest is received directly.
"""

from __future__ import annotations

from struct import Struct

SHARED_BUFFER_BYTES = 256 * 1024
"""What one read takes at most: large enough that a megabyte is a handful of reads, small enough to stay in cache."""
IMMUTABLE_FRAME_MAX_BYTES = 16 * 1024
"""Up to here a frame is handed out as bytes, cheaper to slice; above it as a bytearray, to be patched in place."""
FIRST_BUFFER_MAX_BYTES = 1024 * 1024
"""A peer that only announces a large frame gets no more memory than this; the buffer doubles as bytes arrive."""

SIZE = Struct(">i")
_read_size = SIZE.unpack_from
_NOTHING: list[bytes | bytearray] = []


class FrameSizeError(Exception):
    """A size that no frame may have; the peer cannot be followed any further. `before` it came these whole frames."""

    def __init__(self, size: int, max_bytes: int, before: list[bytes | bytearray]) -> None:
        super().__init__(f"a frame of {size} bytes; allowed are 0 to {max_bytes}")
        self.before = before


class FrameReader:
    """Cuts one connection's stream. `buffer` says where to receive into, `received` what is complete by that."""

    __slots__ = (
        "_filled",
        "_first_buffer_bytes",
        "_max_bytes",
        "_own",
        "_prefix",
        "_shared",
        "_size",
        "_view",
        "total_bytes",
    )

    def __init__(self, shared: bytearray, max_bytes: int, first_buffer_bytes: int = FIRST_BUFFER_MAX_BYTES) -> None:
        self._first_buffer_bytes = first_buffer_bytes
        self._shared = shared
        self._view = memoryview(shared)
        self._max_bytes = max_bytes
        self._prefix = b""  # up to three bytes of the next frame's size
        self._own: bytearray | None = None
        self._filled = 0
        self._size = 0
        self.total_bytes = 0

    @property
    def is_inside_frame(self) -> bool:
        """Whether a frame, or its size, has begun and is not complete."""
        return self._own is not None or bool(self._prefix)

    @property
    def held_bytes(self) -> int:
        """What the incomplete frame's own buffer takes."""
        return 0 if self._own is None else len(self._own)

    def buffer(self) -> memoryview:
        """Where the next bytes go; never empty, and valid until `received` is called."""
        own = self._own
        if own is None:
            kept = len(self._prefix)
            if not kept:
                return self._view
            self._shared[:kept] = self._prefix
            return self._view[kept:]
        if self._filled == len(own):
            # Here and not in `received`: until that returns, the loop still holds a view, and a bytearray with views
            # cannot change its size.
            own.extend(bytes(min(len(own), self._size - len(own))))
        return memoryview(own)[self._filled :]

    def drop(self) -> None:
        """The stream has ended: let go of what was received of a frame."""
        self._own = None
        self._prefix = b""

    def received(self, count: int) -> list[bytes | bytearray]:
        """`count` bytes were written to the start of `buffer()`: the frames that are complete now, owned by the caller.

        Raises FrameSizeError for a size below zero or above the limit.
        """
        self.total_bytes += count
        if self._own is not None:
            return self._fill(count)
        shared, view = self._shared, self._view
        end = len(self._prefix) + count
        position = 0
        frames: list[bytes | bytearray] = []
        while end - position >= 4:
            size = _read_size(shared, position)[0]
            if not 0 <= size <= self._max_bytes:
                raise FrameSizeError(size, self._max_bytes, frames)
            position += 4
            if size > end - position:
                self._begin(size, view[position:end])
                return frames
            data = view[position : position + size]
            frames.append(bytes(data) if size <= IMMUTABLE_FRAME_MAX_BYTES else bytearray(data))
            position += size
        self._prefix = bytes(view[position:end]) if position < end else b""
        return frames

    def _begin(self, size: int, start: memoryview) -> None:
        self._own = bytearray(min(size, self._first_buffer_bytes))
        self._own[: len(start)] = start
        self._filled = len(start)
        self._size = size
        self._prefix = b""

    def _fill(self, count: int) -> list[bytes | bytearray]:
        self._filled += count
        if self._filled < self._size:
            return _NOTHING
        assert self._own is not None
        frame, self._own = self._own, None
        return [frame]
