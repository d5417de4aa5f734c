"""CreateTopics, API key 19: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_string,
    put_string,
    put_tags,
    read_tag,
    skip_tags,
    string_length_tail,
    tag_count_error,
    tag_error,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts, Tags

API_KEY = 19
MIN_VERSION = 2
MAX_VERSION = 7
FLEXIBLE_VERSION = 5


_write_uh = Struct(">16sh").pack
_read_uhB = Struct(">16shB").unpack_from
_read_tbtB = Struct(">?b?B").unpack_from
_write_tbtx = Struct(">?b?x").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_it = Struct(">i?").unpack_from
_write_it = Struct(">i?").pack
_read_itB = Struct(">i?B").unpack_from
_write_itx = Struct(">i?x").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_read_ii = Struct(">ii").unpack_from


class CreatableReplicaAssignment(Message):
    __slots__ = ("partition_index", "broker_ids")

    def __init__(
        self,
        partition_index: int = 0,
        broker_ids: Sequence[int] = (),
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = broker_ids


class CreatableTopicConfig(Message):
    __slots__ = ("name", "value")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.name = name
        self.value = value


class CreatableTopic(Message):
    __slots__ = ("name", "num_partitions", "replication_factor", "assignments", "configs")

    def __init__(
        self,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: Sequence[CreatableReplicaAssignment] = (),
        configs: Sequence[CreatableTopicConfig] = (),
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = assignments
        self.configs = configs


class CreateTopicsRequest(Message):
    __slots__ = ("topics", "timeout_ms", "validate_only")

    def __init__(
        self,
        topics: Sequence[CreatableTopic] = (),
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


def _decode_creatable_replica_assignment_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableReplicaAssignment, int]:
    partition_index, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("CreatableReplicaAssignment.broker_ids")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreatableReplicaAssignment.broker_ids", n)
    budget[0] -= n
    broker_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return CreatableReplicaAssignment(partition_index, broker_ids), pos


def _decode_creatable_replica_assignment_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableReplicaAssignment, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableReplicaAssignment.broker_ids")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreatableReplicaAssignment.broker_ids", n)
    budget[0] -= n
    broker_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatableReplicaAssignment(partition_index, broker_ids), pos


def _decode_creatable_topic_config_v2(buf: Buffer, pos: int) -> tuple[CreatableTopicConfig, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatableTopicConfig.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    value: str | None
    if n < 0:
        value = None
    else:
        end = pos + n
        value = buf[pos:end].decode()
        pos = end
    return CreatableTopicConfig(name, value), pos


def _decode_creatable_topic_config_v5(buf: Buffer, pos: int) -> tuple[CreatableTopicConfig, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopicConfig.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatableTopicConfig(name, value), pos


def _decode_creatable_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatableTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    num_partitions, replication_factor, n = _read_ihi(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("CreatableTopic.assignments")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("CreatableTopic.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_creatable_replica_assignment_v2(buf, pos, budget)
        assignments.append(assignments_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreatableTopic.configs")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreatableTopic.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_creatable_topic_config_v2(buf, pos)
        configs.append(configs_item)
    return CreatableTopic(name, num_partitions, replication_factor, assignments, configs), pos


def _decode_creatable_topic_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    num_partitions, replication_factor, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopic.assignments")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("CreatableTopic.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_creatable_replica_assignment_v5(buf, pos, budget)
        assignments.append(assignments_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopic.configs")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("CreatableTopic.configs", n)
    budget[0] -= n
    configs = []
    for _ in range(n):
        configs_item, pos = _decode_creatable_topic_config_v5(buf, pos)
        configs.append(configs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatableTopic(name, num_partitions, replication_factor, assignments, configs), pos


def _decode_create_topics_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateTopicsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreateTopicsRequest.topics")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("CreateTopicsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, validate_only = _read_it(buf, pos)
    pos += 5
    return CreateTopicsRequest(topics, timeout_ms, validate_only), pos


def _decode_create_topics_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateTopicsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateTopicsRequest.topics")
    n -= 1
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("CreateTopicsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_v5(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, validate_only, n = _read_itB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateTopicsRequest(topics, timeout_ms, validate_only), pos


def _encode_creatable_replica_assignment_v2(m: CreatableReplicaAssignment, w: bytearray) -> None:
    w += _write_i(m.partition_index)
    n = len(m.broker_ids)
    w += pack(f">i{n}i", n, *m.broker_ids)


def _encode_creatable_replica_assignment_v5(m: CreatableReplicaAssignment, w: bytearray) -> None:
    w += _write_i(m.partition_index)
    n = len(m.broker_ids)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.broker_ids)
    w.append(0)


def _encode_creatable_topic_config_v2(m: CreatableTopicConfig, w: bytearray) -> None:
    put_string(w, m.name)
    put_nullable_string(w, m.value)


def _encode_creatable_topic_config_v5(m: CreatableTopicConfig, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_nullable_string(w, m.value)
    w.append(0)


def _encode_creatable_topic_v2(m: CreatableTopic, w: bytearray) -> None:
    put_string(w, m.name)
    w += _write_ih(m.num_partitions, m.replication_factor)
    n = len(m.assignments)
    w += _write_i(n)
    for assignments_item in m.assignments:
        _encode_creatable_replica_assignment_v2(assignments_item, w)
    n = len(m.configs)
    w += _write_i(n)
    for configs_item in m.configs:
        _encode_creatable_topic_config_v2(configs_item, w)


def _encode_creatable_topic_v5(m: CreatableTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_ih(m.num_partitions, m.replication_factor)
    n = len(m.assignments)
    put_uvarint(w, n + 1)
    for assignments_item in m.assignments:
        _encode_creatable_replica_assignment_v5(assignments_item, w)
    n = len(m.configs)
    put_uvarint(w, n + 1)
    for configs_item in m.configs:
        _encode_creatable_topic_config_v5(configs_item, w)
    w.append(0)


def _encode_create_topics_request_v2(m: CreateTopicsRequest, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_creatable_topic_v2(topics_item, w)
    w += _write_it(m.timeout_ms, m.validate_only)


def _encode_create_topics_request_v5(m: CreateTopicsRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_creatable_topic_v5(topics_item, w)
    w += _write_itx(m.timeout_ms, m.validate_only)


_REQUEST_DECODERS = {2: _decode_create_topics_request_v2, 3: _decode_create_topics_request_v2, 4: _decode_create_topics_request_v2, 5: _decode_create_topics_request_v5, 6: _decode_create_topics_request_v5, 7: _decode_create_topics_request_v5}
_REQUEST_ENCODERS = {2: _encode_create_topics_request_v2, 3: _encode_create_topics_request_v2, 4: _encode_create_topics_request_v2, 5: _encode_create_topics_request_v5, 6: _encode_create_topics_request_v5, 7: _encode_create_topics_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> CreateTopicsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreateTopicsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("CreateTopicsRequest", version, pos, len(buf))
    return message


def encode_request(message: CreateTopicsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("CreateTopicsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class CreatableTopicConfigs(Message):
    __slots__ = ("name", "value", "read_only", "config_source", "is_sensitive")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive


class CreatableTopicResult(Message):
    __slots__ = ("name", "topic_id", "error_code", "error_message", "topic_config_error_code", "num_partitions", "replication_factor", "configs")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = "",
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: Sequence[CreatableTopicConfigs] | None = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = configs


class CreateTopicsResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[CreatableTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_creatable_topic_configs_v5(buf: Buffer, pos: int) -> tuple[CreatableTopicConfigs, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopicConfigs.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    value: str | None
    if not n:
        value = None
    else:
        end = pos + n - 1
        value = buf[pos:end].decode()
        pos = end
    read_only, config_source, is_sensitive, n = _read_tbtB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatableTopicConfigs(name, value, read_only, config_source, is_sensitive), pos


def _decode_creatable_topic_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatableTopicResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    return CreatableTopicResult(name, ZERO_UUID, error_code, error_message, 0, -1, -1, ()), pos


def _decode_creatable_topic_result_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopicResult.name")
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
    num_partitions, replication_factor, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    configs: list[CreatableTopicConfigs] | None
    if not n:
        configs = None
    else:
        n -= 1
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("CreatableTopicResult.configs", n)
        budget[0] -= n
        configs = []
        for _ in range(n):
            configs_item, pos = _decode_creatable_topic_configs_v5(buf, pos)
            configs.append(configs_item)
    n = buf[pos]
    pos += 1
    topic_config_error_code: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("CreatableTopicResult")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (topic_config_error_code,) = _read_h(buf, pos)
                pos += 2
            else:
                pos = stop
            if pos != stop:
                raise tag_error("CreatableTopicResult", tag)
    return CreatableTopicResult(name, ZERO_UUID, error_code, error_message, topic_config_error_code, num_partitions, replication_factor, configs), pos


def _decode_creatable_topic_result_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatableTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatableTopicResult.name")
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
    num_partitions, replication_factor, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    configs: list[CreatableTopicConfigs] | None
    if not n:
        configs = None
    else:
        n -= 1
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("CreatableTopicResult.configs", n)
        budget[0] -= n
        configs = []
        for _ in range(n):
            configs_item, pos = _decode_creatable_topic_configs_v5(buf, pos)
            configs.append(configs_item)
    n = buf[pos]
    pos += 1
    topic_config_error_code: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("CreatableTopicResult")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (topic_config_error_code,) = _read_h(buf, pos)
                pos += 2
            else:
                pos = stop
            if pos != stop:
                raise tag_error("CreatableTopicResult", tag)
    return CreatableTopicResult(name, topic_id, error_code, error_message, topic_config_error_code, num_partitions, replication_factor, configs), pos


def _decode_create_topics_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("CreateTopicsResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("CreateTopicsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v2(buf, pos, budget)
        topics.append(topics_item)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _decode_create_topics_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateTopicsResponse.topics")
    n -= 1
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("CreateTopicsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v5(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _decode_create_topics_response_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateTopicsResponse.topics")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("CreateTopicsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v7(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _encode_creatable_topic_configs_v5(m: CreatableTopicConfigs, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_nullable_string(w, m.value)
    w += _write_tbtx(m.read_only, m.config_source, m.is_sensitive)


def _encode_creatable_topic_result_v2(m: CreatableTopicResult, w: bytearray) -> None:
    put_string(w, m.name)
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)


def _encode_creatable_topic_result_v5(m: CreatableTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_ih(m.num_partitions, m.replication_factor)
    if m.configs is None:
        w.append(0)
    else:
        n = len(m.configs)
        put_uvarint(w, n + 1)
        for configs_item in m.configs:
            _encode_creatable_topic_configs_v5(configs_item, w)
    tags: Tags = []
    if m.topic_config_error_code != 0:
        tags.append(b'\x00\x02' + _write_h(m.topic_config_error_code))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_creatable_topic_result_v7(m: CreatableTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_uh(m.topic_id, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_ih(m.num_partitions, m.replication_factor)
    if m.configs is None:
        w.append(0)
    else:
        n = len(m.configs)
        put_uvarint(w, n + 1)
        for configs_item in m.configs:
            _encode_creatable_topic_configs_v5(configs_item, w)
    tags: Tags = []
    if m.topic_config_error_code != 0:
        tags.append(b'\x00\x02' + _write_h(m.topic_config_error_code))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_create_topics_response_v2(m: CreateTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_creatable_topic_result_v2(topics_item, w)


def _encode_create_topics_response_v5(m: CreateTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_creatable_topic_result_v5(topics_item, w)
    w.append(0)


def _encode_create_topics_response_v7(m: CreateTopicsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_creatable_topic_result_v7(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {2: _decode_create_topics_response_v2, 3: _decode_create_topics_response_v2, 4: _decode_create_topics_response_v2, 5: _decode_create_topics_response_v5, 6: _decode_create_topics_response_v5, 7: _decode_create_topics_response_v7}
_RESPONSE_ENCODERS = {2: _encode_create_topics_response_v2, 3: _encode_create_topics_response_v2, 4: _encode_create_topics_response_v2, 5: _encode_create_topics_response_v5, 6: _encode_create_topics_response_v5, 7: _encode_create_topics_response_v7}


def decode_response(buf: Buffer, pos: int, version: int) -> CreateTopicsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreateTopicsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("CreateTopicsResponse", version, pos, len(buf))
    return message


def encode_response(message: CreateTopicsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("CreateTopicsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_CREATABLE_TOPIC_RESULT_ENCODERS = {2: _encode_creatable_topic_result_v2, 3: _encode_creatable_topic_result_v2, 4: _encode_creatable_topic_result_v2, 5: _encode_creatable_topic_result_v5, 6: _encode_creatable_topic_result_v5, 7: _encode_creatable_topic_result_v7}


def encode_creatable_topic_result(item: CreatableTopicResult, version: int) -> bytes:
    if version not in _CREATABLE_TOPIC_RESULT_ENCODERS:
        raise UnsupportedVersionError("CreatableTopicResult", version)
    w = bytearray()
    _CREATABLE_TOPIC_RESULT_ENCODERS[version](item, w)
    return bytes(w)
