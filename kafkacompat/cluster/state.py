"""The state of a whole cluster: reset."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kafkacompat.cluster.view_types import Connection
    from kafkacompat.server.broker_server import BrokerServer


class Reset(NamedTuple):
    """The result of a reset. connections: those of clients from before; in tests often clients that nobody closed."""

    connections: list[Connection]


class State(RunningCluster):
    """What `Cluster` offers for its state as a whole."""

    def reset(self, keep: Collection[str] = (), *, close_connections: bool = False) -> Reset:
        """Go back to the state right after the start, with the topics given then, under new topic ids.

        The cluster id, node ids, ports and connections stay; everything else is new. Producer ids go on, so that a
        client of before never meets one of after.

        keep: {"topics"} keeps the topics that exist, with their partitions and configs, without records.
        close_connections: close the connections of clients. Without it they are listed in the result's `connections`:
        in tests, often clients that somebody forgot to close.

        Raises KafkaCompatError for a cluster with a data_dir, whose data would be lost, and for one of several nodes.
        """
        from kafkacompat.cluster.view_types import connection_of
        from kafkacompat.control_api import state

        self._running()
        if self._layout is not None:
            raise KafkaCompatError("only a lone broker in this process can be reset: stop this cluster, start another")
        if self._faults is not None:
            self._faults.clear()

        async def operation(servers: Sequence[BrokerServer]) -> Reset:
            done = await state.reset(servers[0], keep=keep, close_connections=close_connections)
            return Reset([connection_of(each) for each in done["connections"]])

        return self._run_on_all(operation)
