"""Random faults: each seed draws their kinds and rates (swarm testing). Each fault ends by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.quorum import Node, Quorum

MIN_VOTERS_TO_LOSE_ONE = 3
POINTS = ("before store", "stored", "leading", "appended", "cut", "said")
"""The points at which a process may crash during an event."""


class Faults:
    """The faults of one run."""

    def __init__(self, quorum: Quorum) -> None:
        self.count = 0
        self._quorum = quorum
        self._rng = rng = quorum.world.rng("faults")
        kinds: list[Callable[[], None]] = [
            self._kill, self._lose_power, self._pause, self._isolate, self._split, self._one_way, self._one_link,
            self._resign, self._hearsay, self._restart_all, self._add_voter, self._remove_voter, self._replace_disk,
        ]  # fmt: skip
        self._kinds = [kind for kind in kinds if rng.random() < 0.5]
        self._mean_us = rng.choice((300, 1000, 1000, 3000)) * MS
        self._end_us = 0

    def start(self, end_us: int) -> None:
        """Faults from now until `end_us`."""
        self._end_us = end_us
        rng, quorum = self._rng, self._quorum
        network = quorum.network
        quorum.sync_max_us = rng.choice((1, 5, 5, 50, 50, 1000, 5000)) * MS
        network.delay_max_us = rng.choice((1, 5, 5, 20, 100)) * MS
        network.tail_us = rng.choice((0, 0, 300, 3000)) * MS
        network.loss = rng.choice((0.0, 0.0, 0.002, 0.02))
        network.duplicate = rng.choice((0.0, 0.0, 0.01, 0.1))
        network.shows_deaths = rng.random() < 0.6
        quorum.hazards = {point: rng.choice((0.01, 0.1)) for point in POINTS if rng.random() < 0.25}
        if "said" in quorum.hazards:
            quorum.hazards["said"] /= 20
        quorum.world.note(
            f"faults {[kind.__name__ for kind in self._kinds]} every {self._mean_us // MS} ms, "
            f"points {quorum.hazards} delay {network.delay_max_us} tail {network.tail_us} loss {network.loss} "
            f"duplicate {network.duplicate} deaths {network.shows_deaths} sync {quorum.sync_max_us}"
        )
        if self._kinds:
            self._next()

    def stop(self) -> None:
        self._kinds = []

    def _next(self) -> None:
        self._quorum.world.after(int(self._rng.expovariate(1 / self._mean_us)), self._strike)

    def _strike(self) -> None:
        if self._kinds and self._quorum.world.now_us < self._end_us:
            self.count += 1
            self._rng.choice(self._kinds)()
            self._next()

    def _later(self, max_us: int, undo: Callable[..., None], *arguments: object) -> None:
        self._quorum.world.after(self._rng.randrange(max_us), undo, *arguments)

    def _node(self) -> Node:
        """A random node: the leader as often as all others together, as its faults have the most effect."""
        leaders = self._quorum.leaders()
        nodes = leaders if leaders and self._rng.random() < 0.5 else list(self._quorum.nodes.values())
        return self._rng.choice(nodes)

    def _kill(self) -> None:
        node = self._node()
        node.stop()
        self._later(self._rng.choice((100, 5000)) * MS, node.start)

    def _lose_power(self) -> None:
        nodes = [self._node()] if self._rng.random() < 0.7 else list(self._quorum.nodes.values())
        for node in nodes:
            node.stop(power=False)
            self._later(5 * SECOND, node.start)

    def _restart_all(self) -> None:
        for node in self._quorum.nodes.values():
            node.stop()
            self._later(100 * MS, node.start)

    def _pause(self) -> None:
        node = self._node()
        if node.is_running and not node.is_paused:
            node.pause()
            self._later(self._rng.choice((500, 10_000)) * MS, node.resume)

    def _resign(self) -> None:
        node = self._node()
        node.run(node.incarnation, "resign")
        if self._rng.random() < 0.5:
            self._later(20 * MS, node.stop)
            self._quorum.world.after(SECOND, node.start)

    def _hearsay(self) -> None:
        """False evidence of a death."""
        node, other = self._node(), self._node()
        node.run(node.incarnation, "died", other.id)

    def _add_voter(self) -> None:
        """Add an observer as a voter. The leader often refuses, as it has not caught up or a change is pending."""
        for leader in self._quorum.leaders()[-1:]:
            others = [node for node in self._quorum.nodes.values() if node.id not in leader.replica.voters]  # type: ignore[union-attr]
            if others:
                self._quorum.change_voters(leader, self._rng.choice(others).key, is_new=True)

    def _remove_voter(self) -> None:
        """Remove a voter: first those whose disk is lost."""
        for leader in self._quorum.leaders()[-1:]:
            assert leader.replica is not None
            keys = self._quorum.dead_voters(leader) or list(leader.replica.voters.items())
            self._quorum.change_voters(leader, self._rng.choice(keys), is_new=False)

    def _replace_disk(self) -> None:
        """Lose the disk of an observer, or of one voter if the others have a majority and none has lost its disk."""
        quorum = self._quorum
        leaders = quorum.leaders()
        newest = max(node.disk.log.last_epoch for node in quorum.nodes.values())
        if not leaders or leaders[-1].replica.epoch < newest or not leaders[-1].replica.has_committed:  # type: ignore[union-attr]
            return
        node = self._rng.choice(list(quorum.nodes.values()))
        if quorum.is_static and node.id in quorum.voters:
            return  # a static voter is identified without its directory, so nothing protects from the loss of its disk
        sets = [one.disk.log.voters for one in quorum.nodes.values()]
        keys = {voter.key for voters in sets if voters for voter in voters}
        dead = [key for key in keys if quorum.nodes[key[0]].key != key]
        is_spare = not dead and min((len(voters) for voters in sets if voters), default=0) >= MIN_VOTERS_TO_LOSE_ONE
        if node.key not in keys or is_spare:
            node.replace_disk()
            self._later(2 * SECOND, node.start)

    def _isolate(self) -> None:
        node = self._node()
        self._cut([node.id], [other for other in self._quorum.nodes if other != node.id])

    def _split(self) -> None:
        nodes = list(self._quorum.nodes)
        self._rng.shuffle(nodes)
        at = self._rng.randint(0, len(nodes))
        self._cut(nodes[:at], nodes[at:])

    def _one_way(self) -> None:
        node = self._node()
        groups = [node.id], [other for other in self._quorum.nodes if other != node.id]
        if self._rng.random() < 0.5:
            groups = groups[1], groups[0]
        self._cut(*groups, one_way=True)

    def _one_link(self) -> None:
        one, other = self._rng.choices(list(self._quorum.nodes), k=2)
        if one != other:
            self._cut([one], [other])

    def _cut(self, one: list[int], other: list[int], *, one_way: bool = False) -> None:
        """A new network partition replaces the previous one; each heals by itself."""
        network = self._quorum.network
        network.cut.clear()
        self._quorum.cut_off(one, other, one_way=one_way)
        self._quorum.world.note(f"cut {one} {'>' if one_way else '|'} {other}")
        cut = set(network.cut)
        self._later(self._rng.choice((1, 4, 10)) * SECOND, network.cut.difference_update, cut)
