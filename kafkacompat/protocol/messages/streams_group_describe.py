"""StreamsGroupDescribe, API key 89: request and response in every version."""

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
    frozen,
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

API_KEY = 89
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_read_ttB = Struct(">??B").unpack_from
_write_ttx = Struct(">??x").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_b = Struct(">b").unpack_from
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ib = Struct(">ib").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ii = Struct(">ii").pack
_read_iib = Struct(">iib").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack
_write_ix = Struct(">ix").pack


class StreamsGroupDescribeRequest(Message):
    __slots__ = ("group_ids", "include_authorized_operations", "include_topology_description")

    def __init__(
        self,
        group_ids: Sequence[str] = (),
        include_authorized_operations: bool = False,
        include_topology_description: bool = False,
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations
        self.include_topology_description = include_topology_description


def _decode_streams_group_describe_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupDescribeRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupDescribeRequest.group_ids")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("StreamsGroupDescribeRequest.group_ids", n)
    budget[0] -= n
    group_ids = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("StreamsGroupDescribeRequest.group_ids")
        end = pos + n - 1
        group_ids.append(buf[pos:end].decode())
        pos = end
    include_authorized_operations, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupDescribeRequest(group_ids, include_authorized_operations, False), pos


def _decode_streams_group_describe_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupDescribeRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupDescribeRequest.group_ids")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("StreamsGroupDescribeRequest.group_ids", n)
    budget[0] -= n
    group_ids = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("StreamsGroupDescribeRequest.group_ids")
        end = pos + n - 1
        group_ids.append(buf[pos:end].decode())
        pos = end
    include_authorized_operations, include_topology_description, n = _read_ttB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupDescribeRequest(group_ids, include_authorized_operations, include_topology_description), pos


def _encode_streams_group_describe_request_v0(m: StreamsGroupDescribeRequest, w: bytearray) -> None:
    if m.include_topology_description:
        raise UnsupportedFieldError("StreamsGroupDescribeRequest.include_topology_description", "1+")
    n = len(m.group_ids)
    put_uvarint(w, n + 1)
    for group_ids_item in m.group_ids:
        put_compact_string(w, group_ids_item)
    w += _write_tx(m.include_authorized_operations)


def _encode_streams_group_describe_request_v1(m: StreamsGroupDescribeRequest, w: bytearray) -> None:
    n = len(m.group_ids)
    put_uvarint(w, n + 1)
    for group_ids_item in m.group_ids:
        put_compact_string(w, group_ids_item)
    w += _write_ttx(m.include_authorized_operations, m.include_topology_description)


_REQUEST_DECODERS = {0: _decode_streams_group_describe_request_v0, 1: _decode_streams_group_describe_request_v1}
_REQUEST_ENCODERS = {0: _encode_streams_group_describe_request_v0, 1: _encode_streams_group_describe_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> StreamsGroupDescribeRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupDescribeRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("StreamsGroupDescribeRequest", version, pos, len(buf))
    return message


def encode_request(message: StreamsGroupDescribeRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupDescribeRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class KeyValue(Message):
    __slots__ = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: str = "",
    ) -> None:
        self.key = key
        self.value = value


class TopicInfo(Message):
    __slots__ = ("name", "partitions", "replication_factor", "topic_configs")

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: Sequence[KeyValue] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = topic_configs


class Subtopology(Message):
    __slots__ = ("subtopology_id", "source_topics", "repartition_sink_topics", "state_changelog_topics", "repartition_source_topics")

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: Sequence[str] = (),
        repartition_sink_topics: Sequence[str] = (),
        state_changelog_topics: Sequence[TopicInfo] = (),
        repartition_source_topics: Sequence[TopicInfo] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.state_changelog_topics = state_changelog_topics
        self.repartition_source_topics = repartition_source_topics


class Topology(Message):
    __slots__ = ("epoch", "subtopologies")

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: Sequence[Subtopology] | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies


class Endpoint(Message):
    __slots__ = ("host", "port")

    def __init__(
        self,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.host = host
        self.port = port


class TaskOffset(Message):
    __slots__ = ("subtopology_id", "partition", "offset")

    def __init__(
        self,
        subtopology_id: str = "",
        partition: int = 0,
        offset: int = 0,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset


class TaskIds(Message):
    __slots__ = ("subtopology_id", "partitions")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions


class Assignment(Message):
    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks")

    def __init__(
        self,
        active_tasks: Sequence[TaskIds] = (),
        standby_tasks: Sequence[TaskIds] = (),
        warmup_tasks: Sequence[TaskIds] = (),
    ) -> None:
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks


_DEFAULT_Assignment = frozen(Assignment())


class Member(Message):
    __slots__ = ("member_id", "member_epoch", "instance_id", "rack_id", "client_id", "client_host", "topology_epoch", "process_id", "user_endpoint", "client_tags", "task_offsets", "task_end_offsets", "assignment", "target_assignment", "is_classic")

    def __init__(
        self,
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: Endpoint | None = None,
        client_tags: Sequence[KeyValue] = (),
        task_offsets: Sequence[TaskOffset] = (),
        task_end_offsets: Sequence[TaskOffset] = (),
        assignment: Assignment = _DEFAULT_Assignment,
        target_assignment: Assignment = _DEFAULT_Assignment,
        is_classic: bool = False,
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.assignment = assignment
        self.target_assignment = target_assignment
        self.is_classic = is_classic


class TopologyDescriptionNode(Message):
    __slots__ = ("name", "node_type", "source_topics", "sink_topic", "stores", "successors")

    def __init__(
        self,
        name: str = "",
        node_type: int = 0,
        source_topics: Sequence[str] = (),
        sink_topic: str | None = None,
        stores: Sequence[str] = (),
        successors: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.node_type = node_type
        self.source_topics = source_topics
        self.sink_topic = sink_topic
        self.stores = stores
        self.successors = successors


_DEFAULT_TopologyDescriptionNode = frozen(TopologyDescriptionNode())


class TopologyDescriptionSubtopology(Message):
    __slots__ = ("subtopology_id", "nodes")

    def __init__(
        self,
        subtopology_id: str = "",
        nodes: Sequence[TopologyDescriptionNode] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.nodes = nodes


class TopologyDescriptionGlobalStore(Message):
    __slots__ = ("source", "processor")

    def __init__(
        self,
        source: TopologyDescriptionNode = _DEFAULT_TopologyDescriptionNode,
        processor: TopologyDescriptionNode = _DEFAULT_TopologyDescriptionNode,
    ) -> None:
        self.source = source
        self.processor = processor


class TopologyDescription(Message):
    __slots__ = ("subtopologies", "global_stores")

    def __init__(
        self,
        subtopologies: Sequence[TopologyDescriptionSubtopology] = (),
        global_stores: Sequence[TopologyDescriptionGlobalStore] = (),
    ) -> None:
        self.subtopologies = subtopologies
        self.global_stores = global_stores


class DescribedGroup(Message):
    __slots__ = ("error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch", "topology", "members", "authorized_operations", "topology_description", "topology_description_status", "assignor_name")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        topology: Topology | None = None,
        members: Sequence[Member] = (),
        authorized_operations: int = -2147483648,
        topology_description: TopologyDescription | None = None,
        topology_description_status: int = 0,
        assignor_name: str | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.topology = topology
        self.members = members
        self.authorized_operations = authorized_operations
        self.topology_description = topology_description
        self.topology_description_status = topology_description_status
        self.assignor_name = assignor_name


class StreamsGroupDescribeResponse(Message):
    __slots__ = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribedGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _decode_key_value_v0(buf: Buffer, pos: int) -> tuple[KeyValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("KeyValue.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("KeyValue.value")
    end = pos + n - 1
    value = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return KeyValue(key, value), pos


def _decode_topic_info_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicInfo, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicInfo.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    partitions, replication_factor, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicInfo.topic_configs")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TopicInfo.topic_configs", n)
    budget[0] -= n
    topic_configs = []
    for _ in range(n):
        topic_configs_item, pos = _decode_key_value_v0(buf, pos)
        topic_configs.append(topic_configs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicInfo(name, partitions, replication_factor, topic_configs), pos


def _decode_subtopology_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Subtopology, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.source_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.source_topics", n)
    budget[0] -= n
    source_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.source_topics")
        end = pos + n - 1
        source_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.repartition_sink_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.repartition_sink_topics", n)
    budget[0] -= n
    repartition_sink_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.repartition_sink_topics")
        end = pos + n - 1
        repartition_sink_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.state_changelog_topics")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("Subtopology.state_changelog_topics", n)
    budget[0] -= n
    state_changelog_topics = []
    for _ in range(n):
        state_changelog_topics_item, pos = _decode_topic_info_v0(buf, pos, budget)
        state_changelog_topics.append(state_changelog_topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.repartition_source_topics")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("Subtopology.repartition_source_topics", n)
    budget[0] -= n
    repartition_source_topics = []
    for _ in range(n):
        repartition_source_topics_item, pos = _decode_topic_info_v0(buf, pos, budget)
        repartition_source_topics.append(repartition_source_topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Subtopology(subtopology_id, source_topics, repartition_sink_topics, state_changelog_topics, repartition_source_topics), pos


def _decode_topology_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Topology, int]:
    epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    subtopologies: list[Subtopology] | None
    if not n:
        subtopologies = None
    else:
        n -= 1
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("Topology.subtopologies", n)
        budget[0] -= n
        subtopologies = []
        for _ in range(n):
            subtopologies_item, pos = _decode_subtopology_v0(buf, pos, budget)
            subtopologies.append(subtopologies_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Topology(epoch, subtopologies), pos


def _decode_endpoint_v0(buf: Buffer, pos: int) -> tuple[Endpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Endpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return Endpoint(host, port), pos


def _decode_task_offset_v0(buf: Buffer, pos: int) -> tuple[TaskOffset, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TaskOffset.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    partition, offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return TaskOffset(subtopology_id, partition, offset), pos


def _decode_task_ids_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TaskIds, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TaskIds.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TaskIds(subtopology_id, partitions), pos


def _decode_assignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Assignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Assignment.active_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("Assignment.active_tasks", n)
    budget[0] -= n
    active_tasks = []
    for _ in range(n):
        active_tasks_item, pos = _decode_task_ids_v0(buf, pos, budget)
        active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Assignment.standby_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("Assignment.standby_tasks", n)
    budget[0] -= n
    standby_tasks = []
    for _ in range(n):
        standby_tasks_item, pos = _decode_task_ids_v0(buf, pos, budget)
        standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Assignment.warmup_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("Assignment.warmup_tasks", n)
    budget[0] -= n
    warmup_tasks = []
    for _ in range(n):
        warmup_tasks_item, pos = _decode_task_ids_v0(buf, pos, budget)
        warmup_tasks.append(warmup_tasks_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Assignment(active_tasks, standby_tasks, warmup_tasks), pos


def _decode_member_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Member, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    instance_id: str | None
    if not n:
        instance_id = None
    else:
        end = pos + n - 1
        instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    topology_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.process_id")
    end = pos + n - 1
    process_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_b(buf, pos)
    pos += 1
    user_endpoint: Endpoint | None
    if n < 0:
        user_endpoint = None
    else:
        user_endpoint, pos = _decode_endpoint_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_tags")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("Member.client_tags", n)
    budget[0] -= n
    client_tags = []
    for _ in range(n):
        client_tags_item, pos = _decode_key_value_v0(buf, pos)
        client_tags.append(client_tags_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Member.task_offsets")
    n -= 1
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("Member.task_offsets", n)
    budget[0] -= n
    task_offsets = []
    for _ in range(n):
        task_offsets_item, pos = _decode_task_offset_v0(buf, pos)
        task_offsets.append(task_offsets_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Member.task_end_offsets")
    n -= 1
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("Member.task_end_offsets", n)
    budget[0] -= n
    task_end_offsets = []
    for _ in range(n):
        task_end_offsets_item, pos = _decode_task_offset_v0(buf, pos)
        task_end_offsets.append(task_end_offsets_item)
    assignment, pos = _decode_assignment_v0(buf, pos, budget)
    target_assignment, pos = _decode_assignment_v0(buf, pos, budget)
    is_classic, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return Member(member_id, member_epoch, instance_id, rack_id, client_id, client_host, topology_epoch, process_id, user_endpoint, client_tags, task_offsets, task_end_offsets, assignment, target_assignment, is_classic), pos


def _decode_topology_description_node_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionNode, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    node_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.source_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.source_topics", n)
    budget[0] -= n
    source_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.source_topics")
        end = pos + n - 1
        source_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    sink_topic: str | None
    if not n:
        sink_topic = None
    else:
        end = pos + n - 1
        sink_topic = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.stores")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.stores", n)
    budget[0] -= n
    stores = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.stores")
        end = pos + n - 1
        stores.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.successors")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.successors", n)
    budget[0] -= n
    successors = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.successors")
        end = pos + n - 1
        successors.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionNode(name, node_type, source_topics, sink_topic, stores, successors), pos


def _decode_topology_description_subtopology_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionSubtopology, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionSubtopology.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionSubtopology.nodes")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("TopologyDescriptionSubtopology.nodes", n)
    budget[0] -= n
    nodes = []
    for _ in range(n):
        nodes_item, pos = _decode_topology_description_node_v1(buf, pos, budget)
        nodes.append(nodes_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionSubtopology(subtopology_id, nodes), pos


def _decode_topology_description_global_store_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionGlobalStore, int]:
    source, pos = _decode_topology_description_node_v1(buf, pos, budget)
    processor, pos = _decode_topology_description_node_v1(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionGlobalStore(source, processor), pos


def _decode_topology_description_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescription, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescription.subtopologies")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TopologyDescription.subtopologies", n)
    budget[0] -= n
    subtopologies = []
    for _ in range(n):
        subtopologies_item, pos = _decode_topology_description_subtopology_v1(buf, pos, budget)
        subtopologies.append(subtopologies_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescription.global_stores")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("TopologyDescription.global_stores", n)
    budget[0] -= n
    global_stores = []
    for _ in range(n):
        global_stores_item, pos = _decode_topology_description_global_store_v1(buf, pos, budget)
        global_stores.append(global_stores_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescription(subtopologies, global_stores), pos


def _decode_described_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
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
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    group_epoch, assignment_epoch, n = _read_iib(buf, pos)
    pos += 9
    topology: Topology | None
    if n < 0:
        topology = None
    else:
        topology, pos = _decode_topology_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_v0(buf, pos, budget)
        members.append(members_item)
    authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, topology, members, authorized_operations, None, 0, None), pos


def _decode_described_group_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
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
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    group_epoch, assignment_epoch, n = _read_iib(buf, pos)
    pos += 9
    topology: Topology | None
    if n < 0:
        topology = None
    else:
        topology, pos = _decode_topology_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_v0(buf, pos, budget)
        members.append(members_item)
    authorized_operations, n = _read_ib(buf, pos)
    pos += 5
    topology_description: TopologyDescription | None
    if n < 0:
        topology_description = None
    else:
        topology_description, pos = _decode_topology_description_v1(buf, pos, budget)
    topology_description_status, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    assignor_name: str | None
    if not n:
        assignor_name = None
    else:
        end = pos + n - 1
        assignor_name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, topology, members, authorized_operations, topology_description, topology_description_status, assignor_name), pos


def _decode_streams_group_describe_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupDescribeResponse.groups")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("StreamsGroupDescribeResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupDescribeResponse(throttle_time_ms, groups), pos


def _decode_streams_group_describe_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupDescribeResponse.groups")
    n -= 1
    if n > budget[0] or n * 23 > len(buf) - pos:
        raise count_error("StreamsGroupDescribeResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v1(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupDescribeResponse(throttle_time_ms, groups), pos


def _encode_key_value_v0(m: KeyValue, w: bytearray) -> None:
    put_compact_string(w, m.key)
    put_compact_string(w, m.value)
    w.append(0)


def _encode_topic_info_v0(m: TopicInfo, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_ih(m.partitions, m.replication_factor)
    n = len(m.topic_configs)
    put_uvarint(w, n + 1)
    for topic_configs_item in m.topic_configs:
        _encode_key_value_v0(topic_configs_item, w)
    w.append(0)


def _encode_subtopology_v0(m: Subtopology, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    for source_topics_item in m.source_topics:
        put_compact_string(w, source_topics_item)
    n = len(m.repartition_sink_topics)
    put_uvarint(w, n + 1)
    for repartition_sink_topics_item in m.repartition_sink_topics:
        put_compact_string(w, repartition_sink_topics_item)
    n = len(m.state_changelog_topics)
    put_uvarint(w, n + 1)
    for state_changelog_topics_item in m.state_changelog_topics:
        _encode_topic_info_v0(state_changelog_topics_item, w)
    n = len(m.repartition_source_topics)
    put_uvarint(w, n + 1)
    for repartition_source_topics_item in m.repartition_source_topics:
        _encode_topic_info_v0(repartition_source_topics_item, w)
    w.append(0)


def _encode_topology_v0(m: Topology, w: bytearray) -> None:
    w += _write_i(m.epoch)
    if m.subtopologies is None:
        w.append(0)
    else:
        n = len(m.subtopologies)
        put_uvarint(w, n + 1)
        for subtopologies_item in m.subtopologies:
            _encode_subtopology_v0(subtopologies_item, w)
    w.append(0)


def _encode_endpoint_v0(m: Endpoint, w: bytearray) -> None:
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_task_offset_v0(m: TaskOffset, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    w += _write_iqx(m.partition, m.offset)


def _encode_task_ids_v0(m: TaskIds, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_assignment_v0(m: Assignment, w: bytearray) -> None:
    n = len(m.active_tasks)
    put_uvarint(w, n + 1)
    for active_tasks_item in m.active_tasks:
        _encode_task_ids_v0(active_tasks_item, w)
    n = len(m.standby_tasks)
    put_uvarint(w, n + 1)
    for standby_tasks_item in m.standby_tasks:
        _encode_task_ids_v0(standby_tasks_item, w)
    n = len(m.warmup_tasks)
    put_uvarint(w, n + 1)
    for warmup_tasks_item in m.warmup_tasks:
        _encode_task_ids_v0(warmup_tasks_item, w)
    w.append(0)


def _encode_member_v0(m: Member, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    w += _write_i(m.member_epoch)
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    w += _write_i(m.topology_epoch)
    put_compact_string(w, m.process_id)
    if m.user_endpoint is None:
        w.append(255)
    else:
        w.append(1)
        _encode_endpoint_v0(m.user_endpoint, w)
    n = len(m.client_tags)
    put_uvarint(w, n + 1)
    for client_tags_item in m.client_tags:
        _encode_key_value_v0(client_tags_item, w)
    n = len(m.task_offsets)
    put_uvarint(w, n + 1)
    for task_offsets_item in m.task_offsets:
        _encode_task_offset_v0(task_offsets_item, w)
    n = len(m.task_end_offsets)
    put_uvarint(w, n + 1)
    for task_end_offsets_item in m.task_end_offsets:
        _encode_task_offset_v0(task_end_offsets_item, w)
    _encode_assignment_v0(m.assignment, w)
    _encode_assignment_v0(m.target_assignment, w)
    w += _write_tx(m.is_classic)


def _encode_topology_description_node_v1(m: TopologyDescriptionNode, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_b(m.node_type)
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    for source_topics_item in m.source_topics:
        put_compact_string(w, source_topics_item)
    put_compact_nullable_string(w, m.sink_topic)
    n = len(m.stores)
    put_uvarint(w, n + 1)
    for stores_item in m.stores:
        put_compact_string(w, stores_item)
    n = len(m.successors)
    put_uvarint(w, n + 1)
    for successors_item in m.successors:
        put_compact_string(w, successors_item)
    w.append(0)


def _encode_topology_description_subtopology_v1(m: TopologyDescriptionSubtopology, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.nodes)
    put_uvarint(w, n + 1)
    for nodes_item in m.nodes:
        _encode_topology_description_node_v1(nodes_item, w)
    w.append(0)


def _encode_topology_description_global_store_v1(m: TopologyDescriptionGlobalStore, w: bytearray) -> None:
    _encode_topology_description_node_v1(m.source, w)
    _encode_topology_description_node_v1(m.processor, w)
    w.append(0)


def _encode_topology_description_v1(m: TopologyDescription, w: bytearray) -> None:
    n = len(m.subtopologies)
    put_uvarint(w, n + 1)
    for subtopologies_item in m.subtopologies:
        _encode_topology_description_subtopology_v1(subtopologies_item, w)
    n = len(m.global_stores)
    put_uvarint(w, n + 1)
    for global_stores_item in m.global_stores:
        _encode_topology_description_global_store_v1(global_stores_item, w)
    w.append(0)


def _encode_described_group_v0(m: DescribedGroup, w: bytearray) -> None:
    if m.topology_description is not None:
        raise UnsupportedFieldError("DescribedGroup.topology_description", "1+")
    if m.topology_description_status != 0:
        raise UnsupportedFieldError("DescribedGroup.topology_description_status", "1+")
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    w += _write_ii(m.group_epoch, m.assignment_epoch)
    if m.topology is None:
        w.append(255)
    else:
        w.append(1)
        _encode_topology_v0(m.topology, w)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_v0(members_item, w)
    w += _write_ix(m.authorized_operations)


def _encode_described_group_v1(m: DescribedGroup, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    w += _write_ii(m.group_epoch, m.assignment_epoch)
    if m.topology is None:
        w.append(255)
    else:
        w.append(1)
        _encode_topology_v0(m.topology, w)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_v0(members_item, w)
    w += _write_i(m.authorized_operations)
    if m.topology_description is None:
        w.append(255)
    else:
        w.append(1)
        _encode_topology_description_v1(m.topology_description, w)
    w += _write_b(m.topology_description_status)
    put_compact_nullable_string(w, m.assignor_name)
    w.append(0)


def _encode_streams_group_describe_response_v0(m: StreamsGroupDescribeResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_described_group_v0(groups_item, w)
    w.append(0)


def _encode_streams_group_describe_response_v1(m: StreamsGroupDescribeResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_described_group_v1(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_streams_group_describe_response_v0, 1: _decode_streams_group_describe_response_v1}
_RESPONSE_ENCODERS = {0: _encode_streams_group_describe_response_v0, 1: _encode_streams_group_describe_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> StreamsGroupDescribeResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupDescribeResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupDescribeResponse", version, pos, len(buf))
    return message


def encode_response(message: StreamsGroupDescribeResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupDescribeResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
