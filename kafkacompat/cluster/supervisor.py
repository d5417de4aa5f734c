"""Starts the processes of a cluster together and stops them in order. It never restarts a process by itself."""

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
"""The time limit of a start, which includes the recovery of a killed node's logs."""
STOP_TIMEOUT_S = 300.0
"""A stopping node that reports no progress for this time is killed. A node that works needs far less: it reports after
every few logs, and after every answer of a controller.
"""
TEMPORARY_STOP_TIMEOUT_S = 10.0
"""The same for nodes with temporary data: nothing is synced, and nothing can be lost."""
REPORT_AFTER_S = 1.0
"""A stop that takes longer is reported, again after each REPORT_INTERVAL_S."""
REPORT_INTERVAL_S = 2.0
WAKE_UP_S = 0.25
"""A signal just before a thread starts to wait does not wake it; it is noticed after at most this time."""
KILL_TIMEOUT_S = 10.0
"""How long the system may take to remove a killed process."""
_OWN_PREFIX = "kafkacompat: "


def _said(line: str) -> str:
    """The message in the last line of a node that did not start, which is JSON with `--log-format json`."""
    if line.startswith("{"):
        import json

        with suppress(ValueError, KeyError):
            return str(json.loads(line)["message"])
    return line.removeprefix(_OWN_PREFIX)


def default_stop_timeout_s(*, is_temporary: bool) -> float:
    """The default time without progress after which a stopping node is killed."""
    return TEMPORARY_STOP_TIMEOUT_S if is_temporary else STOP_TIMEOUT_S


class Interrupted(KafkaCompatError):  # noqa: N818 (nothing failed)
    """`interrupt` was called while nodes were being started."""


class Supervisor:
    """Child processes by node id.

    commands: the command line of each node. stages: node ids in the order in which they are stopped; those of a stage
    are stopped together. on_line(node_id, line): a line that a node wrote, except the supervisor protocol.
    on_death(node_id, text): a node ended unexpectedly; the text has its exit status. Both are called on other threads.
    on_wait(text): the progress of a slow stop; called by `stop` and `stop_node`. stop_timeout_s: see STOP_TIMEOUT_S.
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
        self._commands = dict(commands)
        self._stages = stages
        self._on_line = on_line
        self._on_death = on_death
        self._on_wait = on_wait
        self._stop_timeout_s = stop_timeout_s
        self._children: dict[int, Child] = {}
        self._watches: list[SimpleQueue[None]] = []  # one for each waiting thread
        self._is_interrupted = False

    # State

    def pid(self, node_id: int) -> int | None:
        """The process id of a node; None if it does not run."""
        child = self._children.get(node_id)
        return child.pid if child is not None and child.is_running else None

    def control_url(self, node_id: int) -> str | None:
        """Where the control API of a node listens; None if it does not run, or has none."""
        child = self._children.get(node_id)
        return child.control_url if child is not None and child.is_running else None

    def answering_urls(self) -> dict[int, str]:
        """The control APIs of the nodes that are ready and not paused, by id."""
        children = [child for child in self._children.copy().values() if child.is_running and not child.is_paused]
        return {child.node_id: child.control_url for child in children if child.control_url is not None}

    def fallen(self) -> dict[int, bool]:
        """The nodes that should serve and do not, with whether they have died; others are not ready yet."""
        children = self._children.copy().values()
        return {
            child.node_id: not child.is_running
            for child in children
            if not child.is_expected_to_end and not (child.is_running and child.is_ready)
        }

    def is_running(self, node_id: int) -> bool:
        """Whether the node's process exists, paused or not."""
        return self.pid(node_id) is not None

    def add(self, node_id: int, command: Sequence[str], stages: Sequence[Sequence[int]]) -> None:
        """Add a node, which `start` can start; `stages` is the new order of stops."""
        self._commands[node_id] = command
        self._stages = stages

    def remove(self, node_id: int, stages: Sequence[Sequence[int]]) -> None:
        """Forget a node that does not run."""
        self._commands.pop(node_id, None)
        self._children.pop(node_id, None)
        self._stages = stages

    # All nodes

    def start(self, node_ids: Iterable[int] | None = None, *, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start nodes (None: all) and return when all of them are ready.

        Raises StartupError with the last line of a node that did not start, Interrupted after `interrupt`. None of the
        given nodes runs then.
        """
        wanted = list(self._commands) if node_ids is None else list(node_ids)
        for node_id in wanted:
            if self.is_running(node_id):
                raise KafkaCompatError(f"node {node_id} is already running")
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
        """Wait until `interrupt` is called (True) or no node runs any more (False).

        on_end() is called on this thread when a node has ended while others run.
        """
        seen = len(self._children)
        with self._watch() as watch:
            while running := self._count_running():
                if self._is_interrupted:
                    return True
                if running < seen:
                    on_end()
                seen = running
                _await_change(watch, WAKE_UP_S)
        return False

    def _count_running(self) -> int:
        return sum(child.is_running for child in self._children.values())

    def interrupt(self) -> None:
        """End `wait`, or a `start` in progress. A signal handler may call this."""
        self._is_interrupted = True
        self._notify_all()

    def stop(self) -> dict[int, str]:
        """Stop all nodes, stage by stage. Returns a line for each node that had to be killed.

        First all brokers hand over their partitions, because that needs the controllers.
        """
        report = _ProgressReport(self._on_wait)
        running = [child for child in self._children.values() if child.is_running and child.is_ready]
        killed: dict[int, str] = {}
        if len(running) > 1:
            asked = [child for child in running if child.hand_over()]
            killed |= self._await(asked, lambda child: child.has_handed_over, report)
        for stage in self._stages:
            killed |= self._end(stage, report)
        return killed

    def kill_all(self) -> None:
        """Kill everything at once. A signal handler may call this."""
        for child in list(self._children.values()):
            child.kill()

    def end_all(self) -> None:
        """Kill everything, and wait for its end."""
        self.kill_all()
        for child in list(self._children.values()):
            child.wait(KILL_TIMEOUT_S)

    # Single nodes

    def stop_node(self, node_id: int) -> str | None:
        """Stop one node cleanly. Returns a line if it had to be killed."""
        return self._end([node_id], _ProgressReport(self._on_wait)).get(node_id)

    def kill(self, node_id: int) -> None:
        """Kill one node (SIGKILL) and wait for its end."""
        child = self._running(node_id)
        child.kill()
        child.wait(KILL_TIMEOUT_S)

    def pause(self, node_id: int) -> None:
        """Pause one node (SIGSTOP)."""
        self._running(node_id).pause()

    def resume(self, node_id: int) -> None:
        """Resume a paused node (SIGCONT)."""
        self._running(node_id).resume()

    def _running(self, node_id: int) -> Child:
        child = self._children.get(node_id)
        if child is None or not child.is_running:
            raise KafkaCompatError(f"node {node_id} is not running")
        return child

    # Small parts

    @contextmanager
    def _watch(self) -> Iterator[SimpleQueue[None]]:
        """A queue that gets an item for each change of any node; each waiting thread has its own."""
        watch: SimpleQueue[None] = SimpleQueue()
        self._watches.append(watch)
        try:
            yield watch
        finally:
            self._watches.remove(watch)

    def _notify_all(self) -> None:
        for watch in tuple(self._watches):
            watch.put(None)

    def _await_ready(self, children: Sequence[Child], watch: SimpleQueue[None], deadline_s: float) -> None:
        while waiting := [child for child in children if not child.is_ready]:
            for child in waiting:
                if not child.is_running:
                    said = _said(child.last_line)
                    raise StartupError(f"node {child.node_id} did not start: {said or child.describe_end()}")
            if self._is_interrupted:
                raise Interrupted("stopped while starting")
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                names = ", ".join(str(child.node_id) for child in waiting)
                raise StartupError(f"not ready in time: node {names}; see its log lines above")
            _await_change(watch, min(left_s, WAKE_UP_S))

    def _end(self, node_ids: Sequence[int], report: _ProgressReport) -> dict[int, str]:
        children = [self._children[node_id] for node_id in node_ids if self.is_running(node_id)]
        for child in children:
            child.stop()
        return self._await(children, lambda child: not child.is_running, report)

    def _await(
        self, children: Sequence[Child], is_done: Callable[[Child], bool], report: _ProgressReport
    ) -> dict[int, str]:
        """Wait for stopping children, and kill those that make no progress. Returns a line for each killed one."""
        begin_s = time.monotonic()
        killed: dict[int, str] = {}
        with self._watch() as watch:
            while waiting := [child for child in children if not is_done(child)]:
                for child in waiting:
                    if child.silence_s(begin_s) >= self._stop_timeout_s:
                        killed[child.node_id] = self._describe_kill(child)
                        child.kill()
                        child.wait(KILL_TIMEOUT_S)
                report.of(waiting)
                _await_change(watch, min(WAKE_UP_S, self._stop_timeout_s))
        return killed

    def _describe_kill(self, child: Child) -> str:
        return (
            f"node {child.node_id} was killed: its stop made no progress for {self._stop_timeout_s:g} s "
            f"(its last report: {child.progress or 'none'}); nothing that was acknowledged is lost, but its next start "
            "checks all its logs"
        )

    def _heard(self, child: Child, line: str) -> None:
        self._on_line(child.node_id, line)

    def _changed(self, child: Child) -> None:
        self._notify_all()
        if child.is_ready and not child.is_running and not child.is_expected_to_end:
            self._on_death(child.node_id, f"node {child.node_id} (pid {child.pid}) died: {child.describe_end()}")


class _ProgressReport:
    """Reports the progress of a slow stop."""

    def __init__(self, on_wait: Callable[[str], None]) -> None:
        self._on_wait = on_wait
        self._next_s = time.monotonic() + REPORT_AFTER_S

    def of(self, children: Sequence[Child]) -> None:
        """Report these children, which are still stopping, if a report is due."""
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + REPORT_INTERVAL_S
            self._on_wait("; ".join(f"node {child.node_id}: {child.progress or 'stopping'}" for child in children))


def _await_change(watch: SimpleQueue[None], timeout_s: float) -> None:
    with suppress(Empty):
        watch.get(timeout=timeout_s)
