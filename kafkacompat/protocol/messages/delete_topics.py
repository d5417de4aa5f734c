"""DeleteTopics, API key 20: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

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
    null_field_error,
    put_compact_nullable_string,
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

API_KEY = 20
MIN_VERSION = 1
MAX_VERSION = 6
FLEXIBLE_VERSION = 4


_read_uB = Struct(">16sB").unpack_from
_write_uh = Struct(">16sh").pack
_read_uhB = Struct(">16shB").unpack_from
_write_ux = Struct(">16sx").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ix = Struct(">ix").pack


class DeleteTopicState(Message):
    __slots__ = ("name", "topic_id")

    def __init__(
        self,
        name: str | None = None,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id


class DeleteTopicsRequest(Message):
    __slots__ = ("topics", "topic_names", "timeout_ms")

    def __init__(
        self,
        topics: Sequence[DeleteTopicState] = (),
        topic_names: Sequence[str] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.topics = topics
        self.topic_names = topic_names
        self.timeout_ms = timeout_ms


def _decode_delete_topic_state_v6(buf: Buffer, pos: int) -> tuple[DeleteTopicState, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    name: str | None
    if not n:
        name = None
    else:
        end = pos + n - 1
        name = buf[pos:end].decode()
        pos = end
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicState(name, topic_id), pos


def _decode_delete_topics_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteTopicsRequest.topic_names")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DeleteTopicsRequest.topic_names", n)
    budget[0] -= n
    topic_names = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("DeleteTopicsRequest.topic_names")
        end = pos + n
        topic_names.append(buf[pos:end].decode())
        pos = end
    (timeout_ms,) = _read_i(buf, pos)
    pos += 4
    return DeleteTopicsRequest((), topic_names, timeout_ms), pos


def _decode_delete_topics_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteTopicsRequest.topic_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("DeleteTopicsRequest.topic_names", n)
    budget[0] -= n
    topic_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("DeleteTopicsRequest.topic_names")
        end = pos + n - 1
        topic_names.append(buf[pos:end].decode())
        pos = end
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicsRequest((), topic_names, timeout_ms), pos


def _decode_delete_topics_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteTopicsRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DeleteTopicsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_topic_state_v6(buf, pos)
        topics.append(topics_item)
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicsRequest(topics, (), timeout_ms), pos


def _encode_delete_topic_state_v6(m: DeleteTopicState, w: bytearray) -> None:
    put_compact_nullable_string(w, m.name)
    w += _write_ux(m.topic_id)


def _encode_delete_topics_request_v1(m: DeleteTopicsRequest, w: bytearray) -> None:
    if m.topics:
        raise UnsupportedFieldError("DeleteTopicsRequest.topics", "6+")
    n = len(m.topic_names)
    w += _write_i(n)
    for topic_names_item in m.topic_names:
        put_string(w, topic_names_item)
    w += _write_i(m.timeout_ms)


def _encode_delete_topics_request_v4(m: DeleteTopicsRequest, w: bytearray) -> None:
    if m.topics:
        raise UnsupportedFieldError("DeleteTopicsRequest.topics", "6+")
    n = len(m.topic_names)
    put_uvarint(w, n + 1)
    for topic_names_item in m.topic_names:
        put_compact_string(w, topic_names_item)
    w += _write_ix(m.timeout_ms)


def _encode_delete_topics_request_v6(m: DeleteTopicsRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_delete_topic_state_v6(topics_item, w)
    w += _write_ix(m.timeout_ms)


_REQUEST_DECODERS = {1: _decode_delete_topics_request_v1, 2: _decode_delete_topics_request_v1, 3: _decode_delete_topics_request_v1, 4: _decode_delete_topics_request_v4, 5: _decode_delete_topics_request_v4, 6: _decode_delete_topics_request_v6}
_REQUEST_ENCODERS = {1: _encode_delete_topics_request_v1, 2: _encode_delete_topics_request_v1, 3: _encode_delete_topics_request_v1, 4: _encode_delete_topics_request_v4, 5: _encode_delete_topics_request_v4, 6: _encode_delete_topics_request_v6}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteTopicsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteTopicsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteTopicsRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteTopicsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteTopicsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DeletableTopicResult(Message):
    __slots__ = ("name", "topic_id", "error_code", "error_message")

    def __init__(
        self,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteTopicsResponse(Message):
    __slots__ = ("throttle_time_ms", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: Sequence[DeletableTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


def _decode_deletable_topic_result_v1(buf: Buffer, pos: int) -> tuple[DeletableTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DeletableTopicResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return DeletableTopicResult(name, ZERO_UUID, error_code, None), pos


def _decode_deletable_topic_result_v4(buf: Buffer, pos: int) -> tuple[DeletableTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeletableTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DeletableTopicResult(name, ZERO_UUID, error_code, None), pos


def _decode_deletable_topic_result_v5(buf: Buffer, pos: int) -> tuple[DeletableTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeletableTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeletableTopicResult(name, ZERO_UUID, error_code, error_message), pos


def _decode_deletable_topic_result_v6(buf: Buffer, pos: int) -> tuple[DeletableTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    name: str | None
    if not n:
        name = None
    else:
        end = pos + n - 1
        name = buf[pos:end].decode()
        pos = end
    topic_id, error_code, n = _read_uhB(buf, pos)
    pos += 19
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeletableTopicResult(name, topic_id, error_code, error_message), pos


def _decode_delete_topics_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DeleteTopicsResponse.responses")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DeleteTopicsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v1(buf, pos)
        responses.append(responses_item)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_delete_topics_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteTopicsResponse.responses")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DeleteTopicsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v4(buf, pos)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_delete_topics_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteTopicsResponse.responses")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DeleteTopicsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v5(buf, pos)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_delete_topics_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteTopicsResponse.responses")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("DeleteTopicsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v6(buf, pos)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _encode_deletable_topic_result_v1(m: DeletableTopicResult, w: bytearray) -> None:
    if m.name is None:
        raise null_field_error("DeletableTopicResult.name")
    put_string(w, m.name)
    w += _write_h(m.error_code)


def _encode_deletable_topic_result_v4(m: DeletableTopicResult, w: bytearray) -> None:
    if m.name is None:
        raise null_field_error("DeletableTopicResult.name")
    put_compact_string(w, m.name)
    w += _write_hx(m.error_code)


def _encode_deletable_topic_result_v5(m: DeletableTopicResult, w: bytearray) -> None:
    if m.name is None:
        raise null_field_error("DeletableTopicResult.name")
    put_compact_string(w, m.name)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_deletable_topic_result_v6(m: DeletableTopicResult, w: bytearray) -> None:
    put_compact_nullable_string(w, m.name)
    w += _write_uh(m.topic_id, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_delete_topics_response_v1(m: DeleteTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_deletable_topic_result_v1(responses_item, w)


def _encode_delete_topics_response_v4(m: DeleteTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_deletable_topic_result_v4(responses_item, w)
    w.append(0)


def _encode_delete_topics_response_v5(m: DeleteTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_deletable_topic_result_v5(responses_item, w)
    w.append(0)


def _encode_delete_topics_response_v6(m: DeleteTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_deletable_topic_result_v6(responses_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_delete_topics_response_v1, 2: _decode_delete_topics_response_v1, 3: _decode_delete_topics_response_v1, 4: _decode_delete_topics_response_v4, 5: _decode_delete_topics_response_v5, 6: _decode_delete_topics_response_v6}
_RESPONSE_ENCODERS = {1: _encode_delete_topics_response_v1, 2: _encode_delete_topics_response_v1, 3: _encode_delete_topics_response_v1, 4: _encode_delete_topics_response_v4, 5: _encode_delete_topics_response_v5, 6: _encode_delete_topics_response_v6}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteTopicsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteTopicsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteTopicsResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteTopicsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteTopicsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
