"""RemoveRaftVoter, API key 81: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    malformed,
    put_compact_nullable_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 81
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_iuB = Struct(">i16sB").unpack_from
_write_iux = Struct(">i16sx").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class RemoveRaftVoterRequest(Message):
    __slots__ = ("cluster_id", "voter_id", "voter_directory_id")

    def __init__(
        self,
        cluster_id: str | None = "",
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id


def _decode_remove_raft_voter_request_v0(buf: Buffer, pos: int) -> tuple[RemoveRaftVoterRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    cluster_id: str | None
    if not n:
        cluster_id = None
    else:
        end = pos + n - 1
        cluster_id = buf[pos:end].decode()
        pos = end
    voter_id, voter_directory_id, n = _read_iuB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveRaftVoterRequest(cluster_id, voter_id, voter_directory_id), pos


def _encode_remove_raft_voter_request_v0(m: RemoveRaftVoterRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_iux(m.voter_id, m.voter_directory_id)


_REQUEST_DECODERS = {0: _decode_remove_raft_voter_request_v0}
_REQUEST_ENCODERS = {0: _encode_remove_raft_voter_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> RemoveRaftVoterRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveRaftVoterRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("RemoveRaftVoterRequest", version, pos, len(buf))
    return message


def encode_request(message: RemoveRaftVoterRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("RemoveRaftVoterRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class RemoveRaftVoterResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message


def _decode_remove_raft_voter_response_v0(buf: Buffer, pos: int) -> tuple[RemoveRaftVoterResponse, int]:
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
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveRaftVoterResponse(throttle_time_ms, error_code, error_message), pos


def _encode_remove_raft_voter_response_v0(m: RemoveRaftVoterResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_remove_raft_voter_response_v0}
_RESPONSE_ENCODERS = {0: _encode_remove_raft_voter_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> RemoveRaftVoterResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveRaftVoterResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoveRaftVoterResponse", version, pos, len(buf))
    return message


def encode_response(message: RemoveRaftVoterResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("RemoveRaftVoterResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
