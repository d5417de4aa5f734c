"""The producers of a partition, so that a retried batch is neither lost nor written twice (KIP-98).

For each producer id: its epoch, its last five batches, and where its open transaction begins. The rules are those
of Kafka's ``ProducerStateManager``, ``ProducerStateEntry`` and ``ProducerAppendInfo``; the snapshot is Kafka's file
format. Nothing here reads a file or a clock.
"""

from heapq import nsmallest
from itertools import takewhile
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is an exception, whatever its module calls it

from kafkacompat.protocol.constants import NO_PRODUCER_ID, NO_SEQUENCE, NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    TRANSACTION_COORDINATOR_FENCED,
)
from kafkacompat.protocol.records.batch import MAX_SEQUENCE, Buffer
from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.storage.errors import CorruptSnapshotError, LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.steps import Steps
    from kafkacompat.storage.verification_entries import VerificationEntry, Verifications

#: So many batches a producer may have in flight (``max.in.flight.requests.per.connection`` of an idempotent producer).
BATCHES_KEPT = 5
PRODUCERS_PER_UNIT = 20
"""Producers that are checked in one unit of work."""
PRODUCERS_MAX = 50_000
"""Producers without an open transaction that one partition remembers. Kafka has no limit."""
PRODUCERS_FORGOTTEN_AT_ONCE = 500
"""So many of them, those that wrote longest ago, are forgotten when there are too many."""
MAX_EPOCH = 32_767
"""Only a coordinator's fence has it."""

_SNAPSHOT_VERSION = 1
_SNAPSHOT_HEAD = Struct(">hIi")
_SNAPSHOT_ENTRY = Struct(">qhiqiqiq")
_CRC_COVERS_FROM = 6


class ProducedBatch:
    """A batch that was written: sequences and offsets of its first and last record, and its max timestamp in ms."""

    __slots__ = ("first_offset", "first_sequence", "last_offset", "last_sequence", "timestamp_ms")

    def __init__(
        self, first_sequence: int, last_sequence: int, first_offset: int, last_offset: int, timestamp_ms: int
    ) -> None:
        self.first_sequence = first_sequence
        self.last_sequence = last_sequence
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.timestamp_ms = timestamp_ms


class ProducerEntry:
    """One producer. ``transaction_first_offset`` is −1 without an open transaction; ``batches`` has the newest last."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "epoch",
        "last_timestamp_ms",
        "producer_id",
        "transaction_first_offset",
    )

    def __init__(self, producer_id: int, epoch: int) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = -1
        self.last_timestamp_ms = NO_TIMESTAMP
        self.transaction_first_offset = UNKNOWN_OFFSET
        self.batches: list[ProducedBatch] = []

    @property
    def last_sequence(self) -> int:
        """Sequence of the last record of this epoch, −1 when there is none."""
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_offset(self) -> int:
        return self.batches[-1].last_offset if self.batches else UNKNOWN_OFFSET


class CompletedTransaction:
    """A transaction that a marker ended. ``last_stable_offset`` is the partition's, once the marker is replicated."""

    __slots__ = ("first_offset", "is_aborted", "last_offset", "last_stable_offset", "producer_id")

    def __init__(
        self, producer_id: int, first_offset: int, last_offset: int, *, is_aborted: bool, last_stable_offset: int
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.is_aborted = is_aborted
        self.last_stable_offset = last_stable_offset


_NONE: dict[int, int] = {}
"""Shared by the partitions that never had a transaction, which are most; it stays empty."""


class ProducerState:
    """The producers of one partition, up to ``end_offset`` (exclusive) of its log.

    A transaction is *unstable* while it is open, and until its marker is replicated. ``ended`` has those that
    ended and are unstable: while there are any, ``replicated_to`` is to be called when the high watermark moves.
    """

    __slots__ = ("_open", "_unstable", "end_offset", "ended", "entries", "verifications")

    def __init__(self, end_offset: int = 0) -> None:
        self.end_offset = end_offset
        self.entries: dict[int, ProducerEntry] = {}
        self.verifications: Verifications | None = None  # most partitions never need any
        # each in the order of the log, so that the oldest is the first
        self._open = _NONE  # first offset of an open transaction -> producer id
        self._unstable = _NONE  # first offset -> producer id
        self.ended = _NONE  # offset of the marker -> first offset

    def check(
        self,
        producer_id: int,
        epoch: int,
        first_sequence: int,
        last_sequence: int,
        *,
        is_transactional: bool,
        guard: "VerificationEntry | None" = None,
    ) -> ProducedBatch | None:
        """Check a client's batch before it is appended. Returns None, or the earlier batch of which it is a duplicate.

        Raises LogError with INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER or INVALID_TXN_STATE. An unknown or
        expired producer may begin with any sequence, as in Kafka. ``guard``: what ``begin_verification`` returned.
        """
        entry = self.entries.get(producer_id)
        expected = first_sequence
        if entry is not None:
            if epoch != entry.epoch:
                self.check_epoch(producer_id, epoch)
                expected = 0
            else:
                for batch in entry.batches:
                    if batch.first_sequence == first_sequence and batch.last_sequence == last_sequence:
                        return batch
                expected = (entry.last_sequence + 1) & MAX_SEQUENCE
        if is_transactional:
            self.check_verified(producer_id, epoch, guard)
        if self.verifications:
            self._check_waiting_sequences(self.verifications.get(producer_id), entry, first_sequence)
        if first_sequence != expected:
            raise LogError(
                OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {producer_id} epoch {epoch}: sequence {first_sequence}, expected {expected}",
            )
        if not is_transactional and entry is not None and entry.transaction_first_offset != UNKNOWN_OFFSET:
            raise LogError(INVALID_TXN_STATE, f"producer {producer_id} has a transaction open and wrote outside of it")
        return None

    def check_epoch(self, producer_id: int, epoch: int) -> None:
        """Raises LogError with INVALID_PRODUCER_EPOCH for an epoch that a newer one has fenced."""
        entry = self.entries.get(producer_id)
        if entry is not None and epoch < entry.epoch:
            raise LogError(INVALID_PRODUCER_EPOCH, f"producer {producer_id}: epoch {epoch} is older than {entry.epoch}")

    def check_verified(self, producer_id: int, epoch: int, guard: "VerificationEntry | None") -> None:
        """Raises LogError with INVALID_TXN_STATE for a transactional batch that belongs to no open transaction here,
        and whose coordinator was not asked, or has ended its transaction since it was.
        """
        if self.has_open_transaction(producer_id, epoch):
            return
        if guard is not None:
            from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF

            is_current = self.verifications is not None and self.verifications.get(producer_id) is guard
            if guard is VERIFICATION_IS_OFF or is_current:
                return
        raise LogError(INVALID_TXN_STATE, f"producer {producer_id} epoch {epoch} has no transaction open here")

    def _check_waiting_sequences(
        self, waiting: "VerificationEntry | None", entry: ProducerEntry | None, first_sequence: int
    ) -> None:
        """Raises LogError where a batch would overtake one of its producer that is to come again."""
        if waiting is None:
            return
        is_unknown = entry is None or not entry.batches
        if first_sequence > waiting.lowest_sequence or (
            is_unknown and waiting.supports_epoch_bump and first_sequence != 0
        ):
            raise LogError(
                OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"sequence {first_sequence} came before {waiting.lowest_sequence} of a transaction that is to begin",
            )

    def begin_verification(
        self, producer_id: int, epoch: int, sequence: int, now_ms: int, *, supports_epoch_bump: bool
    ) -> "VerificationEntry | None":
        """To be called before the coordinator is asked about a batch: the guard with which it is appended. None if the
        producer's transaction is open here, so that no question is needed. Raises LogError with INVALID_PRODUCER_EPOCH.
        """
        self.check_epoch(producer_id, epoch)
        if self.has_open_transaction(producer_id, epoch):
            return None
        if self.verifications is None:
            from kafkacompat.storage.verification_entries import Verifications

            self.verifications = Verifications()
        return self.verifications.begin(producer_id, sequence, epoch, now_ms, supports_epoch_bump=supports_epoch_bump)

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, *, transaction_version: int = 0
    ) -> None:
        """Whether a transaction marker may be appended. Raises LogError, also TRANSACTION_COORDINATOR_FENCED.

        With transaction version 2 the epoch is raised with each transaction, before its marker: the marker's is above
        that of the data, or the same where it is sent once more (KAFKA-19999). Before, it may be the same.
        """
        self.check_epoch(producer_id, epoch)
        entry = self.entries.get(producer_id)
        if entry is None:
            return
        is_open = entry.transaction_first_offset != UNKNOWN_OFFSET
        if transaction_version >= 2 and epoch == entry.epoch and is_open and epoch != MAX_EPOCH:
            raise LogError(INVALID_PRODUCER_EPOCH, f"producer {producer_id}: a marker of epoch {epoch} is late")
        if coordinator_epoch < entry.coordinator_epoch:
            raise LogError(
                TRANSACTION_COORDINATOR_FENCED,
                f"producer {producer_id}: coordinator epoch {coordinator_epoch} is before {entry.coordinator_epoch}",
            )

    def update(
        self,
        producer_id: int,
        epoch: int,
        first_sequence: int,
        last_sequence: int,
        first_offset: int,
        last_offset: int,
        timestamp_ms: int,
        *,
        is_transactional: bool,
    ) -> None:
        """A data batch was written."""
        entry = self.entries.get(producer_id)
        if entry is None:
            entry = self._add(producer_id, epoch)
        batches = entry.batches
        if entry.epoch != epoch:
            entry.epoch = epoch
            batches.clear()
        elif len(batches) >= BATCHES_KEPT:
            del batches[0]
        batches.append(ProducedBatch(first_sequence, last_sequence, first_offset, last_offset, timestamp_ms))
        entry.last_timestamp_ms = timestamp_ms
        if is_transactional:
            if self.verifications:
                self.verifications.wrote(producer_id)
            if entry.transaction_first_offset == UNKNOWN_OFFSET:
                entry.transaction_first_offset = first_offset
                self._begin_transaction(first_offset, producer_id)

    def _begin_transaction(self, first_offset: int, producer_id: int) -> None:
        if self._open is _NONE:
            self._open, self._unstable, self.ended = {}, {}, {}
        self._open[first_offset] = self._unstable[first_offset] = producer_id

    def _add(self, producer_id: int, epoch: int) -> ProducerEntry:
        entries = self.entries
        if len(entries) - len(self._open) >= PRODUCERS_MAX:
            idle = (each for each in entries.values() if each.transaction_first_offset == UNKNOWN_OFFSET)
            for each in nsmallest(PRODUCERS_FORGOTTEN_AT_ONCE, idle, key=lambda each: each.last_timestamp_ms):
                del entries[each.producer_id]
        entry = entries[producer_id] = ProducerEntry(producer_id, epoch)
        return entry

    def end_transaction(
        self,
        producer_id: int,
        epoch: int,
        coordinator_epoch: int,
        offset: int,
        timestamp_ms: int,
        *,
        is_aborted: bool,
    ) -> CompletedTransaction | None:
        """A marker was written. None if there was no transaction to end."""
        entry = self.entries.get(producer_id)
        if entry is None:
            entry = self._add(producer_id, epoch)
        if entry.epoch != epoch:
            entry.epoch = epoch
            entry.batches.clear()
        if self.verifications:
            self.verifications.ended(producer_id, epoch)
        entry.coordinator_epoch = coordinator_epoch
        entry.last_timestamp_ms = timestamp_ms
        first_offset = entry.transaction_first_offset
        entry.transaction_first_offset = UNKNOWN_OFFSET
        if first_offset == UNKNOWN_OFFSET:
            return None
        self._open.pop(first_offset, None)
        self.ended[offset] = first_offset
        still_open = next(iter(self._open), offset + 1)
        return CompletedTransaction(
            producer_id, first_offset, offset, is_aborted=is_aborted, last_stable_offset=still_open
        )

    @property
    def first_unstable_offset(self) -> int | None:
        """First offset of the oldest transaction that is open or whose marker is not replicated; None without one."""
        return next(iter(self._unstable), None)

    def replicated_to(self, high_watermark: int) -> None:
        """The high watermark has moved: transactions whose markers lie below it are stable."""
        ended = self.ended
        replicated = list(takewhile(lambda marker: marker < high_watermark, ended))
        for marker in replicated:
            self._unstable.pop(ended.pop(marker), None)

    def is_unstable(self, first_offset: int) -> bool:
        """Whether the transaction that begins there is unstable."""
        return first_offset in self._unstable

    def stay_stable(self, before: "ProducerState") -> None:
        """This is the state ``before``, built again for a log that was truncated: what was stable then still is."""
        for marker, first_offset in list(self.ended.items()):
            if not before.is_unstable(first_offset):
                del self._unstable[self.ended.pop(marker)]

    def last_stable_offset(self, high_watermark: int, log_start_offset: int = 0) -> int:
        """The end for read_committed consumers: the high watermark, or the first offset of an unstable transaction
        before it. What lies before the log start holds nothing back (DeleteRecords).
        """
        if not self._unstable:
            return high_watermark
        first_offset = self.first_unstable_offset
        return high_watermark if first_offset is None else min(high_watermark, max(first_offset, log_start_offset))

    def has_open_transaction(self, producer_id: int, epoch: int) -> bool:
        """Whether the producer has a transaction open here, in this epoch."""
        entry = self.entries.get(producer_id)
        return entry is not None and entry.transaction_first_offset != UNKNOWN_OFFSET and entry.epoch == epoch

    def has_late_transaction(self, now_ms: int, late_ms: int) -> bool:
        """Whether the producer of the oldest open transaction has written nothing for more than `late_ms`, by the wall
        clock (Kafka's hasLateTransaction).
        """
        entry = self.entries.get(next(iter(self._open.values()), NO_PRODUCER_ID)) if self._open else None
        return entry is not None and 0 < entry.last_timestamp_ms < now_ms - late_ms

    def expire(self, now_ms: int, expiration_ms: int) -> "Steps[None]":
        """Forget producers that wrote nothing for ``expiration_ms`` (``producer.id.expiration.ms``), by wall clock; in
        steps, between which producers may be added or removed. One with an open transaction stays.
        """
        if self.verifications:
            self.verifications.expire(now_ms, expiration_ms)
        for count, producer_id in enumerate(list(self.entries)):
            entry = self.entries.get(producer_id)
            if (
                entry is not None
                and entry.transaction_first_offset == UNKNOWN_OFFSET
                and now_ms - entry.last_timestamp_ms >= expiration_ms
            ):
                del self.entries[producer_id]
            if count % PRODUCERS_PER_UNIT == 0:
                yield 1

    def clear(self, end_offset: int) -> None:
        """Forget everything; the log now begins and ends at ``end_offset``."""
        self.entries.clear()
        self._open.clear()
        self._unstable.clear()
        self.ended.clear()
        self.end_offset = end_offset

    def encode(self) -> bytes:
        """The snapshot file. Only a producer's last batch is in it, as in Kafka."""
        body = bytearray(_SNAPSHOT_HEAD.pack(_SNAPSHOT_VERSION, 0, len(self.entries)))
        for entry in self.entries.values():
            last = entry.batches[-1] if entry.batches else None
            body += _SNAPSHOT_ENTRY.pack(
                entry.producer_id,
                entry.epoch,
                entry.last_sequence,
                entry.last_offset,
                last.last_offset - last.first_offset if last else 0,
                entry.last_timestamp_ms,
                entry.coordinator_epoch,
                entry.transaction_first_offset,
            )
        checksum = crc32c(memoryview(body)[_CRC_COVERS_FROM:])
        _SNAPSHOT_HEAD.pack_into(body, 0, _SNAPSHOT_VERSION, checksum, len(self.entries))
        return bytes(body)

    @classmethod
    def decode(cls, data: Buffer, end_offset: int) -> "ProducerState":
        """The state in a snapshot file that is named ``end_offset``. Raises CorruptSnapshotError."""
        try:
            version, checksum, count = _SNAPSHOT_HEAD.unpack_from(data)
        except StructError:
            raise CorruptSnapshotError(f"{len(data)} bytes are too few for a producer snapshot") from None
        if version != _SNAPSHOT_VERSION:
            raise CorruptSnapshotError(f"producer snapshot of version {version}")
        if crc32c(memoryview(data)[_CRC_COVERS_FROM:]) != checksum:
            raise CorruptSnapshotError("producer snapshot with a wrong checksum")
        if len(data) != _SNAPSHOT_HEAD.size + count * _SNAPSHOT_ENTRY.size:
            raise CorruptSnapshotError(f"{len(data)} bytes cannot be a snapshot of {count} producers")
        state = cls(end_offset)
        for fields in _SNAPSHOT_ENTRY.iter_unpack(memoryview(data)[_SNAPSHOT_HEAD.size :]):
            entry = _decode_entry(*fields)
            state.entries[entry.producer_id] = entry
        transactions = [entry for entry in state.entries.values() if entry.transaction_first_offset != UNKNOWN_OFFSET]
        for entry in sorted(transactions, key=lambda entry: entry.transaction_first_offset):
            state._begin_transaction(entry.transaction_first_offset, entry.producer_id)
        return state


def _decode_entry(
    producer_id: int,
    epoch: int,
    last_sequence: int,
    last_offset: int,
    offset_delta: int,
    timestamp_ms: int,
    coordinator_epoch: int,
    transaction_first_offset: int,
) -> ProducerEntry:
    entry = ProducerEntry(producer_id, epoch)
    entry.coordinator_epoch = coordinator_epoch
    entry.last_timestamp_ms = timestamp_ms
    entry.transaction_first_offset = transaction_first_offset if transaction_first_offset >= 0 else UNKNOWN_OFFSET
    if last_offset >= 0:
        first_sequence = (last_sequence - offset_delta) & MAX_SEQUENCE
        first_offset = last_offset - offset_delta
        entry.batches.append(ProducedBatch(first_sequence, last_sequence, first_offset, last_offset, timestamp_ms))
    return entry
