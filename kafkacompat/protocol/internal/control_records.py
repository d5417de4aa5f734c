"""Control records.

A key is a ControlRecordTypeSchema after its int16 version. So is the value EndTxnMarker; the other values begin
with a field of their own for the version.
"""

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
    frozen,
    malformed,
    null_error,
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


_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_write_hhx = Struct(">hhx").pack
_write_hi = Struct(">hi").pack
_read_hiB = Struct(">hiB").unpack_from
_read_hqB = Struct(">hqB").unpack_from
_write_hqx = Struct(">hqx").pack
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_iu = Struct(">i16s").pack
_read_iuB = Struct(">i16sB").unpack_from
_write_iux = Struct(">i16sx").pack
_read_iB = Struct(">iB").unpack_from
_write_ix = Struct(">ix").pack


class ControlRecordTypeSchema(Message):
    __slots__ = ("type",)

    def __init__(
        self,
        type: int = 0,
    ) -> None:
        self.type = type


def _decode_control_record_type_schema_v0(buf: Buffer, pos: int) -> tuple[ControlRecordTypeSchema, int]:
    (type,) = _read_h(buf, pos)
    pos += 2
    return ControlRecordTypeSchema(type), pos


def _encode_control_record_type_schema_v0(m: ControlRecordTypeSchema, w: bytearray) -> None:
    w += _write_h(m.type)


_CONTROL_RECORD_TYPE_SCHEMA_DECODERS = {0: _decode_control_record_type_schema_v0}
_CONTROL_RECORD_TYPE_SCHEMA_ENCODERS = {0: _encode_control_record_type_schema_v0}


def decode_control_record_type_schema(buf: Buffer, pos: int, version: int) -> ControlRecordTypeSchema:
    try:
        message, pos = _CONTROL_RECORD_TYPE_SCHEMA_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ControlRecordTypeSchema", version, error) from error
    if pos != len(buf):
        raise wrong_end("ControlRecordTypeSchema", version, pos, len(buf))
    return message


def encode_control_record_type_schema(message: ControlRecordTypeSchema, version: int, out: Parts) -> None:
    if version not in _CONTROL_RECORD_TYPE_SCHEMA_ENCODERS:
        raise UnsupportedVersionError("ControlRecordTypeSchema", version)
    w = bytearray()
    _CONTROL_RECORD_TYPE_SCHEMA_ENCODERS[version](message, w)
    out.append(w)


class EndTxnMarker(Message):
    __slots__ = ("coordinator_epoch",)

    def __init__(
        self,
        coordinator_epoch: int = 0,
    ) -> None:
        self.coordinator_epoch = coordinator_epoch


def _decode_end_txn_marker_v0(buf: Buffer, pos: int) -> tuple[EndTxnMarker, int]:
    (coordinator_epoch,) = _read_i(buf, pos)
    pos += 4
    return EndTxnMarker(coordinator_epoch), pos


def _encode_end_txn_marker_v0(m: EndTxnMarker, w: bytearray) -> None:
    w += _write_i(m.coordinator_epoch)


_END_TXN_MARKER_DECODERS = {0: _decode_end_txn_marker_v0}
_END_TXN_MARKER_ENCODERS = {0: _encode_end_txn_marker_v0}


def decode_end_txn_marker(buf: Buffer, pos: int, version: int) -> EndTxnMarker:
    try:
        message, pos = _END_TXN_MARKER_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EndTxnMarker", version, error) from error
    if pos != len(buf):
        raise wrong_end("EndTxnMarker", version, pos, len(buf))
    return message


def encode_end_txn_marker(message: EndTxnMarker, version: int, out: Parts) -> None:
    if version not in _END_TXN_MARKER_ENCODERS:
        raise UnsupportedVersionError("EndTxnMarker", version)
    w = bytearray()
    _END_TXN_MARKER_ENCODERS[version](message, w)
    out.append(w)


class KRaftVersionRecord(Message):
    __slots__ = ("version", "kraft_version")

    def __init__(
        self,
        version: int = 0,
        kraft_version: int = 0,
    ) -> None:
        self.version = version
        self.kraft_version = kraft_version


def _decode_kraft_version_record_v0(buf: Buffer, pos: int) -> tuple[KRaftVersionRecord, int]:
    version, kraft_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return KRaftVersionRecord(version, kraft_version), pos


def _encode_kraft_version_record_v0(m: KRaftVersionRecord, w: bytearray) -> None:
    w += _write_hhx(m.version, m.kraft_version)


_KRAFT_VERSION_RECORD_DECODERS = {0: _decode_kraft_version_record_v0}
_KRAFT_VERSION_RECORD_ENCODERS = {0: _encode_kraft_version_record_v0}


def decode_kraft_version_record(buf: Buffer, pos: int, version: int) -> KRaftVersionRecord:
    try:
        message, pos = _KRAFT_VERSION_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("KRaftVersionRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("KRaftVersionRecord", version, pos, len(buf))
    return message


def encode_kraft_version_record(message: KRaftVersionRecord, version: int, out: Parts) -> None:
    if version not in _KRAFT_VERSION_RECORD_ENCODERS:
        raise UnsupportedVersionError("KRaftVersionRecord", version)
    w = bytearray()
    _KRAFT_VERSION_RECORD_ENCODERS[version](message, w)
    out.append(w)


class LeaderChangeMessageVoter(Message):
    __slots__ = ("voter_id", "voter_directory_id")

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id


class LeaderChangeMessage(Message):
    __slots__ = ("version", "leader_id", "voters", "granting_voters")

    def __init__(
        self,
        version: int = 0,
        leader_id: int = 0,
        voters: Sequence[LeaderChangeMessageVoter] = (),
        granting_voters: Sequence[LeaderChangeMessageVoter] = (),
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters = voters
        self.granting_voters = granting_voters


def _decode_leader_change_message_voter_v0(buf: Buffer, pos: int) -> tuple[LeaderChangeMessageVoter, int]:
    voter_id, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderChangeMessageVoter(voter_id, ZERO_UUID), pos


def _decode_leader_change_message_voter_v1(buf: Buffer, pos: int) -> tuple[LeaderChangeMessageVoter, int]:
    voter_id, voter_directory_id, n = _read_iuB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderChangeMessageVoter(voter_id, voter_directory_id), pos


def _decode_leader_change_message_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaderChangeMessage, int]:
    version, leader_id, n = _read_hiB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderChangeMessage.voters")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("LeaderChangeMessage.voters", n)
    budget[0] -= n
    voters = []
    for _ in range(n):
        voters_item, pos = _decode_leader_change_message_voter_v0(buf, pos)
        voters.append(voters_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderChangeMessage.granting_voters")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("LeaderChangeMessage.granting_voters", n)
    budget[0] -= n
    granting_voters = []
    for _ in range(n):
        granting_voters_item, pos = _decode_leader_change_message_voter_v0(buf, pos)
        granting_voters.append(granting_voters_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderChangeMessage(version, leader_id, voters, granting_voters), pos


def _decode_leader_change_message_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaderChangeMessage, int]:
    version, leader_id, n = _read_hiB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderChangeMessage.voters")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("LeaderChangeMessage.voters", n)
    budget[0] -= n
    voters = []
    for _ in range(n):
        voters_item, pos = _decode_leader_change_message_voter_v1(buf, pos)
        voters.append(voters_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderChangeMessage.granting_voters")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("LeaderChangeMessage.granting_voters", n)
    budget[0] -= n
    granting_voters = []
    for _ in range(n):
        granting_voters_item, pos = _decode_leader_change_message_voter_v1(buf, pos)
        granting_voters.append(granting_voters_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderChangeMessage(version, leader_id, voters, granting_voters), pos


def _encode_leader_change_message_voter_v0(m: LeaderChangeMessageVoter, w: bytearray) -> None:
    if m.voter_directory_id != ZERO_UUID:
        raise UnsupportedFieldError("Voter.voter_directory_id", "1+")
    w += _write_ix(m.voter_id)


def _encode_leader_change_message_voter_v1(m: LeaderChangeMessageVoter, w: bytearray) -> None:
    w += _write_iux(m.voter_id, m.voter_directory_id)


def _encode_leader_change_message_v0(m: LeaderChangeMessage, w: bytearray) -> None:
    w += _write_hi(m.version, m.leader_id)
    n = len(m.voters)
    put_uvarint(w, n + 1)
    for voters_item in m.voters:
        _encode_leader_change_message_voter_v0(voters_item, w)
    n = len(m.granting_voters)
    put_uvarint(w, n + 1)
    for granting_voters_item in m.granting_voters:
        _encode_leader_change_message_voter_v0(granting_voters_item, w)
    w.append(0)


def _encode_leader_change_message_v1(m: LeaderChangeMessage, w: bytearray) -> None:
    w += _write_hi(m.version, m.leader_id)
    n = len(m.voters)
    put_uvarint(w, n + 1)
    for voters_item in m.voters:
        _encode_leader_change_message_voter_v1(voters_item, w)
    n = len(m.granting_voters)
    put_uvarint(w, n + 1)
    for granting_voters_item in m.granting_voters:
        _encode_leader_change_message_voter_v1(granting_voters_item, w)
    w.append(0)


_LEADER_CHANGE_MESSAGE_DECODERS = {0: _decode_leader_change_message_v0, 1: _decode_leader_change_message_v1}
_LEADER_CHANGE_MESSAGE_ENCODERS = {0: _encode_leader_change_message_v0, 1: _encode_leader_change_message_v1}


def decode_leader_change_message(buf: Buffer, pos: int, version: int) -> LeaderChangeMessage:
    try:
        message, pos = _LEADER_CHANGE_MESSAGE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("LeaderChangeMessage", version, error) from error
    if pos != len(buf):
        raise wrong_end("LeaderChangeMessage", version, pos, len(buf))
    return message


def encode_leader_change_message(message: LeaderChangeMessage, version: int, out: Parts) -> None:
    if version not in _LEADER_CHANGE_MESSAGE_ENCODERS:
        raise UnsupportedVersionError("LeaderChangeMessage", version)
    w = bytearray()
    _LEADER_CHANGE_MESSAGE_ENCODERS[version](message, w)
    out.append(w)


class SnapshotFooterRecord(Message):
    __slots__ = ("version",)

    def __init__(
        self,
        version: int = 0,
    ) -> None:
        self.version = version


def _decode_snapshot_footer_record_v0(buf: Buffer, pos: int) -> tuple[SnapshotFooterRecord, int]:
    version, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return SnapshotFooterRecord(version), pos


def _encode_snapshot_footer_record_v0(m: SnapshotFooterRecord, w: bytearray) -> None:
    w += _write_hx(m.version)


_SNAPSHOT_FOOTER_RECORD_DECODERS = {0: _decode_snapshot_footer_record_v0}
_SNAPSHOT_FOOTER_RECORD_ENCODERS = {0: _encode_snapshot_footer_record_v0}


def decode_snapshot_footer_record(buf: Buffer, pos: int, version: int) -> SnapshotFooterRecord:
    try:
        message, pos = _SNAPSHOT_FOOTER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SnapshotFooterRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("SnapshotFooterRecord", version, pos, len(buf))
    return message


def encode_snapshot_footer_record(message: SnapshotFooterRecord, version: int, out: Parts) -> None:
    if version not in _SNAPSHOT_FOOTER_RECORD_ENCODERS:
        raise UnsupportedVersionError("SnapshotFooterRecord", version)
    w = bytearray()
    _SNAPSHOT_FOOTER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class SnapshotHeaderRecord(Message):
    __slots__ = ("version", "last_contained_log_timestamp")

    def __init__(
        self,
        version: int = 0,
        last_contained_log_timestamp: int = 0,
    ) -> None:
        self.version = version
        self.last_contained_log_timestamp = last_contained_log_timestamp


def _decode_snapshot_header_record_v0(buf: Buffer, pos: int) -> tuple[SnapshotHeaderRecord, int]:
    version, last_contained_log_timestamp, n = _read_hqB(buf, pos)
    pos += 11
    if n:
        pos = skip_tags(buf, pos, n)
    return SnapshotHeaderRecord(version, last_contained_log_timestamp), pos


def _encode_snapshot_header_record_v0(m: SnapshotHeaderRecord, w: bytearray) -> None:
    w += _write_hqx(m.version, m.last_contained_log_timestamp)


_SNAPSHOT_HEADER_RECORD_DECODERS = {0: _decode_snapshot_header_record_v0}
_SNAPSHOT_HEADER_RECORD_ENCODERS = {0: _encode_snapshot_header_record_v0}


def decode_snapshot_header_record(buf: Buffer, pos: int, version: int) -> SnapshotHeaderRecord:
    try:
        message, pos = _SNAPSHOT_HEADER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SnapshotHeaderRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("SnapshotHeaderRecord", version, pos, len(buf))
    return message


def encode_snapshot_header_record(message: SnapshotHeaderRecord, version: int, out: Parts) -> None:
    if version not in _SNAPSHOT_HEADER_RECORD_ENCODERS:
        raise UnsupportedVersionError("SnapshotHeaderRecord", version)
    w = bytearray()
    _SNAPSHOT_HEADER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class Endpoint(Message):
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


class VotersRecordVoter(Message):
    __slots__ = ("voter_id", "voter_directory_id", "endpoints", "kraft_version_feature")

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        endpoints: Sequence[Endpoint] = (),
        kraft_version_feature: KRaftVersionFeature = _DEFAULT_KRaftVersionFeature,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = endpoints
        self.kraft_version_feature = kraft_version_feature


class VotersRecord(Message):
    __slots__ = ("version", "voters")

    def __init__(
        self,
        version: int = 0,
        voters: Sequence[VotersRecordVoter] = (),
    ) -> None:
        self.version = version
        self.voters = voters


def _decode_endpoint_v0(buf: Buffer, pos: int) -> tuple[Endpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Endpoint.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Endpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return Endpoint(name, host, port), pos


def _decode_kraft_version_feature_v0(buf: Buffer, pos: int) -> tuple[KRaftVersionFeature, int]:
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return KRaftVersionFeature(min_supported_version, max_supported_version), pos


def _decode_voters_record_voter_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VotersRecordVoter, int]:
    voter_id, voter_directory_id, n = _read_iuB(buf, pos)
    pos += 21
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Voter.endpoints")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("Voter.endpoints", n)
    budget[0] -= n
    endpoints = []
    for _ in range(n):
        endpoints_item, pos = _decode_endpoint_v0(buf, pos)
        endpoints.append(endpoints_item)
    kraft_version_feature, pos = _decode_kraft_version_feature_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VotersRecordVoter(voter_id, voter_directory_id, endpoints, kraft_version_feature), pos


def _decode_voters_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VotersRecord, int]:
    version, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("VotersRecord.voters")
    n -= 1
    if n > budget[0] or n * 27 > len(buf) - pos:
        raise count_error("VotersRecord.voters", n)
    budget[0] -= n
    voters = []
    for _ in range(n):
        voters_item, pos = _decode_voters_record_voter_v0(buf, pos, budget)
        voters.append(voters_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VotersRecord(version, voters), pos


def _encode_endpoint_v0(m: Endpoint, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_kraft_version_feature_v0(m: KRaftVersionFeature, w: bytearray) -> None:
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_voters_record_voter_v0(m: VotersRecordVoter, w: bytearray) -> None:
    w += _write_iu(m.voter_id, m.voter_directory_id)
    n = len(m.endpoints)
    put_uvarint(w, n + 1)
    for endpoints_item in m.endpoints:
        _encode_endpoint_v0(endpoints_item, w)
    _encode_kraft_version_feature_v0(m.kraft_version_feature, w)
    w.append(0)


def _encode_voters_record_v0(m: VotersRecord, w: bytearray) -> None:
    w += _write_h(m.version)
    n = len(m.voters)
    put_uvarint(w, n + 1)
    for voters_item in m.voters:
        _encode_voters_record_voter_v0(voters_item, w)
    w.append(0)


_VOTERS_RECORD_DECODERS = {0: _decode_voters_record_v0}
_VOTERS_RECORD_ENCODERS = {0: _encode_voters_record_v0}


def decode_voters_record(buf: Buffer, pos: int, version: int) -> VotersRecord:
    try:
        message, pos = _VOTERS_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("VotersRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("VotersRecord", version, pos, len(buf))
    return message


def encode_voters_record(message: VotersRecord, version: int, out: Parts) -> None:
    if version not in _VOTERS_RECORD_ENCODERS:
        raise UnsupportedVersionError("VotersRecord", version)
    w = bytearray()
    _VOTERS_RECORD_ENCODERS[version](message, w)
    out.append(w)
