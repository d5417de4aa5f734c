"""Runs of whole nodes whose topic is compacted and has a retention: what is checked is in `docs/testing.md`."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, cast

from tests.sim.invariants import must
from tests.sim.nodes.cleaning_clients import KeyedProducer, KeyedReader, KeyedTransactions
from tests.sim.nodes.cleaning_invariants import CRASH_IN_SWAP, POWER_LOST, CleaningInvariants
from tests.sim.nodes.clients import TOPIC, Admin
from tests.sim.nodes.cluster import LAST_READ_US, Cluster
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.run import Run
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.nodes.internet import End
    from tests.sim.nodes.node import Node

WATCH_EVERY_US, STRIKE_EVERY_US = 50 * MS, 1_500 * MS
"""How often passes are looked for, and the least time between two faults that are to meet one."""
STRIKE_RATE = 0.2
"""Of the moments at which a pass is seen."""
RENAMES = 12
"""About so many files are renamed when one segment takes the place of two."""


class CleaningCluster(Cluster):
    """Replicas are compacted each by itself: their files differ, and their newest records do not."""

    def _check_logs(self) -> None:
        invariants = cast("CleaningInvariants", self.invariants)
        for index in range(self.partition_count):
            known = invariants.cleaned(index)
            for node in self.nodes.values():
                must(known.check_replica(node.id) == known.end_offset, f"{node.name} lacks records of {TOPIC}-{index}")
                assert node.server is not None
                partition = node.server.broker.partitions.get(TOPIC, index)
                assert partition is not None
                known.check_log(partition.log, node.id, partition.log.log_start_offset)

    def _check_reads(self) -> None:
        for index in range(self.partition_count):
            self.clients.append(KeyedReader(self, f"last{index}", index, from_offset=0))
        done = self.world.run_while(lambda: not all(client.is_done for client in self.clients), LAST_READ_US)
        must(done, "the last readers do not come to the end")


class CleaningFaults(Faults):
    """The faults of whole nodes, and deaths in the middle of a swap of segments."""

    def __init__(self, cluster: Cluster, met: Counter[str], *, splits: bool) -> None:
        """splits: leaders are split off again and again, and nodes lose power."""
        super().__init__(cluster)
        self._kinds += [self._split_off_leader, self._split_off_leader, self._lose_power] if splits else []
        self._met = met
        self._is_on = False
        self._death_rate = self._rng.choice((0, 0.02, 0.1))
        self._found: Any = None
        """The files as they were when a node died in a swap."""
        self._silent: str | None = None
        self._split_off: Node | None = None
        """The leader that was split off last."""
        self._splits = splits
        self._may_strike_us = 0
        invariants = cast("CleaningInvariants", cluster.invariants)
        invariants.before_replace = self._before_replace
        invariants.after_replace = self._after_replace
        cluster.internet.tap = self._is_lost

    def start(self, end_us: int) -> None:
        self._is_on = True
        super().start(end_us)
        if self._splits:
            self._world.after(WATCH_EVERY_US, self._watch)

    def stop(self) -> None:
        self._is_on = False
        super().stop()

    def _all_kinds(self) -> list[Callable[[], None]]:
        return [*super()._all_kinds(), self._split_off_leader]

    def _split_off_leader(self) -> None:
        """Clients still reach a leader that the other nodes do not: what it is given with acks=1 it will truncate."""
        for node in self._leaders()[:1]:
            others = [each.name for each in self._cluster.nodes.values() if each is not node]
            self._cut([node.name], others)
            self._split_off = node

    def _watch(self) -> None:
        """Strike at passes: those of a leader that was split off and replaced, which is to truncate now, and others."""
        if not self._is_on:
            return
        self._world.after(WATCH_EVERY_US, self._watch)
        busy = self._at_pass()
        if not busy:
            return
        if self._split_off in busy and len(self._leaders()) > 1:
            self._world.note(f"{self._split_off.name} is back at a pass")
            self._split_off = None
            self._cluster.internet.cut.clear()
        elif self._may_strike() and self._rng.random() < STRIKE_RATE:
            self._may_strike_us = self._world.now_us + STRIKE_EVERY_US
            self.count += 1
            self._cluster.settle()
            self._rng.choice((self._lose_power, self._split_off_leader))()

    def _may_strike(self) -> bool:
        return not self._cluster.internet.cut and self._world.now_us >= self._may_strike_us

    def _leaders(self) -> list[Node]:
        """Those that take themselves for the leader of the first partition."""
        ready = [(node, node.view.replica(TOPIC, 0)) for node in self._cluster.nodes.values() if node.is_ready]
        return [node for node, replica in ready if replica is not None and replica.is_leader]

    def _at_pass(self) -> list[Node]:
        invariants = cast("CleaningInvariants", self._cluster.invariants)
        return [node for node in self._cluster.nodes.values() if invariants.is_at_pass(node)]

    def _lose_power(self) -> None:
        """Of a node that is at a pass, if there is one."""
        if self._cluster.unsure is not None or not self._cluster.is_whole():
            return
        busy = self._at_pass()
        self._met[POWER_LOST] += bool(busy)
        node = self._rng.choice(busy) if busy else self._node()
        self._cluster.unsure = node.id
        node.lose_power()
        self._later(self._rng.choice((300, 5000)) * MS, node.start)

    def _before_replace(self, node: Node) -> None:
        self._found = None
        if not self._is_on or self._silent is not None or self._rng.random() >= self._death_rate:
            return
        left, own = self._rng.randrange(1, RENAMES), node.fs.rename

        def rename(path: str, new_path: str) -> None:
            nonlocal left
            own(path, new_path)
            left -= 1
            if left == 0:
                self._found = copy.deepcopy(node.fs._root)

        node.fs.rename = rename  # type: ignore[method-assign]

    def _after_replace(self, node: Node) -> None:
        """Nothing that the process does after that moment is seen by anybody: it is dead already."""
        vars(node.fs).pop("rename", None)
        if self._found is not None and node.loop is not None:
            self._met[CRASH_IN_SWAP] += 1
            self._silent = node.name
            node.loop.pause()
            self._cluster.world.after(0, self._die, node, self._found)
            self._found = None

    def _die(self, node: Node, found: Any) -> None:
        self._silent = None
        self.count += 1
        self._world.note(f"{node.name} dies in a swap")
        node.fs._root = found
        self._cluster.settle()
        if self._cluster.unsure is None and self._cluster.is_whole() and self._rng.random() < 0.5:
            self._cluster.unsure = node.id
            node.lose_power()
        else:
            node.kill()
        lives = node.lives

        def start() -> None:
            if node.lives == lives:  # else it came back already, and may have stopped since
                node.start()

        self._world.after(self._rng.choice((50, 2_000)) * MS, start)

    def _is_lost(self, end: End, _data: bytes) -> bool:
        return end.host.name == self._silent


class CleaningRun(Run):
    """The run of one seed."""

    settings: ClassVar[dict[str, str]] = {
        "transaction.state.log.num.partitions": "1",
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
        "log.initial.task.delay.ms": "500",
        "log.cleaner.dedupe.buffer.size": str(1 << 20),
    }
    duration_s: ClassVar[tuple[int, int]] = (7, 11)
    stopped_within_us: ClassVar[int] = 10 * SECOND
    """A slow disk's step of a pass has to end."""

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.met: Counter[str] = Counter()
        """How often a named fault met a named state."""
        self.is_slow = seed % 2 == 0
        """Whether each step of a pass takes long, so that leaders change meanwhile."""
        super().__init__(seed, tell)

    def _make_cluster(self, partition_count: int, config: dict[str, str]) -> Cluster:
        rng = self._rng
        if self.is_slow:
            config |= {"broker.session.timeout.ms": "1500", "broker.heartbeat.interval.ms": "300"}
        config |= {
            "log.cleaner.backoff.ms": str(rng.choice((200, 1000))),
            "log.retention.check.interval.ms": str(rng.choice((500, 2000))),
            "log.flush.offset.checkpoint.interval.ms": str(rng.choice((1000, 60_000))),
            "log.cleaner.io.buffer.load.factor": rng.choice(("0.9", "0.9", "0.9", "0.001")),  # the latter: six keys fit
        }
        cluster = CleaningCluster(
            self.world, min(partition_count, 2), config,
            invariants=lambda cluster: CleaningInvariants(cluster, self.met),
        )  # fmt: skip
        if self.is_slow:
            for node in cluster.nodes.values():
                node.slow_work_us["compaction"] = 1_500 * MS
        policy = rng.choice(("compact", "compact", "compact,delete", *(() if self.is_slow else ("delete",))))
        cluster.topic_configs |= {
            "cleanup.policy": policy,
            "internal.segment.bytes": str(rng.choice((400, 800, 2_000))),
            "segment.ms": str(rng.choice((2_000, 60_000))),
            "min.cleanable.dirty.ratio": rng.choice(("0.01", "0.5")),
            "delete.retention.ms": str(rng.choice((0, 500, 5_000))),
            "min.compaction.lag.ms": str(rng.choice((0, 0, 500))),
            "file.delete.delay.ms": str(rng.choice((0, 500, 60_000))),
            "retention.ms": str(rng.choice((3_000, 10_000)) if "delete" in policy else -1),
            "retention.bytes": str(rng.choice((-1, 3_000)) if "delete" in policy else -1),
        }
        if self.is_slow:  # faults are to meet passes, so there are many
            cluster.topic_configs |= {"min.cleanable.dirty.ratio": "0.01", "min.compaction.lag.ms": "0"}
            cluster.topic_configs["internal.segment.bytes"] = str(rng.choice((400, 800)))
        return cluster

    def _make_faults(self) -> Faults:
        return CleaningFaults(self.cluster, self.met, splits=self.is_slow)

    def _add_clients(self) -> None:
        rng, cluster = self._rng, self.cluster
        clients = cluster.clients
        clients.append(Admin(cluster, "admin"))
        for index in range(cluster.partition_count):
            clients.append(KeyedProducer(cluster, f"p{index}", index, -1, rng.choice((100, 250))))
            clients.append(KeyedReader(cluster, f"r{index}", index))
            if self.is_slow or rng.random() < 0.4:
                clients.append(KeyedProducer(cluster, f"x{index}", index, 1, 200))
        for number in range(rng.choice((0, 1, 2))):
            clients.append(KeyedTransactions(cluster, f"T{number}", rng.choice((1, 2)), rng.choice((100, 500))))

    def __str__(self) -> str:
        return f"{super().__str__()}, {sum(self.met.values())} meetings"
