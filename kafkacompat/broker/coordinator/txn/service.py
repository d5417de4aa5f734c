"""The transaction coordinator of this broker (Kafka's TransactionCoordinator): routes requests and events to shards."""

from kafkacompat.broker.answers import Deferred
from kafkacompat.broker.coordinator.coordinator_service import CoordinatorService, error_itself
from kafkacompat.broker.coordinator.runtime import CoordinatorContext
from kafkacompat.broker.coordinator.txn.marker_sender import MarkerSender
from kafkacompat.broker.coordinator.txn.records import FLEXIBLE_VERSION, batch_of, decode_record
from kafkacompat.broker.coordinator.txn.shard import TransactionCoordinatorShard, TransactionSettings, init_error
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.broker.coordinator.waiters import Waiter
from kafkacompat.broker.purgatory import PRODUCER_IDS_KEY, Pending
from kafkacompat.protocol.error_codes import CONCURRENT_TRANSACTIONS, NOT_COORDINATOR, TRANSACTIONAL_ID_NOT_FOUND
from kafkacompat.protocol.messages.end_txn import EndTxnResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.result import Result
    from kafkacompat.broker.coordinator.txn.state import TopicPartition
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.end_txn import EndTxnRequest
    from kafkacompat.protocol.messages.init_producer_id import InitProducerIdResponse
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition

    Asked = TypeVar("Asked")
    Refusal = TypeVar("Refusal")
    Response = TypeVar("Response")
    Context = CoordinatorContext[TransactionCoordinatorShard]

TRANSACTION_VERSION = "transaction.version"


def transaction_settings(config: "BrokerConfig") -> TransactionSettings:
    """The transaction settings of a broker config."""
    return TransactionSettings(
        max_timeout_ms=config.get_int("transaction.max.timeout.ms"),
        id_expiration_ms=config.get_int("transactional.id.expiration.ms"),
        timeout_check_interval_ms=config.get_int("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
        expiry_check_interval_ms=config.get_int("transaction.remove.expired.transaction.cleanup.interval.ms"),
    )


class TransactionCoordinator(CoordinatorService[TransactionCoordinatorShard]):
    """The shards of transactional ids whose partitions this broker leads."""

    def __init__(
        self, node: "services.Coordinating", partition_for: "Callable[[str], int]", *, replays_every_record: bool
    ) -> None:
        super().__init__(node, partition_for, replays_every_record=replays_every_record)
        self._settings = transaction_settings(node.config)
        self._markers = MarkerSender(node, self._is_current)
        self.timed_out_count = 0
        """How many transactions this broker has aborted because they timed out."""

    @property
    def server_version(self) -> int:
        """The finalized level of transaction.version."""
        return self._node.image.features.get(TRANSACTION_VERSION, 0)

    def unsettled(self) -> "Iterator[tuple[object, int]]":
        """As that of all coordinators; then the markers, if some are not written."""
        yield from super().unsettled()
        if not self._markers.is_settled:
            yield self._markers, self._markers.written_count

    @property
    def delayed_end_count(self) -> int:
        """How many transactions have markers that no broker takes now; they are sent again."""
        return self._markers.delayed_count

    # Requests. Each answers with a response, a Pending, or what the last argument makes of an error.

    def init_producer_id(
        self, transactional_id: str, timeout_ms: int, expected: tuple[int, int] | None, now: "Now"
    ) -> "InitProducerIdResponse | Pending | Deferred":
        """InitProducerId. If it needs a fresh producer id, it may have to wait for a block from the controller."""

        def initialize(at: "Now") -> "InitProducerIdResponse | Pending":
            return self._write(
                transactional_id,
                lambda shard, _token: shard.init_producer_id(transactional_id, timeout_ms, expected, at),
                init_error,
                at,
            )

        context = self.context_of(transactional_id)
        row = context.shard.find(transactional_id) if context is not None and context.is_active else None
        if context is None or not context.is_active or not (row is None or row.is_exhausted):
            return initialize(now)
        if self._node.producer_ids.is_empty:
            self._node.request_producer_ids(now)  # the controller may answer at once
        return self._when_there_are_ids(initialize, now) if self._node.producer_ids.is_empty else initialize(now)

    def _when_there_are_ids(
        self, initialize: "Callable[[Now], InitProducerIdResponse | Pending]", now: "Now"
    ) -> Deferred:
        node, deferred = self._node, Deferred()

        def go_on(at: "Now", expired: bool) -> "Now | None":
            if not expired and node.producer_ids.is_empty:
                node.request_producer_ids(at)
            return at if expired or not node.producer_ids.is_empty else None

        def answer(at: "Now", _now: "Now") -> None:
            response = initialize(at)
            if isinstance(response, Pending):
                node.purgatory.add(response, lambda late, _now: deferred.complete(late))
            else:
                deferred.complete(response)

        node.purgatory.add(Pending([PRODUCER_IDS_KEY], now.monotonic_ms + node.request_timeout_ms, go_on), answer)
        return deferred

    def add_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        epoch: int,
        partitions: "Sequence[TopicPartition]",
        *,
        client_version: int,
        now: "Now",
    ) -> "int | Pending":
        """Add partitions to the producer's transaction: an error code. client_version: 2 if the client's transactions
        raise the epoch when they end (TV2), else 0.
        """
        added, context = frozenset(partitions), self.context_of(transactional_id)
        who = transactional_id, producer_id, epoch
        joins = context is not None and context.shard.joins(*who, client_version)
        answer = self._write(
            transactional_id,
            lambda shard, _token: shard.add_partitions(*who, added, client_version, now),
            error_itself,
            now,
            knows_committed=not joins,
        )
        if joins and isinstance(answer, Pending):
            self._limit_join(answer, now)
        return answer

    def _limit_join(self, answer: Pending, now: "Now") -> None:
        """Answer CONCURRENT_TRANSACTIONS, as Apache Kafka does at once, if that takes longer than it tries again."""
        (waiter,) = answer.keys
        assert isinstance(waiter, Waiter)

        def give_up(at: "Now") -> None:
            waiter.give_up(CONCURRENT_TRANSACTIONS)
            self._node.purgatory.touch(waiter, at)

        wait_ms = self._node.config.get_int("add.partitions.to.txn.retry.backoff.max.ms")
        self._node.timers.set(waiter, now.monotonic_ms + wait_ms, give_up)

    def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        epoch: int,
        partitions: "Sequence[TopicPartition]",
        *,
        now: "Now",
    ) -> "list[int] | Pending":
        """Whether the partitions are in the producer's transaction: an error code for each."""
        return self.read(
            transactional_id,
            lambda shard: shard.verify_partitions(transactional_id, producer_id, epoch, partitions),
            lambda error_code: [error_code] * len(partitions),
            now,
        )

    def end(self, request: "EndTxnRequest", client_version: int, now: "Now") -> "EndTxnResponse | Pending":
        """EndTxn."""
        return self._write(
            request.transactional_id,
            lambda shard, _token: shard.end(request, client_version, now),
            lambda error_code: EndTxnResponse(error_code=error_code),
            now,
        )

    def find(self, transactional_id: str, now: "Now") -> "Transaction | int | Pending":
        """The committed row of an id, or an error code."""
        return self.read(
            transactional_id,
            lambda shard: shard.find_committed(transactional_id) or TRANSACTIONAL_ID_NOT_FOUND,
            error_itself,
            now,
        )

    def _write(
        self,
        transactional_id: str,
        event: "Callable[[TransactionCoordinatorShard, Waiter], Result]",
        failed: "Callable[[int], Response]",
        now: "Now",
        *,
        knows_committed: bool = True,
    ) -> "Response | Pending":
        context = self.context_of(transactional_id)
        if context is None:
            return failed(NOT_COORDINATOR)
        row = context.shard.find(transactional_id)
        timeout_ms = self._node.request_timeout_ms if row is None else row.timeout_ms
        return context.write(event, failed, now, timeout_ms=timeout_ms, knows_committed=knows_committed)

    # Events of the broker.

    def _new_context(self, partition: "Partition") -> "Context":
        context: Context

        def prepared(row: object, at: "Now") -> None:
            assert isinstance(row, Transaction)
            self._markers.send(row, context, at)

        context = CoordinatorContext(
            self._node, self._loader, partition, self._new_shard,
            lambda records, wall_ms: batch_of(records, wall_ms, min(self.server_version, FLEXIBLE_VERSION)),
            decode_record, replays_every_record=self._replays_every_record, notify=prepared,
        )  # fmt: skip
        return context

    def _new_shard(self) -> TransactionCoordinatorShard:
        return TransactionCoordinatorShard(
            self._settings, self._take_producer_id, lambda: self.server_version, self._has_timed_out
        )

    def _has_timed_out(self) -> None:
        self.timed_out_count += 1

    def _take_producer_id(self, now: "Now") -> int | None:
        producer_id = self._node.producer_ids.next_id()
        if producer_id is None:
            self._node.request_producer_ids(now)  # clients come again
        return producer_id

    def _dropping(self, context: "Context") -> None:
        self._markers.drop(context)  # a leader of another epoch makes them anew

    def _is_current(self, context: object) -> bool:
        assert isinstance(context, CoordinatorContext)
        return self._contexts.get(context.partition.index) is context

    def on_metadata(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        """Leaders may have changed, which markers go to."""
        if old.topics is not new.topics or old.brokers is not new.brokers:
            self._markers.try_again(now)
