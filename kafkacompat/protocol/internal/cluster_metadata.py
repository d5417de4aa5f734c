"""Records of __cluster_metadata."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.internal.framing import (
    decode_framed,
    encode_framed,
)
from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_bytes,
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

    from kafkacompat.protocol.internal.framing import RecordTable
    from kafkacompat.protocol.primitives import Buffer, Parts, Tags


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_ub = Struct(">16sb").pack
_read_ubB = Struct(">16sbB").unpack_from
_write_ux = Struct(">16sx").pack
_write_tt = Struct(">??").pack
_read_ttB = Struct(">??B").unpack_from
_write_ttx = Struct(">??x").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_HhB = Struct(">HhB").unpack_from
_write_Hhx = Struct(">Hhx").pack
_read_b = Struct(">b").unpack_from
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bbB = Struct(">bbB").unpack_from
_write_bbx = Struct(">bbx").pack
_write_bx = Struct(">bx").pack
_read_dtB = Struct(">d?B").unpack_from
_write_dtx = Struct(">d?x").pack
_read_hB = Struct(">hB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_write_hhx = Struct(">hhx").pack
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_iu = Struct(">i16s").pack
_write_iut = Struct(">i16s?").pack
_read_iutB = Struct(">i16s?B").unpack_from
_read_iuB = Struct(">i16sB").unpack_from
_write_iuq = Struct(">i16sq").pack
_read_iuqB = Struct(">i16sqB").unpack_from
_write_ituq = Struct(">i?16sq").pack
_read_ituqB = Struct(">i?16sqB").unpack_from
_read_iB = Struct(">iB").unpack_from
_write_iii = Struct(">iii").pack
_read_iiiB = Struct(">iiiB").unpack_from
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_read_iqqB = Struct(">iqqB").unpack_from
_write_iqqx = Struct(">iqqx").pack
_write_iqx = Struct(">iqx").pack
_write_ix = Struct(">ix").pack
_write_qqq = Struct(">qqq").pack
_read_qqqB = Struct(">qqqB").unpack_from


class BrokerEndpoint(Message):
    __slots__ = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class BrokerFeature(Message):
    __slots__ = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class RegisterBrokerRecord(Message):
    __slots__ = ("broker_id", "is_migrating_zk_broker", "incarnation_id", "broker_epoch", "end_points", "features", "rack", "fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs")

    def __init__(
        self,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: bytes = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: Sequence[BrokerEndpoint] = (),
        features: Sequence[BrokerFeature] = (),
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: Sequence[bytes] = (),
        cordoned_log_dirs: Sequence[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = end_points
        self.features = features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs


def _decode_broker_endpoint_v0(buf: Buffer, pos: int) -> tuple[BrokerEndpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerEndpoint.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerEndpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, security_protocol, n = _read_HhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerEndpoint(name, host, port, security_protocol), pos


def _decode_broker_feature_v0(buf: Buffer, pos: int) -> tuple[BrokerFeature, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("BrokerFeature.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerFeature(name, min_supported_version, max_supported_version), pos


def _decode_register_broker_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterBrokerRecord, int]:
    broker_id, incarnation_id, broker_epoch, n = _read_iuqB(buf, pos)
    pos += 29
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_broker_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_broker_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    fenced, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return RegisterBrokerRecord(broker_id, False, incarnation_id, broker_epoch, end_points, features, rack, fenced, False, (), None), pos


def _decode_register_broker_record_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterBrokerRecord, int]:
    broker_id, incarnation_id, broker_epoch, n = _read_iuqB(buf, pos)
    pos += 29
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_broker_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_broker_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    fenced, in_controlled_shutdown, n = _read_ttB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return RegisterBrokerRecord(broker_id, False, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, (), None), pos


def _decode_register_broker_record_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterBrokerRecord, int]:
    broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, n = _read_ituqB(buf, pos)
    pos += 30
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_broker_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_broker_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    fenced, in_controlled_shutdown, n = _read_ttB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, (), None), pos


def _decode_register_broker_record_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterBrokerRecord, int]:
    broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, n = _read_ituqB(buf, pos)
    pos += 30
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_broker_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_broker_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    fenced, in_controlled_shutdown, n = _read_ttB(buf, pos)
    pos += 3
    log_dirs: list[bytes] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("RegisterBrokerRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("RegisterBrokerRecord.log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("RegisterBrokerRecord.log_dirs", n)
                budget[0] -= n
                log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("RegisterBrokerRecord", tag)
    return RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, log_dirs, None), pos


def _decode_register_broker_record_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterBrokerRecord, int]:
    broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, n = _read_ituqB(buf, pos)
    pos += 30
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_broker_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterBrokerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterBrokerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_broker_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    fenced, in_controlled_shutdown, n = _read_ttB(buf, pos)
    pos += 3
    log_dirs: list[bytes] | tuple[()] = ()
    cordoned_log_dirs: list[bytes] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("RegisterBrokerRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("RegisterBrokerRecord.log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("RegisterBrokerRecord.log_dirs", n)
                budget[0] -= n
                log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            elif tag == 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    cordoned_log_dirs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 16 > len(buf) - pos:
                        raise count_error("RegisterBrokerRecord.cordoned_log_dirs", n)
                    budget[0] -= n
                    cordoned_log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                    pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("RegisterBrokerRecord", tag)
    return RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, log_dirs, cordoned_log_dirs), pos


def _encode_broker_endpoint_v0(m: BrokerEndpoint, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hhx(m.port, m.security_protocol)


def _encode_broker_feature_v0(m: BrokerFeature, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_register_broker_record_v0(m: RegisterBrokerRecord, w: bytearray) -> None:
    if m.is_migrating_zk_broker:
        raise UnsupportedFieldError("RegisterBrokerRecord.is_migrating_zk_broker", "2+")
    if m.in_controlled_shutdown:
        raise UnsupportedFieldError("RegisterBrokerRecord.in_controlled_shutdown", "1+")
    if m.log_dirs:
        raise UnsupportedFieldError("RegisterBrokerRecord.log_dirs", "3+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("RegisterBrokerRecord.cordoned_log_dirs", "4+")
    w += _write_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_broker_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_broker_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_tx(m.fenced)


def _encode_register_broker_record_v1(m: RegisterBrokerRecord, w: bytearray) -> None:
    if m.is_migrating_zk_broker:
        raise UnsupportedFieldError("RegisterBrokerRecord.is_migrating_zk_broker", "2+")
    if m.log_dirs:
        raise UnsupportedFieldError("RegisterBrokerRecord.log_dirs", "3+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("RegisterBrokerRecord.cordoned_log_dirs", "4+")
    w += _write_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_broker_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_broker_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_ttx(m.fenced, m.in_controlled_shutdown)


def _encode_register_broker_record_v2(m: RegisterBrokerRecord, w: bytearray) -> None:
    if m.log_dirs:
        raise UnsupportedFieldError("RegisterBrokerRecord.log_dirs", "3+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("RegisterBrokerRecord.cordoned_log_dirs", "4+")
    w += _write_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_broker_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_broker_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_ttx(m.fenced, m.in_controlled_shutdown)


def _encode_register_broker_record_v3(m: RegisterBrokerRecord, w: bytearray) -> None:
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("RegisterBrokerRecord.cordoned_log_dirs", "4+")
    w += _write_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_broker_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_broker_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_tt(m.fenced, m.in_controlled_shutdown)
    tags: Tags = []
    if m.log_dirs:
        t = bytearray()
        n = len(m.log_dirs)
        put_uvarint(t, n + 1)
        for log_dirs_item in m.log_dirs:
            t += _write_u(log_dirs_item)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_register_broker_record_v4(m: RegisterBrokerRecord, w: bytearray) -> None:
    w += _write_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_broker_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_broker_feature_v0(features_item, w)
    put_compact_nullable_string(w, m.rack)
    w += _write_tt(m.fenced, m.in_controlled_shutdown)
    tags: Tags = []
    if m.log_dirs:
        t = bytearray()
        n = len(m.log_dirs)
        put_uvarint(t, n + 1)
        for log_dirs_item in m.log_dirs:
            t += _write_u(log_dirs_item)
        tags.append(tagged(0, t))
    if m.cordoned_log_dirs is not None:
        t = bytearray()
        if m.cordoned_log_dirs is None:
            t.append(0)
        else:
            n = len(m.cordoned_log_dirs)
            put_uvarint(t, n + 1)
            for cordoned_log_dirs_item in m.cordoned_log_dirs:
                t += _write_u(cordoned_log_dirs_item)
        tags.append(tagged(1, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REGISTER_BROKER_RECORD_DECODERS = {0: _decode_register_broker_record_v0, 1: _decode_register_broker_record_v1, 2: _decode_register_broker_record_v2, 3: _decode_register_broker_record_v3, 4: _decode_register_broker_record_v4}
_REGISTER_BROKER_RECORD_ENCODERS = {0: _encode_register_broker_record_v0, 1: _encode_register_broker_record_v1, 2: _encode_register_broker_record_v2, 3: _encode_register_broker_record_v3, 4: _encode_register_broker_record_v4}


def decode_register_broker_record(buf: Buffer, pos: int, version: int) -> RegisterBrokerRecord:
    try:
        message, pos = _REGISTER_BROKER_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("RegisterBrokerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RegisterBrokerRecord", version, pos, len(buf))
    return message


def encode_register_broker_record(message: RegisterBrokerRecord, version: int, out: Parts) -> None:
    if version not in _REGISTER_BROKER_RECORD_ENCODERS:
        raise UnsupportedVersionError("RegisterBrokerRecord", version)
    w = bytearray()
    _REGISTER_BROKER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class UnregisterBrokerRecord(Message):
    __slots__ = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


def _decode_unregister_broker_record_v0(buf: Buffer, pos: int) -> tuple[UnregisterBrokerRecord, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return UnregisterBrokerRecord(broker_id, broker_epoch), pos


def _encode_unregister_broker_record_v0(m: UnregisterBrokerRecord, w: bytearray) -> None:
    w += _write_iqx(m.broker_id, m.broker_epoch)


_UNREGISTER_BROKER_RECORD_DECODERS = {0: _decode_unregister_broker_record_v0}
_UNREGISTER_BROKER_RECORD_ENCODERS = {0: _encode_unregister_broker_record_v0}


def decode_unregister_broker_record(buf: Buffer, pos: int, version: int) -> UnregisterBrokerRecord:
    try:
        message, pos = _UNREGISTER_BROKER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UnregisterBrokerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("UnregisterBrokerRecord", version, pos, len(buf))
    return message


def encode_unregister_broker_record(message: UnregisterBrokerRecord, version: int, out: Parts) -> None:
    if version not in _UNREGISTER_BROKER_RECORD_ENCODERS:
        raise UnsupportedVersionError("UnregisterBrokerRecord", version)
    w = bytearray()
    _UNREGISTER_BROKER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class TopicRecord(Message):
    __slots__ = ("name", "topic_id")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id


def _decode_topic_record_v0(buf: Buffer, pos: int) -> tuple[TopicRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicRecord.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicRecord(name, topic_id), pos


def _encode_topic_record_v0(m: TopicRecord, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_ux(m.topic_id)


_TOPIC_RECORD_DECODERS = {0: _decode_topic_record_v0}
_TOPIC_RECORD_ENCODERS = {0: _encode_topic_record_v0}


def decode_topic_record(buf: Buffer, pos: int, version: int) -> TopicRecord:
    try:
        message, pos = _TOPIC_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("TopicRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("TopicRecord", version, pos, len(buf))
    return message


def encode_topic_record(message: TopicRecord, version: int, out: Parts) -> None:
    if version not in _TOPIC_RECORD_ENCODERS:
        raise UnsupportedVersionError("TopicRecord", version)
    w = bytearray()
    _TOPIC_RECORD_ENCODERS[version](message, w)
    out.append(w)


class PartitionRecord(Message):
    __slots__ = ("partition_id", "topic_id", "replicas", "isr", "removing_replicas", "adding_replicas", "leader", "leader_recovery_state", "leader_epoch", "partition_epoch", "directories", "eligible_leader_replicas", "last_known_elr")

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        replicas: Sequence[int] = (),
        isr: Sequence[int] = (),
        removing_replicas: Sequence[int] = (),
        adding_replicas: Sequence[int] = (),
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: Sequence[bytes] = (),
        eligible_leader_replicas: Sequence[int] | None = None,
        last_known_elr: Sequence[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = replicas
        self.isr = isr
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr


def _decode_partition_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.replicas", n)
    budget[0] -= n
    replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.isr")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.isr", n)
    budget[0] -= n
    isr = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.removing_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.removing_replicas", n)
    budget[0] -= n
    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.adding_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.adding_replicas", n)
    budget[0] -= n
    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    leader, leader_epoch, partition_epoch, n = _read_iiiB(buf, pos)
    pos += 13
    leader_recovery_state: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionRecord", tag)
    return PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, (), None, None), pos


def _decode_partition_record_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.replicas", n)
    budget[0] -= n
    replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.isr")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.isr", n)
    budget[0] -= n
    isr = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.removing_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.removing_replicas", n)
    budget[0] -= n
    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.adding_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.adding_replicas", n)
    budget[0] -= n
    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    leader, leader_epoch, partition_epoch, n = _read_iiiB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.directories")
    n -= 1
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("PartitionRecord.directories", n)
    budget[0] -= n
    directories = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
    pos += n * 16
    n = buf[pos]
    pos += 1
    leader_recovery_state: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionRecord", tag)
    return PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, directories, None, None), pos


def _decode_partition_record_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.replicas", n)
    budget[0] -= n
    replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.isr")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.isr", n)
    budget[0] -= n
    isr = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.removing_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.removing_replicas", n)
    budget[0] -= n
    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.adding_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionRecord.adding_replicas", n)
    budget[0] -= n
    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    leader, leader_epoch, partition_epoch, n = _read_iiiB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionRecord.directories")
    n -= 1
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("PartitionRecord.directories", n)
    budget[0] -= n
    directories = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
    pos += n * 16
    n = buf[pos]
    pos += 1
    leader_recovery_state: int = 0
    eligible_leader_replicas: list[int] | tuple[()] | None = None
    last_known_elr: list[int] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            elif tag == 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    eligible_leader_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionRecord.eligible_leader_replicas", n)
                    budget[0] -= n
                    eligible_leader_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    last_known_elr = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionRecord.last_known_elr", n)
                    budget[0] -= n
                    last_known_elr = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionRecord", tag)
    return PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, directories, eligible_leader_replicas, last_known_elr), pos


def _encode_partition_record_v0(m: PartitionRecord, w: bytearray) -> None:
    if m.directories:
        raise UnsupportedFieldError("PartitionRecord.directories", "1+")
    if m.eligible_leader_replicas is not None:
        raise UnsupportedFieldError("PartitionRecord.eligible_leader_replicas", "2+")
    if m.last_known_elr is not None:
        raise UnsupportedFieldError("PartitionRecord.last_known_elr", "2+")
    w += _write_iu(m.partition_id, m.topic_id)
    n = len(m.replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replicas)
    n = len(m.isr)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr)
    n = len(m.removing_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.removing_replicas)
    n = len(m.adding_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.adding_replicas)
    w += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
    tags: Tags = []
    if m.leader_recovery_state != 0:
        tags.append(b'\x00\x01' + _write_b(m.leader_recovery_state))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_partition_record_v1(m: PartitionRecord, w: bytearray) -> None:
    if m.eligible_leader_replicas is not None:
        raise UnsupportedFieldError("PartitionRecord.eligible_leader_replicas", "2+")
    if m.last_known_elr is not None:
        raise UnsupportedFieldError("PartitionRecord.last_known_elr", "2+")
    w += _write_iu(m.partition_id, m.topic_id)
    n = len(m.replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replicas)
    n = len(m.isr)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr)
    n = len(m.removing_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.removing_replicas)
    n = len(m.adding_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.adding_replicas)
    w += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
    n = len(m.directories)
    put_uvarint(w, n + 1)
    for directories_item in m.directories:
        w += _write_u(directories_item)
    tags: Tags = []
    if m.leader_recovery_state != 0:
        tags.append(b'\x00\x01' + _write_b(m.leader_recovery_state))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_partition_record_v2(m: PartitionRecord, w: bytearray) -> None:
    w += _write_iu(m.partition_id, m.topic_id)
    n = len(m.replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replicas)
    n = len(m.isr)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr)
    n = len(m.removing_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.removing_replicas)
    n = len(m.adding_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.adding_replicas)
    w += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
    n = len(m.directories)
    put_uvarint(w, n + 1)
    for directories_item in m.directories:
        w += _write_u(directories_item)
    tags: Tags = []
    if m.leader_recovery_state != 0:
        tags.append(b'\x00\x01' + _write_b(m.leader_recovery_state))
    if m.eligible_leader_replicas is not None:
        t = bytearray()
        if m.eligible_leader_replicas is None:
            t.append(0)
        else:
            n = len(m.eligible_leader_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.eligible_leader_replicas)
        tags.append(tagged(1, t))
    if m.last_known_elr is not None:
        t = bytearray()
        if m.last_known_elr is None:
            t.append(0)
        else:
            n = len(m.last_known_elr)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.last_known_elr)
        tags.append(tagged(2, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_PARTITION_RECORD_DECODERS = {0: _decode_partition_record_v0, 1: _decode_partition_record_v1, 2: _decode_partition_record_v2}
_PARTITION_RECORD_ENCODERS = {0: _encode_partition_record_v0, 1: _encode_partition_record_v1, 2: _encode_partition_record_v2}


def decode_partition_record(buf: Buffer, pos: int, version: int) -> PartitionRecord:
    try:
        message, pos = _PARTITION_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("PartitionRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("PartitionRecord", version, pos, len(buf))
    return message


def encode_partition_record(message: PartitionRecord, version: int, out: Parts) -> None:
    if version not in _PARTITION_RECORD_ENCODERS:
        raise UnsupportedVersionError("PartitionRecord", version)
    w = bytearray()
    _PARTITION_RECORD_ENCODERS[version](message, w)
    out.append(w)


class ConfigRecord(Message):
    __slots__ = ("resource_type", "resource_name", "name", "value")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.name = name
        self.value = value


def _decode_config_record_v0(buf: Buffer, pos: int) -> tuple[ConfigRecord, int]:
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConfigRecord.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConfigRecord.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConfigRecord(resource_type, resource_name, name, value), pos


def _encode_config_record_v0(m: ConfigRecord, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    put_compact_string(w, m.name)
    put_compact_nullable_string(w, m.value)
    w.append(0)


_CONFIG_RECORD_DECODERS = {0: _decode_config_record_v0}
_CONFIG_RECORD_ENCODERS = {0: _encode_config_record_v0}


def decode_config_record(buf: Buffer, pos: int, version: int) -> ConfigRecord:
    try:
        message, pos = _CONFIG_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConfigRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConfigRecord", version, pos, len(buf))
    return message


def encode_config_record(message: ConfigRecord, version: int, out: Parts) -> None:
    if version not in _CONFIG_RECORD_ENCODERS:
        raise UnsupportedVersionError("ConfigRecord", version)
    w = bytearray()
    _CONFIG_RECORD_ENCODERS[version](message, w)
    out.append(w)


class PartitionChangeRecord(Message):
    __slots__ = ("partition_id", "topic_id", "isr", "leader", "replicas", "removing_replicas", "adding_replicas", "leader_recovery_state", "directories", "eligible_leader_replicas", "last_known_elr")

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        isr: Sequence[int] | None = None,
        leader: int = -2,
        replicas: Sequence[int] | None = None,
        removing_replicas: Sequence[int] | None = None,
        adding_replicas: Sequence[int] | None = None,
        leader_recovery_state: int = -1,
        directories: Sequence[bytes] | None = None,
        eligible_leader_replicas: Sequence[int] | None = None,
        last_known_elr: Sequence[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.isr = isr
        self.leader = leader
        self.replicas = replicas
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader_recovery_state = leader_recovery_state
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr


def _decode_partition_change_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionChangeRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    isr: list[int] | tuple[()] | None = None
    leader: int = -2
    replicas: list[int] | tuple[()] | None = None
    removing_replicas: list[int] | tuple[()] | None = None
    adding_replicas: list[int] | tuple[()] | None = None
    leader_recovery_state: int = -1
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    isr = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.isr", n)
                    budget[0] -= n
                    isr = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 1:
                (leader,) = _read_i(buf, pos)
                pos += 4
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.replicas", n)
                    budget[0] -= n
                    replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    removing_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.removing_replicas", n)
                    budget[0] -= n
                    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    adding_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.adding_replicas", n)
                    budget[0] -= n
                    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 5:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionChangeRecord", tag)
    return PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state, None, None, None), pos


def _decode_partition_change_record_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionChangeRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    isr: list[int] | tuple[()] | None = None
    leader: int = -2
    replicas: list[int] | tuple[()] | None = None
    removing_replicas: list[int] | tuple[()] | None = None
    adding_replicas: list[int] | tuple[()] | None = None
    leader_recovery_state: int = -1
    directories: list[bytes] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    isr = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.isr", n)
                    budget[0] -= n
                    isr = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 1:
                (leader,) = _read_i(buf, pos)
                pos += 4
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.replicas", n)
                    budget[0] -= n
                    replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    removing_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.removing_replicas", n)
                    budget[0] -= n
                    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    adding_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.adding_replicas", n)
                    budget[0] -= n
                    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 5:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            elif tag == 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    directories = None
                else:
                    n -= 1
                    if n > budget[0] or n * 16 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.directories", n)
                    budget[0] -= n
                    directories = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                    pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionChangeRecord", tag)
    return PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state, directories, None, None), pos


def _decode_partition_change_record_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionChangeRecord, int]:
    partition_id, topic_id, n = _read_iuB(buf, pos)
    pos += 21
    isr: list[int] | tuple[()] | None = None
    leader: int = -2
    replicas: list[int] | tuple[()] | None = None
    removing_replicas: list[int] | tuple[()] | None = None
    adding_replicas: list[int] | tuple[()] | None = None
    leader_recovery_state: int = -1
    eligible_leader_replicas: list[int] | tuple[()] | None = None
    last_known_elr: list[int] | tuple[()] | None = None
    directories: list[bytes] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    isr = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.isr", n)
                    budget[0] -= n
                    isr = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 1:
                (leader,) = _read_i(buf, pos)
                pos += 4
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.replicas", n)
                    budget[0] -= n
                    replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    removing_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.removing_replicas", n)
                    budget[0] -= n
                    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    adding_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.adding_replicas", n)
                    budget[0] -= n
                    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 5:
                (leader_recovery_state,) = _read_b(buf, pos)
                pos += 1
            elif tag == 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    eligible_leader_replicas = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.eligible_leader_replicas", n)
                    budget[0] -= n
                    eligible_leader_replicas = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 7:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    last_known_elr = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.last_known_elr", n)
                    budget[0] -= n
                    last_known_elr = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            elif tag == 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    directories = None
                else:
                    n -= 1
                    if n > budget[0] or n * 16 > len(buf) - pos:
                        raise count_error("PartitionChangeRecord.directories", n)
                    budget[0] -= n
                    directories = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                    pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionChangeRecord", tag)
    return PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state, directories, eligible_leader_replicas, last_known_elr), pos


def _encode_partition_change_record_v0(m: PartitionChangeRecord, w: bytearray) -> None:
    if m.directories is not None:
        raise UnsupportedFieldError("PartitionChangeRecord.directories", "1+")
    if m.eligible_leader_replicas is not None:
        raise UnsupportedFieldError("PartitionChangeRecord.eligible_leader_replicas", "2+")
    if m.last_known_elr is not None:
        raise UnsupportedFieldError("PartitionChangeRecord.last_known_elr", "2+")
    w += _write_iu(m.partition_id, m.topic_id)
    tags: Tags = []
    if m.isr is not None:
        t = bytearray()
        if m.isr is None:
            t.append(0)
        else:
            n = len(m.isr)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.isr)
        tags.append(tagged(0, t))
    if m.leader != -2:
        tags.append(b'\x01\x04' + _write_i(m.leader))
    if m.replicas is not None:
        t = bytearray()
        if m.replicas is None:
            t.append(0)
        else:
            n = len(m.replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.replicas)
        tags.append(tagged(2, t))
    if m.removing_replicas is not None:
        t = bytearray()
        if m.removing_replicas is None:
            t.append(0)
        else:
            n = len(m.removing_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.removing_replicas)
        tags.append(tagged(3, t))
    if m.adding_replicas is not None:
        t = bytearray()
        if m.adding_replicas is None:
            t.append(0)
        else:
            n = len(m.adding_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.adding_replicas)
        tags.append(tagged(4, t))
    if m.leader_recovery_state != -1:
        tags.append(b'\x05\x01' + _write_b(m.leader_recovery_state))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_partition_change_record_v1(m: PartitionChangeRecord, w: bytearray) -> None:
    if m.eligible_leader_replicas is not None:
        raise UnsupportedFieldError("PartitionChangeRecord.eligible_leader_replicas", "2+")
    if m.last_known_elr is not None:
        raise UnsupportedFieldError("PartitionChangeRecord.last_known_elr", "2+")
    w += _write_iu(m.partition_id, m.topic_id)
    tags: Tags = []
    if m.isr is not None:
        t = bytearray()
        if m.isr is None:
            t.append(0)
        else:
            n = len(m.isr)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.isr)
        tags.append(tagged(0, t))
    if m.leader != -2:
        tags.append(b'\x01\x04' + _write_i(m.leader))
    if m.replicas is not None:
        t = bytearray()
        if m.replicas is None:
            t.append(0)
        else:
            n = len(m.replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.replicas)
        tags.append(tagged(2, t))
    if m.removing_replicas is not None:
        t = bytearray()
        if m.removing_replicas is None:
            t.append(0)
        else:
            n = len(m.removing_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.removing_replicas)
        tags.append(tagged(3, t))
    if m.adding_replicas is not None:
        t = bytearray()
        if m.adding_replicas is None:
            t.append(0)
        else:
            n = len(m.adding_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.adding_replicas)
        tags.append(tagged(4, t))
    if m.leader_recovery_state != -1:
        tags.append(b'\x05\x01' + _write_b(m.leader_recovery_state))
    if m.directories is not None:
        t = bytearray()
        if m.directories is None:
            t.append(0)
        else:
            n = len(m.directories)
            put_uvarint(t, n + 1)
            for directories_item in m.directories:
                t += _write_u(directories_item)
        tags.append(tagged(8, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_partition_change_record_v2(m: PartitionChangeRecord, w: bytearray) -> None:
    w += _write_iu(m.partition_id, m.topic_id)
    tags: Tags = []
    if m.isr is not None:
        t = bytearray()
        if m.isr is None:
            t.append(0)
        else:
            n = len(m.isr)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.isr)
        tags.append(tagged(0, t))
    if m.leader != -2:
        tags.append(b'\x01\x04' + _write_i(m.leader))
    if m.replicas is not None:
        t = bytearray()
        if m.replicas is None:
            t.append(0)
        else:
            n = len(m.replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.replicas)
        tags.append(tagged(2, t))
    if m.removing_replicas is not None:
        t = bytearray()
        if m.removing_replicas is None:
            t.append(0)
        else:
            n = len(m.removing_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.removing_replicas)
        tags.append(tagged(3, t))
    if m.adding_replicas is not None:
        t = bytearray()
        if m.adding_replicas is None:
            t.append(0)
        else:
            n = len(m.adding_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.adding_replicas)
        tags.append(tagged(4, t))
    if m.leader_recovery_state != -1:
        tags.append(b'\x05\x01' + _write_b(m.leader_recovery_state))
    if m.eligible_leader_replicas is not None:
        t = bytearray()
        if m.eligible_leader_replicas is None:
            t.append(0)
        else:
            n = len(m.eligible_leader_replicas)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.eligible_leader_replicas)
        tags.append(tagged(6, t))
    if m.last_known_elr is not None:
        t = bytearray()
        if m.last_known_elr is None:
            t.append(0)
        else:
            n = len(m.last_known_elr)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.last_known_elr)
        tags.append(tagged(7, t))
    if m.directories is not None:
        t = bytearray()
        if m.directories is None:
            t.append(0)
        else:
            n = len(m.directories)
            put_uvarint(t, n + 1)
            for directories_item in m.directories:
                t += _write_u(directories_item)
        tags.append(tagged(8, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_PARTITION_CHANGE_RECORD_DECODERS = {0: _decode_partition_change_record_v0, 1: _decode_partition_change_record_v1, 2: _decode_partition_change_record_v2}
_PARTITION_CHANGE_RECORD_ENCODERS = {0: _encode_partition_change_record_v0, 1: _encode_partition_change_record_v1, 2: _encode_partition_change_record_v2}


def decode_partition_change_record(buf: Buffer, pos: int, version: int) -> PartitionChangeRecord:
    try:
        message, pos = _PARTITION_CHANGE_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("PartitionChangeRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("PartitionChangeRecord", version, pos, len(buf))
    return message


def encode_partition_change_record(message: PartitionChangeRecord, version: int, out: Parts) -> None:
    if version not in _PARTITION_CHANGE_RECORD_ENCODERS:
        raise UnsupportedVersionError("PartitionChangeRecord", version)
    w = bytearray()
    _PARTITION_CHANGE_RECORD_ENCODERS[version](message, w)
    out.append(w)


class FenceBrokerRecord(Message):
    __slots__ = ("id", "epoch")

    def __init__(
        self,
        id: int = 0,
        epoch: int = 0,
    ) -> None:
        self.id = id
        self.epoch = epoch


def _decode_fence_broker_record_v0(buf: Buffer, pos: int) -> tuple[FenceBrokerRecord, int]:
    id, epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return FenceBrokerRecord(id, epoch), pos


def _encode_fence_broker_record_v0(m: FenceBrokerRecord, w: bytearray) -> None:
    w += _write_iqx(m.id, m.epoch)


_FENCE_BROKER_RECORD_DECODERS = {0: _decode_fence_broker_record_v0}
_FENCE_BROKER_RECORD_ENCODERS = {0: _encode_fence_broker_record_v0}


def decode_fence_broker_record(buf: Buffer, pos: int, version: int) -> FenceBrokerRecord:
    try:
        message, pos = _FENCE_BROKER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("FenceBrokerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("FenceBrokerRecord", version, pos, len(buf))
    return message


def encode_fence_broker_record(message: FenceBrokerRecord, version: int, out: Parts) -> None:
    if version not in _FENCE_BROKER_RECORD_ENCODERS:
        raise UnsupportedVersionError("FenceBrokerRecord", version)
    w = bytearray()
    _FENCE_BROKER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class UnfenceBrokerRecord(Message):
    __slots__ = ("id", "epoch")

    def __init__(
        self,
        id: int = 0,
        epoch: int = 0,
    ) -> None:
        self.id = id
        self.epoch = epoch


def _decode_unfence_broker_record_v0(buf: Buffer, pos: int) -> tuple[UnfenceBrokerRecord, int]:
    id, epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return UnfenceBrokerRecord(id, epoch), pos


def _encode_unfence_broker_record_v0(m: UnfenceBrokerRecord, w: bytearray) -> None:
    w += _write_iqx(m.id, m.epoch)


_UNFENCE_BROKER_RECORD_DECODERS = {0: _decode_unfence_broker_record_v0}
_UNFENCE_BROKER_RECORD_ENCODERS = {0: _encode_unfence_broker_record_v0}


def decode_unfence_broker_record(buf: Buffer, pos: int, version: int) -> UnfenceBrokerRecord:
    try:
        message, pos = _UNFENCE_BROKER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UnfenceBrokerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("UnfenceBrokerRecord", version, pos, len(buf))
    return message


def encode_unfence_broker_record(message: UnfenceBrokerRecord, version: int, out: Parts) -> None:
    if version not in _UNFENCE_BROKER_RECORD_ENCODERS:
        raise UnsupportedVersionError("UnfenceBrokerRecord", version)
    w = bytearray()
    _UNFENCE_BROKER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoveTopicRecord(Message):
    __slots__ = ("topic_id",)

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id = topic_id


def _decode_remove_topic_record_v0(buf: Buffer, pos: int) -> tuple[RemoveTopicRecord, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveTopicRecord(topic_id), pos


def _encode_remove_topic_record_v0(m: RemoveTopicRecord, w: bytearray) -> None:
    w += _write_ux(m.topic_id)


_REMOVE_TOPIC_RECORD_DECODERS = {0: _decode_remove_topic_record_v0}
_REMOVE_TOPIC_RECORD_ENCODERS = {0: _encode_remove_topic_record_v0}


def decode_remove_topic_record(buf: Buffer, pos: int, version: int) -> RemoveTopicRecord:
    try:
        message, pos = _REMOVE_TOPIC_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveTopicRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoveTopicRecord", version, pos, len(buf))
    return message


def encode_remove_topic_record(message: RemoveTopicRecord, version: int, out: Parts) -> None:
    if version not in _REMOVE_TOPIC_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoveTopicRecord", version)
    w = bytearray()
    _REMOVE_TOPIC_RECORD_ENCODERS[version](message, w)
    out.append(w)


class DelegationTokenRecord(Message):
    __slots__ = ("owner", "requester", "renewers", "issue_timestamp", "max_timestamp", "expiration_timestamp", "token_id")

    def __init__(
        self,
        owner: str = "",
        requester: str = "",
        renewers: Sequence[str] = (),
        issue_timestamp: int = 0,
        max_timestamp: int = 0,
        expiration_timestamp: int = 0,
        token_id: str = "",
    ) -> None:
        self.owner = owner
        self.requester = requester
        self.renewers = renewers
        self.issue_timestamp = issue_timestamp
        self.max_timestamp = max_timestamp
        self.expiration_timestamp = expiration_timestamp
        self.token_id = token_id


def _decode_delegation_token_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DelegationTokenRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DelegationTokenRecord.owner")
    end = pos + n - 1
    owner = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DelegationTokenRecord.requester")
    end = pos + n - 1
    requester = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DelegationTokenRecord.renewers")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("DelegationTokenRecord.renewers", n)
    budget[0] -= n
    renewers = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("DelegationTokenRecord.renewers")
        end = pos + n - 1
        renewers.append(buf[pos:end].decode())
        pos = end
    issue_timestamp, max_timestamp, expiration_timestamp, n = _read_qqqB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DelegationTokenRecord.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DelegationTokenRecord(owner, requester, renewers, issue_timestamp, max_timestamp, expiration_timestamp, token_id), pos


def _encode_delegation_token_record_v0(m: DelegationTokenRecord, w: bytearray) -> None:
    put_compact_string(w, m.owner)
    put_compact_string(w, m.requester)
    n = len(m.renewers)
    put_uvarint(w, n + 1)
    for renewers_item in m.renewers:
        put_compact_string(w, renewers_item)
    w += _write_qqq(m.issue_timestamp, m.max_timestamp, m.expiration_timestamp)
    put_compact_string(w, m.token_id)
    w.append(0)


_DELEGATION_TOKEN_RECORD_DECODERS = {0: _decode_delegation_token_record_v0}
_DELEGATION_TOKEN_RECORD_ENCODERS = {0: _encode_delegation_token_record_v0}


def decode_delegation_token_record(buf: Buffer, pos: int, version: int) -> DelegationTokenRecord:
    try:
        message, pos = _DELEGATION_TOKEN_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DelegationTokenRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("DelegationTokenRecord", version, pos, len(buf))
    return message


def encode_delegation_token_record(message: DelegationTokenRecord, version: int, out: Parts) -> None:
    if version not in _DELEGATION_TOKEN_RECORD_ENCODERS:
        raise UnsupportedVersionError("DelegationTokenRecord", version)
    w = bytearray()
    _DELEGATION_TOKEN_RECORD_ENCODERS[version](message, w)
    out.append(w)


class UserScramCredentialRecord(Message):
    __slots__ = ("name", "mechanism", "salt", "stored_key", "server_key", "iterations")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b"",
        stored_key: bytes = b"",
        server_key: bytes = b"",
        iterations: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations


def _decode_user_scram_credential_record_v0(buf: Buffer, pos: int) -> tuple[UserScramCredentialRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("UserScramCredentialRecord.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    mechanism, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UserScramCredentialRecord.salt")
    end = pos + n - 1
    salt = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UserScramCredentialRecord.stored_key")
    end = pos + n - 1
    stored_key = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("UserScramCredentialRecord.server_key")
    end = pos + n - 1
    server_key = bytes(buf[pos:end])
    pos = end
    iterations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return UserScramCredentialRecord(name, mechanism, salt, stored_key, server_key, iterations), pos


def _encode_user_scram_credential_record_v0(m: UserScramCredentialRecord, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_b(m.mechanism)
    put_compact_bytes(w, m.salt)
    put_compact_bytes(w, m.stored_key)
    put_compact_bytes(w, m.server_key)
    w += _write_ix(m.iterations)


_USER_SCRAM_CREDENTIAL_RECORD_DECODERS = {0: _decode_user_scram_credential_record_v0}
_USER_SCRAM_CREDENTIAL_RECORD_ENCODERS = {0: _encode_user_scram_credential_record_v0}


def decode_user_scram_credential_record(buf: Buffer, pos: int, version: int) -> UserScramCredentialRecord:
    try:
        message, pos = _USER_SCRAM_CREDENTIAL_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UserScramCredentialRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("UserScramCredentialRecord", version, pos, len(buf))
    return message


def encode_user_scram_credential_record(message: UserScramCredentialRecord, version: int, out: Parts) -> None:
    if version not in _USER_SCRAM_CREDENTIAL_RECORD_ENCODERS:
        raise UnsupportedVersionError("UserScramCredentialRecord", version)
    w = bytearray()
    _USER_SCRAM_CREDENTIAL_RECORD_ENCODERS[version](message, w)
    out.append(w)


class FeatureLevelRecord(Message):
    __slots__ = ("name", "feature_level")

    def __init__(
        self,
        name: str = "",
        feature_level: int = 0,
    ) -> None:
        self.name = name
        self.feature_level = feature_level


def _decode_feature_level_record_v0(buf: Buffer, pos: int) -> tuple[FeatureLevelRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FeatureLevelRecord.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    feature_level, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return FeatureLevelRecord(name, feature_level), pos


def _encode_feature_level_record_v0(m: FeatureLevelRecord, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hx(m.feature_level)


_FEATURE_LEVEL_RECORD_DECODERS = {0: _decode_feature_level_record_v0}
_FEATURE_LEVEL_RECORD_ENCODERS = {0: _encode_feature_level_record_v0}


def decode_feature_level_record(buf: Buffer, pos: int, version: int) -> FeatureLevelRecord:
    try:
        message, pos = _FEATURE_LEVEL_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("FeatureLevelRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("FeatureLevelRecord", version, pos, len(buf))
    return message


def encode_feature_level_record(message: FeatureLevelRecord, version: int, out: Parts) -> None:
    if version not in _FEATURE_LEVEL_RECORD_ENCODERS:
        raise UnsupportedVersionError("FeatureLevelRecord", version)
    w = bytearray()
    _FEATURE_LEVEL_RECORD_ENCODERS[version](message, w)
    out.append(w)


class EntityData(Message):
    __slots__ = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ClientQuotaRecord(Message):
    __slots__ = ("entity", "key", "value", "remove")

    def __init__(
        self,
        entity: Sequence[EntityData] = (),
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.entity = entity
        self.key = key
        self.value = value
        self.remove = remove


def _decode_entity_data_v0(buf: Buffer, pos: int) -> tuple[EntityData, int]:
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
    return EntityData(entity_type, entity_name), pos


def _decode_client_quota_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ClientQuotaRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ClientQuotaRecord.entity")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ClientQuotaRecord.entity", n)
    budget[0] -= n
    entity = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v0(buf, pos)
        entity.append(entity_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ClientQuotaRecord.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    value, remove, n = _read_dtB(buf, pos)
    pos += 10
    if n:
        pos = skip_tags(buf, pos, n)
    return ClientQuotaRecord(entity, key, value, remove), pos


def _encode_entity_data_v0(m: EntityData, w: bytearray) -> None:
    put_compact_string(w, m.entity_type)
    put_compact_nullable_string(w, m.entity_name)
    w.append(0)


def _encode_client_quota_record_v0(m: ClientQuotaRecord, w: bytearray) -> None:
    n = len(m.entity)
    put_uvarint(w, n + 1)
    for entity_item in m.entity:
        _encode_entity_data_v0(entity_item, w)
    put_compact_string(w, m.key)
    w += _write_dtx(m.value, m.remove)


_CLIENT_QUOTA_RECORD_DECODERS = {0: _decode_client_quota_record_v0}
_CLIENT_QUOTA_RECORD_ENCODERS = {0: _encode_client_quota_record_v0}


def decode_client_quota_record(buf: Buffer, pos: int, version: int) -> ClientQuotaRecord:
    try:
        message, pos = _CLIENT_QUOTA_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ClientQuotaRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("ClientQuotaRecord", version, pos, len(buf))
    return message


def encode_client_quota_record(message: ClientQuotaRecord, version: int, out: Parts) -> None:
    if version not in _CLIENT_QUOTA_RECORD_ENCODERS:
        raise UnsupportedVersionError("ClientQuotaRecord", version)
    w = bytearray()
    _CLIENT_QUOTA_RECORD_ENCODERS[version](message, w)
    out.append(w)


class ProducerIdsRecord(Message):
    __slots__ = ("broker_id", "broker_epoch", "next_producer_id")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id


def _decode_producer_ids_record_v0(buf: Buffer, pos: int) -> tuple[ProducerIdsRecord, int]:
    broker_id, broker_epoch, next_producer_id, n = _read_iqqB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return ProducerIdsRecord(broker_id, broker_epoch, next_producer_id), pos


def _encode_producer_ids_record_v0(m: ProducerIdsRecord, w: bytearray) -> None:
    w += _write_iqqx(m.broker_id, m.broker_epoch, m.next_producer_id)


_PRODUCER_IDS_RECORD_DECODERS = {0: _decode_producer_ids_record_v0}
_PRODUCER_IDS_RECORD_ENCODERS = {0: _encode_producer_ids_record_v0}


def decode_producer_ids_record(buf: Buffer, pos: int, version: int) -> ProducerIdsRecord:
    try:
        message, pos = _PRODUCER_IDS_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ProducerIdsRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("ProducerIdsRecord", version, pos, len(buf))
    return message


def encode_producer_ids_record(message: ProducerIdsRecord, version: int, out: Parts) -> None:
    if version not in _PRODUCER_IDS_RECORD_ENCODERS:
        raise UnsupportedVersionError("ProducerIdsRecord", version)
    w = bytearray()
    _PRODUCER_IDS_RECORD_ENCODERS[version](message, w)
    out.append(w)


class BrokerRegistrationChangeRecord(Message):
    __slots__ = ("broker_id", "broker_epoch", "fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: Sequence[bytes] = (),
        cordoned_log_dirs: Sequence[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs


def _decode_broker_registration_change_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationChangeRecord, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    fenced: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerRegistrationChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (fenced,) = _read_b(buf, pos)
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerRegistrationChangeRecord", tag)
    return BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, 0, (), None), pos


def _decode_broker_registration_change_record_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationChangeRecord, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    fenced: int = 0
    in_controlled_shutdown: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerRegistrationChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (fenced,) = _read_b(buf, pos)
                pos += 1
            elif tag == 1:
                (in_controlled_shutdown,) = _read_b(buf, pos)
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerRegistrationChangeRecord", tag)
    return BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown, (), None), pos


def _decode_broker_registration_change_record_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationChangeRecord, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: list[bytes] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerRegistrationChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (fenced,) = _read_b(buf, pos)
                pos += 1
            elif tag == 1:
                (in_controlled_shutdown,) = _read_b(buf, pos)
                pos += 1
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("BrokerRegistrationChangeRecord.log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("BrokerRegistrationChangeRecord.log_dirs", n)
                budget[0] -= n
                log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerRegistrationChangeRecord", tag)
    return BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown, log_dirs, None), pos


def _decode_broker_registration_change_record_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[BrokerRegistrationChangeRecord, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: list[bytes] | tuple[()] = ()
    cordoned_log_dirs: list[bytes] | tuple[()] | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BrokerRegistrationChangeRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (fenced,) = _read_b(buf, pos)
                pos += 1
            elif tag == 1:
                (in_controlled_shutdown,) = _read_b(buf, pos)
                pos += 1
            elif tag == 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("BrokerRegistrationChangeRecord.log_dirs")
                n -= 1
                if n > budget[0] or n * 16 > len(buf) - pos:
                    raise count_error("BrokerRegistrationChangeRecord.log_dirs", n)
                budget[0] -= n
                log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                pos += n * 16
            elif tag == 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    cordoned_log_dirs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 16 > len(buf) - pos:
                        raise count_error("BrokerRegistrationChangeRecord.cordoned_log_dirs", n)
                    budget[0] -= n
                    cordoned_log_dirs = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]
                    pos += n * 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BrokerRegistrationChangeRecord", tag)
    return BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown, log_dirs, cordoned_log_dirs), pos


def _encode_broker_registration_change_record_v0(m: BrokerRegistrationChangeRecord, w: bytearray) -> None:
    if m.in_controlled_shutdown != 0:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.in_controlled_shutdown", "1+")
    if m.log_dirs:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.log_dirs", "2+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.cordoned_log_dirs", "3+")
    w += _write_iq(m.broker_id, m.broker_epoch)
    tags: Tags = []
    if m.fenced != 0:
        tags.append(b'\x00\x01' + _write_b(m.fenced))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_broker_registration_change_record_v1(m: BrokerRegistrationChangeRecord, w: bytearray) -> None:
    if m.log_dirs:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.log_dirs", "2+")
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.cordoned_log_dirs", "3+")
    w += _write_iq(m.broker_id, m.broker_epoch)
    tags: Tags = []
    if m.fenced != 0:
        tags.append(b'\x00\x01' + _write_b(m.fenced))
    if m.in_controlled_shutdown != 0:
        tags.append(b'\x01\x01' + _write_b(m.in_controlled_shutdown))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_broker_registration_change_record_v2(m: BrokerRegistrationChangeRecord, w: bytearray) -> None:
    if m.cordoned_log_dirs is not None:
        raise UnsupportedFieldError("BrokerRegistrationChangeRecord.cordoned_log_dirs", "3+")
    w += _write_iq(m.broker_id, m.broker_epoch)
    tags: Tags = []
    if m.fenced != 0:
        tags.append(b'\x00\x01' + _write_b(m.fenced))
    if m.in_controlled_shutdown != 0:
        tags.append(b'\x01\x01' + _write_b(m.in_controlled_shutdown))
    if m.log_dirs:
        t = bytearray()
        n = len(m.log_dirs)
        put_uvarint(t, n + 1)
        for log_dirs_item in m.log_dirs:
            t += _write_u(log_dirs_item)
        tags.append(tagged(2, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_broker_registration_change_record_v3(m: BrokerRegistrationChangeRecord, w: bytearray) -> None:
    w += _write_iq(m.broker_id, m.broker_epoch)
    tags: Tags = []
    if m.fenced != 0:
        tags.append(b'\x00\x01' + _write_b(m.fenced))
    if m.in_controlled_shutdown != 0:
        tags.append(b'\x01\x01' + _write_b(m.in_controlled_shutdown))
    if m.log_dirs:
        t = bytearray()
        n = len(m.log_dirs)
        put_uvarint(t, n + 1)
        for log_dirs_item in m.log_dirs:
            t += _write_u(log_dirs_item)
        tags.append(tagged(2, t))
    if m.cordoned_log_dirs is not None:
        t = bytearray()
        if m.cordoned_log_dirs is None:
            t.append(0)
        else:
            n = len(m.cordoned_log_dirs)
            put_uvarint(t, n + 1)
            for cordoned_log_dirs_item in m.cordoned_log_dirs:
                t += _write_u(cordoned_log_dirs_item)
        tags.append(tagged(3, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_BROKER_REGISTRATION_CHANGE_RECORD_DECODERS = {0: _decode_broker_registration_change_record_v0, 1: _decode_broker_registration_change_record_v1, 2: _decode_broker_registration_change_record_v2, 3: _decode_broker_registration_change_record_v3}
_BROKER_REGISTRATION_CHANGE_RECORD_ENCODERS = {0: _encode_broker_registration_change_record_v0, 1: _encode_broker_registration_change_record_v1, 2: _encode_broker_registration_change_record_v2, 3: _encode_broker_registration_change_record_v3}


def decode_broker_registration_change_record(buf: Buffer, pos: int, version: int) -> BrokerRegistrationChangeRecord:
    try:
        message, pos = _BROKER_REGISTRATION_CHANGE_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("BrokerRegistrationChangeRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("BrokerRegistrationChangeRecord", version, pos, len(buf))
    return message


def encode_broker_registration_change_record(message: BrokerRegistrationChangeRecord, version: int, out: Parts) -> None:
    if version not in _BROKER_REGISTRATION_CHANGE_RECORD_ENCODERS:
        raise UnsupportedVersionError("BrokerRegistrationChangeRecord", version)
    w = bytearray()
    _BROKER_REGISTRATION_CHANGE_RECORD_ENCODERS[version](message, w)
    out.append(w)


class AccessControlEntryRecord(Message):
    __slots__ = ("id", "resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission_type")

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 0,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


def _decode_access_control_entry_record_v0(buf: Buffer, pos: int) -> tuple[AccessControlEntryRecord, int]:
    id, resource_type, n = _read_ubB(buf, pos)
    pos += 18
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AccessControlEntryRecord.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    pattern_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AccessControlEntryRecord.principal")
    end = pos + n - 1
    principal = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AccessControlEntryRecord.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type, n = _read_bbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return AccessControlEntryRecord(id, resource_type, resource_name, pattern_type, principal, host, operation, permission_type), pos


def _encode_access_control_entry_record_v0(m: AccessControlEntryRecord, w: bytearray) -> None:
    w += _write_ub(m.id, m.resource_type)
    put_compact_string(w, m.resource_name)
    w += _write_b(m.pattern_type)
    put_compact_string(w, m.principal)
    put_compact_string(w, m.host)
    w += _write_bbx(m.operation, m.permission_type)


_ACCESS_CONTROL_ENTRY_RECORD_DECODERS = {0: _decode_access_control_entry_record_v0}
_ACCESS_CONTROL_ENTRY_RECORD_ENCODERS = {0: _encode_access_control_entry_record_v0}


def decode_access_control_entry_record(buf: Buffer, pos: int, version: int) -> AccessControlEntryRecord:
    try:
        message, pos = _ACCESS_CONTROL_ENTRY_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AccessControlEntryRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("AccessControlEntryRecord", version, pos, len(buf))
    return message


def encode_access_control_entry_record(message: AccessControlEntryRecord, version: int, out: Parts) -> None:
    if version not in _ACCESS_CONTROL_ENTRY_RECORD_ENCODERS:
        raise UnsupportedVersionError("AccessControlEntryRecord", version)
    w = bytearray()
    _ACCESS_CONTROL_ENTRY_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoveAccessControlEntryRecord(Message):
    __slots__ = ("id",)

    def __init__(
        self,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.id = id


def _decode_remove_access_control_entry_record_v0(buf: Buffer, pos: int) -> tuple[RemoveAccessControlEntryRecord, int]:
    id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveAccessControlEntryRecord(id), pos


def _encode_remove_access_control_entry_record_v0(m: RemoveAccessControlEntryRecord, w: bytearray) -> None:
    w += _write_ux(m.id)


_REMOVE_ACCESS_CONTROL_ENTRY_RECORD_DECODERS = {0: _decode_remove_access_control_entry_record_v0}
_REMOVE_ACCESS_CONTROL_ENTRY_RECORD_ENCODERS = {0: _encode_remove_access_control_entry_record_v0}


def decode_remove_access_control_entry_record(buf: Buffer, pos: int, version: int) -> RemoveAccessControlEntryRecord:
    try:
        message, pos = _REMOVE_ACCESS_CONTROL_ENTRY_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveAccessControlEntryRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoveAccessControlEntryRecord", version, pos, len(buf))
    return message


def encode_remove_access_control_entry_record(message: RemoveAccessControlEntryRecord, version: int, out: Parts) -> None:
    if version not in _REMOVE_ACCESS_CONTROL_ENTRY_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoveAccessControlEntryRecord", version)
    w = bytearray()
    _REMOVE_ACCESS_CONTROL_ENTRY_RECORD_ENCODERS[version](message, w)
    out.append(w)


class NoOpRecord(Message):
    __slots__ = ()


def _decode_no_op_record_v0(buf: Buffer, pos: int) -> tuple[NoOpRecord, int]:
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return NoOpRecord(), pos


def _encode_no_op_record_v0(m: NoOpRecord, w: bytearray) -> None:
    w.append(0)


_NO_OP_RECORD_DECODERS = {0: _decode_no_op_record_v0}
_NO_OP_RECORD_ENCODERS = {0: _encode_no_op_record_v0}


def decode_no_op_record(buf: Buffer, pos: int, version: int) -> NoOpRecord:
    try:
        message, pos = _NO_OP_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("NoOpRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("NoOpRecord", version, pos, len(buf))
    return message


def encode_no_op_record(message: NoOpRecord, version: int, out: Parts) -> None:
    if version not in _NO_OP_RECORD_ENCODERS:
        raise UnsupportedVersionError("NoOpRecord", version)
    w = bytearray()
    _NO_OP_RECORD_ENCODERS[version](message, w)
    out.append(w)


class ZkMigrationStateRecord(Message):
    __slots__ = ("zk_migration_state",)

    def __init__(
        self,
        zk_migration_state: int = 0,
    ) -> None:
        self.zk_migration_state = zk_migration_state


def _decode_zk_migration_state_record_v0(buf: Buffer, pos: int) -> tuple[ZkMigrationStateRecord, int]:
    zk_migration_state, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return ZkMigrationStateRecord(zk_migration_state), pos


def _encode_zk_migration_state_record_v0(m: ZkMigrationStateRecord, w: bytearray) -> None:
    w += _write_bx(m.zk_migration_state)


_ZK_MIGRATION_STATE_RECORD_DECODERS = {0: _decode_zk_migration_state_record_v0}
_ZK_MIGRATION_STATE_RECORD_ENCODERS = {0: _encode_zk_migration_state_record_v0}


def decode_zk_migration_state_record(buf: Buffer, pos: int, version: int) -> ZkMigrationStateRecord:
    try:
        message, pos = _ZK_MIGRATION_STATE_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ZkMigrationStateRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("ZkMigrationStateRecord", version, pos, len(buf))
    return message


def encode_zk_migration_state_record(message: ZkMigrationStateRecord, version: int, out: Parts) -> None:
    if version not in _ZK_MIGRATION_STATE_RECORD_ENCODERS:
        raise UnsupportedVersionError("ZkMigrationStateRecord", version)
    w = bytearray()
    _ZK_MIGRATION_STATE_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoveUserScramCredentialRecord(Message):
    __slots__ = ("name", "mechanism")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism


def _decode_remove_user_scram_credential_record_v0(buf: Buffer, pos: int) -> tuple[RemoveUserScramCredentialRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("RemoveUserScramCredentialRecord.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    mechanism, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveUserScramCredentialRecord(name, mechanism), pos


def _encode_remove_user_scram_credential_record_v0(m: RemoveUserScramCredentialRecord, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_bx(m.mechanism)


_REMOVE_USER_SCRAM_CREDENTIAL_RECORD_DECODERS = {0: _decode_remove_user_scram_credential_record_v0}
_REMOVE_USER_SCRAM_CREDENTIAL_RECORD_ENCODERS = {0: _encode_remove_user_scram_credential_record_v0}


def decode_remove_user_scram_credential_record(buf: Buffer, pos: int, version: int) -> RemoveUserScramCredentialRecord:
    try:
        message, pos = _REMOVE_USER_SCRAM_CREDENTIAL_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveUserScramCredentialRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoveUserScramCredentialRecord", version, pos, len(buf))
    return message


def encode_remove_user_scram_credential_record(message: RemoveUserScramCredentialRecord, version: int, out: Parts) -> None:
    if version not in _REMOVE_USER_SCRAM_CREDENTIAL_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoveUserScramCredentialRecord", version)
    w = bytearray()
    _REMOVE_USER_SCRAM_CREDENTIAL_RECORD_ENCODERS[version](message, w)
    out.append(w)


class BeginTransactionRecord(Message):
    __slots__ = ("name",)

    def __init__(
        self,
        name: str | None = None,
    ) -> None:
        self.name = name


def _decode_begin_transaction_record_v0(buf: Buffer, pos: int) -> tuple[BeginTransactionRecord, int]:
    n = buf[pos]
    pos += 1
    name: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("BeginTransactionRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                if not n:
                    name = None
                else:
                    end = pos + n - 1
                    name = buf[pos:end].decode()
                    pos = end
            else:
                pos = stop
            if pos != stop:
                raise tag_error("BeginTransactionRecord", tag)
    return BeginTransactionRecord(name), pos


def _encode_begin_transaction_record_v0(m: BeginTransactionRecord, w: bytearray) -> None:
    tags: Tags = []
    if m.name is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.name)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_BEGIN_TRANSACTION_RECORD_DECODERS = {0: _decode_begin_transaction_record_v0}
_BEGIN_TRANSACTION_RECORD_ENCODERS = {0: _encode_begin_transaction_record_v0}


def decode_begin_transaction_record(buf: Buffer, pos: int, version: int) -> BeginTransactionRecord:
    try:
        message, pos = _BEGIN_TRANSACTION_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("BeginTransactionRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("BeginTransactionRecord", version, pos, len(buf))
    return message


def encode_begin_transaction_record(message: BeginTransactionRecord, version: int, out: Parts) -> None:
    if version not in _BEGIN_TRANSACTION_RECORD_ENCODERS:
        raise UnsupportedVersionError("BeginTransactionRecord", version)
    w = bytearray()
    _BEGIN_TRANSACTION_RECORD_ENCODERS[version](message, w)
    out.append(w)


class EndTransactionRecord(Message):
    __slots__ = ()


def _decode_end_transaction_record_v0(buf: Buffer, pos: int) -> tuple[EndTransactionRecord, int]:
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndTransactionRecord(), pos


def _encode_end_transaction_record_v0(m: EndTransactionRecord, w: bytearray) -> None:
    w.append(0)


_END_TRANSACTION_RECORD_DECODERS = {0: _decode_end_transaction_record_v0}
_END_TRANSACTION_RECORD_ENCODERS = {0: _encode_end_transaction_record_v0}


def decode_end_transaction_record(buf: Buffer, pos: int, version: int) -> EndTransactionRecord:
    try:
        message, pos = _END_TRANSACTION_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EndTransactionRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("EndTransactionRecord", version, pos, len(buf))
    return message


def encode_end_transaction_record(message: EndTransactionRecord, version: int, out: Parts) -> None:
    if version not in _END_TRANSACTION_RECORD_ENCODERS:
        raise UnsupportedVersionError("EndTransactionRecord", version)
    w = bytearray()
    _END_TRANSACTION_RECORD_ENCODERS[version](message, w)
    out.append(w)


class AbortTransactionRecord(Message):
    __slots__ = ("reason",)

    def __init__(
        self,
        reason: str | None = None,
    ) -> None:
        self.reason = reason


def _decode_abort_transaction_record_v0(buf: Buffer, pos: int) -> tuple[AbortTransactionRecord, int]:
    n = buf[pos]
    pos += 1
    reason: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("AbortTransactionRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                if not n:
                    reason = None
                else:
                    end = pos + n - 1
                    reason = buf[pos:end].decode()
                    pos = end
            else:
                pos = stop
            if pos != stop:
                raise tag_error("AbortTransactionRecord", tag)
    return AbortTransactionRecord(reason), pos


def _encode_abort_transaction_record_v0(m: AbortTransactionRecord, w: bytearray) -> None:
    tags: Tags = []
    if m.reason is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.reason)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_ABORT_TRANSACTION_RECORD_DECODERS = {0: _decode_abort_transaction_record_v0}
_ABORT_TRANSACTION_RECORD_ENCODERS = {0: _encode_abort_transaction_record_v0}


def decode_abort_transaction_record(buf: Buffer, pos: int, version: int) -> AbortTransactionRecord:
    try:
        message, pos = _ABORT_TRANSACTION_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("AbortTransactionRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("AbortTransactionRecord", version, pos, len(buf))
    return message


def encode_abort_transaction_record(message: AbortTransactionRecord, version: int, out: Parts) -> None:
    if version not in _ABORT_TRANSACTION_RECORD_ENCODERS:
        raise UnsupportedVersionError("AbortTransactionRecord", version)
    w = bytearray()
    _ABORT_TRANSACTION_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoveDelegationTokenRecord(Message):
    __slots__ = ("token_id",)

    def __init__(
        self,
        token_id: str = "",
    ) -> None:
        self.token_id = token_id


def _decode_remove_delegation_token_record_v0(buf: Buffer, pos: int) -> tuple[RemoveDelegationTokenRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("RemoveDelegationTokenRecord.token_id")
    end = pos + n - 1
    token_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoveDelegationTokenRecord(token_id), pos


def _encode_remove_delegation_token_record_v0(m: RemoveDelegationTokenRecord, w: bytearray) -> None:
    put_compact_string(w, m.token_id)
    w.append(0)


_REMOVE_DELEGATION_TOKEN_RECORD_DECODERS = {0: _decode_remove_delegation_token_record_v0}
_REMOVE_DELEGATION_TOKEN_RECORD_ENCODERS = {0: _encode_remove_delegation_token_record_v0}


def decode_remove_delegation_token_record(buf: Buffer, pos: int, version: int) -> RemoveDelegationTokenRecord:
    try:
        message, pos = _REMOVE_DELEGATION_TOKEN_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoveDelegationTokenRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoveDelegationTokenRecord", version, pos, len(buf))
    return message


def encode_remove_delegation_token_record(message: RemoveDelegationTokenRecord, version: int, out: Parts) -> None:
    if version not in _REMOVE_DELEGATION_TOKEN_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoveDelegationTokenRecord", version)
    w = bytearray()
    _REMOVE_DELEGATION_TOKEN_RECORD_ENCODERS[version](message, w)
    out.append(w)


class ControllerEndpoint(Message):
    __slots__ = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class ControllerFeature(Message):
    __slots__ = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class RegisterControllerRecord(Message):
    __slots__ = ("controller_id", "incarnation_id", "zk_migration_ready", "end_points", "features")

    def __init__(
        self,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        end_points: Sequence[ControllerEndpoint] = (),
        features: Sequence[ControllerFeature] = (),
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.end_points = end_points
        self.features = features


def _decode_controller_endpoint_v0(buf: Buffer, pos: int) -> tuple[ControllerEndpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ControllerEndpoint.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ControllerEndpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, security_protocol, n = _read_HhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ControllerEndpoint(name, host, port, security_protocol), pos


def _decode_controller_feature_v0(buf: Buffer, pos: int) -> tuple[ControllerFeature, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ControllerFeature.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ControllerFeature(name, min_supported_version, max_supported_version), pos


def _decode_register_controller_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[RegisterControllerRecord, int]:
    controller_id, incarnation_id, zk_migration_ready, n = _read_iutB(buf, pos)
    pos += 22
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterControllerRecord.end_points")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("RegisterControllerRecord.end_points", n)
    budget[0] -= n
    end_points = []
    for _ in range(n):
        end_points_item, pos = _decode_controller_endpoint_v0(buf, pos)
        end_points.append(end_points_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RegisterControllerRecord.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("RegisterControllerRecord.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_controller_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return RegisterControllerRecord(controller_id, incarnation_id, zk_migration_ready, end_points, features), pos


def _encode_controller_endpoint_v0(m: ControllerEndpoint, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hhx(m.port, m.security_protocol)


def _encode_controller_feature_v0(m: ControllerFeature, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_register_controller_record_v0(m: RegisterControllerRecord, w: bytearray) -> None:
    w += _write_iut(m.controller_id, m.incarnation_id, m.zk_migration_ready)
    n = len(m.end_points)
    put_uvarint(w, n + 1)
    for end_points_item in m.end_points:
        _encode_controller_endpoint_v0(end_points_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_controller_feature_v0(features_item, w)
    w.append(0)


_REGISTER_CONTROLLER_RECORD_DECODERS = {0: _decode_register_controller_record_v0}
_REGISTER_CONTROLLER_RECORD_ENCODERS = {0: _encode_register_controller_record_v0}


def decode_register_controller_record(buf: Buffer, pos: int, version: int) -> RegisterControllerRecord:
    try:
        message, pos = _REGISTER_CONTROLLER_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("RegisterControllerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RegisterControllerRecord", version, pos, len(buf))
    return message


def encode_register_controller_record(message: RegisterControllerRecord, version: int, out: Parts) -> None:
    if version not in _REGISTER_CONTROLLER_RECORD_ENCODERS:
        raise UnsupportedVersionError("RegisterControllerRecord", version)
    w = bytearray()
    _REGISTER_CONTROLLER_RECORD_ENCODERS[version](message, w)
    out.append(w)


class ClearElrRecord(Message):
    __slots__ = ("topic_name",)

    def __init__(
        self,
        topic_name: str = "",
    ) -> None:
        self.topic_name = topic_name


def _decode_clear_elr_record_v0(buf: Buffer, pos: int) -> tuple[ClearElrRecord, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ClearElrRecord.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ClearElrRecord(topic_name), pos


def _encode_clear_elr_record_v0(m: ClearElrRecord, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w.append(0)


_CLEAR_ELR_RECORD_DECODERS = {0: _decode_clear_elr_record_v0}
_CLEAR_ELR_RECORD_ENCODERS = {0: _encode_clear_elr_record_v0}


def decode_clear_elr_record(buf: Buffer, pos: int, version: int) -> ClearElrRecord:
    try:
        message, pos = _CLEAR_ELR_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ClearElrRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("ClearElrRecord", version, pos, len(buf))
    return message


def encode_clear_elr_record(message: ClearElrRecord, version: int, out: Parts) -> None:
    if version not in _CLEAR_ELR_RECORD_ENCODERS:
        raise UnsupportedVersionError("ClearElrRecord", version)
    w = bytearray()
    _CLEAR_ELR_RECORD_ENCODERS[version](message, w)
    out.append(w)


class UnregisterControllerRecord(Message):
    __slots__ = ("controller_id",)

    def __init__(
        self,
        controller_id: int = 0,
    ) -> None:
        self.controller_id = controller_id


def _decode_unregister_controller_record_v0(buf: Buffer, pos: int) -> tuple[UnregisterControllerRecord, int]:
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return UnregisterControllerRecord(controller_id), pos


def _encode_unregister_controller_record_v0(m: UnregisterControllerRecord, w: bytearray) -> None:
    w += _write_ix(m.controller_id)


_UNREGISTER_CONTROLLER_RECORD_DECODERS = {0: _decode_unregister_controller_record_v0}
_UNREGISTER_CONTROLLER_RECORD_ENCODERS = {0: _encode_unregister_controller_record_v0}


def decode_unregister_controller_record(buf: Buffer, pos: int, version: int) -> UnregisterControllerRecord:
    try:
        message, pos = _UNREGISTER_CONTROLLER_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UnregisterControllerRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("UnregisterControllerRecord", version, pos, len(buf))
    return message


def encode_unregister_controller_record(message: UnregisterControllerRecord, version: int, out: Parts) -> None:
    if version not in _UNREGISTER_CONTROLLER_RECORD_ENCODERS:
        raise UnsupportedVersionError("UnregisterControllerRecord", version)
    w = bytearray()
    _UNREGISTER_CONTROLLER_RECORD_ENCODERS[version](message, w)
    out.append(w)


# API key -> class, decode, encode, highest version.
RECORDS: RecordTable = {
    0: (RegisterBrokerRecord, decode_register_broker_record, encode_register_broker_record, 4),
    1: (UnregisterBrokerRecord, decode_unregister_broker_record, encode_unregister_broker_record, 0),
    2: (TopicRecord, decode_topic_record, encode_topic_record, 0),
    3: (PartitionRecord, decode_partition_record, encode_partition_record, 2),
    4: (ConfigRecord, decode_config_record, encode_config_record, 0),
    5: (PartitionChangeRecord, decode_partition_change_record, encode_partition_change_record, 2),
    7: (FenceBrokerRecord, decode_fence_broker_record, encode_fence_broker_record, 0),
    8: (UnfenceBrokerRecord, decode_unfence_broker_record, encode_unfence_broker_record, 0),
    9: (RemoveTopicRecord, decode_remove_topic_record, encode_remove_topic_record, 0),
    10: (DelegationTokenRecord, decode_delegation_token_record, encode_delegation_token_record, 0),
    11: (UserScramCredentialRecord, decode_user_scram_credential_record, encode_user_scram_credential_record, 0),
    12: (FeatureLevelRecord, decode_feature_level_record, encode_feature_level_record, 0),
    14: (ClientQuotaRecord, decode_client_quota_record, encode_client_quota_record, 0),
    15: (ProducerIdsRecord, decode_producer_ids_record, encode_producer_ids_record, 0),
    17: (BrokerRegistrationChangeRecord, decode_broker_registration_change_record, encode_broker_registration_change_record, 3),
    18: (AccessControlEntryRecord, decode_access_control_entry_record, encode_access_control_entry_record, 0),
    19: (RemoveAccessControlEntryRecord, decode_remove_access_control_entry_record, encode_remove_access_control_entry_record, 0),
    20: (NoOpRecord, decode_no_op_record, encode_no_op_record, 0),
    21: (ZkMigrationStateRecord, decode_zk_migration_state_record, encode_zk_migration_state_record, 0),
    22: (RemoveUserScramCredentialRecord, decode_remove_user_scram_credential_record, encode_remove_user_scram_credential_record, 0),
    23: (BeginTransactionRecord, decode_begin_transaction_record, encode_begin_transaction_record, 0),
    24: (EndTransactionRecord, decode_end_transaction_record, encode_end_transaction_record, 0),
    25: (AbortTransactionRecord, decode_abort_transaction_record, encode_abort_transaction_record, 0),
    26: (RemoveDelegationTokenRecord, decode_remove_delegation_token_record, encode_remove_delegation_token_record, 0),
    27: (RegisterControllerRecord, decode_register_controller_record, encode_register_controller_record, 0),
    28: (ClearElrRecord, decode_clear_elr_record, encode_clear_elr_record, 0),
    29: (UnregisterControllerRecord, decode_unregister_controller_record, encode_unregister_controller_record, 0),
}

_KEYS = {row[0]: key for key, row in RECORDS.items()}


def decode_metadata_record(value: Buffer) -> Message:
    """Read a record's value: Kafka's frame (version 1, API key, record version) and the record."""
    return decode_framed(RECORDS, value)


def encode_metadata_record(message: Message, version: int | None = None) -> bytes:
    """Write a record's value, by default in its highest version."""
    return encode_framed(RECORDS, _KEYS[type(message)], message, version)
