"""What a running cluster consists of, for the classes from which `Cluster` inherits its verbs."""

from __future__ import annotations

import os

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, TypeVar

    from kafkacompat.cluster.faults import Faults
    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.cluster.layout import Layout
    from kafkacompat.cluster.links import Links
    from kafkacompat.cluster.nodes import Ask, Nodes
    from kafkacompat.server.broker_server import BrokerServer

    Result = TypeVar("Result")


POLL_S = 0.002
"""The pause before a condition is checked again."""


class RunningCluster:
    """The nodes of a cluster, and ways to reach them. `_layout` is None for a lone broker in this process."""

    def __init__(self) -> None:
        self._links: Links | None = None
        self._nodes: Nodes | None = None
        self._layout: Layout | None = None
        self._is_ready = False
        self._faults: Faults | None = None  # the rules of this run, made with the first one
        self._pid = os.getpid()

    @property
    def control_url(self) -> str:
        """http://host:port of the HTTP control API of all nodes, which starts when this is first read. With processes,
        this one answers, and asks the nodes; each of them has an own one, too: see `control_urls`.

        Raises KafkaCompatError if the cluster is not running.
        """
        return self._running().control_url()

    @property
    def control_urls(self) -> dict[int, str]:
        """http://host:port of the HTTP control API of each running node, by its id. In one process they are the same.

        Raises KafkaCompatError if the cluster is not running.
        """
        return self._running().control_urls()

    @property
    def _joined(self) -> JoinedProcesses | None:
        """The way to ask nodes in other processes; None if they run in this one. Raises KafkaCompatError."""
        return self._running().joined

    @property
    def _ask(self) -> Ask:
        """Asks the nodes, wherever they run. Raises KafkaCompatError if the cluster is not running."""
        return self._running().ask

    def _running(self) -> Nodes:
        if self._is_forked:
            raise KafkaCompatError(
                f"this cluster runs in process {self._pid}, and a fork of it has none of its threads: connect to "
                "bootstrap_servers that you read before the fork, or start the process with "
                'multiprocessing.get_context("spawn")'
            )
        if self._nodes is None or not self._is_ready:
            raise KafkaCompatError("this cluster is not running: use it in a with block, or call start()")
        return self._nodes

    @property
    def _is_forked(self) -> bool:
        """Whether this process is a fork of the one that started the cluster."""
        return self._nodes is not None and self._pid != os.getpid()

    def _broker_ids(self) -> list[int]:
        """The ids of all brokers, stopped ones included."""
        nodes = self._running()
        return [node.node_id for node in self._layout.brokers] if self._layout else nodes.node_ids()

    def _running_brokers(self) -> list[int]:
        """The ids of the brokers that run."""
        nodes = self._running()
        return [node_id for node_id in self._broker_ids() if nodes.pid(node_id) is not None]

    def _running_nodes(self) -> list[int]:
        """The ids of the nodes that run, controllers included."""
        nodes = self._running()
        return [node_id for node_id in nodes.node_ids() if nodes.pid(node_id) is not None]

    def _check_running(self, node_id: int) -> None:
        """Raises KafkaCompatError if there is no such node, or it does not run."""
        from kafkacompat.cluster.nodes import check_node, not_running

        nodes = self._running()
        check_node(node_id, nodes.node_ids())
        if nodes.pid(node_id) is None:
            raise not_running(node_id)

    def _await(self, is_done: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Wait until a condition holds. Raises KafkaCompatError with `what` after the time-out."""
        import time

        deadline_s = time.monotonic() + timeout_s
        while not is_done():
            if time.monotonic() > deadline_s:
                advice = "see the log, and whether a majority of the controllers runs"
                raise KafkaCompatError(f"{what} within {timeout_s:g} s: {advice}")
            time.sleep(POLL_S)

    def _call(self, node_id: int, operation: Callable[[BrokerServer], Result]) -> Result:
        """Call a function of `kafkacompat/control_api/` on the loop of a node and return its result. It must be short.

        Raises KafkaCompatError if the node is not running, or runs in a process of its own.
        """
        return self._running().call(node_id, operation)

    def _run_on_all(self, operation: Callable[[Sequence[BrokerServer]], Coroutine[Any, Any, Result]]) -> Result:
        """Run a coroutine function with all running nodes on their loop, and return its result.

        Raises KafkaCompatError if no node is running, or if they run in processes of their own.
        """
        return self._running().run_on_all(operation)
