"""Listening sockets: bound before anything else is opened, listening only when clients can work.

`localhost` means both of its addresses, at one port. The accept loop is our own, on `add_reader`, which every loop has:
so that accepting can pause when connections or descriptors run out, instead of spinning or failing.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import random
import socket

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.server.connections import Connections

log = logging.getLogger(__name__)

FREE_PORTS = range(20_000, 32_000)
"""Where port 0 looks: below 32768, from where Linux takes the ports of outgoing connections."""
FREE_PORT_TRIES = 200
ACCEPTS_PER_TURN = 64
"""New connections taken before those that are open get their turn."""
OUT_OF_DESCRIPTORS_PAUSE_S = 0.5
_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def bind(host: str, port: int, *, flag: str = "--port") -> list[socket.socket]:
    """Sockets bound to every address of `host` at one port; port 0 finds one that is free on all of them.

    An empty host is every address of the machine. Raises StartupError with one line that names host and port.
    """
    addresses = _addresses(host)
    if port:
        try:
            return _bind_all(addresses, port)
        except OSError as error:
            raise StartupError(_bind_advice(host, port, error, flag)) from None
    ports = random.SystemRandom().sample(FREE_PORTS, FREE_PORT_TRIES)
    for candidate in ports:
        try:
            return _bind_all(addresses, candidate)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise StartupError(_bind_advice(host, candidate, error, flag)) from None
    raise StartupError(f"no free port on {host} among {FREE_PORT_TRIES} of {FREE_PORTS.start}-{FREE_PORTS.stop - 1}")


def _bind_advice(host: str, port: int, error: OSError, flag: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{host}:{port} is taken by another process: stop it, or choose another port ({flag} 0 picks a free one)"
    if error.errno == errno.EACCES:
        return f"{host}:{port} may not be bound by this user: choose a port above 1023 ({flag} 0 picks a free one)"
    return f"{host}:{port} cannot be bound: {error.strerror}; give an address of this machine with --host"


def _addresses(host: str) -> list[tuple[int, str]]:
    """(family, address) of a host name, each once; IPv6 only where the machine has it."""
    if host == "localhost":  # asked of no resolver: some know only one of the two
        found = [(int(socket.AF_INET), "127.0.0.1")]
        return [*found, (int(socket.AF_INET6), "::1")] if _has_ipv6_loopback() else found
    try:
        infos = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise StartupError(f"host {host!r} is not known ({error.strerror}): give an address of this machine") from None
    return list(dict.fromkeys((int(family), str(address[0])) for family, _, _, _, address in infos))


def _has_ipv6_loopback() -> bool:
    if not socket.has_ipv6:
        return False
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def _bind_all(addresses: Iterable[tuple[int, str]], port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    try:
        for family, address in addresses:
            sockets.append(_bind_one(family, address, port))
    except OSError:
        close_all(sockets)
        raise
    return sockets


def _bind_one(family: int, address: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option lets two processes share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.settimeout(0)
        sock.bind((address, port))
    except OSError:
        sock.close()
        raise
    return sock


def close_all(sockets: Iterable[socket.socket]) -> None:
    """Close sockets that are not in use by a loop."""
    for sock in sockets:
        sock.close()


class Listener:
    """The bound sockets of one listener name, and the loop that accepts on them."""

    def __init__(self, name: str, sockets: list[socket.socket], backlog: int) -> None:
        self.name = name
        self.port: int = sockets[0].getsockname()[1]
        self._sockets = sockets
        self._backlog = backlog
        self._connections: Connections | None = None
        self._accepting = False
        self._retry: asyncio.TimerHandle | None = None
        self._opening: set[asyncio.Task[None]] = set()

    def start(self, connections: Connections) -> None:
        """Listen and accept. Raises StartupError when another process came first on a shared port."""
        self._connections = connections
        try:
            for sock in self._sockets:
                sock.listen(self._backlog)
        except OSError as error:
            raise StartupError(f"cannot listen on port {self.port}: {error.strerror}") from None
        self.accept_on()

    def accept_on(self) -> None:
        """Accept again, unless it is done already or there is no room."""
        connections = self._connections
        if connections is None or self._accepting or self._retry or not connections.has_room:
            return
        self._accepting = True
        for sock in self._sockets:
            connections.loop.add_reader(sock, self._accept, sock)

    def _accept_no_more(self) -> None:
        if self._connections is not None and self._accepting:
            self._accepting = False
            for sock in self._sockets:
                self._connections.loop.remove_reader(sock)

    async def close(self) -> None:
        """Stop accepting, close the sockets, and let connections that were just accepted become open."""
        self._accept_no_more()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        self._connections = None
        close_all(self._sockets)
        if self._opening:  # a cancelled one would be neither open nor gone
            await asyncio.wait(self._opening)

    def _accept(self, listening: socket.socket) -> None:
        connections = self._connections
        assert connections is not None
        for _ in range(ACCEPTS_PER_TURN):
            if not connections.has_room:
                log.warning("accepting pauses: %d connections are open", len(connections))
                self._accept_no_more()
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
        self._accept_no_more()
        assert self._connections is not None
        self._retry = self._connections.loop.call_later(OUT_OF_DESCRIPTORS_PAUSE_S, self._retry_now)

    def _retry_now(self) -> None:
        self._retry = None
        self.accept_on()

    def _open(self, sock: socket.socket, address: str) -> None:
        assert self._connections is not None
        connection = self._connections.admit(address, self.name)
        if connection is None:
            sock.close()
            return
        sock.settimeout(0)
        task = self._connections.loop.create_task(self._hand_over(sock, connection, self._connections))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    @staticmethod
    async def _hand_over(sock: socket.socket, connection: object, connections: Connections) -> None:
        opened = False
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await connections.loop.connect_accepted_socket(lambda: connection, sock)  # type: ignore[type-var]
            opened = True
        except OSError as error:  # the peer is gone already
            log.debug("a connection ended before it was open: %s", error)
        finally:
            if not opened:
                sock.close()
                connections.refused(connection)  # type: ignore[arg-type]
