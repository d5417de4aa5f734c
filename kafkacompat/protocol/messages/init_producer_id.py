"""InitProducerId, API key 22: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    malformed,
    put_compact_nullable_string,
    put_nullable_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 22
MIN_VERSION = 0
MAX_VERSION = 6
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ihqh = Struct(">ihqh").unpack_from
_write_ihqh = Struct(">ihqh").pack
_read_ihqhB = Struct(">ihqhB").unpack_from
_read_ihqhqhB = Struct(">ihqhqhB").unpack_from
_write_ihqhqhx = Struct(">ihqhqhx").pack
_write_ihqhx = Struct(">ihqhx").pack
_read_iqhttB = Struct(">iqh??B").unpack_from
_write_iqhttx = Struct(">iqh??x").pack
_read_iqhB = Struct(">iqhB").unpack_from
_write_iqhx = Struct(">iqhx").pack
_write_ix = Struct(">ix").pack


class InitProducerIdRequest(Message):
    __slots__ = ("transactional_id", "transaction_timeout_ms", "producer_id", "producer_epoch", "enable2_pc", "keep_prepared_txn")

    def __init__(
        self,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable2_pc: bool = False,
        keep_prepared_txn: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable2_pc = enable2_pc
        self.keep_prepared_txn = keep_prepared_txn


def _decode_init_producer_id_request_v0(buf: Buffer, pos: int) -> tuple[InitProducerIdRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    transactional_id: str | None
    if n < 0:
        transactional_id = None
    else:
        end = pos + n
        transactional_id = buf[pos:end].decode()
        pos = end
    (transaction_timeout_ms,) = _read_i(buf, pos)
    pos += 4
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms, -1, -1, False, False), pos


def _decode_init_producer_id_request_v2(buf: Buffer, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id: str | None
    if not n:
        transactional_id = None
    else:
        end = pos + n - 1
        transactional_id = buf[pos:end].decode()
        pos = end
    transaction_timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms, -1, -1, False, False), pos


def _decode_init_producer_id_request_v3(buf: Buffer, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id: str | None
    if not n:
        transactional_id = None
    else:
        end = pos + n - 1
        transactional_id = buf[pos:end].decode()
        pos = end
    transaction_timeout_ms, producer_id, producer_epoch, n = _read_iqhB(buf, pos)
    pos += 15
    if n:
        pos = skip_tags(buf, pos, n)
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch, False, False), pos


def _decode_init_producer_id_request_v6(buf: Buffer, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id: str | None
    if not n:
        transactional_id = None
    else:
        end = pos + n - 1
        transactional_id = buf[pos:end].decode()
        pos = end
    transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn, n = _read_iqhttB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn), pos


def _encode_init_producer_id_request_v0(m: InitProducerIdRequest, w: bytearray) -> None:
    if m.producer_id != -1:
        raise UnsupportedFieldError("InitProducerIdRequest.producer_id", "3+")
    if m.producer_epoch != -1:
        raise UnsupportedFieldError("InitProducerIdRequest.producer_epoch", "3+")
    if m.enable2_pc:
        raise UnsupportedFieldError("InitProducerIdRequest.enable2_pc", "6+")
    if m.keep_prepared_txn:
        raise UnsupportedFieldError("InitProducerIdRequest.keep_prepared_txn", "6+")
    put_nullable_string(w, m.transactional_id)
    w += _write_i(m.transaction_timeout_ms)


def _encode_init_producer_id_request_v2(m: InitProducerIdRequest, w: bytearray) -> None:
    if m.producer_id != -1:
        raise UnsupportedFieldError("InitProducerIdRequest.producer_id", "3+")
    if m.producer_epoch != -1:
        raise UnsupportedFieldError("InitProducerIdRequest.producer_epoch", "3+")
    if m.enable2_pc:
        raise UnsupportedFieldError("InitProducerIdRequest.enable2_pc", "6+")
    if m.keep_prepared_txn:
        raise UnsupportedFieldError("InitProducerIdRequest.keep_prepared_txn", "6+")
    put_compact_nullable_string(w, m.transactional_id)
    w += _write_ix(m.transaction_timeout_ms)


def _encode_init_producer_id_request_v3(m: InitProducerIdRequest, w: bytearray) -> None:
    if m.enable2_pc:
        raise UnsupportedFieldError("InitProducerIdRequest.enable2_pc", "6+")
    if m.keep_prepared_txn:
        raise UnsupportedFieldError("InitProducerIdRequest.keep_prepared_txn", "6+")
    put_compact_nullable_string(w, m.transactional_id)
    w += _write_iqhx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch)


def _encode_init_producer_id_request_v6(m: InitProducerIdRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.transactional_id)
    w += _write_iqhttx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable2_pc, m.keep_prepared_txn)


_REQUEST_DECODERS = {0: _decode_init_producer_id_request_v0, 1: _decode_init_producer_id_request_v0, 2: _decode_init_producer_id_request_v2, 3: _decode_init_producer_id_request_v3, 4: _decode_init_producer_id_request_v3, 5: _decode_init_producer_id_request_v3, 6: _decode_init_producer_id_request_v6}
_REQUEST_ENCODERS = {0: _encode_init_producer_id_request_v0, 1: _encode_init_producer_id_request_v0, 2: _encode_init_producer_id_request_v2, 3: _encode_init_producer_id_request_v3, 4: _encode_init_producer_id_request_v3, 5: _encode_init_producer_id_request_v3, 6: _encode_init_producer_id_request_v6}


def decode_request(buf: Buffer, pos: int, version: int) -> InitProducerIdRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("InitProducerIdRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("InitProducerIdRequest", version, pos, len(buf))
    return message


def encode_request(message: InitProducerIdRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("InitProducerIdRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class InitProducerIdResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch", "ongoing_txn_producer_id", "ongoing_txn_producer_epoch")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch


def _decode_init_producer_id_response_v0(buf: Buffer, pos: int) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch = _read_ihqh(buf, pos)
    pos += 16
    return InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch, -1, -1), pos


def _decode_init_producer_id_response_v2(buf: Buffer, pos: int) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch, n = _read_ihqhB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch, -1, -1), pos


def _decode_init_producer_id_response_v6(buf: Buffer, pos: int) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id, ongoing_txn_producer_epoch, n = _read_ihqhqhB(buf, pos)
    pos += 27
    if n:
        pos = skip_tags(buf, pos, n)
    return InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id, ongoing_txn_producer_epoch), pos


def _encode_init_producer_id_response_v0(m: InitProducerIdResponse, w: bytearray) -> None:
    if m.ongoing_txn_producer_id != -1:
        raise UnsupportedFieldError("InitProducerIdResponse.ongoing_txn_producer_id", "6+")
    if m.ongoing_txn_producer_epoch != -1:
        raise UnsupportedFieldError("InitProducerIdResponse.ongoing_txn_producer_epoch", "6+")
    w += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


def _encode_init_producer_id_response_v2(m: InitProducerIdResponse, w: bytearray) -> None:
    if m.ongoing_txn_producer_id != -1:
        raise UnsupportedFieldError("InitProducerIdResponse.ongoing_txn_producer_id", "6+")
    if m.ongoing_txn_producer_epoch != -1:
        raise UnsupportedFieldError("InitProducerIdResponse.ongoing_txn_producer_epoch", "6+")
    w += _write_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


def _encode_init_producer_id_response_v6(m: InitProducerIdResponse, w: bytearray) -> None:
    w += _write_ihqhqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch)


_RESPONSE_DECODERS = {0: _decode_init_producer_id_response_v0, 1: _decode_init_producer_id_response_v0, 2: _decode_init_producer_id_response_v2, 3: _decode_init_producer_id_response_v2, 4: _decode_init_producer_id_response_v2, 5: _decode_init_producer_id_response_v2, 6: _decode_init_producer_id_response_v6}
_RESPONSE_ENCODERS = {0: _encode_init_producer_id_response_v0, 1: _encode_init_producer_id_response_v0, 2: _encode_init_producer_id_response_v2, 3: _encode_init_producer_id_response_v2, 4: _encode_init_producer_id_response_v2, 5: _encode_init_producer_id_response_v2, 6: _encode_init_producer_id_response_v6}


def decode_response(buf: Buffer, pos: int, version: int) -> InitProducerIdResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("InitProducerIdResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("InitProducerIdResponse", version, pos, len(buf))
    return message


def encode_response(message: InitProducerIdResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("InitProducerIdResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
