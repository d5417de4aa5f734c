"""The control API of all nodes of a cluster of processes, in the process that started them, on a thread of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from kafkacompat.control_api.http.access import Access
from kafkacompat.control_api.http.application import error_of
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined.joined_nodes import JoinedNodes
from kafkacompat.control_api.joined.joined_routes import JoinedApplication, open_joined_api
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.control_listener import DEFAULT_HOST, ControlListener, listen
from kafkacompat.server.thread import LoopThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any, TypeVar

    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.control_api.joined.joined_state import Resets

    Result = TypeVar("Result")
    Plain = dict[str, Any]

LAST_COUNTS_TIMEOUT_S = 2.0
"""How long nodes may take for their last counts before they are stopped."""


class JoinedProcesses:
    """Asks the nodes for a Python program, and serves their joined API over HTTP once that is wanted.

    urls, fallen: see `JoinedNodes`. verbs: stop and start nodes. access: who may use the port. resets: see there.
    proxied: see `JoinedLinks`.
    """

    def __init__(
        self,
        urls: Callable[[], Mapping[int, str]],
        fallen: Callable[[], Mapping[int, bool]],
        version: str,
        *,
        access: Access | None = None,
        verbs: NodeVerbs | None = None,
        resets: Resets | None = None,
        proxied: Callable[[], Faults] = dict,
    ) -> None:
        nodes = JoinedNodes(urls, fallen, version)
        self._application = JoinedApplication(nodes, Access() if access is None else access, verbs, resets, proxied)
        self._thread: LoopThread | None = LoopThread("kafkacompat-joined")
        self._listener: ControlListener | None = None

    def ask(
        self,
        operation: str,
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
    ) -> Any:
        """What a route answers, by the name of its operation. Raises KafkaCompatError with the problem's detail."""
        return self._run(self._application.ask(operation, path or {}, query or {}, body))

    def reset(self, **how: Any) -> Plain:
        """Reset all nodes, see `JoinedState.reset`. Raises KafkaCompatError."""
        return self._run(self._application.state.reset(**how))

    def add_links(self, faults: Mapping[tuple[int | str, int | str], int | None]) -> None:
        """Cut links, or make them slow. Raises KafkaCompatError."""
        self._run(self._application.links.add(faults))

    def heal_links(self, node_id: int | None) -> None:
        """End the faults of a node's links, or all. Raises KafkaCompatError."""
        self._run(self._application.links.heal(node_id))

    def capture_files(self) -> list[Plain]:
        """What is known of the files of the capture that was started last."""
        return list(self._application.captures.files.values())

    def last_faults(self) -> list[Plain]:
        """The fault rules with the counts that are known, also after the end of the nodes."""
        return self._application.faults.last_known()

    def listen(self, sockets: list[socket.socket] | None = None) -> str:
        """Serve the joined API, at a free port unless sockets are given, and return its URL."""
        if self._listener is None:
            taken = listen(DEFAULT_HOST, 0) if sockets is None else sockets
            self._run(self._listen(taken))
        assert self._listener is not None
        return self._listener.url

    async def _listen(self, sockets: list[socket.socket]) -> None:
        loop = asyncio.get_running_loop()
        self._listener = ControlListener(loop, sockets, lambda: open_joined_api(self._application))

    def node_started(self, node_id: int) -> None:
        """Give a node that has started, or goes on after a pause, what the others have. Raises KafkaCompatError."""
        self._run(self._application.node_started(node_id))

    def node_stops(self) -> None:
        """Take the counts of fault rules before a node ends."""
        with suppress(KafkaCompatError, TimeoutError):
            self._run(self._refresh())

    def close(self) -> None:
        """End the port and the thread; what is known of fault rules stays."""
        thread = self._thread
        if thread is None:
            return
        self.node_stops()
        self._run(self._close())
        self._thread = None
        thread.stop()

    async def _refresh(self) -> None:
        async with asyncio.timeout(LAST_COUNTS_TIMEOUT_S):
            await self._application.faults.refresh()

    async def _close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        self._application.snapshots.close()
        self._application.faults.close()
        self._application.nodes.close()
        own = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        if self._thread is None:
            coroutine.close()
            raise KafkaCompatError("this cluster is not running: use it in a with block, or call start()")
        call = self._thread.submit(coroutine)
        try:
            return call.result()
        except ProblemError as problem:
            raise error_of(problem) from None
        finally:
            call.cancel()  # after Ctrl-C
