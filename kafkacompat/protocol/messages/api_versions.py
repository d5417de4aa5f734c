"""ApiVersions, API key 18: request and response in every version."""

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
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    put_tags,
    read_tag,
    skip_tags,
    string_length_tail,
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

API_KEY = 18
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 3


_write_t = Struct(">?").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_read_hhh = Struct(">hhh").unpack_from
_write_hhh = Struct(">hhh").pack
_read_hhhB = Struct(">hhhB").unpack_from
_write_hhhx = Struct(">hhhx").pack
_write_hhx = Struct(">hhx").pack
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ix = Struct(">ix").pack
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack


class ApiVersionsRequest(Message):
    __slots__ = ("client_software_name", "client_software_version", "cluster_id", "node_id")

    def __init__(
        self,
        client_software_name: str = "",
        client_software_version: str = "",
        cluster_id: str | None = None,
        node_id: int = -1,
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.cluster_id = cluster_id
        self.node_id = node_id


def _decode_api_versions_request_v0(buf: Buffer, pos: int) -> tuple[ApiVersionsRequest, int]:
    return ApiVersionsRequest("", "", None, -1), pos


def _decode_api_versions_request_v3(buf: Buffer, pos: int) -> tuple[ApiVersionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ApiVersionsRequest.client_software_name")
    end = pos + n - 1
    client_software_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ApiVersionsRequest.client_software_version")
    end = pos + n - 1
    client_software_version = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ApiVersionsRequest(client_software_name, client_software_version, None, -1), pos


def _decode_api_versions_request_v5(buf: Buffer, pos: int) -> tuple[ApiVersionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ApiVersionsRequest.client_software_name")
    end = pos + n - 1
    client_software_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ApiVersionsRequest.client_software_version")
    end = pos + n - 1
    client_software_version = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    cluster_id: str | None
    if not n:
        cluster_id = None
    else:
        end = pos + n - 1
        cluster_id = buf[pos:end].decode()
        pos = end
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ApiVersionsRequest(client_software_name, client_software_version, cluster_id, node_id), pos


def _encode_api_versions_request_v0(m: ApiVersionsRequest, w: bytearray) -> None:
    pass


def _encode_api_versions_request_v3(m: ApiVersionsRequest, w: bytearray) -> None:
    put_compact_string(w, m.client_software_name)
    put_compact_string(w, m.client_software_version)
    w.append(0)


def _encode_api_versions_request_v5(m: ApiVersionsRequest, w: bytearray) -> None:
    put_compact_string(w, m.client_software_name)
    put_compact_string(w, m.client_software_version)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_ix(m.node_id)


_REQUEST_DECODERS = {0: _decode_api_versions_request_v0, 1: _decode_api_versions_request_v0, 2: _decode_api_versions_request_v0, 3: _decode_api_versions_request_v3, 4: _decode_api_versions_request_v3, 5: _decode_api_versions_request_v5}
_REQUEST_ENCODERS = {0: _encode_api_versions_request_v0, 1: _encode_api_versions_request_v0, 2: _encode_api_versions_request_v0, 3: _encode_api_versions_request_v3, 4: _encode_api_versions_request_v3, 5: _encode_api_versions_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> ApiVersionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ApiVersionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ApiVersionsRequest", version, pos, len(buf))
    return message


def encode_request(message: ApiVersionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ApiVersionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ApiVersion(Message):
    __slots__ = ("api_key", "min_version", "max_version")

    def __init__(
        self,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version


class SupportedFeatureKey(Message):
    __slots__ = ("name", "min_version", "max_version")

    def __init__(
        self,
        name: str = "",
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version


class FinalizedFeatureKey(Message):
    __slots__ = ("name", "max_version_level", "min_version_level")

    def __init__(
        self,
        name: str = "",
        max_version_level: int = 0,
        min_version_level: int = 0,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level


class ApiVersionsResponse(Message):
    __slots__ = ("error_code", "api_keys", "throttle_time_ms", "supported_features", "finalized_features_epoch", "finalized_features", "zk_migration_ready")

    def __init__(
        self,
        error_code: int = 0,
        api_keys: Sequence[ApiVersion] = (),
        throttle_time_ms: int = 0,
        supported_features: Sequence[SupportedFeatureKey] = (),
        finalized_features_epoch: int = -1,
        finalized_features: Sequence[FinalizedFeatureKey] = (),
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys = api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = finalized_features
        self.zk_migration_ready = zk_migration_ready


def _decode_api_version_v0(buf: Buffer, pos: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version = _read_hhh(buf, pos)
    pos += 6
    return ApiVersion(api_key, min_version, max_version), pos


def _decode_api_version_v3(buf: Buffer, pos: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version, n = _read_hhhB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return ApiVersion(api_key, min_version, max_version), pos


def _decode_supported_feature_key_v3(buf: Buffer, pos: int) -> tuple[SupportedFeatureKey, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SupportedFeatureKey.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    min_version, max_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return SupportedFeatureKey(name, min_version, max_version), pos


def _decode_finalized_feature_key_v3(buf: Buffer, pos: int) -> tuple[FinalizedFeatureKey, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FinalizedFeatureKey.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    max_version_level, min_version_level, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return FinalizedFeatureKey(name, max_version_level, min_version_level), pos


def _decode_api_versions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("ApiVersionsResponse.api_keys")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ApiVersionsResponse.api_keys", n)
    budget[0] -= n
    api_keys = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v0(buf, pos)
        api_keys.append(api_keys_item)
    return ApiVersionsResponse(error_code, api_keys, 0, (), -1, (), False), pos


def _decode_api_versions_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("ApiVersionsResponse.api_keys")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ApiVersionsResponse.api_keys", n)
    budget[0] -= n
    api_keys = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v0(buf, pos)
        api_keys.append(api_keys_item)
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return ApiVersionsResponse(error_code, api_keys, throttle_time_ms, (), -1, (), False), pos


def _decode_api_versions_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ApiVersionsResponse.api_keys")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("ApiVersionsResponse.api_keys", n)
    budget[0] -= n
    api_keys = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v3(buf, pos)
        api_keys.append(api_keys_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    supported_features: list[SupportedFeatureKey] | tuple[()] = ()
    finalized_features_epoch: int = -1
    finalized_features: list[FinalizedFeatureKey] | tuple[()] = ()
    zk_migration_ready: bool = False
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ApiVersionsResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("ApiVersionsResponse.supported_features")
                n -= 1
                if n > budget[0] or n * 6 > len(buf) - pos:
                    raise count_error("ApiVersionsResponse.supported_features", n)
                budget[0] -= n
                supported_features = []
                for _ in range(n):
                    supported_features_item, pos = _decode_supported_feature_key_v3(buf, pos)
                    supported_features.append(supported_features_item)
            elif tag == 1:
                (finalized_features_epoch,) = _read_q(buf, pos)
                pos += 8
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("ApiVersionsResponse.finalized_features")
                n -= 1
                if n > budget[0] or n * 6 > len(buf) - pos:
                    raise count_error("ApiVersionsResponse.finalized_features", n)
                budget[0] -= n
                finalized_features = []
                for _ in range(n):
                    finalized_features_item, pos = _decode_finalized_feature_key_v3(buf, pos)
                    finalized_features.append(finalized_features_item)
            elif tag == 3:
                zk_migration_ready = buf[pos] != 0
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ApiVersionsResponse", tag)
    return ApiVersionsResponse(error_code, api_keys, throttle_time_ms, supported_features, finalized_features_epoch, finalized_features, zk_migration_ready), pos


def _encode_api_version_v0(m: ApiVersion, w: bytearray) -> None:
    w += _write_hhh(m.api_key, m.min_version, m.max_version)


def _encode_api_version_v3(m: ApiVersion, w: bytearray) -> None:
    w += _write_hhhx(m.api_key, m.min_version, m.max_version)


def _encode_supported_feature_key_v3(m: SupportedFeatureKey, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.min_version, m.max_version)


def _encode_finalized_feature_key_v3(m: FinalizedFeatureKey, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.max_version_level, m.min_version_level)


def _encode_api_versions_response_v0(m: ApiVersionsResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.api_keys)
    w += _write_i(n)
    for api_keys_item in m.api_keys:
        _encode_api_version_v0(api_keys_item, w)


def _encode_api_versions_response_v1(m: ApiVersionsResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.api_keys)
    w += _write_i(n)
    for api_keys_item in m.api_keys:
        _encode_api_version_v0(api_keys_item, w)
    w += _write_i(m.throttle_time_ms)


def _encode_api_versions_response_v3(m: ApiVersionsResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.api_keys)
    put_uvarint(w, n + 1)
    for api_keys_item in m.api_keys:
        _encode_api_version_v3(api_keys_item, w)
    w += _write_i(m.throttle_time_ms)
    tags: Tags = []
    if m.supported_features:
        t = bytearray()
        n = len(m.supported_features)
        put_uvarint(t, n + 1)
        for supported_features_item in m.supported_features:
            _encode_supported_feature_key_v3(supported_features_item, t)
        tags.append(tagged(0, t))
    if m.finalized_features_epoch != -1:
        tags.append(b'\x01\x08' + _write_q(m.finalized_features_epoch))
    if m.finalized_features:
        t = bytearray()
        n = len(m.finalized_features)
        put_uvarint(t, n + 1)
        for finalized_features_item in m.finalized_features:
            _encode_finalized_feature_key_v3(finalized_features_item, t)
        tags.append(tagged(2, t))
    if m.zk_migration_ready:
        tags.append(b'\x03\x01' + _write_t(m.zk_migration_ready))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_RESPONSE_DECODERS = {0: _decode_api_versions_response_v0, 1: _decode_api_versions_response_v1, 2: _decode_api_versions_response_v1, 3: _decode_api_versions_response_v3, 4: _decode_api_versions_response_v3, 5: _decode_api_versions_response_v3}
_RESPONSE_ENCODERS = {0: _encode_api_versions_response_v0, 1: _encode_api_versions_response_v1, 2: _encode_api_versions_response_v1, 3: _encode_api_versions_response_v3, 4: _encode_api_versions_response_v3, 5: _encode_api_versions_response_v3}


def decode_response(buf: Buffer, pos: int, version: int) -> ApiVersionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ApiVersionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ApiVersionsResponse", version, pos, len(buf))
    return message


def encode_response(message: ApiVersionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ApiVersionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
