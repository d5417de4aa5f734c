"""Record batches of the metadata log: metadata records, and the control records of the quorum."""

from kafkacompat.protocol.internal.cluster_metadata import (
    BrokerRegistrationChangeRecord,
    RegisterBrokerRecord,
    decode_metadata_record,
    encode_metadata_record,
)
from kafkacompat.protocol.internal.control_records import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
    decode_kraft_version_record,
    decode_leader_change_message,
    decode_snapshot_footer_record,
    decode_snapshot_header_record,
    decode_voters_record,
    encode_kraft_version_record,
    encode_leader_change_message,
    encode_snapshot_footer_record,
    encode_snapshot_header_record,
    encode_voters_record,
)
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import CorruptBatchError, RecordBatchError, check_crc
from kafkacompat.protocol.records.builder import Record, build_batch, build_value_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.steps import UNITS_PER_STEP, at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message, Parts
    from kafkacompat.protocol.records.batch import BatchHeader, Buffer
    from kafkacompat.steps import Steps

CONTROL_RECORD_VERSION = 0

# Kind of control record -> class, decode, encode.
_CONTROL: "dict[int, tuple[type[Message], Callable[..., Message], Callable[[Any, int, Parts], None]]]" = {
    control.LEADER_CHANGE: (LeaderChangeMessage, decode_leader_change_message, encode_leader_change_message),
    control.SNAPSHOT_HEADER: (SnapshotHeaderRecord, decode_snapshot_header_record, encode_snapshot_header_record),
    control.SNAPSHOT_FOOTER: (SnapshotFooterRecord, decode_snapshot_footer_record, encode_snapshot_footer_record),
    control.KRAFT_VERSION: (KRaftVersionRecord, decode_kraft_version_record, encode_kraft_version_record),
    control.KRAFT_VOTERS: (VotersRecord, decode_voters_record, encode_voters_record),
}
_KINDS = {row[0]: kind for kind, row in _CONTROL.items()}


class DamagedLogError(Exception):
    """The metadata log or a snapshot contains bytes that are no valid batch."""


class MetadataBatch:
    """The records of one batch: metadata records, or control records of the quorum."""

    __slots__ = ("epoch", "is_control", "last_offset", "records")

    def __init__(self, last_offset: int, epoch: int, records: "list[Message]", *, is_control: bool) -> None:
        self.last_offset = last_offset
        self.epoch = epoch
        self.records = records
        self.is_control = is_control


def metadata_batch(values: "Sequence[bytes]", now_ms: int, *, base_offset: int, epoch: int) -> bytearray:
    """A batch of metadata records, each encoded by `encode_record`."""
    return build_value_batch(values, now_ms, base_offset=base_offset, leader_epoch=epoch)


def control_batch(records: "Sequence[Message]", now_ms: int, *, base_offset: int, epoch: int) -> bytearray:
    """A batch of control records."""
    pairs = [_encode_control(record) for record in records]
    found = [Record(base_offset + n, now_ms, key, value) for n, (key, value) in enumerate(pairs)]
    return build_batch(found, base_offset=base_offset, leader_epoch=epoch, is_control=True)


def _encode_control(record: "Message") -> tuple[bytes, bytes]:
    kind = _KINDS[type(record)]
    parts: Parts = []
    _CONTROL[kind][2](record, CONTROL_RECORD_VERSION, parts)
    return control.encode_key(kind), b"".join(parts)


def encode_record(record: "Message") -> bytes:
    """Encode a metadata record in the lowest version that holds it, as far as metadata.version 29 and 30 differ: so
    Apache Kafka 4.2 can read what is written at its level.
    """
    version = None
    if isinstance(record, RegisterBrokerRecord):
        version = 3 if record.cordoned_log_dirs is None else 4
    elif isinstance(record, BrokerRegistrationChangeRecord):
        if record.cordoned_log_dirs is not None:
            version = 3
        elif record.log_dirs:
            version = 2
        else:
            version = 1 if record.in_controlled_shutdown else 0
    return encode_metadata_record(record, version)


def decode(header: "BatchHeader", buf: "Buffer", pos: int = 0) -> MetadataBatch:
    """Decode the batch at `pos`. Raises DamagedLogError."""
    return at_once(decode_in_steps(header, buf, pos))


def decode_in_steps(header: "BatchHeader", buf: "Buffer", pos: int = 0) -> "Steps[MetadataBatch]":
    """Decode the batch at `pos` in steps. Raises DamagedLogError."""
    found: list[Message] = []
    try:
        if not check_crc(buf, pos, header.size_bytes):
            raise CorruptBatchError("the checksum is wrong")
        for record in read_records(buf, pos, header):
            found.append(_decode(record, is_control=header.is_control))
            if len(found) % UNITS_PER_STEP == 0:
                yield UNITS_PER_STEP // 2
    except (RecordBatchError, MalformedMessageError) as error:
        raise DamagedLogError(f"batch at offset {header.base_offset}: {error}") from error
    last_offset = header.base_offset + header.last_offset_delta
    return MetadataBatch(last_offset, header.leader_epoch, found, is_control=header.is_control)


def _decode(record: Record, *, is_control: bool) -> "Message":
    if record.value is None:
        raise CorruptBatchError(f"the record at offset {record.offset} has no value")
    if not is_control:
        return decode_metadata_record(record.value)
    kind = control.decode_key(record.key)
    if kind not in _CONTROL:
        raise CorruptBatchError(f"unknown kind of control record: {kind}")
    version = int.from_bytes(record.value[:2], "big")
    return _CONTROL[kind][1](record.value, 0, version)
