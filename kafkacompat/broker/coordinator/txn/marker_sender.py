"""Sends markers to the leaders of their partitions; those led here go to their handler without a connection."""

import logging
from collections import deque
from itertools import islice

from kafkacompat.broker.coordinator.txn.markers import MarkerQueues, TransactionEnd, outcomes, request_of
from kafkacompat.broker.coordinator.txn.state import by_topic
from kafkacompat.broker.network import MARKERS
from kafkacompat.protocol.api_keys import WRITE_TXN_MARKERS
from kafkacompat.protocol.constants import NO_NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.result import Result
    from kafkacompat.broker.coordinator.txn.markers import Batch
    from kafkacompat.broker.coordinator.txn.shard import TransactionCoordinatorShard
    from kafkacompat.broker.coordinator.txn.state import TopicPartition, Transaction
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

    class Owner(Protocol):
        """What this uses of a CoordinatorContext."""

        @property
        def partition(self) -> Partition: ...
        def do(self, event: Callable[[TransactionCoordinatorShard], Result], now: Now) -> None: ...


log = logging.getLogger(__name__)

VERSION = 2
"""The version of WriteTxnMarkers between brokers; 2 has the transaction version (KIP-1228)."""
RETRY_MS = 100
"""The delay before another attempt, unless the metadata change before."""

PLACED_PER_TURN = 1_000
"""Markers whose leaders are looked up in one turn of the event loop: 3 ms."""


class MarkerSender:
    """The markers of all transactions that this broker coordinates, in one request at a time to each broker.

    is_current: whether a context still leads its partition; markers of others are not sent any more.
    """

    def __init__(self, node: "services.Coordinating", is_current: "Callable[[object], bool]") -> None:
        self._node = node
        self._is_current = is_current
        self._queues = MarkerQueues(self._leader_of)
        self._unplaced: deque[tuple[TransactionEnd, Iterator[TopicPartition]]] = deque()  # leaders are not looked up
        self._is_sending = False
        self.written_count = 0
        """Rises whenever markers of a transaction are written."""

    @property
    def is_settled(self) -> bool:
        """Whether all markers are written."""
        return self._queues.is_empty and not self._unplaced

    @property
    def delayed_count(self) -> int:
        """How many transactions have markers that wait for another attempt."""
        return self._queues.delayed_count

    def send(self, row: "Transaction", owner: "Owner", now: "Now") -> None:
        """Send the markers of a transaction whose PREPARE is committed. Its shard is told of those that are written,
        until none is missing.
        """
        end = TransactionEnd(row, owner, owner.partition.leader_epoch)
        if row.unmarked:
            self._add(end, row.unmarked)
            self._go_on(now)
        else:
            self._written(end, row.unmarked, now)
            self._send_all(now)

    def drop(self, owner: "Owner") -> None:
        """Send no more markers for this owner."""
        self._drop(lambda end: end.owner is owner)

    def _drop(self, is_dropped: "Callable[[TransactionEnd], bool]") -> None:
        self._unplaced = deque(each for each in self._unplaced if not is_dropped(each[0]))
        self._queues.drop(is_dropped)

    def try_again(self, now: "Now") -> None:
        """Send the markers that wait for another attempt."""
        if self._queues.has_delayed:
            for end, partitions in self._queues.take_delayed().items():
                self._add(end, partitions)
            self._go_on(now)

    def _add(self, end: TransactionEnd, partitions: "Collection[TopicPartition]") -> None:
        """Have the leaders of the partitions looked up, in order."""
        in_order = ((topic, index) for topic, indexes in by_topic(partitions).items() for index in indexes)
        self._unplaced.append((end, in_order))

    def _go_on(self, now: "Now") -> None:
        """Look up the leaders of some markers, and send what can be sent."""
        left = PLACED_PER_TURN
        while self._unplaced and left > 0:
            end, partitions = self._unplaced[0]
            some = list(islice(partitions, left))
            if len(some) < left:
                self._unplaced.popleft()
            left -= 1 + len(some)
            gone = self._queues.add(end, some)
            if gone:
                self._written(end, gone, now)
        self._send_all(now)

    def _written(self, end: TransactionEnd, partitions: "frozenset[TopicPartition]", now: "Now") -> None:
        self.written_count += 1
        owner: Owner = end.owner  # type: ignore[assignment] # as `send` made it
        if self._is_current(owner):
            owner.do(lambda shard: shard.markers_written(end.transactional_id, end.offset, partitions, now), now)

    def _leader_of(self, partition: "TopicPartition") -> int | None:
        node, (topic, index) = self._node, partition
        found = node.image.partition(topic, index)
        if found is None:
            return None
        is_reachable = found.leader == node.node_id or node.address_of(found.leader) is not None
        return found.leader if is_reachable else NO_NODE

    def _send_all(self, now: "Now") -> None:
        if self._is_sending:  # by a marker that was written at once: the loop below goes on
            return
        self._is_sending = True
        try:
            for broker_id in self._queues.sendable():
                self._send_to(broker_id, now)
        finally:
            self._is_sending = False
        if self._unplaced or self._queues.sendable():  # more than a turn or a request takes: the next turn goes on
            self._node.timers.set((self, "more"), now.monotonic_ms, self._go_on)
        if self._queues.has_delayed and (self, "again") not in self._node.timers:
            self._node.timers.set((self, "again"), now.monotonic_ms + RETRY_MS, self.try_again)

    def _send_to(self, broker_id: int, now: "Now") -> None:
        node, batch = self._node, self._queues.take(broker_id)
        request, timeout_ms = request_of(batch), node.request_timeout_ms

        def answered(response: object | None, at: "Now") -> None:
            self._answered(broker_id, batch, response, at)

        if broker_id == node.node_id:
            node.call_here(WRITE_TXN_MARKERS, VERSION, request, now, answered)
            if self._queues.is_in_flight(broker_id, batch):  # as with another broker: one that is silent is asked again
                node.timers.set((self, broker_id), now.monotonic_ms + timeout_ms, lambda at: answered(None, at))
            return
        address = node.address_of(broker_id)
        if address is None or node.network is None:
            answered(None, now)
            return
        client_id = f"broker-{node.node_id}-txn-marker-sender"
        node.network.send(address, MARKERS, client_id, WRITE_TXN_MARKERS, VERSION, request, timeout_ms, answered)

    def _answered(self, broker_id: int, batch: "Batch", response: object | None, now: "Now") -> None:
        if not self._queues.answered(broker_id, batch):
            return
        self._node.timers.cancel((self, broker_id))
        for outcome in outcomes(batch, response):
            end = outcome.end
            if not self._is_current(end.owner):
                continue
            if outcome.is_fenced:
                log.info("the %s is not sent any more: a partition knows a newer epoch or coordinator", end)
                self._drop(lambda other, end=end: other is end)  # type: ignore[misc]
                continue
            self._queues.delay(end, outcome.again)
            if outcome.done:
                self._written(end, frozenset(outcome.done), now)
        self._send_all(now)
