"""Runs the nodes of a cluster in their own processes, for a Python program."""

from __future__ import annotations

import logging
from functools import partial

from kafkacompat.cluster.half_reset import check_whole
from kafkacompat.cluster.nodes import check_node, not_running
from kafkacompat.cluster.prepare import ALLOW_FAULTS, OWN_CONTROL, RESTORED, node_command
from kafkacompat.cluster.supervisor import Supervisor, default_stop_timeout_s
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, TypeVar

    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.cluster.layout import Layout
    from kafkacompat.cluster.nodes import Ask
    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.control_api.joined.joined_state import Resets
    from kafkacompat.server.broker_server import BrokerServer

    Result = TypeVar("Result")

log = logging.getLogger("kafkacompat.cluster")

LOG_LEVEL = "warning"


class Processes:
    """Implements `cluster.nodes.Nodes` with child processes. Their log lines and deaths go to `kafkacompat.cluster`.

    resets: makes what a reset takes of this process, from the nodes of the start and what ends all nodes. Whoever has
    made the cluster may change it, also with a data_dir. proxied: see `JoinedLinks`. is_restored: see `InProcess`.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        is_temporary: bool,
        stop_timeout_s: float | None,
        resets: Callable[[list[int], Callable[[], None]], Resets],
        proxied: Callable[[], Faults] = dict,
        is_restored: bool = False,
    ) -> None:
        self._layout = layout
        self._proxied = proxied
        self._new_resets = resets
        self._ids = [node.node_id for node in layout.nodes]
        self._started_ids = list(self._ids)
        self._command = partial(
            node_command, layout, log_level=LOG_LEVEL, is_temporary=is_temporary, flags=(*OWN_CONTROL, ALLOW_FAULTS)
        )
        first_flags = [RESTORED] if is_restored else []
        commands = {node_id: [*self._command(node_id), *first_flags] for node_id in self._ids}
        self.on_opened: list[Callable[[BrokerServer], None]] = []  # of nodes in this process
        self._joined: JoinedProcesses | None = None
        self.verbs: NodeVerbs | None = None
        if stop_timeout_s is None:
            stop_timeout_s = default_stop_timeout_s(is_temporary=is_temporary)
        self._supervisor = Supervisor(
            commands, layout.stop_stages(),
            on_line=lambda node_id, line: log.warning("node %d: %s", node_id, line),
            on_death=lambda _, text: log.error("%s", text),
            on_wait=lambda text: log.info("stopping: %s", text),
            stop_timeout_s=stop_timeout_s,
        )  # fmt: skip

    def start(self) -> None:
        check_whole(self._layout)
        self._supervisor.start()
        for node_id in self._ids:
            self._has_started(node_id)
            self._supervisor.add(node_id, self._command(node_id), self._layout.stop_stages())  # for later starts

    def stop(self) -> None:
        if self._joined is not None:
            self._joined.node_stops()
        try:
            killed = self._supervisor.stop()
        except BaseException:  # a second Ctrl-C: nothing waits for them any more
            self._supervisor.kill_all()
            raise
        for text in killed.values():
            log.error("%s", text)

    def close(self) -> None:
        if self._joined is not None:
            self._joined.close()

    def stop_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, self._ids)
        if not self._supervisor.is_running(node_id):
            raise not_running(node_id)
        if self._joined is not None:
            self._joined.node_stops()
        if not clean:
            self._supervisor.kill(node_id)
        elif killed := self._supervisor.stop_node(node_id):
            log.error("%s", killed)

    def restart_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, self._ids)
        if self._supervisor.is_running(node_id):
            self.stop_node(node_id, clean=clean)
        check_whole(self._layout)
        self._supervisor.start([node_id])
        self._has_started(node_id)

    def add_node(self, node_id: int) -> None:
        self._supervisor.add(node_id, self._command(node_id), self._layout.stop_stages())
        try:
            self._supervisor.start([node_id])
        except BaseException:
            self._supervisor.remove(node_id, self._layout.stop_stages())
            raise
        self._has_started(node_id)
        self._ids = [node.node_id for node in self._layout.nodes]

    def remove_node(self, node_id: int) -> None:
        self._supervisor.remove(node_id, self._layout.stop_stages())
        self._ids = [node.node_id for node in self._layout.nodes]

    def pause(self, node_id: int) -> None:
        check_node(node_id, self._ids)
        self._supervisor.pause(node_id)

    def resume(self, node_id: int) -> None:
        check_node(node_id, self._ids)
        self._supervisor.resume(node_id)
        self._has_started(node_id)

    def pid(self, node_id: int) -> int | None:
        return self._supervisor.pid(node_id)

    def node_ids(self) -> list[int]:
        return list(self._ids)

    def write_data(self) -> None:
        """They hold nothing back."""

    def call(self, node_id: int, operation: Callable[[BrokerServer], Result]) -> Result:  # noqa: ARG002 (as Nodes)
        check_node(node_id, self._ids)
        raise KafkaCompatError(f"node {node_id} runs in a process of its own: this needs brokers in this process")

    def run_on_all(self, operation: Callable[[Sequence[BrokerServer]], Coroutine[Any, Any, Result]]) -> Result:  # noqa: ARG002 (as Nodes)
        raise KafkaCompatError("each node runs in a process of its own: this needs brokers in this process")

    @property
    def joined(self) -> JoinedProcesses:
        if self._joined is None:
            from importlib import import_module

            from kafkacompat.cluster.joined_processes import JoinedProcesses

            version: str = import_module("kafkacompat").__version__
            self._joined = JoinedProcesses(
                self._supervisor.answering_urls, self._supervisor.fallen, version, verbs=self.verbs,
                resets=self._new_resets(self._started_ids, self._supervisor.end_all), proxied=self._proxied,
            )  # fmt: skip
        return self._joined

    @property
    def ask(self) -> Ask:
        return self.joined.ask

    def control_url(self) -> str:
        return self.joined.listen()

    def control_urls(self) -> dict[int, str]:
        urls = {node_id: self._supervisor.control_url(node_id) for node_id in self._ids}
        return {node_id: url for node_id, url in urls.items() if url is not None}

    def _has_started(self, node_id: int) -> None:
        """Give a node that has started, or was paused, what the others have."""
        if self._joined is not None and node_id in self._supervisor.answering_urls():
            self._joined.node_started(node_id)
