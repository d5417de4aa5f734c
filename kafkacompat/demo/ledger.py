"""The delivered records by partition and offset, and checksums to compare them with the written ones. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kafkacompat.demo.dataset import Record

Row = tuple[int, bytes, bytes, int, tuple[tuple[str, bytes], ...]]
"""A record as a client delivered it: offset, key, value, timestamp in ms, headers."""

FIELD_END = b"\x1f"
RECORD_END = b"\n"
"""Neither occurs in the files."""


class Ledger:
    """All deliveries of one topic: the record at each offset, and the number of repeated deliveries."""

    def __init__(self) -> None:
        self._partitions: dict[int, dict[int, Record]] = {}
        self._count = 0
        self.repeated = 0  # repeated deliveries of an offset with the same record
        self.changed: list[tuple[int, int]] = []  # partition and offset of repeated deliveries with another record

    def __len__(self) -> int:
        """Records delivered, each counted once."""
        return self._count

    def add(self, partition: int, rows: Iterable[Row]) -> None:
        """Add the records that one poll delivered from one partition."""
        known = self._partitions.setdefault(partition, {})
        before = len(known)
        for offset, key, value, timestamp_ms, headers in rows:
            record = Record(key, value, timestamp_ms, headers)
            earlier = known.setdefault(offset, record)
            if earlier is record:
                continue
            if earlier == record:
                self.repeated += 1
            else:
                self.changed.append((partition, offset))
        self._count += len(known) - before

    def gaps(self, ends: Mapping[int, int]) -> list[tuple[int, int]]:
        """Partition and offset of records missing below the log ends and of records delivered beyond them."""
        wrong = []
        for partition in sorted(ends.keys() | self._partitions.keys()):
            delivered = self._partitions.get(partition, {}).keys()
            wrong += [(partition, offset) for offset in sorted(delivered ^ set(range(ends.get(partition, 0))))]
        return wrong

    def by_key(self) -> dict[bytes, list[Record]]:
        """Records by key, ordered by partition and offset."""
        return group_by_key(records[offset] for records in self._partitions.values() for offset in sorted(records))

    def updates(self) -> Iterator[tuple[bytes, bytes]]:
        """Key and value of all records, grouped by key, ordered by partition and offset."""
        for records in self.by_key().values():
            yield from ((record.key, record.value) for record in records)

    def scattered_keys(self) -> list[bytes]:
        """Keys that were found in more than one partition."""
        seen: dict[bytes, int] = {}
        for records in self._partitions.values():
            for key in {record.key for record in records.values()}:
                seen[key] = seen.get(key, 0) + 1
        return sorted(key for key, partitions in seen.items() if partitions > 1)


def group_by_key(records: Iterable[Record]) -> dict[bytes, list[Record]]:
    """Records by key, in the given order."""
    groups: dict[bytes, list[Record]] = {}
    for record in records:
        groups.setdefault(record.key, []).append(record)
    return groups


def canonical(record: Record, known: dict[tuple[tuple[str, bytes], ...], bytes]) -> bytes:
    """A record without its key as one line; different records have different lines. `known` caches headers."""
    headers = known.get(record.headers)
    if headers is None:
        headers = b"".join(FIELD_END + name.encode() + b"=" + (value or b"") for name, value in record.headers)
        known[record.headers] = headers
    return b"%s%s%d%s%s" % (record.value or b"", FIELD_END, record.timestamp_ms, headers, RECORD_END)


def key_checksums(groups: Mapping[bytes, Sequence[Record]]) -> dict[str, str]:
    """SHA-256 in hex over the records of each key, in order."""
    known: dict[tuple[tuple[str, bytes], ...], bytes] = {}
    return {
        (key or b"").decode(errors="replace"): hashlib.sha256(
            b"".join(canonical(record, known) for record in records)
        ).hexdigest()
        for key, records in groups.items()
    }


def checksum(by_key: Mapping[str, str]) -> str:
    """One SHA-256 in hex over the checksums of all keys."""
    return hashlib.sha256("".join(f"{key}={by_key[key]}\n" for key in sorted(by_key)).encode()).hexdigest()
