"""The listeners of a node and its advertised endpoints, from flags and from `listeners` in server.properties.

With `process.roles` the rules of Apache Kafka's KafkaConfig (4.3.1) apply: a file that was written for it means the
same here. Without it a node is a broker and a controller, and fewer settings are required.
"""

from __future__ import annotations

from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.config.listeners import ANYWHERE as _ANYWHERE
from kafkacompat.config.listeners import parse_listener
from kafkacompat.config.protection import OTHER_PROTOCOLS, PLAINTEXT, security_protocols
from kafkacompat.errors import StartupError
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.server.roles import node_roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.config import BrokerConfig

DEFAULT_HOST = "localhost"
DEFAULT_PORT = 9092

Entry = tuple[str, str, int]  # listener name, host, port


class Binding:
    """One listener: `bind_host` and `bind_port` of the socket, and the advertised `host` and `port`.

    kind, is_inter_broker: as in `broker.connection.Connection`. is_advertised: whether it is advertised at all.
    """

    __slots__ = ("bind_host", "bind_port", "host", "is_advertised", "is_inter_broker", "kind", "listener", "port")

    def __init__(
        self,
        listener: str,
        bind_host: str,
        bind_port: int,
        host: str,
        port: int,
        kind: str = BROKER,
        *,
        is_inter_broker: bool = True,
        is_advertised: bool = True,
    ) -> None:
        self.listener = listener
        self.bind_host = bind_host
        self.bind_port = bind_port
        self.host = host
        self.port = port
        self.kind = kind
        self.is_inter_broker = is_inter_broker
        self.is_advertised = is_advertised

    @property
    def local_address(self) -> str:
        """`host:port` by which a program on the same machine reaches it."""
        return local_address(self.bind_host, self.bind_port)

    def endpoint(self, port: int) -> Endpoint:
        """The advertised endpoint; `port` is the bound port, which is advertised if no other is configured."""
        return Endpoint(self.listener, self.host, self.port or port)


def plan(
    config: BrokerConfig, *, host: str | None = None, port: int | None = None, advertised_host: str | None = None
) -> list[Binding]:
    """The listeners to bind, from flags (None: not given) and configuration. Raises StartupError for invalid ones.

    Flags replace all client listeners; controller listeners stay as configured. Nobody can connect to 0.0.0.0, so a
    node that listens everywhere advertises localhost unless `advertised_host` is given.
    """
    roles = node_roles(config)
    listeners = _listeners(config, roles, host, port)
    _check_distinct(listeners, config)
    _check_protocols(config, roles, [name for name, _, _ in listeners])
    controllers = config.get_list("controller.listener.names")
    advertised = {entry[0]: entry for entry in _parse(config.get_list("advertised.listeners"), "advertised.listeners")}
    by_flag = host is not None or port is not None
    if by_flag:  # flags have replaced the client listeners: keep only what still has a listener
        advertised = {name: advertised[name] for name, _, _ in listeners if name in advertised}
    bindings = []
    for name, bind_host, bind_port in listeners:
        _, to, at = advertised.get(name, (name, DEFAULT_HOST if bind_host in _ANYWHERE else bind_host, bind_port))
        kind = CONTROLLER if name in controllers else BROKER
        if kind == BROKER and advertised_host is not None:
            check_advertised_host(advertised_host)
            to = advertised_host
        is_advertised = kind == CONTROLLER or by_flag or not advertised or name in advertised
        bindings.append(Binding(name, bind_host, bind_port, to, at, kind, is_advertised=is_advertised))
    _check_roles(config, roles, [(binding.listener, binding.kind) for binding in bindings])
    _check_advertised(advertised.values(), bindings)
    if BROKER in roles:
        _choose_inter_broker(config, bindings)
    return bindings


def _listeners(config: BrokerConfig, roles: frozenset[str], host: str | None, port: int | None) -> list[Entry]:
    configured = _parse(config.get_list("listeners"), "listeners") if "listeners" in config.static else None
    if configured is not None and host is None and port is None:
        return configured
    controllers = config.get_list("controller.listener.names")
    listeners = [entry for entry in configured or () if entry[0] in controllers]
    if BROKER in roles:
        for_clients = (PLAINTEXT, DEFAULT_HOST if host is None else host, DEFAULT_PORT if port is None else port)
        listeners.insert(0, for_clients)
    return listeners


def _parse(texts: tuple[str, ...], name: str) -> list[Entry]:
    """`PLAINTEXT://host:9092` -> (PLAINTEXT, host, 9092)."""
    found = []
    for text in texts:
        try:
            found.append(parse_listener(text))
        except ValueError:
            raise StartupError(f"{name}: {text!r} is not of the form PLAINTEXT://host:9092") from None
    return found


def local_address(host: str, port: int) -> str:
    """`host:port` by which a program on the same machine reaches a listener that is bound to `host`."""
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared with)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


# The rules


def check_advertised_host(host: str) -> None:
    """Refuse a host that no client can connect to: a wildcard address, a host with a port, or characters that Kafka
    does not accept in a listener's host. Raises StartupError.
    """
    if host in _ANYWHERE:
        raise StartupError(f"--advertised-host {host}: nobody can connect to it; give a host that others can reach")
    is_text = host.isascii() and all(char.isalnum() or char in "-%._:" for char in host)
    if not is_text or host.count(":") == 1:
        raise StartupError(
            f"--advertised-host {host}: give a host name or an address without a port; the port is the listener's"
        )


def _check_distinct(listeners: list[Entry], config: BrokerConfig) -> None:
    """Names must be distinct, and ports too, except for one IPv4 and one IPv6 listener with the same port."""
    text = ",".join(config.get_list("listeners"))
    if len({name for name, _, _ in listeners}) < len(listeners):
        raise StartupError(f"listeners={text} uses a listener name twice: give each a name of its own")
    hosts_of: dict[int, list[str]] = {}
    for _, host, port in listeners:
        if port:
            hosts_of.setdefault(port, []).append(host)
    for port, hosts in hosts_of.items():
        families = [":" in host for host in hosts]
        if len(hosts) > 2 or (len(hosts) == 2 and (families[0] == families[1] or "" in hosts)):
            raise StartupError(f"listeners={text} uses port {port} twice: give each listener a port of its own")


def _check_protocols(config: BrokerConfig, roles: frozenset[str], bound: list[str]) -> None:
    """Each listener needs a security protocol, also the controller listener that a broker connects to."""
    controllers = config.get_list("controller.listener.names")
    names = [*bound, *(name for name in controllers if name not in bound and roles == {BROKER})]
    protocols = security_protocols(config.get_str("listener.security.protocol.map"))
    is_implied = "listener.security.protocol.map" not in config.static and not any(
        name in OTHER_PROTOCOLS for name in names
    )
    for name in names:
        protocol = protocols.get(name, PLAINTEXT if is_implied and name in controllers else None)
        if protocol is None:
            raise StartupError(
                f"listener {name} has no protocol: put {name}:PLAINTEXT into listener.security.protocol.map"
            )
        if protocol != PLAINTEXT:
            raise StartupError(f"listener {name} uses {protocol}, which is not supported yet: use PLAINTEXT")


def _check_roles(config: BrokerConfig, roles: frozenset[str], listeners: list[tuple[str, str]]) -> None:
    controllers = config.get_list("controller.listener.names")
    bound = {name for name, kind in listeners if kind == CONTROLLER}
    for_clients = {name for name, kind in listeners if kind == BROKER}
    if BROKER not in roles and for_clients:
        one = sorted(for_clients)[0]
        raise StartupError(f"listener {one} is for clients, process.roles=controller: take it out of listeners")
    if BROKER in roles and not for_clients:
        raise StartupError("listeners names no listener for clients: add one, such as PLAINTEXT://localhost:9092")
    if roles == {BROKER}:
        if not controllers:
            raise StartupError("process.roles=broker needs controller.listener.names: the listener of the controllers")
        if bound:
            one = sorted(bound)[0]
            raise StartupError(f"listener {one} is for controllers, process.roles=broker: take it out of listeners")
    elif "process.roles" in config.static:
        if BROKER not in roles and not controllers:
            raise StartupError("process.roles=controller needs controller.listener.names, with an entry in listeners")
        missing = [name for name in controllers if name not in bound]
        if missing:
            raise StartupError(
                f"controller.listener.names has {missing[0]}, which listeners lacks: add {missing[0]}://localhost:9093"
            )


def _check_advertised(advertised: Iterable[Entry], bindings: list[Binding]) -> None:
    names = {binding.listener for binding in bindings}
    for name, host, _ in advertised:
        if name not in names:
            raise StartupError(f"advertised.listeners has {name}, which listeners lacks: use a name of {_list(names)}")
        if host in ("0.0.0.0", "::"):  # noqa: S104 (compared with)
            raise StartupError(f"advertised.listeners: nobody can connect to {host}; give a host that others can reach")
    if any(binding.kind == BROKER for binding in bindings) and not any(
        binding.kind == BROKER and binding.is_advertised for binding in bindings
    ):
        raise StartupError("advertised.listeners names no listener for clients: add one, or leave the setting out")


def _choose_inter_broker(config: BrokerConfig, bindings: list[Binding]) -> None:
    """Choose the inter-broker listener by name or by protocol; without process.roles the first one is the fallback."""
    name = config.get("inter.broker.listener.name")
    if name is not None and "security.inter.broker.protocol" in config.static:
        raise StartupError(
            "inter.broker.listener.name and security.inter.broker.protocol say the same: take the second one out"
        )
    wanted = config.get_str("security.inter.broker.protocol") if name is None else str(name).upper()
    choices = [binding.listener for binding in bindings if binding.kind == BROKER and binding.is_advertised]
    if wanted not in choices:
        if name is not None or "process.roles" in config.static:
            raise StartupError(
                f"no listener {wanted} is advertised to other brokers: set inter.broker.listener.name to one of "
                f"{_list(choices)}"
            )
        wanted = choices[0]
    for binding in bindings:
        binding.is_inter_broker = binding.listener == wanted


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
