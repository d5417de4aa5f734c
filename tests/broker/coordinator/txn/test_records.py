"""Records of __transaction_state: what is written is read again, in both versions, and damage has a name."""

import pytest

from kafkacompat.broker.coordinator.txn import state as states
from kafkacompat.broker.coordinator.txn.records import batch_of, decode_record, encode_record, record_of, row_of
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.reader import read_records


def prepared() -> Transaction:
    row = Transaction("t", 5, 60_000, 1_000).initialized(60_000, None, 1_000)
    row = row.with_partitions(frozenset({("b", 1), ("a", 2), ("a", 0)}), 2, 2_000)
    return row.prepared(states.PREPARE_ABORT, 2, 9, 3_000)


def shown(row: Transaction) -> dict[str, object]:
    return {name: getattr(row, name) for name in Transaction.__slots__ if name not in ("last_epoch", "offset")}


def test_version_1_keeps_all_but_the_last_epoch() -> None:
    row = prepared()
    key, value = encode_record(record_of(row), 1)
    record = decode_record(key, value)
    assert record is not None
    again = row_of(*record)  # type: ignore[arg-type]
    assert shown(again) == shown(row)
    assert again.last_epoch == -1
    assert value is not None
    assert value[:2] == b"\0\1"


def test_version_0_keeps_what_it_has_room_for() -> None:
    row = prepared()
    key, value = encode_record(record_of(row), 0)
    record = decode_record(key, value)
    assert record is not None
    again = row_of(*record)  # type: ignore[arg-type]
    assert again.partitions == row.partitions
    assert (again.producer_id, again.epoch, again.state) == (5, 1, states.PREPARE_ABORT)
    assert (again.previous_producer_id, again.next_producer_id, again.client_version) == (-1, -1, 0)
    assert value is not None
    assert value[:2] == b"\0\0"


def test_partitions_are_grouped_by_topic_and_null_while_there_cannot_be_any() -> None:
    _, value = record_of(prepared())
    assert isinstance(value, TransactionLogValue)
    assert value.transaction_partitions is not None
    assert [(each.topic, list(each.partition_ids)) for each in value.transaction_partitions] == [
        ("a", [0, 2]), ("b", [1]),
    ]  # fmt: skip
    _, empty = record_of(Transaction("t", 5, 60_000, 1_000))
    assert isinstance(empty, TransactionLogValue)
    assert empty.transaction_partitions is None


def test_a_dead_id_is_a_tombstone() -> None:
    key, value = encode_record(record_of(prepared().completed(4_000).dead()), 1)
    assert value is None
    record = decode_record(key, value)
    assert record is not None
    assert isinstance(record[0], TransactionLogKey)
    assert record[1] is None


def test_a_batch_has_the_form_of_kafkas_coordinator() -> None:
    batch = batch_of([record_of(prepared())], 1_700, 1)
    header = read_header(batch, 0)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (-1, -1, -1)
    assert not header.is_transactional
    assert [record.timestamp for record in read_records(batch)] == [1_700]


def test_what_kafka_skips_is_skipped() -> None:
    assert decode_record(b"\0\7abc", b"\0\1") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"", b""),
        (b"\0\0\0\5t", b""),
        (b"\0\0\0\1t", b"\0\7"),
        (b"\0\0\0\1t", b"\0\1"),
        (b"\0\0\0\1t", bytes(2 + 8 + 2 + 4) + b"\7" + b"\xff\xff\xff\xff" + bytes(16)),
    ],
)
def test_damage_is_told(key: bytes, value: bytes) -> None:
    with pytest.raises(MalformedMessageError):
        decode_record(key, value)
