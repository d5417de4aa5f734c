"""The aborted transactions of a log: those that a reader of committed records must leave out of what it reads.

Each segment has an index of those that end in it (``txn_index.py``). An index that cannot be read is built anew from
the log: a list that lacks one would show records that were never committed.
"""

import logging

from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.producer_replay import rebuild_producers, replay
from kafkacompat.storage.txn_index import AbortedTransaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.producer_snapshots import SnapshotFiles
    from kafkacompat.storage.producer_state import CompletedTransaction
    from kafkacompat.storage.segment import Segment
    from kafkacompat.storage.txn_index import TxnIndex

    Batches = Callable[[int, int], Iterator[tuple[BatchHeader, memoryview]]]
    T = TypeVar("T")

_log = logging.getLogger(__name__)


def as_entry(ended: "CompletedTransaction") -> AbortedTransaction:
    """The entry of a transaction that an abort marker ended."""
    return AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset)


class AbortedTransactions:
    """The transaction indexes of one log. ``base_offsets``: of the segments that have entries, ascending; others may be
    among them. ``batches``: see ``Log.batches``.
    """

    __slots__ = ("_batches", "_snapshots", "base_offsets")

    def __init__(self, snapshots: "SnapshotFiles", batches: "Batches") -> None:
        self._snapshots = snapshots
        self._batches = batches
        self.base_offsets: list[int] = []

    def add(self, segment: "Segment", ended: "CompletedTransaction") -> None:
        """An abort marker that was written to the last segment has ended a transaction. Raises OSError, LogError."""
        if not self.base_offsets or self.base_offsets[-1] < segment.base_offset:
            self.base_offsets.append(segment.base_offset)
        try:
            segment.txn_index.append(as_entry(ended))
        except CorruptIndexError as error:
            self._rebuild(segment, error)  # finds this one as well

    def forget(self, base_offset: int) -> None:
        """The segment was removed."""
        if base_offset in self.base_offsets:
            self.base_offsets.remove(base_offset)

    def truncate(self, segment: "Segment", offset: int) -> None:
        """Truncate a segment (``Segment.truncate_to``). Raises OSError, LogError."""
        self._read(segment, lambda: segment.truncate_to(offset))

    def overlapping(
        self, segment: "Segment", start_offset: int, end_offset: int
    ) -> "tuple[list[AbortedTransaction], bool]":
        """See ``TxnIndex.overlapping``. Raises OSError, LogError."""
        return self._read(segment, lambda: segment.txn_index.overlapping(start_offset, end_offset))

    def _read(self, segment: "Segment", use: "Callable[[], T]") -> "T":
        try:
            return use()
        except CorruptIndexError as error:
            self._rebuild(segment, error)
            return use()

    def _rebuild(self, segment: "Segment", fault: CorruptIndexError) -> None:
        """Build the index of a segment from its batches and the producers before it. Raises OSError, LogError."""
        _log.warning("building the aborted transactions of a segment anew: %s", fault)
        producers = rebuild_producers(self._snapshots, self._batches, 0, segment.base_offset)
        index: TxnIndex = segment.new_txn_index()
        for header, batch in segment.batches(segment.base_offset):
            ended = replay(producers, header, batch)
            if ended is not None and ended.is_aborted:
                index.append(as_entry(ended))
        segment.replace_txn_index(index)
