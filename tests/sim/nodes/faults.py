"""Random faults among whole nodes: each seed draws their kinds and rates (swarm testing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.node import Node


MAX_ERROR_S = 1800
"""The largest clock error. With an hour, records of clients with the right time would be refused."""

MENDED_SYNC_US = 100 * MS
"""The slowest sync: with a second on two of three disks, sessions of 1.5 s would expire again and again."""


class Faults:
    """The faults of one run."""

    def __init__(self, cluster: Cluster) -> None:
        self.count = 0
        self._cluster = cluster
        self._world = cluster.world
        self._rng = rng = cluster.world.rng("faults")
        self._kinds = [kind for kind in self._all_kinds() if rng.random() < 0.5]
        self._mean_us = rng.choice((700, 1500, 3000)) * MS
        self._end_us = 0

    def _all_kinds(self) -> list[Callable[[], None]]:
        return [
            self._kill, self._kill_all, self._pause, self._isolate, self._one_way, self._one_link, self._reset,
            self._stop_cleanly, self._lose_power, self._turn_clock, self._be_slow, self._fill_disk,
        ]  # fmt: skip

    def start(self, end_us: int) -> None:
        """Faults from now until `end_us`."""
        self._end_us = end_us
        rng, internet = self._rng, self._cluster.internet
        internet.delay_max_us = rng.choice((1, 2, 10, 50)) * MS
        internet.tail_us = rng.choice((0, 0, 100, 1000)) * MS
        for node in self._cluster.nodes.values():
            node.slowest_sync_us = rng.choice((1, 5, 5, 50)) * MS
        self._world.note(
            f"faults {[kind.__name__ for kind in self._kinds]} every {self._mean_us // MS} ms, "
            f"delay {internet.delay_max_us} tail {internet.tail_us}"
        )
        if self._kinds:
            self._next()

    def stop(self) -> None:
        """End all faults, and repair their effects."""
        self._kinds = []
        internet = self._cluster.internet
        internet.cut.clear()
        internet.tail_us = 0
        internet.delay_max_us = min(internet.delay_max_us, 10 * MS)
        for node in self._cluster.nodes.values():
            node.fs.free_bytes = None
            node.resume()
            if node.is_stopping:
                node.kill()
            node.slowest_sync_us = min(node.slowest_sync_us, MENDED_SYNC_US)
            node.machine.slowest_sync_us = min(node.machine.slowest_sync_us, MENDED_SYNC_US)
            node.start()

    def _next(self) -> None:
        self._world.after(int(self._rng.expovariate(1 / self._mean_us)), self._strike)

    def _strike(self) -> None:
        if self._kinds and self._world.now_us < self._end_us:
            self.count += 1
            self._cluster.settle()
            self._rng.choice(self._kinds)()
            self._next()

    def _later(self, max_us: int, undo: Callable[..., None], *arguments: object) -> None:
        def mend() -> None:
            if self._kinds:
                undo(*arguments)

        self._world.after(self._rng.randrange(max_us), mend)

    def _node(self) -> Node:
        """A random node: the active controller as often as all others together."""
        nodes = self._cluster.nodes
        for broker in self._cluster.brokers:
            if broker.quorum.is_active and self._rng.random() < 0.5:
                return nodes[broker.node_id]
        return nodes[self._rng.choice(self._cluster.node_ids)]

    # --- processes ---

    def _kill(self) -> None:
        node = self._node()
        node.kill()
        self._later(self._rng.choice((50, 4000)) * MS, node.start)

    def _kill_all(self) -> None:
        for node in self._cluster.nodes.values():
            node.kill()
            self._later(self._rng.choice((100, 3000)) * MS, node.start)

    def _lose_power(self) -> None:
        """Cut the power of one node, while the others hold all committed records: without syncs that is the limit."""
        node = self._node()
        if self._cluster.unsure is None and self._cluster.is_whole():
            self._cluster.unsure = node.id
            node.lose_power()
            self._later(self._rng.choice((300, 5000)) * MS, node.start)

    def _pause(self) -> None:
        node = self._node()
        node.pause()
        self._later(self._rng.choice((300, 2000, 6000)) * MS, node.resume)

    def _stop_cleanly(self) -> None:
        node = self._node()
        node.stop()
        self._later(4 * SECOND, self._start_again, node)

    def _start_again(self, node: Node) -> None:
        """Kill a process that has not stopped in time."""
        if node.is_stopping and not node.is_paused:
            node.kill()
        node.start()

    def _turn_clock(self) -> None:
        node = self._node()
        if node.loop is not None:
            node.machine.clock.wall_us = self._rng.randrange(-MAX_ERROR_S, MAX_ERROR_S) * SECOND
            self._world.note(f"{node.name} has another time of day")

    def _be_slow(self) -> None:
        node = self._node()
        node.slowest_sync_us = self._rng.choice((1, 5, 100, 1000)) * MS  # from its next start on

    def _fill_disk(self) -> None:
        """Fill the disk of one node, or sometimes of all: appends fail until there is room again."""
        rng = self._rng
        nodes = list(self._cluster.nodes.values()) if rng.random() < 0.25 else [self._node()]
        for node in nodes:
            node.fs.free_bytes = rng.choice((0, 100, 10_000))
            self._world.note(f"{node.name} has {node.fs.free_bytes} bytes left on its disk")
            self._later(rng.choice((1000, 5000)) * MS, self._make_room, node)

    def _make_room(self, node: Node) -> None:
        node.fs.free_bytes = None
        self._world.note(f"{node.name} has room again")
        has_given_up = node.has_given_up
        if has_given_up:
            node.kill()
        if node.was_refused or has_given_up:
            node.start()

    # --- the network ---

    def _everybody_but(self, node: Node) -> list[str]:
        return [name for name in self._cluster.internet.hosts if name != node.name and self._rng.random() < 0.9]

    def _isolate(self) -> None:
        node = self._node()
        self._cut([node.name], self._everybody_but(node))

    def _one_way(self) -> None:
        node = self._node()
        groups = [node.name], self._everybody_but(node)
        if self._rng.random() < 0.5:
            groups = groups[1], groups[0]
        self._cut(*groups, one_way=True)

    def _one_link(self) -> None:
        one, other = self._rng.sample(self._cluster.node_ids, k=2)
        self._cut([f"n{one}"], [f"n{other}"])

    def _reset(self) -> None:
        one, other = self._rng.sample(sorted(self._cluster.internet.hosts), k=2)
        self._world.note(f"connections between {one} and {other} break")
        self._cluster.internet.reset_some(one, other)

    def _cut(self, one: list[str], other: list[str], *, one_way: bool = False) -> None:
        """A new network partition replaces the previous one; each heals by itself."""
        internet = self._cluster.internet
        internet.cut.clear()
        cut = {(a, b) for a in one for b in other}
        if not one_way:
            cut |= {(b, a) for a, b in cut}
        internet.cut |= cut
        self._world.note(f"cut {one} {'>' if one_way else '|'} {other}")
        self._later(self._rng.choice((1, 3, 8)) * SECOND, internet.cut.difference_update, set(cut))
