"""AddPartitionsToTxn, API key 24: request and response in every version."""

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
    count_error,
    malformed,
    null_error,
    put_compact_string,
    put_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 24
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 3


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_read_ii = Struct(">ii").unpack_from
_write_qh = Struct(">qh").pack
_write_qht = Struct(">qh?").pack
_read_qhtB = Struct(">qh?B").unpack_from
_read_qhB = Struct(">qhB").unpack_from
_read_qhi = Struct(">qhi").unpack_from


class AddPartitionsToTxnTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AddPartitionsToTxnTransaction(Message):
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: Sequence[AddPartitionsToTxnTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = topics


class AddPartitionsToTxnRequest(Message):
    __slots__ = ("transactions", "v3_and_below_transactional_id", "v3_and_below_producer_id", "v3_and_below_producer_epoch", "v3_and_below_topics")

    def __init__(
        self,
        transactions: Sequence[AddPartitionsToTxnTransaction] = (),
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: Sequence[AddPartitionsToTxnTopic] = (),
    ) -> None:
        self.transactions = transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = v3_and_below_topics


def _decode_add_partitions_to_txn_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AddPartitionsToTxnTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AddPartitionsToTxnTopic.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return AddPartitionsToTxnTopic(name, partitions), pos


def _decode_add_partitions_to_txn_topic_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnTopic(name, partitions), pos


def _decode_add_partitions_to_txn_transaction_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnTransaction, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTransaction.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, verify_only, n = _read_qhtB(buf, pos)
    pos += 12
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTransaction.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnTransaction.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_add_partitions_to_txn_topic_v3(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnTransaction(transactional_id, producer_id, producer_epoch, verify_only, topics), pos


def _decode_add_partitions_to_txn_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    end = pos + n
    v3_and_below_transactional_id = buf[pos:end].decode()
    pos = end
    v3_and_below_producer_id, v3_and_below_producer_epoch, n = _read_qhi(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("AddPartitionsToTxnRequest.v3_and_below_topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnRequest.v3_and_below_topics", n)
    budget[0] -= n
    v3_and_below_topics = []
    for _ in range(n):
        v3_and_below_topics_item, pos = _decode_add_partitions_to_txn_topic_v0(buf, pos, budget)
        v3_and_below_topics.append(v3_and_below_topics_item)
    return AddPartitionsToTxnRequest((), v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics), pos


def _decode_add_partitions_to_txn_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    end = pos + n - 1
    v3_and_below_transactional_id = buf[pos:end].decode()
    pos = end
    v3_and_below_producer_id, v3_and_below_producer_epoch, n = _read_qhB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnRequest.v3_and_below_topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnRequest.v3_and_below_topics", n)
    budget[0] -= n
    v3_and_below_topics = []
    for _ in range(n):
        v3_and_below_topics_item, pos = _decode_add_partitions_to_txn_topic_v3(buf, pos, budget)
        v3_and_below_topics.append(v3_and_below_topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnRequest((), v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics), pos


def _decode_add_partitions_to_txn_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnRequest.transactions")
    n -= 1
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnRequest.transactions", n)
    budget[0] -= n
    transactions = []
    for _ in range(n):
        transactions_item, pos = _decode_add_partitions_to_txn_transaction_v4(buf, pos, budget)
        transactions.append(transactions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnRequest(transactions, "", 0, 0, ()), pos


def _encode_add_partitions_to_txn_topic_v0(m: AddPartitionsToTxnTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_add_partitions_to_txn_topic_v3(m: AddPartitionsToTxnTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_add_partitions_to_txn_transaction_v4(m: AddPartitionsToTxnTransaction, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    w += _write_qht(m.producer_id, m.producer_epoch, m.verify_only)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_add_partitions_to_txn_topic_v3(topics_item, w)
    w.append(0)


def _encode_add_partitions_to_txn_request_v0(m: AddPartitionsToTxnRequest, w: bytearray) -> None:
    if m.transactions:
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.transactions", "4+")
    put_string(w, m.v3_and_below_transactional_id)
    w += _write_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
    n = len(m.v3_and_below_topics)
    w += _write_i(n)
    for v3_and_below_topics_item in m.v3_and_below_topics:
        _encode_add_partitions_to_txn_topic_v0(v3_and_below_topics_item, w)


def _encode_add_partitions_to_txn_request_v3(m: AddPartitionsToTxnRequest, w: bytearray) -> None:
    if m.transactions:
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.transactions", "4+")
    put_compact_string(w, m.v3_and_below_transactional_id)
    w += _write_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
    n = len(m.v3_and_below_topics)
    put_uvarint(w, n + 1)
    for v3_and_below_topics_item in m.v3_and_below_topics:
        _encode_add_partitions_to_txn_topic_v3(v3_and_below_topics_item, w)
    w.append(0)


def _encode_add_partitions_to_txn_request_v4(m: AddPartitionsToTxnRequest, w: bytearray) -> None:
    if m.v3_and_below_transactional_id != "":
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.v3_and_below_transactional_id", "0-3")
    if m.v3_and_below_producer_id != 0:
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.v3_and_below_producer_id", "0-3")
    if m.v3_and_below_producer_epoch != 0:
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.v3_and_below_producer_epoch", "0-3")
    if m.v3_and_below_topics:
        raise UnsupportedFieldError("AddPartitionsToTxnRequest.v3_and_below_topics", "0-3")
    n = len(m.transactions)
    put_uvarint(w, n + 1)
    for transactions_item in m.transactions:
        _encode_add_partitions_to_txn_transaction_v4(transactions_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_add_partitions_to_txn_request_v0, 1: _decode_add_partitions_to_txn_request_v0, 2: _decode_add_partitions_to_txn_request_v0, 3: _decode_add_partitions_to_txn_request_v3, 4: _decode_add_partitions_to_txn_request_v4, 5: _decode_add_partitions_to_txn_request_v4}
_REQUEST_ENCODERS = {0: _encode_add_partitions_to_txn_request_v0, 1: _encode_add_partitions_to_txn_request_v0, 2: _encode_add_partitions_to_txn_request_v0, 3: _encode_add_partitions_to_txn_request_v3, 4: _encode_add_partitions_to_txn_request_v4, 5: _encode_add_partitions_to_txn_request_v4}


def decode_request(buf: Buffer, pos: int, version: int) -> AddPartitionsToTxnRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AddPartitionsToTxnRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AddPartitionsToTxnRequest", version, pos, len(buf))
    return message


def encode_request(message: AddPartitionsToTxnRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AddPartitionsToTxnRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AddPartitionsToTxnPartitionResult(Message):
    __slots__ = ("partition_index", "partition_error_code")

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code


class AddPartitionsToTxnTopicResult(Message):
    __slots__ = ("name", "results_by_partition")

    def __init__(
        self,
        name: str = "",
        results_by_partition: Sequence[AddPartitionsToTxnPartitionResult] = (),
    ) -> None:
        self.name = name
        self.results_by_partition = results_by_partition


class AddPartitionsToTxnResult(Message):
    __slots__ = ("transactional_id", "topic_results")

    def __init__(
        self,
        transactional_id: str = "",
        topic_results: Sequence[AddPartitionsToTxnTopicResult] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = topic_results


class AddPartitionsToTxnResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "results_by_transaction", "results_by_topic_v3_and_below")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: Sequence[AddPartitionsToTxnResult] = (),
        results_by_topic_v3_and_below: Sequence[AddPartitionsToTxnTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = results_by_transaction
        self.results_by_topic_v3_and_below = results_by_topic_v3_and_below


def _decode_add_partitions_to_txn_partition_result_v0(buf: Buffer, pos: int) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code = _read_ih(buf, pos)
    pos += 6
    return AddPartitionsToTxnPartitionResult(partition_index, partition_error_code), pos


def _decode_add_partitions_to_txn_partition_result_v3(buf: Buffer, pos: int) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnPartitionResult(partition_index, partition_error_code), pos


def _decode_add_partitions_to_txn_topic_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AddPartitionsToTxnTopicResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AddPartitionsToTxnTopicResult.results_by_partition")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnTopicResult.results_by_partition", n)
    budget[0] -= n
    results_by_partition = []
    for _ in range(n):
        results_by_partition_item, pos = _decode_add_partitions_to_txn_partition_result_v0(buf, pos)
        results_by_partition.append(results_by_partition_item)
    return AddPartitionsToTxnTopicResult(name, results_by_partition), pos


def _decode_add_partitions_to_txn_topic_result_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnTopicResult.results_by_partition")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnTopicResult.results_by_partition", n)
    budget[0] -= n
    results_by_partition = []
    for _ in range(n):
        results_by_partition_item, pos = _decode_add_partitions_to_txn_partition_result_v3(buf, pos)
        results_by_partition.append(results_by_partition_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnTopicResult(name, results_by_partition), pos


def _decode_add_partitions_to_txn_result_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnResult.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnResult.topic_results")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnResult.topic_results", n)
    budget[0] -= n
    topic_results = []
    for _ in range(n):
        topic_results_item, pos = _decode_add_partitions_to_txn_topic_result_v3(buf, pos, budget)
        topic_results.append(topic_results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnResult(transactional_id, topic_results), pos


def _decode_add_partitions_to_txn_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("AddPartitionsToTxnResponse.results_by_topic_v3_and_below")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnResponse.results_by_topic_v3_and_below", n)
    budget[0] -= n
    results_by_topic_v3_and_below = []
    for _ in range(n):
        results_by_topic_v3_and_below_item, pos = _decode_add_partitions_to_txn_topic_result_v0(buf, pos, budget)
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    return AddPartitionsToTxnResponse(throttle_time_ms, 0, (), results_by_topic_v3_and_below), pos


def _decode_add_partitions_to_txn_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnResponse.results_by_topic_v3_and_below")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnResponse.results_by_topic_v3_and_below", n)
    budget[0] -= n
    results_by_topic_v3_and_below = []
    for _ in range(n):
        results_by_topic_v3_and_below_item, pos = _decode_add_partitions_to_txn_topic_result_v3(buf, pos, budget)
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnResponse(throttle_time_ms, 0, (), results_by_topic_v3_and_below), pos


def _decode_add_partitions_to_txn_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AddPartitionsToTxnResponse.results_by_transaction")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AddPartitionsToTxnResponse.results_by_transaction", n)
    budget[0] -= n
    results_by_transaction = []
    for _ in range(n):
        results_by_transaction_item, pos = _decode_add_partitions_to_txn_result_v4(buf, pos, budget)
        results_by_transaction.append(results_by_transaction_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AddPartitionsToTxnResponse(throttle_time_ms, error_code, results_by_transaction, ()), pos


def _encode_add_partitions_to_txn_partition_result_v0(m: AddPartitionsToTxnPartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.partition_error_code)


def _encode_add_partitions_to_txn_partition_result_v3(m: AddPartitionsToTxnPartitionResult, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.partition_error_code)


def _encode_add_partitions_to_txn_topic_result_v0(m: AddPartitionsToTxnTopicResult, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.results_by_partition)
    w += _write_i(n)
    for results_by_partition_item in m.results_by_partition:
        _encode_add_partitions_to_txn_partition_result_v0(results_by_partition_item, w)


def _encode_add_partitions_to_txn_topic_result_v3(m: AddPartitionsToTxnTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.results_by_partition)
    put_uvarint(w, n + 1)
    for results_by_partition_item in m.results_by_partition:
        _encode_add_partitions_to_txn_partition_result_v3(results_by_partition_item, w)
    w.append(0)


def _encode_add_partitions_to_txn_result_v4(m: AddPartitionsToTxnResult, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    n = len(m.topic_results)
    put_uvarint(w, n + 1)
    for topic_results_item in m.topic_results:
        _encode_add_partitions_to_txn_topic_result_v3(topic_results_item, w)
    w.append(0)


def _encode_add_partitions_to_txn_response_v0(m: AddPartitionsToTxnResponse, w: bytearray) -> None:
    if m.results_by_transaction:
        raise UnsupportedFieldError("AddPartitionsToTxnResponse.results_by_transaction", "4+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.results_by_topic_v3_and_below)
    w += _write_i(n)
    for results_by_topic_v3_and_below_item in m.results_by_topic_v3_and_below:
        _encode_add_partitions_to_txn_topic_result_v0(results_by_topic_v3_and_below_item, w)


def _encode_add_partitions_to_txn_response_v3(m: AddPartitionsToTxnResponse, w: bytearray) -> None:
    if m.results_by_transaction:
        raise UnsupportedFieldError("AddPartitionsToTxnResponse.results_by_transaction", "4+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.results_by_topic_v3_and_below)
    put_uvarint(w, n + 1)
    for results_by_topic_v3_and_below_item in m.results_by_topic_v3_and_below:
        _encode_add_partitions_to_txn_topic_result_v3(results_by_topic_v3_and_below_item, w)
    w.append(0)


def _encode_add_partitions_to_txn_response_v4(m: AddPartitionsToTxnResponse, w: bytearray) -> None:
    if m.results_by_topic_v3_and_below:
        raise UnsupportedFieldError("AddPartitionsToTxnResponse.results_by_topic_v3_and_below", "0-3")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.results_by_transaction)
    put_uvarint(w, n + 1)
    for results_by_transaction_item in m.results_by_transaction:
        _encode_add_partitions_to_txn_result_v4(results_by_transaction_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_add_partitions_to_txn_response_v0, 1: _decode_add_partitions_to_txn_response_v0, 2: _decode_add_partitions_to_txn_response_v0, 3: _decode_add_partitions_to_txn_response_v3, 4: _decode_add_partitions_to_txn_response_v4, 5: _decode_add_partitions_to_txn_response_v4}
_RESPONSE_ENCODERS = {0: _encode_add_partitions_to_txn_response_v0, 1: _encode_add_partitions_to_txn_response_v0, 2: _encode_add_partitions_to_txn_response_v0, 3: _encode_add_partitions_to_txn_response_v3, 4: _encode_add_partitions_to_txn_response_v4, 5: _encode_add_partitions_to_txn_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> AddPartitionsToTxnResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AddPartitionsToTxnResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AddPartitionsToTxnResponse", version, pos, len(buf))
    return message


def encode_response(message: AddPartitionsToTxnResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AddPartitionsToTxnResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
