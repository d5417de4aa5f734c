"""A principal inside Envelope, after its int16 version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedVersionError,
    malformed,
    null_error,
    put_compact_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts


_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack


class DefaultPrincipalData(Message):
    __slots__ = ("type", "name", "token_authenticated")

    def __init__(
        self,
        type: str = "",
        name: str = "",
        token_authenticated: bool = False,
    ) -> None:
        self.type = type
        self.name = name
        self.token_authenticated = token_authenticated


def _decode_default_principal_data_v0(buf: Buffer, pos: int) -> tuple[DefaultPrincipalData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DefaultPrincipalData.type")
    end = pos + n - 1
    type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DefaultPrincipalData.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    token_authenticated, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DefaultPrincipalData(type, name, token_authenticated), pos


def _encode_default_principal_data_v0(m: DefaultPrincipalData, w: bytearray) -> None:
    put_compact_string(w, m.type)
    put_compact_string(w, m.name)
    w += _write_tx(m.token_authenticated)


_DEFAULT_PRINCIPAL_DATA_DECODERS = {0: _decode_default_principal_data_v0}
_DEFAULT_PRINCIPAL_DATA_ENCODERS = {0: _encode_default_principal_data_v0}


def decode_default_principal_data(buf: Buffer, pos: int, version: int) -> DefaultPrincipalData:
    try:
        message, pos = _DEFAULT_PRINCIPAL_DATA_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("DefaultPrincipalData", version, error) from error
    if pos != len(buf):
        raise wrong_end("DefaultPrincipalData", version, pos, len(buf))
    return message


def encode_default_principal_data(message: DefaultPrincipalData, version: int, out: Parts) -> None:
    if version not in _DEFAULT_PRINCIPAL_DATA_ENCODERS:
        raise UnsupportedVersionError("DefaultPrincipalData", version)
    w = bytearray()
    _DEFAULT_PRINCIPAL_DATA_ENCODERS[version](message, w)
    out.append(w)
