"""Puts proxies in front of every node of a cluster, to isolate nodes from each other and from clients."""

from __future__ import annotations

from kafkacompat.cluster.layout import address
from kafkacompat.cluster.nodes import check_node
from kafkacompat.cluster.proxy_process import ProxyError, ProxyProcess
from kafkacompat.control_api.faults.node_links import CLIENTS
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from kafkacompat.cluster.layout import Layout

    Faults: TypeAlias = dict[tuple[int | str, int | str], int | None]

PROXY_HOST = "127.0.0.1"


class Links:
    """The proxies of a cluster, in their own process. They take over the ports of the layout's nodes, which listen on
    other ports from then on. free_ports(count) finds ports.

    The proxies recognize connections of other nodes by their client ids.
    """

    def __init__(self, layout: Layout, free_ports: Callable[[int], list[int]]) -> None:
        if layout.host != PROXY_HOST:
            raise StartupError(f"isolation=True needs host={PROXY_HOST}, not {layout.host}")
        self._isolated: set[int] = set()
        self._refusing: set[int] = set()
        self._faults: Faults = {}
        self._names: dict[int, list[str]] = {}
        taken = {port for node in layout.nodes for port in (node.port, node.controller_port)}
        free = [port for port in free_ports(2 * len(layout.nodes) + len(taken)) if port not in taken]
        targets = {}
        for node in layout.nodes:
            node.behind = free.pop(), free.pop()
            ports = {"broker": (node.port, node.behind[0]), "controller": (node.controller_port, node.behind[1])}
            self._names[node.node_id] = []
            for role in node.roles:
                front, behind = ports[role]
                name = f"{role}-{node.node_id}"
                self._names[node.node_id].append(name)
                targets[name] = f"{address(PROXY_HOST, behind)}@{front}"
        try:
            self._proxies = ProxyProcess(targets)
        except ProxyError as error:
            raise StartupError(f"the proxies did not start: {error}") from None

    def isolate(self, node_id: int) -> None:
        """Isolate a node: hold all bytes to and from it."""
        check_node(node_id, list(self._names))
        self._isolated.add(node_id)
        self._apply()

    def add(self, faults: Mapping[tuple[int | str, int | str], int | None]) -> None:
        """Delay all bytes from one node to another by so many ms, or hold them (None), by (sender, receiver)."""
        self._faults.update(faults)
        self._apply()

    def heal(self, node_id: int | None) -> None:
        """End the isolation of one node or of all, and the faults of their links."""
        if node_id is not None:
            check_node(node_id, list(self._names))
        self._isolated = set() if node_id is None else self._isolated - {node_id}
        self._faults = {pair: each for pair, each in self._faults.items() if node_id not in (None, *pair)}
        self._apply()

    @property
    def faults(self) -> Faults:
        """The links that are cut (None) or slow (ms), by sender and receiver, those of isolated nodes included."""
        found, ends = dict(self._faults), list[int | str]([*self._names, CLIENTS])
        for node_id in self._isolated.copy():
            for other in ends:
                if other != node_id:
                    found[node_id, other] = found[other, node_id] = None
        return found

    def refuse(self, node_id: int) -> None:
        """Refuse connections to a node that has stopped."""
        self._refusing.add(node_id)
        self._apply()

    def open(self, node_id: int) -> None:
        """Accept connections to a node that starts again."""
        self._refusing.discard(node_id)
        self._apply()

    def open_all(self) -> None:
        """Accept connections to all nodes again."""
        self._refusing.clear()
        self._apply()

    def close(self) -> None:
        """End the proxies."""
        self._proxies.close()

    def _apply(self) -> None:
        """Set the faults of all proxies. `heal` ends all faults of a proxy, so those that remain are set again."""
        self._proxies.tell("*", "heal")
        for node_id, names in self._names.items():
            for name in names:
                if node_id in self._refusing:
                    self._proxies.tell(name, "refuse")
                elif node_id in self._isolated:
                    self._proxies.tell(name, "vanish")
                else:
                    for other in self._isolated:
                        self._proxies.tell(name, "hold", "both", other)
                    for (sender, receiver), delay_ms in self._faults.items():
                        fault = ("hold",) if delay_ms is None else ("delay", delay_ms)
                        if receiver == node_id:
                            self._proxies.tell(name, *fault, "to", sender)
                        elif sender == node_id:
                            self._proxies.tell(name, *fault, "from", receiver)
