"""Groups of kinds that this broker does not implement, as Apache Kafka left them: consumer, share and streams groups.

A frozen group keeps its id, kind, members and offsets until a broker that knows its kind has the directory again. Its
offsets can be read and never expire. Commits, joins and deletions are answered as Kafka does for a group of another
kind, so nothing is written under its keys. Only deleted topics take their offsets along, as in Kafka.
"""

from kafkacompat.broker.coordinator.group.group import CONSUMER, SHARE, STREAMS
from kafkacompat.broker.coordinator.uncommitted import GROUP
from kafkacompat.protocol.error_codes import GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, NONE, UNKNOWN_MEMBER_ID
from kafkacompat.protocol.internal.consumer_offsets import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    ShareGroupMemberMetadataKey,
    ShareGroupMetadataKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMetadataKey,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.uncommitted import Uncommitted
    from kafkacompat.protocol.primitives import Message

    class Groups(Protocol):
        """The groups of a shard."""

        groups: dict[str, Group]
        uncommitted: Uncommitted


EMPTY = "Empty"
STABLE = "Stable"

KIND_OF_GROUP: "Mapping[type[Message], str]" = {
    ConsumerGroupMetadataKey: CONSUMER,
    ShareGroupMetadataKey: SHARE,
    StreamsGroupMetadataKey: STREAMS,
}
"""The kind of a group, by the key of its record. The group exists from its first record to its tombstone."""
KIND_OF_MEMBER: "Mapping[type[Message], str]" = {
    ConsumerGroupMemberMetadataKey: CONSUMER,
    ShareGroupMemberMetadataKey: SHARE,
    StreamsGroupMemberMetadataKey: STREAMS,
}
"""The kind of a member's group, by the key of the member's record."""


class FrozenGroup:
    """One group (see the module). members: their ids; nobody knows here whether they still live."""

    __slots__ = ("id", "kind", "members", "state")

    is_empty = False
    """Never: what expires is empty."""

    def __init__(self, group_id: str, kind: str, members: frozenset[str] = frozenset()) -> None:
        self.id = group_id
        self.kind = kind
        self.members = members
        self.state = STABLE if members else EMPTY

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.members)

    @property
    def listed_protocol_type(self) -> str:
        """The protocol type in ListGroups, which is the name of the kind in Kafka."""
        return self.kind

    def replay_member(self, member_id: str, *, is_there: bool) -> None:
        """A member's record, or its tombstone."""
        self.members = self.members | {member_id} if is_there else self.members - {member_id}
        self.state = STABLE if self.members else EMPTY

    def is_subscribed_to(self, topic: str) -> bool:  # noqa: ARG002 (the interface of all groups)
        """Always, so that its offsets stay."""
        return True

    def check_commit(
        self,
        member_id: str,  # noqa: ARG002 (the interface of all groups)
        instance_id: str | None,  # noqa: ARG002
        generation: int,  # noqa: ARG002
        *,
        is_transactional: bool = False,  # noqa: ARG002
    ) -> int:
        """No commit is taken."""
        return GROUP_ID_NOT_FOUND

    def check_fetch(self, member_id: str | None, member_epoch: int) -> int:
        """Its offsets are for everybody who does not claim to be a member of it (Kafka's ConsumerGroup). Share groups
        have none.
        """
        if self.kind == SHARE:
            return GROUP_ID_NOT_FOUND
        return NONE if member_id is None and member_epoch < 0 else UNKNOWN_MEMBER_ID

    def check_offset_delete(self) -> int:
        """No offset is deleted."""
        return GROUP_ID_NOT_FOUND

    def check_delete(self) -> int:
        """The group is not deleted."""
        return NON_EMPTY_GROUP if self.members else GROUP_ID_NOT_FOUND

    def has_committed(self, member_id: str, event: "EventContext") -> None:
        """Nobody can commit."""

    def retention_start_ms(self, topic: str, committed_ms: int) -> int | None:  # noqa: ARG002
        """Offsets are kept."""
        return None

    def write_tombstones(self, event: "EventContext") -> None:
        """Nothing is written under its keys."""

    def snapshot(self) -> "FrozenGroup":
        """See `Group.snapshot`."""
        return FrozenGroup(self.id, self.kind, self.members)


def replay_group(
    shard: "Groups",
    key: "ConsumerGroupMetadataKey | ShareGroupMetadataKey | StreamsGroupMetadataKey",
    value: "Message | None",
    last_offset: int,
    wall_ms: int,  # noqa: ARG001 (the interface of all records of groups)
) -> None:
    """A group's record, or its tombstone."""
    kind = KIND_OF_GROUP[type(key)]
    group = _frozen(shard, key.group_id, kind)
    if (group is None) == (value is None):
        return
    _note(shard, key.group_id, last_offset)
    if value is None:
        del shard.groups[key.group_id]
    else:
        shard.groups[key.group_id] = FrozenGroup(key.group_id, kind)


def replay_member(
    shard: "Groups",
    key: "ConsumerGroupMemberMetadataKey | ShareGroupMemberMetadataKey | StreamsGroupMemberMetadataKey",
    value: "Message | None",
    last_offset: int,
    wall_ms: int,  # noqa: ARG001 (the interface of all records of groups)
) -> None:
    """A member's record, or its tombstone. The first member may come before its group, as in Kafka."""
    kind = KIND_OF_MEMBER[type(key)]
    group = _frozen(shard, key.group_id, kind)
    if value is None and group is None:
        return
    _note(shard, key.group_id, last_offset)
    if group is None:
        group = shard.groups[key.group_id] = FrozenGroup(key.group_id, kind)
    group.replay_member(key.member_id, is_there=value is not None)


def _frozen(shard: "Groups", group_id: str, kind: str) -> FrozenGroup | None:
    """The group, if it is of this kind."""
    group = shard.groups.get(group_id)
    return group if isinstance(group, FrozenGroup) and group.kind == kind else None


def _note(shard: "Groups", group_id: str, last_offset: int) -> None:
    """Keep what the record changes until it is committed."""
    group = shard.groups.get(group_id)
    shard.uncommitted.note(group_id, GROUP, last_offset, None if group is None else group.snapshot())


REPLAY: "Mapping[type[Message], Callable[..., None]]" = {
    **dict.fromkeys(KIND_OF_GROUP, replay_group),
    **dict.fromkeys(KIND_OF_MEMBER, replay_member),
}
"""What replays each record that a frozen group is made of."""
