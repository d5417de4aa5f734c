"""BrokerHeartbeat, API key 63: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_tags,
    read_tag,
    skip_tags,
    tag_count_error,
    tag_error,
    tagged,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts, Tags

API_KEY = 63
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_ihtttB = Struct(">ih???B").unpack_from
_write_ihtttx = Struct(">ih???x").pack
_write_iqqtt = Struct(">iqq??").pack
_read_iqqttB = Struct(">iqq??B").unpack_from
_write_iqqttx = Struct(">iqq??x").pack


class BrokerHeartbeatRequest(Message):
    __slots__ = ("broker_id", "broker_epoch", "current_metadata_offset", "want_fence", "want_shut_down", "offline_log_dirs", "cordoned_log_dirs")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: Sequence[bytes] = (),
        cordoned_log_dirs: Sequence[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs


def _decode_broker_heartbeat_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, n = _read_iqqttB(buf, pos)
    pos += 23
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, (), None), pos


def _decode_broker_heartbeat_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, n = _read_iqqttB(buf, pos)
    pos += 23
    offline_log_dirs: list[bytes] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerHeartbeatRequest")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("BrokerHeartbeatRequest.offline_log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("BrokerHeartbeatRequest.offline_log_dirs", n)
                budget[0] -= n
                offline_log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerHeartbeatRequest", tag)
    return BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, offline_log_dirs, None), pos


def _decode_broker_heartbeat_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, n = _read_iqqttB(buf, pos)
    pos += 23
    offline_log_dirs: list[bytes] | tuple[()] = ()
    cordoned_log_dirs: list[bytes] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerHeartbeatRequest")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("BrokerHeartbeatRequest.offline_log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("BrokerHeartbeatRequest.offline_log_dirs", n)
                budget[0] -= n
                offline_log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            elif tag == 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    cordoned_log_dirs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 16 > len(buf) - pos:
                        raise count_error("BrokerHeartbeatRequest.cordoned_log_dirs", n)
                    budget[0] -= n
                    cordoned_log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                    pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerHeartbeatRequest", tag)
    return BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, offline_log_dirs, cordoned_log_dirs), pos


def _encode_broker_heartbeat_request_v0(m: BrokerHeartbeatRequest, w: bytearray) -> None:
    if m.offline_log_dirs:
        raise UnsupportedFieldError("BrokerHeartbeatRequest.offline_log_dirs", "1+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("BrokerHeartbeatRequest.cordoned_log_dirs", "2+")
    w += _write_iqqttx(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)


def _encode_broker_heartbeat_request_v1(m: BrokerHeartbeatRequest, w: bytearray) -> None:
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("BrokerHeartbeatRequest.cordoned_log_dirs", "2+")
    w += _write_iqqtt(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)
    tags: Tags = []
    if m.offline_log_dirs:
        t = bytearray()
        n = len(m.offline_log_dirs)
        put_uvarint(t, n + 1)
        for offline_log_dirs_item in m.offline_log_dirs:
            t += _write_u(offline_log_dirs_item)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_broker_heartbeat_request_v2(m: BrokerHeartbeatRequest, w: bytearray) -> None:
    w += _write_iqqtt(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)
    tags: Tags = []
    if m.offline_log_dirs:
        t = bytearray()
        n = len(m.offline_log_dirs)
        put_uvarint(t, n + 1)
        for offline_log_dirs_item in m.offline_log_dirs:
            t += _write_u(offline_log_dirs_item)
        tags.append(tagged(0, t))
    if m.cordoned_log_dirs is not None:
        t = bytearray()
        if m.cordoned_log_dirs is None:
            t.append(0)
        else:
            n = len(m.cordoned_log_dirs)
            put_uvarint(t, n + 1)
            for cordoned_log_dirs_item in m.cordoned_log_dirs:
                t += _write_u(cordoned_log_dirs_item)
        tags.append(tagged(1, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REQUEST_DECODERS = {0: _decode_broker_heartbeat_request_v0, 1: _decode_broker_heartbeat_request_v1, 2: _decode_broker_heartbeat_request_v2}
_REQUEST_ENCODERS = {0: _encode_broker_heartbeat_request_v0, 1: _encode_broker_heartbeat_request_v1, 2: _encode_broker_heartbeat_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> BrokerHeartbeatRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("BrokerHeartbeatRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("BrokerHeartbeatRequest", version, pos, len(buf))
    return message


def encode_request(message: BrokerHeartbeatRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("BrokerHeartbeatRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class BrokerHeartbeatResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "is_caught_up", "is_fenced", "should_shut_down")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down


def _decode_broker_heartbeat_response_v0(buf: Buffer, pos: int) -> tuple[BrokerHeartbeatResponse, int]:
    throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down, n = _read_ihtttB(buf, pos)
    pos += 10
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerHeartbeatResponse(throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down), pos


def _encode_broker_heartbeat_response_v0(m: BrokerHeartbeatResponse, w: bytearray) -> None:
    w += _write_ihtttx(m.throttle_time_ms, m.error_code, m.is_caught_up, m.is_fenced, m.should_shut_down)


_RESPONSE_DECODERS = {0: _decode_broker_heartbeat_response_v0, 1: _decode_broker_heartbeat_response_v0, 2: _decode_broker_heartbeat_response_v0}
_RESPONSE_ENCODERS = {0: _encode_broker_heartbeat_response_v0, 1: _encode_broker_heartbeat_response_v0, 2: _encode_broker_heartbeat_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> BrokerHeartbeatResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("BrokerHeartbeatResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("BrokerHeartbeatResponse", version, pos, len(buf))
    return message


def encode_response(message: BrokerHeartbeatResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("BrokerHeartbeatResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
