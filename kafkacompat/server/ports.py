"""Binds ports at every address of a host, and finds free ones. Needs no event loop."""

from __future__ import annotations

import errno
import os
import random
import socket
import sys
from contextlib import suppress

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FREE_PORTS = range(20_000, 32_000)
"""The range in which port 0 finds a free one: below 32768, where Linux's range for outgoing connections starts."""
FREE_PORT_TRIES = 200


def bind(host: str, port: int, *, flag: str = "--port") -> list[socket.socket]:
    """Sockets bound to one port at every address of `host`; port 0 finds a port that is free on all of them.

    An empty host means every address of the machine. Raises StartupError with one line that names host and port.
    """
    addresses = _addresses(host)
    if port:
        try:
            return _bind_all(addresses, port)
        except OSError as error:
            raise StartupError(_bind_advice(host, port, error, flag)) from None
    rng = random.SystemRandom()
    for _ in range(FREE_PORT_TRIES):
        candidate = rng.choice(FREE_PORTS)
        try:
            return _bind_all(addresses, candidate, is_alone=True)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise StartupError(_bind_advice(host, candidate, error, flag)) from None
    raise StartupError(f"no free port on {host} among {FREE_PORT_TRIES} of {FREE_PORTS.start}-{FREE_PORTS.stop - 1}")


def bind_any(host: str) -> list[socket.socket]:
    """As `bind` with port 0, but of the system's choice if possible: others come back to those of FREE_PORTS."""
    first, *others = _addresses(host)
    with suppress(OSError):
        if not others:
            return [_bind_one(*first, 0, is_alone=True)]
    return bind(host, 0)


class PortFinder:
    """Finds ports that are free on every address of `host`, for processes that are about to be started.

    On Linux the ports are held until `close`: a search with `bind` does not find them, but a process that binds one of
    them by its number gets it. On other systems they are only free at the moment they are found.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self.held: list[socket.socket] = []

    def find(self, count: int) -> list[int]:
        """`count` different ports. Raises StartupError as `bind` does."""
        bound: list[socket.socket] = []
        found = []
        try:
            for _ in range(count):
                sockets = bind(self._host, 0)
                bound += sockets
                found.append(int(sockets[0].getsockname()[1]))
        finally:
            if sys.platform == "linux":
                self.held += bound
            else:
                close_all(bound)
        return found

    def close(self) -> None:
        """Release the ports."""
        close_all(self.held)
        self.held.clear()


def _bind_advice(host: str, port: int, error: OSError, flag: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{host}:{port} is taken by another process: stop it, or choose another port ({flag} 0 picks a free one)"
    if error.errno == errno.EACCES:
        return f"{host}:{port} may not be bound by this user: choose a port above 1023 ({flag} 0 picks a free one)"
    return f"{host}:{port} cannot be bound: {error.strerror}; give an address of this computer with --host"


def _addresses(host: str) -> list[tuple[int, str]]:
    """(family, address) of a host name, each once; IPv6 only where the machine has it."""
    if host == "localhost":  # asked of no resolver: some know only one of the two
        found = [(int(socket.AF_INET), "127.0.0.1")]
        return [*found, (int(socket.AF_INET6), "::1")] if _has_ipv6_loopback() else found
    try:
        infos = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise StartupError(f"host {host!r} is not known ({error.strerror}): give an address of this computer") from None
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


def _bind_all(addresses: Iterable[tuple[int, str]], port: int, *, is_alone: bool = False) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    try:
        for family, address in addresses:
            sockets.append(_bind_one(family, address, port, is_alone=is_alone))
    except OSError:
        close_all(sockets)
        raise
    return sockets


def _bind_one(family: int, address: str, port: int, *, is_alone: bool) -> socket.socket:
    """is_alone: refuse a port that another socket has bound, even if it does not listen yet."""
    sock = socket.socket(family, socket.SOCK_STREAM)
    may_share = os.name == "posix"  # elsewhere the option lets two processes share a port for good
    try:
        if may_share and not is_alone:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.settimeout(0)
        sock.bind((address, port))
        if may_share and is_alone:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    except OSError:
        sock.close()
        raise
    return sock


def close_all(sockets: Iterable[socket.socket]) -> None:
    """Close sockets that are not in use by a loop."""
    for sock in sockets:
        sock.close()
