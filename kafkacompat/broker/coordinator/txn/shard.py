"""All transactional ids of one partition of __transaction_state: events in, records and answers out.

The rules of Kafka's TransactionCoordinator. Pure: each event brings the time. Only `replay` changes rows; the runtime
calls it with each record after its event, and with the whole log during loading.

A row is *pending* while its newest record may not be committed, and from PREPARE until COMPLETE is. Nearly everything
is answered CONCURRENT_TRANSACTIONS then, which clients retry. Checks of a pending row's producer id and epoch use what
is committed.
"""

from collections import deque

from kafkacompat.broker.coordinator.result import CancelTimer, Notify, Result, SetTimer
from kafkacompat.broker.coordinator.txn.end import end_v1, end_v2, fence
from kafkacompat.broker.coordinator.txn.records import record_of, row_of
from kafkacompat.broker.coordinator.txn.state import (
    AT_REST,
    DEAD,
    FIRST_EPOCH_BUMPING_VERSION,
    LAST_CLIENT_EPOCH,
    NO_PARTITIONS,
    NO_TIMEOUT_MS,
    ONGOING,
    PREPARED,
    EpochFencedError,
    EpochsExhaustedError,
    Transaction,
)
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacompat.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from kafkacompat.protocol.messages.end_txn import EndTxnResponse
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kafkacompat.broker.coordinator.txn.records import ShardRecord
    from kafkacompat.broker.coordinator.txn.state import TopicPartition
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.end_txn import EndTxnRequest

TIME_OUTS, EXPIRY, COMPLETION = "time-outs", "expiry", "completion"
"""Timers: two scans, and (COMPLETION, transactional id)."""

COMPLETION_RETRY_MS = 100
"""The delay before COMPLETE is written again that could not be."""

MAX_TRANSACTIONAL_IDS = 100_000
"""The limit of ids in one shard, so that invented ids cannot exhaust memory; each takes about 700 bytes."""

CHECKS_PER_STEP = 128
"""Rows checked in one step of a scan, which limits its tombstones as well."""
CHECKS_PER_COST = 8
"""Checks per unit of cost (`Result.cost`)."""
COST_OF_MARKERS = 20
"""What the end of a transaction costs beside its own record: with one replica its marker and COMPLETE come at once."""

FORGOTTEN_AT_ONCE = 1_000
"""Former rows dropped per advance of the high watermark, so that a large advance does not hold up the event loop."""


class TransactionSettings:
    """Transaction settings of the broker; the defaults are Kafka's."""

    __slots__ = ("expiry_check_interval_ms", "id_expiration_ms", "max_timeout_ms", "timeout_check_interval_ms")

    def __init__(
        self,
        *,
        max_timeout_ms: int = 900_000,
        id_expiration_ms: int = 7 * 24 * 3_600_000,
        timeout_check_interval_ms: int = 10_000,
        expiry_check_interval_ms: int = 3_600_000,
    ) -> None:
        self.max_timeout_ms = max_timeout_ms
        self.id_expiration_ms = id_expiration_ms
        self.timeout_check_interval_ms = timeout_check_interval_ms
        self.expiry_check_interval_ms = expiry_check_interval_ms


def init_error(error_code: int) -> InitProducerIdResponse:
    """InitProducerId's response to an error."""
    return InitProducerIdResponse(error_code=error_code, producer_epoch=NO_PRODUCER_EPOCH)


class TransactionCoordinatorShard:
    """The transactional ids of one partition.

    take_producer_id: a fresh id if there is one. server_version: the finalized transaction.version. has_timed_out: is
    called for each transaction that was aborted by its time-out.
    """

    __slots__ = (
        "_deciding", "_found_below", "_has_timed_out", "_server_version", "_settings", "_take_producer_id",
        "_uncommitted", "high_watermark", "open", "retried", "rows",
    )  # fmt: skip

    def __init__(
        self,
        settings: TransactionSettings,
        take_producer_id: "Callable[[Now], int | None]",
        server_version: "Callable[[], int]",
        has_timed_out: "Callable[[], None]",
    ) -> None:
        self._settings = settings
        self._take_producer_id = take_producer_id
        self._server_version = server_version
        self._has_timed_out = has_timed_out
        self._deciding: Transaction | None = None
        """The row whose record is replayed next: a record does not have all of it."""
        self._uncommitted: deque[Transaction] = deque()
        self._found_below = 0
        """The offset below which records were found in the log: a former coordinator may have committed them."""
        self.high_watermark = 0
        self.rows: dict[str, Transaction] = {}
        self.open: dict[str, None] = {}
        """The ids whose newest state is Ongoing."""
        self.retried: set[str] = set()
        """The ids whose COMPLETE could not be written, and is tried again."""

    # State.

    def replay(
        self,
        offset: int,  # noqa: ARG002 (the interface of all shards)
        producer_id: int,  # noqa: ARG002
        producer_epoch: int,  # noqa: ARG002
        record: "ShardRecord",
        last_offset: int,
        wall_ms: int,  # noqa: ARG002
    ) -> None:
        """Apply a record, see `CoordinatorShard`. This log has no transactions of its own."""
        key, value = record
        assert isinstance(key, TransactionLogKey)
        transactional_id = key.transactional_id
        deciding, self._deciding = self._deciding, None
        old = self.rows.get(transactional_id)
        if isinstance(value, TransactionLogValue):
            is_decided = deciding is not None and deciding.transactional_id == transactional_id
            row = (deciding if is_decided else None) or row_of(key, value)
        elif old is None:
            return
        else:
            row = old.dead()
        self.open.pop(transactional_id, None)
        row.offset = last_offset
        if last_offset >= self.high_watermark:
            row.former = None if old is None else self.committed(old)
            self._uncommitted.append(row)
        elif row.state == DEAD:
            del self.rows[transactional_id]
            return
        self.rows[transactional_id] = row
        if row.state == ONGOING:
            self.open[transactional_id] = None

    def replay_end_transaction(
        self, producer_id: int, producer_epoch: int, last_offset: int, *, is_commit: bool
    ) -> None:
        """A marker in this log, which only a client could have caused, means nothing."""

    def on_committed(self, high_watermark: int) -> None:
        """All records below `high_watermark` are committed."""
        self.high_watermark = high_watermark
        uncommitted = self._uncommitted
        for _ in range(FORGOTTEN_AT_ONCE):
            if not uncommitted or uncommitted[0].offset >= high_watermark:
                return
            row = uncommitted.popleft()
            row.former = None
            newest = self.rows.get(row.transactional_id)
            if newest is not None and newest.offset >= high_watermark:
                newest.former = row  # another broker has added behind it
            elif newest is row and row.state == DEAD:
                del self.rows[row.transactional_id]

    def on_loaded(self, now: "Now") -> "Iterator[Result]":
        """After loading, the markers of prepared transactions are sent, perhaps again, and the scans begin."""
        self._found_below = self._uncommitted[-1].offset + 1 if self._uncommitted else 0
        for row in list(self.rows.values()):
            if row.state in PREPARED:
                yield _notice(row)
        yield self._scan_later(TIME_OUTS, self._settings.timeout_check_interval_ms, now)
        yield self._scan_later(EXPIRY, self._settings.expiry_check_interval_ms, now)

    def release(self) -> "Iterator[int]":
        """Free all state in parts; yields the cost of each."""
        self._uncommitted.clear()
        self.open.clear()
        while self.rows:
            _, row = self.rows.popitem()
            yield 1 + len(row.partitions) // CHECKS_PER_COST

    def committed(self, row: Transaction) -> Transaction | None:
        """The row as it is committed."""
        return row if row.offset < self.high_watermark else row.former

    def find(self, transactional_id: str) -> Transaction | None:
        """The newest row of an id."""
        row = self.rows.get(transactional_id)
        return None if row is not None and row.state == DEAD and row.offset < self.high_watermark else row

    def find_committed(self, transactional_id: str) -> Transaction | None:
        """The row of an id as it is committed."""
        row = self.find(transactional_id)
        seen = None if row is None else self.committed(row)
        return None if seen is None or seen.state == DEAD else seen

    def list_committed(self) -> "Iterator[Transaction]":
        """The rows as they are committed, those that are dead among them. It may be continued after other events."""
        for row in list(self.rows.values()):
            seen = self.committed(row)
            if seen is not None:
                yield seen

    def is_pending(self, row: Transaction) -> bool:
        """Whether the row is between two states, so that its client has to wait."""
        return row.offset >= self.high_watermark or row.state in PREPARED

    def _decide(self, row: Transaction, response: object) -> Result:
        """Write the row; the response waits until it is committed."""
        result = Result(response)
        result.records.append(record_of(row))
        result.otherwise = self._forget
        self._deciding = row
        if row.state in PREPARED:
            result.effects.append(Notify(row))
        return result

    def _forget(self, _error_code: int) -> Result:
        self._deciding = None
        return Result()

    # Requests.

    def init_producer_id(
        self, transactional_id: str, timeout_ms: int, expected: tuple[int, int] | None, now: "Now"
    ) -> Result:
        """InitProducerId. `expected`: the producer id and epoch that the client takes for its own (KIP-360)."""
        if not 0 < timeout_ms <= self._settings.max_timeout_ms:
            return Result(init_error(errors.INVALID_TRANSACTION_TIMEOUT))
        row = self.find(transactional_id)
        if row is None:
            return self._new(transactional_id, timeout_ms, now)
        if self.is_pending(row):
            return Result(init_error(errors.CONCURRENT_TRANSACTIONS))
        if expected is not None and not _may_be(row, *expected):
            return Result(init_error(errors.PRODUCER_FENCED))
        if row.state == ONGOING:  # the client comes again when it is aborted
            decision = self._fence(row, now)
            if isinstance(decision, int):
                return Result(init_error(decision))
            return self._decide(decision, init_error(errors.CONCURRENT_TRANSACTIONS))
        expected_epoch = None if expected is None else expected[1]
        if row.is_exhausted and expected_epoch in (None, row.epoch):
            producer_id = self._take_producer_id(now)
            if producer_id is None:
                return Result(init_error(errors.COORDINATOR_LOAD_IN_PROGRESS))
            return self._initialize(
                row.rotated(producer_id, timeout_ms, now.wall_ms, keeps_last_epoch=expected is not None)
            )
        try:
            return self._initialize(row.initialized(timeout_ms, expected_epoch, now.wall_ms))
        except EpochFencedError:
            return Result(init_error(errors.PRODUCER_FENCED))
        except EpochsExhaustedError:  # Kafka fails here, and its clients give up, too
            return Result(init_error(errors.UNKNOWN_SERVER_ERROR))

    def _new(self, transactional_id: str, timeout_ms: int, now: "Now") -> Result:
        if len(self.rows) >= MAX_TRANSACTIONAL_IDS:
            return Result(init_error(errors.POLICY_VIOLATION))
        producer_id = self._take_producer_id(now)
        if producer_id is None:
            return Result(init_error(errors.COORDINATOR_LOAD_IN_PROGRESS))
        row = Transaction(transactional_id, producer_id, timeout_ms, now.wall_ms)
        return self._initialize(row.initialized(timeout_ms, None, now.wall_ms))

    def _initialize(self, row: Transaction) -> Result:
        return self._decide(row, InitProducerIdResponse(producer_id=row.producer_id, producer_epoch=row.epoch))

    def add_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        epoch: int,
        partitions: "frozenset[TopicPartition]",
        client_version: int,
        now: "Now",
    ) -> Result:
        """AddPartitionsToTxn and AddOffsetsToTxn. The response is an error code."""
        row = self.find(transactional_id)
        if row is None:
            return Result(errors.INVALID_PRODUCER_ID_MAPPING)
        if self.is_pending(row) and not self.joins(transactional_id, producer_id, epoch, client_version):
            return Result(errors.CONCURRENT_TRANSACTIONS)  # first: the producer may use an id that is not committed yet
        error = _check_producer(row, producer_id, epoch)
        if error != errors.NONE or (row.state == ONGOING and partitions <= row.partitions):
            return Result(error)
        return self._decide(row.with_partitions(partitions, client_version, now.wall_ms), errors.NONE)

    def joins(self, transactional_id: str, producer_id: int, epoch: int, client_version: int) -> bool:
        """Whether a broker adds partitions while those that another one has added are not committed: the leaders of all
        partitions that a producer writes to come at once. The answer waits for both.
        """
        row = self.find(transactional_id)
        if row is None or row.state != ONGOING or row.offset < self.high_watermark:
            return False
        is_right = _check_producer(row, producer_id, epoch) == errors.NONE
        return is_right and client_version >= FIRST_EPOCH_BUMPING_VERSION

    def verify_partitions(
        self, transactional_id: str, producer_id: int, epoch: int, partitions: "Sequence[TopicPartition]"
    ) -> list[int]:
        """Whether the transaction has these partitions, as it is committed: an error code for each.

        It does not matter whether the row is pending: the append checks again what it can know (KAFKA-14904). After an
        election the newest row may be committed although this broker does not know it yet. So a producer that is right
        by the newest row comes again.
        """
        newest = self.find(transactional_id)
        if newest is None:
            return [errors.INVALID_PRODUCER_ID_MAPPING] * len(partitions)
        row, is_known = self.committed(newest), newest.offset >= self._found_below
        return _verify(row, None if is_known else newest, producer_id, epoch, partitions)

    def end(self, request: "EndTxnRequest", client_version: int, now: "Now") -> Result:
        """EndTxn, answered when PREPARE is committed, before any marker is written."""
        row = self.find(request.transactional_id)
        if row is None:
            return _end_error(errors.INVALID_PRODUCER_ID_MAPPING)
        bumps = client_version >= FIRST_EPOCH_BUMPING_VERSION
        seen = self.committed(row)  # None after an election, until the high watermark is known: it is pending then
        if not bumps and seen is not None:
            error = _check_producer(seen, request.producer_id, request.producer_epoch)
            newest = _check_producer(row, request.producer_id, request.producer_epoch)
            if errors.NONE not in (error, newest):  # after an election the newest may be committed, too
                return _end_error(error)
        if self.is_pending(row):
            return _end_error(errors.CONCURRENT_TRANSACTIONS)
        if bumps:
            decision = end_v2(
                row, request.producer_id, request.producer_epoch,
                is_commit=request.committed, take_producer_id=lambda: self._take_producer_id(now), now_ms=now.wall_ms,
            )  # fmt: skip
        else:
            decision = end_v1(row, is_commit=request.committed, now_ms=now.wall_ms)
        if isinstance(decision, Transaction):
            return self._decide(decision, _ended(*(decision.pair_for_client if bumps else NOBODY)))
        if decision == errors.NONE:
            return Result(_ended(*((row.producer_id, row.epoch) if bumps else NOBODY)))
        return _end_error(decision)

    def _fence(self, row: Transaction, now: "Now") -> "int | Transaction":
        return fence(row, self._server_version(), lambda: self._take_producer_id(now), now.wall_ms)

    # Markers.

    def markers_written(
        self, transactional_id: str, offset: int, partitions: "frozenset[TopicPartition]", now: "Now"
    ) -> Result:
        """The markers of the transaction whose PREPARE is at `offset` are in these partitions. COMPLETE is written once
        there are none left.
        """
        row = self.rows.get(transactional_id)
        if row is None or row.offset != offset or row.state not in PREPARED:
            return Result()
        row.unmarked -= partitions
        return Result() if row.unmarked else self._complete(row, now)

    def _complete(self, row: Transaction, now: "Now") -> Result:
        def again(_error_code: int) -> Result:
            self._deciding = None
            self.retried.add(row.transactional_id)
            later = Result()
            later.effects.append(
                SetTimer((COMPLETION, row.transactional_id), now.life_ms + COMPLETION_RETRY_MS, is_periodic=True)
            )
            return later

        result = self._decide(row.completed(now.wall_ms), None)
        result.otherwise = again
        return result

    # Time.

    def timer_fired(self, key: tuple[str, ...], now: "Now") -> Result:
        """A timer of this shard has fired."""
        if key[0] == COMPLETION:
            self.retried.discard(key[1])
            row = self.rows.get(key[1])
            is_due = row is not None and row.state in PREPARED and not row.unmarked
            result = self._complete(row, now) if row is not None and is_due else Result()
            result.effects.append(CancelTimer(key))
            return result
        if key[0] == TIME_OUTS:
            result = self._scan_later(TIME_OUTS, self._settings.timeout_check_interval_ms, now)
            result.job = self._abort_overdue
        else:
            result = self._scan_later(EXPIRY, self._settings.expiry_check_interval_ms, now)
            result.job = self._expire
        return result

    def _scan_later(self, scan: str, interval_ms: int, now: "Now") -> Result:
        result = Result()
        result.effects.append(SetTimer((scan,), now.life_ms + interval_ms, is_periodic=True))
        return result

    def _abort_overdue(self, now: "Now") -> "Iterator[Result]":
        for checks, transactional_id in enumerate(list(self.open)):
            row = self.rows.get(transactional_id)
            if row is not None and row.state == ONGOING and not self.is_pending(row) and _is_overdue(row, now.wall_ms):
                decision = self._fence(row, now)
                if isinstance(decision, Transaction):
                    result = self._decide(decision, None)
                    result.cost = COST_OF_MARKERS
                    yield result
                    self._has_timed_out()  # it is written: otherwise the job would not go on
            if checks % CHECKS_PER_STEP == CHECKS_PER_STEP - 1:
                yield _checked(CHECKS_PER_STEP)

    def _expire(self, now: "Now") -> "Iterator[Result]":
        oldest_ms = now.wall_ms - self._settings.id_expiration_ms
        result = Result()
        for checks, row in enumerate(list(self.rows.values())):
            is_newest = self.rows.get(row.transactional_id) is row
            if is_newest and row.state in AT_REST and not self.is_pending(row) and row.last_update_ms <= oldest_ms:
                result.records.append(record_of(row.dead()))
            if checks % CHECKS_PER_STEP == CHECKS_PER_STEP - 1:
                yield _tombstones(result)
                result = Result()
        yield _tombstones(result)


NOBODY = (NO_PRODUCER_ID, NO_PRODUCER_EPOCH)


def _may_be(row: Transaction, producer_id: int, epoch: int) -> bool:
    """Whether a client with this id and epoch may still be the producer; the epoch is checked later.

    With the former id it is one whose epochs were used up, and that did not get the answer with its new id.
    """
    is_former = producer_id == row.previous_producer_id and epoch >= LAST_CLIENT_EPOCH
    return row.epoch == NO_PRODUCER_EPOCH or producer_id == row.producer_id or is_former


def _check_producer(row: Transaction, producer_id: int, epoch: int) -> int:
    if row.producer_id != producer_id:
        return errors.INVALID_PRODUCER_ID_MAPPING
    return errors.NONE if row.epoch == epoch else errors.PRODUCER_FENCED


def _verify(
    row: Transaction | None,
    perhaps: Transaction | None,
    producer_id: int,
    epoch: int,
    partitions: "Sequence[TopicPartition]",
) -> list[int]:
    """The error codes for partitions by the committed row, and by one that is perhaps committed."""
    error, known = errors.INVALID_PRODUCER_ID_MAPPING, NO_PARTITIONS
    if row is not None and row.state != DEAD:
        error, known = _check_open(row, producer_id, epoch), row.partitions
    codes = [error or (errors.NONE if each in known else errors.TRANSACTION_ABORTABLE) for each in partitions]
    newest = errors.PRODUCER_FENCED if perhaps is None else _check_open(perhaps, producer_id, epoch)
    if perhaps is None or newest not in (errors.NONE, errors.CONCURRENT_TRANSACTIONS):
        return codes
    return [
        errors.CONCURRENT_TRANSACTIONS if code and (newest or each in perhaps.partitions) else code
        for code, each in zip(codes, partitions, strict=True)
    ]


def _check_open(row: Transaction, producer_id: int, epoch: int) -> int:
    """What all partitions of a producer's transaction are answered, unless it is open."""
    error = _check_producer(row, producer_id, epoch)
    return errors.CONCURRENT_TRANSACTIONS if error == errors.NONE and row.state in PREPARED else error


def _is_overdue(row: Transaction, wall_ms: int) -> bool:
    return row.timeout_ms != NO_TIMEOUT_MS and row.start_ms + row.timeout_ms < wall_ms


def _ended(producer_id: int, epoch: int) -> EndTxnResponse:
    return EndTxnResponse(producer_id=producer_id, producer_epoch=epoch)


def _end_error(error_code: int) -> Result:
    return Result(EndTxnResponse(error_code=error_code))


def _notice(row: Transaction) -> Result:
    result = Result()
    result.effects.append(Notify(row))
    result.cost = COST_OF_MARKERS
    return result


def _checked(checks: int) -> Result:
    result = Result()
    result.cost = checks // CHECKS_PER_COST
    return result


def _tombstones(result: Result) -> Result:
    result.cost = CHECKS_PER_STEP // CHECKS_PER_COST
    result.is_atomic = False
    result.otherwise = lambda _error_code: Result()  # the next scan comes
    return result
