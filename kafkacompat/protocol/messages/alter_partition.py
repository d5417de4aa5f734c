"""AlterPartition, API key 56: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    skip_tags,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 56
MIN_VERSION = 2
MAX_VERSION = 3
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_biB = Struct(">biB").unpack_from
_write_bix = Struct(">bix").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihii = Struct(">ihii").pack
_read_ihiiB = Struct(">ihiiB").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack


class BrokerState(Message):
    __slots__ = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class AlterPartitionRequestPartitionData(Message):
    __slots__ = ("partition_index", "leader_epoch", "new_isr", "new_isr_with_epochs", "leader_recovery_state", "partition_epoch")

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: Sequence[int] = (),
        new_isr_with_epochs: Sequence[BrokerState] = (),
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = new_isr
        self.new_isr_with_epochs = new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class AlterPartitionRequestTopicData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AlterPartitionRequestPartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AlterPartitionRequest(Message):
    __slots__ = ("broker_id", "broker_epoch", "topics")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: Sequence[AlterPartitionRequestTopicData] = (),
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = topics


def _decode_broker_state_v3(buf: Buffer, pos: int) -> tuple[BrokerState, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return BrokerState(broker_id, broker_epoch), pos


def _decode_alter_partition_request_partition_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequestPartitionData, int]:
    partition_index, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.new_isr")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionData.new_isr", n)
    budget[0] -= n
    new_isr = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    leader_recovery_state, partition_epoch, n = _read_biB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequestPartitionData(partition_index, leader_epoch, new_isr, (), leader_recovery_state, partition_epoch), pos


def _decode_alter_partition_request_partition_data_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequestPartitionData, int]:
    partition_index, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.new_isr_with_epochs")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("PartitionData.new_isr_with_epochs", n)
    budget[0] -= n
    new_isr_with_epochs = []
    for _ in range(n):
        new_isr_with_epochs_item, pos = _decode_broker_state_v3(buf, pos)
        new_isr_with_epochs.append(new_isr_with_epochs_item)
    leader_recovery_state, partition_epoch, n = _read_biB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequestPartitionData(partition_index, leader_epoch, (), new_isr_with_epochs, leader_recovery_state, partition_epoch), pos


def _decode_alter_partition_request_topic_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequestTopicData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_partition_request_partition_data_v2(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequestTopicData(topic_id, partitions), pos


def _decode_alter_partition_request_topic_data_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequestTopicData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_partition_request_partition_data_v3(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequestTopicData(topic_id, partitions), pos


def _decode_alter_partition_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterPartitionRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AlterPartitionRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_partition_request_topic_data_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequest(broker_id, broker_epoch, topics), pos


def _decode_alter_partition_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterPartitionRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AlterPartitionRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_partition_request_topic_data_v3(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionRequest(broker_id, broker_epoch, topics), pos


def _encode_broker_state_v3(m: BrokerState, w: bytearray) -> None:
    w += _write_iqx(m.broker_id, m.broker_epoch)


def _encode_alter_partition_request_partition_data_v2(m: AlterPartitionRequestPartitionData, w: bytearray) -> None:
    if m.new_isr_with_epochs:
        raise UnsupportedFieldError("PartitionData.new_isr_with_epochs", "3+")
    w += _write_ii(m.partition_index, m.leader_epoch)
    n = len(m.new_isr)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.new_isr)
    w += _write_bix(m.leader_recovery_state, m.partition_epoch)


def _encode_alter_partition_request_partition_data_v3(m: AlterPartitionRequestPartitionData, w: bytearray) -> None:
    if m.new_isr:
        raise UnsupportedFieldError("PartitionData.new_isr", "0-2")
    w += _write_ii(m.partition_index, m.leader_epoch)
    n = len(m.new_isr_with_epochs)
    put_uvarint(w, n + 1)
    for new_isr_with_epochs_item in m.new_isr_with_epochs:
        _encode_broker_state_v3(new_isr_with_epochs_item, w)
    w += _write_bix(m.leader_recovery_state, m.partition_epoch)


def _encode_alter_partition_request_topic_data_v2(m: AlterPartitionRequestTopicData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_partition_request_partition_data_v2(partitions_item, w)
    w.append(0)


def _encode_alter_partition_request_topic_data_v3(m: AlterPartitionRequestTopicData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_partition_request_partition_data_v3(partitions_item, w)
    w.append(0)


def _encode_alter_partition_request_v2(m: AlterPartitionRequest, w: bytearray) -> None:
    w += _write_iq(m.broker_id, m.broker_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_alter_partition_request_topic_data_v2(topics_item, w)
    w.append(0)


def _encode_alter_partition_request_v3(m: AlterPartitionRequest, w: bytearray) -> None:
    w += _write_iq(m.broker_id, m.broker_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_alter_partition_request_topic_data_v3(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {2: _decode_alter_partition_request_v2, 3: _decode_alter_partition_request_v3}
_REQUEST_ENCODERS = {2: _encode_alter_partition_request_v2, 3: _encode_alter_partition_request_v3}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterPartitionRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterPartitionRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterPartitionRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterPartitionRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterPartitionRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterPartitionResponsePartitionData(Message):
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch", "isr", "leader_recovery_state", "partition_epoch")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: Sequence[int] = (),
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class AlterPartitionResponseTopicData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AlterPartitionResponsePartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AlterPartitionResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: Sequence[AlterPartitionResponseTopicData] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics


def _decode_alter_partition_response_partition_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, n = _read_ihiiB(buf, pos)
    pos += 15
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.isr")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionData.isr", n)
    budget[0] -= n
    isr = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    leader_recovery_state, partition_epoch, n = _read_biB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionResponsePartitionData(partition_index, error_code, leader_id, leader_epoch, isr, leader_recovery_state, partition_epoch), pos


def _decode_alter_partition_response_topic_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionResponseTopicData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_partition_response_partition_data_v2(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionResponseTopicData(topic_id, partitions), pos


def _decode_alter_partition_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterPartitionResponse.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AlterPartitionResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_partition_response_topic_data_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionResponse(throttle_time_ms, error_code, topics), pos


def _encode_alter_partition_response_partition_data_v2(m: AlterPartitionResponsePartitionData, w: bytearray) -> None:
    w += _write_ihii(m.partition_index, m.error_code, m.leader_id, m.leader_epoch)
    n = len(m.isr)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr)
    w += _write_bix(m.leader_recovery_state, m.partition_epoch)


def _encode_alter_partition_response_topic_data_v2(m: AlterPartitionResponseTopicData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_partition_response_partition_data_v2(partitions_item, w)
    w.append(0)


def _encode_alter_partition_response_v2(m: AlterPartitionResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_alter_partition_response_topic_data_v2(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {2: _decode_alter_partition_response_v2, 3: _decode_alter_partition_response_v2}
_RESPONSE_ENCODERS = {2: _encode_alter_partition_response_v2, 3: _encode_alter_partition_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterPartitionResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterPartitionResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterPartitionResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterPartitionResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterPartitionResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
