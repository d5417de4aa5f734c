"""The journal of a node: its last requests with their responses, as they were on the wire. Decoded when asked for.

While it is on, `Journal.dispatch` stands in the place of the dispatcher's; while it is off, nothing of it is in the
path of a request. The fast path of Produce stays on. What nodes ask each other is left out.
"""

from collections import deque

from kafkacompat.broker.connection import CONTROLLER, CloseConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from kafkacompat.broker.connection import Connection
    from kafkacompat.now import Now

    Reply: TypeAlias = Callable[[list[object] | None], None]
    Dispatch: TypeAlias = Callable[[bytes | bytearray, Connection, Now, Reply], None]
    Kept: TypeAlias = "list[bytes | int]"

REQUESTS_MAX = 256
BYTES_MAX = 1 << 20
"""The journal forgets the oldest requests beyond these limits."""
FRAME_MAX_BYTES = 64 * 1024
"""Of a larger request or response only the size is kept, and the beginning of a request."""
START_BYTES = 1024
_BYTES = (bytes, bytearray, memoryview)
_FETCHER = b"broker-"
_FETCHER_AT = slice(10, 17)  # the client id, see `FetcherManager.client_id`
_FETCHER_END = slice(17, 40)


class JournalEntry:
    """One request. Times: `at_ms` by the wall clock, `began_us` and `took_us` by a clock that only counts.

    frame: the request, or its first START_BYTES if it `is_cut`. response: the bytes of the response, with the sizes of
    those that are in segments; None if it is too large, or if there is none. took_us: None while it is not answered.
    closed: why the connection was closed instead of an answer. fault: the label of the fault rule that it met.
    """

    __slots__ = (
        "at_ms", "began_us", "closed", "connection", "fault", "frame", "is_cut", "number", "request_bytes", "response",
        "response_bytes", "took_us",
    )  # fmt: skip

    def __init__(
        self, number: int, frame: bytes | bytearray, connection: "Connection", at_ms: int, began_us: int
    ) -> None:
        self.number = number
        self.request_bytes = len(frame)
        self.is_cut = len(frame) > FRAME_MAX_BYTES
        self.frame = bytes(frame[:START_BYTES]) if self.is_cut else frame
        self.connection = connection
        self.at_ms = at_ms
        self.began_us = began_us
        self.took_us: int | None = None
        self.response: Kept | None = None
        self.response_bytes = 0
        self.closed: str | None = None
        self.fault: str | None = None

    def is_start_of(self, frame: bytes | bytearray) -> bool:
        """Whether this is a frame of which only the beginning is kept."""
        return self.is_cut and self.request_bytes == len(frame) and frame.startswith(self.frame)

    @property
    def kept_bytes(self) -> int:
        """The bytes that this entry keeps alive."""
        return len(self.frame) + sum(len(part) for part in self.response or () if isinstance(part, bytes))


class Journal:
    """The last requests of one node. `count` is the number of all requests since it was switched on.

    inner: answers a frame (`Dispatcher.dispatch`). clock_us: a clock that only counts, in microseconds.
    """

    __slots__ = ("_bytes", "_clock_us", "_entries", "_inner", "count")

    def __init__(self, inner: "Dispatch", clock_us: "Callable[[], int]") -> None:
        self._inner = inner
        self._clock_us = clock_us
        self._entries: deque[JournalEntry] = deque()
        self._bytes = 0
        self.count = 0

    def __iter__(self) -> "Iterator[JournalEntry]":
        """The requests that are kept, oldest first."""
        return iter(self._entries)

    @property
    def inner(self) -> "Dispatch":
        """What the journal stands before; put back when it is switched off."""
        return self._inner

    def dispatch(self, frame: bytes | bytearray, connection: "Connection", now: "Now", reply: "Reply") -> None:
        """As `Dispatcher.dispatch`, with an entry in the journal."""
        if connection.kind == CONTROLLER or (frame[_FETCHER_AT] == _FETCHER and b"-fetcher-" in frame[_FETCHER_END]):
            self._inner(frame, connection, now, reply)
            return
        self.count += 1
        entry = JournalEntry(self.count, frame, connection, now.wall_ms, self._clock_us())
        self._entries.append(entry)
        self._bytes += len(entry.frame)
        self._forget_oldest()

        def answered(parts: list[object] | None) -> None:
            entry.took_us = self._clock_us() - entry.began_us
            if parts is not None:
                self._keep(entry, parts)
            reply(parts)

        try:
            self._inner(frame, connection, now, answered)
        except CloseConnection as reason:
            entry.took_us = self._clock_us() - entry.began_us
            entry.closed = str(reason)
            raise

    def met_fault(self, frame: bytes | bytearray, connection: "Connection", label: str) -> None:
        """A fault rule has matched the request with this frame, which is in progress on the connection."""
        for entry in reversed(self._entries):
            if entry.frame is frame or (entry.connection is connection and entry.is_start_of(frame)):
                entry.fault = label if entry.fault is None else f"{entry.fault}, {label}"
                return

    def _forget_oldest(self) -> None:
        entries = self._entries
        while len(entries) > REQUESTS_MAX or (self._bytes > BYTES_MAX and len(entries) > 1):
            self._bytes -= entries.popleft().kept_bytes

    def _keep(self, entry: JournalEntry, parts: list[object]) -> None:
        kept: Kept = []
        kept_bytes = 0
        for part in parts:
            size = len(part)  # type: ignore[arg-type] # bytes or a slice of a segment
            entry.response_bytes += size
            if isinstance(part, _BYTES):
                kept_bytes += size
                if kept_bytes > FRAME_MAX_BYTES:
                    return
                kept.append(bytes(part))
            else:
                kept.append(size)
        if self._entries and entry.number >= self._entries[0].number:  # else it is forgotten already
            entry.response = kept
            self._bytes += kept_bytes
            self._forget_oldest()
