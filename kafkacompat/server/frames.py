"""Cuts a TCP stream into frames: a size prefix of four bytes, then that many bytes. Pure: no socket, no clock.

All connections of a loop receive into one shared buffer, because a buffer for each of thousands of connections would
cost far more memory than their data. Its content is only valid until `received` returns: complete frames are copied
out, and an incomplete frame gets its own buffer, into which the rest is received directly.
"""

from __future__ import annotations

from struct import Struct

SHARED_BUFFER_BYTES = 256 * 1024
"""The most bytes of one read: a megabyte takes four reads, and the buffer stays in the CPU's cache."""
IMMUTABLE_FRAME_MAX_BYTES = 16 * 1024
"""Frames up to this size are bytes, which are cheaper to slice; larger ones are bytearrays, which are patched in place.
"""
FIRST_BUFFER_MAX_BYTES = 1024 * 1024
"""The first buffer of a large frame has at most this size and doubles as bytes arrive: an announced size
alone costs no more.
"""

SIZE = Struct(">i")
_read_size = SIZE.unpack_from
_NOTHING: list[bytes | bytearray] = []


class FrameSizeError(Exception):
    """An invalid frame size, after which the stream cannot be parsed. `before`: the complete frames that precede it."""

    def __init__(self, size: int, max_bytes: int, before: list[bytes | bytearray]) -> None:
        super().__init__(f"a frame of {size} bytes; allowed are 0 to {max_bytes}")
        self.before = before


class FrameReader:
    """Cuts one connection's stream: receive into `buffer()`, then `received(count)` returns the complete frames."""

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
        """Whether a frame or its size prefix is incomplete."""
        return self._own is not None or bool(self._prefix)

    @property
    def held_bytes(self) -> int:
        """The size of the incomplete frame's buffer."""
        return 0 if self._own is None else len(self._own)

    def buffer(self) -> memoryview:
        """The buffer for the next bytes; never empty, and valid until `received` is called."""
        own = self._own
        if own is None:
            kept = len(self._prefix)
            if not kept:
                return self._view
            self._shared[:kept] = self._prefix
            return self._view[kept:]
        if self._filled == len(own):
            # Grown here, because during `received` the loop still holds a view, and a bytearray with views cannot
            # change its size.
            own.extend(bytes(min(len(own), self._size - len(own))))
        return memoryview(own)[self._filled :]

    def drop(self) -> None:
        """The stream has ended: free the incomplete frame."""
        self._own = None
        self._prefix = b""

    def received(self, count: int) -> list[bytes | bytearray]:
        """`count` bytes were written to the start of `buffer()`. Returns the complete frames, owned by the caller.

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
