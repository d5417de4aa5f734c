"""AddRaftVoter, API key 80: request and response in every version."""

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
    ZERO_UUID,
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

API_KEY = 80
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_iiu = Struct(">ii16s").pack
_read_iiuB = Struct(">ii16sB").unpack_from


class Listener(Message):
    __slots__ = ("name", "host", "port")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port


class AddRaftVoterRequest(Message):
    __slots__ = ("cluster_id", "timeout_ms", "voter_id", "voter_directory_id", "listeners", "ack_when_committed")

    def __init__(
        self,
        cluster_id: str | None = "",
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: Sequence[Listener] = (),
        ack_when_committed: bool = True,
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.ack_when_committed = ack_when_committed


def _decode_listener_v0(buf: Buffer, pos: int) -> tuple[Listener, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return Listener(name, host, port), pos


def _decode_add_raft_voter_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddRaftVoterRequest, int]:
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
    timeout_ms, voter_id, voter_directory_id, n = _read_iiuB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddRaftVoterRequest.listeners")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("AddRaftVoterRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners, True), pos


def _decode_add_raft_voter_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddRaftVoterRequest, int]:
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
    timeout_ms, voter_id, voter_directory_id, n = _read_iiuB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddRaftVoterRequest.listeners")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("AddRaftVoterRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    ack_when_committed, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners, ack_when_committed), pos


def _encode_listener_v0(m: Listener, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_add_raft_voter_request_v0(m: AddRaftVoterRequest, w: bytearray) -> None:
    if not m.ack_when_committed:
        raise UnsupportedFieldError("AddRaftVoterRequest.ack_when_committed", "1+")
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_iiu(m.timeout_ms, m.voter_id, m.voter_directory_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    w.append(0)


def _encode_add_raft_voter_request_v1(m: AddRaftVoterRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_iiu(m.timeout_ms, m.voter_id, m.voter_directory_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    w += _write_tx(m.ack_when_committed)


_REQUEST_DECODERS = {0: _decode_add_raft_voter_request_v0, 1: _decode_add_raft_voter_request_v1}
_REQUEST_ENCODERS = {0: _encode_add_raft_voter_request_v0, 1: _encode_add_raft_voter_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> AddRaftVoterRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AddRaftVoterRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AddRaftVoterRequest", version, pos, len(buf))
    return message


def encode_request(message: AddRaftVoterRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AddRaftVoterRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AddRaftVoterResponse(Message):
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


def _decode_add_raft_voter_response_v0(buf: Buffer, pos: int) -> tuple[AddRaftVoterResponse, int]:
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
    return AddRaftVoterResponse(throttle_time_ms, error_code, error_message), pos


def _encode_add_raft_voter_response_v0(m: AddRaftVoterResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_add_raft_voter_response_v0, 1: _decode_add_raft_voter_response_v0}
_RESPONSE_ENCODERS = {0: _encode_add_raft_voter_response_v0, 1: _encode_add_raft_voter_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> AddRaftVoterResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AddRaftVoterResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AddRaftVoterResponse", version, pos, len(buf))
    return message


def encode_response(message: AddRaftVoterResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AddRaftVoterResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
