"""What the control API of a cluster in a Python program does with whole nodes: the verbs of `Cluster`."""

from __future__ import annotations

from kafkacompat.cluster.nodes import check_node
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.cluster.nodes import Nodes

    class Cluster(Protocol):
        """What of `Cluster` is used."""

        def kill(self, broker: int) -> None: ...

        def stop(self, broker: int | None = None) -> None: ...

        def restart(self, broker: int | None = None) -> None: ...

        def pause(self, broker: int) -> None: ...

        def resume(self, broker: int) -> None: ...


class ClusterVerbs:
    """Implements `control_api.http.calls.NodeVerbs`."""

    def __init__(self, cluster: Cluster, nodes: Nodes) -> None:
        self._cluster = cluster
        self._nodes = nodes

    def kill(self, broker: int) -> None:
        self._cluster.kill(broker)

    def stop(self, broker: int) -> None:
        self._cluster.stop(broker)

    def start(self, broker: int) -> None:
        if self.is_running(broker):
            raise KafkaCompatError(f"node {broker} is already running")
        self._cluster.restart(broker)

    def restart(self, broker: int) -> None:
        self._cluster.restart(broker)

    def pause(self, broker: int) -> None:
        self._cluster.pause(broker)

    def resume(self, broker: int) -> None:
        self._cluster.resume(broker)

    def is_running(self, broker: int) -> bool:
        check_node(broker, self._nodes.node_ids())
        return self._nodes.pid(broker) is not None
