"""The platform of a simulated node: see server/platform.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.now import Now
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.memfs import MemFs
from tests.sim.nodes.internet import ListeningSocket
from tests.sim.world import MS

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Sequence

    from kafkacompat.broker.network import Address
    from tests.sim.nodes.internet import Host, Jumps, Socket
    from tests.sim.virtual_loop import ProcessLoop
    from tests.sim.world import World

WALL_MS = 1_700_000_000_000


class Clock:
    """Each process has its own monotonic clock; `wall_us` is the error of its wall clock. All have the same jumps."""

    def __init__(self, world: World, began_us: int, jumps: Jumps) -> None:
        self._jumps = jumps
        self._world = world
        self._began_us = began_us
        self.wall_us = 0

    def now(self) -> Now:
        now_us = self._world.now_us
        monotonic_ms, wall_ms = (now_us + self._began_us) // MS, WALL_MS + (now_us + self.wall_us) // MS
        return Now(monotonic_ms, wall_ms + self._jumps.wall_ms, monotonic_ms + self._jumps.life_ms)


class Worker:
    """A thread for blocking work: one job at a time, each with the duration of the disk's work."""

    def __init__(self, world: World, loop: ProcessLoop, took_us: Callable[[], int]) -> None:
        self._world = world
        self._loop = loop
        self._took_us = took_us
        self._jobs: list[tuple[Callable[[], object], Callable[[object], None]]] = []
        self._is_stopped = False

    def submit(self, run: Callable[[], object], done: Callable[[object], None]) -> None:
        self._jobs.append((run, done))
        if len(self._jobs) == 1:
            self._world.after(self._took_us(), self._finish)

    def _finish(self) -> None:
        if self._loop.is_closed() or self._is_stopped:
            return
        self._do()
        if self._jobs:
            self._world.after(self._took_us(), self._finish)

    def _do(self) -> None:
        run, done = self._jobs.pop(0)
        self._loop.inject(done, run())

    def stop(self) -> None:
        while self._jobs:
            self._do()
        self._is_stopped = True


class SimulatedMachine:
    """The platform of one process of a node; the files outlive it."""

    is_read_only = False

    def __init__(
        self,
        world: World,
        host: Host,
        fs: MemFs,
        rng: random.Random,
        slowest_sync_us: int,
        slow_work_us: dict[str, int] | None = None,
    ) -> None:
        """slow_work_us: by class of background work, how long each of its jobs takes, where it is not by chance."""
        self.clock = Clock(world, rng.randrange(1_000_000) * MS, host.internet.jumps)
        self._world = world
        self._host = host
        self._fs = fs
        self._rng = rng
        self.slowest_sync_us = slowest_sync_us
        self._slow_work_us = slow_work_us or {}

    def rng(self) -> random.Random:
        return self._rng

    def files(self, *, temporary: bool, directories: Sequence[str] = ()) -> MemFs:
        assert not temporary
        return self._fs

    def bind(self, host: str, port: int) -> list[ListeningSocket]:
        return [ListeningSocket(self._host, port)]

    def worker(self, loop: ProcessLoop, name: str) -> Worker:
        slow_us = self._slow_work_us.get(name.removeprefix("kafkacompat-"))
        if slow_us is not None:
            return Worker(self._world, loop, lambda: slow_us)
        return Worker(self._world, loop, lambda: self._rng.randrange(100, self.slowest_sync_us))

    def run_concurrently(self, actions: Sequence[Callable[[], None]]) -> None:
        for action in actions:
            action()

    def connector(self, loop: ProcessLoop) -> Callable[[Address, int], Awaitable[Socket]]:
        return lambda to, timeout_ms: self._host.internet.connect(self._host, to, timeout_ms)


def set_boot_id(fs: MemFs, boot: int) -> None:
    """The kernel's boot id, which takes no room on the disk."""
    free_bytes, fs.free_bytes = fs.free_bytes, None
    fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
    fs.write_atomic(BOOT_ID_PATH, f"{boot:08x}-0000-4000-8000-000000000000\n".encode(), sync=False)
    fs.free_bytes = free_bytes
