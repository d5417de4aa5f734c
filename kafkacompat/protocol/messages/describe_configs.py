"""DescribeConfigs, API key 32: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    NULL_INT32,
    UnsupportedFieldError,
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

API_KEY = 32
MIN_VERSION = 1
MAX_VERSION = 4
FLEXIBLE_VERSION = 4


_write_t = Struct(">?").pack
_read_tt = Struct(">??").unpack_from
_write_tt = Struct(">??").pack
_read_ttB = Struct(">??B").unpack_from
_write_ttx = Struct(">??x").pack
_write_tbt = Struct(">?b?").pack
_read_tbtB = Struct(">?b?B").unpack_from
_read_tbti = Struct(">?b?i").unpack_from
_read_b = Struct(">b").unpack_from
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_write_bx = Struct(">bx").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class DescribeConfigsResource(Message):
    __slots__ = ("resource_type", "resource_name", "configuration_keys")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: Sequence[str] | None = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = configuration_keys


class DescribeConfigsRequest(Message):
    __slots__ = ("resources", "include_synonyms", "include_documentation")

    def __init__(
        self,
        resources: Sequence[DescribeConfigsResource] = (),
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources = resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation


def _decode_describe_configs_resource_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResource, int]:
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("DescribeConfigsResource.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    configuration_keys: list[str] | None
    if n < 0:
        configuration_keys = None
    else:
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("DescribeConfigsResource.configuration_keys", n)
        budget[0] -= n
        configuration_keys = []
        for _ in range(n):
            (n,) = _read_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_error("DescribeConfigsResource.configuration_keys")
            end = pos + n
            configuration_keys.append(buf[pos:end].decode())
            pos = end
    return DescribeConfigsResource(resource_type, resource_name, configuration_keys), pos


def _decode_describe_configs_resource_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResource, int]:
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsResource.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    configuration_keys: list[str] | None
    if not n:
        configuration_keys = None
    else:
        n -= 1
        if n > budget[0] or n > len(buf) - pos:
            raise count_error("DescribeConfigsResource.configuration_keys", n)
        budget[0] -= n
        configuration_keys = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            if not n:
                raise null_error("DescribeConfigsResource.configuration_keys")
            end = pos + n - 1
            configuration_keys.append(buf[pos:end].decode())
            pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsResource(resource_type, resource_name, configuration_keys), pos


def _decode_describe_configs_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeConfigsRequest.resources")
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("DescribeConfigsRequest.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v1(buf, pos, budget)
        resources.append(resources_item)
    include_synonyms = buf[pos] != 0
    pos += 1
    return DescribeConfigsRequest(resources, include_synonyms, False), pos


def _decode_describe_configs_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeConfigsRequest.resources")
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("DescribeConfigsRequest.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v1(buf, pos, budget)
        resources.append(resources_item)
    include_synonyms, include_documentation = _read_tt(buf, pos)
    pos += 2
    return DescribeConfigsRequest(resources, include_synonyms, include_documentation), pos


def _decode_describe_configs_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsRequest.resources")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeConfigsRequest.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v4(buf, pos, budget)
        resources.append(resources_item)
    include_synonyms, include_documentation, n = _read_ttB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsRequest(resources, include_synonyms, include_documentation), pos


def _encode_describe_configs_resource_v1(m: DescribeConfigsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    if m.configuration_keys is None:
        w += NULL_INT32
    else:
        n = len(m.configuration_keys)
        w += _write_i(n)
        for configuration_keys_item in m.configuration_keys:
            put_string(w, configuration_keys_item)


def _encode_describe_configs_resource_v4(m: DescribeConfigsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    if m.configuration_keys is None:
        w.append(0)
    else:
        n = len(m.configuration_keys)
        put_uvarint(w, n + 1)
        for configuration_keys_item in m.configuration_keys:
            put_compact_string(w, configuration_keys_item)
    w.append(0)


def _encode_describe_configs_request_v1(m: DescribeConfigsRequest, w: bytearray) -> None:
    if m.include_documentation:
        raise UnsupportedFieldError("DescribeConfigsRequest.include_documentation", "3+")
    n = len(m.resources)
    w += _write_i(n)
    for resources_item in m.resources:
        _encode_describe_configs_resource_v1(resources_item, w)
    w += _write_t(m.include_synonyms)


def _encode_describe_configs_request_v3(m: DescribeConfigsRequest, w: bytearray) -> None:
    n = len(m.resources)
    w += _write_i(n)
    for resources_item in m.resources:
        _encode_describe_configs_resource_v1(resources_item, w)
    w += _write_tt(m.include_synonyms, m.include_documentation)


def _encode_describe_configs_request_v4(m: DescribeConfigsRequest, w: bytearray) -> None:
    n = len(m.resources)
    put_uvarint(w, n + 1)
    for resources_item in m.resources:
        _encode_describe_configs_resource_v4(resources_item, w)
    w += _write_ttx(m.include_synonyms, m.include_documentation)


_REQUEST_DECODERS = {1: _decode_describe_configs_request_v1, 2: _decode_describe_configs_request_v1, 3: _decode_describe_configs_request_v3, 4: _decode_describe_configs_request_v4}
_REQUEST_ENCODERS = {1: _encode_describe_configs_request_v1, 2: _encode_describe_configs_request_v1, 3: _encode_describe_configs_request_v3, 4: _encode_describe_configs_request_v4}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeConfigsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeConfigsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeConfigsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeConfigsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeConfigsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribeConfigsSynonym(Message):
    __slots__ = ("name", "value", "source")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        source: int = 0,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source


class DescribeConfigsResourceResult(Message):
    __slots__ = ("name", "value", "read_only", "config_source", "is_sensitive", "synonyms", "config_type", "documentation")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: Sequence[DescribeConfigsSynonym] = (),
        config_type: int = 0,
        documentation: str | None = "",
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = synonyms
        self.config_type = config_type
        self.documentation = documentation


class DescribeConfigsResult(Message):
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name", "configs")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[DescribeConfigsResourceResult] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class DescribeConfigsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[DescribeConfigsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_describe_configs_synonym_v1(buf: Buffer, pos: int) -> tuple[DescribeConfigsSynonym, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeConfigsSynonym.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    value: str | None
    if n < 0:
        value = None
    else:
        end = pos + n
        value = buf[pos:end].decode()
        pos = end
    (source,) = _read_b(buf, pos)
    pos += 1
    return DescribeConfigsSynonym(name, value, source), pos


def _decode_describe_configs_synonym_v4(buf: Buffer, pos: int) -> tuple[DescribeConfigsSynonym, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsSynonym.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    source, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsSynonym(name, value, source), pos


def _decode_describe_configs_resource_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeConfigsResourceResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    value: str | None
    if n < 0:
        value = None
    else:
        end = pos + n
        value = buf[pos:end].decode()
        pos = end
    read_only, config_source, is_sensitive, n = _read_tbti(buf, pos)
    pos += 7
    if n < 0:
        raise null_error("DescribeConfigsResourceResult.synonyms")
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeConfigsResourceResult.synonyms", n)
    budget[0] -= n
    synonyms = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v1(buf, pos)
        synonyms.append(synonyms_item)
    return DescribeConfigsResourceResult(name, value, read_only, config_source, is_sensitive, synonyms, 0, ""), pos


def _decode_describe_configs_resource_result_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeConfigsResourceResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    value: str | None
    if n < 0:
        value = None
    else:
        end = pos + n
        value = buf[pos:end].decode()
        pos = end
    read_only, config_source, is_sensitive, n = _read_tbti(buf, pos)
    pos += 7
    if n < 0:
        raise null_error("DescribeConfigsResourceResult.synonyms")
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeConfigsResourceResult.synonyms", n)
    budget[0] -= n
    synonyms = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v1(buf, pos)
        synonyms.append(synonyms_item)
    config_type, n = _read_bh(buf, pos)
    pos += 3
    documentation: str | None
    if n < 0:
        documentation = None
    else:
        end = pos + n
        documentation = buf[pos:end].decode()
        pos = end
    return DescribeConfigsResourceResult(name, value, read_only, config_source, is_sensitive, synonyms, config_type, documentation), pos


def _decode_describe_configs_resource_result_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResourceResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsResourceResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    read_only, config_source, is_sensitive, n = _read_tbtB(buf, pos)
    pos += 4
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsResourceResult.synonyms")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeConfigsResourceResult.synonyms", n)
    budget[0] -= n
    synonyms = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v4(buf, pos)
        synonyms.append(synonyms_item)
    config_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    documentation: str | None
    if not n:
        documentation = None
    else:
        end = pos + n - 1
        documentation = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsResourceResult(name, value, read_only, config_source, is_sensitive, synonyms, config_type, documentation), pos


def _decode_describe_configs_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResult, int]:
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
        raise null_error("DescribeConfigsResult.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeConfigsResult.configs")
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DescribeConfigsResult.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v1(buf, pos, budget)
        configs.append(configs_item)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_result_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResult, int]:
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
        raise null_error("DescribeConfigsResult.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeConfigsResult.configs")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DescribeConfigsResult.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v3(buf, pos, budget)
        configs.append(configs_item)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_result_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResult, int]:
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
        raise null_error("DescribeConfigsResult.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsResult.configs")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("DescribeConfigsResult.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v4(buf, pos, budget)
        configs.append(configs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeConfigsResponse.results")
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DescribeConfigsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v1(buf, pos, budget)
        results.append(results_item)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _decode_describe_configs_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeConfigsResponse.results")
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DescribeConfigsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v3(buf, pos, budget)
        results.append(results_item)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _decode_describe_configs_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeConfigsResponse.results")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("DescribeConfigsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v4(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _encode_describe_configs_synonym_v1(m: DescribeConfigsSynonym, w: bytearray) -> None:
    put_string(w, m.name)
    put_nullable_string(w, m.value)
    w += _write_b(m.source)


def _encode_describe_configs_synonym_v4(m: DescribeConfigsSynonym, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_nullable_string(w, m.value)
    w += _write_bx(m.source)


def _encode_describe_configs_resource_result_v1(m: DescribeConfigsResourceResult, w: bytearray) -> None:
    put_string(w, m.name)
    put_nullable_string(w, m.value)
    w += _write_tbt(m.read_only, m.config_source, m.is_sensitive)
    n = len(m.synonyms)
    w += _write_i(n)
    for synonyms_item in m.synonyms:
        _encode_describe_configs_synonym_v1(synonyms_item, w)


def _encode_describe_configs_resource_result_v3(m: DescribeConfigsResourceResult, w: bytearray) -> None:
    put_string(w, m.name)
    put_nullable_string(w, m.value)
    w += _write_tbt(m.read_only, m.config_source, m.is_sensitive)
    n = len(m.synonyms)
    w += _write_i(n)
    for synonyms_item in m.synonyms:
        _encode_describe_configs_synonym_v1(synonyms_item, w)
    w += _write_b(m.config_type)
    put_nullable_string(w, m.documentation)


def _encode_describe_configs_resource_result_v4(m: DescribeConfigsResourceResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_nullable_string(w, m.value)
    w += _write_tbt(m.read_only, m.config_source, m.is_sensitive)
    n = len(m.synonyms)
    put_uvarint(w, n + 1)
    for synonyms_item in m.synonyms:
        _encode_describe_configs_synonym_v4(synonyms_item, w)
    w += _write_b(m.config_type)
    put_compact_nullable_string(w, m.documentation)
    w.append(0)


def _encode_describe_configs_result_v1(m: DescribeConfigsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    n = len(m.configs)
    w += _write_i(n)
    for configs_item in m.configs:
        if isinstance(configs_item, bytes):
            w += configs_item
        else:
            _encode_describe_configs_resource_result_v1(configs_item, w)


def _encode_describe_configs_result_v3(m: DescribeConfigsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    n = len(m.configs)
    w += _write_i(n)
    for configs_item in m.configs:
        if isinstance(configs_item, bytes):
            w += configs_item
        else:
            _encode_describe_configs_resource_result_v3(configs_item, w)


def _encode_describe_configs_result_v4(m: DescribeConfigsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    n = len(m.configs)
    put_uvarint(w, n + 1)
    for configs_item in m.configs:
        if isinstance(configs_item, bytes):
            w += configs_item
        else:
            _encode_describe_configs_resource_result_v4(configs_item, w)
    w.append(0)


def _encode_describe_configs_response_v1(m: DescribeConfigsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_describe_configs_result_v1(results_item, w)


def _encode_describe_configs_response_v3(m: DescribeConfigsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_describe_configs_result_v3(results_item, w)


def _encode_describe_configs_response_v4(m: DescribeConfigsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_configs_result_v4(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_describe_configs_response_v1, 2: _decode_describe_configs_response_v1, 3: _decode_describe_configs_response_v3, 4: _decode_describe_configs_response_v4}
_RESPONSE_ENCODERS = {1: _encode_describe_configs_response_v1, 2: _encode_describe_configs_response_v1, 3: _encode_describe_configs_response_v3, 4: _encode_describe_configs_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeConfigsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeConfigsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeConfigsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeConfigsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeConfigsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_DESCRIBE_CONFIGS_RESOURCE_RESULT_ENCODERS = {1: _encode_describe_configs_resource_result_v1, 2: _encode_describe_configs_resource_result_v1, 3: _encode_describe_configs_resource_result_v3, 4: _encode_describe_configs_resource_result_v4}


def encode_describe_configs_resource_result(item: DescribeConfigsResourceResult, version: int) -> bytes:
    if version not in _DESCRIBE_CONFIGS_RESOURCE_RESULT_ENCODERS:
        raise UnsupportedVersionError("DescribeConfigsResourceResult", version)
    w = bytearray()
    _DESCRIBE_CONFIGS_RESOURCE_RESULT_ENCODERS[version](item, w)
    return bytes(w)
