"""Groups with their members, offsets and rebalances, as plain values."""

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
    from kafkacompat.broker.coordinator.group.classic.members import Member
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

ITEMS_PER_YIELD = 25
"""A view yields at least after so many groups, members and offsets."""

OPEN_MAX = 100
"""The most open transactions that are shown of one offset."""


def groups(server: "BrokerServer", group_ids: "Collection[str] | None" = None) -> "Steps[list[Plain]]":
    """The groups that this broker coordinates, by id; with `group_ids` only those of them that it has.

    Each has `group_id`, `type`, `coordinator` (this broker), `protocol_type`, `state`, `generation`, `protocol` (null
    before the first generation), `leader` (a member id), and lists of `members`, `offsets` and `rebalances`. They show
    the newest state, in which records may not be committed yet: such an offset has its last committed value in
    `committed_offset` (-1: none) and the newest in `pending_offset` (null: there is none). `open_transactions` are the
    producers whose open transactions would commit the partition, at most OPEN_MAX, each with its `offset`.
    """
    found = []
    units = 0
    for shard, group_id in sorted(_all(server), key=lambda each: each[1]):
        if group_ids is not None and group_id not in group_ids:
            continue
        for plain in _in_parts(server, shard, group_id):
            units += 1
            if plain is not None:
                found.append(plain)
            if units >= ITEMS_PER_YIELD:
                yield units
                units = 0
    return found


def _in_parts(server: "BrokerServer", shard: "GroupCoordinatorShard", group_id: str) -> "Iterator[Plain | None]":
    """A group, then None for each further part of it that is made; nothing if it was deleted since the view began."""
    group = shard.groups.get(group_id)
    if group is None:
        return
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup

    plain = _group(group, server)
    members, offsets = plain["members"], plain["offsets"]
    yield plain
    now_ms = server.now().life_ms
    if isinstance(group, ClassicGroup):
        for member in list(group.members.values()):
            members.append(_member(group, member, now_ms))
            yield None
    opened: dict[str, set[int]] = {}
    for topic, partition in shard.pending.places(group_id):
        opened.setdefault(topic, set()).add(partition)
    for topic in _offset_topics(shard, group_id, opened):
        for partition in _offset_partitions(shard, group_id, topic, opened.get(topic, set())):
            offset = _offset(server, shard, group_id, topic, partition)
            if offset is not None:
                offsets.append(offset)
            yield None


def _all(server: "BrokerServer") -> "list[tuple[GroupCoordinatorShard, str]]":
    made = server.broker.coordinators.groups_if_made
    return [] if made is None else [(shard, group_id) for shard in made.shards() for group_id in shard.groups]


def _group(group: "Group", server: "BrokerServer") -> "Plain":
    """A group without its members and offsets. Of a frozen group neither generation nor rebalances are known."""
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup

    classic = group if isinstance(group, ClassicGroup) else None
    return {
        "group_id": group.id,
        "type": group.kind,
        "coordinator": server.broker.node_id,
        "protocol_type": group.listed_protocol_type,
        "state": group.state,
        "generation": 0 if classic is None else classic.generation,
        "protocol": None if classic is None else classic.protocol,
        "leader": None if classic is None else classic.leader,
        "members": [],
        "offsets": [],
        "rebalances": [
            {"at_ms": at_ms, "generation": generation, "reason": reason}
            for at_ms, generation, reason in (() if classic is None else classic.rebalances)
        ],
    }


def _member(group: "ClassicGroup", member: "Member", now_ms: int) -> "Plain":
    subscription = member.protocols[0][1]
    if group.protocol is not None:
        subscription = next((data for name, data in member.protocols if name == group.protocol), subscription)
    is_consumer = group.is_consumer_group
    return {
        "member_id": member.id,
        "instance_id": member.instance_id,
        "client_id": member.client.id,
        "client_host": member.client.host,
        "protocols": [name for name, _ in member.protocols],
        "subscription": subscribed(subscription) if is_consumer else None,
        "assignment": assigned(member.assignment) if is_consumer else None,
        "session_timeout_ms": member.session_timeout_ms,
        "session_left_ms": max(0, member.deadline_ms - now_ms),
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
        "has_joined": member.id in group.joining,
        "has_synced": member.id not in group.pending_sync,
    }


def subscribed(data: bytes) -> list[str] | None:
    """The topics of a subscription of the consumer protocol; None if it cannot be decoded."""
    from kafkacompat.broker.coordinator.group.classic.members import subscribed_topics

    topics = subscribed_topics([data])
    return None if topics is None else sorted(topics)


def assigned(data: bytes) -> dict[str, list[int]] | None:
    """The partitions by topic of an assignment of the consumer protocol; None if it cannot be decoded."""
    from kafkacompat.protocol.internal.consumer_protocol import decode_consumer_protocol_assignment
    from kafkacompat.protocol.primitives import MalformedMessageError, UnsupportedVersionError

    if not data:
        return {}
    try:
        # All versions begin with the fields of version 0, and later ones may follow (Kafka's ConsumerProtocol).
        decoded = decode_consumer_protocol_assignment(data, 2, min(int.from_bytes(data[:2]), 3))
    except (MalformedMessageError, UnsupportedVersionError):
        return None
    return {each.topic: list(each.partitions) for each in decoded.assigned_partitions}


def _offset_topics(shard: "GroupCoordinatorShard", group_id: str, opened: dict[str, set[int]]) -> list[str]:
    """The topics of all offsets, newest or committed, in order, with those in ``opened`` transactions."""
    return sorted({*shard.offsets.topics(group_id), *shard.offsets.all(group_id, newest=False), *opened})


def _offset_partitions(shard: "GroupCoordinatorShard", group_id: str, topic: str, opened: set[int]) -> list[int]:
    """The partitions of a topic's offsets, newest or committed, in order, with those in ``opened`` transactions."""
    newest = shard.offsets.topics(group_id).get(topic, {})
    committed = shard.offsets.all(group_id, newest=False).get(topic, {})
    return sorted({*newest, *committed, *opened})


def _offset(
    server: "BrokerServer", shard: "GroupCoordinatorShard", group_id: str, topic: str, partition: int
) -> "Plain | None":
    newest = shard.offsets.find(group_id, topic, partition, newest=True)
    committed = shard.offsets.find(group_id, topic, partition, newest=False)
    shown = committed or newest
    opened = shard.pending.offsets(group_id, topic, partition)
    if shown is None and not opened:  # deleted since this view began
        return None
    epoch, metadata, committed_at_ms = (NO_PARTITION_LEADER_EPOCH, None, None) if shown is None else shown[1:4]
    is_pending = newest is not None and newest is not committed
    replica = server.broker.partitions.get(topic, partition)
    end_offset = replica.high_watermark if replica is not None and replica.is_leader else None
    committed_offset = UNKNOWN_OFFSET if committed is None else committed[0]
    return {
        "topic": topic,
        "partition": partition,
        "committed_offset": committed_offset,
        "pending_offset": newest[0] if is_pending and newest is not None else None,
        "end_offset": end_offset,
        "lag": lag(committed_offset, end_offset),
        "leader_epoch": epoch,
        "metadata": metadata,
        "committed_at_ms": committed_at_ms,
        "open_transactions": [
            {"producer_id": producer_id, "offset": offset} for producer_id, offset in opened[:OPEN_MAX]
        ],
    }


def lag(committed_offset: int, end_offset: int | None) -> int | None:
    """The records between a committed offset and the end; None where either is not known."""
    return None if end_offset is None or committed_offset < 0 else max(0, end_offset - committed_offset)
