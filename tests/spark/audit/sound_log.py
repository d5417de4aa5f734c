"""A partition as a broker leaves it at a clean stop, which a test then damages.

Batches of ten records by an idempotent producer, among them transactions of another one: in three segments, with all
files beside them. Leader epoch 0 begins at offset 0, epoch 3 in the second segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.storage.producer_state import ProducerState
from tests.spark.log.segment_files import records_from

IDEMPOTENT, TRANSACTIONAL = 1000, 2000
TOPIC = "orders"
ROUNDS = 12
SEGMENTS = 3
SECOND_EPOCH = 3


class SoundLog:
    """`folder` holds the partition, `segments` the batches of each segment. `write` makes the files anew from them."""

    def __init__(self, path: Path, *, rounds: int = ROUNDS) -> None:
        self.path, self.folder = path, path / f"{TOPIC}-0"
        self.folder.mkdir(parents=True)
        (path / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
        self.segments: list[list[bytearray]] = []
        self.aborted: list[tuple[int, int, int]] = []
        self.epochs: dict[int, int] = {}
        self._end, self._sequences = 0, {IDEMPOTENT: 0, TRANSACTIONAL: 0}
        for number in range(SEGMENTS):
            self._segment(rounds, SECOND_EPOCH if number else 0)
        self.high_watermark = self.recovery_point = self._end
        self.log_start = 0
        self.write()

    def _segment(self, rounds: int, epoch: int) -> None:
        self.epochs.setdefault(epoch, self._end)
        batches = []
        for number in range(rounds):
            batches.append(self._data(IDEMPOTENT, epoch, is_transactional=False))
            if number % 3 == 0:
                first = self._end
                batches.append(self._data(TRANSACTIONAL, epoch, is_transactional=True))
                kind = ABORT if number % 2 else COMMIT
                if kind == ABORT:
                    self.aborted.append((TRANSACTIONAL, first, self._end))
                batches.append(self._marker(kind, epoch))
        self.segments.append(batches)

    def _data(self, producer_id: int, epoch: int, *, is_transactional: bool) -> bytearray:
        batch = build_batch(
            records_from(self._end, 10), base_offset=self._end, leader_epoch=epoch, producer_id=producer_id,
            producer_epoch=0, base_sequence=self._sequences[producer_id], is_transactional=is_transactional,
        )  # fmt: skip
        self._sequences[producer_id] += 10
        self._end += 10
        return batch

    def _marker(self, kind: int, epoch: int) -> bytearray:
        record = Record(self._end, 1_700_000_000_000 + self._end, encode_key(kind), encode_end_transaction(0), ())
        self._end += 1
        return build_batch(
            [record], base_offset=self._end - 1, leader_epoch=epoch, producer_id=TRANSACTIONAL, producer_epoch=0,
            is_transactional=True, is_control=True,
        )  # fmt: skip

    @property
    def end(self) -> int:
        """Behind the last record."""
        return self._end

    def file(self, segment: int, suffix: str = ".log") -> Path:
        """A file of a segment."""
        return sorted(self.folder.glob(f"*{suffix}"))[segment]

    def change(self, segment: int, suffix: str, change: Callable[[bytearray], object]) -> None:
        """Change the content of a file."""
        path = self.file(segment, suffix)
        data = bytearray(path.read_bytes())
        change(data)
        path.write_bytes(data)

    def position(self, segment: int, number: int) -> int:
        """Where a batch begins."""
        return sum(len(batch) for batch in self.segments[segment][:number])

    def offsets(self, segment: int, number: int) -> tuple[int, int]:
        """First and last offset of a batch."""
        header = read_header(self.segments[segment][number])
        return header.base_offset, header.last_offset

    def write(self, bases: Sequence[int] = ()) -> None:
        """All files, with an entry of the indexes for each batch that ascends. `bases`: those of the segments."""
        for path in self.folder.iterdir():
            path.unlink()
        if not bases:
            bases = [read_header(batches[0]).base_offset for batches in self.segments]
        for base, batches in zip(bases, self.segments, strict=True):
            self._write_segment(base, batches)
        state = ProducerState(self._end)
        (self.folder / f"{self._end:020d}.snapshot").write_bytes(state.encode())
        entries = [f"{epoch} {start}" for epoch, start in self.epochs.items()]
        (self.folder / "leader-epoch-checkpoint").write_text("\n".join(["0", str(len(entries)), *entries, ""]))
        self.write_checkpoints()

    def write_checkpoints(self) -> None:
        """The files of the directory."""
        for name, offset in (
            ("replication-offset-checkpoint", self.high_watermark),
            ("recovery-point-offset-checkpoint", self.recovery_point),
            ("log-start-offset-checkpoint", self.log_start),
        ):
            (self.path / name).write_text(f"0\n1\n{TOPIC} 0 {offset}\n")

    def _write_segment(self, base: int, batches: Sequence[bytearray]) -> None:
        index, times, data = b"", b"", b""
        highest, largest = base - 1, -1
        for batch in batches:
            header = read_header(batch)
            if header.base_offset > highest and data:
                index += (header.last_offset - base).to_bytes(4) + len(data).to_bytes(4)
            if header.base_offset > highest and header.max_timestamp > largest:
                largest = header.max_timestamp
                times += largest.to_bytes(8) + (header.last_offset - base).to_bytes(4)
            highest = max(highest, header.last_offset)
            data += batch
        path = self.folder / f"{base:020d}.log"
        path.write_bytes(data)
        path.with_suffix(".index").write_bytes(index + bytes(80))
        path.with_suffix(".timeindex").write_bytes(times + bytes(120))
        aborted = b""
        for producer_id, first, last in self.aborted:
            if base <= last <= highest:
                aborted += (0).to_bytes(2) + b"".join(each.to_bytes(8) for each in (producer_id, first, last, last + 1))
        if aborted:
            path.with_suffix(".txnindex").write_bytes(aborted)
