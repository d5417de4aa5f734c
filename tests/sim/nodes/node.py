"""A machine with a disk, and the process of a node on it with its `BrokerServer`."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from kafkacompat.broker.control.lifecycle import RUNNING
from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.errors import StartupError
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import plan
from tests.sim.nodes.internet import Host
from tests.sim.nodes.machine import SimulatedMachine, set_boot_id
from tests.sim.virtual_loop import ProcessLoop
from tests.sim.world import MS

if TYPE_CHECKING:
    from kafkacompat.broker.inspect import Inspection
    from kafkacompat.storage.memfs import MemFs
    from tests.sim.nodes.internet import Internet

PORT, CONTROLLER_PORT = 9092, 9093


def data_dir(name: str) -> str:
    return f"/{name}"


class Node(Host):
    """`server` is set while the process runs."""

    def __init__(self, internet: Internet, node_id: int, fs: MemFs, settings: dict[str, str]) -> None:
        super().__init__(internet, f"n{node_id}")
        self.id = node_id
        self.fs = fs
        self.server: BrokerServer | None = None
        self.is_paused = False
        self.is_stopping = False
        self.was_refused = False  # at its last start
        self.lives = 0
        self.slowest_sync_us = 5 * MS
        self.slow_work_us: dict[str, int] = {}  # see SimulatedMachine
        self.failures: list[str] = []
        self._settings = settings
        self._world = internet.world
        self._boot = 1
        set_boot_id(fs, self._boot)

    def start(self) -> None:
        """Start the process, with power if that was off."""
        if self.loop is not None:
            return
        self.lives += 1
        self.has_power = True
        self.is_paused = self.is_stopping = self.was_refused = False
        self._world.note(f"{self.name} starts")
        self.loop = loop = ProcessLoop(self._world, self.name)
        config = BrokerConfig.from_sources(self._settings, {}, development_defaults(3))
        rng = self._world.rng(f"{self.name}/{self.lives}")
        self.machine = SimulatedMachine(self._world, self, self.fs, rng, self.slowest_sync_us, self.slow_work_us)
        self.server = BrokerServer(config, plan(config), data_dir(self.name), platform=self.machine)  # type: ignore[arg-type]
        loop.create_task(self._serve(self.server))
        loop.plan()

    async def _serve(self, server: BrokerServer) -> None:
        loop = self.loop
        try:
            await server.start()
        except StartupError as error:
            self._world.note(f"{self.name} does not start: {error}")
            found_no_room = os.strerror(errno.ENOSPC).lower() in str(error).lower()
            has_room = self.fs.free_bytes is None
            if has_room and not found_no_room:  # recovery needs some room: who makes it starts the node again
                self.failures.append(f"does not start: {error}")
            self.was_refused = True
            self._world.after(0, self._ended, loop)
            if has_room and found_no_room:  # it came while the node was ending
                self._world.after(MS, self.start)
        else:
            self._world.note(f"{self.name} is ready")

    @property
    def has_given_up(self) -> bool:
        """Whether it cannot go on, as where a vote finds no room and the reserve is used up: its process would end."""
        return self.server is not None and self.server.failure is not None

    @property
    def is_ready(self) -> bool:
        """Whether clients can work with it."""
        broker = getattr(self.server, "broker", None)
        return (
            broker is not None and not self.is_stopping and broker.is_ready
            and broker.lifecycle is not None and broker.lifecycle.state == RUNNING
        )  # fmt: skip

    @property
    def view(self) -> Inspection:
        """The read-only view of the running node."""
        assert self.server is not None
        return self.server.view

    # --- how it ends ---

    def kill(self) -> None:
        """Kill the process; its kernel closes its connections."""
        if self.loop is not None:
            self._world.note(f"{self.name} is killed")
            self._ended(self.loop)

    def lose_power(self) -> None:
        """Cut the power: connections become silent, and the disk has the synced data and perhaps more."""
        if self.loop is not None:
            self._world.note(f"{self.name} loses power")
            self.has_power = False
            self._ended(self.loop)
            self.fs.crash(self._world.rng(f"{self.name}/{self.lives}/power"))
            self._boot += 1
            set_boot_id(self.fs, self._boot)

    def stop(self) -> None:
        """Ask it to stop, as SIGTERM does."""
        if self.loop is not None and self.is_ready:
            self._world.note(f"{self.name} is to stop")
            self.is_stopping = True
            self.loop.inject(lambda: self.loop.create_task(self._stop(self.loop)))  # type: ignore[union-attr]

    async def _stop(self, loop: ProcessLoop) -> None:
        assert self.server is not None
        await self.server.stop()
        self._world.after(0, self._stopped, loop)

    def _stopped(self, loop: ProcessLoop) -> None:
        if loop is self.loop:
            self._world.note(f"{self.name} has stopped")
            if loop.waiting:
                self.failures.append(f"leaves timers behind: {loop.waiting}")
            if self.ends or self.listening:
                ends = [f"{end.peer.host.name} {end.transport and end.transport._protocol!r}" for end in self.ends]
                self.failures.append(f"leaves sockets behind: {ends}, {sorted(self.listening)}")
            self._ended(loop)

    def _ended(self, loop: ProcessLoop) -> None:
        if loop is not self.loop:
            return
        self.failures += loop.failures
        self.server = None
        self.process_ended()
        self.fs.restart()

    def pause(self) -> None:
        if self.loop is not None and not self.is_paused:
            self._world.note(f"{self.name} pauses")
            self.is_paused = True
            self.loop.pause()

    def resume(self) -> None:
        if self.loop is not None and self.is_paused:
            self._world.note(f"{self.name} goes on")
            self.is_paused = False
            self.loop.resume()
