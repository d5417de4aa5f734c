"""The connections of a replay: sends frames and collects answers, without a thread and without waiting for one peer
while another one has something to say.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections import deque
from struct import Struct

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_file import PAYLOAD_MAX_BYTES

_SIZE = Struct(">i")
READ_BYTES = 256 * 1024
CONNECT_TIMEOUT_S = 10.0


class ReplayConnection:
    """One connection. answers: frames without their size, oldest first. closed: why no more will come, or None."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.answers: deque[bytes] = deque()
        self.closed: str | None = None
        self.unsent = bytearray()
        self._received = bytearray()

    def take(self, data: bytes) -> None:
        """Bytes have come."""
        self._received += data
        while len(self._received) >= _SIZE.size:
            (size,) = _SIZE.unpack_from(self._received)
            if not 0 <= size <= PAYLOAD_MAX_BYTES:
                self.closed = f"it answered with a frame of {size} bytes: no Kafka"
                return
            if len(self._received) < _SIZE.size + size:
                return
            self.answers.append(bytes(self._received[_SIZE.size : _SIZE.size + size]))
            del self._received[: _SIZE.size + size]


class ReplayConnections:
    """All connections of one replay to (host, port)."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self._selector = selectors.DefaultSelector()
        self._open: dict[int, ReplayConnection] = {}

    def open(self) -> ReplayConnection:
        """A new connection. Raises KafkaCompatError if nobody is there."""
        host, port = self._address
        try:
            sock = socket.create_connection(self._address, timeout=CONNECT_TIMEOUT_S)
        except OSError as error:
            raise KafkaCompatError(
                f"{host}:{port} cannot be reached: {error.strerror or error}. Is the broker to replay to running there?"
            ) from None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(0)
        connection = ReplayConnection(sock)
        self._open[sock.fileno()] = connection
        self._selector.register(sock, selectors.EVENT_READ, connection)
        return connection

    def send(self, connection: ReplayConnection, frame: bytes) -> None:
        """Send a request; what the peer does not take now is sent while `wait` waits."""
        connection.unsent += _SIZE.pack(len(frame)) + frame
        self._write(connection)

    def wait(self, timeout_s: float) -> None:
        """Send and receive, for at most so long, until something has come."""
        for key, events in self._selector.select(max(0.0, timeout_s)):
            connection: ReplayConnection = key.data
            if events & selectors.EVENT_WRITE:
                self._write(connection)
            if events & selectors.EVENT_READ:
                self._read(connection)

    def pause(self, duration_s: float) -> None:
        """Send and receive for so long."""
        until_s = time.monotonic() + duration_s
        while (left_s := until_s - time.monotonic()) > 0:
            self.wait(left_s)

    def close(self, connection: ReplayConnection) -> None:
        """Close a connection; what has been answered stays."""
        if self._open.pop(connection.sock.fileno(), None) is not None:
            self._selector.unregister(connection.sock)
            connection.sock.close()
        connection.closed = connection.closed or "the replay closed it"

    def close_all(self) -> None:
        """Close all connections."""
        for connection in list(self._open.values()):
            self.close(connection)
        self._selector.close()

    def _write(self, connection: ReplayConnection) -> None:
        try:
            while connection.unsent:
                sent = connection.sock.send(memoryview(connection.unsent)[:READ_BYTES])
                del connection.unsent[:sent]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lost(connection, error.strerror or str(error))
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.unsent else 0)
        if connection.sock.fileno() in self._open:
            self._selector.modify(connection.sock, events, connection)

    def _read(self, connection: ReplayConnection) -> None:
        try:
            data = connection.sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(connection, error.strerror or str(error))
            return
        if data:
            connection.take(data)
        if not data or connection.closed:
            self._lost(connection, "the broker closed it")

    def _lost(self, connection: ReplayConnection, reason: str) -> None:
        connection.closed = connection.closed or reason
        self.close(connection)
