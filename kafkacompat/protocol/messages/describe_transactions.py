"""DescribeTransactions, API key 65: request and response in every version."""

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
    put_compact_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 65
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_iqqh = Struct(">iqqh").pack
_read_iqqhB = Struct(">iqqhB").unpack_from


class DescribeTransactionsRequest(Message):
    __slots__ = ("transactional_ids",)

    def __init__(
        self,
        transactional_ids: Sequence[str] = (),
    ) -> None:
        self.transactional_ids = transactional_ids


def _decode_describe_transactions_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTransactionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTransactionsRequest.transactional_ids")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("DescribeTransactionsRequest.transactional_ids", n)
    budget[0] -= n
    transactional_ids = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("DescribeTransactionsRequest.transactional_ids")
        end = pos + n - 1
        transactional_ids.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTransactionsRequest(transactional_ids), pos


def _encode_describe_transactions_request_v0(m: DescribeTransactionsRequest, w: bytearray) -> None:
    n = len(m.transactional_ids)
    put_uvarint(w, n + 1)
    for transactional_ids_item in m.transactional_ids:
        put_compact_string(w, transactional_ids_item)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_transactions_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_transactions_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeTransactionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeTransactionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeTransactionsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeTransactionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeTransactionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class TopicData(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class TransactionState(Message):
    __slots__ = ("error_code", "transactional_id", "transaction_state", "transaction_timeout_ms", "transaction_start_time_ms", "producer_id", "producer_epoch", "topics")

    def __init__(
        self,
        error_code: int = 0,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: Sequence[TopicData] = (),
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics


class DescribeTransactionsResponse(Message):
    __slots__ = ("throttle_time_ms", "transaction_states")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        transaction_states: Sequence[TransactionState] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = transaction_states


def _decode_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicData(topic, partitions), pos


def _decode_transaction_state_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TransactionState, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TransactionState.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TransactionState.transaction_state")
    end = pos + n - 1
    transaction_state = buf[pos:end].decode()
    pos = end
    transaction_timeout_ms, transaction_start_time_ms, producer_id, producer_epoch, n = _read_iqqhB(buf, pos)
    pos += 23
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TransactionState.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TransactionState.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TransactionState(error_code, transactional_id, transaction_state, transaction_timeout_ms, transaction_start_time_ms, producer_id, producer_epoch, topics), pos


def _decode_describe_transactions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTransactionsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTransactionsResponse.transaction_states")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("DescribeTransactionsResponse.transaction_states", n)
    budget[0] -= n
    transaction_states = []
    for _ in range(n):
        transaction_states_item, pos = _decode_transaction_state_v0(buf, pos, budget)
        transaction_states.append(transaction_states_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTransactionsResponse(throttle_time_ms, transaction_states), pos


def _encode_topic_data_v0(m: TopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_transaction_state_v0(m: TransactionState, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_string(w, m.transactional_id)
    put_compact_string(w, m.transaction_state)
    w += _write_iqqh(m.transaction_timeout_ms, m.transaction_start_time_ms, m.producer_id, m.producer_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_describe_transactions_response_v0(m: DescribeTransactionsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.transaction_states)
    put_uvarint(w, n + 1)
    for transaction_states_item in m.transaction_states:
        if isinstance(transaction_states_item, bytes):
            w += transaction_states_item
        else:
            _encode_transaction_state_v0(transaction_states_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_transactions_response_v0}
_RESPONSE_ENCODERS = {0: _encode_describe_transactions_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeTransactionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeTransactionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeTransactionsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeTransactionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeTransactionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_TRANSACTION_STATE_ENCODERS = {0: _encode_transaction_state_v0}


def encode_transaction_state(item: TransactionState, version: int) -> bytes:
    if version not in _TRANSACTION_STATE_ENCODERS:
        raise UnsupportedVersionError("TransactionState", version)
    w = bytearray()
    _TRANSACTION_STATE_ENCODERS[version](item, w)
    return bytes(w)
