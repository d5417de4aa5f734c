"""Segment files out of batches, and what a data source reads of them, without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.records.builder import Record
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.spark.log.fields import HEADERS_FIELD, RECORD_FIELDS
from kafkacompat.spark.log.read_damage import FAIL, DamageHandler
from kafkacompat.spark.log.segment_reader import read_split
from kafkacompat.spark.log.split import Reading, Split

COLUMNS = [*RECORD_FIELDS, *HEADERS_FIELD]


class Row(NamedTuple):
    """A record as the data source shows it."""

    key: bytes | None
    value: bytes | None
    offset: int
    timestamp_ms: int
    timestamp_type: int
    headers: tuple[tuple[str, bytes | None], ...] | None


def write_segment(folder: Path, batches: Iterable[bytes | bytearray], base_offset: int = 0) -> Path:
    """A segment in a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{base_offset:020d}.log"
    path.write_bytes(b"".join(map(bytes, batches)))
    return path


def whole(path: Path, **changed: Any) -> Split:
    """All of a file."""
    split = Split("orders", 0, str(path), 0, path.stat().st_size, 0, LONG_MAX)
    return split._replace(**changed)


def tables(split: Split, on_damage: str = FAIL, **reading: Any) -> tuple[list[dict[str, Any]], DamageHandler]:
    """All rows, and what was left out."""
    damage = DamageHandler(on_damage)
    how = Reading(reading.pop("names", COLUMNS), **reading)
    return [row for batch in read_split(split, how, damage) for row in batch.to_pylist()], damage


def rows(split: Split, on_damage: str = FAIL, **reading: Any) -> list[Row]:
    """The records of a split."""
    found, _ = tables(split, on_damage, **reading)
    return [
        Row(
            row["key"],
            row["value"],
            row["offset"],
            _ms(row["timestamp"]),
            row["timestampType"],
            None if row["headers"] is None else tuple((each["key"], each["value"]) for each in row["headers"]),
        )
        for row in found
    ]


def _ms(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def expected(batches: Sequence[bytes | bytearray]) -> list[Row]:
    """The same records, read one by one."""
    return [
        Row(
            None if record.key is None else bytes(record.key),
            None if record.value is None else bytes(record.value),
            record.offset,
            record.timestamp,
            batch[22] >> 3 & 1,
            tuple((name, value) for name, value in record.headers) or None,
        )
        for batch in batches
        for record in read_records(batch)
    ]


def records_from(first_offset: int, count: int, size: int = 10) -> list[Record]:
    """Records with keys and values that tell their offsets."""
    return [
        Record(offset, 1_700_000_000_000 + offset, b"k%d" % offset, b"%d" % offset * size, ())
        for offset in range(first_offset, first_offset + count)
    ]
