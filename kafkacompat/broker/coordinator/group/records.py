"""Encodes records of __consumer_offsets as Kafka 4.3 does, and decodes all versions that Kafka has ever written."""

from kafkacompat.broker.coordinator.group.frozen import REPLAY as FROZEN
from kafkacompat.protocol.constants import NO_EXPIRE_TIMESTAMP
from kafkacompat.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    LegacyOffsetCommitKey,
    OffsetCommitKey,
    OffsetCommitValue,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
)
from kafkacompat.protocol.internal.framing import UnknownRecordTypeError
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.builder import build_pair_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Message

    #: A record: key, and value or None for a tombstone.
    ShardRecord = tuple[Message, Message | None]

OFFSET_COMMIT = 1
GROUP_METADATA_VERSION = 3
OFFSET_COMMIT_VERSION = 4
#: The only version with an expiry, set by commits of old clients; it has neither leader epoch nor topic id.
OFFSET_COMMIT_RETENTION_VERSION = 1


def encode_record(record: "ShardRecord") -> tuple[bytes, bytes | None]:
    """Key and value as bytes."""
    key, value = record
    if value is None:
        return encode_key(key), None
    version = GROUP_METADATA_VERSION
    if isinstance(value, OffsetCommitValue):
        has_retention = value.expire_timestamp != NO_EXPIRE_TIMESTAMP
        version = OFFSET_COMMIT_RETENTION_VERSION if has_retention else OFFSET_COMMIT_VERSION
    return encode_key(key), encode_value(value, version)


def decode_record(key: bytes, value: bytes | None) -> "ShardRecord | None":
    """The record; None for a type that neither classic nor frozen groups are made of.

    The value of a frozen group's record is not read, as it may be of a later version: the key stands in for it. Unknown
    types are skipped as in Kafka. Raises MalformedMessageError, which names the type and the group.
    """
    try:
        record_type, key_message = decode_key(key)
    except UnknownRecordTypeError:
        return None
    except MalformedMessageError as error:
        record_type = int.from_bytes(key[:2], signed=True)
        raise MalformedMessageError(f"key of {len(key)} bytes, type {record_type}: {error}") from error
    if isinstance(key_message, LegacyOffsetCommitKey):  # type 0: Kafka reads it like type 1
        record_type, key_message = (
            OFFSET_COMMIT,
            OffsetCommitKey(key_message.group, key_message.topic, key_message.partition),
        )
    if type(key_message) in FROZEN:
        return key_message, None if value is None else key_message
    if not isinstance(key_message, (OffsetCommitKey, GroupMetadataKey)):
        return None
    if value is None:
        return key_message, None
    try:
        value_message = decode_value(record_type, value)
        if isinstance(value_message, GroupMetadataValue):
            _check_members(value_message)
    except MalformedMessageError as error:
        raise MalformedMessageError(f"value of type {record_type} of group {key_message.group!r}: {error}") from error
    return key_message, value_message


def _check_members(group: GroupMetadataValue) -> None:
    """Raises MalformedMessageError if a member id or an instance id occurs twice."""
    members = [member.member_id for member in group.members]
    instances = [member.group_instance_id for member in group.members if member.group_instance_id is not None]
    if len(set(members)) < len(members) or len(set(instances)) < len(instances):
        raise MalformedMessageError("a member is named twice")


def batch_of(records: "Sequence[ShardRecord]", wall_ms: int) -> bytearray:
    """One batch in the form of Kafka's coordinators: no producer, base sequence 0, uncompressed."""
    return build_pair_batch([encode_record(record) for record in records], wall_ms, base_sequence=0)
