"""What is decided of whole batches, before and after their records are looked at: the same for every scanner."""

from typing import NamedTuple

from kafkacompat.protocol.constants import LONG_MAX, NO_PRODUCER_ID
from kafkacompat.protocol.records.batch import CorruptBatchError, check_crc
from kafkacompat.protocol.records.control import decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.compaction import clean_rules as rules
from kafkacompat.storage.compaction.thinned_batch import emptied, with_new_times, without_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.clean_rules import LastRecords, RoundTransactions
    from kafkacompat.storage.compaction.thinned_batch import Data
    from kafkacompat.storage.txn_index import AbortedTransaction

    Written = tuple[bytes | bytearray | memoryview, int]
    """A batch, and its max timestamp in ms."""


NO_DELTA = -(1 << 63)
"""Below every timestamp delta."""


class Verdict(NamedTuple):
    """What becomes of a batch. ``fate``: see ``clean_rules.retention``. ``drops``: its records go, whatever they are.
    ``ends_nothing``: it is a marker of a transaction that has no batches any more.
    """

    fate: str
    drops: bool
    ends_nothing: bool


class Stays:
    """Which records of a batch stay. ``body``: the batch, whose header is not written yet, with these records;
    None if none of its records goes. ``max_delta``: the largest timestamp delta; ``flags``: a byte for each record of
    the batch, 1 if it stays.
    """

    __slots__ = ("body", "count", "flags", "has_tombstone", "max_delta")

    def __init__(
        self, count: int, max_delta: int, body: bytearray | None, flags: "Callable[[], bytes]", *, has_tombstone: bool
    ) -> None:
        self.count = count
        self.max_delta = max_delta
        self.body = body
        self.flags = flags
        self.has_tombstone = has_tombstone


class BatchRules:
    """The batches of a log, one after the other.

    ``upper_bound``: where the uncleanable part begins. ``retained``: aborted transactions that stay in the index; the
    caller takes them out.
    """

    __slots__ = ("_delete_retention_ms", "_last_records", "_transactions", "_upper_bound", "now_ms", "retained")

    def __init__(
        self,
        transactions: "RoundTransactions",
        last_records: "LastRecords",
        *,
        upper_bound: int,
        now_ms: int,
        delete_retention_ms: int,
    ) -> None:
        self._transactions = transactions
        self._last_records = last_records
        self._upper_bound = upper_bound
        self.now_ms = now_ms
        self._delete_retention_ms = delete_retention_ms
        self.retained: list[AbortedTransaction] = []

    def verdict(self, header: "BatchHeader", batch: memoryview) -> Verdict:
        """What becomes of a batch. To be asked once at most for each, in their order: those that are in no transaction
        may be left out (``RoundTransactions.is_aborted``).

        Raises RecordBatchError, also for a wrong checksum: what was damaged would go as superseded or aborted, or get a
        new checksum that hides it.
        """
        check(header, batch)
        if header.is_control:
            is_discardable, aborted = self._transactions.end(header, control_kind(header, batch))
            if aborted is not None:
                self.retained.append(aborted)
        else:
            is_discardable = self._transactions.is_aborted(header)
        drops = rules.drops_records(header, self.now_ms, is_discardable=is_discardable)
        fate = rules.retention(header, self._last_records, self._upper_bound, drops=drops)
        return Verdict(fate, drops, header.is_control and is_discardable)

    def is_last(self, producer_id: int, last_offset: int) -> bool:
        """Whether a data batch that ends there may have to stay without records: see ``clean_rules.retention``."""
        if last_offset + 1 == self._upper_bound:
            return True
        last = self._last_records.get(producer_id) if producer_id != NO_PRODUCER_ID else None
        return last is not None and last[0] == last_offset

    def without_records(self, header: "BatchHeader", verdict: Verdict) -> "Written | None":
        """What stays of a batch of which no record does."""
        return (emptied(header), header.max_timestamp) if verdict.fate == rules.RETAIN_EMPTY else None

    def result(
        self, header: "BatchHeader", batch: memoryview, data: "Data", start: int, stays: Stays, verdict: Verdict
    ) -> "Written":
        """The batch with the records that stay, of which there are some. They begin at ``start`` of ``data``."""
        horizon_ms = rules.new_horizon(
            header, self.now_ms, self._delete_retention_ms,
            has_tombstone=stays.has_tombstone, ends_nothing=verdict.ends_nothing,
        )  # fmt: skip
        if stays.count == header.record_count and horizon_ms is None:
            return batch, header.max_timestamp
        max_ms = header.max_timestamp if header.is_log_append_time else header.base_timestamp + stays.max_delta
        if horizon_ms is not None:
            stays.body = None
            return with_new_times(header, data, start, stays.flags(), horizon_ms, stays.count, max_ms), max_ms
        assert stays.body is not None
        return without_some(header, stays.body, stays.count, max_ms), max_ms


def check(header: "BatchHeader", batch: memoryview) -> None:
    """Raises CorruptBatchError if the checksum of a batch is wrong, or its offsets, which that does not cover, cannot
    be.
    """
    if not 0 <= header.base_offset <= header.last_offset < LONG_MAX:
        raise CorruptBatchError(f"a batch from offset {header.base_offset} to {header.last_offset}")
    if not check_crc(batch, 0, header.size_bytes):
        raise CorruptBatchError(f"the checksum of the batch at offset {header.base_offset} is wrong")


def control_kind(header: "BatchHeader", batch: memoryview) -> int | None:
    """The kind of a control batch; None if it is empty. Raises RecordBatchError."""
    first = next(read_records(batch, 0, header), None)
    return None if first is None else decode_key(first.key)
