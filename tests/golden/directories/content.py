"""What clients see of a data directory: all that a later version has to serve as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkacompat.protocol.messages import (
    describe_configs,
    describe_groups,
    describe_producers,
    fetch,
    list_groups,
    list_offsets,
    metadata,
    offset_fetch,
)
from kafkacompat.protocol.records.batch import split
from kafkacompat.protocol.records.reader import read_records

Ask = Callable[[Any, int], Any]
"""Sends a request in a version; the answer."""

EARLIEST, LATEST = -2, -1
TOPIC_RESOURCE, BROKER_RESOURCE, NODE_ID = 2, 4, "1"
SET_BY_CLIENTS = (1, 2, 3)
"""Config sources (KIP-226): a topic's own, a broker's, all brokers'."""
LOADING = (14, 15, 16)
PROTECTED = "__"


def content(ask: Ask, pause: Callable[[], None]) -> dict[str, Any]:
    """Topics with their records, producers and configs, groups with members and offsets; as JSON has it.

    pause: called while a coordinator still loads its groups.
    """
    answer = ask(metadata.MetadataRequest(None), 12)
    topics = {
        topic.name: {
            "id": bytes(topic.topic_id).hex(),
            "configs": _configs(ask, TOPIC_RESOURCE, topic.name),
            "partitions": {str(one.partition_index): _partition(ask, topic.name, one) for one in topic.partitions},
        }
        for topic in answer.topics
        if not topic.name.startswith(PROTECTED)
    }
    return {
        "cluster_id": answer.cluster_id,
        "internal": sorted(topic.name for topic in answer.topics if topic.name.startswith(PROTECTED)),
        "topics": topics,
        "broker configs": {name or "all brokers": _configs(ask, BROKER_RESOURCE, name) for name in (NODE_ID, "")},
        "groups": _groups(ask, pause),
    }


def _partition(ask: Ask, topic: str, found: Any) -> dict[str, Any]:
    index = found.partition_index
    producers = ask(describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(topic, [index])]), 0)
    return {
        "leader": found.leader_id,
        "replicas": list(found.replica_nodes),
        "earliest": _offset(ask, topic, index, EARLIEST),
        "latest": _offset(ask, topic, index, LATEST),
        "batches": _batches(ask, topic, index),
        "producers": [
            [one.producer_id, one.producer_epoch, one.last_sequence]
            for one in sorted(producers.topics[0].partitions[0].active_producers, key=lambda one: one.producer_id)
        ],
    }


def _offset(ask: Ask, topic: str, index: int, timestamp: int) -> int:
    wanted = list_offsets.ListOffsetsTopic(topic, [list_offsets.ListOffsetsPartition(index, -1, timestamp)])
    found = ask(list_offsets.ListOffsetsRequest(-1, 0, [wanted]), 7).topics[0].partitions[0]
    assert found.error_code == 0, found
    return int(found.offset)


def _batches(ask: Ask, topic: str, index: int) -> list[dict[str, Any]]:
    offset, end = _offset(ask, topic, index, EARLIEST), _offset(ask, topic, index, LATEST)
    found = []
    while offset < end:
        wanted = fetch.FetchTopic(topic, partitions=[fetch.FetchPartition(index, -1, offset, -1, -1, 1 << 20)])
        answer = ask(fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted]), 12).responses[0].partitions[0]
        assert answer.error_code == 0, answer
        data = bytes(answer.records)
        for at, header in split(data):
            found.append({
                "base_offset": header.base_offset, "compression": header.compression, "producer": header.producer_id,
                "sequence": header.base_sequence, "is_log_append_time": header.is_log_append_time,
                "records": [_record(record) for record in read_records(data, at, header)],
            })  # fmt: skip
            offset = header.next_offset
    return found


def _record(record: Any) -> list[Any]:
    headers = [[key, _text(value)] for key, value in record.headers]
    return [record.offset, record.timestamp, _text(record.key), _text(record.value), headers]


def _text(data: Any) -> str | None:
    return None if data is None else bytes(data).decode("latin-1")


def _configs(ask: Ask, kind: int, name: str) -> dict[str, str | None]:
    resource = describe_configs.DescribeConfigsResource(kind, name, None)
    (result,) = ask(describe_configs.DescribeConfigsRequest([resource]), 4).results
    assert result.error_code == 0, result
    own = (SET_BY_CLIENTS[0],) if kind == TOPIC_RESOURCE else SET_BY_CLIENTS
    return {one.name: one.value for one in result.configs if one.config_source in own}


def _groups(ask: Ask, pause: Callable[[], None]) -> dict[str, Any]:
    listed = _when_loaded(lambda: ask(list_groups.ListGroupsRequest(), 4), pause)
    found = {}
    for group_id in sorted(one.group_id for one in listed.groups):
        group = ask(describe_groups.DescribeGroupsRequest([group_id]), 5).groups[0]
        wanted = offset_fetch.OffsetFetchRequestGroup(group_id, topics=None)
        offsets = ask(offset_fetch.OffsetFetchRequest(groups=[wanted]), 8).groups[0]
        assert (group.error_code, offsets.error_code) == (0, 0), (group, offsets)
        found[group_id] = {
            "state": group.group_state, "protocol_type": group.protocol_type, "protocol": group.protocol_data,
            "members": sorted(
                [
                    one.member_id, one.group_instance_id, one.client_id, _text(one.member_metadata),
                    _text(one.member_assignment),
                ]
                for one in group.members
            ),
            "offsets": {
                f"{topic.name}-{one.partition_index}": [
                    one.committed_offset, one.committed_leader_epoch, one.metadata,
                ]
                for topic in sorted(offsets.topics, key=lambda topic: topic.name) for one in topic.partitions
            },
        }  # fmt: skip
    return found


def _when_loaded(ask: Callable[[], Any], pause: Callable[[], None]) -> Any:
    while (answer := ask()).error_code in LOADING:
        pause()
    assert answer.error_code == 0, answer
    return answer
