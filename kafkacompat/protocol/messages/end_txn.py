"""EndTxn, API key 26: request and response in every version."""

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

API_KEY = 26
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 3


_read_h = Struct(">h").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihqhB = Struct(">ihqhB").unpack_from
_write_ihqhx = Struct(">ihqhx").pack
_write_ihx = Struct(">ihx").pack
_read_qht = Struct(">qh?").unpack_from
_write_qht = Struct(">qh?").pack
_read_qhtB = Struct(">qh?B").unpack_from
_write_qhtx = Struct(">qh?x").pack


class EndTxnRequest(Message):
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "committed")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed


def _decode_end_txn_request_v0(buf: Buffer, pos: int) -> tuple[EndTxnRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("EndTxnRequest.transactional_id")
    end = pos + n
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, committed = _read_qht(buf, pos)
    pos += 11
    return EndTxnRequest(transactional_id, producer_id, producer_epoch, committed), pos


def _decode_end_txn_request_v3(buf: Buffer, pos: int) -> tuple[EndTxnRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("EndTxnRequest.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, committed, n = _read_qhtB(buf, pos)
    pos += 12
    if n:
        pos = skip_tags(buf, pos, n)
    return EndTxnRequest(transactional_id, producer_id, producer_epoch, committed), pos


def _encode_end_txn_request_v0(m: EndTxnRequest, w: bytearray) -> None:
    put_string(w, m.transactional_id)
    w += _write_qht(m.producer_id, m.producer_epoch, m.committed)


def _encode_end_txn_request_v3(m: EndTxnRequest, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    w += _write_qhtx(m.producer_id, m.producer_epoch, m.committed)


_REQUEST_DECODERS = {0: _decode_end_txn_request_v0, 1: _decode_end_txn_request_v0, 2: _decode_end_txn_request_v0, 3: _decode_end_txn_request_v3, 4: _decode_end_txn_request_v3, 5: _decode_end_txn_request_v3}
_REQUEST_ENCODERS = {0: _encode_end_txn_request_v0, 1: _encode_end_txn_request_v0, 2: _encode_end_txn_request_v0, 3: _encode_end_txn_request_v3, 4: _encode_end_txn_request_v3, 5: _encode_end_txn_request_v3}


def decode_request(buf: Buffer, pos: int, version: int) -> EndTxnRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EndTxnRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("EndTxnRequest", version, pos, len(buf))
    return message


def encode_request(message: EndTxnRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("EndTxnRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EndTxnResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


def _decode_end_txn_response_v0(buf: Buffer, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code = _read_ih(buf, pos)
    pos += 6
    return EndTxnResponse(throttle_time_ms, error_code, -1, -1), pos


def _decode_end_txn_response_v3(buf: Buffer, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return EndTxnResponse(throttle_time_ms, error_code, -1, -1), pos


def _decode_end_txn_response_v5(buf: Buffer, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch, n = _read_ihqhB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return EndTxnResponse(throttle_time_ms, error_code, producer_id, producer_epoch), pos


def _encode_end_txn_response_v0(m: EndTxnResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)


def _encode_end_txn_response_v3(m: EndTxnResponse, w: bytearray) -> None:
    w += _write_ihx(m.throttle_time_ms, m.error_code)


def _encode_end_txn_response_v5(m: EndTxnResponse, w: bytearray) -> None:
    w += _write_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


_RESPONSE_DECODERS = {0: _decode_end_txn_response_v0, 1: _decode_end_txn_response_v0, 2: _decode_end_txn_response_v0, 3: _decode_end_txn_response_v3, 4: _decode_end_txn_response_v3, 5: _decode_end_txn_response_v5}
_RESPONSE_ENCODERS = {0: _encode_end_txn_response_v0, 1: _encode_end_txn_response_v0, 2: _encode_end_txn_response_v0, 3: _encode_end_txn_response_v3, 4: _encode_end_txn_response_v3, 5: _encode_end_txn_response_v5}


def decode_response(buf: Buffer, pos: int, version: int) -> EndTxnResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EndTxnResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("EndTxnResponse", version, pos, len(buf))
    return message


def encode_response(message: EndTxnResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("EndTxnResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
