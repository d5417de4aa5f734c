"""Reads lists of listeners, such as `PLAINTEXT://host:9092,INTERNAL://other:9093`."""

from __future__ import annotations

from kafkacompat.config.values import INVALID_REQUEST, TYPE_CHECKING, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

PORT_MAX = 65_535
ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound)
ADVERTISED_LISTENERS = "advertised.listeners"


def parse_listener(text: str) -> tuple[str, str, int]:
    """`PLAINTEXT://host:9092` -> (PLAINTEXT, host, 9092). Raises ValueError."""
    listener, separator, address = text.strip().partition("://")
    host, port = parse_address(address)
    if not listener or not separator:
        raise ValueError(text)
    return listener.upper(), host, port


def parse_address(text: str) -> tuple[str, int]:
    """`host:9092` or `[::1]:9092`. Raises ValueError."""
    host, colon, port = text.strip().rpartition(":")
    if not (colon and port.isascii() and port.isdigit() and int(port) <= PORT_MAX):
        raise ValueError(text)
    return host.strip("[]"), int(port)


def advertised(text: str, known: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
    """Listener names with host and port, from an `advertised.listeners` that a client sets on a running broker.

    known: the names of the broker's listeners; None to accept any. Raises ConfigError with INVALID_REQUEST.
    """
    found: dict[str, tuple[str, int]] = {}
    for item in text.split(","):
        try:
            name, host, port = parse_listener(item)
        except ValueError:
            reason = f"{item!r} is not of the form PLAINTEXT://host:9092"
            raise ConfigError(ADVERTISED_LISTENERS, text, reason, INVALID_REQUEST) from None
        if host in ANYWHERE or not port:
            raise ConfigError(ADVERTISED_LISTENERS, text, f"nobody can connect to {host!r}:{port}", INVALID_REQUEST)
        if name in found or (known is not None and name not in known):
            reason = f"{name} is named twice" if name in found else f"this broker has no listener {name}"
            raise ConfigError(ADVERTISED_LISTENERS, text, reason, INVALID_REQUEST)
        found[name] = host, port
    return found
