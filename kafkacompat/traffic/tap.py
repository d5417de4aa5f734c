"""Captures the requests of one node's clients and the responses to them, between their sockets and the broker.

What nodes ask each other is left out: requests on controller listeners, those of followers that fetch, and APIs that
only nodes use.
"""

from __future__ import annotations

from struct import Struct

from kafkacompat.broker.connection import CONTROLLER, CloseConnection
from kafkacompat.broker.registry import APIS
from kafkacompat.traffic.capture_file import REQUEST, RESPONSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from kafkacompat.broker.connection import Connection
    from kafkacompat.now import Now
    from kafkacompat.traffic.capture_writer import CaptureWriter

    Reply: TypeAlias = Callable[[list[object] | None], None]
    Dispatch: TypeAlias = Callable[[bytes | bytearray, Connection, Now, Reply], None]

START = Struct(">hhi")
"""API key, version and correlation id, at the start of a request."""
_FETCHER = b"broker-"
_FETCHER_AT = slice(10, 17)  # the client id, see `FetcherManager.client_id`
_FETCHER_END = slice(17, 40)
_BYTES = (bytes, bytearray, memoryview)
_OF_NODES = 0
CLOSED_BY_CLIENT = "the client or the network closed it"


class Tap:
    """The tap of one node. writer: where it goes; nodes of one cluster share it. node_id: in the file's OPEN entries.

    A connection is in the file from its first request on. ends_with_node: the capture ends when the node stops.
    """

    def __init__(self, writer: CaptureWriter, node_id: int, *, ends_with_node: bool = False) -> None:
        self.writer = writer
        self._ends_with_node = ends_with_node
        self._node_id = node_id
        self._numbers: dict[Connection, int] = {}
        self._new: set[Connection] = set()
        self._reasons: dict[int, str] = {}

    def node_stopped(self) -> None:
        """All connections are closed."""
        if self._ends_with_node:
            self.writer.close()

    def opened(self, connection: Connection) -> None:
        """A connection was accepted."""
        self._new.add(connection)

    def closed(self, connection: Connection) -> None:
        """A connection is closed."""
        self._new.discard(connection)
        number = self._numbers.pop(connection, _OF_NODES)
        if number != _OF_NODES:
            self.writer.close_connection(number, self._reasons.pop(number, CLOSED_BY_CLIENT))

    def dispatch(
        self, inner: Dispatch, frame: bytes | bytearray, connection: Connection, now: Now, reply: Reply
    ) -> None:
        """As `Dispatcher.dispatch`, which is `inner`, with the frames in the capture."""
        number = self._numbers.get(connection)
        if number is None:
            number = self._numbers[connection] = self._open(connection, frame)
        if number == _OF_NODES or self.writer.ended is not None or len(frame) < START.size:
            inner(frame, connection, now, reply)
            return
        add = self.writer.add
        key, version, correlation_id = START.unpack_from(frame)
        add(REQUEST, number, bytes(frame), key, version, correlation_id)  # a copy: batches are stamped in place

        def answered(parts: list[object] | None) -> None:
            if parts is not None:
                add(RESPONSE, number, _joined(parts), key, version, correlation_id)
            reply(parts)

        try:
            inner(frame, connection, now, answered)
        except CloseConnection as reason:
            self._reasons[number] = str(reason)
            raise

    def _open(self, connection: Connection, frame: bytes | bytearray) -> int:
        """The number of a connection in the capture, _OF_NODES for one of another node."""
        is_new = connection in self._new
        self._new.discard(connection)
        is_fetcher = frame[_FETCHER_AT] == _FETCHER and b"-fetcher-" in frame[_FETCHER_END]
        api = APIS.get(int.from_bytes(frame[:2], "big"))
        if connection.kind == CONTROLLER or is_fetcher or (api is not None and api.is_of_peers):
            return _OF_NODES
        return self.writer.open_connection(
            node=self._node_id, peer=connection.client_host, listener=connection.listener, is_new=is_new
        )


def _joined(parts: list[object]) -> bytes:
    """A response in memory. Its parts in segments are read, and stay as they are."""
    return b"".join(
        part if isinstance(part, _BYTES) else part.read(0, len(part))  # type: ignore[attr-defined, arg-type]
        for part in parts
    )
