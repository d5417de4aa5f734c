"""Writes responses to a transport: joins small parts, sends large slices of files in pieces, stops for slow readers."""

from __future__ import annotations

from collections import deque

from kafkacompat.server.direct import HAS_SENDFILE, DirectWriter
from kafkacompat.server.frames import SIZE
from kafkacompat.server.limits import WRITE_HIGH_WATER_BYTES, WRITE_PIECE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from kafkacompat.server.direct import ReadAhead
    from kafkacompat.storage.slices import Slice

INLINE_SLICE_MAX_BYTES = 64 * 1024
"""A slice up to this size is read at once and joined with its neighbours, which saves writes. At most WRITE_PIECE_BYTES
of a response are read at once; later slices are read when they are sent.
"""

_pack_size = SIZE.pack
_BYTES = (bytes, bytearray, memoryview)
_OWNED = frozenset((bytes, bytearray))


class Sender:
    """The send queue of one connection. Every slice is released exactly once, also after errors.

    `queue` adds a response, `flush` sends as much as the socket accepts. `blocked` is true while the peer does not
    read; the owner calls `pause` and `resume` when the transport does.
    """

    __slots__ = (
        "_at",
        "_direct",
        "_has_slices",
        "_loop",
        "_parts",
        "_queued_bytes",
        "_read_ahead",
        "_ready",
        "_transport",
        "blocked",
    )

    def __init__(
        self,
        transport: asyncio.WriteTransport,
        loop: asyncio.AbstractEventLoop,
        ready: Callable[[], None],
        read_ahead: ReadAhead | None = None,
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._ready = ready
        self._read_ahead = read_ahead
        self._direct: DirectWriter | None = None  # created for the first large slice
        transport.set_write_buffer_limits(high=WRITE_HIGH_WATER_BYTES, low=0)
        self._parts: deque[bytes | bytearray | memoryview | Slice] = deque()
        self._has_slices = False
        self._at = 0  # how much of the first slice is sent
        self._queued_bytes = 0  # since the last flush
        self.blocked = False

    @property
    def is_full(self) -> bool:
        """Whether the queue should be flushed before more is added."""
        return self._has_slices or self._queued_bytes > WRITE_PIECE_BYTES

    @property
    def unsent_bytes(self) -> int:
        """The bytes that the peer has not read yet; decreases whenever it reads."""
        if self.blocked:
            return self._transport.get_write_buffer_size() + sum(map(len, self._parts)) - self._at
        return self._transport.get_write_buffer_size()

    @property
    def held_bytes(self) -> int:
        """The bytes of responses in memory that the peer has not read yet: without slices, which are in files."""
        held = self._transport.get_write_buffer_size()
        if self.blocked:
            held += sum(len(part) for part in self._parts if isinstance(part, _BYTES))
        return held

    def queue(self, parts: list[bytes | bytearray | memoryview | Slice]) -> None:
        """Add a response, without its size. Raises OSError if a slice cannot be read; all are released then."""
        if len(parts) <= 2 and type(parts[0]) in _OWNED and type(parts[-1]) in _OWNED:  # most responses
            size = len(parts[0]) + len(parts[1]) if len(parts) == 2 else len(parts[0])
            self._queued_bytes += size
            self._parts.append(_pack_size(size))
            self._parts += parts
            return
        size = 0
        left_bytes = WRITE_PIECE_BYTES  # read at once; never negative, so that no empty slice is left
        inlined: list[bytes | bytearray | memoryview | Slice] = []
        for index, part in enumerate(parts):
            part_bytes = len(part)
            size += part_bytes
            if isinstance(part, _BYTES):
                inlined.append(part)
            elif part_bytes <= INLINE_SLICE_MAX_BYTES and part_bytes <= left_bytes:
                left_bytes -= part_bytes
                try:
                    inlined.append(_read(part, 0, part_bytes))
                except OSError:
                    release(inlined)
                    release(parts[index + 1 :])
                    raise
                finally:
                    part.release()
            else:
                self._has_slices = True
                inlined.append(part)
        self._queued_bytes += size
        self._parts.append(_pack_size(size))
        self._parts += inlined

    def flush(self) -> None:
        """Send until the queue is empty or the peer stops reading. Raises OSError if a slice cannot be read."""
        parts = self._parts
        if not parts or self.blocked:
            return
        queued_bytes, self._queued_bytes = self._queued_bytes, 0
        if not self._has_slices:
            if queued_bytes > INLINE_SLICE_MAX_BYTES:
                self._write_large()
                return
            data = b"".join(parts)  # type: ignore[arg-type]
            parts.clear()
            self._transport.write(data)
            return
        direct = self._direct_writer()
        if direct is not None:
            self._at = direct.send(parts, self._at)
            self.blocked = bool(parts)
        else:
            while parts and not self.blocked:
                self._transport.write(self._next_piece())
        self._has_slices = bool(parts)

    def _write_large(self) -> None:
        """Write parts in memory. Large ones that nobody changes are not copied: many connections may send the same."""
        small: list[bytes | bytearray | memoryview | Slice] = []
        while self._parts:
            part = self._parts.popleft()
            if type(part) is bytes and len(part) > INLINE_SLICE_MAX_BYTES:
                self._transport.write(b"".join(small))  # type: ignore[arg-type]
                small.clear()
                self._transport.write(part)
            else:
                small.append(part)
        self._transport.write(b"".join(small))  # type: ignore[arg-type]

    def pause(self) -> None:
        """The transport's buffer is full."""
        self.blocked = True

    def resume(self) -> None:
        """The transport's buffer is empty again. Raises OSError when a slice cannot be read."""
        self.blocked = False
        self.flush()

    def _direct_writer(self) -> DirectWriter | None:
        """The direct writer; None if the bytes must go through the transport."""
        if not HAS_SENDFILE or self._transport.get_write_buffer_size():
            return None
        if self._direct is None:
            try:
                fd = self._transport.get_extra_info("socket").fileno()
                self._direct = DirectWriter(self._loop, fd, self._ready, self._read_ahead)
            except OSError:  # no descriptor is left
                return None
        return self._direct

    def drop(self) -> None:
        """The connection is closed: release the unsent slices, and break the reference cycle with the connection."""
        self._ready = _gone
        if self._direct is not None:
            self._direct.close()
            self._direct = None
        release(self._parts)
        self._parts.clear()

    def _next_piece(self) -> bytes | bytearray | memoryview:
        """All bytes up to the next slice, or the next piece of the first slice."""
        head = self._parts[0]
        if isinstance(head, _BYTES):
            run = []
            while self._parts and isinstance(self._parts[0], _BYTES):
                run.append(self._parts.popleft())
            return b"".join(run)  # type: ignore[arg-type]
        piece = _read(head, self._at, min(WRITE_PIECE_BYTES, len(head) - self._at))
        self._at += len(piece)
        if self._at == len(head):
            self._at = 0
            self._parts.popleft()
            head.release()
        return piece


def _gone() -> None:
    """The `ready` callback of a closed connection."""


def release(parts: object) -> None:
    """Release every slice of a response that will not be sent."""
    for part in parts:  # type: ignore[attr-defined]
        if not isinstance(part, _BYTES):
            part.release()


def _read(part: Slice, at: int, size_bytes: int) -> bytes:
    data: bytes = part.read(at, size_bytes)
    if len(data) != size_bytes:  # the size is already promised to the peer
        raise OSError(f"a segment file ended {size_bytes - len(data)} bytes too early")
    return data
