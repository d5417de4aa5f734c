"""What keys and values of records say."""

import pytest

from kafkacompat.protocol.internal import cluster_metadata as metadata
from kafkacompat.protocol.internal import consumer_offsets, share_group_state, transaction_state
from kafkacompat.protocol.internal.consumer_protocol import (
    ConsumerProtocolSubscription,
    encode_consumer_protocol_subscription,
)
from kafkacompat.protocol.records.batch import CorruptBatchError
from kafkacompat.protocol.records.builder import Record
from kafkacompat.storage import record_decoders
from kafkacompat.storage.record_decoders import shown_text


def test_texts_and_numbers_by_the_names_of_kafkas_classes() -> None:
    decode = record_decoders.contents("org.apache.kafka.tools.api.IntegerDecoder", "StringDecoder")
    assert decode(Record(0, 0, b"\0\0\0\7", "ü".encode())) == (7, "ü")
    assert decode(Record(0, 0, None, None)) == (None, None)
    with pytest.raises(CorruptBatchError, match="offset 4"):
        decode(Record(4, 0, b"\0", b""))
    with pytest.raises(ValueError, match=r"known here are org\.apache\.kafka\.tools\.api\.StringDecoder"):
        record_decoders.contents("java.lang.String")


def test_offsets_and_groups() -> None:
    decode = record_decoders.offsets()
    key = consumer_offsets.encode_key(consumer_offsets.OffsetCommitKey("g", "t", 3))
    shown = decode(Record(0, 0, key, None))
    assert [shown_text(each) for each in shown] == [
        '{"type":"1","data":{"group":"g","topic":"t","partition":3}}', "<DELETE>",
    ]  # fmt: skip
    parts: list[bytes] = [b"\0\1"]
    encode_consumer_protocol_subscription(ConsumerProtocolSubscription(["t"], None, []), 1, parts)
    member = consumer_offsets.MemberMetadata("m", None, "c", "/h", 1, 2, b"".join(parts), b"\0")
    group = consumer_offsets.GroupMetadataValue("consumer", 1, "range", "m", 5, [member])
    _, value = decode(
        Record(
            0,
            0,
            consumer_offsets.encode_key(consumer_offsets.GroupMetadataKey("g")),
            consumer_offsets.encode_value(group, 3),
        )
    )
    assert isinstance(value, dict)
    (found,) = value["data"]["members"]
    assert found["subscription"] == {"topics": ["t"], "userData": None, "ownedPartitions": []}
    assert found["assignment"] == "AA=="  # no assignment: the bytes stay


def test_what_is_unknown_or_malformed_is_said_in_its_place() -> None:
    decode = record_decoders.offsets()
    assert decode(Record(7, 0, b"\x7f\x00", b"")) == ("Unknown record type 32512 at offset 7, skipping.", None)
    (shown, value) = decode(Record(8, 0, b"\0\1\0", b""))
    assert value is None
    assert str(shown).startswith("Error at offset 8, skipping. ")
    with pytest.raises(CorruptBatchError, match="offset 9 has no key"):
        decode(Record(9, 0, None, b""))
    _, said = record_decoders.cluster_metadata()(Record(3, 0, None, b"\x09"))
    assert str(said).startswith("Error at 3, skipping. ")


def test_transactions_share_groups_and_metadata() -> None:
    key = transaction_state.encode_key(transaction_state.TransactionLogKey("id"))
    shown, _ = record_decoders.transaction_log()(Record(0, 0, key, None))
    assert shown == {"type": "0", "data": {"transactionalId": "id"}}
    key = share_group_state.encode_key(share_group_state.ShareUpdateKey("g", bytes(16), 2))
    shown, _ = record_decoders.share_group_state()(Record(0, 0, key, None))
    assert shown == {"type": "1", "data": {"groupId": "g", "topicId": "AAAAAAAAAAAAAAAAAAAAAA", "partition": 2}}
    value = metadata.encode_metadata_record(metadata.TopicRecord("t", bytes(16)))
    assert record_decoders.cluster_metadata()(Record(0, 0, None, value)) == (
        None, {"type": "TOPIC_RECORD", "version": 0, "data": {"name": "t", "topicId": "AAAAAAAAAAAAAAAAAAAAAA"}},
    )  # fmt: skip
