"""The control API of `serve --brokers`, in the process that started the nodes; its port listens from the beginning.

What answers there, an event loop among it, is imported and begun at the first connection.
"""

from __future__ import annotations

import select
import socket
import threading

from kafkacompat import __version__
from kafkacompat.cluster.nodes import check_node
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.control_listener import chosen_address, listen, url_of
from kafkacompat.server.ports import close_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.cli.options import ServeOptions
    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.cluster.supervisor import Supervisor
    from kafkacompat.control_api.joined.joined_state import Resets


class ParentControl:
    """Listens, and asks the nodes of a supervisor for whoever connects.

    on_change: called after a node was stopped or started over HTTP. resets: makes what a reset takes.

    Raises StartupError for a port that is taken.
    """

    def __init__(
        self,
        options: ServeOptions,
        supervisor: Supervisor,
        node_ids: list[int],
        on_change: Callable[[], None],
        resets: Callable[[], Resets],
    ) -> None:
        host, port, self._token = chosen_address(options.control, is_anywhere=options.control_anywhere)
        self._sockets = listen(host, port, may_move=options.control is None)
        self.url = url_of(*self._sockets[0].getsockname()[:2])
        self._options = options
        self._resets = resets
        self._supervisor = supervisor
        self._verbs = SupervisorVerbs(supervisor, node_ids, on_change)
        self._joined: JoinedProcesses | None = None
        self._waking, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._await_connection, name="kafkacompat-control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening. Call it after the nodes have stopped: on Linux they end with the thread that started them."""
        self._waking.close()
        self._thread.join()
        self._woken.close()
        if self._joined is not None:
            self._joined.close()
        else:
            close_all(self._sockets)

    def _await_connection(self) -> None:
        ready, _, _ = select.select([*self._sockets, self._woken], [], [])
        if self._woken in ready:
            return
        from kafkacompat.cluster.joined_processes import JoinedProcesses
        from kafkacompat.control_api.http.access import Access

        options, supervisor = self._options, self._supervisor
        access = Access(
            self._token, options.control_anywhere, allows_changes=options.allow_faults or options.data_dir is None
        )
        joined = self._verbs.joined = self._joined = JoinedProcesses(
            supervisor.answering_urls, supervisor.fallen, __version__, access=access, verbs=self._verbs,
            resets=self._resets(),
        )  # fmt: skip
        joined.listen(self._sockets)


class SupervisorVerbs:
    """Implements `control_api.http.calls.NodeVerbs`."""

    def __init__(self, supervisor: Supervisor, node_ids: list[int], on_change: Callable[[], None]) -> None:
        self._supervisor = supervisor
        self._ids = node_ids
        self._on_change = on_change
        self.joined: JoinedProcesses | None = None

    def kill(self, broker: int) -> None:
        self._before_end(broker)
        self._supervisor.kill(broker)
        self._on_change()

    def stop(self, broker: int) -> None:
        self._before_end(broker)
        killed = self._supervisor.stop_node(broker)
        self._on_change()
        if killed:
            raise KafkaCompatError(killed)

    def start(self, broker: int) -> None:
        check_node(broker, self._ids)
        self._supervisor.start([broker])
        self._on_change()
        self._has_started(broker)

    def restart(self, broker: int) -> None:
        if self.is_running(broker):
            self.stop(broker)
        self.start(broker)

    def pause(self, broker: int) -> None:
        check_node(broker, self._ids)
        self._supervisor.pause(broker)

    def resume(self, broker: int) -> None:
        check_node(broker, self._ids)
        self._supervisor.resume(broker)
        self._has_started(broker)

    def is_running(self, broker: int) -> bool:
        check_node(broker, self._ids)
        return self._supervisor.is_running(broker)

    def _before_end(self, broker: int) -> None:
        if not self.is_running(broker):
            raise KafkaCompatError(f"node {broker} is not running")
        if self.joined is not None:
            self.joined.node_stops()

    def _has_started(self, broker: int) -> None:
        if self.joined is not None:
            self.joined.node_started(broker)
