"""Runs of whole nodes whose clocks jump as `Cluster.clock.advance` moves them: the wall clock and that of clients'
timers, by up to a year, at any moment. What nodes do among themselves is measured by the monotonic clock, and goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.sim.invariants import must
from tests.sim.nodes.members import Commits, Member
from tests.sim.nodes.run import Run
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.nodes.cluster import Cluster

MINUTE_MS, DAY_MS = 60_000, 86_400_000
WAYS_MS = (100, 5_000, MINUTE_MS, 5 * MINUTE_MS, DAY_MS, 365 * DAY_MS)
MEMBERS = 2


class JumpFaults:
    """Jumps of the clocks of all nodes; with `kills` nodes are killed in between, so that jumps meet elections."""

    def __init__(self, cluster: Cluster, *, kills: bool) -> None:
        self.count = 0
        self._cluster = cluster
        self._world = cluster.world
        self._rng = cluster.world.rng("jumps")
        self._kills = kills
        self._is_over = False

    def start(self, end_us: int) -> None:
        """Jumps from now until `end_us`."""
        self._next(end_us)

    def stop(self) -> None:
        """No more jumps; all nodes run."""
        self._is_over = True
        for node in self._cluster.nodes.values():
            node.start()

    def _next(self, end_us: int) -> None:
        self._world.after(self._rng.randrange(50, 1500) * MS, lambda: self._strike(end_us))

    def _strike(self, end_us: int) -> None:
        if self._is_over or self._world.now_us >= end_us:
            return
        if self._kills and self._rng.random() < 0.3:
            node = self._cluster.nodes[self._rng.choice(self._cluster.node_ids)]
            node.kill()
            self._world.after(self._rng.choice((50, 2500)) * MS, lambda: self._is_over or node.start())
        else:
            self._jump()
        self._next(end_us)

    def _jump(self) -> None:
        self.count += 1
        way_ms, moves_sessions = self._rng.choice(WAYS_MS), self._rng.random() < 0.5
        jumps = self._cluster.internet.jumps
        jumps.wall_ms += way_ms
        jumps.life_ms += way_ms if moves_sessions else 0
        self._world.note(f"the clocks jump by {way_ms} ms, with sessions: {moves_sessions}")
        for node in self._cluster.nodes.values():
            if node.loop is not None and node.is_ready and node.server is not None:
                node.loop.inject(node.server.after_event)


class JumpRun(Run):
    """The run of one seed, with members of a group. Without `kills` no leader, controller or ISR may change."""

    settings: ClassVar[dict[str, str]] = {"offsets.retention.minutes": "2147483647"}

    def __init__(self, seed: int, *, kills: bool, tell: Callable[[str], None] | None = None) -> None:
        super().__init__(seed, tell)
        self._kills = kills
        self._state: object = None
        self.jumps = self.faults = JumpFaults(self.cluster, kills=kills)  # type: ignore[assignment]
        self.members: list[Member] = []
        self.commits = Commits()

    def _until(self, condition: Callable[[], bool], limit_us: int, failure: str) -> None:
        super()._until(condition, limit_us, failure)
        if not self.members:  # the cluster is whole for the first time
            self.members = [Member(self.cluster, f"m{number}", self.commits) for number in range(MEMBERS)]
            self.cluster.clients += self.members
            super()._until(self._has_begun, 30 * SECOND, "no member has committed")
            if not self._kills:
                self._state = self._of_nodes()

    def _has_begun(self) -> bool:
        """Whether all members have joined, and the group has committed: it is kept now, also without members."""
        return all(member.generations for member in self.members) and self.commits.acknowledged >= 0

    def _check(self) -> None:
        super()._check()
        if self._state is not None and not self.cluster.is_over:
            must(self._of_nodes() == self._state, f"a jump of the clock changed the nodes: {self._of_nodes()}")

    def _of_nodes(self) -> object:
        """Who leads and is in sync, in which epochs, and who is fenced, as each node knows it."""
        return [
            (
                view.quorum.leader_id, view.quorum.leader_epoch, {each.id for each in view.brokers() if each.is_fenced},
                [[(each.leader_id, each.leader_epoch, each.isr) for each in view.partitions(topic)]
                 for topic in view.topics()],
            )
            for view in self.cluster.views
        ]  # fmt: skip

    @property
    def rebalances(self) -> int:
        """The generations that members have been in, after the first."""
        return len(set().union(*(member.generations for member in self.members))) - 1
