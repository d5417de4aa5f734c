"""Random faults among brokers: each seed draws their kinds and rates (swarm testing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.replication.cluster import Cluster
    from tests.sim.replication.node import Node

CONTROLLER = 0


class Faults:
    """The faults of one run."""

    def __init__(self, cluster: Cluster, *, min_isrs: tuple[int, ...] = ()) -> None:
        self.count = 0
        self._cluster = cluster
        self._world = cluster.world
        self._rng = rng = cluster.world.rng("faults")
        self._min_isrs = min_isrs
        kinds: list[Callable[[], None]] = [
            self._kill, self._lose_power, self._lose_power, self._pause, self._isolate, self._one_way, self._one_link,
            self._cut_controller, self._fence, self._fail_over, self._restart_all, self._stop_cleanly,
            self._reassign, self._elect_preferred,
        ]  # fmt: skip
        self._kinds = [kind for kind in kinds if rng.random() < 0.5]
        if min_isrs:
            self._kinds += [self._alter_min_isr] * 2
        self._mean_us = rng.choice((300, 700, 1500, 3000)) * MS
        self._end_us = 0

    def start(self, end_us: int) -> None:
        """Faults from now until `end_us`."""
        self._end_us = end_us
        rng, network = self._rng, self._cluster.network
        network.delay_max_us = rng.choice((1, 5, 5, 20, 100)) * MS
        network.tail_us = rng.choice((0, 0, 300, 3000)) * MS
        network.loss = rng.choice((0.0, 0.0, 0.002, 0.02))
        network.duplicate = rng.choice((0.0, 0.0, 0.01, 0.1))
        network.shows_deaths = rng.random() < 0.6
        self._world.note(
            f"faults {[kind.__name__ for kind in self._kinds]} every {self._mean_us // MS} ms, "
            f"delay {network.delay_max_us} tail {network.tail_us} loss {network.loss} "
            f"duplicate {network.duplicate} deaths {network.shows_deaths}"
        )
        if self._kinds:
            self._next()

    def stop(self) -> None:
        self._kinds = []

    def _next(self) -> None:
        self._world.after(int(self._rng.expovariate(1 / self._mean_us)), self._strike)

    def _strike(self) -> None:
        if self._kinds and self._world.now_us < self._end_us:
            self.count += 1
            self._rng.choice(self._kinds)()
            self._next()

    def _later(self, max_us: int, undo: Callable[..., None], *arguments: object) -> None:
        self._world.after(self._rng.randrange(max_us), undo, *arguments)

    def _node(self) -> Node:
        """A random broker: the leader as often as all others together."""
        leader = self._cluster.nodes.get(self._cluster.partition.leader)
        if leader is not None and self._rng.random() < 0.5:
            return leader
        return self._cluster.nodes[self._rng.choice(self._cluster.broker_ids)]

    def _kill(self) -> None:
        node = self._node()
        self._cluster.kill(node)
        self._later(self._rng.choice((100, 5000)) * MS, node.start)

    def _lose_power(self) -> None:
        node = self._node()
        if self._cluster.lose_power(node):
            self._later(self._rng.choice((100, 5000)) * MS, node.start)

    def _restart_all(self) -> None:
        for node in self._cluster.nodes.values():
            self._cluster.kill(node)
            self._later(self._rng.choice((100, 3000)) * MS, node.start)

    def _stop_cleanly(self) -> None:
        node = self._node()
        node.is_stopping = True
        self._later(4 * SECOND, self._start_again, node)

    def _start_again(self, node: Node) -> None:
        """Kill a broker whose controlled shutdown has not ended, as that cannot be cancelled."""
        if node.is_stopping and not node.is_paused and self._cluster.kill(node):
            self._later(SECOND, node.start)
        elif not node.is_running:
            node.start()

    def _pause(self) -> None:
        node = self._node()
        if node.is_running and not node.is_paused:
            node.pause()
            self._later(self._rng.choice((500, 3000, 10_000)) * MS, node.resume)

    def _fence(self) -> None:
        self._cluster.fence(self._rng.choice(self._cluster.broker_ids))

    def _fail_over(self) -> None:
        self._cluster.controller.fail_over(self._rng.choice((20, 500, 3000)) * MS)

    def _alter_min_isr(self) -> None:
        self._cluster.set_min_isr(self._rng.choice(self._min_isrs))

    def _reassign(self) -> None:
        """As many replicas as before, or as the budget was counted for."""
        count = self._cluster.replica_count
        wanted = self._rng.sample(self._cluster.broker_ids, k=count)
        self._cluster.reassign(None if self._rng.random() < 0.2 else wanted)

    def _elect_preferred(self) -> None:
        self._cluster.elect_preferred()

    def _everybody_but(self, node: Node) -> list[int]:
        clients = [client.id for client in self._cluster.clients if self._rng.random() < 0.5]
        return [other for other in (CONTROLLER, *self._cluster.broker_ids, *clients) if other != node.id]

    def _isolate(self) -> None:
        node = self._node()
        self._cut([node.id], self._everybody_but(node))

    def _one_way(self) -> None:
        node = self._node()
        groups = [node.id], self._everybody_but(node)
        if self._rng.random() < 0.5:
            groups = groups[1], groups[0]
        self._cut(*groups, one_way=True)

    def _one_link(self) -> None:
        one, other = self._rng.sample(self._cluster.broker_ids, k=2)
        self._cut([one], [other])

    def _cut_controller(self) -> None:
        self._cut([self._node().id], [CONTROLLER])

    def _cut(self, one: list[int], other: list[int], *, one_way: bool = False) -> None:
        """A new network partition replaces the previous one; each heals by itself."""
        network = self._cluster.network
        network.cut.clear()
        cut = {(a, b) for a in one for b in other}
        if not one_way:
            cut |= {(b, a) for a, b in cut}
        network.cut |= cut
        self._world.note(f"cut {one} {'>' if one_way else '|'} {other}")
        self._later(self._rng.choice((1, 3, 8)) * SECOND, network.cut.difference_update, set(cut))
