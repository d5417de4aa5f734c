"""DescribeUserScramCredentials, API key 50: request and response in every version."""

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
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 50
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_biB = Struct(">biB").unpack_from
_write_bix = Struct(">bix").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class UserName(Message):
    __slots__ = ("name",)

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class DescribeUserScramCredentialsRequest(Message):
    __slots__ = ("users",)

    def __init__(
        self,
        users: Sequence[UserName] | None = (),
    ) -> None:
        self.users = users


def _decode_user_name_v0(buf: Buffer, pos: int) -> tuple[UserName, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("UserName.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UserName(name), pos


def _decode_describe_user_scram_credentials_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeUserScramCredentialsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    users: list[UserName] | None
    if not n:
        users = None
    else:
        n -= 1
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("DescribeUserScramCredentialsRequest.users", n)
        budget[0] -= n
        users = []
        for _ in range(n):
            users_item, pos = _decode_user_name_v0(buf, pos)
            users.append(users_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeUserScramCredentialsRequest(users), pos


def _encode_user_name_v0(m: UserName, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w.append(0)


def _encode_describe_user_scram_credentials_request_v0(m: DescribeUserScramCredentialsRequest, w: bytearray) -> None:
    if m.users is None:
        w.append(0)
    else:
        n = len(m.users)
        put_uvarint(w, n + 1)
        for users_item in m.users:
            _encode_user_name_v0(users_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_user_scram_credentials_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_user_scram_credentials_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeUserScramCredentialsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeUserScramCredentialsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeUserScramCredentialsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeUserScramCredentialsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeUserScramCredentialsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class CredentialInfo(Message):
    __slots__ = ("mechanism", "iterations")

    def __init__(
        self,
        mechanism: int = 0,
        iterations: int = 0,
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations


class DescribeUserScramCredentialsResult(Message):
    __slots__ = ("user", "error_code", "error_message", "credential_infos")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        credential_infos: Sequence[CredentialInfo] = (),
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = credential_infos


class DescribeUserScramCredentialsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: Sequence[DescribeUserScramCredentialsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results


def _decode_credential_info_v0(buf: Buffer, pos: int) -> tuple[CredentialInfo, int]:
    mechanism, iterations, n = _read_biB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return CredentialInfo(mechanism, iterations), pos


def _decode_describe_user_scram_credentials_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeUserScramCredentialsResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeUserScramCredentialsResult.user")
    end = pos + n - 1
    user = buf[pos:end].decode()
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeUserScramCredentialsResult.credential_infos")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeUserScramCredentialsResult.credential_infos", n)
    budget[0] -= n
    credential_infos = []
    for _ in range(n):
        credential_infos_item, pos = _decode_credential_info_v0(buf, pos)
        credential_infos.append(credential_infos_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeUserScramCredentialsResult(user, error_code, error_message, credential_infos), pos


def _decode_describe_user_scram_credentials_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeUserScramCredentialsResponse, int]:
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
        raise null_error("DescribeUserScramCredentialsResponse.results")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeUserScramCredentialsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_user_scram_credentials_result_v0(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeUserScramCredentialsResponse(throttle_time_ms, error_code, error_message, results), pos


def _encode_credential_info_v0(m: CredentialInfo, w: bytearray) -> None:
    w += _write_bix(m.mechanism, m.iterations)


def _encode_describe_user_scram_credentials_result_v0(m: DescribeUserScramCredentialsResult, w: bytearray) -> None:
    put_compact_string(w, m.user)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.credential_infos)
    put_uvarint(w, n + 1)
    for credential_infos_item in m.credential_infos:
        _encode_credential_info_v0(credential_infos_item, w)
    w.append(0)


def _encode_describe_user_scram_credentials_response_v0(m: DescribeUserScramCredentialsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_user_scram_credentials_result_v0(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_user_scram_credentials_response_v0}
_RESPONSE_ENCODERS = {0: _encode_describe_user_scram_credentials_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeUserScramCredentialsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeUserScramCredentialsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeUserScramCredentialsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeUserScramCredentialsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeUserScramCredentialsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
