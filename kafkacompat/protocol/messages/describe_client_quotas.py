"""DescribeClientQuotas, API key 48: request and response in every version."""

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

API_KEY = 48
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 1


_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_d = Struct(">d").unpack_from
_write_d = Struct(">d").pack
_read_dB = Struct(">dB").unpack_from
_write_dx = Struct(">dx").pack
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from


class ComponentData(Message):
    __slots__ = ("entity_type", "match_type", "match")

    def __init__(
        self,
        entity_type: str = "",
        match_type: int = 0,
        match: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match


class DescribeClientQuotasRequest(Message):
    __slots__ = ("components", "strict")

    def __init__(
        self,
        components: Sequence[ComponentData] = (),
        strict: bool = False,
    ) -> None:
        self.components = components
        self.strict = strict


def _decode_component_data_v0(buf: Buffer, pos: int) -> tuple[ComponentData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ComponentData.entity_type")
    end = pos + n
    entity_type = buf[pos:end].decode()
    pos = end
    match_type, n = _read_bh(buf, pos)
    pos += 3
    match: str | None
    if n < 0:
        match = None
    else:
        end = pos + n
        match = buf[pos:end].decode()
        pos = end
    return ComponentData(entity_type, match_type, match), pos


def _decode_component_data_v1(buf: Buffer, pos: int) -> tuple[ComponentData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ComponentData.entity_type")
    end = pos + n - 1
    entity_type = buf[pos:end].decode()
    pos = end
    match_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    match: str | None
    if not n:
        match = None
    else:
        end = pos + n - 1
        match = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ComponentData(entity_type, match_type, match), pos


def _decode_describe_client_quotas_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClientQuotasRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeClientQuotasRequest.components")
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeClientQuotasRequest.components", n)
    budget[0] -= n
    components = []
    for _ in range(n):
        components_item, pos = _decode_component_data_v0(buf, pos)
        components.append(components_item)
    strict = buf[pos] != 0
    pos += 1
    return DescribeClientQuotasRequest(components, strict), pos


def _decode_describe_client_quotas_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClientQuotasRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClientQuotasRequest.components")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeClientQuotasRequest.components", n)
    budget[0] -= n
    components = []
    for _ in range(n):
        components_item, pos = _decode_component_data_v1(buf, pos)
        components.append(components_item)
    strict, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClientQuotasRequest(components, strict), pos


def _encode_component_data_v0(m: ComponentData, w: bytearray) -> None:
    put_string(w, m.entity_type)
    w += _write_b(m.match_type)
    put_nullable_string(w, m.match)


def _encode_component_data_v1(m: ComponentData, w: bytearray) -> None:
    put_compact_string(w, m.entity_type)
    w += _write_b(m.match_type)
    put_compact_nullable_string(w, m.match)
    w.append(0)


def _encode_describe_client_quotas_request_v0(m: DescribeClientQuotasRequest, w: bytearray) -> None:
    n = len(m.components)
    w += _write_i(n)
    for components_item in m.components:
        _encode_component_data_v0(components_item, w)
    w += _write_t(m.strict)


def _encode_describe_client_quotas_request_v1(m: DescribeClientQuotasRequest, w: bytearray) -> None:
    n = len(m.components)
    put_uvarint(w, n + 1)
    for components_item in m.components:
        _encode_component_data_v1(components_item, w)
    w += _write_tx(m.strict)


_REQUEST_DECODERS = {0: _decode_describe_client_quotas_request_v0, 1: _decode_describe_client_quotas_request_v1}
_REQUEST_ENCODERS = {0: _encode_describe_client_quotas_request_v0, 1: _encode_describe_client_quotas_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeClientQuotasRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeClientQuotasRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeClientQuotasRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeClientQuotasRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeClientQuotasRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EntityData(Message):
    __slots__ = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ValueData(Message):
    __slots__ = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
    ) -> None:
        self.key = key
        self.value = value


class EntryData(Message):
    __slots__ = ("entity", "values")

    def __init__(
        self,
        entity: Sequence[EntityData] = (),
        values: Sequence[ValueData] = (),
    ) -> None:
        self.entity = entity
        self.values = values


class DescribeClientQuotasResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "entries")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: Sequence[EntryData] | None = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = entries


def _decode_entity_data_v0(buf: Buffer, pos: int) -> tuple[EntityData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("EntityData.entity_type")
    end = pos + n
    entity_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    entity_name: str | None
    if n < 0:
        entity_name = None
    else:
        end = pos + n
        entity_name = buf[pos:end].decode()
        pos = end
    return EntityData(entity_type, entity_name), pos


def _decode_entity_data_v1(buf: Buffer, pos: int) -> tuple[EntityData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("EntityData.entity_type")
    end = pos + n - 1
    entity_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    entity_name: str | None
    if not n:
        entity_name = None
    else:
        end = pos + n - 1
        entity_name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EntityData(entity_type, entity_name), pos


def _decode_value_data_v0(buf: Buffer, pos: int) -> tuple[ValueData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ValueData.key")
    end = pos + n
    key = buf[pos:end].decode()
    pos = end
    (value,) = _read_d(buf, pos)
    pos += 8
    return ValueData(key, value), pos


def _decode_value_data_v1(buf: Buffer, pos: int) -> tuple[ValueData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ValueData.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    value, n = _read_dB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return ValueData(key, value), pos


def _decode_entry_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EntryData, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EntryData.entity")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("EntryData.entity", n)
    budget[0] -= n
    entity = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v0(buf, pos)
        entity.append(entity_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EntryData.values")
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("EntryData.values", n)
    budget[0] -= n
    values = []
    for _ in range(n):
        values_item, pos = _decode_value_data_v0(buf, pos)
        values.append(values_item)
    return EntryData(entity, values), pos


def _decode_entry_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EntryData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EntryData.entity")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("EntryData.entity", n)
    budget[0] -= n
    entity = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v1(buf, pos)
        entity.append(entity_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EntryData.values")
    n -= 1
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("EntryData.values", n)
    budget[0] -= n
    values = []
    for _ in range(n):
        values_item, pos = _decode_value_data_v1(buf, pos)
        values.append(values_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EntryData(entity, values), pos


def _decode_describe_client_quotas_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClientQuotasResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(buf, pos)
    pos += 8
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    entries: list[EntryData] | None
    if n < 0:
        entries = None
    else:
        if n > budget[0] or n * 8 > len(buf) - pos:
            raise count_error("DescribeClientQuotasResponse.entries", n)
        budget[0] -= n
        entries = []
        for _ in range(n):
            entries_item, pos = _decode_entry_data_v0(buf, pos, budget)
            entries.append(entries_item)
    return DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries), pos


def _decode_describe_client_quotas_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClientQuotasResponse, int]:
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
    entries: list[EntryData] | None
    if not n:
        entries = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("DescribeClientQuotasResponse.entries", n)
        budget[0] -= n
        entries = []
        for _ in range(n):
            entries_item, pos = _decode_entry_data_v1(buf, pos, budget)
            entries.append(entries_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries), pos


def _encode_entity_data_v0(m: EntityData, w: bytearray) -> None:
    put_string(w, m.entity_type)
    put_nullable_string(w, m.entity_name)


def _encode_entity_data_v1(m: EntityData, w: bytearray) -> None:
    put_compact_string(w, m.entity_type)
    put_compact_nullable_string(w, m.entity_name)
    w.append(0)


def _encode_value_data_v0(m: ValueData, w: bytearray) -> None:
    put_string(w, m.key)
    w += _write_d(m.value)


def _encode_value_data_v1(m: ValueData, w: bytearray) -> None:
    put_compact_string(w, m.key)
    w += _write_dx(m.value)


def _encode_entry_data_v0(m: EntryData, w: bytearray) -> None:
    n = len(m.entity)
    w += _write_i(n)
    for entity_item in m.entity:
        _encode_entity_data_v0(entity_item, w)
    n = len(m.values)
    w += _write_i(n)
    for values_item in m.values:
        _encode_value_data_v0(values_item, w)


def _encode_entry_data_v1(m: EntryData, w: bytearray) -> None:
    n = len(m.entity)
    put_uvarint(w, n + 1)
    for entity_item in m.entity:
        _encode_entity_data_v1(entity_item, w)
    n = len(m.values)
    put_uvarint(w, n + 1)
    for values_item in m.values:
        _encode_value_data_v1(values_item, w)
    w.append(0)


def _encode_describe_client_quotas_response_v0(m: DescribeClientQuotasResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_nullable_string(w, m.error_message)
    if m.entries is None:
        w += NULL_INT32
    else:
        n = len(m.entries)
        w += _write_i(n)
        for entries_item in m.entries:
            _encode_entry_data_v0(entries_item, w)


def _encode_describe_client_quotas_response_v1(m: DescribeClientQuotasResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    if m.entries is None:
        w.append(0)
    else:
        n = len(m.entries)
        put_uvarint(w, n + 1)
        for entries_item in m.entries:
            _encode_entry_data_v1(entries_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_client_quotas_response_v0, 1: _decode_describe_client_quotas_response_v1}
_RESPONSE_ENCODERS = {0: _encode_describe_client_quotas_response_v0, 1: _encode_describe_client_quotas_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeClientQuotasResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeClientQuotasResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeClientQuotasResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeClientQuotasResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeClientQuotasResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
