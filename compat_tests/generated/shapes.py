"""Records and batches as plain values that print as they are written, and what a fetch brings back, taken apart."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from compat_tests.api.topics import BASE_TIMESTAMP_MS
from kafkacompat.protocol.records import batch as layout
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import NAMES, decompress
from kafkacompat.protocol.records.crc32c import crc32c

NO_TIME = -1
FIRST_PRODUCER_ID = 7_000_000
"""Producers are numbered from 0 in the tests; both brokers take ids that they did not give out."""
_HEADER_NAMES = (
    "base_offset", "length", "leader_epoch", "magic", "crc", "attributes", "last_offset_delta", "base_timestamp",
    "max_timestamp", "producer_id", "producer_epoch", "base_sequence", "record_count",
)  # fmt: skip


class Rec(NamedTuple):
    """One record; `at` is in ms after `BASE_TIMESTAMP_MS`, NO_TIME for none."""

    at: int = 0
    key: bytes | None = None
    value: bytes | None = b"v"
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Batch(NamedTuple):
    """One batch. `spoiled` names what is wrong with it."""

    records: list[Rec]
    codec: str = "none"
    spoiled: str = ""


class Sequence(NamedTuple):
    """Where an idempotent producer says that it is."""

    who: int
    epoch: int
    first: int


def encoded(batch: Batch, sequence: Sequence | None = None) -> bytes:
    """The batch's bytes, spoiled as it says."""
    if batch.spoiled in ("magic 0", "magic 1"):
        return b"".join(_message(n, rec, int(batch.spoiled[-1])) for n, rec in enumerate(batch.records))
    records = [Record(n, _timestamp(rec), rec.key, rec.value, rec.headers) for n, rec in enumerate(batch.records)]
    more: dict[str, Any] = {}
    if sequence is not None:
        more = {
            "producer_id": FIRST_PRODUCER_ID + sequence.who,
            "producer_epoch": sequence.epoch,
            "base_sequence": sequence.first,
        }
    if batch.spoiled == "control":
        more["is_control"] = True
    data = build_batch(records, compression=NAMES.index(batch.codec), **more)
    if batch.spoiled in SPOILS:
        SPOILS[batch.spoiled](data)
        if batch.spoiled != "crc":
            layout.stamp_crc(data, 0, len(data))
    return bytes(data)


def _overwrite(at: int, form: str, value: int) -> Callable[[bytearray], None]:
    def change(data: bytearray) -> None:
        struct.pack_into(form, data, at, value)

    return change


def _cut(data: bytearray) -> None:
    del data[-3:]


def _stamped(data: bytearray) -> None:
    data[layout.ATTRIBUTES_OFFSET + 1] |= layout.TIMESTAMP_TYPE_BIT


SPOILS: dict[str, Callable[[bytearray], None]] = {
    "crc": _overwrite(layout.CRC_OFFSET, ">I", 1),
    "cut": _cut,
    "base offset": _overwrite(layout.BASE_OFFSET_OFFSET, ">q", 7),
    "leader epoch": _overwrite(layout.LEADER_EPOCH_OFFSET, ">i", 9),
    "offset delta": _overwrite(layout.LAST_OFFSET_DELTA_OFFSET, ">i", 9),
    "count": _overwrite(layout.RECORD_COUNT_OFFSET, ">i", 9),
    "no records": _overwrite(layout.RECORD_COUNT_OFFSET, ">i", 0),
    "append time": _stamped,
}
ALL_SPOILS = ("magic 0", "magic 1", "control", *SPOILS)


def _timestamp(rec: Rec) -> int:
    return NO_TIME if rec.at == NO_TIME else BASE_TIMESTAMP_MS + rec.at


def _message(offset: int, rec: Rec, magic: int) -> bytes:
    """A message of format v0 or v1, as producers wrote them before 0.11 (KIP-32)."""
    body = struct.pack(">bb", magic, 0) + (struct.pack(">q", _timestamp(rec)) if magic else b"")
    for part in (rec.key, rec.value):
        body += struct.pack(">i", -1) if part is None else struct.pack(">i", len(part)) + part
    message = struct.pack(">I", zlib.crc32(body)) + body
    return struct.pack(">qi", offset, len(message)) + message


def taken_apart(records: bytes | None, now: Callable[[int], Any], *, opened: bool = False) -> Any:
    """What a fetch brought, byte for byte, batch after batch and field by field; the last may be cut off.

    A batch with the broker's time in it differs from broker to broker in that time and in the checksum over it: `now`
    says what may be compared of the one, and of the other is told whether it is right. `opened` is for topics whose
    broker compresses anew: two gzips (and the like) write the same content in other bytes, so it is unfolded here.
    """
    if records is None:
        return None
    found = []
    at = 0
    while at < len(records):
        if len(records) - at < layout.RECORDS_OFFSET:
            found.append(_head(records[at:]))
            break
        fields: dict[str, Any] = dict(zip(_HEADER_NAMES, layout.HEADER.unpack_from(records, at), strict=True))
        end = at + layout.LOG_OVERHEAD + fields["length"]
        if fields["attributes"] & layout.TIMESTAMP_TYPE_BIT:
            fields["max_timestamp"] = now(fields["max_timestamp"])
            fields["crc"] = "cut" if end > len(records) else _seal(fields["crc"], records[at:end])
        payload = records[at + layout.RECORDS_OFFSET : end]
        codec = fields["attributes"] & layout.COMPRESSION_MASK
        if opened and codec:
            fields |= {
                "length": "as compressed",
                "crc": _seal(layout.HEADER.unpack_from(records, at)[4], records[at:end]),
            }
            payload = decompress(codec, payload)
        found.append({**fields, "payload": payload})
        at = end
    return found


def _seal(crc: int, batch: bytes) -> str:
    return "right" if crc32c(batch[layout.ATTRIBUTES_OFFSET :]) == crc else "wrong"


def _head(cut: bytes) -> Any:
    """A header that is cut off, without what depends on the broker's time."""
    crc_end, max_timestamp_end = layout.ATTRIBUTES_OFFSET, layout.PRODUCER_ID_OFFSET
    return [
        len(cut), cut[: layout.CRC_OFFSET], cut[crc_end : layout.MAX_TIMESTAMP_OFFSET], cut[max_timestamp_end:]
    ]  # fmt: skip
