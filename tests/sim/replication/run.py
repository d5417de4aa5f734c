"""One random run of brokers: a cluster, clients, random faults and an end at which it must have recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.constants import ACKS_ALL
from tests.sim.invariants import InvariantError
from tests.sim.replication.cluster import BeyondPromiseError, Cluster
from tests.sim.replication.faults import Faults
from tests.sim.replication.memory_log import NEVER
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Callable

HEALED_WITHIN_US = 20 * SECOND


class Run:
    """The run of one seed."""

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None, *, mode: str = "A") -> None:
        """Mode A has logs in memory, mode B the real log on a disk that loses unsynced data."""
        self.world = World(seed, tell=tell)
        rng = self.world.rng("cluster")
        brokers = (1, 2, 3) if rng.random() < 0.8 else (1, 2, 3, 4)
        replicas = tuple(rng.sample(brokers, k=rng.choice((2, 3, 3, 3))))
        min_isrs: tuple[int, ...] = ()
        min_isr = 2
        if rng.random() < 0.15:
            min_isrs = rng.choice(((1, 2), (2, 3)))
            min_isr = min_isrs[0]
        self.cluster = Cluster(
            self.world, brokers, replicas, min_isr,
            flush_messages=1 if rng.random() < 0.15 else NEVER, lag_ms=rng.choice((300, 1000, 3000)),
            session_ms=rng.choice((900, 1800)),
        )  # fmt: skip
        cluster = self.cluster
        cluster.metadata_max_us = rng.choice((2, 5, 50, 500, 2000)) * MS
        cluster.flush_max_us = rng.choice((100, 1000, 5000)) * MS
        cluster.controller.commit_max_us = rng.choice((2, 10, 200)) * MS
        pause_us = rng.choice((20, 100, 300)) * MS
        cluster.add_clients(rng.choice((1, 2, 3)), 0, acks=ACKS_ALL, pause_us=pause_us)
        cluster.add_clients(rng.choice((0, 1)), 1, acks=1, pause_us=pause_us)
        self.faults = Faults(cluster, min_isrs=min_isrs)
        self._end_us = rng.randrange(10, 35) * SECOND
        self.recovered_us = 0
        if mode == "B":
            from tests.sim.replication.file_log import use_files

            use_files(cluster)

    @property
    def leaders(self) -> int:
        return len(self.cluster.invariants.leaders)

    @property
    def acknowledged(self) -> int:
        return len(self.cluster.acknowledged)

    def go(self) -> Run:
        """Run it. Raises InvariantError, and any exception of a core."""
        try:
            self._go()
        except BeyondPromiseError:
            self.world.note("beyond what is promised")
        return self

    def _go(self) -> None:
        cluster, world = self.cluster, self.world
        cluster.start()
        self.faults.start(self._end_us)
        world.run_until(self._end_us)
        self.faults.stop()
        cluster.heal()
        world.run_for(SECOND)
        cluster.is_over = True
        if not world.run_while(lambda: not cluster.is_well(), HEALED_WITHIN_US, 50 * MS):
            raise InvariantError("the cluster did not recover")
        self.recovered_us = world.now_us - self._end_us
        cluster.check_the_end()

    def __str__(self) -> str:
        return (
            f"seed {self.world.seed}: {len(self.cluster.nodes)} brokers, {self.world.now_us / SECOND:.0f} s, "
            f"{self.world.events} events, {self.leaders} leaders, {self.faults.count} faults, "
            f"{self.acknowledged} acknowledged of {len(self.cluster.invariants.committed)} committed, well after "
            f"{self.recovered_us // MS} ms, {self.world.digest()}"
        )
