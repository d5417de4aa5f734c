"""Large slices straight from a file into the socket, where the system has sendfile: the bytes never pass through us.

asyncio offers this as a coroutine only and uvloop not at all, so it works on a duplicate of the socket's descriptor,
which a loop will watch although it has a transport on the original. Measured with responses of 1 MB this takes about
half the CPU of reading and writing, on either loop. The transport's own buffer must be empty while this is in use, and
nothing may be written through it.

sendfile waits for the disk where the kernel does not have the bytes in memory. Where the system can tell (preadv with
RWF_NOWAIT), a thread reads them first, a piece at a time.
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
    """Calls the first beside the loop, then the second on it."""

HAS_SENDFILE = hasattr(os, "sendfile")
_CORK: int | None = getattr(socket, "TCP_CORK", None)
BYTES_PER_TURN = 4 * 1024 * 1024
"""What one connection sends before others get their turn."""
PIECE_BYTES = 1024 * 1024
"""Of a file in one call: at its ends the kernel is asked whether it has the bytes, and so much is read ahead if not."""
READ_BYTES = 256 * 1024
_NOWAIT: int | None = getattr(os, "RWF_NOWAIT", None)
_byte = [bytearray(1)]  # what is probed for, and never looked at


class DirectWriter:
    """Sends parts on one socket; calls `ready` when, after a stop, the socket takes more.

    What stands before and behind a slice goes with its bytes: each small packet of its own would wake the peer.
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
        self._cached_to = 0  # up to where the slice at the head was read ahead
        self._socket = socket.socket(fileno=os.dup(fd))
        self._fd = self._socket.fileno()
        self._ready = ready
        self._watching = False

    def send(self, parts: deque[Part], at: int) -> int:
        """Send from `at` of the first part on; what is sent is taken off and released. Returns where it stopped.

        When parts are left, `ready` will be called. Raises OSError when the file or the peer fails.
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
        left = BYTES_PER_TURN
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
        """Give the descriptor back."""
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
        """Have the next piece of a slice read by a thread, if the kernel has to wait for the disk. Once for each piece:
        what the kernel gives up again at once is waited for here.
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
    """Whether the kernel has that byte of a file in memory, or does not say."""
    assert _NOWAIT is not None
    try:
        os.preadv(fd, _byte, position, _NOWAIT)
    except BlockingIOError:
        return False
    except OSError:  # a file system that cannot tell; what else is wrong with it shows when it is read
        pass
    return True


def _read(fd: int, position: int, size_bytes: int) -> None:
    """Have the kernel read a part of a file. An error shows again when it is sent; a descriptor that was closed
    meanwhile, and is that of something else now, does no harm: what is read is not looked at.
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
