"""AddOffsetsToTxn, API key 25: request and response in every version."""

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
    null_error,
    put_compact_string,
    put_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 25
MIN_VERSION = 0
MAX_VERSION = 4
FLEXIBLE_VERSION = 3


_read_h = Struct(">h").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_write_qh = Struct(">qh").pack
_read_qhB = Struct(">qhB").unpack_from
_read_qhh = Struct(">qhh").unpack_from


class AddOffsetsToTxnRequest(Message):
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "group_id")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id


def _decode_add_offsets_to_txn_request_v0(buf: Buffer, pos: int) -> tuple[AddOffsetsToTxnRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AddOffsetsToTxnRequest.transactional_id")
    end = pos + n
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhh(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("AddOffsetsToTxnRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id), pos


def _decode_add_offsets_to_txn_request_v3(buf: Buffer, pos: int) -> tuple[AddOffsetsToTxnRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddOffsetsToTxnRequest.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddOffsetsToTxnRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id), pos


def _encode_add_offsets_to_txn_request_v0(m: AddOffsetsToTxnRequest, w: bytearray) -> None:
    put_string(w, m.transactional_id)
    w += _write_qh(m.producer_id, m.producer_epoch)
    put_string(w, m.group_id)


def _encode_add_offsets_to_txn_request_v3(m: AddOffsetsToTxnRequest, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    w += _write_qh(m.producer_id, m.producer_epoch)
    put_compact_string(w, m.group_id)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_add_offsets_to_txn_request_v0, 1: _decode_add_offsets_to_txn_request_v0, 2: _decode_add_offsets_to_txn_request_v0, 3: _decode_add_offsets_to_txn_request_v3, 4: _decode_add_offsets_to_txn_request_v3}
_REQUEST_ENCODERS = {0: _encode_add_offsets_to_txn_request_v0, 1: _encode_add_offsets_to_txn_request_v0, 2: _encode_add_offsets_to_txn_request_v0, 3: _encode_add_offsets_to_txn_request_v3, 4: _encode_add_offsets_to_txn_request_v3}


def decode_request(buf: Buffer, pos: int, version: int) -> AddOffsetsToTxnRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AddOffsetsToTxnRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AddOffsetsToTxnRequest", version, pos, len(buf))
    return message


def encode_request(message: AddOffsetsToTxnRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AddOffsetsToTxnRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AddOffsetsToTxnResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _decode_add_offsets_to_txn_response_v0(buf: Buffer, pos: int) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code = _read_ih(buf, pos)
    pos += 6
    return AddOffsetsToTxnResponse(throttle_time_ms, error_code), pos


def _decode_add_offsets_to_txn_response_v3(buf: Buffer, pos: int) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return AddOffsetsToTxnResponse(throttle_time_ms, error_code), pos


def _encode_add_offsets_to_txn_response_v0(m: AddOffsetsToTxnResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)


def _encode_add_offsets_to_txn_response_v3(m: AddOffsetsToTxnResponse, w: bytearray) -> None:
    w += _write_ihx(m.throttle_time_ms, m.error_code)


_RESPONSE_DECODERS = {0: _decode_add_offsets_to_txn_response_v0, 1: _decode_add_offsets_to_txn_response_v0, 2: _decode_add_offsets_to_txn_response_v0, 3: _decode_add_offsets_to_txn_response_v3, 4: _decode_add_offsets_to_txn_response_v3}
_RESPONSE_ENCODERS = {0: _encode_add_offsets_to_txn_response_v0, 1: _encode_add_offsets_to_txn_response_v0, 2: _encode_add_offsets_to_txn_response_v0, 3: _encode_add_offsets_to_txn_response_v3, 4: _encode_add_offsets_to_txn_response_v3}


def decode_response(buf: Buffer, pos: int, version: int) -> AddOffsetsToTxnResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AddOffsetsToTxnResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AddOffsetsToTxnResponse", version, pos, len(buf))
    return message


def encode_response(message: AddOffsetsToTxnResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AddOffsetsToTxnResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
