"""What every kind of group offers to its shard: to offsets, lists, deletion and expiry (Kafka's Group.java).

For types, and the kinds' names. How members join and leave is each kind's own: classic groups in `classic/`.
"""

CLASSIC = "classic"
KINDS = frozenset((CLASSIC,))
"""Kinds of groups that this broker has, as ListGroups names them (KIP-848)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.broker.coordinator.group.event_context import EventContext

    class Group(Protocol):
        """One group. Error codes are NONE where nothing is wrong."""

        id: str
        kind: str
        state: str

        @property
        def is_empty(self) -> bool:
            """Whether nobody is a member, nor about to be one."""

        @property
        def size(self) -> int:
            """How many members it has."""

        @property
        def listed_protocol_type(self) -> str:
            """What ListGroups says of the members' protocol."""

        def is_subscribed_to(self, topic: str) -> bool:
            """Whether a member reads the topic, so that its offsets are kept."""

        def check_commit(self, member_id: str, instance_id: str | None, generation: int) -> int:
            """The error for an OffsetCommit of this sender; −1 of a simple consumer. `generation` is a member epoch in
            other kinds of groups.
            """

        def check_fetch(self, member_id: str | None, member_epoch: int) -> int:
            """The error for an OffsetFetch of this sender; none and −1 where it does not say who it is."""

        def check_offset_delete(self) -> int:
            """The error for an OffsetDelete."""

        def check_delete(self) -> int:
            """The error for a DeleteGroups."""

        def has_committed(self, member_id: str, event: EventContext) -> None:
            """A commit was let in: its sender is alive."""

        def retention_start_ms(self, topic: str, committed_ms: int) -> int | None:
            """From when the retention of an offset counts (wall clock), which was committed then; None: it is kept."""

        def write_tombstones(self, event: EventContext) -> None:
            """The group is deleted: tombstones of its own records, and no more timers. Offsets have their own."""

        def snapshot(self) -> "Group":
            """The group as it can be described now, for when a record has replaced it that is not committed yet."""
