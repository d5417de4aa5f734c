"""StreamsGroupHeartbeat, API key 88: request and response in every version."""

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

API_KEY = 88
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_read_tB = Struct(">?B").unpack_from
_write_ti = Struct(">?i").pack
_read_tiB = Struct(">?iB").unpack_from
_write_tx = Struct(">?x").pack
_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_b = Struct(">b").unpack_from
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ib = Struct(">ib").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_write_iiii = Struct(">iiii").pack
_read_iiiiB = Struct(">iiiiB").unpack_from
_write_iiiq = Struct(">iiiq").pack
_read_iiiqB = Struct(">iiiqB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack


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


class CopartitionGroup(Message):
    __slots__ = ("source_topics", "source_topic_regex", "repartition_source_topics")

    def __init__(
        self,
        source_topics: Sequence[int] = (),
        source_topic_regex: Sequence[int] = (),
        repartition_source_topics: Sequence[int] = (),
    ) -> None:
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.repartition_source_topics = repartition_source_topics


class Subtopology(Message):
    __slots__ = ("subtopology_id", "source_topics", "source_topic_regex", "state_changelog_topics", "repartition_sink_topics", "repartition_source_topics", "copartition_groups")

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: Sequence[str] = (),
        source_topic_regex: Sequence[str] = (),
        state_changelog_topics: Sequence[TopicInfo] = (),
        repartition_sink_topics: Sequence[str] = (),
        repartition_source_topics: Sequence[TopicInfo] = (),
        copartition_groups: Sequence[CopartitionGroup] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.state_changelog_topics = state_changelog_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.repartition_source_topics = repartition_source_topics
        self.copartition_groups = copartition_groups


class Topology(Message):
    __slots__ = ("epoch", "subtopologies")

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: Sequence[Subtopology] = (),
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies


class StreamsGroupHeartbeatRequestTaskIds(Message):
    __slots__ = ("subtopology_id", "partitions")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions


class StreamsGroupHeartbeatRequestEndpoint(Message):
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


class StreamsGroupHeartbeatRequest(Message):
    __slots__ = ("group_id", "member_id", "member_epoch", "endpoint_information_epoch", "instance_id", "rack_id", "rebalance_timeout_ms", "topology", "active_tasks", "standby_tasks", "warmup_tasks", "process_id", "user_endpoint", "client_tags", "task_offsets", "task_end_offsets", "shutdown_application")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: Topology | None = None,
        active_tasks: Sequence[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        standby_tasks: Sequence[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        warmup_tasks: Sequence[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None,
        client_tags: Sequence[KeyValue] | None = None,
        task_offsets: Sequence[TaskOffset] | None = None,
        task_end_offsets: Sequence[TaskOffset] | None = None,
        shutdown_application: bool = False,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application


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


def _decode_copartition_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CopartitionGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.source_topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.source_topics", n)
    budget[0] -= n
    source_topics = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.source_topic_regex")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.source_topic_regex", n)
    budget[0] -= n
    source_topic_regex = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.repartition_source_topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.repartition_source_topics", n)
    budget[0] -= n
    repartition_source_topics = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CopartitionGroup(source_topics, source_topic_regex, repartition_source_topics), pos


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
        raise null_error("Subtopology.source_topic_regex")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.source_topic_regex", n)
    budget[0] -= n
    source_topic_regex = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.source_topic_regex")
        end = pos + n - 1
        source_topic_regex.append(buf[pos:end].decode())
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.copartition_groups")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("Subtopology.copartition_groups", n)
    budget[0] -= n
    copartition_groups = []
    for _ in range(n):
        copartition_groups_item, pos = _decode_copartition_group_v0(buf, pos, budget)
        copartition_groups.append(copartition_groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Subtopology(subtopology_id, source_topics, source_topic_regex, state_changelog_topics, repartition_sink_topics, repartition_source_topics, copartition_groups), pos


def _decode_topology_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Topology, int]:
    epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Topology.subtopologies")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
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


def _decode_streams_group_heartbeat_request_task_ids_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupHeartbeatRequestTaskIds, int]:
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
    return StreamsGroupHeartbeatRequestTaskIds(subtopology_id, partitions), pos


def _decode_streams_group_heartbeat_request_endpoint_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupHeartbeatRequestEndpoint, int]:
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
    return StreamsGroupHeartbeatRequestEndpoint(host, port), pos


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


def _decode_streams_group_heartbeat_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupHeartbeatRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupHeartbeatRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupHeartbeatRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    member_epoch, endpoint_information_epoch, n = _read_iiB(buf, pos)
    pos += 9
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
    rebalance_timeout_ms, n = _read_ib(buf, pos)
    pos += 5
    topology: Topology | None
    if n < 0:
        topology = None
    else:
        topology, pos = _decode_topology_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    if not n:
        active_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.active_tasks", n)
        budget[0] -= n
        active_tasks = []
        for _ in range(n):
            active_tasks_item, pos = _decode_streams_group_heartbeat_request_task_ids_v0(buf, pos, budget)
            active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    if not n:
        standby_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.standby_tasks", n)
        budget[0] -= n
        standby_tasks = []
        for _ in range(n):
            standby_tasks_item, pos = _decode_streams_group_heartbeat_request_task_ids_v0(buf, pos, budget)
            standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    if not n:
        warmup_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.warmup_tasks", n)
        budget[0] -= n
        warmup_tasks = []
        for _ in range(n):
            warmup_tasks_item, pos = _decode_streams_group_heartbeat_request_task_ids_v0(buf, pos, budget)
            warmup_tasks.append(warmup_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    process_id: str | None
    if not n:
        process_id = None
    else:
        end = pos + n - 1
        process_id = buf[pos:end].decode()
        pos = end
    (n,) = _read_b(buf, pos)
    pos += 1
    user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None
    if n < 0:
        user_endpoint = None
    else:
        user_endpoint, pos = _decode_streams_group_heartbeat_request_endpoint_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    client_tags: list[KeyValue] | None
    if not n:
        client_tags = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.client_tags", n)
        budget[0] -= n
        client_tags = []
        for _ in range(n):
            client_tags_item, pos = _decode_key_value_v0(buf, pos)
            client_tags.append(client_tags_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    task_offsets: list[TaskOffset] | None
    if not n:
        task_offsets = None
    else:
        n -= 1
        if n > budget[0] or n * 14 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.task_offsets", n)
        budget[0] -= n
        task_offsets = []
        for _ in range(n):
            task_offsets_item, pos = _decode_task_offset_v0(buf, pos)
            task_offsets.append(task_offsets_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    task_end_offsets: list[TaskOffset] | None
    if not n:
        task_end_offsets = None
    else:
        n -= 1
        if n > budget[0] or n * 14 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatRequest.task_end_offsets", n)
        budget[0] -= n
        task_end_offsets = []
        for _ in range(n):
            task_end_offsets_item, pos = _decode_task_offset_v0(buf, pos)
            task_end_offsets.append(task_end_offsets_item)
    shutdown_application, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupHeartbeatRequest(group_id, member_id, member_epoch, endpoint_information_epoch, instance_id, rack_id, rebalance_timeout_ms, topology, active_tasks, standby_tasks, warmup_tasks, process_id, user_endpoint, client_tags, task_offsets, task_end_offsets, shutdown_application), pos


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


def _encode_copartition_group_v0(m: CopartitionGroup, w: bytearray) -> None:
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.source_topics)
    n = len(m.source_topic_regex)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.source_topic_regex)
    n = len(m.repartition_source_topics)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.repartition_source_topics)
    w.append(0)


def _encode_subtopology_v0(m: Subtopology, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    for source_topics_item in m.source_topics:
        put_compact_string(w, source_topics_item)
    n = len(m.source_topic_regex)
    put_uvarint(w, n + 1)
    for source_topic_regex_item in m.source_topic_regex:
        put_compact_string(w, source_topic_regex_item)
    n = len(m.state_changelog_topics)
    put_uvarint(w, n + 1)
    for state_changelog_topics_item in m.state_changelog_topics:
        _encode_topic_info_v0(state_changelog_topics_item, w)
    n = len(m.repartition_sink_topics)
    put_uvarint(w, n + 1)
    for repartition_sink_topics_item in m.repartition_sink_topics:
        put_compact_string(w, repartition_sink_topics_item)
    n = len(m.repartition_source_topics)
    put_uvarint(w, n + 1)
    for repartition_source_topics_item in m.repartition_source_topics:
        _encode_topic_info_v0(repartition_source_topics_item, w)
    n = len(m.copartition_groups)
    put_uvarint(w, n + 1)
    for copartition_groups_item in m.copartition_groups:
        _encode_copartition_group_v0(copartition_groups_item, w)
    w.append(0)


def _encode_topology_v0(m: Topology, w: bytearray) -> None:
    w += _write_i(m.epoch)
    n = len(m.subtopologies)
    put_uvarint(w, n + 1)
    for subtopologies_item in m.subtopologies:
        _encode_subtopology_v0(subtopologies_item, w)
    w.append(0)


def _encode_streams_group_heartbeat_request_task_ids_v0(m: StreamsGroupHeartbeatRequestTaskIds, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_streams_group_heartbeat_request_endpoint_v0(m: StreamsGroupHeartbeatRequestEndpoint, w: bytearray) -> None:
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_task_offset_v0(m: TaskOffset, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    w += _write_iqx(m.partition, m.offset)


def _encode_streams_group_heartbeat_request_v0(m: StreamsGroupHeartbeatRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.member_id)
    w += _write_ii(m.member_epoch, m.endpoint_information_epoch)
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    w += _write_i(m.rebalance_timeout_ms)
    if m.topology is None:
        w.append(255)
    else:
        w.append(1)
        _encode_topology_v0(m.topology, w)
    if m.active_tasks is None:
        w.append(0)
    else:
        n = len(m.active_tasks)
        put_uvarint(w, n + 1)
        for active_tasks_item in m.active_tasks:
            _encode_streams_group_heartbeat_request_task_ids_v0(active_tasks_item, w)
    if m.standby_tasks is None:
        w.append(0)
    else:
        n = len(m.standby_tasks)
        put_uvarint(w, n + 1)
        for standby_tasks_item in m.standby_tasks:
            _encode_streams_group_heartbeat_request_task_ids_v0(standby_tasks_item, w)
    if m.warmup_tasks is None:
        w.append(0)
    else:
        n = len(m.warmup_tasks)
        put_uvarint(w, n + 1)
        for warmup_tasks_item in m.warmup_tasks:
            _encode_streams_group_heartbeat_request_task_ids_v0(warmup_tasks_item, w)
    put_compact_nullable_string(w, m.process_id)
    if m.user_endpoint is None:
        w.append(255)
    else:
        w.append(1)
        _encode_streams_group_heartbeat_request_endpoint_v0(m.user_endpoint, w)
    if m.client_tags is None:
        w.append(0)
    else:
        n = len(m.client_tags)
        put_uvarint(w, n + 1)
        for client_tags_item in m.client_tags:
            _encode_key_value_v0(client_tags_item, w)
    if m.task_offsets is None:
        w.append(0)
    else:
        n = len(m.task_offsets)
        put_uvarint(w, n + 1)
        for task_offsets_item in m.task_offsets:
            _encode_task_offset_v0(task_offsets_item, w)
    if m.task_end_offsets is None:
        w.append(0)
    else:
        n = len(m.task_end_offsets)
        put_uvarint(w, n + 1)
        for task_end_offsets_item in m.task_end_offsets:
            _encode_task_offset_v0(task_end_offsets_item, w)
    w += _write_tx(m.shutdown_application)


_REQUEST_DECODERS = {0: _decode_streams_group_heartbeat_request_v0, 1: _decode_streams_group_heartbeat_request_v0}
_REQUEST_ENCODERS = {0: _encode_streams_group_heartbeat_request_v0, 1: _encode_streams_group_heartbeat_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> StreamsGroupHeartbeatRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupHeartbeatRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("StreamsGroupHeartbeatRequest", version, pos, len(buf))
    return message


def encode_request(message: StreamsGroupHeartbeatRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupHeartbeatRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class Status(Message):
    __slots__ = ("status_code", "status_detail")

    def __init__(
        self,
        status_code: int = 0,
        status_detail: str = "",
    ) -> None:
        self.status_code = status_code
        self.status_detail = status_detail


class StreamsGroupHeartbeatResponseTaskIds(Message):
    __slots__ = ("subtopology_id", "partitions")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions


class StreamsGroupHeartbeatResponseEndpoint(Message):
    __slots__ = ("host", "port")

    def __init__(
        self,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.host = host
        self.port = port


_DEFAULT_StreamsGroupHeartbeatResponseEndpoint = frozen(StreamsGroupHeartbeatResponseEndpoint())


class TopicPartition(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class EndpointToPartitions(Message):
    __slots__ = ("user_endpoint", "active_partitions", "standby_partitions")

    def __init__(
        self,
        user_endpoint: StreamsGroupHeartbeatResponseEndpoint = _DEFAULT_StreamsGroupHeartbeatResponseEndpoint,
        active_partitions: Sequence[TopicPartition] = (),
        standby_partitions: Sequence[TopicPartition] = (),
    ) -> None:
        self.user_endpoint = user_endpoint
        self.active_partitions = active_partitions
        self.standby_partitions = standby_partitions


class StreamsGroupHeartbeatResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms", "acceptable_recovery_lag_legacy", "task_offset_interval_ms", "acceptable_recovery_lag", "status", "active_tasks", "standby_tasks", "warmup_tasks", "topology_description_required", "endpoint_information_epoch", "partitions_by_user_endpoint")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = "",
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag_legacy: int = 0,
        task_offset_interval_ms: int = 0,
        acceptable_recovery_lag: int = -1,
        status: Sequence[Status] | None = (),
        active_tasks: Sequence[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        standby_tasks: Sequence[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        warmup_tasks: Sequence[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        topology_description_required: bool = False,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: Sequence[EndpointToPartitions] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag_legacy = acceptable_recovery_lag_legacy
        self.task_offset_interval_ms = task_offset_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.status = status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.topology_description_required = topology_description_required
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint


def _decode_status_v0(buf: Buffer, pos: int) -> tuple[Status, int]:
    status_code, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Status.status_detail")
    end = pos + n - 1
    status_detail = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Status(status_code, status_detail), pos


def _decode_streams_group_heartbeat_response_task_ids_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupHeartbeatResponseTaskIds, int]:
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
    return StreamsGroupHeartbeatResponseTaskIds(subtopology_id, partitions), pos


def _decode_streams_group_heartbeat_response_endpoint_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupHeartbeatResponseEndpoint, int]:
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
    return StreamsGroupHeartbeatResponseEndpoint(host, port), pos


def _decode_topic_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartition, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartition.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartition.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartition.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicPartition(topic, partitions), pos


def _decode_endpoint_to_partitions_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndpointToPartitions, int]:
    user_endpoint, pos = _decode_streams_group_heartbeat_response_endpoint_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EndpointToPartitions.active_partitions")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("EndpointToPartitions.active_partitions", n)
    budget[0] -= n
    active_partitions = []
    for _ in range(n):
        active_partitions_item, pos = _decode_topic_partition_v0(buf, pos, budget)
        active_partitions.append(active_partitions_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EndpointToPartitions.standby_partitions")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("EndpointToPartitions.standby_partitions", n)
    budget[0] -= n
    standby_partitions = []
    for _ in range(n):
        standby_partitions_item, pos = _decode_topic_partition_v0(buf, pos, budget)
        standby_partitions.append(standby_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndpointToPartitions(user_endpoint, active_partitions, standby_partitions), pos


def _decode_streams_group_heartbeat_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupHeartbeatResponse, int]:
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
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupHeartbeatResponse.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    member_epoch, heartbeat_interval_ms, acceptable_recovery_lag_legacy, task_offset_interval_ms, n = _read_iiiiB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    status: list[Status] | None
    if not n:
        status = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.status", n)
        budget[0] -= n
        status = []
        for _ in range(n):
            status_item, pos = _decode_status_v0(buf, pos)
            status.append(status_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        active_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.active_tasks", n)
        budget[0] -= n
        active_tasks = []
        for _ in range(n):
            active_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        standby_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.standby_tasks", n)
        budget[0] -= n
        standby_tasks = []
        for _ in range(n):
            standby_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        warmup_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.warmup_tasks", n)
        budget[0] -= n
        warmup_tasks = []
        for _ in range(n):
            warmup_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            warmup_tasks.append(warmup_tasks_item)
    endpoint_information_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    partitions_by_user_endpoint: list[EndpointToPartitions] | None
    if not n:
        partitions_by_user_endpoint = None
    else:
        n -= 1
        if n > budget[0] or n * 7 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.partitions_by_user_endpoint", n)
        budget[0] -= n
        partitions_by_user_endpoint = []
        for _ in range(n):
            partitions_by_user_endpoint_item, pos = _decode_endpoint_to_partitions_v0(buf, pos, budget)
            partitions_by_user_endpoint.append(partitions_by_user_endpoint_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, acceptable_recovery_lag_legacy, task_offset_interval_ms, -1, status, active_tasks, standby_tasks, warmup_tasks, False, endpoint_information_epoch, partitions_by_user_endpoint), pos


def _decode_streams_group_heartbeat_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupHeartbeatResponse, int]:
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
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupHeartbeatResponse.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    member_epoch, heartbeat_interval_ms, task_offset_interval_ms, acceptable_recovery_lag, n = _read_iiiqB(buf, pos)
    pos += 21
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    status: list[Status] | None
    if not n:
        status = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.status", n)
        budget[0] -= n
        status = []
        for _ in range(n):
            status_item, pos = _decode_status_v0(buf, pos)
            status.append(status_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        active_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.active_tasks", n)
        budget[0] -= n
        active_tasks = []
        for _ in range(n):
            active_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        standby_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.standby_tasks", n)
        budget[0] -= n
        standby_tasks = []
        for _ in range(n):
            standby_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    if not n:
        warmup_tasks = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.warmup_tasks", n)
        budget[0] -= n
        warmup_tasks = []
        for _ in range(n):
            warmup_tasks_item, pos = _decode_streams_group_heartbeat_response_task_ids_v0(buf, pos, budget)
            warmup_tasks.append(warmup_tasks_item)
    topology_description_required, endpoint_information_epoch, n = _read_tiB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    partitions_by_user_endpoint: list[EndpointToPartitions] | None
    if not n:
        partitions_by_user_endpoint = None
    else:
        n -= 1
        if n > budget[0] or n * 7 > len(buf) - pos:
            raise count_error("StreamsGroupHeartbeatResponse.partitions_by_user_endpoint", n)
        budget[0] -= n
        partitions_by_user_endpoint = []
        for _ in range(n):
            partitions_by_user_endpoint_item, pos = _decode_endpoint_to_partitions_v0(buf, pos, budget)
            partitions_by_user_endpoint.append(partitions_by_user_endpoint_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, 0, task_offset_interval_ms, acceptable_recovery_lag, status, active_tasks, standby_tasks, warmup_tasks, topology_description_required, endpoint_information_epoch, partitions_by_user_endpoint), pos


def _encode_status_v0(m: Status, w: bytearray) -> None:
    w += _write_b(m.status_code)
    put_compact_string(w, m.status_detail)
    w.append(0)


def _encode_streams_group_heartbeat_response_task_ids_v0(m: StreamsGroupHeartbeatResponseTaskIds, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_streams_group_heartbeat_response_endpoint_v0(m: StreamsGroupHeartbeatResponseEndpoint, w: bytearray) -> None:
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_topic_partition_v0(m: TopicPartition, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_endpoint_to_partitions_v0(m: EndpointToPartitions, w: bytearray) -> None:
    _encode_streams_group_heartbeat_response_endpoint_v0(m.user_endpoint, w)
    n = len(m.active_partitions)
    put_uvarint(w, n + 1)
    for active_partitions_item in m.active_partitions:
        _encode_topic_partition_v0(active_partitions_item, w)
    n = len(m.standby_partitions)
    put_uvarint(w, n + 1)
    for standby_partitions_item in m.standby_partitions:
        _encode_topic_partition_v0(standby_partitions_item, w)
    w.append(0)


def _encode_streams_group_heartbeat_response_v0(m: StreamsGroupHeartbeatResponse, w: bytearray) -> None:
    if m.topology_description_required:
        raise UnsupportedFieldError("StreamsGroupHeartbeatResponse.topology_description_required", "1+")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.member_id)
    w += _write_iiii(m.member_epoch, m.heartbeat_interval_ms, m.acceptable_recovery_lag_legacy, m.task_offset_interval_ms)
    if m.status is None:
        w.append(0)
    else:
        n = len(m.status)
        put_uvarint(w, n + 1)
        for status_item in m.status:
            _encode_status_v0(status_item, w)
    if m.active_tasks is None:
        w.append(0)
    else:
        n = len(m.active_tasks)
        put_uvarint(w, n + 1)
        for active_tasks_item in m.active_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(active_tasks_item, w)
    if m.standby_tasks is None:
        w.append(0)
    else:
        n = len(m.standby_tasks)
        put_uvarint(w, n + 1)
        for standby_tasks_item in m.standby_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(standby_tasks_item, w)
    if m.warmup_tasks is None:
        w.append(0)
    else:
        n = len(m.warmup_tasks)
        put_uvarint(w, n + 1)
        for warmup_tasks_item in m.warmup_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(warmup_tasks_item, w)
    w += _write_i(m.endpoint_information_epoch)
    if m.partitions_by_user_endpoint is None:
        w.append(0)
    else:
        n = len(m.partitions_by_user_endpoint)
        put_uvarint(w, n + 1)
        for partitions_by_user_endpoint_item in m.partitions_by_user_endpoint:
            _encode_endpoint_to_partitions_v0(partitions_by_user_endpoint_item, w)
    w.append(0)


def _encode_streams_group_heartbeat_response_v1(m: StreamsGroupHeartbeatResponse, w: bytearray) -> None:
    if m.acceptable_recovery_lag_legacy != 0:
        raise UnsupportedFieldError("StreamsGroupHeartbeatResponse.acceptable_recovery_lag_legacy", "0")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.member_id)
    w += _write_iiiq(m.member_epoch, m.heartbeat_interval_ms, m.task_offset_interval_ms, m.acceptable_recovery_lag)
    if m.status is None:
        w.append(0)
    else:
        n = len(m.status)
        put_uvarint(w, n + 1)
        for status_item in m.status:
            _encode_status_v0(status_item, w)
    if m.active_tasks is None:
        w.append(0)
    else:
        n = len(m.active_tasks)
        put_uvarint(w, n + 1)
        for active_tasks_item in m.active_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(active_tasks_item, w)
    if m.standby_tasks is None:
        w.append(0)
    else:
        n = len(m.standby_tasks)
        put_uvarint(w, n + 1)
        for standby_tasks_item in m.standby_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(standby_tasks_item, w)
    if m.warmup_tasks is None:
        w.append(0)
    else:
        n = len(m.warmup_tasks)
        put_uvarint(w, n + 1)
        for warmup_tasks_item in m.warmup_tasks:
            _encode_streams_group_heartbeat_response_task_ids_v0(warmup_tasks_item, w)
    w += _write_ti(m.topology_description_required, m.endpoint_information_epoch)
    if m.partitions_by_user_endpoint is None:
        w.append(0)
    else:
        n = len(m.partitions_by_user_endpoint)
        put_uvarint(w, n + 1)
        for partitions_by_user_endpoint_item in m.partitions_by_user_endpoint:
            _encode_endpoint_to_partitions_v0(partitions_by_user_endpoint_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_streams_group_heartbeat_response_v0, 1: _decode_streams_group_heartbeat_response_v1}
_RESPONSE_ENCODERS = {0: _encode_streams_group_heartbeat_response_v0, 1: _encode_streams_group_heartbeat_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> StreamsGroupHeartbeatResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupHeartbeatResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupHeartbeatResponse", version, pos, len(buf))
    return message


def encode_response(message: StreamsGroupHeartbeatResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupHeartbeatResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
