"""The verification of transactional produce requests: before a partition takes the first batch of a transaction, its
coordinator is asked (KIP-890).

Produce v12 has the partition added to the transaction; older versions only ask whether it was. All partitions of a
request go into one question. While it is open, the connection's next request waits, so the batches of a producer stay
in order.
"""

from functools import partial

from kafkacompat.broker.answers import NO_RESPONSE
from kafkacompat.broker.connection import CloseConnection
from kafkacompat.broker.internal_topics import may_produce
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacompat.protocol.records.batch import is_transactional
from kafkacompat.steps import UNITS_PER_STEP, Stepped
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.validate import the_batch
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sized

    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.verification_entries import VerificationEntry

    Place = tuple[str | bytes, int]  #: topic, by name or id, and partition

FIRST_VERSION_WITH_ABORTABLE = 11
FIRST_VERSION_THAT_ADDS = 12
_UNVERIFIED = frozenset(
    (
        errors.NETWORK_EXCEPTION, errors.COORDINATOR_LOAD_IN_PROGRESS, errors.COORDINATOR_NOT_AVAILABLE,
        errors.NOT_COORDINATOR,
    )
)  # fmt: skip
"""Told as NOT_ENOUGH_REPLICAS, which clients of all versions try again without a look at the metadata (KAFKA-16386)."""
QUESTIONS_PER_REQUEST = 3
"""The time-outs that one request waits for at most: of the question before, of its own, of one that is repeated."""


FIRST_RETRY_MS = 2
"""The first wait before a partition is added again whose transaction before still ends; each is twice the last one."""


class SeveralProducersError(Exception):
    """A request has transactional batches of several producers, or of several epochs of one."""


class Verified:
    """What is known of partitions: `refused` has an error code and a message, `guards` has what `append` takes."""

    __slots__ = ("guards", "refused")

    def __init__(self) -> None:
        self.refused: dict[Place, tuple[int, str | None]] = {}
        self.guards: dict[Place, VerificationEntry] = {}


class _Batch:
    """A transactional batch of the request."""

    __slots__ = ("key", "partition", "place", "sequence")

    def __init__(self, place: "Place", partition: "Partition", sequence: int) -> None:
        self.place = place
        self.partition = partition
        self.key = (partition.topic, partition.index)
        self.sequence = sequence


class ProduceVerification:
    """The verification of one request. `append(verified)` appends what may be appended, and returns the answer, or
    steps that do. A batch is a unit of work.
    """

    __slots__ = (
        "_adds", "_append", "_asked", "_batches", "_context", "_deadline_ms", "_id", "_is_off", "_pending", "_producer",
        "_retry_ms", "_verified",
    )  # fmt: skip

    def __init__(
        self,
        transactional_id: str,
        asked: "Mapping[Place, Sized | None]",
        context: "Context",
        append: "Callable[[Verified], object]",
    ) -> None:
        config = context.services.config
        self._id = transactional_id
        self._context = context
        self._append = append
        self._asked = asked
        self._adds = context.version >= FIRST_VERSION_THAT_ADDS
        self._is_off = not config.get_bool("transaction.partition.verification.enable")
        self._batches: list[_Batch] = []
        self._producer = (NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
        self._pending: Pending | None = None
        self._verified: Verified | None = None
        wait_ms = min(config.get_int("add.partitions.to.txn.retry.backoff.max.ms"), context.services.request_timeout_ms)
        self._deadline_ms = context.now.monotonic_ms + (wait_ms if self._adds else 0)
        self._retry_ms = FIRST_RETRY_MS

    def _collect(self) -> "Steps[None]":
        """Find the transactional batches for partitions that are here; others are refused when they are appended."""
        producers = set()
        services = self._context.services
        for count, (place, records) in enumerate(self._asked.items(), 1):
            if count % UNITS_PER_STEP == 0:
                yield UNITS_PER_STEP
            if not is_transactional(records):
                continue
            key, index = place
            name = services.image.topic_name(key) if isinstance(key, bytes) else key
            partition = None if name is None else services.partitions.get(name, index)
            if partition is None or not may_produce(self._context.header.client_id, partition.topic):
                continue
            try:
                header = the_batch(records)  # type: ignore[arg-type] # it has an attribute, so it is bytes
            except LogError:
                continue
            if header.producer_id > NO_PRODUCER_ID:
                producers.add((header.producer_id, header.producer_epoch))
                self._batches.append(_Batch(place, partition, header.base_sequence))
        if len(producers) > 1:
            raise SeveralProducersError
        if producers:
            self._producer = producers.pop()

    def answer(self) -> "Steps[object]":
        """The request's answer; a Pending while the question is open. Raises SeveralProducersError."""
        yield from self._collect()
        if self._is_off and not self._adds:
            verified = Verified()
            self._turn_off(verified)
            return self._append(verified)
        yield from self._ask()
        if self._verified is not None:
            return self._append(self._verified)
        wait_ms = QUESTIONS_PER_REQUEST * self._context.services.request_timeout_ms
        pending = self._pending = Pending([], self._context.now.monotonic_ms + wait_ms, self._finish)
        pending.keys = [pending]
        return pending

    def _turn_off(self, verified: Verified) -> None:
        verified.guards = {batch.place: VERIFICATION_IS_OFF for batch in self._batches}

    def _ask(self) -> "Steps[None]":
        """Make guards, and ask about the partitions that need one."""
        verified, unknown = Verified(), []
        producer_id, epoch = self._producer
        for count, batch in enumerate(self._batches, 1):
            if count % UNITS_PER_STEP == 0:
                yield UNITS_PER_STEP
            code, wall_ms = batch.partition.leader_error(), self._context.now.wall_ms
            try:
                guard = None if code else batch.partition.log.producers.begin_verification(
                    producer_id, epoch, batch.sequence, wall_ms, supports_epoch_bump=self._adds
                )  # fmt: skip
            except LogError as refused:
                code, guard = refused.error_code, None
            if code:
                verified.refused[batch.place] = (code, None)
            elif guard is not None:
                verified.guards[batch.place] = guard
                unknown.append(batch)
        now = self._context.now
        if not unknown:
            self._conclude(verified, now)
            return

        def answered(codes: "dict[tuple[str, int], int]", at: "Now") -> None:
            self._answered(verified, unknown, codes, at)

        self._context.services.transaction_verifier.verify(
            self._id, producer_id, epoch, [batch.key for batch in unknown], adds=self._adds, now=now, done=answered
        )

    def _answered(
        self, verified: Verified, unknown: list[_Batch], codes: "dict[tuple[str, int], int]", now: "Now"
    ) -> None:
        services = self._context.services
        if self._context.connection.is_closed:
            return
        if now.monotonic_ms < self._deadline_ms and errors.CONCURRENT_TRANSACTIONS in codes.values():
            backoff_ms = min(self._retry_ms, services.config.get_int("add.partitions.to.txn.retry.backoff.ms"))
            self._retry_ms *= 2
            again = partial(self._ask_in_turns, Stepped(self._ask()))
            services.timers.set(self, now.monotonic_ms + backoff_ms, again)
            return
        for batch in unknown:
            code = codes[batch.key]
            if code:
                verified.refused[batch.place] = self._told(code)
        self._conclude(verified, now)

    def _ask_in_turns(self, work: Stepped, now: "Now") -> None:
        """Ask once more."""
        self._context.now = now
        if not work.resume():
            self._context.services.timers.set(self, now.monotonic_ms, partial(self._ask_in_turns, work))

    def _told(self, code: int) -> tuple[int, str | None]:
        """The error code for the client, and a message where the code alone would not say what happened."""
        if code == errors.TRANSACTION_ABORTABLE and self._context.version < FIRST_VERSION_WITH_ABORTABLE:
            code = errors.INVALID_TXN_STATE
        if code == errors.INVALID_TXN_STATE:
            return code, "The partition was not added to the transaction."
        if code in _UNVERIFIED or (code == errors.CONCURRENT_TRANSACTIONS and not self._adds):
            message = f"It is not known whether the partition belongs to the transaction: {errors.name(code)}."
            return errors.NOT_ENOUGH_REPLICAS, message
        return code, None

    def _conclude(self, verified: Verified, now: "Now") -> None:
        if self._is_off:
            self._turn_off(verified)
        self._verified = verified
        if self._pending is not None:
            self._context.services.purgatory.touch(self._pending, now)

    def _finish(self, now: "Now", expired: bool) -> object | None:
        services = self._context.services
        if self._verified is None:
            if not expired:
                return None
            services.timers.cancel(self)
            self._verified = Verified()
            self._verified.refused = {batch.place: self._told(errors.NETWORK_EXCEPTION) for batch in self._batches}
        self._context.now = now
        try:
            return self._append(self._verified)
        except CloseConnection as reason:
            self._context.connection.drop(str(reason))
            return NO_RESPONSE
