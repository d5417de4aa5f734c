"""AlterClientQuotas, API key 49: request and response in every version."""

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

API_KEY = 49
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 1


_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_dt = Struct(">d?").unpack_from
_write_dt = Struct(">d?").pack
_read_dtB = Struct(">d?B").unpack_from
_write_dtx = Struct(">d?x").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class AlterClientQuotasRequestEntityData(Message):
    __slots__ = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class OpData(Message):
    __slots__ = ("key", "value", "remove")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove


class AlterClientQuotasRequestEntryData(Message):
    __slots__ = ("entity", "ops")

    def __init__(
        self,
        entity: Sequence[AlterClientQuotasRequestEntityData] = (),
        ops: Sequence[OpData] = (),
    ) -> None:
        self.entity = entity
        self.ops = ops


class AlterClientQuotasRequest(Message):
    __slots__ = ("entries", "validate_only")

    def __init__(
        self,
        entries: Sequence[AlterClientQuotasRequestEntryData] = (),
        validate_only: bool = False,
    ) -> None:
        self.entries = entries
        self.validate_only = validate_only


def _decode_alter_client_quotas_request_entity_data_v0(buf: Buffer, pos: int) -> tuple[AlterClientQuotasRequestEntityData, int]:
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
    return AlterClientQuotasRequestEntityData(entity_type, entity_name), pos


def _decode_alter_client_quotas_request_entity_data_v1(buf: Buffer, pos: int) -> tuple[AlterClientQuotasRequestEntityData, int]:
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
    return AlterClientQuotasRequestEntityData(entity_type, entity_name), pos


def _decode_op_data_v0(buf: Buffer, pos: int) -> tuple[OpData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OpData.key")
    end = pos + n
    key = buf[pos:end].decode()
    pos = end
    value, remove = _read_dt(buf, pos)
    pos += 9
    return OpData(key, value, remove), pos


def _decode_op_data_v1(buf: Buffer, pos: int) -> tuple[OpData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OpData.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    value, remove, n = _read_dtB(buf, pos)
    pos += 10
    if n:
        pos = skip_tags(buf, pos, n)
    return OpData(key, value, remove), pos


def _decode_alter_client_quotas_request_entry_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasRequestEntryData, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EntryData.entity")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("EntryData.entity", n)
    budget[0] -= n
    entity = []
    for _ in range(n):
        entity_item, pos = _decode_alter_client_quotas_request_entity_data_v0(buf, pos)
        entity.append(entity_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EntryData.ops")
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("EntryData.ops", n)
    budget[0] -= n
    ops = []
    for _ in range(n):
        ops_item, pos = _decode_op_data_v0(buf, pos)
        ops.append(ops_item)
    return AlterClientQuotasRequestEntryData(entity, ops), pos


def _decode_alter_client_quotas_request_entry_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasRequestEntryData, int]:
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
        entity_item, pos = _decode_alter_client_quotas_request_entity_data_v1(buf, pos)
        entity.append(entity_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EntryData.ops")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("EntryData.ops", n)
    budget[0] -= n
    ops = []
    for _ in range(n):
        ops_item, pos = _decode_op_data_v1(buf, pos)
        ops.append(ops_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterClientQuotasRequestEntryData(entity, ops), pos


def _decode_alter_client_quotas_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterClientQuotasRequest.entries")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("AlterClientQuotasRequest.entries", n)
    budget[0] -= n
    entries = []
    for _ in range(n):
        entries_item, pos = _decode_alter_client_quotas_request_entry_data_v0(buf, pos, budget)
        entries.append(entries_item)
    validate_only = buf[pos] != 0
    pos += 1
    return AlterClientQuotasRequest(entries, validate_only), pos


def _decode_alter_client_quotas_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterClientQuotasRequest.entries")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterClientQuotasRequest.entries", n)
    budget[0] -= n
    entries = []
    for _ in range(n):
        entries_item, pos = _decode_alter_client_quotas_request_entry_data_v1(buf, pos, budget)
        entries.append(entries_item)
    validate_only, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterClientQuotasRequest(entries, validate_only), pos


def _encode_alter_client_quotas_request_entity_data_v0(m: AlterClientQuotasRequestEntityData, w: bytearray) -> None:
    put_string(w, m.entity_type)
    put_nullable_string(w, m.entity_name)


def _encode_alter_client_quotas_request_entity_data_v1(m: AlterClientQuotasRequestEntityData, w: bytearray) -> None:
    put_compact_string(w, m.entity_type)
    put_compact_nullable_string(w, m.entity_name)
    w.append(0)


def _encode_op_data_v0(m: OpData, w: bytearray) -> None:
    put_string(w, m.key)
    w += _write_dt(m.value, m.remove)


def _encode_op_data_v1(m: OpData, w: bytearray) -> None:
    put_compact_string(w, m.key)
    w += _write_dtx(m.value, m.remove)


def _encode_alter_client_quotas_request_entry_data_v0(m: AlterClientQuotasRequestEntryData, w: bytearray) -> None:
    n = len(m.entity)
    w += _write_i(n)
    for entity_item in m.entity:
        _encode_alter_client_quotas_request_entity_data_v0(entity_item, w)
    n = len(m.ops)
    w += _write_i(n)
    for ops_item in m.ops:
        _encode_op_data_v0(ops_item, w)


def _encode_alter_client_quotas_request_entry_data_v1(m: AlterClientQuotasRequestEntryData, w: bytearray) -> None:
    n = len(m.entity)
    put_uvarint(w, n + 1)
    for entity_item in m.entity:
        _encode_alter_client_quotas_request_entity_data_v1(entity_item, w)
    n = len(m.ops)
    put_uvarint(w, n + 1)
    for ops_item in m.ops:
        _encode_op_data_v1(ops_item, w)
    w.append(0)


def _encode_alter_client_quotas_request_v0(m: AlterClientQuotasRequest, w: bytearray) -> None:
    n = len(m.entries)
    w += _write_i(n)
    for entries_item in m.entries:
        _encode_alter_client_quotas_request_entry_data_v0(entries_item, w)
    w += _write_t(m.validate_only)


def _encode_alter_client_quotas_request_v1(m: AlterClientQuotasRequest, w: bytearray) -> None:
    n = len(m.entries)
    put_uvarint(w, n + 1)
    for entries_item in m.entries:
        _encode_alter_client_quotas_request_entry_data_v1(entries_item, w)
    w += _write_tx(m.validate_only)


_REQUEST_DECODERS = {0: _decode_alter_client_quotas_request_v0, 1: _decode_alter_client_quotas_request_v1}
_REQUEST_ENCODERS = {0: _encode_alter_client_quotas_request_v0, 1: _encode_alter_client_quotas_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterClientQuotasRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterClientQuotasRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterClientQuotasRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterClientQuotasRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterClientQuotasRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterClientQuotasResponseEntityData(Message):
    __slots__ = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class AlterClientQuotasResponseEntryData(Message):
    __slots__ = ("error_code", "error_message", "entity")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        entity: Sequence[AlterClientQuotasResponseEntityData] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = entity


class AlterClientQuotasResponse(Message):
    __slots__ = ("throttle_time_ms", "entries")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        entries: Sequence[AlterClientQuotasResponseEntryData] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = entries


def _decode_alter_client_quotas_response_entity_data_v0(buf: Buffer, pos: int) -> tuple[AlterClientQuotasResponseEntityData, int]:
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
    return AlterClientQuotasResponseEntityData(entity_type, entity_name), pos


def _decode_alter_client_quotas_response_entity_data_v1(buf: Buffer, pos: int) -> tuple[AlterClientQuotasResponseEntityData, int]:
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
    return AlterClientQuotasResponseEntityData(entity_type, entity_name), pos


def _decode_alter_client_quotas_response_entry_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasResponseEntryData, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EntryData.entity")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("EntryData.entity", n)
    budget[0] -= n
    entity = []
    for _ in range(n):
        entity_item, pos = _decode_alter_client_quotas_response_entity_data_v0(buf, pos)
        entity.append(entity_item)
    return AlterClientQuotasResponseEntryData(error_code, error_message, entity), pos


def _decode_alter_client_quotas_response_entry_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasResponseEntryData, int]:
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
        entity_item, pos = _decode_alter_client_quotas_response_entity_data_v1(buf, pos)
        entity.append(entity_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterClientQuotasResponseEntryData(error_code, error_message, entity), pos


def _decode_alter_client_quotas_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("AlterClientQuotasResponse.entries")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("AlterClientQuotasResponse.entries", n)
    budget[0] -= n
    entries = []
    for _ in range(n):
        entries_item, pos = _decode_alter_client_quotas_response_entry_data_v0(buf, pos, budget)
        entries.append(entries_item)
    return AlterClientQuotasResponse(throttle_time_ms, entries), pos


def _decode_alter_client_quotas_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterClientQuotasResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterClientQuotasResponse.entries")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("AlterClientQuotasResponse.entries", n)
    budget[0] -= n
    entries = []
    for _ in range(n):
        entries_item, pos = _decode_alter_client_quotas_response_entry_data_v1(buf, pos, budget)
        entries.append(entries_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterClientQuotasResponse(throttle_time_ms, entries), pos


def _encode_alter_client_quotas_response_entity_data_v0(m: AlterClientQuotasResponseEntityData, w: bytearray) -> None:
    put_string(w, m.entity_type)
    put_nullable_string(w, m.entity_name)


def _encode_alter_client_quotas_response_entity_data_v1(m: AlterClientQuotasResponseEntityData, w: bytearray) -> None:
    put_compact_string(w, m.entity_type)
    put_compact_nullable_string(w, m.entity_name)
    w.append(0)


def _encode_alter_client_quotas_response_entry_data_v0(m: AlterClientQuotasResponseEntryData, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    n = len(m.entity)
    w += _write_i(n)
    for entity_item in m.entity:
        _encode_alter_client_quotas_response_entity_data_v0(entity_item, w)


def _encode_alter_client_quotas_response_entry_data_v1(m: AlterClientQuotasResponseEntryData, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.entity)
    put_uvarint(w, n + 1)
    for entity_item in m.entity:
        _encode_alter_client_quotas_response_entity_data_v1(entity_item, w)
    w.append(0)


def _encode_alter_client_quotas_response_v0(m: AlterClientQuotasResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.entries)
    w += _write_i(n)
    for entries_item in m.entries:
        _encode_alter_client_quotas_response_entry_data_v0(entries_item, w)


def _encode_alter_client_quotas_response_v1(m: AlterClientQuotasResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.entries)
    put_uvarint(w, n + 1)
    for entries_item in m.entries:
        _encode_alter_client_quotas_response_entry_data_v1(entries_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_alter_client_quotas_response_v0, 1: _decode_alter_client_quotas_response_v1}
_RESPONSE_ENCODERS = {0: _encode_alter_client_quotas_response_v0, 1: _encode_alter_client_quotas_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterClientQuotasResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterClientQuotasResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterClientQuotasResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterClientQuotasResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterClientQuotasResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
