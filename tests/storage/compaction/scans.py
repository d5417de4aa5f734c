"""Scanners, which see batches one by one."""

from collections.abc import Callable
from typing import Any, NamedTuple

from kafkacompat.protocol.records.batch import check_crc, read_header
from kafkacompat.storage.compaction import array_map, offset_map
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.scan_arrays import ArrayScanner
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.txn_index import AbortedTransaction


class NewScanner(NamedTuple):
    """How a scanner is made with room for so many keys, and what it takes in memory besides the batches.

    `tiny_records`: so many are seen in memory, if each of them takes more than its bytes.
    """

    make: Callable[[int, bytes], Any]
    entry_bytes: int
    fixed_bytes: int
    tiny_records: int

    def with_keys(self, keys: int) -> Any:
        return self.make(keys * self.entry_bytes, b"secret of 16 b.")


LOOP = NewScanner(LoopScanner, offset_map.ENTRY_BYTES, 1 << 18, 20_000)
ARRAYS = NewScanner(ArrayScanner, array_map.ENTRY_BYTES, 1 << 24, 150_000)
SCANNERS = [LOOP, ARRAYS]


class Scans:
    """A scanner, and batches one by one."""

    def __init__(
        self, new: NewScanner, batch: memoryview | None = None, *, keys: int = 10, first_dirty: int = 0
    ) -> None:
        self.scanner = new.with_keys(keys)
        if batch is not None:
            self.index(batch, first_dirty=first_dirty)

    def index(self, batch: memoryview, aborted: tuple[AbortedTransaction, ...] = (), *, first_dirty: int = 0) -> bool:
        return bool(self.scanner.index([(read_header(batch), batch)], RoundTransactions(aborted), first_dirty))

    def thin(self, batch: memoryview, **arguments: int) -> memoryview | None:
        values = {"upper_bound": 1 << 40, "now_ms": 5_000, "delete_retention_ms": 100} | arguments
        rules = BatchRules(RoundTransactions([]), {}, **values)
        found = list(self.scanner.thin([(read_header(batch), batch)], rules))
        if not found:
            return None
        ((header, data, max_ms),) = found
        assert str(header) == str(read_header(batch))
        kept = memoryview(data)
        assert check_crc(kept, 0, len(kept))
        assert max_ms == read_header(kept).max_timestamp
        return kept
