"""UpdateRaftVoter, API key 82: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    frozen,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    put_tags,
    read_tag,
    skip_tags,
    string_length_tail,
    tag_count_error,
    tag_error,
    tagged,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts, Tags

API_KEY = 82
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_hhB = Struct(">hhB").unpack_from
_write_hhx = Struct(">hhx").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ii = Struct(">ii").pack
_write_iiu = Struct(">ii16s").pack
_read_iiuB = Struct(">ii16sB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_ix = Struct(">ix").pack


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


class KRaftVersionFeature(Message):
    __slots__ = ("min_supported_version", "max_supported_version")

    def __init__(
        self,
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


_DEFAULT_KRaftVersionFeature = frozen(KRaftVersionFeature())


class UpdateRaftVoterRequest(Message):
    __slots__ = ("cluster_id", "current_leader_epoch", "voter_id", "voter_directory_id", "listeners", "kraft_version_feature")

    def __init__(
        self,
        cluster_id: str | None = "",
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: Sequence[Listener] = (),
        kraft_version_feature: KRaftVersionFeature = _DEFAULT_KRaftVersionFeature,
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.kraft_version_feature = kraft_version_feature


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


def _decode_kraft_version_feature_v0(buf: Buffer, pos: int) -> tuple[KRaftVersionFeature, int]:
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return KRaftVersionFeature(min_supported_version, max_supported_version), pos


def _decode_update_raft_voter_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[UpdateRaftVoterRequest, int]:
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
    current_leader_epoch, voter_id, voter_directory_id, n = _read_iiuB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UpdateRaftVoterRequest.listeners")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("UpdateRaftVoterRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    kraft_version_feature, pos = _decode_kraft_version_feature_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UpdateRaftVoterRequest(cluster_id, current_leader_epoch, voter_id, voter_directory_id, listeners, kraft_version_feature), pos


def _encode_listener_v0(m: Listener, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_kraft_version_feature_v0(m: KRaftVersionFeature, w: bytearray) -> None:
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_update_raft_voter_request_v0(m: UpdateRaftVoterRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_iiu(m.current_leader_epoch, m.voter_id, m.voter_directory_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    _encode_kraft_version_feature_v0(m.kraft_version_feature, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_update_raft_voter_request_v0}
_REQUEST_ENCODERS = {0: _encode_update_raft_voter_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> UpdateRaftVoterRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("UpdateRaftVoterRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("UpdateRaftVoterRequest", version, pos, len(buf))
    return message


def encode_request(message: UpdateRaftVoterRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("UpdateRaftVoterRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class CurrentLeader(Message):
    __slots__ = ("leader_id", "leader_epoch", "host", "port")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.host = host
        self.port = port


_DEFAULT_CurrentLeader = frozen(CurrentLeader())


class UpdateRaftVoterResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "current_leader")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        current_leader: CurrentLeader = _DEFAULT_CurrentLeader,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.current_leader = current_leader


def _decode_current_leader_v0(buf: Buffer, pos: int) -> tuple[CurrentLeader, int]:
    leader_id, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CurrentLeader.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return CurrentLeader(leader_id, leader_epoch, host, port), pos


def _decode_update_raft_voter_response_v0(buf: Buffer, pos: int) -> tuple[UpdateRaftVoterResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    current_leader: CurrentLeader = _DEFAULT_CurrentLeader
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("UpdateRaftVoterResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                current_leader, pos = _decode_current_leader_v0(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("UpdateRaftVoterResponse", tag)
    return UpdateRaftVoterResponse(throttle_time_ms, error_code, current_leader), pos


def _encode_current_leader_v0(m: CurrentLeader, w: bytearray) -> None:
    w += _write_ii(m.leader_id, m.leader_epoch)
    put_compact_string(w, m.host)
    w += _write_ix(m.port)


def _encode_update_raft_voter_response_v0(m: UpdateRaftVoterResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    tags: Tags = []
    if m.current_leader is not _DEFAULT_CurrentLeader and m.current_leader != _DEFAULT_CurrentLeader:
        t = bytearray()
        _encode_current_leader_v0(m.current_leader, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_RESPONSE_DECODERS = {0: _decode_update_raft_voter_response_v0}
_RESPONSE_ENCODERS = {0: _encode_update_raft_voter_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> UpdateRaftVoterResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UpdateRaftVoterResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("UpdateRaftVoterResponse", version, pos, len(buf))
    return message


def encode_response(message: UpdateRaftVoterResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("UpdateRaftVoterResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
