"""ListTransactions, API key 66: request and response in every version."""

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
    put_compact_nullable_string,
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

API_KEY = 66
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_write_qx = Struct(">qx").pack


class ListTransactionsRequest(Message):
    __slots__ = ("state_filters", "producer_id_filters", "duration_filter", "transactional_id_pattern")

    def __init__(
        self,
        state_filters: Sequence[str] = (),
        producer_id_filters: Sequence[int] = (),
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters = state_filters
        self.producer_id_filters = producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern


def _decode_list_transactions_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListTransactionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.state_filters")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListTransactionsRequest.state_filters", n)
    budget[0] -= n
    state_filters = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListTransactionsRequest.state_filters")
        end = pos + n - 1
        state_filters.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.producer_id_filters")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ListTransactionsRequest.producer_id_filters", n)
    budget[0] -= n
    producer_id_filters = list(unpack_from(f">{n}q", buf, pos))
    pos += n * 8
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListTransactionsRequest(state_filters, producer_id_filters, -1, None), pos


def _decode_list_transactions_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListTransactionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.state_filters")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListTransactionsRequest.state_filters", n)
    budget[0] -= n
    state_filters = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListTransactionsRequest.state_filters")
        end = pos + n - 1
        state_filters.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.producer_id_filters")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ListTransactionsRequest.producer_id_filters", n)
    budget[0] -= n
    producer_id_filters = list(unpack_from(f">{n}q", buf, pos))
    pos += n * 8
    duration_filter, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return ListTransactionsRequest(state_filters, producer_id_filters, duration_filter, None), pos


def _decode_list_transactions_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListTransactionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.state_filters")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListTransactionsRequest.state_filters", n)
    budget[0] -= n
    state_filters = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListTransactionsRequest.state_filters")
        end = pos + n - 1
        state_filters.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsRequest.producer_id_filters")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ListTransactionsRequest.producer_id_filters", n)
    budget[0] -= n
    producer_id_filters = list(unpack_from(f">{n}q", buf, pos))
    pos += n * 8
    duration_filter, n = _read_qB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id_pattern: str | None
    if not n:
        transactional_id_pattern = None
    else:
        end = pos + n - 1
        transactional_id_pattern = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListTransactionsRequest(state_filters, producer_id_filters, duration_filter, transactional_id_pattern), pos


def _encode_list_transactions_request_v0(m: ListTransactionsRequest, w: bytearray) -> None:
    if m.duration_filter != -1:
        raise UnsupportedFieldError("ListTransactionsRequest.duration_filter", "1+")
    if m.transactional_id_pattern is not None:
        raise UnsupportedFieldError("ListTransactionsRequest.transactional_id_pattern", "2+")
    n = len(m.state_filters)
    put_uvarint(w, n + 1)
    for state_filters_item in m.state_filters:
        put_compact_string(w, state_filters_item)
    n = len(m.producer_id_filters)
    put_uvarint(w, n + 1)
    w += pack(f">{n}q", *m.producer_id_filters)
    w.append(0)


def _encode_list_transactions_request_v1(m: ListTransactionsRequest, w: bytearray) -> None:
    if m.transactional_id_pattern is not None:
        raise UnsupportedFieldError("ListTransactionsRequest.transactional_id_pattern", "2+")
    n = len(m.state_filters)
    put_uvarint(w, n + 1)
    for state_filters_item in m.state_filters:
        put_compact_string(w, state_filters_item)
    n = len(m.producer_id_filters)
    put_uvarint(w, n + 1)
    w += pack(f">{n}q", *m.producer_id_filters)
    w += _write_qx(m.duration_filter)


def _encode_list_transactions_request_v2(m: ListTransactionsRequest, w: bytearray) -> None:
    n = len(m.state_filters)
    put_uvarint(w, n + 1)
    for state_filters_item in m.state_filters:
        put_compact_string(w, state_filters_item)
    n = len(m.producer_id_filters)
    put_uvarint(w, n + 1)
    w += pack(f">{n}q", *m.producer_id_filters)
    w += _write_q(m.duration_filter)
    put_compact_nullable_string(w, m.transactional_id_pattern)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_list_transactions_request_v0, 1: _decode_list_transactions_request_v1, 2: _decode_list_transactions_request_v2}
_REQUEST_ENCODERS = {0: _encode_list_transactions_request_v0, 1: _encode_list_transactions_request_v1, 2: _encode_list_transactions_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> ListTransactionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListTransactionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ListTransactionsRequest", version, pos, len(buf))
    return message


def encode_request(message: ListTransactionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ListTransactionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class TransactionState(Message):
    __slots__ = ("transactional_id", "producer_id", "transaction_state")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        transaction_state: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state


class ListTransactionsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "unknown_state_filters", "transaction_states")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: Sequence[str] = (),
        transaction_states: Sequence[TransactionState] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = unknown_state_filters
        self.transaction_states = transaction_states


def _decode_transaction_state_v0(buf: Buffer, pos: int) -> tuple[TransactionState, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TransactionState.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    producer_id, n = _read_qB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TransactionState.transaction_state")
    end = pos + n - 1
    transaction_state = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TransactionState(transactional_id, producer_id, transaction_state), pos


def _decode_list_transactions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListTransactionsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsResponse.unknown_state_filters")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListTransactionsResponse.unknown_state_filters", n)
    budget[0] -= n
    unknown_state_filters = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListTransactionsResponse.unknown_state_filters")
        end = pos + n - 1
        unknown_state_filters.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListTransactionsResponse.transaction_states")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("ListTransactionsResponse.transaction_states", n)
    budget[0] -= n
    transaction_states = []
    for _ in range(n):
        transaction_states_item, pos = _decode_transaction_state_v0(buf, pos)
        transaction_states.append(transaction_states_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListTransactionsResponse(throttle_time_ms, error_code, unknown_state_filters, transaction_states), pos


def _encode_transaction_state_v0(m: TransactionState, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    w += _write_q(m.producer_id)
    put_compact_string(w, m.transaction_state)
    w.append(0)


def _encode_list_transactions_response_v0(m: ListTransactionsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.unknown_state_filters)
    put_uvarint(w, n + 1)
    for unknown_state_filters_item in m.unknown_state_filters:
        put_compact_string(w, unknown_state_filters_item)
    n = len(m.transaction_states)
    put_uvarint(w, n + 1)
    for transaction_states_item in m.transaction_states:
        if isinstance(transaction_states_item, bytes):
            w += transaction_states_item
        else:
            _encode_transaction_state_v0(transaction_states_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_list_transactions_response_v0, 1: _decode_list_transactions_response_v0, 2: _decode_list_transactions_response_v0}
_RESPONSE_ENCODERS = {0: _encode_list_transactions_response_v0, 1: _encode_list_transactions_response_v0, 2: _encode_list_transactions_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> ListTransactionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListTransactionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ListTransactionsResponse", version, pos, len(buf))
    return message


def encode_response(message: ListTransactionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ListTransactionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_TRANSACTION_STATE_ENCODERS = {0: _encode_transaction_state_v0, 1: _encode_transaction_state_v0, 2: _encode_transaction_state_v0}


def encode_transaction_state(item: TransactionState, version: int) -> bytes:
    if version not in _TRANSACTION_STATE_ENCODERS:
        raise UnsupportedVersionError("TransactionState", version)
    w = bytearray()
    _TRANSACTION_STATE_ENCODERS[version](item, w)
    return bytes(w)
