"""What the committed batches of a partition say of its keys, and the replicas' own logs, which may have holes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, BatchHeader, read_header
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.swap_files import SWAP_SUFFIX, clean_up
from tests.sim.invariants import must
from tests.sim.nodes.invariants import Batch, NodeLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.sim.nodes.node import Node


class Entry(NamedTuple):
    """One record."""

    offset: int
    key: bytes
    value: bytes | None
    timestamp: int


def entries_of(data: bytes) -> list[Entry]:
    """The records of a batch."""
    header = read_header(data, 0)
    return [Entry(each.offset, each.key or b"", each.value, each.timestamp) for each in read_records(data, 0, header)]


class Story:
    """All records that were committed. `is_visible` of each offset: None while its transaction is open."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.is_visible: dict[int, bool | None] = {}
        self.ended_by: dict[int, int] = {}
        """The offset of the marker that ends the transaction of a record."""
        self.end_offset = 0
        self._open: dict[int, list[int]] = {}  # by producer id: offsets of its transaction
        self._ended: list[tuple[int, int]] = []  # of transactions: first offset, and that of the marker
        self._newest: tuple[int, dict[bytes, Entry]] = -1, {}  # as it was at an end of the log

    def add(self, batch: Batch) -> None:
        """The next batch is committed."""
        self.end_offset = batch.last_offset + 1
        producer_id = batch.producer[0]
        if batch.is_control:
            kind = control.decode_key(entries_of(batch.data)[0].key)
            offsets = self._open.pop(producer_id, ())
            if offsets:
                self._ended.append((offsets[0], batch.base_offset))
            for offset in offsets:
                self.is_visible[offset] = kind == control.COMMIT
                self.ended_by[offset] = batch.base_offset
            return
        for entry in entries_of(batch.data):
            self.entries[entry.offset] = entry
            self.is_visible[entry.offset] = None if batch.is_transactional else True
            if batch.is_transactional:
                self._open.setdefault(producer_id, []).append(entry.offset)

    @property
    def stable_end(self) -> int:
        """The last stable offset, when all that is committed is replicated."""
        return min((offsets[0] for offsets in self._open.values()), default=self.end_offset)

    def stable_below(self, end_offset: int) -> int:
        """The last stable offset of a log that ends there."""
        cut = (first for first, marker in self._ended if first < end_offset <= marker)
        return min(end_offset, self.stable_end, *cut)

    def newest(self) -> dict[bytes, Entry]:
        """Of each key the last record that readers of committed records see."""
        if self._newest[0] != self.end_offset:
            stable_end, visible = self.stable_end, self.is_visible
            found = {
                entry.key: entry for offset, entry in self.entries.items() if offset < stable_end and visible[offset]
            }
            self._newest = self.end_offset, found
        return self._newest[1]


class SegmentFile:
    """The content of a `.log` file, parsed."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.batches: list[tuple[Batch, BatchHeader, list[Entry]]] = []
        at = 0
        while len(content) - at >= BATCH_OVERHEAD:
            header = read_header(content, at)
            if len(content) - at < header.size_bytes:
                return
            data = content[at : at + header.size_bytes]
            batch = Batch(
                header.base_offset, header.last_offset, header.leader_epoch, header.crc,
                (header.producer_id, header.producer_epoch, header.base_sequence), data,
            )  # fmt: skip
            self.batches.append((batch, header, entries_of(data)))
            at += header.size_bytes

    @property
    def end_offset(self) -> int:
        """Behind the last batch, 0 without one."""
        return self.batches[-1][0].last_offset + 1 if self.batches else 0


class CleanedLog(NodeLog):
    """A replica's log on its disk, as a start finds it. `may_skip`: whether offsets may be missing up to one."""

    def __init__(self, node: Node, topic: str, index: int, may_skip: Callable[[int], bool]) -> None:
        super().__init__(node, topic, index)
        self._node = node
        self._may_skip = may_skip
        self._parsed: dict[str, SegmentFile] = {}

    def files(self) -> dict[int, SegmentFile]:
        """By base offset. I10: the offsets ascend, and gaps are where compaction may have been."""
        fs: Any = self._fs
        names = fs.listdir(self._path) if fs.is_dir(self._path) else []
        if any(name.endswith(SWAP_SUFFIX) for name in names):
            fs = fs.copy()
            names = clean_up(fs, self._path)
        found, parsed, expected = {}, {}, None
        for name in sorted(name for name in names if name.endswith(".log")):
            content = fs.read_bytes(f"{self._path}/{name}")
            known = self._parsed.get(name)
            file = parsed[name] = known if known is not None and known.content == content else SegmentFile(content)
            base_offset = int(name[: -len(".log")])
            found[base_offset] = file
            must(expected is None or base_offset >= expected, f"I10: {self._path}/{name} begins below {expected}")
            expected = base_offset if expected is None else expected
            for batch, _, _ in file.batches:
                if batch.base_offset != expected:
                    may_be = batch.base_offset > expected and self._may_skip(batch.base_offset)
                    must(may_be, f"I10: {self._path} goes from {expected} to {batch.base_offset}")
                expected = batch.last_offset + 1
        self._parsed = parsed
        return found

    def batches(self) -> list[Batch]:
        return [batch for file in self.files().values() for batch, _, _ in file.batches]
