"""Bodies of HTTP messages that are too large for the memory: read while they arrive, or sent from a file."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BUFFERED_BYTES_MAX = 256 * 1024
"""With so many bytes that nobody has read, no more are received; what arrives at once may exceed it."""
IDLE_TIMEOUT_S = 10.0
"""The next bytes have to arrive within this time."""


class IncomingBody:
    """The body of a request, for one reader. length: as its header says, None if it does not.

    go_on: called when more bytes may be received. pause: called when no more are wanted for now.
    """

    def __init__(self, length: int | None, go_on: Callable[[], None], pause: Callable[[], None]) -> None:
        self.length = length
        self._go_on = go_on
        self._pause = pause
        self._pieces: list[bytes] = []
        self._size_bytes = 0
        self._has_ended = False
        self._is_torn = False
        self._arrived: asyncio.Event = asyncio.Event()

    async def read(self) -> bytes:
        """What has arrived, at least a byte; none at the end. Raises ProblemError for a body that is torn or slow."""
        if not self._pieces and not self._has_ended and not self._is_torn:
            self._arrived.clear()
            self._go_on()
            try:
                async with asyncio.timeout(IDLE_TIMEOUT_S):
                    await self._arrived.wait()
            except TimeoutError:
                raise ProblemError(
                    408, "slow-body", f"no byte of the body came within {IDLE_TIMEOUT_S:g} s: send it again"
                ) from None
        if self._is_torn:
            raise ProblemError(400, "torn-body", "the body was cut off: send it again")
        found = b"".join(self._pieces)
        self._pieces, self._size_bytes = [], 0
        return found

    # As its connection

    def feed(self, data: bytes) -> None:
        """Some bytes have arrived."""
        self._pieces.append(data)
        self._size_bytes += len(data)
        if self._size_bytes > BUFFERED_BYTES_MAX:
            self._pause()
        self._arrived.set()

    def end(self) -> None:
        """All has arrived."""
        self._has_ended = True
        self._arrived.set()

    def tear(self) -> None:
        """No more will arrive."""
        self._is_torn = True
        self._arrived.set()
