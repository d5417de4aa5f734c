"""Logs to compact, written as segment files without a broker: what a Java producer leaves that uses its defaults."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import NAMES

BATCH_BYTES = 16_384
"""A Java producer's `batch.size`: records before compression."""
SEGMENT_BYTES = 16 << 20
SEGMENT_SUFFIXES = (".log", ".index", ".timeindex", ".snapshot", ".txnindex")
RECORDS_PER_KEY = 10
VALUES = 512
FIRST_MS = 1_700_000_000_000
WORDS = ("order", "price", "amount", "customer", "shipped", "street", "city", "paid", "open", "state", "item", "note")


class Case(NamedTuple):
    """One log, of which each round has a copy. `is_half`: its first half was compacted before, so each key is there
    once.
    """

    value_bytes: int
    codec: str
    is_half: bool

    @property
    def stem(self) -> str:
        return f"c-{self.value_bytes}-{self.codec}-{'half' if self.is_half else 'full'}"

    def topic(self, number: int) -> str:
        """The copy of one round."""
        return f"{self.stem}-{number}"

    @property
    def text(self) -> str:
        size = f"{self.value_bytes} B" if self.value_bytes < 1000 else f"{self.value_bytes // 1000} KB"
        return f"{size}, {self.codec}, {'half' if self.is_half else 'fully'} dirty"


def _values(size_bytes: int, rng: random.Random) -> list[bytes]:
    """Texts that compress to about a third."""
    found = []
    for _ in range(VALUES):
        text = bytearray(b"{")
        while len(text) < size_bytes:
            text += b'"%s": "%x", ' % (rng.choice(WORDS).encode(), rng.getrandbits(24))
        found.append(bytes(text[:size_bytes]))
    return found


def _batches(case: Case, size_bytes: int) -> Iterator[tuple[bytearray, int]]:
    """Batches and their last offsets, until they are as large as asked; `size_bytes` is what is on the disk."""
    rng = random.Random(case.stem)
    values, codec = _values(case.value_bytes, rng), NAMES.index(case.codec)
    per_batch = max(1, BATCH_BYTES // (case.value_bytes + 30))
    offset = written = 0
    expected = 0  # records of the whole log: known when the first batch has shown how well it is compressed
    while written < size_bytes:
        records = []
        for number in range(per_batch):
            if not expected:
                key = number
            elif case.is_half and written < size_bytes // 2:
                key = offset + number
            else:
                key = rng.randrange(expected // (2 if case.is_half else RECORDS_PER_KEY))
            record_ms = FIRST_MS + offset + number
            records.append(Record(number, record_ms, b"customer-%07d" % key, rng.choice(values)))
        batch = build_batch(records, compression=codec, leader_epoch=0, base_offset=0)
        batch[0:8] = offset.to_bytes(8, "big")
        offset += per_batch
        written += len(batch)
        expected = expected or max(RECORDS_PER_KEY, size_bytes // len(batch) * per_batch)
        yield batch, offset - 1


def write_log(folder: Path, case: Case, size_bytes: int) -> int:
    """Segments in the place of what is in `folder`, the last of which has one batch. Returns the offset from which on
    the log is dirty.
    """
    for path in folder.iterdir():
        if path.suffix in SEGMENT_SUFFIXES:
            path.unlink()
    (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    base = written = dirty = 0
    out, next_offset = bytearray(), 0
    for batch, last_offset in _batches(case, size_bytes):
        if len(out) + len(batch) > SEGMENT_BYTES:
            (folder / f"{base:020d}.log").write_bytes(out)
            base, out = next_offset, bytearray()
        if case.is_half and not dirty and written >= size_bytes // 2:
            dirty = next_offset
        out += batch
        written += len(batch)
        next_offset = last_offset + 1
    (folder / f"{base:020d}.log").write_bytes(out)
    last = build_batch([Record(0, FIRST_MS + next_offset, b"last", b"")], leader_epoch=0)
    last[0:8] = next_offset.to_bytes(8, "big")
    (folder / f"{next_offset:020d}.log").write_bytes(last)
    return dirty
