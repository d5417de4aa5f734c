"""Faults of a cluster: whole nodes are killed, paused, isolated; rules concern single requests."""

from __future__ import annotations

from kafkacompat.cluster.resizing import Resizing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.cluster.faults import Faults


class NodeFaults(Resizing):
    """The faults that `Cluster` offers. Those of nodes raise KafkaCompatError for an unknown node id."""

    @property
    def faults(self) -> Faults:
        """The fault rules of this cluster (docs/faults.md)."""
        if self._faults is None:
            from kafkacompat.cluster.faults import Faults

            if (joined := self._joined) is not None:
                from functools import partial

                from kafkacompat.cluster.process_faults import add_to, found_in

                self._faults = Faults(self._on_running_nodes, partial(add_to, joined), partial(found_in, joined))
            else:
                self._faults = Faults(self._on_running_nodes)
                self._running().on_opened.append(self._faults.install_all)
        return self._faults

    def kill(self, broker: int) -> None:
        """Kill one broker: SIGKILL for a process; a broker in this process closes its files without flushing."""
        self._stop_one(broker, clean=False)

    def pause(self, broker: int) -> None:
        """Pause one broker (SIGSTOP): it keeps its connections but answers nothing. Needs processes=True."""
        self._running().pause(broker)

    def resume(self, broker: int) -> None:
        """Resume a paused broker (SIGCONT)."""
        self._running().resume(broker)

    def heal_all(self) -> None:
        """End every fault of running brokers: links, disks, replicas that lag. Stopped and paused ones stay so."""
        if self._links is not None:
            self.heal()
        self._ask("cluster_faults:heal")

    def _stop_one(self, broker: int, *, clean: bool) -> None:
        self._running().stop_node(broker, clean=clean)
        if self._links is not None:
            self._links.refuse(broker)
        else:
            self._heal_links(broker)
