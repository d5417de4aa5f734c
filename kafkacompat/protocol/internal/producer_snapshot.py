"""The producer snapshot file, after its int16 version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts


_write_I = Struct(">I").pack
_read_Ii = Struct(">Ii").unpack_from
_write_i = Struct(">i").pack
_read_qhiqiqiq = Struct(">qhiqiqiq").unpack_from
_write_qhiqiqiq = Struct(">qhiqiqiq").pack


class ProducerEntry(Message):
    __slots__ = ("producer_id", "epoch", "last_sequence", "last_offset", "offset_delta", "timestamp", "coordinator_epoch", "current_txn_first_offset")

    def __init__(
        self,
        producer_id: int = 0,
        epoch: int = 0,
        last_sequence: int = 0,
        last_offset: int = 0,
        offset_delta: int = 0,
        timestamp: int = 0,
        coordinator_epoch: int = 0,
        current_txn_first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = current_txn_first_offset


class ProducerSnapshot(Message):
    __slots__ = ("crc", "producer_entries")

    def __init__(
        self,
        crc: int = 0,
        producer_entries: Sequence[ProducerEntry] = (),
    ) -> None:
        self.crc = crc
        self.producer_entries = producer_entries


def _decode_producer_entry_v1(buf: Buffer, pos: int) -> tuple[ProducerEntry, int]:
    producer_id, epoch, last_sequence, last_offset, offset_delta, timestamp, coordinator_epoch, current_txn_first_offset = _read_qhiqiqiq(buf, pos)
    pos += 46
    return ProducerEntry(producer_id, epoch, last_sequence, last_offset, offset_delta, timestamp, coordinator_epoch, current_txn_first_offset), pos


def _decode_producer_snapshot_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProducerSnapshot, int]:
    crc, n = _read_Ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("ProducerSnapshot.producer_entries")
    if n > budget[0] or n * 46 > len(buf) - pos:
        raise count_error("ProducerSnapshot.producer_entries", n)
    budget[0] -= n
    producer_entries = []
    for _ in range(n):
        producer_entries_item, pos = _decode_producer_entry_v1(buf, pos)
        producer_entries.append(producer_entries_item)
    return ProducerSnapshot(crc, producer_entries), pos


def _encode_producer_entry_v1(m: ProducerEntry, w: bytearray) -> None:
    w += _write_qhiqiqiq(m.producer_id, m.epoch, m.last_sequence, m.last_offset, m.offset_delta, m.timestamp, m.coordinator_epoch, m.current_txn_first_offset)


def _encode_producer_snapshot_v1(m: ProducerSnapshot, w: bytearray) -> None:
    w += _write_I(m.crc)
    n = len(m.producer_entries)
    w += _write_i(n)
    for producer_entries_item in m.producer_entries:
        _encode_producer_entry_v1(producer_entries_item, w)


_PRODUCER_SNAPSHOT_DECODERS = {1: _decode_producer_snapshot_v1}
_PRODUCER_SNAPSHOT_ENCODERS = {1: _encode_producer_snapshot_v1}


def decode_producer_snapshot(buf: Buffer, pos: int, version: int) -> ProducerSnapshot:
    try:
        message, pos = _PRODUCER_SNAPSHOT_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ProducerSnapshot", version, error) from error
    if pos != len(buf):
        raise wrong_end("ProducerSnapshot", version, pos, len(buf))
    return message


def encode_producer_snapshot(message: ProducerSnapshot, version: int, out: Parts) -> None:
    if version not in _PRODUCER_SNAPSHOT_ENCODERS:
        raise UnsupportedVersionError("ProducerSnapshot", version)
    w = bytearray()
    _PRODUCER_SNAPSHOT_ENCODERS[version](message, w)
    out.append(w)
