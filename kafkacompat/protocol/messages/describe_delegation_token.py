"""DescribeDelegationToken, API key 41: request and response in every version."""

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
    put_bytes,
    put_compact_bytes,
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

API_KEY = 41
MIN_VERSION = 1
MAX_VERSION = 3
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ix = Struct(">ix").pack
_write_qqq = Struct(">qqq").pack
_read_qqqB = Struct(">qqqB").unpack_from
_read_qqqh = Struct(">qqqh").unpack_from


class DescribeDelegationTokenOwner(Message):
    __slots__ = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribeDelegationTokenRequest(Message):
    __slots__ = ("owners",)

    def __init__(
        self,
        owners: Sequence[DescribeDelegationTokenOwner] | None = (),
    ) -> None:
        self.owners = owners


def _decode_describe_delegation_token_owner_v1(buf: Buffer, pos: int) -> tuple[DescribeDelegationTokenOwner, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeDelegationTokenOwner.principal_type")
    end = pos + n
    principal_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeDelegationTokenOwner.principal_name")
    end = pos + n
    principal_name = buf[pos:end].decode()
    pos = end
    return DescribeDelegationTokenOwner(principal_type, principal_name), pos


def _decode_describe_delegation_token_owner_v2(buf: Buffer, pos: int) -> tuple[DescribeDelegationTokenOwner, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeDelegationTokenOwner.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeDelegationTokenOwner.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeDelegationTokenOwner(principal_type, principal_name), pos


def _decode_describe_delegation_token_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeDelegationTokenRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    owners: list[DescribeDelegationTokenOwner] | None
    if n < 0:
        owners = None
    else:
        if n > budget[0] or n * 4 > len(buf) - pos:
            raise count_error("DescribeDelegationTokenRequest.owners", n)
        budget[0] -= n
        owners = []
        for _ in range(n):
            owners_item, pos = _decode_describe_delegation_token_owner_v1(buf, pos)
            owners.append(owners_item)
    return DescribeDelegationTokenRequest(owners), pos


def _decode_describe_delegation_token_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeDelegationTokenRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    owners: list[DescribeDelegationTokenOwner] | None
    if not n:
        owners = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("DescribeDelegationTokenRequest.owners", n)
        budget[0] -= n
        owners = []
        for _ in range(n):
            owners_item, pos = _decode_describe_delegation_token_owner_v2(buf, pos)
            owners.append(owners_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeDelegationTokenRequest(owners), pos


def _encode_describe_delegation_token_owner_v1(m: DescribeDelegationTokenOwner, w: bytearray) -> None:
    put_string(w, m.principal_type)
    put_string(w, m.principal_name)


def _encode_describe_delegation_token_owner_v2(m: DescribeDelegationTokenOwner, w: bytearray) -> None:
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    w.append(0)


def _encode_describe_delegation_token_request_v1(m: DescribeDelegationTokenRequest, w: bytearray) -> None:
    if m.owners is None:
        w += NULL_INT32
    else:
        n = len(m.owners)
        w += _write_i(n)
        for owners_item in m.owners:
            _encode_describe_delegation_token_owner_v1(owners_item, w)


def _encode_describe_delegation_token_request_v2(m: DescribeDelegationTokenRequest, w: bytearray) -> None:
    if m.owners is None:
        w.append(0)
    else:
        n = len(m.owners)
        put_uvarint(w, n + 1)
        for owners_item in m.owners:
            _encode_describe_delegation_token_owner_v2(owners_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_describe_delegation_token_request_v1, 2: _decode_describe_delegation_token_request_v2, 3: _decode_describe_delegation_token_request_v2}
_REQUEST_ENCODERS = {1: _encode_describe_delegation_token_request_v1, 2: _encode_describe_delegation_token_request_v2, 3: _encode_describe_delegation_token_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeDelegationTokenRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeDelegationTokenRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeDelegationTokenRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeDelegationTokenRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeDelegationTokenRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribedDelegationTokenRenewer(Message):
    __slots__ = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribedDelegationToken(Message):
    __slots__ = ("principal_type", "principal_name", "token_requester_principal_type", "token_requester_principal_name", "issue_timestamp", "expiry_timestamp", "max_timestamp", "token_id", "hmac", "renewers")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        renewers: Sequence[DescribedDelegationTokenRenewer] = (),
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = renewers


class DescribeDelegationTokenResponse(Message):
    __slots__ = ("error_code", "tokens", "throttle_time_ms")

    def __init__(
        self,
        error_code: int = 0,
        tokens: Sequence[DescribedDelegationToken] = (),
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.tokens = tokens
        self.throttle_time_ms = throttle_time_ms


def _decode_described_delegation_token_renewer_v1(buf: Buffer, pos: int) -> tuple[DescribedDelegationTokenRenewer, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedDelegationTokenRenewer.principal_type")
    end = pos + n
    principal_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedDelegationTokenRenewer.principal_name")
    end = pos + n
    principal_name = buf[pos:end].decode()
    pos = end
    return DescribedDelegationTokenRenewer(principal_type, principal_name), pos


def _decode_described_delegation_token_renewer_v2(buf: Buffer, pos: int) -> tuple[DescribedDelegationTokenRenewer, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationTokenRenewer.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationTokenRenewer.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedDelegationTokenRenewer(principal_type, principal_name), pos


def _decode_described_delegation_token_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedDelegationToken, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedDelegationToken.principal_type")
    end = pos + n
    principal_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedDelegationToken.principal_name")
    end = pos + n
    principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqh(buf, pos)
    pos += 26
    if n < 0:
        raise null_error("DescribedDelegationToken.token_id")
    end = pos + n
    token_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedDelegationToken.hmac")
    end = pos + n
    hmac = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedDelegationToken.renewers")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribedDelegationToken.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v1(buf, pos)
        renewers.append(renewers_item)
    return DescribedDelegationToken(principal_type, principal_name, "", "", issue_timestamp, expiry_timestamp, max_timestamp, token_id, hmac, renewers), pos


def _decode_described_delegation_token_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedDelegationToken, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.hmac")
    end = pos + n - 1
    hmac = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.renewers")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribedDelegationToken.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v2(buf, pos)
        renewers.append(renewers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedDelegationToken(principal_type, principal_name, "", "", issue_timestamp, expiry_timestamp, max_timestamp, token_id, hmac, renewers), pos


def _decode_described_delegation_token_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedDelegationToken, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.principal_type")
    end = pos + n - 1
    principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.principal_name")
    end = pos + n - 1
    principal_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.token_requester_principal_type")
    end = pos + n - 1
    token_requester_principal_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.token_requester_principal_name")
    end = pos + n - 1
    token_requester_principal_name = buf[pos:end].decode()
    pos = end
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.hmac")
    end = pos + n - 1
    hmac = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedDelegationToken.renewers")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribedDelegationToken.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v2(buf, pos)
        renewers.append(renewers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedDelegationToken(principal_type, principal_name, token_requester_principal_type, token_requester_principal_name, issue_timestamp, expiry_timestamp, max_timestamp, token_id, hmac, renewers), pos


def _decode_describe_delegation_token_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("DescribeDelegationTokenResponse.tokens")
    if n > budget[0] or n * 38 > len(buf) - pos:
        raise count_error("DescribeDelegationTokenResponse.tokens", n)
    budget[0] -= n
    tokens = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v1(buf, pos, budget)
        tokens.append(tokens_item)
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _decode_describe_delegation_token_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeDelegationTokenResponse.tokens")
    n -= 1
    if n > budget[0] or n * 30 > len(buf) - pos:
        raise count_error("DescribeDelegationTokenResponse.tokens", n)
    budget[0] -= n
    tokens = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v2(buf, pos, budget)
        tokens.append(tokens_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _decode_describe_delegation_token_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeDelegationTokenResponse.tokens")
    n -= 1
    if n > budget[0] or n * 32 > len(buf) - pos:
        raise count_error("DescribeDelegationTokenResponse.tokens", n)
    budget[0] -= n
    tokens = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v3(buf, pos, budget)
        tokens.append(tokens_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _encode_described_delegation_token_renewer_v1(m: DescribedDelegationTokenRenewer, w: bytearray) -> None:
    put_string(w, m.principal_type)
    put_string(w, m.principal_name)


def _encode_described_delegation_token_renewer_v2(m: DescribedDelegationTokenRenewer, w: bytearray) -> None:
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    w.append(0)


def _encode_described_delegation_token_v1(m: DescribedDelegationToken, w: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise UnsupportedFieldError("DescribedDelegationToken.token_requester_principal_type", "3+")
    if m.token_requester_principal_name != "":
        raise UnsupportedFieldError("DescribedDelegationToken.token_requester_principal_name", "3+")
    put_string(w, m.principal_type)
    put_string(w, m.principal_name)
    w += _write_qqq(m.issue_timestamp, m.expiry_timestamp, m.max_timestamp)
    put_string(w, m.token_id)
    put_bytes(w, m.hmac)
    n = len(m.renewers)
    w += _write_i(n)
    for renewers_item in m.renewers:
        _encode_described_delegation_token_renewer_v1(renewers_item, w)


def _encode_described_delegation_token_v2(m: DescribedDelegationToken, w: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise UnsupportedFieldError("DescribedDelegationToken.token_requester_principal_type", "3+")
    if m.token_requester_principal_name != "":
        raise UnsupportedFieldError("DescribedDelegationToken.token_requester_principal_name", "3+")
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    w += _write_qqq(m.issue_timestamp, m.expiry_timestamp, m.max_timestamp)
    put_compact_string(w, m.token_id)
    put_compact_bytes(w, m.hmac)
    n = len(m.renewers)
    put_uvarint(w, n + 1)
    for renewers_item in m.renewers:
        _encode_described_delegation_token_renewer_v2(renewers_item, w)
    w.append(0)


def _encode_described_delegation_token_v3(m: DescribedDelegationToken, w: bytearray) -> None:
    put_compact_string(w, m.principal_type)
    put_compact_string(w, m.principal_name)
    put_compact_string(w, m.token_requester_principal_type)
    put_compact_string(w, m.token_requester_principal_name)
    w += _write_qqq(m.issue_timestamp, m.expiry_timestamp, m.max_timestamp)
    put_compact_string(w, m.token_id)
    put_compact_bytes(w, m.hmac)
    n = len(m.renewers)
    put_uvarint(w, n + 1)
    for renewers_item in m.renewers:
        _encode_described_delegation_token_renewer_v2(renewers_item, w)
    w.append(0)


def _encode_describe_delegation_token_response_v1(m: DescribeDelegationTokenResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.tokens)
    w += _write_i(n)
    for tokens_item in m.tokens:
        _encode_described_delegation_token_v1(tokens_item, w)
    w += _write_i(m.throttle_time_ms)


def _encode_describe_delegation_token_response_v2(m: DescribeDelegationTokenResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.tokens)
    put_uvarint(w, n + 1)
    for tokens_item in m.tokens:
        _encode_described_delegation_token_v2(tokens_item, w)
    w += _write_ix(m.throttle_time_ms)


def _encode_describe_delegation_token_response_v3(m: DescribeDelegationTokenResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.tokens)
    put_uvarint(w, n + 1)
    for tokens_item in m.tokens:
        _encode_described_delegation_token_v3(tokens_item, w)
    w += _write_ix(m.throttle_time_ms)


_RESPONSE_DECODERS = {1: _decode_describe_delegation_token_response_v1, 2: _decode_describe_delegation_token_response_v2, 3: _decode_describe_delegation_token_response_v3}
_RESPONSE_ENCODERS = {1: _encode_describe_delegation_token_response_v1, 2: _encode_describe_delegation_token_response_v2, 3: _encode_describe_delegation_token_response_v3}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeDelegationTokenResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeDelegationTokenResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeDelegationTokenResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeDelegationTokenResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeDelegationTokenResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
