"""One random run of whole nodes: clients, random faults, and an end at which the cluster must have recovered."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from tests.sim.invariants import InvariantError, must
from tests.sim.nodes.cluster import Cluster
from tests.sim.nodes.faults import Faults
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READY_WITHIN_US = 20 * SECOND
HEALED_WITHIN_US = 30 * SECOND
LOOK_US = 200 * MS


class Run:
    """The run of one seed."""

    settings: ClassVar[dict[str, str]] = {}
    duration_s: ClassVar[tuple[int, int]] = (8, 20)
    """How long faults strike, at least and less than."""
    stopped_within_us: ClassVar[int] = 5 * SECOND

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.world = World(seed, tell=tell)
        self._rng = rng = self.world.rng("cluster")
        session_ms = rng.choice((1500, 3000, 9000))
        election_ms = rng.choice((300, 1000))
        self.cluster = self._make_cluster(
            rng.choice((1, 2, 3)),
            {
                "broker.session.timeout.ms": str(session_ms),
                "broker.heartbeat.interval.ms": str(session_ms * 2 // 9),
                "controller.quorum.election.timeout.ms": str(election_ms),
                "controller.quorum.fetch.timeout.ms": str(2 * election_ms),
                "controller.quorum.request.timeout.ms": str(rng.choice((1000, 2000))),
                "replica.lag.time.max.ms": str(rng.choice((1000, 3000, 30_000))),
                **self.settings,
            },
        )
        self.faults = self._make_faults()
        self.recovered_us = 0
        self.leaders = 0
        """The number of epochs of the metadata quorum."""
        self._bugs: list[str] = []

    def _make_cluster(self, partition_count: int, config: dict[str, str]) -> Cluster:
        return Cluster(self.world, partition_count, config)

    def _make_faults(self) -> Faults:
        return Faults(self.cluster)

    def _add_clients(self) -> None:
        rng = self._rng
        self.cluster.add_clients(
            rng.choice((1, 2, 3)), rng.choice((1, 2)), rng.choice((30, 100, 300)), acks1=rng.random() < 0.3
        )

    def _is_well(self) -> bool:
        return self.cluster.is_well()

    def _check_the_end(self) -> None:
        self.cluster.check_the_end()

    @property
    def acknowledged(self) -> int:
        return self.cluster.acknowledged_count

    def go(self) -> Run:
        """Run it. Raises InvariantError."""
        try:
            with self._listening(), self.cluster.invariants.watching():
                self._go()
        finally:
            self.cluster.bury()
        return self

    def _go(self) -> None:
        cluster, world, rng = self.cluster, self.world, self._rng
        for node in cluster.nodes.values():
            node.start()
        self._add_clients()
        self._until(cluster.is_whole, READY_WITHIN_US, "the cluster is not ready")
        end_us = world.now_us + rng.randrange(*self.duration_s) * SECOND
        self.faults.start(end_us)
        while world.now_us < end_us:
            world.run_for(LOOK_US)
            cluster.settle()
            self._check()
        self.faults.stop()
        world.run_for(SECOND)
        cluster.is_over = True
        self._until(self._is_well, HEALED_WITHIN_US, "the cluster did not recover")
        self.recovered_us = world.now_us - end_us
        self._check_the_end()
        self.leaders = max(broker.quorum.raft.leader_epoch for broker in cluster.brokers)
        cluster.stop_all(self.stopped_within_us)
        self._check()

    def _until(self, condition: Callable[[], bool], limit_us: int, failure: str) -> None:
        end_us = self.world.now_us + limit_us
        while not condition():
            if self.world.now_us >= end_us:
                raise InvariantError(failure)
            self.world.run_for(LOOK_US)
            self._check()

    def _check(self) -> None:
        found = [*self.cluster.failures(), *self._bugs]
        must(not found, f"{found[:3]}")

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Add the nodes' log lines to the trace. A line about a bug ends the run."""
        logger = logging.getLogger("kafkacompat")
        handler = _Listener(self.world, self._bugs)
        before = logger.level, logger.propagate, logging.root.manager.disable
        logging.disable(logging.NOTSET)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.level, logger.propagate = before[:2]
            logging.disable(before[2])

    def __str__(self) -> str:
        return (
            f"seed {self.world.seed}: {self.world.now_us / SECOND:.0f} s, {self.world.events} events, "
            f"{self.faults.count} faults, {self.acknowledged} acknowledged, well after {self.recovered_us // MS} ms, "
            f"{self.world.digest()}"
        )


class _Listener(logging.Handler):
    def __init__(self, world: World, bugs: list[str]) -> None:
        super().__init__()
        self._world = world
        self._bugs = bugs

    def emit(self, record: logging.LogRecord) -> None:
        loop = asyncio._get_running_loop()
        name = getattr(loop, "name", "nobody")
        line = record.getMessage()
        self._world.note(f"{name} {record.levelname.lower()}: {line}")
        if line.startswith("a bug"):
            cause = record.exc_info[1] if record.exc_info else None
            self._bugs.append(f"{name}: {line}: {cause!r}")
