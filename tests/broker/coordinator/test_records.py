"""Records of __consumer_offsets, byte for byte as Apache Kafka 4.3.1 writes them."""

from kafkacompat.broker.coordinator.group.records import batch_of, decode_record, encode_record
from kafkacompat.protocol.internal.consumer_offsets import (
    ConsumerGroupMetadataKey,
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkacompat.protocol.records.batch import check_crc, read_header
from kafkacompat.protocol.records.reader import read_records

TOPIC_ID = bytes(range(16))
OFFSET = (
    OffsetCommitKey("gai", "c1", 0),
    OffsetCommitValue(5, 2, "", 1_700_000_000_000, topic_id=TOPIC_ID),
)


def test_an_offset_has_its_topic_id_as_a_tag() -> None:
    key, value = encode_record(OFFSET)
    assert key == b"\0\1\0\3gai\0\2c1\0\0\0\0"
    assert (
        value
        == b"\0\4"
        + (5).to_bytes(8)
        + (2).to_bytes(4)
        + b"\1"
        + (1_700_000_000_000).to_bytes(8)
        + b"\1\0\x10"
        + TOPIC_ID
    )
    assert decode_record(key, value) == OFFSET


def test_an_offset_with_a_retention_time_is_version_1() -> None:
    record = (OFFSET[0], OffsetCommitValue(5, -1, "m", 1000, 2000))
    key, value = encode_record(record)
    assert value == b"\0\1" + (5).to_bytes(8) + b"\0\1m" + (1000).to_bytes(8) + (2000).to_bytes(8)
    assert decode_record(key, value) == record


def test_a_new_group_is_version_3_without_members() -> None:
    key, value = encode_record((GroupMetadataKey("gai"), GroupMetadataValue("", 0, None, None, 1000)))
    assert key == b"\0\2\0\3gai"
    assert value == b"\0\3" + b"\0\0" + bytes(4) + b"\xff\xff" + b"\xff\xff" + (1000).to_bytes(8) + bytes(4)


def test_a_group_with_members() -> None:
    member = MemberMetadata("m-1", None, "c", "/h", 300_000, 45_000, b"sub", b"assigned")
    record = (GroupMetadataKey("g"), GroupMetadataValue("consumer", 1, "range", "m-1", 1000, [member]))
    key, value = encode_record(record)
    assert value == (
        b"\0\3\0\x08consumer" + (1).to_bytes(4) + b"\0\5range\0\3m-1" + (1000).to_bytes(8) + (1).to_bytes(4)
        + b"\0\3m-1\xff\xff\0\1c\0\2/h" + (300_000).to_bytes(4) + (45_000).to_bytes(4)
        + b"\0\0\0\3sub\0\0\0\x08assigned"
    )  # fmt: skip
    assert decode_record(key, value) == record


def test_tombstones() -> None:
    assert encode_record((OFFSET[0], None)) == (b"\0\1\0\3gai\0\2c1\0\0\0\0", None)
    assert decode_record(b"\0\2\0\3gai", None) == (GroupMetadataKey("gai"), None)


def test_old_keys_and_other_groups_records() -> None:
    assert decode_record(b"\0\0\0\3gai\0\2c1\0\0\0\0", None) == (OFFSET[0], None)
    assert decode_record(b"\0\6\0\1g", b"anything") is None
    key, value = decode_record(b"\0\3\0\1g", b"anything") or (None, None)  # a frozen group's value is not read
    assert key is value
    assert isinstance(key, ConsumerGroupMetadataKey)
    assert decode_record(b"\0\3\0\1g", None) == (key, None)
    assert decode_record(b"\x7f\xff\0\1g", None) is None


def test_one_batch_without_a_producer() -> None:
    batch = batch_of([OFFSET, (OFFSET[0], None)], 1234)
    header = read_header(batch, 0)
    check_crc(batch, 0, len(batch))
    assert (header.producer_id, header.producer_epoch, header.base_sequence, header.attributes) == (-1, -1, 0, 0)
    assert header.last_offset_delta == 1
    assert [(r.timestamp, r.key, r.value) for r in read_records(batch)] == [
        (1234, *encode_record(OFFSET)),
        (1234, encode_record(OFFSET)[0], None),
    ]
