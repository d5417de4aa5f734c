"""The port of the control API: it listens, and imports what answers there at the first connection."""

from __future__ import annotations

import errno
import logging
import os

from kafkacompat.errors import StartupError
from kafkacompat.server.ports import bind, bind_any, close_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable

log = logging.getLogger(__name__)

TOKEN_VARIABLE = "KAFKACOMPAT_CONTROL_TOKEN"  # noqa: S105 (its name)
ANYWHERE = ""
"""Every address of this computer."""
DEFAULT_HOST = "127.0.0.1"
PORT_MAX = 65_535
DEFAULT_PORT = 9644
"""Redpanda's admin port, which scrapers know."""
FLAG = "--control HOST:PORT, PORT"
BACKLOG = 64
ACCEPTS_PER_ITERATION = 8
OUT_OF_DESCRIPTORS_PAUSE_S = 0.5


def listen(host: str, port: int, *, may_move: bool = False) -> list[socket.socket]:
    """Sockets that listen at a port of `host`; port 0, or a taken one with `may_move`, is a free one instead.

    Raises StartupError with one line.
    """
    try:
        sockets = bind(host, port, flag=FLAG) if port else bind_any(host)
        try:
            for sock in sockets:
                sock.listen(BACKLOG)
        except OSError as error:
            close_all(sockets)
            if error.errno != errno.EADDRINUSE:
                raise
            raise StartupError(
                f"{host}:{port} is taken by another process: stop it, or choose another port ({FLAG} 0 is a free one)"
            ) from None
    except StartupError:
        if not (may_move and port):
            raise
        return listen(host, 0)
    return sockets


def host_and_port(text: str) -> tuple[str, int]:
    """The host and port in HOST:PORT, [ADDRESS]:PORT or :PORT (every address). Raises StartupError."""
    host, colon, port = text.rpartition(":")
    if not (colon and port.isascii() and port.isdigit() and int(port) <= PORT_MAX):
        raise StartupError(f"--control {text}: give HOST:PORT, such as {DEFAULT_HOST}:{DEFAULT_PORT}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def chosen_address(given: str | None, *, is_anywhere: bool) -> tuple[str, int, str | None]:
    """Host and port of `--control`, or the default ones, and the token. is_anywhere: in a container.

    Raises StartupError for an address that other computers reach without a token.
    """
    token = os.environ.get(TOKEN_VARIABLE) or None
    if given is None:
        return (ANYWHERE if is_anywhere else DEFAULT_HOST), DEFAULT_PORT, token
    host, port = host_and_port(given)
    if token is None and not is_anywhere and not is_this_computer(host):
        raise StartupError(
            f"--control {given}: set {TOKEN_VARIABLE}, which other computers then send as authorization: "
            "Bearer TOKEN, or listen on 127.0.0.1"
        )
    return host, port, token


def url_of(host: str, port: int) -> str:
    """http://host:port, where a program on this computer reaches what listens there."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared with)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_this_computer(host: str) -> bool:
    """Whether only this computer reaches what listens on `host`."""
    return host in ("localhost", "::1") or host.startswith("127.")


class ControlListener:
    """Accepts connections to the control API of nodes on this loop.

    sockets: as of `listen`. open_api: called at the first connection; returns a function that makes the protocol of a
    connection, and one that closes all of them.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        sockets: list[socket.socket],
        open_api: Callable[[], tuple[Callable[[], asyncio.Protocol | None], Callable[[], None]]],
    ) -> None:
        host, port, *_ = sockets[0].getsockname()
        self.host: str = host
        self.port: int = port
        self._loop = loop
        self._sockets = sockets
        self._open_api = open_api
        self._make: Callable[[], asyncio.Protocol | None] | None = None
        self._close_all: Callable[[], None] = lambda: None
        self._opening: set[asyncio.Task[object]] = set()
        for sock in sockets:
            loop.add_reader(sock, self._accept, sock)

    @property
    def url(self) -> str:
        """http://host:port, where a program on this computer reaches it."""
        return url_of(self.host, self.port)

    def close(self) -> None:
        """Stop listening, and close all connections."""
        for sock in self._sockets:
            self._loop.remove_reader(sock)
        close_all(self._sockets)
        self._sockets = []
        for task in self._opening:
            task.cancel()
        self._close_all()

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(ACCEPTS_PER_ITERATION):
            try:
                sock, _address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # out of descriptors: clients of Kafka come first
                log.warning("a connection to the control API was not accepted: %s", error.strerror)
                self._loop.remove_reader(listening)
                self._loop.call_later(OUT_OF_DESCRIPTORS_PAUSE_S, self._accept_again, listening)
                return
            if self._make is None:
                self._make, self._close_all = self._open_api()
            protocol = self._make()
            if protocol is None:
                sock.close()
                continue
            sock.settimeout(0)
            task = self._loop.create_task(self._hand_over(sock, protocol))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    def _accept_again(self, listening: socket.socket) -> None:
        if listening in self._sockets:
            self._loop.add_reader(listening, self._accept, listening)

    async def _hand_over(self, sock: socket.socket, protocol: asyncio.Protocol) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, sock)
        except OSError as error:  # the peer is gone already
            sock.close()
            log.debug("a connection to the control API was closed before it was open: %s", error)
