"""A broker with everything around it that touches the world: sockets, clocks, timers, sync thread, directory."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from functools import partial

from kafkacompat.errors import StartupError
from kafkacompat.server import descriptors
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.connections import Connections
from kafkacompat.server.limits import Limits
from kafkacompat.server.listener import Listener, bind, close_all
from kafkacompat.server.worker import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.server.endpoints import Binding

log = logging.getLogger(__name__)

LAST_BYTES_TIMEOUT_S = 0.3
"""How long a clean stop waits for peers to take what is already on its way."""


class BrokerServer:
    """One broker on the running loop. `start` returns when clients can work; `stop` leaves nothing behind.

    data_dir: None for a temporary one.
    is_temporary: data_dir is temporary as well: never synced, and removed at the end.
    open_broker: `Broker.open`, or a test's stand-in.
    """

    def __init__(
        self,
        config: BrokerConfig,
        bindings: list[Binding],
        data_dir: str | None = None,
        *,
        is_temporary: bool = False,
        cluster_id: str | None = None,
        clock: SystemClock | None = None,
        open_broker: Callable[..., Broker] | None = None,
    ) -> None:
        self.config = config
        self.endpoints: list[Endpoint] = []  # as clients are told, once started
        self._bindings = bindings
        self.is_temporary = is_temporary or data_dir is None
        self.data_dir = data_dir or ""
        self._cluster_id = cluster_id
        self._clock = clock or SystemClock()
        self._open_broker = open_broker
        self._listeners: list[Listener] = []
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0
        self._is_syncing = False
        self._is_stopping = False

    @property
    def bootstrap_servers(self) -> str:
        """host:port of the first listener."""
        return self.endpoints[0].address

    # Start and stop

    async def start(self) -> None:
        """Bind, recover, listen. Raises StartupError with one line for the user; nothing is left behind then."""
        self._loop = asyncio.get_running_loop()
        limits = Limits(self.config)
        bound = self._bind()
        try:
            capacity = descriptors.connection_capacity(descriptors.raise_limit())
            if not self.data_dir:
                self.data_dir = _temporary_directory()
            self.broker = self._open()
        except BaseException:
            close_all(sock for sockets in bound for sock in sockets)
            self.remove_temporary()
            raise
        self._worker = Worker(self._loop, "kafkacompat-sync")
        self.connections = Connections(
            loop=self._loop, clock=self._clock, limits=limits, capacity=capacity,
            dispatch=self.broker.dispatch, disconnected=self._disconnected, turn_ended=self.turn_ended,
        )  # fmt: skip
        self.connections.on_room = self._accept_on
        self._listeners = [
            Listener(endpoint.name, sockets, limits.listen_backlog)
            for endpoint, sockets in zip(self.endpoints, bound, strict=True)
        ]
        try:
            for listener in self._listeners:
                listener.start(self.connections)
        except BaseException:
            await self.stop(clean=False)
            raise
        self.turn_ended()

    async def stop(self, *, clean: bool = True, keep_data: bool = False) -> None:
        """Close everything, and remove a temporary directory unless a next broker takes it over.

        Unclean is what a crash leaves: nothing is flushed and no marker is written.
        """
        if self._is_stopping:
            return
        self._is_stopping = True
        for listener in self._listeners:
            await listener.close()
        self._worker.stop()
        await asyncio.sleep(0)  # what the worker reported last
        if self._timer is not None:
            self._timer.cancel()
        self.connections.stop_sweeping()
        try:
            self.broker.close(self._clock.now(), clean=clean)
        finally:
            self.connections.close_all(abort=not clean)
            await self._wait_for_connections()
            if not keep_data:
                self.remove_temporary()

    async def _wait_for_connections(self) -> None:
        deadline = self._loop.time() + LAST_BYTES_TIMEOUT_S
        while len(self.connections) and self._loop.time() < deadline:
            await asyncio.sleep(0.005)
        self.connections.close_all(abort=True)
        while len(self.connections) and self._loop.time() < deadline + LAST_BYTES_TIMEOUT_S:
            await asyncio.sleep(0.001)

    def _bind(self) -> list[list[socket.socket]]:
        bound: list[list[socket.socket]] = []
        try:
            bound.extend(bind(binding.bind_host, binding.bind_port) for binding in self._bindings)
        except BaseException:
            close_all(sock for sockets in bound for sock in sockets)
            raise
        self.endpoints = [
            binding.endpoint(sockets[0].getsockname()[1])
            for binding, sockets in zip(self._bindings, bound, strict=True)
        ]
        return bound

    def _open(self) -> Broker:
        from kafkacompat.storage.fs import RealFs

        if self._open_broker is None:
            from kafkacompat.broker.broker import Broker

            self._open_broker = Broker.open
        try:
            return self._open_broker(
                config=self.config, fs=RealFs(temporary=self.is_temporary), data_dir=self.data_dir,
                endpoints=self.endpoints, cluster_id=self._cluster_id, now=self._clock.now(),
                rng=random.Random(os.urandom(16)),
            )  # fmt: skip
        except OSError as error:
            raise StartupError(f"data directory {self.data_dir}: {error.strerror or error}") from error

    def remove_temporary(self) -> None:
        """Remove the data directory if it is a temporary one."""
        if self.is_temporary and self.data_dir:
            import shutil

            shutil.rmtree(self.data_dir, ignore_errors=True)

    def now(self) -> Now:
        """This moment, by the clock of this broker."""
        return self._clock.now()

    # Events

    def _accept_on(self) -> None:
        if not self._is_stopping:
            for listener in self._listeners:
                listener.accept_on()

    def _disconnected(self, connection: object, now: Now) -> None:
        if not self._is_stopping:
            self.broker.disconnected(connection, now)  # type: ignore[arg-type]

    def turn_ended(self) -> None:
        """After every event: is there an earlier deadline, is there something to sync?"""
        if self._is_stopping:
            return
        deadline_ms = self.broker.timers.next_deadline_ms()
        if deadline_ms is not None and (self._timer is None or deadline_ms < self._timer_ms):
            self._arm(deadline_ms)
        if not self._is_syncing:
            job = self.broker.flusher.take()
            if job is not None:
                self._is_syncing = True
                self._worker.submit(job.run, partial(self._synced, job))

    def _arm(self, deadline_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = deadline_ms
        delay_ms = deadline_ms - self._clock.now().monotonic_ms
        self._timer = self._loop.call_later(max(0, delay_ms) / 1000, self._fire)

    def _fire(self) -> None:
        self._timer = None
        try:
            self.broker.timers.run(self._clock.now())
        except Exception:
            log.exception("a bug: a timer failed")
        self.turn_ended()

    def _synced(self, job: object, error: OSError | None) -> None:
        self._is_syncing = False
        try:
            self.broker.flusher.finish(job, error, self._clock.now())  # type: ignore[arg-type]
        except Exception:
            log.exception("a bug: the end of a sync was not handled")
        self.turn_ended()


def _temporary_directory() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="kafkacompat-")
