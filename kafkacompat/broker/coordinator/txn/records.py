"""Encodes records of __transaction_state as Kafka 4.3 does, and decodes all versions that Kafka has ever written."""

from kafkacompat.broker.coordinator.txn.state import (
    COMPLETE_ABORT,
    DEAD,
    EMPTY,
    NO_PARTITIONS,
    PREPARED,
    Transaction,
    by_topic,
)
from kafkacompat.protocol.internal.framing import UnknownRecordTypeError
from kafkacompat.protocol.internal.transaction_state import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
)
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.builder import build_pair_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Message

    #: A record: key, and value or None for a tombstone.
    ShardRecord = tuple[Message, Message | None]

FLEXIBLE_VERSION = 1
"""The version of values from transaction.version 1 on; it has the ids before and after, and the client's version."""


def record_of(row: Transaction) -> "ShardRecord":
    """The record that says what the row is; a tombstone for one that is dead."""
    key = TransactionLogKey(row.transactional_id)
    if row.state == DEAD:
        return key, None
    partitions = None
    if row.state != EMPTY:
        partitions = [PartitionsSchema(topic, indexes) for topic, indexes in by_topic(row.partitions).items()]
    return key, TransactionLogValue(
        producer_id=row.producer_id,
        previous_producer_id=row.previous_producer_id,
        next_producer_id=row.next_producer_id,
        producer_epoch=row.epoch,
        transaction_timeout_ms=row.timeout_ms,
        transaction_status=row.state,
        transaction_partitions=partitions,
        transaction_last_update_timestamp_ms=row.last_update_ms,
        transaction_start_timestamp_ms=row.start_ms,
        client_transaction_version=row.client_version,
    )


def row_of(key: TransactionLogKey, value: TransactionLogValue) -> Transaction:
    """The row that a record describes."""
    row = Transaction(
        key.transactional_id,
        value.producer_id,
        value.transaction_timeout_ms,
        value.transaction_last_update_timestamp_ms,
    )
    row.previous_producer_id = value.previous_producer_id
    row.next_producer_id = value.next_producer_id
    row.epoch = value.producer_epoch
    row.state = value.transaction_status
    row.start_ms = value.transaction_start_timestamp_ms
    row.client_version = value.client_transaction_version
    if value.transaction_partitions:
        row.partitions = frozenset(
            (topic.topic, index) for topic in value.transaction_partitions for index in topic.partition_ids
        )
    row.unmarked = row.partitions if row.state in PREPARED else NO_PARTITIONS
    return row


def encode_record(record: "ShardRecord", version: int) -> tuple[bytes, bytes | None]:
    """Key and value as bytes, the value in `version`."""
    key, value = record
    if value is None:
        return encode_key(key), None
    assert isinstance(value, TransactionLogValue)
    if version < FLEXIBLE_VERSION:
        value = TransactionLogValue(
            producer_id=value.producer_id,
            producer_epoch=value.producer_epoch,
            transaction_timeout_ms=value.transaction_timeout_ms,
            transaction_status=value.transaction_status,
            transaction_partitions=value.transaction_partitions,
            transaction_last_update_timestamp_ms=value.transaction_last_update_timestamp_ms,
            transaction_start_timestamp_ms=value.transaction_start_timestamp_ms,
        )
    return encode_key(key), encode_value(value, version)


def decode_record(key: bytes, value: bytes | None) -> "ShardRecord | None":
    """The record; None for a type that Kafka 4.3 does not know, which it skips, too.

    Raises MalformedMessageError, which names the transactional id.
    """
    try:
        record_type, key_message = decode_key(key)
    except UnknownRecordTypeError:
        return None
    except MalformedMessageError as error:
        raise MalformedMessageError(f"key of {len(key)} bytes: {error}") from error
    if value is None:
        return key_message, None
    assert isinstance(key_message, TransactionLogKey)
    try:
        value_message = decode_value(record_type, value)
        assert isinstance(value_message, TransactionLogValue)
        if not EMPTY <= value_message.transaction_status <= COMPLETE_ABORT:
            raise MalformedMessageError(f"state {value_message.transaction_status} is never written")
    except MalformedMessageError as error:
        raise MalformedMessageError(f"value of transactional id {key_message.transactional_id!r}: {error}") from error
    return key_message, value_message


def batch_of(records: "Sequence[ShardRecord]", wall_ms: int, version: int) -> bytearray:
    """One batch in the form of Kafka's coordinator: no producer, no sequence, uncompressed."""
    return build_pair_batch([encode_record(record, version) for record in records], wall_ms)
