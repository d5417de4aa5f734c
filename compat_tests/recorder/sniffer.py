"""What goes over one connection, told from its bytes alone: which API in which version was asked and answered."""

from __future__ import annotations

import struct
from collections.abc import Callable

from kafkacompat.protocol import headers, messages
from kafkacompat.protocol.api_keys import NAMES
from kafkacompat.protocol.primitives import MalformedMessageError, UnsupportedVersionError

SIZE = struct.Struct(">i")
REQUEST_HEAD = struct.Struct(">hhi")
CORRELATION = struct.Struct(">i")
MAX_FRAME_BYTES = 200 * 1024 * 1024
"""Twice what a broker takes; whatever is larger is no frame, and the rest of such a connection is only passed on."""
MAX_OPEN_REQUESTS = 10_000
"""Requests that are never answered (produce with acks=0) are forgotten beyond this many."""

Address = tuple[str, int]
Readdress = Callable[[Address], Address]


class Frames:
    """Cuts a stream into frames and keeps only the head of each, however large the frame is."""

    def __init__(self, head_bytes: int) -> None:
        self._head_bytes = head_bytes
        self._head = bytearray()
        self._left = 0  # bytes of the current frame that are still to come
        self.lost = False  # what came is no frame: nothing is told from here on

    def feed(self, data: bytes | memoryview) -> list[bytes]:
        """The heads of the frames that are complete now. Raises nothing: a stream that makes no sense is `lost`."""
        done: list[bytes] = []
        view = memoryview(data)
        while view and not self.lost:
            if self._left == 0:
                view = self._size(view)
                continue
            taken = view[: self._left]
            room = SIZE.size + self._head_bytes - len(self._head)
            self._head += taken[: max(room, 0)]
            self._left -= len(taken)
            view = view[len(taken) :]
            if self._left == 0:
                done.append(bytes(self._head[SIZE.size :]))
                self._head.clear()
        return done

    def _size(self, view: memoryview) -> memoryview:
        missing = SIZE.size - len(self._head)
        self._head += view[:missing]
        if len(self._head) == SIZE.size:
            (self._left,) = SIZE.unpack(self._head)
            self.lost = not 0 < self._left <= MAX_FRAME_BYTES
        return view[missing:]


class Counts:
    """How often each API was answered, by version."""

    def __init__(self) -> None:
        self._answered: dict[str, dict[str, int]] = {}

    def answered(self, key: int, version: int) -> None:
        """One more."""
        versions = self._answered.setdefault(NAMES.get(key, f"key {key}"), {})
        versions[str(version)] = versions.get(str(version), 0) + 1

    def take(self) -> dict[str, dict[str, int]]:
        """`{api: {version: answered}}` since the last time, which starts anew."""
        taken, self._answered = self._answered, {}
        return taken


class Conversation:
    """One connection: requests one way, their answers the other way."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._requests = Frames(REQUEST_HEAD.size)
        self._answers = Frames(CORRELATION.size)
        self._open: dict[int, tuple[int, int]] = {}  # correlation id -> API key and version

    def asked(self, data: bytes) -> None:
        """Bytes on their way to the broker."""
        for head in self._requests.feed(data):
            if len(head) < REQUEST_HEAD.size:
                continue
            key, version, correlation_id = REQUEST_HEAD.unpack(head)
            if len(self._open) >= MAX_OPEN_REQUESTS:
                del self._open[next(iter(self._open))]
            self._open[correlation_id] = key, version

    def answered(self, data: bytes) -> None:
        """Bytes on their way to the client."""
        for head in self._answers.feed(data):
            self.answer_of(head)

    def answer_of(self, frame: bytes) -> tuple[int, int] | None:
        """Which API and version an answer belongs to, which is counted; None when nobody asked."""
        if len(frame) < CORRELATION.size:
            return None
        found = self._open.pop(CORRELATION.unpack_from(frame)[0], None)
        if found is not None:
            self._counts.answered(*found)
        return found


class Readdresser:
    """Cuts answers into whole frames and rewrites the addresses in those that tell clients where to connect.

    For a broker that cannot be told to advertise the recorder's address. Every other byte passes as it came.
    """

    def __init__(self, conversation: Conversation, readdress: Readdress) -> None:
        self._conversation = conversation
        self._readdress = readdress
        self._buffer = bytearray()

    def feed(self, data: bytes) -> bytes:
        """What to hand on to the client now."""
        self._buffer += data
        ready: list[bytes] = []
        while len(self._buffer) >= SIZE.size:
            (size,) = SIZE.unpack_from(self._buffer)
            if len(self._buffer) < SIZE.size + size:
                break
            frame = self._answer(bytes(self._buffer[SIZE.size : SIZE.size + size]))
            ready += SIZE.pack(len(frame)), frame
            del self._buffer[: SIZE.size + size]
        return b"".join(ready)

    def _answer(self, frame: bytes) -> bytes:
        found = self._conversation.answer_of(frame)
        if found is None or NAMES.get(found[0]) not in TELLS_ADDRESSES:
            return frame
        return readdressed(frame, *found, self._readdress)


TELLS_ADDRESSES = {
    "Metadata": ("brokers",),
    "FindCoordinator": ("", "coordinators"),
    "DescribeCluster": ("brokers",),
}
"""Fields of responses whose items have a host and a port; "" is the response itself. Answers that name a
leader's new address (Produce, Fetch) are left alone: a client that follows one is only not counted."""


def readdressed(frame: bytes, key: int, version: int, readdress: Readdress) -> bytes:
    """An answer with every address in it replaced. One that our codec does not know passes as it came."""
    try:
        module = messages.load(key)
        head = CORRELATION.size + headers.response_header_is_flexible(key, version)
        message = module.decode_response(frame[head:], 0, version)
    except (MalformedMessageError, UnsupportedVersionError):
        return frame
    for name in TELLS_ADDRESSES[NAMES[key]]:
        for item in [message] if not name else getattr(message, name) or ():
            if item.host:
                item.host, item.port = readdress((item.host, item.port))
    body: list[bytes] = []
    module.encode_response(message, version, body)
    return frame[:head] + b"".join(body)
