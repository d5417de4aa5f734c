"""Connects to a host and a port. Names are resolved on daemon threads: a name server that hangs must not delay exit."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.network import Address

    Candidate = tuple[int, tuple[Any, ...]]  # family, what connect() wants

_CANNOT_LEAVE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH, errno.EPROTONOSUPPORT)
"""Errors that mean that this system cannot reach such addresses (mostly: no IPv6). They say nothing about the peer."""
_IN_PROGRESS = (errno.EINPROGRESS, errno.EWOULDBLOCK, 10035)  # the last one is Windows'


class Resolver:
    """Resolves host names. IP addresses and `localhost` need no lookup; other names are looked up on a thread each."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lookups: dict[tuple[str, int], list[asyncio.Future[list[Candidate]]]] = {}

    async def candidates(self, to: Address) -> list[Candidate]:
        """The addresses to try, in order. Raises OSError (socket.gaierror for an unknown name)."""
        if not 0 <= to.port < 1 << 16:
            raise OSError(errno.EINVAL, f"there is no port {to.port}")
        if to.host == "localhost":
            return [(socket.AF_INET, ("127.0.0.1", to.port)), (socket.AF_INET6, ("::1", to.port, 0, 0))]
        try:
            return _look_up(to.host, to.port, socket.AI_NUMERICHOST)
        except socket.gaierror:
            pass
        future: asyncio.Future[list[Candidate]] = self._loop.create_future()
        key = (to.host, to.port)
        waiting = self._lookups.setdefault(key, [])
        waiting.append(future)
        if len(waiting) == 1:
            threading.Thread(target=self._resolve, args=key, name="kafkacompat-resolve", daemon=True).start()
        return await future

    def _resolve(self, host: str, port: int) -> None:
        found: list[Candidate] | OSError
        try:
            found = _look_up(host, port, 0)
        except OSError as error:
            found = error
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._resolved, (host, port), found)

    def _resolved(self, key: tuple[str, int], found: list[Candidate] | OSError) -> None:
        for future in self._lookups.pop(key):
            if future.done():  # the caller was cancelled
                continue
            if isinstance(found, OSError):
                future.set_exception(found)
            else:
                future.set_result(found)


def _look_up(host: str, port: int, flags: int) -> list[Candidate]:
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except UnicodeError:
        raise socket.gaierror(f"{host!r} is not a valid host name") from None
    return [(int(family), address) for family, _, _, _, address in infos]


async def connect(resolver: Resolver, to: Address, timeout_ms: int) -> socket.socket:
    """A connected, non-blocking socket with TCP_NODELAY; each address of the host is tried for `timeout_ms`.

    Raises OSError, including TimeoutError. Raises ConnectionRefusedError only if every reachable address refused.
    """
    failures: list[OSError] = []
    for family, address in await resolver.candidates(to):
        try:
            return await _connect_one(family, address, timeout_ms)
        except OSError as error:
            failures.append(error)
    meaningful = [error for error in failures if error.errno not in _CANNOT_LEAVE] or failures
    raise next((error for error in meaningful if not isinstance(error, ConnectionRefusedError)), meaningful[0])


async def _connect_one(family: int, address: tuple[Any, ...], timeout_ms: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(0)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        async with asyncio.timeout(timeout_ms / 1000):
            await _connected(asyncio.get_running_loop(), sock, address)
        if (
            sock.getsockname() == sock.getpeername()
        ):  # nobody listens: the system gave our end the port that we connect to
            raise ConnectionRefusedError(errno.ECONNREFUSED, "connected to itself")
    except BaseException:
        sock.close()
        raise
    return sock


async def _connected(loop: asyncio.AbstractEventLoop, sock: socket.socket, address: tuple[Any, ...]) -> None:
    """Connect without the loop's `sock_connect`: uvloop's resolves addresses again, and can outlive its loop."""
    error = sock.connect_ex(address)
    if error in _IN_PROGRESS:
        writable: asyncio.Future[None] = loop.create_future()
        loop.add_writer(sock, _set_result, writable)
        try:
            await writable
        finally:
            loop.remove_writer(sock)
        error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, f"{os.strerror(error)}: {address[0]} port {address[1]}")


def _set_result(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
