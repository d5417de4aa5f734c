"""Runs the nodes of a cluster in this process, on one event loop in its own thread."""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import wait
from functools import partial

from kafkacompat.cluster.nodes import check_node, not_running
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import plan
from kafkacompat.server.former_brokers import former_brokers_are_gone
from kafkacompat.server.platform import Platform
from kafkacompat.server.settings import broker_config
from kafkacompat.server.thread import LoopThread
from kafkacompat.storage.held_fs import HeldFs, write_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Any, TypeVar

    from kafkacompat.cluster.layout import Layout
    from kafkacompat.config import BrokerConfig
    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.http.application import Application
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.server.control_listener import ControlListener
    from kafkacompat.server.filling import FormatAnew

    Result = TypeVar("Result")

log = logging.getLogger("kafkacompat.cluster")

WAKE_UP_S = 0.25
"""A signal just before a thread starts to wait does not wake it; it is noticed after at most this time."""
STOP_GRACE_S = 3.0
"""How long an interrupted operation may continue; a clean stop takes no longer."""
CANCEL_TIMEOUT_S = 10.0
"""How long a cancelled operation may take to end. It finishes opening a data directory first."""


class _Lone:
    """A single-node cluster. Its directory may be temporary, and its port may change with each start."""

    def __init__(
        self,
        config: BrokerConfig,
        host: str,
        port: int,
        data_dir: str | None,
        cluster_id: str | None,
        *,
        is_temporary: bool,
        log_dirs: Sequence[str] = (),
    ) -> None:
        self.node_id = config.get_int("node.id")
        self._log_dirs = log_dirs
        self._config = config
        self._host = host
        self._port = port
        self._data_dir = data_dir
        self._cluster_id = cluster_id
        self._is_temporary = is_temporary

    def server(self, before: BrokerServer | None, platform: Platform) -> BrokerServer:
        """A new server, not started. If `before` ran before it, it keeps the port and the data."""
        port, directory = (
            (self._port, self._data_dir) if before is None else (before.endpoints[0].port, before.data_dir)
        )
        return BrokerServer(
            self._config, plan(self._config, host=self._host, port=port), directory,
            is_temporary=self._is_temporary if before is None else before.is_temporary, platform=platform,
            cluster_id=self._cluster_id, log_dirs=self._log_dirs,
        )  # fmt: skip


class _Member:
    """One node of a cluster, as planned in the layout."""

    def __init__(self, layout: Layout, node_id: int, settings: Mapping[str, str], *, is_temporary: bool) -> None:
        node = layout.node(node_id)
        self.node_id = node_id
        self._config, _ = broker_config({**settings, **layout.settings(node)})
        self._log_dirs = node.log_dirs
        self._cluster_id = layout.cluster_id
        self._is_temporary = is_temporary

    def server(self, before: BrokerServer | None, platform: Platform) -> BrokerServer:  # noqa: ARG002 (as _Lone)
        """A new server, not started."""
        return BrokerServer(
            self._config, plan(self._config), self._log_dirs[0], cluster_id=self._cluster_id,
            is_temporary=self._is_temporary, keeps_data=True, platform=platform, log_dirs=self._log_dirs,
        )  # fmt: skip


class InProcess:
    """Implements `cluster.nodes.Nodes` on a thread. Without processes, nodes cannot be paused.

    stages: node ids in the order in which they are stopped; those of a stage are stopped together.
    """

    def __init__(self, members: list[_Lone] | list[_Member], stages: list[list[int]]) -> None:
        self._members: dict[int, _Lone | _Member] = {member.node_id: member for member in members}
        self._stages = stages
        self._new_member: Callable[[int], _Member] | None = None
        self._layout: Layout | None = None
        self._servers: dict[int, BrokerServer] = {}
        self._stopped: dict[int, BrokerServer] = {}
        self._ends: dict[int, asyncio.Task[None]] = {}  # the stops of nodes that failed
        self._thread: LoopThread | None = None
        self._platform = Platform()  # one clock for all nodes
        self._platform.temporary_files = HeldFs  # nobody reads them after this process
        self._control: ControlListener | None = None
        self.on_opened: list[Callable[[BrokerServer], None]] = []
        self.format_anew: FormatAnew | None = None
        self.is_restored = False
        """Whether the nodes start for the first time with the directories of a snapshot."""
        self.proxied_links: Callable[[], Faults] = dict
        self.verbs: NodeVerbs | None = None

    @classmethod
    def lone(
        cls,
        settings: Mapping[str, str],
        *,
        host: str,
        port: int,
        data_dir: str | None,
        cluster_id: str | None = None,
        is_temporary: bool = False,
        log_dirs: Sequence[str] = (),
    ) -> InProcess:
        """A single-node cluster. data_dir: of the metadata log. log_dirs: of all other logs; none for the same one.
        Raises KafkaCompatError.
        """
        config, warnings = broker_config(settings)
        for warning in warnings:
            log.warning("%s", warning)
        member = _Lone(config, host, port, data_dir, cluster_id, is_temporary=is_temporary, log_dirs=log_dirs)
        return cls([member], [[member.node_id]])

    @classmethod
    def of_layout(cls, layout: Layout, settings: Mapping[str, str], *, is_temporary: bool) -> InProcess:
        """A cluster of several nodes with formatted directories. Raises KafkaCompatError."""
        new_member = partial(_Member, layout, settings=settings, is_temporary=is_temporary)
        found = cls([new_member(node.node_id) for node in layout.nodes], layout.stop_stages())
        found._new_member, found._layout = new_member, layout
        return found

    def keep_in_memory(self, max_bytes: int) -> None:
        """The directories of the nodes are in memory, and may take so much each. Call it before the start."""
        self._platform.memory_max_bytes = max_bytes

    def move_clock(self, offset_ms: int) -> None:
        """Begin with a wall clock that is so far from the system's. Call it before the start."""
        self._platform.clock.move(offset_ms, 0)

    @property
    def sole_server(self) -> BrokerServer:
        """The server of a single-node cluster. Raises KafkaCompatError with the reason if it has stopped."""
        if not self._servers:
            raise self._not_running(next(iter(self._members)))
        (server,) = self._servers.values()
        return server

    # As Nodes

    def start(self) -> None:
        self._thread = LoopThread()
        try:
            self.run(self._start(list(self._members)), goes_on=False)
        except BaseException:
            self.stop()  # an interrupt may arrive after all have started
            raise

    def stop(self) -> None:
        if self._thread is None:
            return
        try:
            self.run(self._stop_all())
        finally:
            self._end_thread()

    def close(self) -> None:
        """Nothing is left."""

    def stop_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, list(self._members))
        self.run(self._stop(node_id, clean=clean))

    def restart_node(self, node_id: int, *, clean: bool) -> None:
        check_node(node_id, list(self._members))
        self.run(self._restart(node_id, clean=clean))

    def add_node(self, node_id: int) -> None:
        assert self._new_member is not None
        assert self._layout is not None
        self._members[node_id] = self._new_member(node_id)
        try:
            self.run(self._start([node_id]))
        except BaseException:
            del self._members[node_id]
            raise
        self._stages = self._layout.stop_stages()

    def remove_node(self, node_id: int) -> None:
        assert self._layout is not None
        self._stopped.pop(node_id, None)
        del self._members[node_id]
        self._stages = self._layout.stop_stages()

    def pause(self, node_id: int) -> None:
        check_node(node_id, list(self._members))
        raise KafkaCompatError("a broker in this process cannot be paused: create the cluster with processes=True")

    resume = pause

    def pid(self, node_id: int) -> int | None:
        """The id of this process if the node runs."""
        return os.getpid() if node_id in self._servers else None

    def node_ids(self) -> list[int]:
        return list(self._members)

    def write_data(self) -> None:
        from kafkacompat.storage.fs import RealFs

        self._platform.temporary_files = partial(RealFs, temporary=True, ends_with_process=True)
        if self._servers:
            self.run(self._write_held())

    async def _write_held(self) -> None:
        for node_id, server in self._servers.items():
            try:
                write_held(server.files, from_now_on=True)
            except OSError as error:
                raise KafkaCompatError(f"the data of node {node_id} cannot be written: {error}") from error

    def call(self, node_id: int, operation: Callable[[BrokerServer], Result]) -> Result:
        check_node(node_id, list(self._members))
        if node_id not in self._servers:
            raise self._not_running(node_id)
        result: list[Result] = []

        async def on_loop() -> None:
            server = self._servers[node_id]
            result.append(operation(server))
            server.after_event()

        self.run(on_loop())
        return result[0]

    def run_on_all(self, operation: Callable[[Sequence[BrokerServer]], Coroutine[Any, Any, Result]]) -> Result:
        if not self._servers:
            raise self._not_running(next(iter(self._members)))
        result: list[Result] = []

        async def on_loop() -> None:
            result.append(await operation(list(self._servers.values())))

        self.run(on_loop())
        return result[0]

    def ask(
        self,
        operation: str,
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
    ) -> Any:
        if not self._servers:
            raise self._not_running(next(iter(self._members)))
        result: list[Any] = []

        async def on_loop() -> None:
            from kafkacompat.control_api.http.turns import plain

            result.append(plain(await self._application().ask(operation, path or {}, query or {}, body)))

        self.run(on_loop())
        return result[0]

    @property
    def joined(self) -> None:
        """They are asked on their loop."""

    def control_url(self) -> str:
        if self._control is None:
            self.run(self._start_control())
        assert self._control is not None
        return self._control.url

    def control_urls(self) -> dict[int, str]:
        return dict.fromkeys(self._servers, self.control_url())

    async def _start_control(self) -> None:
        from kafkacompat.control_api.http.application import serve
        from kafkacompat.server.control_listener import DEFAULT_HOST, ControlListener, listen

        self._control = ControlListener(
            asyncio.get_running_loop(), listen(DEFAULT_HOST, 0), lambda: serve(self._application())
        )

    def _application(self) -> Application:
        from importlib import import_module

        from kafkacompat.control_api.http.access import Access
        from kafkacompat.control_api.http.application import Application

        version: str = import_module("kafkacompat").__version__
        return Application(lambda: self._servers, Access(), version, self.verbs)

    # On the thread

    def run(self, coroutine: Coroutine[Any, Any, object], *, goes_on: bool = True) -> object:
        """Run a coroutine on the loop of the nodes and wait for its end, also after an interrupt (Ctrl-C).

        goes_on: after an interrupt it may continue for STOP_GRACE_S before it is cancelled; else it is cancelled at
        once.
        """
        assert self._thread is not None
        loop = self._thread.loop
        given_up: asyncio.Future[None] = loop.create_future()
        call = self._thread.submit(_until(given_up, coroutine))
        try:
            while not wait([call], WAKE_UP_S).done:
                pass
            return call.result()
        except BaseException:
            if not call.done():
                try:
                    wait([call], STOP_GRACE_S if goes_on else 0.0)
                finally:  # also after a second Ctrl-C
                    loop.call_soon_threadsafe(given_up.set_result, None)
                    wait([call], CANCEL_TIMEOUT_S)
            raise

    async def _start(self, node_ids: list[int]) -> None:
        """Start nodes together, because a node may need others to become ready. After an error none of them runs."""
        servers = {
            node_id: self._members[node_id].server(self._stopped.get(node_id), self._platform) for node_id in node_ids
        }
        for node_id, server in servers.items():
            server.on_opened, server.format_anew = self.on_opened, self.format_anew
            server.proxied_links = self.proxied_links
            before = self._stopped.get(node_id)
            if self.is_restored and before is None:
                server.on_opened = [*self.on_opened, former_brokers_are_gone]
            server.seed = server.seed if before is None else before.seed
        tasks = [asyncio.ensure_future(server.start()) for server in servers.values()]
        try:
            await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            ready = [server for server, result in zip(servers.values(), results, strict=True) if result is None]
            await asyncio.gather(*(server.stop(clean=False) for server in ready))
            raise
        self._servers.update(servers)
        for node_id, server in servers.items():
            server.on_failure = partial(self._end, node_id, server)
            if server.failure is not None:  # it failed while it waited for others
                self._end(node_id, server)

    def _end(self, node_id: int, server: BrokerServer) -> None:
        """Stop a node that has failed, as a node in its own process stops."""
        if self._servers.get(node_id) is server:
            log.error("node %d stops: %s", node_id, server.failure)
            self._stopped[node_id] = self._servers.pop(node_id)
            self._ends[node_id] = asyncio.ensure_future(_stop(server))

    def _not_running(self, node_id: int) -> KafkaCompatError:
        """The error for a stopped node; for a single-node cluster with the failure that ended it."""
        before = self._stopped.get(node_id)
        if len(self._members) == 1 and before is not None and before.failure is not None:
            return KafkaCompatError(f"node {node_id} has stopped: {before.failure}")
        return not_running(node_id)

    async def _stop(self, node_id: int, *, clean: bool) -> None:
        if node_id not in self._servers:
            raise self._not_running(node_id)
        server = self._stopped[node_id] = self._servers.pop(node_id)
        await _stop(server, clean=clean)

    async def _stop_all(self) -> None:
        """Hand over on all brokers first, which needs the controllers. If cancelled, stop all nodes uncleanly."""
        servers, self._servers = self._servers, {}
        if self._control is not None:
            self._control.close()
            self._control = None
        try:
            await asyncio.gather(*self._ends.values(), *(server.hand_over() for server in servers.values()))
            for stage in self._stages:
                await asyncio.gather(*(servers[node_id].stop() for node_id in stage if node_id in servers))
        except asyncio.CancelledError:
            await asyncio.gather(*(server.stop(clean=False) for server in servers.values()))
        for server in self._stopped.values():
            server.remove_temporary()
        self._stopped.clear()
        self._ends.clear()

    async def _restart(self, node_id: int, *, clean: bool) -> None:
        if node_id in self._ends:
            await self._ends.pop(node_id)
        if node_id in self._servers:
            await self._stop(node_id, clean=clean)
        await self._start([node_id])
        self._stopped.pop(node_id, None)

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()


async def _until(given_up: asyncio.Future[None], coroutine: Coroutine[Any, Any, object]) -> object:
    """Run a coroutine; when `given_up` is set, cancel it and wait for its end."""
    task = asyncio.ensure_future(coroutine)
    await asyncio.wait((task, given_up), return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        task.cancel()
    return await task


async def _stop(server: BrokerServer, *, clean: bool = True) -> None:
    """Stop a node that may start again with its data."""
    await server.stop(clean=clean, keep_data=True)
    try:
        write_held(server.files)
    except OSError as error:
        log.warning("data in %s are lost: %s", server.data_dir, error.strerror or error)
