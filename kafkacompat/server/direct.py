"""Sends large slices of files to a socket with sendfile, so that the bytes never pass through Python.

asyncio offers sendfile only as a coroutine, and uvloop not at all. So this works on a duplicate of the socket's
descriptor, which a loop watches although it has a transport on the original. Measured with responses of 1 MB this takes
about half the CPU of reading and writing, on either loop. While it is in use, the transport's buffer must be empty and
nothing may be written through the transport.

sendfile blocks if the bytes are not in the page cache. Where the system can tell (preadv with RWF_NOWAIT), a background
thread reads them first, one piece at a time.
"""

from __future__ import annotations

import os
import socket
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections import deque
    from collections.abc import Callable

    from kafkacompat.storage.slices import Slice

    Part = bytes | bytearray | memoryview | Slice
    ReadAhead = Callable[[Callable[[], None], Callable[[], None]], None]
    """Calls the first function on a background thread, then the second on the loop."""

HAS_SENDFILE = hasattr(os, "sendfile")
_CORK: int | None = getattr(socket, "TCP_CORK", None)
BYTES_PER_ITERATION = 4 * 1024 * 1024
"""How much one connection sends in a turn of the loop."""
PIECE_BYTES = 1024 * 1024
"""The size of one sendfile call, and of one read-ahead. The page cache is probed at both ends of a piece."""
READ_BYTES = 256 * 1024
_NOWAIT: int | None = getattr(os, "RWF_NOWAIT", None)
_byte = [bytearray(1)]  # the target of probing reads; its content is not used


class DirectWriter:
    """Sends parts on one socket; calls `ready` when a blocked socket is writable again.

    The socket is corked, so that the bytes around a slice go into the same packets: small packets would wake the peer.
    """

    __slots__ = (
        "_cached_to", "_fd", "_is_closed", "_is_reading", "_loop", "_read_ahead", "_ready", "_socket", "_watching",
    )  # fmt: skip

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        ready: Callable[[], None],
        read_ahead: ReadAhead | None = None,
    ) -> None:
        self._loop = loop
        self._read_ahead = None if _NOWAIT is None else read_ahead
        self._is_reading = self._is_closed = False
        self._cached_to = 0  # the position up to which the first slice was read ahead
        self._socket = socket.socket(fileno=os.dup(fd))
        self._fd = self._socket.fileno()
        self._ready = ready
        self._watching = False

    def send(self, parts: deque[Part], at: int) -> int:
        """Send, starting at position `at` of the first part. Sent parts are removed and released. Returns the position
        in the new first part.

        If parts are left, `ready` will be called. Raises OSError when the file or the peer fails.
        """
        if self._is_reading:
            return at
        self._cork(1)
        try:
            return self._send(parts, at)
        finally:
            self._cork(0)

    def _cork(self, value: int) -> None:
        if _CORK is not None:
            self._socket.setsockopt(socket.IPPROTO_TCP, _CORK, value)

    def _send(self, parts: deque[Part], at: int) -> int:
        left = BYTES_PER_ITERATION
        while parts and left > 0:
            head = parts[0]
            try:
                sent = self._send_one(head, at)
            except (BlockingIOError, InterruptedError):
                break
            if self._is_reading:
                break
            at += sent
            left -= sent
            if at == len(head):
                at, self._cached_to = 0, 0
                parts.popleft()
                if not isinstance(head, (bytes, bytearray, memoryview)):
                    head.release()
        self._watch(wanted=bool(parts) and not self._is_reading)
        return at

    def _watch(self, *, wanted: bool) -> None:
        if wanted is not self._watching:
            self._watching = wanted
            if wanted:
                self._loop.add_writer(self._fd, self._ready)
            else:
                self._loop.remove_writer(self._fd)

    def close(self) -> None:
        """Close the descriptor."""
        self._is_closed = True
        self._watch(wanted=False)
        self._socket.close()

    def _send_one(self, part: Part, at: int) -> int:
        if isinstance(part, (bytes, bytearray, memoryview)):
            return os.write(self._fd, memoryview(part)[at:])
        fd, position, size = part.fileno(), part.position + at, min(len(part) - at, PIECE_BYTES)
        if self._cached_to > at:
            size = min(size, self._cached_to - at)
        if self._must_read_ahead(part, fd, at, size):
            return 0
        sent = os.sendfile(self._fd, fd, position, size)
        if not sent:
            raise OSError("a segment file ended before its slice")
        return sent

    def _must_read_ahead(self, part: Slice, fd: int, at: int, size_bytes: int) -> bool:
        """Start to read the next piece ahead if it is not in the page cache. Only once per piece: if it is evicted at
        once, sendfile waits for it.
        """
        if self._read_ahead is None or at < self._cached_to:
            return False
        position = part.position + at
        if _is_cached(fd, position) and _is_cached(fd, position + size_bytes - 1):
            return False
        self._is_reading, self._cached_to = True, at + size_bytes
        self._read_ahead(partial(_read, fd, position, size_bytes), self._has_read)
        return True

    def _has_read(self) -> None:
        self._is_reading = False
        if not self._is_closed:
            self._ready()


def _is_cached(fd: int, position: int) -> bool:
    """Whether this byte of a file is in the page cache; True if the system cannot tell."""
    assert _NOWAIT is not None
    try:
        os.preadv(fd, _byte, position, _NOWAIT)
    except BlockingIOError:
        return False
    except OSError:  # the file system cannot tell; other errors recur in sendfile
        pass
    return True


def _read(fd: int, position: int, size_bytes: int) -> None:
    """Read a part of a file into the page cache. Errors are ignored, because they recur in sendfile. A descriptor that
    was closed and reused meanwhile does no harm, because the data is discarded.
    """
    end = position + size_bytes
    buffer = bytearray(READ_BYTES)
    try:
        while position < end:
            count = os.preadv(fd, [memoryview(buffer)[: end - position]], position)
            if not count:
                return
            position += count
    except OSError:
        return
