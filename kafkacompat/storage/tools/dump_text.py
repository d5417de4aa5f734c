"""The files of a log as Apache Kafka's DumpLogSegments prints them, line for line. A file is read batch by batch."""

from kafkacompat.protocol.constants import NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.protocol.internal import control_records
from kafkacompat.protocol.message_json import json_text, write_json
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import (
    BatchHeader,
    CorruptBatchError,
    check_crc,
    increment_sequence,
)
from kafkacompat.protocol.records.compression import NAMES as CODEC_NAMES
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage import scan
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.record_decoders import shown_text
from kafkacompat.storage.segment import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from kafkacompat.storage.tools.dump import file_kind, used_entries
from kafkacompat.storage.tools.dump_index_text import index_lines, time_index_lines
from kafkacompat.storage.tools.dump_options import EVERYTHING
from kafkacompat.storage.txn_index import TxnIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kafkacompat.protocol.records.builder import Record
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.tools.dump_findings import Findings
    from kafkacompat.storage.tools.dump_options import DumpOptions

_BOOTSTRAP = "bootstrap.checkpoint"
_CONTROL_VALUES = {
    control.LEADER_CHANGE: ("LeaderChange:", control_records.decode_leader_change_message, 0),
    control.SNAPSHOT_HEADER: ("SnapshotHeader", control_records.decode_snapshot_header_record, 0),
    control.SNAPSHOT_FOOTER: ("SnapshotFooter", control_records.decode_snapshot_footer_record, 0),
    control.KRAFT_VERSION: ("KRaftVersion", control_records.decode_kraft_version_record, 0),
    control.KRAFT_VOTERS: ("KRaftVoters", control_records.decode_voters_record, 0),
}
"""Of the kinds that only KRaft writes: what is printed before the value, and how it is read."""


def dump_text(fs: "Fs", path: str, options: "DumpOptions", findings: "Findings") -> "Iterator[str]":
    """The lines for the file at ``path``, the first of which names it. What does not fit together goes to ``findings``.

    Raises ValueError for a name that is none of a log's files, RecordBatchError, CorruptIndexError and
    CorruptSnapshotError for a file that cannot be read on, and OSError.
    """
    yield f"Dumping {path}"
    suffix, base_offset = file_kind(path)
    if suffix == INDEX_SUFFIX:
        yield from index_lines(fs, path, base_offset, options, findings)
    elif suffix == TIME_INDEX_SUFFIX:
        yield from time_index_lines(fs, path, base_offset, options, findings)
    elif suffix == TXN_INDEX_SUFFIX:
        yield from _txn_index(fs, path)
    elif suffix == SNAPSHOT_SUFFIX:
        yield from _producers(fs, path, base_offset)
    else:
        yield _first_line(path, suffix, base_offset)
        yield from _batches(fs, path, options, findings)


def _first_line(path: str, suffix: str, offset: int) -> str:
    if suffix == LOG_SUFFIX:
        return f"Log starting offset: {offset}"
    name = path.rpartition("/")[2]
    if name == _BOOTSTRAP:
        return "KRaft bootstrap snapshot"
    return f"Snapshot end offset: {offset}, epoch: {int(name.partition('-')[2].partition('.')[0])}"


def _batches(fs: "Fs", path: str, options: "DumpOptions", findings: "Findings") -> "Iterator[str]":
    file = fs.open(path)
    try:
        size_bytes = file.size()
        valid_bytes = 0
        last_offset = UNKNOWN_OFFSET
        end = min(size_bytes, options.max_bytes)
        for position, header, batch in scan.batches(file, 0, end):
            is_valid = check_crc(batch, 0, header.size_bytes)
            if not is_valid:
                findings.is_bad = True
            yield _batch_line(position, header, is_valid=is_valid)
            if options.is_deep:
                for record in read_records(batch, 0, header):
                    if record.offset != last_offset + 1:
                        findings.gap(path, last_offset, record.offset)
                    last_offset = record.offset
                    yield _record_line(header, record, options)
            valid_bytes = position + header.size_bytes
        if end > valid_bytes and options.max_bytes == EVERYTHING:
            findings.is_bad = True
            yield f"Found {end - valid_bytes} invalid bytes at the end of {path.rpartition('/')[2]}"
    finally:
        file.close()


def _batch_line(position: int, header: BatchHeader, *, is_valid: bool) -> str:
    if header.compression >= len(CODEC_NAMES):
        raise CorruptBatchError(f"position {position}: unknown compression codec {header.compression}")
    return (
        f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} count: {header.record_count}"
        f" baseSequence: {header.base_sequence} lastSequence: {header.last_sequence}"
        f" producerId: {header.producer_id} producerEpoch: {header.producer_epoch}"
        f" partitionLeaderEpoch: {header.leader_epoch} isTransactional: {_bool(header.is_transactional)}"
        f" isControl: {_bool(header.is_control)}"
        f" deleteHorizonMs: {_optional(header.base_timestamp if header.has_delete_horizon else NO_TIMESTAMP)}"
        f" position: {position} {_timestamp_type(header)}: {header.max_timestamp} size: {header.size_bytes}"
        f" magic: {header.magic} compresscodec: {CODEC_NAMES[header.compression]} crc: {header.crc}"
        f" isvalid: {_bool(is_valid)}"
    )


def _record_line(header: BatchHeader, record: "Record", options: "DumpOptions") -> str:
    line = ""
    if not options.skips_record_metadata:
        sequence = header.base_sequence
        if sequence >= 0:
            sequence = increment_sequence(sequence, record.offset - header.base_offset)
        line = (
            f"| offset: {record.offset} {_timestamp_type(header)}: {record.timestamp}"
            f" keySize: {_size(record.key)} valueSize: {_size(record.value)} sequence: {sequence}"
            f" headerKeys: [{','.join(_shown_name(name) for name, _ in record.headers)}]"
        )
        if header.is_control:
            line += _control_text(record)
    if options.decoder is not None and not header.is_control:
        key, value = options.decoder(record)
        prefix = "| " if options.skips_record_metadata else " "
        if key is not None:
            line += f"{prefix}key: {shown_text(key)}"
            prefix = " "
        if value is not None:
            line += f"{prefix}payload: {shown_text(value)}"
    return line


def _control_text(record: "Record") -> str:
    kind = control.decode_key(record.key)
    if kind in (control.ABORT, control.COMMIT):
        epoch = control.decode_end_transaction(record.value)
        return f" endTxnMarker: {control.NAMES[kind]} coordinatorEpoch: {epoch}"
    if kind not in _CONTROL_VALUES:
        return f" controlType: UNKNOWN({kind})"
    name, decode, version = _CONTROL_VALUES[kind]
    try:
        message: Any = decode(record.value or b"", 0, version)
    except MalformedMessageError as error:
        raise CorruptBatchError(f"offset {record.offset}: {error}") from None
    return f" {name} {json_text(write_json('control_records', message, message.version))}"


def _producers(fs: "Fs", path: str, end_offset: int) -> "Iterator[str]":
    for entry in ProducerState.decode(fs.read_bytes(path), end_offset).entries.values():
        line = (
            f"producerId: {entry.producer_id} producerEpoch: {entry.epoch} coordinatorEpoch: {entry.coordinator_epoch}"
            f" currentTxnFirstOffset: {_optional(entry.transaction_first_offset)}"
            f" lastTimestamp: {entry.last_timestamp_ms}"
        )
        for batch in entry.batches:
            line += (
                f" firstSequence: {batch.first_sequence} lastSequence: {batch.last_sequence}"
                f" lastOffset: {batch.last_offset} offsetDelta: {batch.last_offset - batch.first_offset}"
                f" timestamp: {batch.timestamp_ms}"
            )
        yield line


def _txn_index(fs: "Fs", path: str) -> "Iterator[str]":
    names = ("version", "producerId", "firstOffset", "lastOffset", "lastStableOffset")
    for entry in used_entries(fs, path, TxnIndex.layout):
        yield " ".join(f"{name}: {number}" for name, number in zip(names, entry, strict=True))


def _timestamp_type(header: BatchHeader) -> str:
    return "LogAppendTime" if header.is_log_append_time else "CreateTime"


def _shown_name(name: str) -> str:
    """The name of a header, with Java's replacement of what is no UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _size(content: bytes | None) -> int:
    return -1 if content is None else len(content)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _optional(value: int) -> str:
    """A number as Java prints an OptionalLong that is empty below 0."""
    return f"OptionalLong[{value}]" if value >= 0 else "OptionalLong.empty"
