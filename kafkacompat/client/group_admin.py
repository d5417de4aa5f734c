"""Groups: list, describe, committed offsets, and changes of them."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.client.errors import BrokerError, UnsupportedApiError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafkacompat.client.client import Client, Place

_NAMED_VERSION = 9
"""The last version of OffsetCommit and OffsetFetch with topics' names: from 10 on there are ids."""


_SEVERAL_GROUPS_VERSION = 8
"""From this version on OffsetFetch has a list of groups."""


class ListedGroup(NamedTuple):
    """A group as its coordinator lists it. `state` and `type` are empty for old brokers."""

    group: str
    protocol_type: str
    state: str
    type: str
    coordinator: int


class GroupMember(NamedTuple):
    """A member with the partitions assigned to it; None if they cannot be read."""

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assignment: list[Place] | None


class Group(NamedTuple):
    """A group with its members. `protocol` is the assignor's name."""

    group: str
    state: str
    type: str
    protocol: str
    coordinator: int
    members: list[GroupMember]


class Committed(NamedTuple):
    """A committed offset."""

    offset: int
    leader_epoch: int
    metadata: str


def list_groups(client: Client) -> list[ListedGroup]:
    """The groups of all brokers, by id. Raises BrokerError."""
    from kafkacompat.protocol.messages import list_groups as messages

    found = []
    for broker in client.metadata(()).brokers:
        response: messages.ListGroupsResponse = client.call_node(broker.node_id, messages, messages.ListGroupsRequest())
        if response.error_code != errors.NONE:
            raise BrokerError(response.error_code, f"groups of broker {broker.node_id}")
        found += [
            ListedGroup(each.group_id, each.protocol_type, each.group_state, each.group_type, broker.node_id)
            for each in response.groups
        ]
    return sorted(found)


def describe_group(client: Client, group: str) -> Group:
    """A group of either protocol. Raises BrokerError GROUP_ID_NOT_FOUND if there is none."""
    return _consumer_group(client, group) or _classic_group(client, group)


def _consumer_group(client: Client, group: str) -> Group | None:
    """A group of KIP-848's protocol; None if it is none, or the broker has none."""
    from kafkacompat.protocol.messages import consumer_group_describe as messages

    request = messages.ConsumerGroupDescribeRequest([group])
    try:
        response: messages.ConsumerGroupDescribeResponse = client.call_coordinator(
            group, messages, request, lambda answer: answer.groups[0].error_code
        )
    except UnsupportedApiError:
        return None
    (found,) = response.groups
    if found.error_code in (errors.GROUP_ID_NOT_FOUND, errors.UNSUPPORTED_VERSION):
        return None
    if found.error_code != errors.NONE:
        raise BrokerError(found.error_code, f"group {group!r}", found.error_message)
    members = [
        GroupMember(
            each.member_id, each.instance_id, each.client_id, each.client_host,
            [(topic.topic_name, number) for topic in each.assignment.topic_partitions for number in topic.partitions],
        )
        for each in found.members
    ]  # fmt: skip
    return Group(group, found.group_state, "Consumer", found.assignor_name, client.coordinator(group), members)


def _classic_group(client: Client, group: str) -> Group:
    from kafkacompat.protocol.messages import describe_groups as messages

    response: messages.DescribeGroupsResponse = client.call_coordinator(
        group, messages, messages.DescribeGroupsRequest([group]), lambda answer: answer.groups[0].error_code
    )
    (found,) = response.groups
    code = found.error_code
    if code == errors.NONE and found.group_state == "Dead":  # as brokers answer version 5 and older
        code = errors.GROUP_ID_NOT_FOUND
    if code != errors.NONE:
        raise BrokerError(code, f"group {group!r}")
    members = [
        GroupMember(
            each.member_id, each.group_instance_id, each.client_id, each.client_host,
            _assignment(bytes(each.member_assignment)) if found.protocol_type == "consumer" else None,
        )
        for each in found.members
    ]  # fmt: skip
    return Group(group, found.group_state, "Classic", found.protocol_data, client.coordinator(group), members)


def _assignment(data: bytes) -> list[Place] | None:
    from kafkacompat.protocol.internal.consumer_protocol import decode_consumer_protocol_assignment
    from kafkacompat.protocol.primitives import MalformedMessageError

    if len(data) < 2:
        return []
    try:
        version = min(int.from_bytes(data[:2], "big"), 3)
        found = decode_consumer_protocol_assignment(data, 2, version)
    except MalformedMessageError:
        return None
    return [(each.topic, number) for each in found.assigned_partitions for number in each.partitions]


def committed_offsets(client: Client, group: str, *, require_stable: bool = False) -> dict[Place, Committed]:
    """All committed offsets of a group. Raises BrokerError.

    require_stable: without those of partitions for which an open transaction has others (since Kafka 2.5).
    """
    from kafkacompat.protocol.messages import offset_fetch as messages

    def request(version: int) -> messages.OffsetFetchRequest:
        if version >= _SEVERAL_GROUPS_VERSION:
            return messages.OffsetFetchRequest(
                groups=[messages.OffsetFetchRequestGroup(group, topics=None)], require_stable=require_stable
            )
        return messages.OffsetFetchRequest(group, None, require_stable=require_stable)

    response: messages.OffsetFetchResponse = client.call_coordinator(
        group, messages, request,
        lambda answer: answer.groups[0].error_code if answer.groups else answer.error_code, max_version=_NAMED_VERSION,
    )  # fmt: skip
    found = response.groups[0] if response.groups else response
    if found.error_code != errors.NONE:
        raise BrokerError(found.error_code, f"group {group!r}")
    return {
        (topic.name, each.partition_index): Committed(
            each.committed_offset, each.committed_leader_epoch, each.metadata or ""
        )
        for topic in found.topics
        for each in topic.partitions
        if each.committed_offset >= 0
    }


def commit_offsets(client: Client, group: str, offsets: Mapping[Place, int]) -> None:
    """Commit offsets for a group without members. Raises BrokerError."""
    from kafkacompat.protocol.messages import offset_commit as messages

    topics: dict[str, list[messages.OffsetCommitRequestPartition]] = {}
    for (topic, partition), offset in offsets.items():
        topics.setdefault(topic, []).append(messages.OffsetCommitRequestPartition(partition, offset))
    request = messages.OffsetCommitRequest(
        group, topics=[messages.OffsetCommitRequestTopic(name, partitions=each) for name, each in topics.items()]
    )
    response: messages.OffsetCommitResponse = client.call_coordinator(
        group, messages, request, lambda answer: answer.topics[0].partitions[0].error_code, max_version=_NAMED_VERSION
    )
    _check(group, response.topics)


def delete_offsets(client: Client, group: str, places: Collection[Place]) -> None:
    """Delete committed offsets. Raises BrokerError."""
    from kafkacompat.protocol.messages import offset_delete as messages

    topics: dict[str, list[messages.OffsetDeleteRequestPartition]] = {}
    for topic, partition in places:
        topics.setdefault(topic, []).append(messages.OffsetDeleteRequestPartition(partition))
    request = messages.OffsetDeleteRequest(
        group, [messages.OffsetDeleteRequestTopic(name, each) for name, each in topics.items()]
    )
    response: messages.OffsetDeleteResponse = client.call_coordinator(
        group, messages, request, lambda answer: answer.error_code
    )
    if response.error_code != errors.NONE:
        raise BrokerError(response.error_code, f"group {group!r}")
    _check(group, response.topics)


def delete_group(client: Client, group: str) -> None:
    """Delete a group without members, with its offsets. Raises BrokerError."""
    from kafkacompat.protocol.messages import delete_groups as messages

    response: messages.DeleteGroupsResponse = client.call_coordinator(
        group, messages, messages.DeleteGroupsRequest([group]), lambda answer: answer.results[0].error_code
    )
    if response.results[0].error_code != errors.NONE:
        raise BrokerError(response.results[0].error_code, f"group {group!r}")


def _check(group: str, topics: Collection[object]) -> None:
    for topic in topics:
        for each in topic.partitions:  # type: ignore[attr-defined]
            if each.error_code != errors.NONE:
                name = f"{topic.name}-{each.partition_index}"  # type: ignore[attr-defined]
                raise BrokerError(each.error_code, f"group {group!r}, partition {name}")
