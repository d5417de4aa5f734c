"""Chooses the address that a client is told for the brokers of this machine, by where the client connects from.

In a container without `advertised.listeners` no single address is right. A client on the host comes through the
container's default gateway and reaches the mapped port of the host; a client in another container of the same network
reaches the address that it has connected to.
"""

from __future__ import annotations

import logging
import socket
import struct

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.connection import ReachedAt

log = logging.getLogger(__name__)

VARIABLE = "KAFKACOMPAT_HOST_ADDRESS"
"""The environment variable with the address for clients that come through the default gateway, HOST or HOST:PORT."""
DEFAULT_ADDRESS = "localhost"
IPV4_ROUTES, IPV6_ROUTES = "/proc/net/route", "/proc/net/ipv6_route"
IS_GATEWAY = 0x2  # RTF_GATEWAY
ROUTES_MAX_BYTES = 256 * 1024
"""How much of a routing table is read: the default route is among the first."""


class AddressesByPeer:
    """The addresses that clients are told.

    host_address: HOST or HOST:PORT for clients that come through the default gateway; without a port each broker's own.
    gateways: finds the default gateways; called at the first connection. Raises StartupError for a malformed address.
    """

    def __init__(
        self, host_address: str = DEFAULT_ADDRESS, gateways: Callable[[], frozenset[str]] | None = None
    ) -> None:
        self._host = _parse(host_address)
        self._find = gateways or default_gateways
        self._gateways: frozenset[str] | None = None
        self._reported: set[bool] = set()

    def reached_at(self, peer: str, sock: socket.socket) -> ReachedAt:
        """What to tell the client at `peer`: a host, and a port for this node (0: that of its listener)."""
        if self._gateways is None:
            self._gateways = self._find()
        is_host = plain(peer) in self._gateways
        found = self._host if is_host else (plain(sock.getsockname()[0]), 0)
        if is_host not in self._reported:
            self._reported.add(is_host)
            self._report(plain(peer), found, is_host=is_host)
        return found

    def _report(self, peer: str, found: ReachedAt, *, is_host: bool) -> None:
        where = found[0] + (f":{found[1]}" if found[1] else "")
        told, setting = (
            (f"clients at the default gateway {peer}, which should be the host, are told {where}", f"{VARIABLE} or ")
            if is_host
            else (f"other clients are told the address to which they have connected ({peer}: {where})", "")
        )
        log.info(
            "advertised.listeners is not set: %s; if they cannot connect to that, set %sadvertised.listeners",
            told, setting,
        )  # fmt: skip


def default_gateways() -> frozenset[str]:
    """The addresses of the machine's default gateways; none where the system has no /proc."""
    return frozenset((*ipv4_gateways(_read(IPV4_ROUTES)), *ipv6_gateways(_read(IPV6_ROUTES))))


def ipv4_gateways(table: str) -> list[str]:
    """The gateways of the default routes in a /proc/net/route."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) >= 8 and int(fields[1], 16) == int(fields[7], 16) == 0 and int(fields[3], 16) & IS_GATEWAY:
            found.append(socket.inet_ntop(socket.AF_INET, struct.pack("=L", int(fields[2], 16))))
    return found


def ipv6_gateways(table: str) -> list[str]:
    """The gateways of the default routes in a /proc/net/ipv6_route."""
    found = []
    for line in table.splitlines():
        fields = line.split()
        if len(fields) >= 9 and int(fields[0], 16) == int(fields[1], 16) == 0 and int(fields[8], 16) & IS_GATEWAY:
            found.append(socket.inet_ntop(socket.AF_INET6, bytes.fromhex(fields[4])))
    return found


def plain(address: str) -> str:
    """An address as the socket has it, without the scope of IPv6 and as IPv4 if it stands for such an address."""
    return address.partition("%")[0].removeprefix("::ffff:")


def _parse(text: str) -> ReachedAt:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or (text.count(":") > 1 and not text.startswith("[")):
        host, port = text, "0"
    if not host.strip("[]") or not (port.isascii() and port.isdigit() and int(port) <= 65_535):
        raise StartupError(f"{VARIABLE}={text!r} is not an address: write HOST or HOST:PORT, such as localhost:19092")
    return host.strip("[]"), int(port)


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:  # noqa: PTH123 (pathlib costs start-up time)
            return file.read(ROUTES_MAX_BYTES)
    except OSError:
        return ""
