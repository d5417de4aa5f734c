"""CreateDelegationToken, API key 38: request and response in every version."""

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
    put_bytes,
    put_compact_bytes,
    put_compact_nullable_string,
    put_compact_string,
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

API_KEY = 38
MIN_VERSION = 1
MAX_VERSION = 3
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ix = Struct(">ix").pack
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_write_qqq = Struct(">qqq").pack
_read_qqqB = Struct(">qqqB").unpack_from
_read_qqqh = Struct(">qqqh").unpack_from
_write_qx = Struct(">qx").pack


class CreatableRenewers(Message):
    __slots__ = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class CreateDelegationTokenRequest(Message):
    __slots__ = ("owner_principal_type", "owner_principal_name", "renewers", "max_lifetime_ms")

    def __init__(
        self,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: Sequence[CreatableRenewers] = (),
        max_lifetime_ms: int = 0,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = renewers
        self.max_lifetime_ms = max_lifetime_ms


def _decode_creatable_renewers_v1(buf: Buffer, pos: int) -> tuple[CreatableRenewers, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatableRenewers.principal_type")
    end = pos + n
    principal_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatableRenewers.principal_name")
    end = pos + n
    principal_name = buf[pos:end].decode()
    pos = end
    return CreatableRenewers(principal_type, principal_name), pos


def _decode_creatable_renewers_v2(buf: Buffer, pos: int) -> tuple[CreatableRenewers, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableRenewers.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableRenewers.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatableRenewers(principal_type, principal_name), pos


def _decode_create_delegation_token_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateDelegationTokenRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreateDelegationTokenRequest.renewers")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreateDelegationTokenRequest.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v1(buf, pos)
        renewers.append(renewers_item)
    (max_lifetime_ms,) = _read_q(buf, pos)
    pos += 8
    return CreateDelegationTokenRequest("", "", renewers, max_lifetime_ms), pos


def _decode_create_delegation_token_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateDelegationTokenRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenRequest.renewers")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("CreateDelegationTokenRequest.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v2(buf, pos)
        renewers.append(renewers_item)
    max_lifetime_ms, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateDelegationTokenRequest("", "", renewers, max_lifetime_ms), pos


def _decode_create_delegation_token_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateDelegationTokenRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    owner_principal_type: str | None
    if not n:
        owner_principal_type = None
    else:
        end = pos + n - 1
        owner_principal_type = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    owner_principal_name: str | None
    if not n:
        owner_principal_name = None
    else:
        end = pos + n - 1
        owner_principal_name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenRequest.renewers")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("CreateDelegationTokenRequest.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v2(buf, pos)
        renewers.append(renewers_item)
    max_lifetime_ms, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateDelegationTokenRequest(owner_principal_type, owner_principal_name, renewers, max_lifetime_ms), pos


def _encode_creatable_renewers_v1(m: CreatableRenewers, w: bytearray) -> None:
    put_string(w, m.principal_type)
    put_string(w, m.principal_name)


def _encode_creatable_renewers_v2(m: CreatableRenewers, w: bytearray) -> None:
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    w.append(0)


def _encode_create_delegation_token_request_v1(m: CreateDelegationTokenRequest, w: bytearray) -> None:
    if m.owner_principal_type != "":
        raise UnsupportedFieldError("CreateDelegationTokenRequest.owner_principal_type", "3+")
    if m.owner_principal_name != "":
        raise UnsupportedFieldError("CreateDelegationTokenRequest.owner_principal_name", "3+")
    n = len(m.renewers)
    w += _write_i(n)
    for renewers_item in m.renewers:
        _encode_creatable_renewers_v1(renewers_item, w)
    w += _write_q(m.max_lifetime_ms)


def _encode_create_delegation_token_request_v2(m: CreateDelegationTokenRequest, w: bytearray) -> None:
    if m.owner_principal_type != "":
        raise UnsupportedFieldError("CreateDelegationTokenRequest.owner_principal_type", "3+")
    if m.owner_principal_name != "":
        raise UnsupportedFieldError("CreateDelegationTokenRequest.owner_principal_name", "3+")
    n = len(m.renewers)
    put_uvarint(w, n + 1)
    for renewers_item in m.renewers:
        _encode_creatable_renewers_v2(renewers_item, w)
    w += _write_qx(m.max_lifetime_ms)


def _encode_create_delegation_token_request_v3(m: CreateDelegationTokenRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.owner_principal_type)
    put_compact_nullable_string(w, m.owner_principal_name)
    n = len(m.renewers)
    put_uvarint(w, n + 1)
    for renewers_item in m.renewers:
        _encode_creatable_renewers_v2(renewers_item, w)
    w += _write_qx(m.max_lifetime_ms)


_REQUEST_DECODERS = {1: _decode_create_delegation_token_request_v1, 2: _decode_create_delegation_token_request_v2, 3: _decode_create_delegation_token_request_v3}
_REQUEST_ENCODERS = {1: _encode_create_delegation_token_request_v1, 2: _encode_create_delegation_token_request_v2, 3: _encode_create_delegation_token_request_v3}


def decode_request(buf: Buffer, pos: int, version: int) -> CreateDelegationTokenRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreateDelegationTokenRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("CreateDelegationTokenRequest", version, pos, len(buf))
    return message


def encode_request(message: CreateDelegationTokenRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("CreateDelegationTokenRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class CreateDelegationTokenResponse(Message):
    __slots__ = ("error_code", "principal_type", "principal_name", "token_requester_principal_type", "token_requester_principal_name", "issue_timestamp_ms", "expiry_timestamp_ms", "max_timestamp_ms", "token_id", "hmac", "throttle_time_ms")

    def __init__(
        self,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms


def _decode_create_delegation_token_response_v1(buf: Buffer, pos: int) -> tuple[CreateDelegationTokenResponse, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreateDelegationTokenResponse.principal_type")
    end = pos + n
    principal_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreateDelegationTokenResponse.principal_name")
    end = pos + n
    principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, n = _read_qqqh(buf, pos)
    pos += 26
    if n < 0:
        raise null_error("CreateDelegationTokenResponse.token_id")
    end = pos + n
    token_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreateDelegationTokenResponse.hmac")
    end = pos + n
    hmac = bytes(buf[pos:end])
    pos = end
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return CreateDelegationTokenResponse(error_code, principal_type, principal_name, "", "", issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms), pos


def _decode_create_delegation_token_response_v2(buf: Buffer, pos: int) -> tuple[CreateDelegationTokenResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, n = _read_qqqB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.hmac")
    end = pos + n - 1
    hmac = bytes(buf[pos:end])
    pos = end
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateDelegationTokenResponse(error_code, principal_type, principal_name, "", "", issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms), pos


def _decode_create_delegation_token_response_v3(buf: Buffer, pos: int) -> tuple[CreateDelegationTokenResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.token_requester_principal_type")
    end = pos + n - 1
    token_requester_principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.token_requester_principal_name")
    end = pos + n - 1
    token_requester_principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, n = _read_qqqB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateDelegationTokenResponse.hmac")
    end = pos + n - 1
    hmac = bytes(buf[pos:end])
    pos = end
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateDelegationTokenResponse(error_code, principal_type, principal_name, token_requester_principal_type, token_requester_principal_name, issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms), pos


def _encode_create_delegation_token_response_v1(m: CreateDelegationTokenResponse, w: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise UnsupportedFieldError("CreateDelegationTokenResponse.token_requester_principal_type", "3+")
    if m.token_requester_principal_name != "":
        raise UnsupportedFieldError("CreateDelegationTokenResponse.token_requester_principal_name", "3+")
    w += _write_h(m.error_code)
    put_string(w, m.principal_type)
    put_string(w, m.principal_name)
    w += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
    put_string(w, m.token_id)
    put_bytes(w, m.hmac)
    w += _write_i(m.throttle_time_ms)


def _encode_create_delegation_token_response_v2(m: CreateDelegationTokenResponse, w: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise UnsupportedFieldError("CreateDelegationTokenResponse.token_requester_principal_type", "3+")
    if m.token_requester_principal_name != "":
        raise UnsupportedFieldError("CreateDelegationTokenResponse.token_requester_principal_name", "3+")
    w += _write_h(m.error_code)
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    w += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
    put_compact_string(w, m.token_id)
    put_compact_bytes(w, m.hmac)
    w += _write_ix(m.throttle_time_ms)


def _encode_create_delegation_token_response_v3(m: CreateDelegationTokenResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    put_compact_string(w, m.token_requester_principal_type)
    put_compact_string(w, m.token_requester_principal_name)
    w += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
    put_compact_string(w, m.token_id)
    put_compact_bytes(w, m.hmac)
    w += _write_ix(m.throttle_time_ms)


_RESPONSE_DECODERS = {1: _decode_create_delegation_token_response_v1, 2: _decode_create_delegation_token_response_v2, 3: _decode_create_delegation_token_response_v3}
_RESPONSE_ENCODERS = {1: _encode_create_delegation_token_response_v1, 2: _encode_create_delegation_token_response_v2, 3: _encode_create_delegation_token_response_v3}


def decode_response(buf: Buffer, pos: int, version: int) -> CreateDelegationTokenResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("CreateDelegationTokenResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("CreateDelegationTokenResponse", version, pos, len(buf))
    return message


def encode_response(message: CreateDelegationTokenResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("CreateDelegationTokenResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
