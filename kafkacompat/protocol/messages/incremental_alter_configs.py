"""IncrementalAlterConfigs, API key 44: request and response in every version."""

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
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_string,
    put_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 44
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 1


_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class AlterableConfig(Message):
    __slots__ = ("name", "config_operation", "value")

    def __init__(
        self,
        name: str = "",
        config_operation: int = 0,
        value: str | None = "",
    ) -> None:
        self.name = name
        self.config_operation = config_operation
        self.value = value


class AlterConfigsResource(Message):
    __slots__ = ("resource_type", "resource_name", "configs")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[AlterableConfig] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class IncrementalAlterConfigsRequest(Message):
    __slots__ = ("resources", "validate_only")

    def __init__(
        self,
        resources: Sequence[AlterConfigsResource] = (),
        validate_only: bool = False,
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only


def _decode_alterable_config_v0(buf: Buffer, pos: int) -> tuple[AlterableConfig, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AlterableConfig.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    config_operation, n = _read_bh(buf, pos)
    pos += 3
    value: str | None
    if n < 0:
        value = None
    else:
        end = pos + n
        value = buf[pos:end].decode()
        pos = end
    return AlterableConfig(name, config_operation, value), pos


def _decode_alterable_config_v1(buf: Buffer, pos: int) -> tuple[AlterableConfig, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterableConfig.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    config_operation, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterableConfig(name, config_operation, value), pos


def _decode_alter_configs_resource_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterConfigsResource, int]:
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("AlterConfigsResource.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterConfigsResource.configs")
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("AlterConfigsResource.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_alterable_config_v0(buf, pos)
        configs.append(configs_item)
    return AlterConfigsResource(resource_type, resource_name, configs), pos


def _decode_alter_configs_resource_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterConfigsResource, int]:
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterConfigsResource.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterConfigsResource.configs")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("AlterConfigsResource.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_alterable_config_v1(buf, pos)
        configs.append(configs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterConfigsResource(resource_type, resource_name, configs), pos


def _decode_incremental_alter_configs_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[IncrementalAlterConfigsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("IncrementalAlterConfigsRequest.resources")
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("IncrementalAlterConfigsRequest.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_alter_configs_resource_v0(buf, pos, budget)
        resources.append(resources_item)
    validate_only = buf[pos] != 0
    pos += 1
    return IncrementalAlterConfigsRequest(resources, validate_only), pos


def _decode_incremental_alter_configs_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[IncrementalAlterConfigsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("IncrementalAlterConfigsRequest.resources")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("IncrementalAlterConfigsRequest.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_alter_configs_resource_v1(buf, pos, budget)
        resources.append(resources_item)
    validate_only, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return IncrementalAlterConfigsRequest(resources, validate_only), pos


def _encode_alterable_config_v0(m: AlterableConfig, w: bytearray) -> None:
    put_string(w, m.name)
    w += _write_b(m.config_operation)
    put_nullable_string(w, m.value)


def _encode_alterable_config_v1(m: AlterableConfig, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_b(m.config_operation)
    put_compact_nullable_string(w, m.value)
    w.append(0)


def _encode_alter_configs_resource_v0(m: AlterConfigsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    n = len(m.configs)
    w += _write_i(n)
    for configs_item in m.configs:
        _encode_alterable_config_v0(configs_item, w)


def _encode_alter_configs_resource_v1(m: AlterConfigsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    n = len(m.configs)
    put_uvarint(w, n + 1)
    for configs_item in m.configs:
        _encode_alterable_config_v1(configs_item, w)
    w.append(0)


def _encode_incremental_alter_configs_request_v0(m: IncrementalAlterConfigsRequest, w: bytearray) -> None:
    n = len(m.resources)
    w += _write_i(n)
    for resources_item in m.resources:
        _encode_alter_configs_resource_v0(resources_item, w)
    w += _write_t(m.validate_only)


def _encode_incremental_alter_configs_request_v1(m: IncrementalAlterConfigsRequest, w: bytearray) -> None:
    n = len(m.resources)
    put_uvarint(w, n + 1)
    for resources_item in m.resources:
        _encode_alter_configs_resource_v1(resources_item, w)
    w += _write_tx(m.validate_only)


_REQUEST_DECODERS = {0: _decode_incremental_alter_configs_request_v0, 1: _decode_incremental_alter_configs_request_v1}
_REQUEST_ENCODERS = {0: _encode_incremental_alter_configs_request_v0, 1: _encode_incremental_alter_configs_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> IncrementalAlterConfigsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("IncrementalAlterConfigsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("IncrementalAlterConfigsRequest", version, pos, len(buf))
    return message


def encode_request(message: IncrementalAlterConfigsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("IncrementalAlterConfigsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterConfigsResourceResponse(Message):
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name


class IncrementalAlterConfigsResponse(Message):
    __slots__ = ("throttle_time_ms", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: Sequence[AlterConfigsResourceResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


def _decode_alter_configs_resource_response_v0(buf: Buffer, pos: int) -> tuple[AlterConfigsResourceResponse, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("AlterConfigsResourceResponse.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    return AlterConfigsResourceResponse(error_code, error_message, resource_type, resource_name), pos


def _decode_alter_configs_resource_response_v1(buf: Buffer, pos: int) -> tuple[AlterConfigsResourceResponse, int]:
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
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterConfigsResourceResponse.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterConfigsResourceResponse(error_code, error_message, resource_type, resource_name), pos


def _decode_incremental_alter_configs_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[IncrementalAlterConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("IncrementalAlterConfigsResponse.responses")
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("IncrementalAlterConfigsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_alter_configs_resource_response_v0(buf, pos)
        responses.append(responses_item)
    return IncrementalAlterConfigsResponse(throttle_time_ms, responses), pos


def _decode_incremental_alter_configs_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[IncrementalAlterConfigsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("IncrementalAlterConfigsResponse.responses")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("IncrementalAlterConfigsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_alter_configs_resource_response_v1(buf, pos)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return IncrementalAlterConfigsResponse(throttle_time_ms, responses), pos


def _encode_alter_configs_resource_response_v0(m: AlterConfigsResourceResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)


def _encode_alter_configs_resource_response_v1(m: AlterConfigsResourceResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    w.append(0)


def _encode_incremental_alter_configs_response_v0(m: IncrementalAlterConfigsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_alter_configs_resource_response_v0(responses_item, w)


def _encode_incremental_alter_configs_response_v1(m: IncrementalAlterConfigsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_alter_configs_resource_response_v1(responses_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_incremental_alter_configs_response_v0, 1: _decode_incremental_alter_configs_response_v1}
_RESPONSE_ENCODERS = {0: _encode_incremental_alter_configs_response_v0, 1: _encode_incremental_alter_configs_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> IncrementalAlterConfigsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("IncrementalAlterConfigsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("IncrementalAlterConfigsResponse", version, pos, len(buf))
    return message


def encode_response(message: IncrementalAlterConfigsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("IncrementalAlterConfigsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
