"""The processes of a cluster: started together, stopped in order, never restarted behind anybody's back."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue

from kafkacompat.cluster.child import Child
from kafkacompat.errors import KafkaCompatError, StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

START_TIMEOUT_S = 60.0
"""Recovering the logs of a node that was killed may take long; what takes longer than this hangs."""
STOP_TIMEOUT_S = 300.0
"""A node that is stopping and tells of no progress for so long is killed. No node that works needs so much: one step is
some logs, or one answer of a controller.
"""
TEMPORARY_STOP_TIMEOUT_S = 10.0
"""The same for nodes whose data goes with them: nothing is synced, and nothing is lost."""
TELL_AFTER_S = 1.0
"""A stop that takes longer tells how far it is, and again after each TELL_INTERVAL_S."""
TELL_INTERVAL_S = 2.0
WAKE_UP_S = 0.25
"""A signal that comes just before a thread begins to wait does not wake it: it is noticed so late at most."""
KILL_TIMEOUT_S = 10.0
"""How long the system may take to remove a process that was killed."""
_OWN_PREFIX = "kafkacompat: "


def default_stop_timeout_s(*, is_temporary: bool) -> float:
    """How long a node may stop without progress, where nobody says."""
    return TEMPORARY_STOP_TIMEOUT_S if is_temporary else STOP_TIMEOUT_S


class Interrupted(KafkaCompatError):  # noqa: N818 (nothing failed)
    """`interrupt` was called while nodes were being started."""


class Supervisor:
    """Child processes by node id.

    commands: how each node is started. stages: node ids in the order in which they are stopped, those of a stage at
    once. on_line(node_id, line): what a node writes, but for lines of the supervisor protocol. on_death(node_id,
    text): a node ended that nobody had stopped; the text says how. Both are called on other threads. on_wait(text):
    nodes are still stopping, and how far each is; called by `stop` and `stop_node`. stop_timeout_s: see
    STOP_TIMEOUT_S.
    """

    def __init__(
        self,
        commands: Mapping[int, Sequence[str]],
        stages: Sequence[Sequence[int]],
        *,
        on_line: Callable[[int, str], None],
        on_death: Callable[[int, str], None],
        on_wait: Callable[[str], None] = lambda _text: None,
        stop_timeout_s: float = STOP_TIMEOUT_S,
    ) -> None:
        self._commands = commands
        self._stages = stages
        self._on_line = on_line
        self._on_death = on_death
        self._on_wait = on_wait
        self._stop_timeout_s = stop_timeout_s
        self._children: dict[int, Child] = {}
        self._watches: list[SimpleQueue[None]] = []  # one for each thread that waits
        self._is_interrupted = False

    # What runs

    def pid(self, node_id: int) -> int | None:
        """The process of a node, None when it does not run."""
        child = self._children.get(node_id)
        return child.pid if child is not None and child.is_running else None

    def is_running(self, node_id: int) -> bool:
        """Whether the node's process is there, paused or not."""
        return self.pid(node_id) is not None

    # All of them

    def start(self, node_ids: Iterable[int] | None = None, *, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start nodes (None: all) and return when each of them is ready.

        Raises StartupError with what a node said last when one did not start, Interrupted after `interrupt`; the nodes
        that were to be started are gone then.
        """
        wanted = list(self._commands) if node_ids is None else list(node_ids)
        for node_id in wanted:
            if self.is_running(node_id):
                raise KafkaCompatError(f"node {node_id} runs already")
        started: list[Child] = []
        try:
            with self._watch() as watch:
                for node_id in wanted:
                    child = Child(node_id, self._commands[node_id], self._heard, self._changed)
                    self._children[node_id] = child
                    started.append(child)
                self._await_ready(started, watch, time.monotonic() + timeout_s)
        except BaseException as error:
            for child in started:
                child.kill()
            for child in started:
                child.wait(KILL_TIMEOUT_S)
            if isinstance(error, OSError):
                raise StartupError(f"a process cannot be started: {error.strerror or error}") from error
            raise

    def wait(self, on_end: Callable[[], None]) -> bool:
        """Wait until `interrupt` (True), or until no node runs any more (False).

        on_end() is called on this thread when a node has ended and others run.
        """
        seen = len(self._children)
        with self._watch() as watch:
            while running := self._count_running():
                if self._is_interrupted:
                    return True
                if running < seen:
                    on_end()
                seen = running
                _await_news(watch, WAKE_UP_S)
        return False

    def _count_running(self) -> int:
        return sum(child.is_running for child in self._children.values())

    def interrupt(self) -> None:
        """End `wait`, or a `start` that is under way. A signal handler may call this."""
        self._is_interrupted = True
        self._tell_all()

    def stop(self) -> dict[int, str]:
        """Stop everything, stage by stage; of the nodes that had to be killed, a line that says so.

        First all brokers are let go by the controllers, which are needed for that until the last one is gone.
        """
        tell = _Teller(self._on_wait)
        running = [child for child in self._children.values() if child.is_running and child.is_ready]
        killed: dict[int, str] = {}
        if len(running) > 1:
            asked = [child for child in running if child.hand_over()]
            killed |= self._await(asked, lambda child: child.has_handed_over, tell)
        for stage in self._stages:
            killed |= self._end(stage, tell)
        return killed

    def kill_all(self) -> None:
        """Kill everything at once. A signal handler may call this."""
        for child in list(self._children.values()):
            child.kill()

    # One of them

    def stop_node(self, node_id: int) -> str | None:
        """Stop one node cleanly; a line that says so if it had to be killed."""
        return self._end([node_id], _Teller(self._on_wait)).get(node_id)

    def kill(self, node_id: int) -> None:
        """Kill one node (SIGKILL) and wait until it is gone."""
        child = self._running(node_id)
        child.kill()
        child.wait(KILL_TIMEOUT_S)

    def pause(self, node_id: int) -> None:
        """Have one node stand still (SIGSTOP)."""
        self._running(node_id).pause()

    def resume(self, node_id: int) -> None:
        """Have a paused node go on (SIGCONT)."""
        self._running(node_id).resume()

    def _running(self, node_id: int) -> Child:
        child = self._children.get(node_id)
        if child is None or not child.is_running:
            raise KafkaCompatError(f"node {node_id} does not run")
        return child

    # Small parts

    @contextmanager
    def _watch(self) -> Iterator[SimpleQueue[None]]:
        """Something to wait at: it is told of each change, whatever other threads wait for."""
        watch: SimpleQueue[None] = SimpleQueue()
        self._watches.append(watch)
        try:
            yield watch
        finally:
            self._watches.remove(watch)

    def _tell_all(self) -> None:
        for watch in tuple(self._watches):
            watch.put(None)

    def _await_ready(self, children: Sequence[Child], watch: SimpleQueue[None], deadline_s: float) -> None:
        while waiting := [child for child in children if not child.is_ready]:
            for child in waiting:
                if not child.is_running:
                    said = child.last_line.removeprefix(_OWN_PREFIX)
                    raise StartupError(f"node {child.node_id} did not start: {said or child.describe_end()}")
            if self._is_interrupted:
                raise Interrupted("stopped while starting")
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                names = ", ".join(str(child.node_id) for child in waiting)
                raise StartupError(f"not ready in time: node {names}; see what it logged")
            _await_news(watch, min(left_s, WAKE_UP_S))

    def _end(self, node_ids: Sequence[int], tell: _Teller) -> dict[int, str]:
        children = [self._children[node_id] for node_id in node_ids if self.is_running(node_id)]
        for child in children:
            child.stop()
        return self._await(children, lambda child: not child.is_running, tell)

    def _await(self, children: Sequence[Child], is_done: Callable[[Child], bool], tell: _Teller) -> dict[int, str]:
        """Wait for children that are stopping; kill those that make no progress, with a line for each of them."""
        begin_s = time.monotonic()
        killed: dict[int, str] = {}
        with self._watch() as watch:
            while waiting := [child for child in children if not is_done(child)]:
                for child in waiting:
                    if child.silence_s(begin_s) >= self._stop_timeout_s:
                        killed[child.node_id] = self._describe_kill(child)
                        child.kill()
                        child.wait(KILL_TIMEOUT_S)
                tell.of(waiting)
                _await_news(watch, min(WAKE_UP_S, self._stop_timeout_s))
        return killed

    def _describe_kill(self, child: Child) -> str:
        return (
            f"node {child.node_id} was killed: its stop made no progress for {self._stop_timeout_s:g} s "
            f"(it told last: {child.progress or 'nothing'}); nothing that was acknowledged is lost, but its next start "
            "checks all its logs"
        )

    def _heard(self, child: Child, line: str) -> None:
        self._on_line(child.node_id, line)

    def _changed(self, child: Child) -> None:
        self._tell_all()
        if child.is_ready and not child.is_running and not child.is_expected_to_end:
            self._on_death(child.node_id, f"node {child.node_id} (pid {child.pid}) died: {child.describe_end()}")


class _Teller:
    """Tells how far a stop is, when it takes long."""

    def __init__(self, on_wait: Callable[[str], None]) -> None:
        self._on_wait = on_wait
        self._next_s = time.monotonic() + TELL_AFTER_S

    def of(self, children: Sequence[Child]) -> None:
        """These are still stopping."""
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + TELL_INTERVAL_S
            self._on_wait("; ".join(f"node {child.node_id}: {child.progress or 'stopping'}" for child in children))


def _await_news(watch: SimpleQueue[None], timeout_s: float) -> None:
    with suppress(Empty):
        watch.get(timeout=timeout_s)
