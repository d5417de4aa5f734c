"""BrokerRegistration, API key 62: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 62
MIN_VERSION = 0
MAX_VERSION = 4
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_HhB = Struct(">HhB").unpack_from
_write_Hhx = Struct(">Hhx").pack
_read_hhB = Struct(">hhB").unpack_from
_write_hhx = Struct(">hhx").pack
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ihqB = Struct(">ihqB").unpack_from
_write_ihqx = Struct(">ihqx").pack
_read_qB = Struct(">qB").unpack_from
_write_qx = Struct(">qx").pack


class Listener(Message):
    __slots__ = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class Feature(Message):
    __slots__ = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class BrokerRegistrationRequest(Message):
    __slots__ = ("broker_id", "cluster_id", "incarnation_id", "listeners", "features", "rack", "is_migrating_zk_broker", "log_dirs", "previous_broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: bytes = ZERO_UUID,
        listeners: Sequence[Listener] = (),
        features: Sequence[Feature] = (),
        rack: str | None = "",
        is_migrating_zk_broker: bool = False,
        log_dirs: Sequence[bytes] = (),
        previous_broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = listeners
        self.features = features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = log_dirs
        self.previous_broker_epoch = previous_broker_epoch


def _decode_listener_v0(buf: Buffer, pos: int) -> tuple[Listener, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, security_protocol, n = _read_HhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return Listener(name, host, port, security_protocol), pos


def _decode_feature_v0(buf: Buffer, pos: int) -> tuple[Feature, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Feature.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return Feature(name, min_supported_version, max_supported_version), pos


def _decode_broker_registration_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.listeners")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, False, (), -1), pos


def _decode_broker_registration_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.listeners")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    is_migrating_zk_broker, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, (), -1), pos


def _decode_broker_registration_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.listeners")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    is_migrating_zk_broker, n = _read_tB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.log_dirs")
    n -= 1
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.log_dirs", n)
    budget[0] -= n
    log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
    pos += n * 16
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, log_dirs, -1), pos


def _decode_broker_registration_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.listeners")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    is_migrating_zk_broker, n = _read_tB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerRegistrationRequest.log_dirs")
    n -= 1
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("BrokerRegistrationRequest.log_dirs", n)
    budget[0] -= n
    log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
    pos += n * 16
    previous_broker_epoch, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, log_dirs, previous_broker_epoch), pos


def _encode_listener_v0(m: Listener, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hhx(m.port, m.security_protocol)


def _encode_feature_v0(m: Feature, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_broker_registration_request_v0(m: BrokerRegistrationRequest, w: bytearray) -> None:
    if m.is_migrating_zk_broker:
        raise UnsupportedFieldError("BrokerRegistrationRequest.is_migrating_zk_broker", "1+")
    w += _write_i(m.broker_id)
    put_compact_string(w, m.cluster_id)
    w += _write_u(m.incarnation_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_broker_registration_request_v1(m: BrokerRegistrationRequest, w: bytearray) -> None:
    w += _write_i(m.broker_id)
    put_compact_string(w, m.cluster_id)
    w += _write_u(m.incarnation_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_tx(m.is_migrating_zk_broker)


def _encode_broker_registration_request_v2(m: BrokerRegistrationRequest, w: bytearray) -> None:
    w += _write_i(m.broker_id)
    put_compact_string(w, m.cluster_id)
    w += _write_u(m.incarnation_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_t(m.is_migrating_zk_broker)
    n = len(m.log_dirs)
    put_uvarint(w, n + 1)
    for log_dirs_item in m.log_dirs:
        w += _write_u(log_dirs_item)
    w.append(0)


def _encode_broker_registration_request_v3(m: BrokerRegistrationRequest, w: bytearray) -> None:
    w += _write_i(m.broker_id)
    put_compact_string(w, m.cluster_id)
    w += _write_u(m.incarnation_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_t(m.is_migrating_zk_broker)
    n = len(m.log_dirs)
    put_uvarint(w, n + 1)
    for log_dirs_item in m.log_dirs:
        w += _write_u(log_dirs_item)
    w += _write_qx(m.previous_broker_epoch)


_REQUEST_DECODERS = {0: _decode_broker_registration_request_v0, 1: _decode_broker_registration_request_v1, 2: _decode_broker_registration_request_v2, 3: _decode_broker_registration_request_v3, 4: _decode_broker_registration_request_v3}
_REQUEST_ENCODERS = {0: _encode_broker_registration_request_v0, 1: _encode_broker_registration_request_v1, 2: _encode_broker_registration_request_v2, 3: _encode_broker_registration_request_v3, 4: _encode_broker_registration_request_v3}


def decode_request(buf: Buffer, pos: int, version: int) -> BrokerRegistrationRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("BrokerRegistrationRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("BrokerRegistrationRequest", version, pos, len(buf))
    return message


def encode_request(message: BrokerRegistrationRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("BrokerRegistrationRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class BrokerRegistrationResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "broker_epoch")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch


def _decode_broker_registration_response_v0(buf: Buffer, pos: int) -> tuple[BrokerRegistrationResponse, int]:
    throttle_time_ms, error_code, broker_epoch, n = _read_ihqB(buf, pos)
    pos += 15
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerRegistrationResponse(throttle_time_ms, error_code, broker_epoch), pos


def _encode_broker_registration_response_v0(m: BrokerRegistrationResponse, w: bytearray) -> None:
    w += _write_ihqx(m.throttle_time_ms, m.error_code, m.broker_epoch)


_RESPONSE_DECODERS = {0: _decode_broker_registration_response_v0, 1: _decode_broker_registration_response_v0, 2: _decode_broker_registration_response_v0, 3: _decode_broker_registration_response_v0, 4: _decode_broker_registration_response_v0}
_RESPONSE_ENCODERS = {0: _encode_broker_registration_response_v0, 1: _encode_broker_registration_response_v0, 2: _encode_broker_registration_response_v0, 3: _encode_broker_registration_response_v0, 4: _encode_broker_registration_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> BrokerRegistrationResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("BrokerRegistrationResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("BrokerRegistrationResponse", version, pos, len(buf))
    return message


def encode_response(message: BrokerRegistrationResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("BrokerRegistrationResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
