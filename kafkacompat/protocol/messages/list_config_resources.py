"""ListConfigResources, API key 74: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
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

API_KEY = 74
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_read_bB = Struct(">bB").unpack_from
_write_bx = Struct(">bx").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class ListConfigResourcesRequest(Message):
    __slots__ = ("resource_types",)

    def __init__(
        self,
        resource_types: Sequence[int] = (),
    ) -> None:
        self.resource_types = resource_types


def _decode_list_config_resources_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListConfigResourcesRequest, int]:
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListConfigResourcesRequest(()), pos


def _decode_list_config_resources_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListConfigResourcesRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListConfigResourcesRequest.resource_types")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListConfigResourcesRequest.resource_types", n)
    budget[0] -= n
    resource_types = list(unpack_from(f">{n}b", buf, pos))
    pos += n
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListConfigResourcesRequest(resource_types), pos


def _encode_list_config_resources_request_v0(m: ListConfigResourcesRequest, w: bytearray) -> None:
    if m.resource_types:
        raise UnsupportedFieldError("ListConfigResourcesRequest.resource_types", "1+")
    w.append(0)


def _encode_list_config_resources_request_v1(m: ListConfigResourcesRequest, w: bytearray) -> None:
    n = len(m.resource_types)
    put_uvarint(w, n + 1)
    w += pack(f">{n}b", *m.resource_types)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_list_config_resources_request_v0, 1: _decode_list_config_resources_request_v1}
_REQUEST_ENCODERS = {0: _encode_list_config_resources_request_v0, 1: _encode_list_config_resources_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> ListConfigResourcesRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListConfigResourcesRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ListConfigResourcesRequest", version, pos, len(buf))
    return message


def encode_request(message: ListConfigResourcesRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ListConfigResourcesRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ConfigResource(Message):
    __slots__ = ("resource_name", "resource_type")

    def __init__(
        self,
        resource_name: str = "",
        resource_type: int = 16,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type


class ListConfigResourcesResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "config_resources")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: Sequence[ConfigResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = config_resources


def _decode_config_resource_v0(buf: Buffer, pos: int) -> tuple[ConfigResource, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConfigResource.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConfigResource(resource_name, 16), pos


def _decode_config_resource_v1(buf: Buffer, pos: int) -> tuple[ConfigResource, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConfigResource.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return ConfigResource(resource_name, resource_type), pos


def _decode_list_config_resources_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListConfigResourcesResponse.config_resources")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("ListConfigResourcesResponse.config_resources", n)
    budget[0] -= n
    config_resources = []
    for _ in range(n):
        config_resources_item, pos = _decode_config_resource_v0(buf, pos)
        config_resources.append(config_resources_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources), pos


def _decode_list_config_resources_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListConfigResourcesResponse.config_resources")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListConfigResourcesResponse.config_resources", n)
    budget[0] -= n
    config_resources = []
    for _ in range(n):
        config_resources_item, pos = _decode_config_resource_v1(buf, pos)
        config_resources.append(config_resources_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources), pos


def _encode_config_resource_v0(m: ConfigResource, w: bytearray) -> None:
    put_compact_string(w, m.resource_name)
    w.append(0)


def _encode_config_resource_v1(m: ConfigResource, w: bytearray) -> None:
    put_compact_string(w, m.resource_name)
    w += _write_bx(m.resource_type)


def _encode_list_config_resources_response_v0(m: ListConfigResourcesResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.config_resources)
    put_uvarint(w, n + 1)
    for config_resources_item in m.config_resources:
        _encode_config_resource_v0(config_resources_item, w)
    w.append(0)


def _encode_list_config_resources_response_v1(m: ListConfigResourcesResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.config_resources)
    put_uvarint(w, n + 1)
    for config_resources_item in m.config_resources:
        _encode_config_resource_v1(config_resources_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_list_config_resources_response_v0, 1: _decode_list_config_resources_response_v1}
_RESPONSE_ENCODERS = {0: _encode_list_config_resources_response_v0, 1: _encode_list_config_resources_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> ListConfigResourcesResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListConfigResourcesResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ListConfigResourcesResponse", version, pos, len(buf))
    return message


def encode_response(message: ListConfigResourcesResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ListConfigResourcesResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
