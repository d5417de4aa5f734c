"""Plans the nodes of a local cluster with their ports and directories, and keeps the plan for later starts.

A cluster's directory holds `cluster.json` with ids, roles and ports, a directory `node-<id>` with the data of each
node, and a `node-<id>.properties`, a server.properties file with which the node can also be started by hand.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from kafkacompat.cluster.log_dirs import LOG_DIRS_MAX, log_dirs_of
from kafkacompat.errors import StartupError
from kafkacompat.server.ports import bind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from kafkacompat.server.ports import PortFinder

FILE_NAME = "cluster.json"
HALF_RESET_FILE = "reset-in-progress"
"""It is there while a reset of nodes in processes is half done, see `half_reset.py`."""
FILE_VERSION = 1
LOG_DIRS_VERSION = 2
"""The version of the file where brokers have several log directories: earlier versions would begin anew."""
CLIENT_LISTENER = "PLAINTEXT"
CONTROLLER_LISTENER = "CONTROLLER"
LISTENERS = (CLIENT_LISTENER, CONTROLLER_LISTENER)
FIRST_CONTROLLER_ID = 1001
"""The first id of dedicated controllers, far above the brokers' ids, so that brokers can be added."""
VOTERS_MAX = 5
"""With five voters two may fail; more would only make every change slower."""
SETTLED = frozenset((
    "advertised.listeners", "broker.id", "controller.listener.names", "controller.quorum.bootstrap.servers",
    "controller.quorum.voters", "inter.broker.listener.name", "listener.security.protocol.map", "listeners", "log.dir",
    "log.dirs", "metadata.log.dir", "node.id", "process.roles", "security.inter.broker.protocol",
))  # fmt: skip
"""Settings that follow from the layout and must not be set otherwise."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound)


class Node:
    """One node of a cluster. `port` is 0 without the broker role, `controller_port` without the controller role.

    Others connect to these ports. With proxies, these are the proxies' ports, and the node listens on the two in
    `behind`. `log_dir_count`: of a broker; a dedicated controller has one.
    """

    __slots__ = ("behind", "controller_port", "data_dir", "log_dir_count", "node_id", "port", "rack")

    def __init__(self, node_id: int, data_dir: str, port: int, controller_port: int, rack: str | None = None) -> None:
        self.node_id = node_id
        self.log_dir_count = 1
        self.data_dir = data_dir
        self.port = port
        self.controller_port = controller_port
        self.rack = rack
        self.behind: tuple[int, int] | None = None

    @property
    def is_broker(self) -> bool:
        """Whether it has the broker role."""
        return self.port != 0

    @property
    def is_controller(self) -> bool:
        """Whether it has the controller role, and votes in the metadata quorum."""
        return self.controller_port != 0

    @property
    def roles(self) -> list[str]:
        """As in process.roles."""
        return ["broker"] * self.is_broker + ["controller"] * self.is_controller

    @property
    def log_dirs(self) -> tuple[str, ...]:
        """Its log directories, that of the metadata log first."""
        return log_dirs_of(self.data_dir, self.log_dir_count)

    @property
    def properties_file(self) -> str:
        """Its server.properties, beside its data."""
        return f"{self.data_dir}.properties"


class Layout:
    """The nodes of a cluster, brokers first. Brokers listen on `host`; `cluster_id` is empty until the directories are
    formatted.
    """

    __slots__ = ("advertised_host", "cluster_id", "directory", "host", "nodes")

    def __init__(
        self, directory: str, host: str, advertised_host: str | None, nodes: Sequence[Node], cluster_id: str = ""
    ) -> None:
        self.directory = directory
        self.cluster_id = cluster_id
        self.host = host
        self.advertised_host = advertised_host or ("localhost" if host in _ANYWHERE else host)
        self.nodes = list(nodes)

    @property
    def brokers(self) -> list[Node]:
        """The nodes with the broker role."""
        return [node for node in self.nodes if node.is_broker]

    @property
    def controllers(self) -> list[Node]:
        """The nodes with the controller role."""
        return [node for node in self.nodes if node.is_controller]

    def node(self, node_id: int) -> Node:
        """The node with this id."""
        return next(node for node in self.nodes if node.node_id == node_id)

    @property
    def controller_host(self) -> str:
        """The host of controller listeners: always a loopback address, as all nodes are on this computer."""
        return self.host if self.host in _LOOPBACK else "localhost"

    @property
    def bootstrap_servers(self) -> str:
        """host:port of every broker."""
        return ",".join(self.address(node) for node in self.brokers)

    def address(self, node: Node) -> str:
        """The advertised address of a broker, host:port."""
        return address(self.advertised_host, node.port)

    @property
    def ports(self) -> list[int]:
        """The ports of all nodes, for clients and for controllers."""
        return [port for node in self.nodes for port in (node.port, node.controller_port) if port]

    def hold_ports(self, finder: PortFinder) -> None:
        """Hold the ports of an earlier start, too, so that no search finds them before the nodes have them."""
        if sys.platform == "linux":
            for port in self.ports:
                with suppress(StartupError):  # its user stays, and the node says so
                    finder.held += bind(self.host, port)

    def add_broker(self, port: int, racks: Sequence[str]) -> Node:
        """Add a broker that does not vote, with the next id."""
        node_id = max(node.node_id for node in self.brokers) + 1
        rack = racks[len(self.brokers) % len(racks)] if racks else None
        node = Node(node_id, _data_dir(self.directory, node_id), port, 0, rack)
        node.log_dir_count = self.brokers[0].log_dir_count
        self.nodes.insert(len(self.brokers), node)
        return node

    def remove(self, node: Node) -> None:
        """Remove a node that does not vote."""
        self.nodes.remove(node)

    def stop_stages(self) -> list[list[int]]:
        """Node ids in the order in which they are stopped: brokers first, then dedicated controllers."""
        stages = [
            [node.node_id for node in self.nodes if node.is_broker],
            [node.node_id for node in self.nodes if not node.is_broker],
        ]
        return [stage for stage in stages if stage]

    def settings(self, node: Node) -> dict[str, str]:
        """The settings of one node, by Kafka's names."""
        listeners, advertised = [], []
        port, controller_port = node.behind or (node.port, node.controller_port)
        if node.is_broker:
            listeners.append(f"{CLIENT_LISTENER}://{address(self.host, port)}")
            advertised.append(f"{CLIENT_LISTENER}://{self.address(node)}")
        if node.is_controller:
            listeners.append(f"{CONTROLLER_LISTENER}://{address(self.controller_host, controller_port)}")
            advertised.append(f"{CONTROLLER_LISTENER}://{address(self.controller_host, node.controller_port)}")
        voters = (address(self.controller_host, voter.controller_port) for voter in self.controllers)
        settings = {
            "process.roles": ",".join(node.roles),
            "node.id": str(node.node_id),
            "controller.quorum.bootstrap.servers": ",".join(voters),
            "listeners": ",".join(listeners),
            "advertised.listeners": ",".join(advertised),
            "controller.listener.names": CONTROLLER_LISTENER,
            "listener.security.protocol.map": f"{CLIENT_LISTENER}:PLAINTEXT,{CONTROLLER_LISTENER}:PLAINTEXT",
            "log.dirs": ",".join(node.log_dirs),
        }
        if node.rack is not None:
            settings["broker.rack"] = node.rack
        return settings

    def save(self) -> None:
        """Write cluster.json for the next start. Raises StartupError if the directory cannot be written."""
        nodes: list[dict[str, Any]] = [
            {"id": node.node_id, "roles": node.roles, "port": node.port, "controller_port": node.controller_port}
            for node in self.nodes
        ]
        log_dirs = self.brokers[0].log_dir_count
        if log_dirs > 1:
            for node, entry in zip(self.nodes, nodes, strict=True):
                entry["log_dirs"] = node.log_dir_count
        version = FILE_VERSION if log_dirs == 1 else LOG_DIRS_VERSION
        text = json.dumps({"version": version, "cluster_id": self.cluster_id, "nodes": nodes}, indent=1) + "\n"
        write_file(f"{self.directory}/{FILE_NAME}", text)


def is_cluster(directory: str) -> bool:
    """Whether the directory holds a cluster of several nodes."""
    return os.path.exists(f"{directory}/{FILE_NAME}")  # noqa: PTH110 (pathlib costs start-up time)


def plan(
    directory: str,
    *,
    brokers: int | None,
    controllers: int | None,
    host: str,
    port: int | None,
    free_ports: Callable[[int], list[int]],
    advertised_host: str | None = None,
    racks: Sequence[str] = (),
    log_dirs: int | None = None,
) -> Layout:
    """The cluster that is kept in `directory`, with brokers added if more are requested; or a new cluster.

    brokers, controllers: the numbers of nodes; with controllers=0 brokers are the controllers; None keeps the number.
    port: the port of the first broker, the others have the ports after it; None or 0 keeps the ports, or finds free
    ones. free_ports(count) finds ports. racks: the racks of the brokers, assigned round robin. log_dirs: the number of
    log directories of each broker; None keeps it.

    Raises StartupError with one line if the directory holds something else.
    """
    cluster_id, nodes = _load(directory)
    kept_log_dirs = nodes[0].log_dir_count if nodes else None
    if not nodes:
        nodes = _new_nodes(directory, brokers or 1, controllers or 0)
    else:
        _check_shape(directory, nodes, brokers, controllers)
        nodes = _grown(directory, nodes, brokers or 0)
    layout = Layout(directory, host, advertised_host, nodes, cluster_id)
    _settle_ports(layout, port or 0, free_ports)
    _settle_log_dirs(layout, kept_log_dirs, log_dirs)
    for number, node in enumerate(layout.brokers):
        node.rack = racks[number % len(racks)] if racks else None
    return layout


def _settle_log_dirs(layout: Layout, kept: int | None, log_dirs: int | None) -> None:
    """kept: the number at the last start; None for a new cluster. Whether it fits what is on disk is checked by
    `prepare`, after a reset that is half done. Raises StartupError for a number that does not fit that of the last
    start.
    """
    count = log_dirs or kept or 1
    if kept is not None and (count < kept or 1 == kept < count):
        raise StartupError(
            f"the brokers in {layout.directory} have {kept} log director{'y' if kept == 1 else 'ies'} each: give "
            f"log_dirs={kept}{'' if kept == 1 else ' or more'}, or choose another directory"
        )
    for node in layout.brokers:
        node.log_dir_count = count


_TO_BE_FOUND = -1


def _new_nodes(directory: str, brokers: int, controllers: int) -> list[Node]:
    if os.path.exists(f"{directory}/meta.properties"):  # noqa: PTH110
        raise StartupError(
            f"{directory} holds the data of one broker, not of a cluster: leave --brokers out, or choose another "
            "directory with --data-dir"
        )
    voters = 0 if controllers else voter_count(brokers)
    broker_ids, controller_ids = range(1, brokers + 1), range(FIRST_CONTROLLER_ID, FIRST_CONTROLLER_ID + controllers)
    found = _TO_BE_FOUND
    nodes = [Node(id_, _data_dir(directory, id_), found, found if id_ <= voters else 0) for id_ in broker_ids]
    return nodes + [Node(id_, _data_dir(directory, id_), 0, found) for id_ in controller_ids]


def voter_count(brokers: int) -> int:
    """How many of the brokers are voters: an odd number, because an even one tolerates no more failures."""
    return min(brokers - 1 + brokers % 2, VOTERS_MAX)


def _check_shape(directory: str, nodes: Sequence[Node], brokers: int | None, controllers: int | None) -> None:
    found = sum(node.is_broker for node in nodes)
    if brokers is not None and brokers < found:
        raise StartupError(
            f"{directory} holds a cluster of {found} brokers: start it with --brokers {found} or more, or choose "
            "another directory with --data-dir"
        )
    found = sum(not node.is_broker for node in nodes)
    if controllers is not None and controllers != found:
        raise StartupError(
            f"{directory} holds a cluster with {found} dedicated controllers: start it with --controllers {found}, or "
            "choose another directory with --data-dir"
        )


def _grown(directory: str, nodes: list[Node], brokers: int) -> list[Node]:
    """The nodes with brokers added, which do not vote."""
    present = [node for node in nodes if node.is_broker]
    first = max(node.node_id for node in present) + 1  # a broker may have been removed
    ids = range(first, first + brokers - len(present))
    added = [Node(id_, _data_dir(directory, id_), _TO_BE_FOUND, 0) for id_ in ids]
    return present + added + [node for node in nodes if not node.is_broker]


def _settle_ports(layout: Layout, port: int, free_ports: Callable[[int], list[int]]) -> None:
    if port:
        for number, node in enumerate(layout.brokers):
            node.port = port + number
    wanting = [
        (node, name) for node in layout.nodes for name in ("port", "controller_port")
        if getattr(node, name) == _TO_BE_FOUND
    ]  # fmt: skip
    taken = {getattr(node, name) for node in layout.nodes for name in ("port", "controller_port")}
    found = [number for number in free_ports(len(wanting) + len(taken)) if number not in taken]
    for (node, name), number in zip(wanting, found, strict=False):
        setattr(node, name, number)
    highest = max(node.port for node in layout.brokers)
    if highest > 65_535:
        raise StartupError(f"--port {port}: the last broker would listen at {highest}; choose a lower port")


def _load(directory: str) -> tuple[str, list[Node]]:
    """The kept cluster id and nodes; no nodes for a new directory."""
    path = f"{directory}/{FILE_NAME}"
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            kept = json.load(file)
    except FileNotFoundError:
        return "", []
    except OSError as error:
        raise StartupError(f"{path} cannot be read ({error.strerror}): choose another directory") from None
    except ValueError as error:
        raise StartupError(f"{path} is damaged ({error}): restore it, or choose another directory") from None
    try:
        if kept["version"] not in (FILE_VERSION, LOG_DIRS_VERSION):
            raise StartupError(f"{path} was written by a newer version of kafkacompat: use that version")
        return str(kept["cluster_id"]), [_node(directory, entry) for entry in kept["nodes"]]
    except (KeyError, TypeError, ValueError) as error:
        raise StartupError(f"{path} is damaged ({error!r}): restore it, or choose another directory") from None


def _node(directory: str, entry: Mapping[str, Any]) -> Node:
    node = Node(
        int(entry["id"]), _data_dir(directory, int(entry["id"])), int(entry["port"]), int(entry["controller_port"])
    )
    node.log_dir_count = int(entry.get("log_dirs", 1))
    if not (
        0 < node.log_dir_count <= LOG_DIRS_MAX
        and node.roles
        and node.roles == entry["roles"]
        and node.port >= 0
        and node.controller_port >= 0
    ):
        raise ValueError(f"node {node.node_id} has no role, or ports that do not fit its roles, or no log directories")
    return node


def _data_dir(directory: str, node_id: int) -> str:
    return f"{directory}/node-{node_id}"


def address(host: str, port: int) -> str:
    """host:port, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def write_file(path: str, text: str) -> None:
    """Write a file atomically, by a rename. Raises StartupError."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="latin-1") as file:  # noqa: PTH123
            file.write(text)
        os.replace(beside, path)  # noqa: PTH105
    except OSError as error:
        raise StartupError(f"{path} cannot be written: {error.strerror}") from None
