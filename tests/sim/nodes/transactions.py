"""Runs of whole nodes with transactions: instances that fence each other, zombies, readers, and faults among all that.

The list of what is checked is in `docs/testing.md`.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, cast

from tests.sim.invariants import must
from tests.sim.nodes.clients import TOPIC
from tests.sim.nodes.cluster import Cluster
from tests.sim.nodes.run import Run
from tests.sim.nodes.transaction_changes import TopicDeleter, VersionChanger
from tests.sim.nodes.transaction_clients import (
    CommittedReader,
    Instance,
    LastCommittedReader,
    LastInstance,
    OffsetReader,
)
from tests.sim.nodes.transaction_faults import TransactionFaults
from tests.sim.nodes.transaction_invariants import STATE_TOPIC, TransactionInvariants
from tests.sim.nodes.transaction_ledger import Ledger
from tests.sim.nodes.transaction_protocol import OFFSETS_TOPIC
from tests.sim.nodes.transaction_story import LAST_CLIENT_EPOCH
from tests.sim.world import SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.sim.nodes.clients import Client

STATE_PARTITIONS = 2
EPOCH_LIMITS = ("LAST_CLIENT_EPOCH", "MAX_EPOCH")
READ_US = 20 * SECOND
CHANGE_RATE = 0.4
"""The part of the runs in which transaction.version changes, and in which a topic is deleted."""
AT_ONCE_RATE = 0.4
"""The part of the runs in which producers write to all partitions at once."""


class TransactionRun(Run):
    """The run of one seed, of a minute and more."""

    settings: ClassVar[dict[str, str]] = {
        "transaction.state.log.num.partitions": str(STATE_PARTITIONS),
        "offsets.topic.num.partitions": "1",
        "min.insync.replicas": "2",  # of the offsets: with one, a loss of power may lose what is committed
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
        "offsets.retention.minutes": "2147483647",
    }
    duration_s: ClassVar[tuple[int, int]] = (60, 75)

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.ledger = Ledger()
        self._has_last_instances = False
        """Whether new instances have come after all faults, which end what former ones left open."""
        super().__init__(seed, tell)
        self.ledger.rows = self.invariants.rows
        self.last_epoch = self.world.rng("epochs").choice((LAST_CLIENT_EPOCH, LAST_CLIENT_EPOCH, 12, 40))
        """The last epoch of a producer id, of which a run would never see Kafka's."""
        self.ledger.last_epoch = self.last_epoch

    def go(self) -> TransactionRun:
        with few_epochs(self.last_epoch):
            super().go()
        return self

    def __str__(self) -> str:
        ended = Counter(told.outcome for told in self.ledger.transactions.values())
        return f"{super().__str__()}, {ended[True]} committed, {ended[False]} aborted, {ended[None]} unknown"

    @property
    def met(self) -> Counter[str]:
        return self.ledger.met

    @property
    def invariants(self) -> TransactionInvariants:
        return cast("TransactionInvariants", self.cluster.invariants)

    def _make_cluster(self, partition_count: int, config: dict[str, str]) -> Cluster:
        topics = {STATE_TOPIC: STATE_PARTITIONS, OFFSETS_TOPIC: 1}
        return Cluster(self.world, partition_count, config, internal_topics=topics, invariants=TransactionInvariants)

    def _make_faults(self) -> TransactionFaults:
        return TransactionFaults(self.invariants, self.ledger)

    def _add_clients(self) -> None:
        rng, cluster = self._rng, self.cluster
        cluster.topic_configs["segment.ms"] = str(rng.choice((2_000, 10_000)))
        cluster.add_clients(1, 1, 300, acks1=False)
        cluster.clients.append(cast("TransactionFaults", self.faults).late_requests)
        self._add_changes()
        writes_at_once = self.world.rng("leaders at once").random() < AT_ONCE_RATE
        self.ids = [f"T{number}" for number in range(rng.choice((1, 2, 3)))]
        for transactional_id in self.ids:
            timeout_ms = rng.choice((1_000, 3_000, 6_000))
            instances, protocol = rng.choice((1, 1, 2)), rng.choice((1, 2))
            instances = 1 if self._changes_version else instances
            for number in range(instances):
                cluster.clients.append(
                    Instance(
                        cluster, self.ledger, f"{transactional_id}-{number}", transactional_id,
                        protocol=protocol, timeout_ms=timeout_ms, pause_ms=rng.choice((20, 200, 1_000)),
                        changes_protocol=not self._changes_version and instances == 1 and rng.random() < 0.5,
                        follows_version=self._changes_version, uses_doomed=self._deletes_a_topic,
                        writes_at_once=writes_at_once,
                    )
                )  # fmt: skip
            cluster.clients.append(OffsetReader(cluster, self.ledger, f"offsets-{transactional_id}", transactional_id))
        for index in range(cluster.partition_count):
            story = self.invariants.stories[TOPIC, index]
            cluster.clients.append(CommittedReader(cluster, f"r{index}", story, index))

    def _add_changes(self) -> None:
        cluster, ledger, rng = self.cluster, self.ledger, self.world.rng("mid-run")
        self._changes_version, self._deletes_a_topic = (rng.random() < CHANGE_RATE for _ in range(2))
        if self._changes_version:
            pause_ms = rng.choice((3_000, 20_000))
            cluster.clients.append(VersionChanger(cluster, "versions", ledger, self.invariants, pause_ms))
        if self._deletes_a_topic:
            pause_ms = rng.choice((1_000, 8_000))
            cluster.clients.append(TopicDeleter(cluster, "deleter", ledger, self.invariants, pause_ms))

    def _is_well(self) -> bool:
        faults = cast("TransactionFaults", self.faults)
        if faults.late_requests.on_the_way:
            return False
        may_be_open = faults.turns_clocks and not self._has_last_instances
        return (may_be_open or self.invariants.is_settled()) and super()._is_well()

    def _until(self, condition: Callable[[], bool], limit_us: int, failure: str) -> None:
        try:
            super()._until(condition, limit_us, failure)
        except AssertionError:
            self.world.note(f"not settled: {self.invariants.unsettled()}")
            raise

    def _check_the_end(self) -> None:
        cluster, stories = self.cluster, self.invariants.stories
        cluster.is_over = False  # for those who come now
        self._has_last_instances = True
        self._finish([
            LastInstance(
                cluster, self.ledger, f"last-{transactional_id}", transactional_id, protocol=self._rng.choice((1, 2)),
                timeout_ms=10_000, pause_ms=20,
            )
            for transactional_id in self.ids
        ])  # fmt: skip
        cluster.is_over = True
        self._until(self._is_well, READ_US, "the last transactions do not end")
        super()._check_the_end()
        self.ledger.check_the_end(stories.values(), self.invariants.results)
        for view in cluster.views:
            self.invariants.check_producers(view)
        cluster.is_over = False  # for the readers
        readers: list[LastCommittedReader | LastOffsetReader] = []
        for index in range(cluster.partition_count):
            replica = cluster.views[0].replica(TOPIC, index)
            assert replica is not None
            story = stories[TOPIC, index]
            readers.append(LastCommittedReader(cluster, f"end{index}", story, index, replica.log_end_offset))
        newest = {value.split(".")[0]: int(value.split(".")[1]) for _, value in stories[OFFSETS_TOPIC, 0].visible()}
        for transactional_id in self.ids:
            expected = newest.get(transactional_id, 0)
            readers.append(
                LastOffsetReader(cluster, self.ledger, f"end-{transactional_id}", transactional_id, expected)
            )
        self._finish(readers)
        cluster.is_over = True

    def _finish(self, clients: Sequence[Client]) -> None:
        """Add clients, and let them come to their end."""
        self.cluster.clients += clients
        done = self.world.run_while(lambda: not all(client.is_done for client in clients), READ_US)
        self._check()
        must(done, f"{[client.name for client in clients if not client.is_done]} do not come to the end")


@contextmanager
def few_epochs(last_epoch: int) -> Iterator[None]:
    """Let the epochs of a producer id end earlier, in all modules that know the numbers."""
    importlib.import_module("kafkacompat.broker.coordinator.txn.shard")
    now = {LAST_CLIENT_EPOCH: last_epoch, LAST_CLIENT_EPOCH + 1: last_epoch + 1}
    before = [
        (vars(module), name, vars(module)[name])
        for title, module in sorted(sys.modules.items()) if title.startswith("kafkacompat.")
        for name in EPOCH_LIMITS if vars(module).get(name) in now
    ]  # fmt: skip
    try:
        for names, name, value in before:
            names[name] = now[value]
        yield
    finally:
        for names, name, value in before:
            names[name] = value


class LastOffsetReader(OffsetReader):
    """Finds the committed offset that the log says."""

    def __init__(self, cluster: Cluster, ledger: Ledger, name: str, transactional_id: str, expected: int) -> None:
        self._expected = expected
        super().__init__(cluster, ledger, name, transactional_id)

    async def go(self) -> None:
        found = await self.look()
        must(found == self._expected, f"T7: the group of {self.transactional_id} has {found}, the log {self._expected}")
