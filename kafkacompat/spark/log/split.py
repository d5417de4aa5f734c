"""What a task reads, and how: plain values that go from Spark's driver to its workers."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from kafkacompat.protocol.constants import LONG_MAX

CHUNK_BYTES = 8 * 1024 * 1024
"""Read at a time, and decompressed at a time; a larger batch is taken alone."""


class Aborted(NamedTuple):
    """An aborted transaction: its producer, its first offset, and that of its marker."""

    producer_id: int
    first_offset: int
    last_offset: int


class Split(NamedTuple):
    """A piece of a segment.

    Offsets and positions are exclusive at the upper end. A batch begins at `position`. `is_last`: it may end at
    `end_offset`; the others end at their position, so that a wrong offset in the middle of a log cannot end a read
    early. No batch of it has an offset above `max_offset`, as what is behind it shows. `must_reach`: the log is damaged
    if its last batch ends before `end_offset`. `is_committed_end`: `end_offset` is where what is committed ends, which
    is between batches, and compaction has not been behind it. `may_be_torn`: a broker may be writing at the end of the
    file.
    """

    topic: str
    partition: int
    path: str
    position: int
    end_position: int
    start_offset: int
    end_offset: int
    is_last: bool = True
    max_offset: int = LONG_MAX
    must_reach: bool = False
    is_committed_end: bool = False
    may_be_torn: bool = False
    aborted: tuple[Aborted, ...] = ()

    @property
    def name(self) -> str:
        """A name for files about the split, the same at each attempt."""
        return f"{self.topic}-{self.partition}-{Path(self.path).stem}-{self.position:020d}-{self.start_offset:020d}"


class Reading(NamedTuple):
    """Columns in order, the level, and what is checked and kept. Batches that end before `min_timestamp_ms` are not."""

    names: list[str]
    is_by_batch: bool = False
    check_crcs: bool = True
    fail_on_data_loss: bool = True
    min_timestamp_ms: int = -LONG_MAX - 1
    chunk_bytes: int = CHUNK_BYTES
