"""asyncio with simulated time: one event loop per process. It never waits; the world runs its iterations.

A loop that gets no turns is a process that is paused; one that is dropped is a process that was killed, with whatever
it had begun. All else is asyncio's own.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from tests.sim.world import SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.world import World

TURN_US = 30
"""The simulated time of an iteration, so that busy processes alternate."""
MAX_LAST_STEPS = 50


class _NothingToSelect:
    """A selector without descriptors for BaseEventLoop."""

    def select(self, timeout: float | None) -> list[object]:
        return []


class ProcessLoop(asyncio.BaseEventLoop):
    """The event loop of one process. `failures` are unhandled exceptions."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self.name = name
        self._selector = _NothingToSelect()
        self._clock_resolution = 1e-6
        self._world = world
        self._is_paused = False
        self._planned_us: int | None = None
        self._plans = 0
        self._readers: dict[int, tuple[Callable[..., object], tuple[Any, ...]]] = {}
        self.failures: list[str] = []
        self._unfinished: set[asyncio.Task[Any]] = set()
        self.set_exception_handler(self._failed)

    # --- what the world does with it ---

    def inject(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call something in an iteration: an event from the kernel."""
        if not self.is_closed():
            self.call_soon(call, *arguments)
            self.plan()

    def plan(self) -> None:
        """Schedule an iteration for when there is something to do."""
        if self._is_paused or self.is_closed():
            return
        now_us = self._world.now_us
        if self._ready:
            at_us = now_us + TURN_US
        elif self._scheduled:
            at_us = max(now_us, -int(-self._scheduled[0]._when * SECOND // 1))
        else:
            return
        if self._planned_us is None or at_us < self._planned_us:
            self._planned_us = at_us
            self._plans += 1
            self._world.after(at_us - now_us, self._turn, self._plans)

    def _turn(self, plan: int) -> None:
        if plan != self._plans or self._is_paused or self.is_closed():
            return
        self._planned_us = None
        self._thread_id = threading.get_ident()
        asyncio._set_running_loop(self)
        try:
            self._run_once()
        finally:
            asyncio._set_running_loop(None)
            self._thread_id = None
        self.plan()

    def pause(self) -> None:
        self._is_paused = True
        self._planned_us = None

    def resume(self) -> None:
        self._is_paused = False
        self.plan()

    def drop(self) -> None:
        """The process ended. Its unfinished work is kept until `bury`."""
        self._unfinished = asyncio.all_tasks(self)
        self.close()

    def bury(self) -> None:
        """Release a dropped process, once the effects of its last steps cannot matter."""
        for task in self._unfinished:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            for _ in range(MAX_LAST_STEPS):
                try:
                    task.get_coro().close()  # type: ignore[union-attr]
                except RuntimeError:  # it goes on, in spite of all
                    continue
                break
        self._unfinished.clear()

    @property
    def waiting(self) -> list[asyncio.TimerHandle]:
        """Timers that are set."""
        return [handle for handle in self._scheduled if not handle.cancelled()]

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not self.is_closed():
            self.failures.append(f"{context.get('message')}: {context.get('exception')!r}")

    # --- what BaseEventLoop leaves to others ---

    def time(self) -> float:
        return self._world.now_us / SECOND

    def _process_events(self, event_list: list[object]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """No other thread is there to wake it."""
        self.plan()

    def create_task(self, coro: Any, **more: Any) -> Any:
        """Work that a killed process begins in its last steps (`bury`) is closed: nobody will wait for it."""
        if self.is_closed():
            coro.close()
        return super().create_task(coro, **more)

    # --- sockets, which are simulated ones ---

    def add_reader(self, fd: Any, callback: Callable[..., object], *args: Any) -> None:
        self._readers[id(fd)] = (callback, args)
        if fd.is_readable:
            self.call_soon(self._readable, fd)

    def remove_reader(self, fd: Any) -> bool:
        return self._readers.pop(id(fd), None) is not None

    def readable(self, fd: Any) -> None:
        """The kernel has something on a socket."""
        if id(fd) in self._readers:
            self.inject(self._readable, fd)

    def _readable(self, fd: Any) -> None:
        callback, arguments = self._readers.get(id(fd), (None, ()))
        if callback is not None:
            callback(*arguments)

    async def create_connection(self, protocol_factory: Any, *_: Any, sock: Any = None, **__: Any) -> Any:
        protocol = protocol_factory()
        transport = sock.attach(self, protocol)
        await asyncio.sleep(0)  # connection_made comes first
        return transport, protocol

    async def connect_accepted_socket(self, protocol_factory: Any, sock: Any, **_: Any) -> Any:
        return await self.create_connection(protocol_factory, sock=sock)
