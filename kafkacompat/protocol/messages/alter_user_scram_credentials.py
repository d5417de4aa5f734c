"""AlterUserScramCredentials, API key 51: request and response in every version."""

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
    put_compact_bytes,
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

API_KEY = 51
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_bB = Struct(">bB").unpack_from
_write_bi = Struct(">bi").pack
_read_biB = Struct(">biB").unpack_from
_write_bx = Struct(">bx").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from


class ScramCredentialDeletion(Message):
    __slots__ = ("name", "mechanism")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism


class ScramCredentialUpsertion(Message):
    __slots__ = ("name", "mechanism", "iterations", "salt", "salted_password")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b"",
        salted_password: bytes = b"",
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password


class AlterUserScramCredentialsRequest(Message):
    __slots__ = ("deletions", "upsertions")

    def __init__(
        self,
        deletions: Sequence[ScramCredentialDeletion] = (),
        upsertions: Sequence[ScramCredentialUpsertion] = (),
    ) -> None:
        self.deletions = deletions
        self.upsertions = upsertions


def _decode_scram_credential_deletion_v0(buf: Buffer, pos: int) -> tuple[ScramCredentialDeletion, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ScramCredentialDeletion.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    mechanism, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return ScramCredentialDeletion(name, mechanism), pos


def _decode_scram_credential_upsertion_v0(buf: Buffer, pos: int) -> tuple[ScramCredentialUpsertion, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ScramCredentialUpsertion.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    mechanism, iterations, n = _read_biB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ScramCredentialUpsertion.salt")
    end = pos + n - 1
    salt = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ScramCredentialUpsertion.salted_password")
    end = pos + n - 1
    salted_password = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ScramCredentialUpsertion(name, mechanism, iterations, salt, salted_password), pos


def _decode_alter_user_scram_credentials_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterUserScramCredentialsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterUserScramCredentialsRequest.deletions")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterUserScramCredentialsRequest.deletions", n)
    budget[0] -= n
    deletions = []
    for _ in range(n):
        deletions_item, pos = _decode_scram_credential_deletion_v0(buf, pos)
        deletions.append(deletions_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterUserScramCredentialsRequest.upsertions")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("AlterUserScramCredentialsRequest.upsertions", n)
    budget[0] -= n
    upsertions = []
    for _ in range(n):
        upsertions_item, pos = _decode_scram_credential_upsertion_v0(buf, pos)
        upsertions.append(upsertions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterUserScramCredentialsRequest(deletions, upsertions), pos


def _encode_scram_credential_deletion_v0(m: ScramCredentialDeletion, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_bx(m.mechanism)


def _encode_scram_credential_upsertion_v0(m: ScramCredentialUpsertion, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_bi(m.mechanism, m.iterations)
    put_compact_bytes(w, m.salt)
    put_compact_bytes(w, m.salted_password)
    w.append(0)


def _encode_alter_user_scram_credentials_request_v0(m: AlterUserScramCredentialsRequest, w: bytearray) -> None:
    n = len(m.deletions)
    put_uvarint(w, n + 1)
    for deletions_item in m.deletions:
        _encode_scram_credential_deletion_v0(deletions_item, w)
    n = len(m.upsertions)
    put_uvarint(w, n + 1)
    for upsertions_item in m.upsertions:
        _encode_scram_credential_upsertion_v0(upsertions_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_alter_user_scram_credentials_request_v0}
_REQUEST_ENCODERS = {0: _encode_alter_user_scram_credentials_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterUserScramCredentialsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterUserScramCredentialsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterUserScramCredentialsRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterUserScramCredentialsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterUserScramCredentialsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterUserScramCredentialsResult(Message):
    __slots__ = ("user", "error_code", "error_message")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message


class AlterUserScramCredentialsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[AlterUserScramCredentialsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_alter_user_scram_credentials_result_v0(buf: Buffer, pos: int) -> tuple[AlterUserScramCredentialsResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterUserScramCredentialsResult.user")
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
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterUserScramCredentialsResult(user, error_code, error_message), pos


def _decode_alter_user_scram_credentials_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterUserScramCredentialsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterUserScramCredentialsResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("AlterUserScramCredentialsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_alter_user_scram_credentials_result_v0(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterUserScramCredentialsResponse(throttle_time_ms, results), pos


def _encode_alter_user_scram_credentials_result_v0(m: AlterUserScramCredentialsResult, w: bytearray) -> None:
    put_compact_string(w, m.user)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_alter_user_scram_credentials_response_v0(m: AlterUserScramCredentialsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_alter_user_scram_credentials_result_v0(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_alter_user_scram_credentials_response_v0}
_RESPONSE_ENCODERS = {0: _encode_alter_user_scram_credentials_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterUserScramCredentialsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterUserScramCredentialsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterUserScramCredentialsResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterUserScramCredentialsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterUserScramCredentialsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
