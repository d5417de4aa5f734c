"""What most raw tests of groups do first: a group with members."""

from __future__ import annotations

import struct

from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import join_group, offset_commit, sync_group

JOIN_VERSION, SYNC_VERSION, COMMIT_VERSION = 9, 5, 9
SESSION_TIMEOUT_MS = 30_000
MEMBER_ID_REQUIRED = 79
PROTOCOL_TYPE = "consumer"


def subscription(*topics: str) -> bytes:
    """A consumer's metadata in version 0 of the consumer protocol: the topics that it reads, and no user data."""
    names = [struct.pack(">h", len(topic)) + topic.encode() for topic in topics]
    return struct.pack(">hi", 0, len(topics)) + b"".join(names) + struct.pack(">i", -1)


def join_request(
    group: str,
    member_id: str = "",
    protocols: tuple[str, ...] = ("range",),
    *,
    instance: str | None = None,
    protocol_type: str = PROTOCOL_TYPE,
    session_timeout_ms: int = SESSION_TIMEOUT_MS,
    rebalance_timeout_ms: int = 10_000,
    metadata: bytes | None = None,
) -> join_group.JoinGroupRequest:
    """A member that knows `protocols`, each with the protocol's name as metadata if there is no other."""
    return join_group.JoinGroupRequest(
        group, session_timeout_ms, rebalance_timeout_ms, member_id, instance, protocol_type,
        [join_group.JoinGroupRequestProtocol(name, metadata or name.encode()) for name in protocols],
    )  # fmt: skip


def sync_request(
    group: str, member_id: str, generation: int, instance: str | None = None, **more: str
) -> sync_group.SyncGroupRequest:
    """A leader's sync that gives itself an assignment."""
    assignment = sync_group.SyncGroupRequestAssignment(member_id, b"assigned")
    kind, name = more.get("protocol_type", PROTOCOL_TYPE), more.get("protocol_name", "range")
    return sync_group.SyncGroupRequest(group, generation, member_id, instance, kind, name, [assignment])


def new_member(client: RawClient, group: str, instance: str | None = None) -> tuple[str, int]:
    """Join as the only member; returns its id and the generation. It has not synced yet."""
    member_id = ""
    while True:
        answer = client.call(join_group.API_KEY, JOIN_VERSION, join_request(group, member_id, instance=instance))
        if answer.error_code == 0:
            return str(answer.member_id), int(answer.generation_id)
        assert answer.error_code == MEMBER_ID_REQUIRED, answer.error_code
        member_id = answer.member_id


def stable(client: RawClient, group: str, instance: str | None = None) -> tuple[str, int]:
    """A stable group of one member; returns its id and the generation."""
    member_id, generation = new_member(client, group, instance)
    answer = client.call(sync_group.API_KEY, SYNC_VERSION, sync_request(group, member_id, generation, instance))
    assert answer.error_code == 0, answer.error_code
    return member_id, generation


def commit(client: RawClient, group: str, topic: str, offsets: dict[int, int], note: str = "") -> None:
    """Commit offsets for a group without members, which makes the group."""
    parts = [offset_commit.OffsetCommitRequestPartition(part, offset, 0, note) for part, offset in offsets.items()]
    wanted = offset_commit.OffsetCommitRequestTopic(topic, partitions=parts)
    request = offset_commit.OffsetCommitRequest(group, topics=[wanted])
    answer = client.call(offset_commit.API_KEY, COMMIT_VERSION, request)
    assert all(part.error_code == 0 for part in answer.topics[0].partitions), answer
