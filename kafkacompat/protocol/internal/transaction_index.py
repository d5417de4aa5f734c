"""An entry of a segment's transaction index file, after its int16 version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedVersionError,
    malformed,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts


_read_qqqq = Struct(">qqqq").unpack_from
_write_qqqq = Struct(">qqqq").pack


class AbortedTxn(Message):
    __slots__ = ("producer_id", "first_offset", "last_offset", "last_stable_offset")

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
        last_offset: int = 0,
        last_stable_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.last_stable_offset = last_stable_offset


def _decode_aborted_txn_v0(buf: Buffer, pos: int) -> tuple[AbortedTxn, int]:
    producer_id, first_offset, last_offset, last_stable_offset = _read_qqqq(buf, pos)
    pos += 32
    return AbortedTxn(producer_id, first_offset, last_offset, last_stable_offset), pos


def _encode_aborted_txn_v0(m: AbortedTxn, w: bytearray) -> None:
    w += _write_qqqq(m.producer_id, m.first_offset, m.last_offset, m.last_stable_offset)


_ABORTED_TXN_DECODERS = {0: _decode_aborted_txn_v0}
_ABORTED_TXN_ENCODERS = {0: _encode_aborted_txn_v0}


def decode_aborted_txn(buf: Buffer, pos: int, version: int) -> AbortedTxn:
    try:
        message, pos = _ABORTED_TXN_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AbortedTxn", version, error) from error
    if pos != len(buf):
        raise wrong_end("AbortedTxn", version, pos, len(buf))
    return message


def encode_aborted_txn(message: AbortedTxn, version: int, out: Parts) -> None:
    if version not in _ABORTED_TXN_ENCODERS:
        raise UnsupportedVersionError("AbortedTxn", version)
    w = bytearray()
    _ABORTED_TXN_ENCODERS[version](message, w)
    out.append(w)
