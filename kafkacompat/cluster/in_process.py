"""The nodes of a cluster in this process: servers on one loop, on a thread of its own."""

from __future__ import annotations

import asyncio
import os

from kafkacompat.cluster.nodes import check_node, not_running
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.endpoints import plan
from kafkacompat.server.runtime import BrokerServer
from kafkacompat.server.settings import broker_config
from kafkacompat.server.thread import LoopThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.cluster.layout import Layout
    from kafkacompat.config import BrokerConfig


class _Lone:
    """One broker, a cluster of itself: its directory may be temporary, its port found anew at each start."""

    def __init__(self, config: BrokerConfig, host: str, port: int, data_dir: str | None) -> None:
        self.node_id = config.get_int("node.id")
        self._config = config
        self._host = host
        self._port = port
        self._data_dir = data_dir

    def server(self, before: BrokerServer | None) -> BrokerServer:
        """One that is not started; `before` ran in its place, which keeps port and data."""
        if before is None:
            return BrokerServer(self._config, plan(self._config, host=self._host, port=self._port), self._data_dir)
        bindings = plan(self._config, host=self._host, port=before.endpoints[0].port)
        return BrokerServer(self._config, bindings, before.data_dir, is_temporary=before.is_temporary)


class _Member:
    """One node of several, as the layout has it."""

    def __init__(self, layout: Layout, node_id: int, settings: Mapping[str, str], *, is_temporary: bool) -> None:
        node = layout.node(node_id)
        self.node_id = node_id
        self._config, _ = broker_config({**settings, **layout.settings(node)})
        self._data_dir = node.data_dir
        self._cluster_id = layout.cluster_id
        self._is_temporary = is_temporary

    def server(self, before: BrokerServer | None) -> BrokerServer:  # noqa: ARG002 (as _Lone)
        """One that is not started."""
        return BrokerServer(
            self._config, plan(self._config), self._data_dir, cluster_id=self._cluster_id,
            is_temporary=self._is_temporary, keeps_data=True,
        )  # fmt: skip


class InProcess:
    """`cluster.nodes.Nodes` on a thread: no process is started, and none can be killed or paused.

    stages: ids in the order in which nodes are stopped, those of a stage at once.
    """

    def __init__(self, members: list[_Lone] | list[_Member], stages: list[list[int]]) -> None:
        self._members: dict[int, _Lone | _Member] = {member.node_id: member for member in members}
        self._stages = stages
        self._servers: dict[int, BrokerServer] = {}
        self._stopped: dict[int, BrokerServer] = {}
        self._thread: LoopThread | None = None

    @classmethod
    def lone(cls, settings: Mapping[str, str], *, host: str, port: int, data_dir: str | None) -> InProcess:
        """One broker that is a cluster of itself. Raises KafkaCompatError."""
        config, _ = broker_config(settings)
        member = _Lone(config, host, port, data_dir)
        return cls([member], [[member.node_id]])

    @classmethod
    def of_layout(cls, layout: Layout, settings: Mapping[str, str], *, is_temporary: bool) -> InProcess:
        """Several nodes, whose directories are formatted. Raises KafkaCompatError."""
        members = [_Member(layout, node.node_id, settings, is_temporary=is_temporary) for node in layout.nodes]
        return cls(members, layout.stop_stages())

    @property
    def sole_server(self) -> BrokerServer:
        """The server of a broker that is a cluster of itself."""
        if not self._servers:
            raise not_running(next(iter(self._members)))
        (server,) = self._servers.values()
        return server

    # As Nodes

    def start(self) -> None:
        self._thread = LoopThread()
        try:
            self.run(self._start(list(self._members)))
        except BaseException:
            self._end_thread()
            raise

    def stop(self) -> None:
        if self._thread is None:
            return
        try:
            self.run(self._stop_all())
        finally:
            self._end_thread()

    def stop_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, list(self._members))
        if node_id not in self._servers:
            raise not_running(node_id)
        self.run(self._stop(node_id, clean=clean))

    def restart_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, list(self._members))
        self.run(self._restart(node_id, clean=clean))

    def pause(self, node_id: int) -> None:
        check_node(node_id, list(self._members))
        raise KafkaCompatError("a broker in this process cannot be paused: make the cluster with processes=True")

    resume = pause

    def pid(self, node_id: int) -> int | None:
        """This process, while the node runs."""
        return os.getpid() if node_id in self._servers else None

    # On the thread

    def run(self, coroutine: object) -> object:
        """Run a coroutine on the loop of the nodes, and wait for its end."""
        assert self._thread is not None
        return self._thread.submit(coroutine).result()  # type: ignore[arg-type]

    async def _start(self, node_ids: list[int]) -> None:
        """Start nodes at once: each may need others to be ready."""
        servers = {node_id: self._members[node_id].server(self._stopped.get(node_id)) for node_id in node_ids}
        tasks = {node_id: asyncio.ensure_future(server.start()) for node_id, server in servers.items()}
        try:
            await asyncio.wait(tasks.values(), return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        failed = [task for task in tasks.values() if not task.cancelled() and task.exception() is not None]
        if failed:
            ready = [servers[node_id] for node_id, task in tasks.items() if not task.cancelled() and task not in failed]
            await asyncio.gather(*(server.stop(clean=False) for server in ready))
            failed[0].result()
        self._servers.update(servers)

    async def _stop(self, node_id: int, *, clean: bool) -> None:
        server = self._stopped[node_id] = self._servers.pop(node_id)
        await server.stop(clean=clean, keep_data=True)

    async def _stop_all(self) -> None:
        """Let go of all brokers first: the controllers are needed for that."""
        await asyncio.gather(*(server.hand_over() for server in self._servers.values()))
        for stage in self._stages:
            servers = [self._servers.pop(node_id) for node_id in stage if node_id in self._servers]
            await asyncio.gather(*(server.stop() for server in servers))
        for server in self._stopped.values():
            server.remove_temporary()
        self._stopped.clear()

    async def _restart(self, node_id: int, *, clean: bool) -> None:
        if node_id in self._servers:
            await self._stop(node_id, clean=clean)
        await self._start([node_id])
        self._stopped.pop(node_id, None)

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()
