"""Producers and consumers. A producer sends one batch at a time, and retries it until the answer is final."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.chaos import history
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.fetch import FetchPartition
from kafkacompat.replication.raft.messages import Send
from tests.sim.invariants import must
from tests.sim.replication.memory_log import Batch
from tests.sim.replication.messages import Fetch, Fetched, Produce, Produced
from tests.sim.world import MS

if TYPE_CHECKING:
    from tests.sim.replication.cluster import Cluster

KEY = "t/0"
RETRY_US = 100 * MS


def promised(offset: int, batches: list[Batch]) -> list[tuple[int, str]]:
    """The records read from idempotent producers; a record of another producer may be missing or duplicated."""
    return [(at, batch.value) for at, batch in enumerate(batches, offset) if batch.producer_id >= 0]


class Client:
    """A client process without faults."""

    is_running = has_power = True
    incarnation = 1

    def __init__(self, cluster: Cluster, client_id: int) -> None:
        self.id = client_id
        self._cluster = cluster
        self._world = cluster.world
        self._rng = cluster.world.rng(f"client {client_id}")
        self._leader = cluster.broker_ids[0]
        self._tokens = 0
        self._open = -1
        self._world.after(self._rng.randrange(200 * MS), self.go)

    def go(self) -> None:
        """The next request."""
        raise NotImplementedError

    def take(self, answer: object) -> None:
        """The answer; None if there is none."""
        raise NotImplementedError

    def run(self, incarnation: int, event: str, *arguments: object) -> None:
        if event in ("answered", "failed") and arguments[0] == self._open:
            self._open = -1
            self.take(arguments[1] if event == "answered" else None)

    def _ask(self, message: object) -> None:
        self._tokens += 1
        self._open = self._tokens
        self._cluster.network.ask(self, Send(self._leader, self._tokens, message))  # type: ignore[arg-type]

    def _look_for_the_leader(self) -> None:
        known = self._cluster.controller.image.topics["t"].partitions[0].leader
        is_told = known != -1 and self._rng.random() < 0.7
        self._leader = known if is_told else self._rng.choice(self._cluster.broker_ids)


class Producer(Client):
    """A producer. With acks=all it is idempotent: acknowledged batches are there once and in order."""

    def __init__(self, cluster: Cluster, client_id: int, acks: int, pause_us: int) -> None:
        super().__init__(cluster, client_id)
        self._acks = acks
        self._pause_us = pause_us
        self._count = 0
        self._batch = self._next()

    def _next(self) -> Batch:
        self._count += 1
        is_idempotent = self._acks == ACKS_ALL
        sequence = self._count - 1 if is_idempotent else -1
        return Batch(f"{self.id}.{self._count}", self.id if is_idempotent else -1, 0, sequence)

    def go(self) -> None:
        if not self._cluster.is_over:
            self._ask(Produce(self._batch, self._acks))

    def take(self, answer: object) -> None:
        if isinstance(answer, Produced) and answer.error_code == errors.NONE:
            if self._acks == ACKS_ALL:
                self._cluster.invariants.acknowledged(answer.offset, self._batch.value)
                self._cluster.acknowledged.append(self._batch.value)
                sent = history.Send(f"p{self.id}", KEY, self._batch.value, history.OK, answer.offset)
                self._cluster.history.append(sent)
            self._batch = self._next()
            self._world.after(self._rng.randrange(self._pause_us), self.go)
            return
        if isinstance(answer, Produced) and answer.leader_epoch == self._cluster.partition.leader_epoch:
            # a deposed leader may lack some; the present one may not
            must(answer.error_code != errors.OUT_OF_ORDER_SEQUENCE_NUMBER, f"{self._batch.value} is out of order")
        if self._acks != ACKS_ALL:
            self._batch = self._next()  # its outcome stays unknown
        self._look_for_the_leader()
        self._world.after(self._rng.randrange(RETRY_US), self.go)


class Consumer(Client):
    """Reads committed records, from the beginning or from a random offset."""

    def __init__(self, cluster: Cluster, client_id: int) -> None:
        super().__init__(cluster, client_id)
        self._offset = 0

    def go(self) -> None:
        if not self._cluster.is_over:
            self._ask(Fetch(-1, -1, FetchPartition(0, -1, self._offset)))

    def take(self, answer: object) -> None:
        if isinstance(answer, Fetched) and answer.data.error_code == errors.NONE:
            if answer.data.records:
                offset, batches = answer.data.records  # type: ignore[misc]
                self._cluster.invariants.read(offset, batches)
                self._cluster.history.append(history.Poll(f"c{self.id}", {KEY: promised(offset, batches)}))
                self._offset = offset + len(batches)
            if self._rng.random() < 0.02:
                self._offset = self._rng.randint(0, self._offset)
                self._cluster.history.append(history.Assign(f"c{self.id}", frozenset({KEY})))
        else:
            self._look_for_the_leader()
        self._world.after(self._rng.randrange(RETRY_US), self.go)
