"""The interface of all ways to run the nodes of a cluster, and the view of a node for users."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.server.broker_server import BrokerServer

    Result = TypeVar("Result")

    class Ask(Protocol):
        """What a route of the control API answers, by the name of its operation, see `control_api/http/routes.py`.

        Raises KafkaCompatError with the problem's detail; NotInTimeError after a time-out.
        """

        def __call__(
            self,
            operation: str,
            *,
            path: Mapping[str, object] | None = None,
            query: Mapping[str, object] | None = None,
            body: object = None,
        ) -> Any: ...

    class Nodes(Protocol):
        """The nodes of one cluster, in this process or in others. Every call returns when it is done, or raises
        KafkaCompatError. on_opened: called when a node of this process starts, before it serves a request. verbs: what
        the control API does with whole nodes.
        """

        on_opened: list[Callable[[BrokerServer], None]]
        verbs: NodeVerbs | None

        def start(self) -> None:
            """Start all nodes; after an error none of them runs."""

        def stop(self) -> None:
            """Stop all nodes, brokers first."""

        def close(self) -> None:
            """Called after the last stop."""

        def stop_node(self, node_id: int, *, clean: bool) -> None:
            """Stop one node, cleanly or like a crash."""

        def restart_node(self, node_id: int, *, clean: bool) -> None:
            """Stop one node if it runs, and start it again with the same data and ports."""

        def add_node(self, node_id: int) -> None:
            """Start a node that was added to the layout."""

        def remove_node(self, node_id: int) -> None:
            """Forget a node that has stopped, and was removed from the layout."""

        def pause(self, node_id: int) -> None:
            """Pause one node."""

        def resume(self, node_id: int) -> None:
            """Resume a paused node."""

        def pid(self, node_id: int) -> int | None:
            """The process id of a node; None if it does not run."""

        def node_ids(self) -> list[int]:
            """The ids of all nodes, stopped ones included."""

        def write_data(self) -> None:
            """Write what nodes in this process hold in memory of temporary directories, now and whenever it changes:
            somebody is about to read them.
            """

        def call(self, node_id: int, operation: Callable[[BrokerServer], Result]) -> Result:
            """Call a function on the loop of a running node of this process, and return its result."""

        def run_on_all(self, operation: Callable[[Sequence[BrokerServer]], Coroutine[Any, Any, Result]]) -> Result:
            """Run a coroutine function with all running nodes of this process on their loop."""

        @property
        def joined(self) -> JoinedProcesses | None:
            """The way to ask all nodes if they run in other processes; None if they run in this one."""

        @property
        def ask(self) -> Ask:
            """Asks the nodes, wherever they run."""

        def control_url(self) -> str:
            """Where the HTTP control API of all nodes listens; it is started if it does not run."""

        def control_urls(self) -> dict[int, str]:
            """Where the HTTP control API of each running node listens; it is started if it does not run."""


class NodeView:
    """A snapshot of a node.

    id: node.id. address: host:port. data_dir: its data directory. log_dirs: its log directories, in their order in
    `log.dirs`. pid: its process id; None if it does not run.
    """

    __slots__ = ("_data_dir", "_write_data", "address", "id", "log_dirs", "pid")

    def __init__(
        self,
        node_id: int,
        address: str,
        data_dir: str,
        pid: int | None,
        write_data: Callable[[], None],
        log_dirs: Sequence[str] = (),
    ) -> None:
        self.id = node_id
        self.address = address
        self.pid = pid
        self.log_dirs = tuple(log_dirs) or (data_dir,)
        self._data_dir = data_dir
        self._write_data = write_data

    @property
    def data_dir(self) -> str:
        """Its data directory, which is written out whenever it changes from now on: see `Nodes.write_data`."""
        self._write_data()
        return self._data_dir

    @property
    def is_running(self) -> bool:
        """Whether it runs, paused or not."""
        return self.pid is not None

    def __repr__(self) -> str:
        return f"<node {self.id} at {self.address}, {f'pid {self.pid}' if self.is_running else 'stopped'}>"


def check_node(node_id: int, present: list[int]) -> None:
    """Raises KafkaCompatError for an id that the cluster does not have."""
    if node_id not in present:
        raise KafkaCompatError(f"there is no node {node_id}: use one of {', '.join(map(str, present))}")


def not_running(node_id: int) -> KafkaCompatError:
    """The error for a node that is already stopped."""
    return KafkaCompatError(f"node {node_id} is not running: start it with restart({node_id})")
