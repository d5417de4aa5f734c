"""Replaces the broker of a node by a new one in an empty directory, while its clients stay connected."""

from __future__ import annotations

import asyncio
from functools import partial

from kafkacompat.errors import StartupError
from kafkacompat.server.discarded import DiscardedDirectories, empty
from kafkacompat.server.former_brokers import former_brokers_are_gone
from kafkacompat.server.held_requests import HeldRequests
from kafkacompat.storage.background import WORK_CLASSES
from kafkacompat.storage.held_fs import forget_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer

BACKGROUND_POLL_S = 0.002
"""How often it is checked whether background work has ended."""


class BrokerReset:
    """One reset of one node: `drop`, `renew`, `serve_connections`."""

    def __init__(self, server: BrokerServer) -> None:
        self._server = server
        self._held: HeldRequests | None = None

    async def drop(self) -> None:
        """Close the broker as in a crash, and empty its directory.

        Connections stay. Waiting requests are answered as at their deadlines; later ones wait for `serve_connections`.
        Raises StartupError; the node has failed then.
        """
        server = self._server
        discarded = server.discarded
        if discarded is None:
            worker = partial(server.platform.worker, asyncio.get_running_loop(), "kafkacompat-discard")
            discarded = server.discarded = DiscardedDirectories(worker)
        await discarded.room()
        background = server.broker.background
        for work_class in WORK_CLASSES:
            background.refuse(work_class)
        server.stop_long_work()
        while background.is_busy:
            await asyncio.sleep(BACKGROUND_POLL_S)
        broker = await server.detach_broker()
        now = server.now()
        for connection in list(server.connections.states()):
            for pending in list(connection.waiting):
                broker.purgatory.expire(pending, now)
        self._held = HeldRequests(server.connections)
        broker.close(now, clean=False)
        try:
            for directory in server.directories:
                if server.is_temporary and server.platform.memory_max_bytes is None:
                    discarded.discard(directory)
                    forget_held(server.files)
                else:
                    await asyncio.to_thread(empty, server.files, directory)
        except OSError as error:
            raise self._failed(f"data directory {directory}: {error.strerror or error}") from error

    async def renew(self, *, cluster_id: str, first_producer_id: int) -> None:
        """Open a broker in the directory, which is empty, or was filled meanwhile.

        first_producer_id: no id that an earlier broker has given to a client. Raises StartupError; the node has failed
        then.
        """
        server, files = self._server, self._server.files
        if server.platform.memory_max_bytes is not None:  # count anew
            files = server.platform.files(temporary=True, directories=server.directories)

        def opened() -> None:
            broker = server.broker
            former_brokers_are_gone(server)
            for renewed in server.on_renewed:
                renewed()
            if server.has_others and self._held is not None:
                self._held.pass_new(broker.dispatch)

        try:
            await server.attach_broker(files, cluster_id=cluster_id, first_producer_id=first_producer_id, opened=opened)
        except StartupError as error:
            raise self._failed(str(error)) from error

    def serve_connections(self) -> None:
        """Pass the connections' requests to the new broker, beginning with those that have waited."""
        server = self._server
        assert self._held is not None
        self._held.release(server.broker.dispatch, server.broker.complete_early)
        if server.discarded is not None:
            server.discarded.remove()
        server.after_event()

    def _failed(self, line: str) -> StartupError:
        self._server.failure = line
        self._server.on_failure()
        return StartupError(line)
