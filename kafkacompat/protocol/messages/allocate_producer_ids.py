"""AllocateProducerIds, API key 67: request and response in every version."""

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
    skip_tags,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 67
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_ihqiB = Struct(">ihqiB").unpack_from
_write_ihqix = Struct(">ihqix").pack
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack


class AllocateProducerIdsRequest(Message):
    __slots__ = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


def _decode_allocate_producer_ids_request_v0(buf: Buffer, pos: int) -> tuple[AllocateProducerIdsRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return AllocateProducerIdsRequest(broker_id, broker_epoch), pos


def _encode_allocate_producer_ids_request_v0(m: AllocateProducerIdsRequest, w: bytearray) -> None:
    w += _write_iqx(m.broker_id, m.broker_epoch)


_REQUEST_DECODERS = {0: _decode_allocate_producer_ids_request_v0}
_REQUEST_ENCODERS = {0: _encode_allocate_producer_ids_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> AllocateProducerIdsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AllocateProducerIdsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AllocateProducerIdsRequest", version, pos, len(buf))
    return message


def encode_request(message: AllocateProducerIdsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AllocateProducerIdsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AllocateProducerIdsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "producer_id_start", "producer_id_len")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len


def _decode_allocate_producer_ids_response_v0(buf: Buffer, pos: int) -> tuple[AllocateProducerIdsResponse, int]:
    throttle_time_ms, error_code, producer_id_start, producer_id_len, n = _read_ihqiB(buf, pos)
    pos += 19
    if n:
        pos = skip_tags(buf, pos, n)
    return AllocateProducerIdsResponse(throttle_time_ms, error_code, producer_id_start, producer_id_len), pos


def _encode_allocate_producer_ids_response_v0(m: AllocateProducerIdsResponse, w: bytearray) -> None:
    w += _write_ihqix(m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len)


_RESPONSE_DECODERS = {0: _decode_allocate_producer_ids_response_v0}
_RESPONSE_ENCODERS = {0: _encode_allocate_producer_ids_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> AllocateProducerIdsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AllocateProducerIdsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AllocateProducerIdsResponse", version, pos, len(buf))
    return message


def encode_response(message: AllocateProducerIdsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AllocateProducerIdsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
