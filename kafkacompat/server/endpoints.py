"""Where a broker listens and where it tells clients to connect: flags first, then `listeners` of server.properties."""

from __future__ import annotations

from kafkacompat.errors import StartupError
from kafkacompat.replication.metadata.image import Endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

DEFAULT_LISTENER = "PLAINTEXT"
DEFAULT_HOST = "localhost"
DEFAULT_PORT = 9092
_ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound)


class Binding:
    """One listener: `bind_host` and `bind_port` for the socket, `host` and `port` as clients are told."""

    __slots__ = ("bind_host", "bind_port", "host", "listener", "port")

    def __init__(self, listener: str, bind_host: str, bind_port: int, host: str, port: int) -> None:
        self.listener = listener
        self.bind_host = bind_host
        self.bind_port = bind_port
        self.host = host
        self.port = port

    def endpoint(self, port: int) -> Endpoint:
        """What clients are told; `port` is the one that was bound, told where none other is configured."""
        return Endpoint(self.listener, self.host, self.port or port)


def plan(
    config: BrokerConfig, *, host: str | None = None, port: int | None = None, advertised_host: str | None = None
) -> list[Binding]:
    """The listeners to bind, from flags (None: not given) and configuration. Raises StartupError for what we cannot do.

    Nobody can connect to 0.0.0.0, so a broker that listens everywhere advertises localhost unless told otherwise.
    """
    if host is None and port is None and "listeners" in config.static:
        bound = _from_config(config)
    else:
        bound = [(DEFAULT_LISTENER, DEFAULT_HOST if host is None else host, DEFAULT_PORT if port is None else port)]
    advertised = {
        name: (to, at) for name, to, at in _parse(config.get_list("advertised.listeners"), "advertised.listeners")
    }
    bindings = []
    for name, bind_host, bind_port in bound:
        to, at = advertised.get(name, (DEFAULT_HOST if bind_host in _ANYWHERE else bind_host, bind_port))
        bindings.append(Binding(name, bind_host, bind_port, advertised_host or to, at))
    return bindings


def _from_config(config: BrokerConfig) -> list[tuple[str, str, int]]:
    controllers = config.get_list("controller.listener.names")
    pairs = (pair.partition(":") for pair in config.get_str("listener.security.protocol.map").split(","))
    protocols = {name.strip(): protocol.strip() for name, _, protocol in pairs}
    bound = [entry for entry in _parse(config.get_list("listeners"), "listeners") if entry[0] not in controllers]
    for name, _, _ in bound:
        protocol = protocols.get(name, name)
        if protocol != DEFAULT_LISTENER:
            raise StartupError(f"listener {name} wants {protocol}, which does not work yet: use PLAINTEXT")
    if not bound:
        raise StartupError("listeners names no listener for clients: add one, such as PLAINTEXT://localhost:9092")
    return bound


def _parse(texts: tuple[str, ...], name: str) -> list[tuple[str, str, int]]:
    """`PLAINTEXT://host:9092` -> (PLAINTEXT, host, 9092)."""
    found = []
    for text in texts:
        listener, separator, address = text.partition("://")
        host, colon, port = address.rpartition(":")
        if not (listener and separator and colon and port.isdigit() and int(port) <= 65_535):
            raise StartupError(f"{name}: {text!r} is not of the form PLAINTEXT://host:9092")
        found.append((listener.upper(), host.strip("[]"), int(port)))
    return found
