"""Listening sockets. They are bound before anything else is opened, and listen only when clients can be served.

`localhost` means both of its addresses at one port. Accepting uses `add_reader`, which every loop has, so that it can
pause when connections or descriptors run out.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket

from kafkacompat.broker.connection import BROKER
from kafkacompat.errors import StartupError
from kafkacompat.server.ports import close_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.connection import ClientConnection
    from kafkacompat.server.connections import Connections
    from kafkacompat.server.endpoints import Binding

log = logging.getLogger(__name__)

ACCEPTS_PER_ITERATION = 64
"""How many connections are accepted in a turn of the loop."""
OUT_OF_DESCRIPTORS_PAUSE_S = 0.5
_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listener:
    """The bound sockets of one listener, and the loop that accepts on them."""

    def __init__(self, binding: Binding, sockets: list[socket.socket], backlog: int) -> None:
        self.binding = binding
        self.port: int = sockets[0].getsockname()[1]
        self._sockets = sockets
        self._backlog = backlog
        self._connections: Connections | None = None
        self._accepting = False
        self._retry: asyncio.TimerHandle | None = None
        self._opening: set[asyncio.Task[None]] = set()

    def start(self, connections: Connections) -> None:
        """Listen and accept. Raises StartupError if another process listens on the port already."""
        self._connections = connections
        try:
            for sock in self._sockets:
                sock.listen(self._backlog)
        except OSError as error:
            raise StartupError(f"cannot listen on port {self.port}: {error.strerror}") from None
        self.resume_accepting()

    def resume_accepting(self) -> None:
        """Accept, unless it does already or there is no room."""
        connections = self._connections
        if connections is None or self._accepting or self._retry or not connections.has_room(self.binding):
            return
        self._accepting = True
        for sock in self._sockets:
            connections.loop.add_reader(sock, self._accept, sock)

    def _pause_accepting(self) -> None:
        if self._connections is not None and self._accepting:
            self._accepting = False
            for sock in self._sockets:
                self._connections.loop.remove_reader(sock)

    async def close(self) -> None:
        """Stop accepting, close the sockets, and wait until connections that were just accepted are open."""
        self._pause_accepting()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        self._connections = None
        close_all(self._sockets)
        if self._opening:  # a cancelled connection would be neither open nor closed
            await asyncio.wait(self._opening)

    def _accept(self, listening: socket.socket) -> None:
        connections = self._connections
        assert connections is not None
        for _ in range(ACCEPTS_PER_ITERATION):
            if not connections.has_room(self.binding):
                log.warning("accepting pauses: %d connections are open", len(connections))
                self._pause_accepting()
                return
            try:
                sock, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _OUT_OF_DESCRIPTORS:
                    raise
                self._pause(error)
                return
            self._open(sock, address[0])

    def _pause(self, error: OSError) -> None:
        log.warning("accepting pauses for %s s: %s", OUT_OF_DESCRIPTORS_PAUSE_S, error.strerror)
        self._pause_accepting()
        assert self._connections is not None
        self._retry = self._connections.loop.call_later(OUT_OF_DESCRIPTORS_PAUSE_S, self._retry_now)

    def _retry_now(self) -> None:
        self._retry = None
        self.resume_accepting()

    def _open(self, sock: socket.socket, address: str) -> None:
        assert self._connections is not None
        connection = self._connections.admit(address, self.binding)
        if connection is None:
            sock.close()
            return
        addresses = self._connections.addresses
        if addresses is not None and self.binding.kind == BROKER:
            connection.state.reached_at = addresses.reached_at(address, sock)
        sock.settimeout(0)
        task = self._connections.loop.create_task(self._hand_over(sock, connection, self._connections))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    @staticmethod
    async def _hand_over(sock: socket.socket, connection: ClientConnection, connections: Connections) -> None:
        opened = False
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await connections.loop.connect_accepted_socket(lambda: connection, sock)
            opened = True
        except OSError as error:  # the peer is gone already
            log.debug("a connection was closed before it was open: %s", error)
        finally:
            if not opened:
                sock.close()
                connections.refused(connection)
