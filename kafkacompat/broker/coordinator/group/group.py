"""The interface of all kinds of groups, for offsets, lists, deletion and expiry (Kafka's Group.java).

Types, and the names of the kinds. Joining and leaving are specific to a kind: see `classic/` for classic groups, and
`frozen.py` for groups of the kinds that this broker does not implement.
"""

CLASSIC = "classic"
CONSUMER = "consumer"
SHARE = "share"
STREAMS = "streams"
KINDS = frozenset((CLASSIC, CONSUMER, SHARE, STREAMS))
"""The kinds of groups that a shard may hold, by their names in ListGroups (KIP-848); all but the first are frozen."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.broker.coordinator.group.event_context import EventContext

    class Group(Protocol):
        """One group. Checks return NONE if the request is valid."""

        id: str
        kind: str
        state: str

        @property
        def is_empty(self) -> bool:
            """Whether the group has no members and none is joining."""

        @property
        def size(self) -> int:
            """The number of members."""

        @property
        def listed_protocol_type(self) -> str:
            """The protocol type in ListGroups."""

        def is_subscribed_to(self, topic: str) -> bool:
            """Whether a member is subscribed to the topic, so that its offsets are kept."""

        def check_commit(
            self, member_id: str, instance_id: str | None, generation: int, *, is_transactional: bool = False
        ) -> int:
            """The error for an OffsetCommit, or a TxnOffsetCommit, of this sender. generation: −1 for a simple
            consumer; the member epoch in other kinds of groups.
            """

        def check_fetch(self, member_id: str | None, member_epoch: int) -> int:
            """The error for an OffsetFetch of this sender; None and −1 for an anonymous one."""

        def check_offset_delete(self) -> int:
            """The error for an OffsetDelete."""

        def check_delete(self) -> int:
            """The error for a DeleteGroups."""

        def has_committed(self, member_id: str, event: EventContext) -> None:
            """A commit was accepted, so its sender is alive."""

        def retention_start_ms(self, topic: str, committed_ms: int) -> int | None:
            """The start of an offset's retention (wall clock); None: the offset is kept."""

        def write_tombstones(self, event: EventContext) -> None:
            """Delete the group: write tombstones for its own records and cancel its timers; its offsets stay."""

        def snapshot(self) -> "Group":
            """A copy that can be described later, taken before an uncommitted record replaces the group."""
