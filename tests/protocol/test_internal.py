"""The framing of records in Kafka's internal topics, with bytes from logs of Apache Kafka 4.3.1."""

import pytest

from kafkacompat.protocol.internal import (
    cluster_metadata,
    consumer_offsets,
    control_records,
    producer_snapshot,
    share_group_state,
    transaction_state,
)
from kafkacompat.protocol.internal.framing import UnknownRecordTypeError
from kafkacompat.protocol.primitives import MalformedMessageError, Message
from tests.protocol.random_messages import record_kinds

BEGIN = b"\x01\x17\x00" + b"\x01\x00\x12\x12Bootstrap records"
FEATURE = b"\x01\x0c\x00" + b"\x11metadata.version\x00\x1e\x00"
CONFIG = b"\x01\x04\x00" + b"\x04\x01\x14min.insync.replicas\x022\x00"
NO_OP = b"\x01\x14\x00\x00"


@pytest.mark.parametrize(
    ("value", "record"),
    [
        (BEGIN, cluster_metadata.BeginTransactionRecord("Bootstrap records")),
        (FEATURE, cluster_metadata.FeatureLevelRecord("metadata.version", 30)),
        (CONFIG, cluster_metadata.ConfigRecord(4, "", "min.insync.replicas", "2")),
        (NO_OP, cluster_metadata.NoOpRecord()),
    ],
)
def test_metadata_records(value: bytes, record: Message) -> None:
    assert cluster_metadata.decode_metadata_record(value) == record
    assert cluster_metadata.encode_metadata_record(record) == value


def test_versions_of_metadata_records() -> None:
    record = cluster_metadata.PartitionRecord(3, b"t" * 16, [1], [1], leader=1)
    assert cluster_metadata.encode_metadata_record(record, 0)[:3] == b"\x01\x03\x00"
    assert cluster_metadata.encode_metadata_record(record)[:3] == b"\x01\x03\x02"
    for version in (0, 1, 2):
        value = cluster_metadata.encode_metadata_record(record, version)
        assert cluster_metadata.decode_metadata_record(value) == record


@pytest.mark.parametrize("value", [b"", b"\1", b"\1\x14", b"\2\x14\0\0", b"\1\x14\1\0", b"\1\x14\0\0\0", b"\xff" * 9])
def test_bad_metadata_records(value: bytes) -> None:
    with pytest.raises(MalformedMessageError):
        cluster_metadata.decode_metadata_record(value)


def test_unknown_record_types() -> None:
    with pytest.raises(UnknownRecordTypeError, match="no record type 99"):
        cluster_metadata.decode_metadata_record(b"\1\x63\0\0")
    with pytest.raises(UnknownRecordTypeError, match="no record type 18"):
        consumer_offsets.decode_key(b"\0\x12\0\1g")
    with pytest.raises(MalformedMessageError, match="record key of 1 bytes"):
        consumer_offsets.decode_key(b"\0")


def test_records_of_coordinators() -> None:
    key = consumer_offsets.OffsetCommitKey("g", "t", 2)
    assert consumer_offsets.encode_key(key) == b"\0\1\0\1g\0\1t\0\0\0\2"
    assert consumer_offsets.decode_key(b"\0\1\0\1g\0\1t\0\0\0\2") == (1, key)
    value = consumer_offsets.OffsetCommitValue(5, 1, "m", 77)
    assert consumer_offsets.encode_value(value, 3) == b"\0\3" + (5).to_bytes(8) + b"\0\0\0\1\0\1m" + (77).to_bytes(8)
    for version in (3, 4):
        assert consumer_offsets.decode_value(1, consumer_offsets.encode_value(value, version)) == value
    assert consumer_offsets.encode_value(value)[:2] == b"\0\4"


@pytest.mark.parametrize("module", [consumer_offsets, share_group_state, transaction_state])
def test_every_type_has_key_and_value(module: object) -> None:
    keys, values = module.KEYS, module.VALUES  # type: ignore[attr-defined]
    assert keys.keys() == values.keys()
    for record_type in keys:
        key, value = keys[record_type][0](), values[record_type][0]()
        assert module.decode_key(module.encode_key(key)) == (record_type, key)  # type: ignore[attr-defined]
        assert module.decode_value(record_type, module.encode_value(value)) == value  # type: ignore[attr-defined]


def test_null_struct_in_a_tagged_field() -> None:
    """Kafka marks it with the varint 0, not with the byte -1 as elsewhere, and the default is not null."""
    value = consumer_offsets.ConsumerGroupMemberMetadataValue(classic_member_metadata=None)
    data = consumer_offsets.encode_value(value)
    assert data.endswith(b"\1\0\1\0")
    assert consumer_offsets.decode_value(5, data) == value
    assert consumer_offsets.encode_value(consumer_offsets.ConsumerGroupMemberMetadataValue()).endswith(b"\0")


def test_control_records() -> None:
    header = b"\0\0\0\0\x01\xa1\xfd\x4b\x9e\xfa\0"
    record = control_records.decode_snapshot_header_record(header, 0, 0)
    assert record.last_contained_log_timestamp == 0x01A1FD4B9EFA
    # An end-of-transaction marker's version stands before it; that of the others is their first field.
    marker = control_records.decode_end_txn_marker(b"\0\0\0\0\0\7", 2, 0)
    assert marker.coordinator_epoch == 7


def test_empty_producer_snapshot() -> None:
    snapshot = producer_snapshot.decode_producer_snapshot(bytes.fromhex("000148674bc700000000"), 2, 1)
    assert (snapshot.crc, list(snapshot.producer_entries)) == (0x48674BC7, [])


def test_every_kind_of_record_is_there() -> None:
    assert len(record_kinds()) == 95
