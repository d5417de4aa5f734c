"""Writes the bytes of single responses as a fault rule wants them: in part, changed or slowly.

It takes the place of a connection's sender when a rule first matches there, and gives it back when it has nothing left
to do. Responses keep their order.
"""

from __future__ import annotations

from collections import deque

from kafkacompat.server.frames import SIZE
from kafkacompat.server.sender import Sender, release

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from typing import Any

    from kafkacompat.broker.connection import ByteFault

CORRELATION_ID_BYTES = 4
FAULTS_MAX = 64
"""So many responses of a connection may be awaited; more than can be in flight."""


class FaultySender(Sender):
    """The sender of a connection whose responses are treated.

    inner: the sender that it stands for. close(reason): closes the connection after what was written. done(sender): a
    treated response is written: the connection goes on, with the inner sender if no other response is to be treated.
    failed(error): a response cannot be read.
    """

    __slots__ = ("_close", "_done", "_failed", "_faults", "_inner", "_left_bytes", "_pieces", "_timer", "_waiting")

    def __init__(  # the state of Sender is the inner one's
        self,
        inner: Sender,
        transport: asyncio.WriteTransport,
        loop: asyncio.AbstractEventLoop,
        close: Callable[[str], None],
        done: Callable[[Sender], None],
        failed: Callable[[OSError], None],
    ) -> None:
        self._inner = inner
        self._loop = loop
        self._transport = transport
        self._close = close
        self._done = done
        self._failed = failed
        self._faults: dict[bytes, ByteFault] = {}
        self._waiting: deque[list[Any]] = deque()  # responses behind the one that is treated
        self._pieces: Iterator[tuple[float, bytes]] | None = None
        self._left_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self.blocked = inner.blocked

    def expect(self, correlation_id: int, fault: ByteFault) -> None:
        """Treat the response with this correlation id."""
        while len(self._faults) >= FAULTS_MAX:
            del self._faults[next(iter(self._faults))]
        self._faults[correlation_id.to_bytes(CORRELATION_ID_BYTES, "big", signed=True)] = fault

    @property
    def is_full(self) -> bool:
        """Whether the queue should be flushed before more is added."""
        return self._pieces is None and self._inner.is_full

    @property
    def unsent_bytes(self) -> int:
        """The bytes that the peer has not read yet; decreases while pieces are sent."""
        return self._inner.unsent_bytes + self._left_bytes

    @property
    def held_bytes(self) -> int:
        """As `unsent_bytes`: pieces are in memory."""
        return self._inner.held_bytes + self._left_bytes

    def queue(self, parts: list[Any]) -> None:
        """Add a response, without its size. Raises OSError if a slice cannot be read."""
        if self._pieces is not None:
            self._waiting.append(parts)
            return
        fault = self._faults.pop(bytes(parts[0][:CORRELATION_ID_BYTES]), None) if self._faults else None
        if fault is None:
            self._inner.queue(parts)
            return
        body = _read_all(parts)
        self._inner.flush()
        self._left_bytes = SIZE.size + len(body)
        self._pieces = self._treat(fault, SIZE.pack(len(body)) + body)
        self.blocked = True  # no further request is dispatched meanwhile
        self._timer = self._loop.call_soon(self._send)  # type: ignore[assignment] # both can be cancelled

    def _treat(self, fault: ByteFault, frame: bytes) -> Iterator[tuple[float, bytes]]:
        yield from fault.pieces(frame)
        if fault.closes:
            self._close("a fault rule cuts the connection")

    def _send(self, piece: bytes = b"") -> None:
        """Write a piece, and wait for the next one; at the end go on with the responses behind it."""
        self._timer = None
        if piece:
            self._left_bytes = max(0, self._left_bytes - len(piece))
            self._transport.write(piece)
        pieces = self._pieces
        found = None if pieces is None else next(pieces, None)
        if self._pieces is None:  # closed
            return
        if found is not None:
            self._timer = self._loop.call_later(found[0] / 1000, self._send, found[1])
            return
        self._pieces = None
        self._left_bytes = 0
        try:
            while self._waiting and self._pieces is None:
                self.queue(self._waiting.popleft())
        except OSError as error:
            self._failed(error)
            return
        if self._pieces is None:
            self.blocked = self._inner.blocked
            self._done(self if self._faults else self._inner)

    def flush(self) -> None:
        """Send what the inner sender has queued."""
        if self._pieces is None:
            self._inner.flush()
            self.blocked = self._inner.blocked

    def pause(self) -> None:
        """The transport's buffer is full. Pieces go on: they are in memory anyway."""
        self._inner.pause()
        self.blocked = True

    def resume(self) -> None:
        """The transport's buffer is empty again."""
        self._inner.resume()
        self.blocked = self._pieces is not None or self._inner.blocked

    def drop(self) -> None:
        """The connection is closed: nothing is sent any more."""
        self._pieces = None
        self._left_bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            release(self._waiting.popleft())
        self._inner.drop()
        self._close = self._done = self._failed = _nothing


def _read_all(parts: list[Any]) -> bytes:
    """A response in memory; its slices are released."""
    try:
        return b"".join(part.read(0, len(part)) if hasattr(part, "read") else part for part in parts)
    finally:
        release(parts)


def _nothing(_: object) -> None:
    """The callbacks of a closed connection."""
