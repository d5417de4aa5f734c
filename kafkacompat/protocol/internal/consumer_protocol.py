"""The embedded protocol of classic consumer groups (subscriptions and assignments), each after its int16 version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_nullable_bytes,
    put_nullable_string,
    put_string,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_ih = Struct(">ih").unpack_from


class ConsumerProtocolAssignmentTopicPartition(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class ConsumerProtocolAssignment(Message):
    __slots__ = ("assigned_partitions", "user_data")

    def __init__(
        self,
        assigned_partitions: Sequence[ConsumerProtocolAssignmentTopicPartition] = (),
        user_data: bytes | None = None,
    ) -> None:
        self.assigned_partitions = assigned_partitions
        self.user_data = user_data


def _decode_consumer_protocol_assignment_topic_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolAssignmentTopicPartition, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicPartition.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicPartition.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartition.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return ConsumerProtocolAssignmentTopicPartition(topic, partitions), pos


def _decode_consumer_protocol_assignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolAssignment, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolAssignment.assigned_partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ConsumerProtocolAssignment.assigned_partitions", n)
    budget[0] -= n
    assigned_partitions = []
    for _ in range(n):
        assigned_partitions_item, pos = _decode_consumer_protocol_assignment_topic_partition_v0(buf, pos, budget)
        assigned_partitions.append(assigned_partitions_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    user_data: bytes | None
    if n < 0:
        user_data = None
    else:
        end = pos + n
        user_data = bytes(buf[pos:end])
        pos = end
    return ConsumerProtocolAssignment(assigned_partitions, user_data), pos


def _encode_consumer_protocol_assignment_topic_partition_v0(m: ConsumerProtocolAssignmentTopicPartition, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_consumer_protocol_assignment_v0(m: ConsumerProtocolAssignment, w: bytearray) -> None:
    n = len(m.assigned_partitions)
    w += _write_i(n)
    for assigned_partitions_item in m.assigned_partitions:
        _encode_consumer_protocol_assignment_topic_partition_v0(assigned_partitions_item, w)
    put_nullable_bytes(w, m.user_data)


_CONSUMER_PROTOCOL_ASSIGNMENT_DECODERS = {0: _decode_consumer_protocol_assignment_v0, 1: _decode_consumer_protocol_assignment_v0, 2: _decode_consumer_protocol_assignment_v0, 3: _decode_consumer_protocol_assignment_v0}
_CONSUMER_PROTOCOL_ASSIGNMENT_ENCODERS = {0: _encode_consumer_protocol_assignment_v0, 1: _encode_consumer_protocol_assignment_v0, 2: _encode_consumer_protocol_assignment_v0, 3: _encode_consumer_protocol_assignment_v0}


def decode_consumer_protocol_assignment(buf: Buffer, pos: int, version: int) -> ConsumerProtocolAssignment:
    try:
        message, pos = _CONSUMER_PROTOCOL_ASSIGNMENT_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerProtocolAssignment", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerProtocolAssignment", version, pos, len(buf))
    return message


def encode_consumer_protocol_assignment(message: ConsumerProtocolAssignment, version: int, out: Parts) -> None:
    if version not in _CONSUMER_PROTOCOL_ASSIGNMENT_ENCODERS:
        raise UnsupportedVersionError("ConsumerProtocolAssignment", version)
    w = bytearray()
    _CONSUMER_PROTOCOL_ASSIGNMENT_ENCODERS[version](message, w)
    out.append(w)


class ConsumerProtocolSubscriptionTopicPartition(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class ConsumerProtocolSubscription(Message):
    __slots__ = ("topics", "user_data", "owned_partitions", "generation_id", "rack_id")

    def __init__(
        self,
        topics: Sequence[str] = (),
        user_data: bytes | None = None,
        owned_partitions: Sequence[ConsumerProtocolSubscriptionTopicPartition] = (),
        generation_id: int = -1,
        rack_id: str | None = None,
    ) -> None:
        self.topics = topics
        self.user_data = user_data
        self.owned_partitions = owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id


def _decode_consumer_protocol_subscription_topic_partition_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolSubscriptionTopicPartition, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicPartition.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicPartition.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartition.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return ConsumerProtocolSubscriptionTopicPartition(topic, partitions), pos


def _decode_consumer_protocol_subscription_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.topics")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("ConsumerProtocolSubscription.topics")
        end = pos + n
        topics.append(buf[pos:end].decode())
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    user_data: bytes | None
    if n < 0:
        user_data = None
    else:
        end = pos + n
        user_data = bytes(buf[pos:end])
        pos = end
    return ConsumerProtocolSubscription(topics, user_data, (), -1, None), pos


def _decode_consumer_protocol_subscription_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.topics")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("ConsumerProtocolSubscription.topics")
        end = pos + n
        topics.append(buf[pos:end].decode())
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    user_data: bytes | None
    if n < 0:
        user_data = None
    else:
        end = pos + n
        user_data = bytes(buf[pos:end])
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.owned_partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.owned_partitions", n)
    budget[0] -= n
    owned_partitions = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_consumer_protocol_subscription_topic_partition_v1(buf, pos, budget)
        owned_partitions.append(owned_partitions_item)
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions, -1, None), pos


def _decode_consumer_protocol_subscription_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.topics")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("ConsumerProtocolSubscription.topics")
        end = pos + n
        topics.append(buf[pos:end].decode())
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    user_data: bytes | None
    if n < 0:
        user_data = None
    else:
        end = pos + n
        user_data = bytes(buf[pos:end])
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.owned_partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.owned_partitions", n)
    budget[0] -= n
    owned_partitions = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_consumer_protocol_subscription_topic_partition_v1(buf, pos, budget)
        owned_partitions.append(owned_partitions_item)
    (generation_id,) = _read_i(buf, pos)
    pos += 4
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id, None), pos


def _decode_consumer_protocol_subscription_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.topics")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("ConsumerProtocolSubscription.topics")
        end = pos + n
        topics.append(buf[pos:end].decode())
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    user_data: bytes | None
    if n < 0:
        user_data = None
    else:
        end = pos + n
        user_data = bytes(buf[pos:end])
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ConsumerProtocolSubscription.owned_partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ConsumerProtocolSubscription.owned_partitions", n)
    budget[0] -= n
    owned_partitions = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_consumer_protocol_subscription_topic_partition_v1(buf, pos, budget)
        owned_partitions.append(owned_partitions_item)
    generation_id, n = _read_ih(buf, pos)
    pos += 6
    rack_id: str | None
    if n < 0:
        rack_id = None
    else:
        end = pos + n
        rack_id = buf[pos:end].decode()
        pos = end
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id, rack_id), pos


def _encode_consumer_protocol_subscription_topic_partition_v1(m: ConsumerProtocolSubscriptionTopicPartition, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_consumer_protocol_subscription_v0(m: ConsumerProtocolSubscription, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        put_string(w, topics_item)
    put_nullable_bytes(w, m.user_data)


def _encode_consumer_protocol_subscription_v1(m: ConsumerProtocolSubscription, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        put_string(w, topics_item)
    put_nullable_bytes(w, m.user_data)
    n = len(m.owned_partitions)
    w += _write_i(n)
    for owned_partitions_item in m.owned_partitions:
        _encode_consumer_protocol_subscription_topic_partition_v1(owned_partitions_item, w)


def _encode_consumer_protocol_subscription_v2(m: ConsumerProtocolSubscription, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        put_string(w, topics_item)
    put_nullable_bytes(w, m.user_data)
    n = len(m.owned_partitions)
    w += _write_i(n)
    for owned_partitions_item in m.owned_partitions:
        _encode_consumer_protocol_subscription_topic_partition_v1(owned_partitions_item, w)
    w += _write_i(m.generation_id)


def _encode_consumer_protocol_subscription_v3(m: ConsumerProtocolSubscription, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        put_string(w, topics_item)
    put_nullable_bytes(w, m.user_data)
    n = len(m.owned_partitions)
    w += _write_i(n)
    for owned_partitions_item in m.owned_partitions:
        _encode_consumer_protocol_subscription_topic_partition_v1(owned_partitions_item, w)
    w += _write_i(m.generation_id)
    put_nullable_string(w, m.rack_id)


_CONSUMER_PROTOCOL_SUBSCRIPTION_DECODERS = {0: _decode_consumer_protocol_subscription_v0, 1: _decode_consumer_protocol_subscription_v1, 2: _decode_consumer_protocol_subscription_v2, 3: _decode_consumer_protocol_subscription_v3}
_CONSUMER_PROTOCOL_SUBSCRIPTION_ENCODERS = {0: _encode_consumer_protocol_subscription_v0, 1: _encode_consumer_protocol_subscription_v1, 2: _encode_consumer_protocol_subscription_v2, 3: _encode_consumer_protocol_subscription_v3}


def decode_consumer_protocol_subscription(buf: Buffer, pos: int, version: int) -> ConsumerProtocolSubscription:
    try:
        message, pos = _CONSUMER_PROTOCOL_SUBSCRIPTION_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerProtocolSubscription", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerProtocolSubscription", version, pos, len(buf))
    return message


def encode_consumer_protocol_subscription(message: ConsumerProtocolSubscription, version: int, out: Parts) -> None:
    if version not in _CONSUMER_PROTOCOL_SUBSCRIPTION_ENCODERS:
        raise UnsupportedVersionError("ConsumerProtocolSubscription", version)
    w = bytearray()
    _CONSUMER_PROTOCOL_SUBSCRIPTION_ENCODERS[version](message, w)
    out.append(w)
