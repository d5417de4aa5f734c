"""DeleteShareGroupOffsets, API key 92: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
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

API_KEY = 92
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_uh = Struct(">16sh").pack
_read_uhB = Struct(">16shB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class DeleteShareGroupOffsetsRequestTopic(Message):
    __slots__ = ("topic_name",)

    def __init__(
        self,
        topic_name: str = "",
    ) -> None:
        self.topic_name = topic_name


class DeleteShareGroupOffsetsRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[DeleteShareGroupOffsetsRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_delete_share_group_offsets_request_topic_v0(buf: Buffer, pos: int) -> tuple[DeleteShareGroupOffsetsRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupOffsetsRequestTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteShareGroupOffsetsRequestTopic(topic_name), pos


def _decode_delete_share_group_offsets_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteShareGroupOffsetsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupOffsetsRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupOffsetsRequest.topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DeleteShareGroupOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_share_group_offsets_request_topic_v0(buf, pos)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteShareGroupOffsetsRequest(group_id, topics), pos


def _encode_delete_share_group_offsets_request_topic_v0(m: DeleteShareGroupOffsetsRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w.append(0)


def _encode_delete_share_group_offsets_request_v0(m: DeleteShareGroupOffsetsRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_delete_share_group_offsets_request_topic_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_delete_share_group_offsets_request_v0}
_REQUEST_ENCODERS = {0: _encode_delete_share_group_offsets_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteShareGroupOffsetsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteShareGroupOffsetsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteShareGroupOffsetsRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteShareGroupOffsetsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteShareGroupOffsetsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DeleteShareGroupOffsetsResponseTopic(Message):
    __slots__ = ("topic_name", "topic_id", "error_code", "error_message")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteShareGroupOffsetsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: Sequence[DeleteShareGroupOffsetsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _decode_delete_share_group_offsets_response_topic_v0(buf: Buffer, pos: int) -> tuple[DeleteShareGroupOffsetsResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupOffsetsResponseTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
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
    return DeleteShareGroupOffsetsResponseTopic(topic_name, topic_id, error_code, error_message), pos


def _decode_delete_share_group_offsets_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteShareGroupOffsetsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupOffsetsResponse.responses")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("DeleteShareGroupOffsetsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_delete_share_group_offsets_response_topic_v0(buf, pos)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses), pos


def _encode_delete_share_group_offsets_response_topic_v0(m: DeleteShareGroupOffsetsResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_uh(m.topic_id, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_delete_share_group_offsets_response_v0(m: DeleteShareGroupOffsetsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_delete_share_group_offsets_response_topic_v0(responses_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_delete_share_group_offsets_response_v0}
_RESPONSE_ENCODERS = {0: _encode_delete_share_group_offsets_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteShareGroupOffsetsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteShareGroupOffsetsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteShareGroupOffsetsResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteShareGroupOffsetsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteShareGroupOffsetsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
