"""UpdateFeatures, API key 57: request and response in every version."""

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

API_KEY = 57
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_write_h = Struct(">h").pack
_read_htB = Struct(">h?B").unpack_from
_write_htx = Struct(">h?x").pack
_read_hB = Struct(">hB").unpack_from
_read_hbB = Struct(">hbB").unpack_from
_write_hbx = Struct(">hbx").pack
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class FeatureUpdateKey(Message):
    __slots__ = ("feature", "max_version_level", "allow_downgrade", "upgrade_type")

    def __init__(
        self,
        feature: str = "",
        max_version_level: int = 0,
        allow_downgrade: bool = False,
        upgrade_type: int = 1,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type


class UpdateFeaturesRequest(Message):
    __slots__ = ("timeout_ms", "feature_updates", "validate_only")

    def __init__(
        self,
        timeout_ms: int = 60000,
        feature_updates: Sequence[FeatureUpdateKey] = (),
        validate_only: bool = False,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = feature_updates
        self.validate_only = validate_only


def _decode_feature_update_key_v0(buf: Buffer, pos: int) -> tuple[FeatureUpdateKey, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FeatureUpdateKey.feature")
    end = pos + n - 1
    feature = buf[pos:end].decode()
    pos = end
    max_version_level, allow_downgrade, n = _read_htB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return FeatureUpdateKey(feature, max_version_level, allow_downgrade, 1), pos


def _decode_feature_update_key_v1(buf: Buffer, pos: int) -> tuple[FeatureUpdateKey, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FeatureUpdateKey.feature")
    end = pos + n - 1
    feature = buf[pos:end].decode()
    pos = end
    max_version_level, upgrade_type, n = _read_hbB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return FeatureUpdateKey(feature, max_version_level, False, upgrade_type), pos


def _decode_update_features_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[UpdateFeaturesRequest, int]:
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UpdateFeaturesRequest.feature_updates")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("UpdateFeaturesRequest.feature_updates", n)
    budget[0] -= n
    feature_updates = []
    for _ in range(n):
        feature_updates_item, pos = _decode_feature_update_key_v0(buf, pos)
        feature_updates.append(feature_updates_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdateFeaturesRequest(timeout_ms, feature_updates, False), pos


def _decode_update_features_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[UpdateFeaturesRequest, int]:
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UpdateFeaturesRequest.feature_updates")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("UpdateFeaturesRequest.feature_updates", n)
    budget[0] -= n
    feature_updates = []
    for _ in range(n):
        feature_updates_item, pos = _decode_feature_update_key_v1(buf, pos)
        feature_updates.append(feature_updates_item)
    validate_only, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdateFeaturesRequest(timeout_ms, feature_updates, validate_only), pos


def _encode_feature_update_key_v0(m: FeatureUpdateKey, w: bytearray) -> None:
    if m.upgrade_type != 1:
        raise UnsupportedFieldError("FeatureUpdateKey.upgrade_type", "1+")
    put_compact_string(w, m.feature)
    w += _write_htx(m.max_version_level, m.allow_downgrade)


def _encode_feature_update_key_v1(m: FeatureUpdateKey, w: bytearray) -> None:
    if m.allow_downgrade:
        raise UnsupportedFieldError("FeatureUpdateKey.allow_downgrade", "0")
    put_compact_string(w, m.feature)
    w += _write_hbx(m.max_version_level, m.upgrade_type)


def _encode_update_features_request_v0(m: UpdateFeaturesRequest, w: bytearray) -> None:
    if m.validate_only:
        raise UnsupportedFieldError("UpdateFeaturesRequest.validate_only", "1+")
    w += _write_i(m.timeout_ms)
    n = len(m.feature_updates)
    put_uvarint(w, n + 1)
    for feature_updates_item in m.feature_updates:
        _encode_feature_update_key_v0(feature_updates_item, w)
    w.append(0)


def _encode_update_features_request_v1(m: UpdateFeaturesRequest, w: bytearray) -> None:
    w += _write_i(m.timeout_ms)
    n = len(m.feature_updates)
    put_uvarint(w, n + 1)
    for feature_updates_item in m.feature_updates:
        _encode_feature_update_key_v1(feature_updates_item, w)
    w += _write_tx(m.validate_only)


_REQUEST_DECODERS = {0: _decode_update_features_request_v0, 1: _decode_update_features_request_v1, 2: _decode_update_features_request_v1}
_REQUEST_ENCODERS = {0: _encode_update_features_request_v0, 1: _encode_update_features_request_v1, 2: _encode_update_features_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> UpdateFeaturesRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("UpdateFeaturesRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("UpdateFeaturesRequest", version, pos, len(buf))
    return message


def encode_request(message: UpdateFeaturesRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("UpdateFeaturesRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class UpdatableFeatureResult(Message):
    __slots__ = ("feature", "error_code", "error_message")

    def __init__(
        self,
        feature: str = "",
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message


class UpdateFeaturesResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: Sequence[UpdatableFeatureResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results


def _decode_updatable_feature_result_v0(buf: Buffer, pos: int) -> tuple[UpdatableFeatureResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("UpdatableFeatureResult.feature")
    end = pos + n - 1
    feature = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdatableFeatureResult(feature, error_code, error_message), pos


def _decode_update_features_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[UpdateFeaturesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UpdateFeaturesResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("UpdateFeaturesResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_updatable_feature_result_v0(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdateFeaturesResponse(throttle_time_ms, error_code, error_message, results), pos


def _decode_update_features_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[UpdateFeaturesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdateFeaturesResponse(throttle_time_ms, error_code, error_message, ()), pos


def _encode_updatable_feature_result_v0(m: UpdatableFeatureResult, w: bytearray) -> None:
    put_compact_string(w, m.feature)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_update_features_response_v0(m: UpdateFeaturesResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_updatable_feature_result_v0(results_item, w)
    w.append(0)


def _encode_update_features_response_v2(m: UpdateFeaturesResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_update_features_response_v0, 1: _decode_update_features_response_v0, 2: _decode_update_features_response_v2}
_RESPONSE_ENCODERS = {0: _encode_update_features_response_v0, 1: _encode_update_features_response_v0, 2: _encode_update_features_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> UpdateFeaturesResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("UpdateFeaturesResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("UpdateFeaturesResponse", version, pos, len(buf))
    return message


def encode_response(message: UpdateFeaturesResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("UpdateFeaturesResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
