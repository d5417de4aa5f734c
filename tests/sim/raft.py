"""One random run of a quorum: a cluster, random faults, and an end at which the cluster must have recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sim.faults import Faults
from tests.sim.invariants import InvariantError
from tests.sim.quorum import Quorum
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Callable

HEALED_WITHIN_US = 15 * SECOND
CALM_US = 4 * SECOND
"""After recovery there must be no election for this long."""


class Run:
    """The run of one seed."""

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.world = World(seed, tell=tell)
        rng = self.world.rng("cluster")
        voters, observers = rng.choice((1, 2, 3, 3, 3, 3, 4, 5, 5)), rng.choice((0, 0, 1, 2))
        how = self.world.rng("how voters come to be")
        is_static, joins = how.random() < 0.2, how.random() < 0.25
        self.quorum = Quorum(self.world, voters, observers, is_static=is_static, joins=joins)
        self._raise_us = how.randrange(2, 20) * SECOND
        self.quorum.clock_drift = rng.choice((0.0, 0.05))
        self.quorum.snapshot_chance = self.world.rng("how many snapshots").choice((0.0, 0.0, 0.002, 0.02))
        self.faults = Faults(self.quorum)
        self._rng = self.world.rng("clients")
        self._append_us = rng.choice((20, 100, 100, 300)) * MS
        self._end_us = rng.randrange(5, 25) * SECOND
        self.recovered_us = 0
        """The time to recover after the faults ended."""

    @property
    def leaders(self) -> int:
        """The number of faults."""
        return len(self.quorum.invariants.leaders)

    @property
    def acknowledged(self) -> int:
        """The number of appends."""
        return len(self.quorum.acknowledged)

    def go(self) -> Run:
        """Run it. Raises InvariantError, and any exception of a replica."""
        quorum, world = self.quorum, self.world
        quorum.start()
        self._appends()
        if quorum.is_static:
            world.after(self._raise_us, self._raise_level)
        self.faults.start(self._end_us)
        world.run_until(self._end_us)
        self.faults.stop()
        quorum.heal()
        self._must_come(self._is_well, "the cluster did not recover")
        self.recovered_us = world.now_us - self._end_us
        epoch = quorum.invariants.newest_epoch
        world.run_for(CALM_US)
        if quorum.invariants.newest_epoch != epoch or not quorum.is_settled():
            raise InvariantError(f"an election after epoch {epoch}, without a reason")
        self._must_come(quorum.is_caught_up, "not everybody caught up")
        quorum.check_the_end()
        return self

    def _is_well(self) -> bool:
        """An administrator removes voters whose disk was lost: with a new disk it is another replica."""
        quorum = self.quorum
        leader = quorum.leader()
        dead = [] if leader is None else quorum.dead_voters(leader)
        if leader is not None and dead:
            quorum.change_voters(leader, dead[0], is_new=False)
        return not dead and quorum.is_settled() and quorum.is_caught_up()

    def _must_come(self, condition: Callable[[], bool], failure: str) -> None:
        if not self.world.run_while(lambda: not condition(), HEALED_WITHIN_US, 20 * MS):
            raise InvariantError(failure)

    def _raise_level(self) -> None:
        """An administrator moves the voters into the log, retrying until that is done."""
        self.quorum.raise_level()
        if not any(isinstance(value, tuple) for _, value in self.quorum.invariants.committed):
            self.world.after(SECOND, self._raise_level)

    def _appends(self) -> None:
        """Clients append at random replicas that believe to lead, including deposed leaders."""
        leaders = self.quorum.leaders()
        if leaders:
            node = leaders[self._rng.randrange(len(leaders))]
            self.quorum.append(node, self._rng.choice((1, 1, 1, 2, 5)))
        if self.world.now_us < self._end_us + SECOND:
            self.world.after(self._rng.randrange(self._append_us), self._appends)

    def __str__(self) -> str:
        quorum = self.quorum
        observers = len(quorum.nodes) - len(quorum.voters)
        return (
            f"seed {self.world.seed}: {len(quorum.voters)}+{observers} replicas, {self.world.now_us / SECOND:.0f} s, "
            f"{self.world.events} events, {len(quorum.invariants.leaders)} leaders, {self.faults.count} faults, "
            f"{quorum.voter_changes} changes of voters, {quorum.voter_requests} voter requests, "
            f"{quorum.snapshots} snapshots, {len(quorum.acknowledged)} acknowledged, well after "
            f"{self.recovered_us // MS} ms, {self.world.digest()}"
        )
