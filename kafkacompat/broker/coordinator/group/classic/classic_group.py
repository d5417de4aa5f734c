"""The classic group: its states, its members, and its record in __consumer_offsets.

A group is in one of five states (Kafka's ClassicGroupState). The effect of each event:

| event                    | Empty             | PreparingRebalance   | CompletingRebalance  | Stable               |
|--------------------------|-------------------|----------------------|----------------------|----------------------|
| JoinGroup, new member    | → Preparing,      | waits                | → Preparing          | → Preparing          |
|                          | after the initial |                      |                      | (a known static one: |
|                          | delay completes   |                      |                      | its place, no change)|
| JoinGroup, known member  | UNKNOWN_MEMBER_ID | waits                | same metadata: the   | leader or changed    |
|                          |                   |                      | generation again;    | metadata: → Preparing|
|                          |                   |                      | else → Preparing     | else the generation  |
| all members have joined  |                   | → Completing, or     |                      |                      |
| or rebalance time-out    |                   | → Empty without any  |                      |                      |
| SyncGroup of the leader  | UNKNOWN_MEMBER_ID | REBALANCE_IN_PROGRESS| → Stable, all answer | its assignment       |
| SyncGroup of a follower  | UNKNOWN_MEMBER_ID | REBALANCE_IN_PROGRESS| waits                | its assignment       |
| no SyncGroup in time     |                   |                      | dropped, → Preparing | dropped, → Preparing |
| Heartbeat                | UNKNOWN_MEMBER_ID | REBALANCE_IN_PROGRESS| extends the session  | extends the session  |
| session ends, LeaveGroup |                   | dropped, may complete| dropped, → Preparing | dropped, → Preparing |
| OffsetCommit of a member | UNKNOWN_MEMBER_ID | taken                | REBALANCE_IN_PROGRESS| taken                |
| OffsetCommit without one | taken             | UNKNOWN_MEMBER_ID    | UNKNOWN_MEMBER_ID    | UNKNOWN_MEMBER_ID    |
| DeleteGroups, expiry     | → Dead            | NON_EMPTY_GROUP      | NON_EMPTY_GROUP      | NON_EMPTY_GROUP      |

An unknown group is Dead: its members receive UNKNOWN_MEMBER_ID, and the next new member creates it.
"""

from kafkacompat.broker.coordinator.group.classic.members import member_of, subscribed_topics
from kafkacompat.broker.coordinator.group.classic.sessions import SESSION, extend_session
from kafkacompat.broker.coordinator.group.group import CLASSIC
from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.protocol.error_codes import (
    FENCED_INSTANCE_ID,
    ILLEGAL_GENERATION,
    NON_EMPTY_GROUP,
    NONE,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
)
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey, GroupMetadataValue, MemberMetadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkacompat.broker.coordinator.group.classic.members import Member, Protocols
    from kafkacompat.broker.coordinator.group.event_context import EventContext

EMPTY = "Empty"
PREPARING = "PreparingRebalance"
COMPLETING = "CompletingRebalance"
STABLE = "Stable"
DEAD = "Dead"

#: The allowed transitions. A Dead group is dropped.
TRANSITIONS = {
    EMPTY: (PREPARING, DEAD),
    PREPARING: (COMPLETING, EMPTY, DEAD),
    COMPLETING: (PREPARING, STABLE, DEAD),
    STABLE: (PREPARING, DEAD),
}

REBALANCING = (PREPARING, COMPLETING)

REBALANCES_KEPT = 20
"""The last rebalances of a group are kept for views."""

CONSUMER_PROTOCOL_TYPE = "consumer"


class ClassicGroup:
    """One group. `members` is in order of arrival; if the leader leaves, the first remaining member becomes leader.

    pending: members that received an id and have not joined with it yet (KIP-394), with the end of their session in
    monotonic ms. joining, syncing: the tokens of waiting JoinGroup and SyncGroup requests, by member id. pending_sync:
    members without a SyncGroup in this generation. initial_delay_ms: the current step and the rest of the initial
    rebalance delay while it runs. rebalances: wall ms, the generation that ended, and the reason of the last ones since
    this broker has loaded the group.
    """

    __slots__ = (
        "generation",
        "id",
        "initial_delay_ms",
        "joining",
        "leader",
        "member_came",
        "members",
        "pending",
        "pending_sync",
        "protocol",
        "protocol_type",
        "rebalances",
        "state",
        "state_timestamp_ms",
        "static_ids",
        "supporters",
        "syncing",
        "topics",
    )

    kind = CLASSIC

    def __init__(self, group_id: str, wall_ms: int) -> None:
        self.id = group_id
        self.state = EMPTY
        self.state_timestamp_ms = wall_ms
        self.protocol_type: str | None = None
        self.protocol: str | None = None
        self.generation = 0
        self.leader: str | None = None
        self.members: dict[str, Member] = {}
        self.static_ids: dict[str, str] = {}
        self.pending: dict[str, int] = {}
        self.joining: dict[str, Hashable] = {}
        self.syncing: dict[str, Hashable] = {}
        self.pending_sync: dict[str, None] = {}
        self.supporters: dict[str, int] = {}
        self.initial_delay_ms: tuple[int, int] | None = None
        self.member_came = False  # during the initial delay, which it extends
        self.rebalances: tuple[tuple[int, int, str], ...] = ()
        self.topics: frozenset[str] | None = None  # subscribed by the members, where that can be known

    # Queries.

    @property
    def is_consumer_group(self) -> bool:
        """Whether its members use the consumer protocol, so that their subscriptions can be decoded."""
        return self.protocol_type == CONSUMER_PROTOCOL_TYPE

    @property
    def have_all_joined(self) -> bool:
        """Whether all members have joined, so that the join can complete."""
        return len(self.joining) == len(self.members) and not self.pending

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest rebalance timeout of its members."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def supports(self, protocol_type: str, protocols: "Protocols") -> bool:
        """Whether a member with this protocol type and these protocols could join."""
        if self.state == EMPTY:
            return protocol_type != "" and bool(protocols)
        if self.protocol_type != protocol_type:
            return False
        return any(self.supporters.get(name, 0) == len(self.members) for name, _ in protocols)

    def check_member(self, member_id: str, instance_id: str | None) -> int:
        """The error for a request from this member (KIP-345: its instance id may belong to a newer member)."""
        if instance_id is not None:
            existing = self.static_ids.get(instance_id)
            if existing is None:
                return UNKNOWN_MEMBER_ID
            if existing != member_id:
                return FENCED_INSTANCE_ID
        return NONE if member_id in self.members else UNKNOWN_MEMBER_ID

    def chosen_protocol(self) -> str:
        """The protocol with the largest number of votes among those that all members support; the first on a tie."""
        everyone = len(self.members)
        candidates = frozenset(name for name, count in self.supporters.items() if count == everyone)
        votes: dict[str, int] = {}
        for member in self.members.values():
            choice = member.vote(candidates)
            votes[choice] = votes.get(choice, 0) + 1
        return max(votes, key=lambda name: votes[name])

    # The interface of all kinds of groups (`group.py`).

    @property
    def is_empty(self) -> bool:
        """Whether the group has no members and none is joining."""
        return self.state == EMPTY

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.members)

    @property
    def listed_protocol_type(self) -> str:
        """The protocol type in ListGroups."""
        return self.protocol_type or ""

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether a member is subscribed to the topic; True for consumers whose subscription cannot be decoded."""
        return self.is_consumer_group if self.topics is None else topic in self.topics

    def check_commit(
        self, member_id: str, instance_id: str | None, generation: int, *, is_transactional: bool = False
    ) -> int:
        """The error for an OffsetCommit. A simple consumer or a tool (no generation) may commit to an empty group.

        is_transactional: for a TxnOffsetCommit. Old producers name no member, and a rebalance does not matter.
        """
        if generation < 0 and self.state == EMPTY:
            return NONE
        if generation < 0 and member_id == "" and instance_id is None:
            return NONE if is_transactional else UNKNOWN_MEMBER_ID
        error_code = self.check_member(member_id, instance_id)
        if error_code != NONE:
            return error_code
        if generation != self.generation:
            return ILLEGAL_GENERATION
        return REBALANCE_IN_PROGRESS if self.state == COMPLETING and not is_transactional else NONE

    def check_fetch(self, member_id: str | None, member_epoch: int) -> int:  # noqa: ARG002 (the interface of all kinds)
        """Every client may fetch the offsets of a classic group."""
        return NONE

    def check_offset_delete(self) -> int:
        """The error for an OffsetDelete: a group with members must have known subscriptions."""
        return NONE if self.state == EMPTY or self.is_consumer_group else NON_EMPTY_GROUP

    def check_delete(self) -> int:
        """Only an empty group may be deleted."""
        return NONE if self.state == EMPTY else NON_EMPTY_GROUP

    def has_committed(self, member_id: str, event: "EventContext") -> None:
        """A commit extends its member's session, even if the record cannot be written."""
        if self.state in (STABLE, PREPARING):
            extend_session(self.id, self.members[member_id], event)
            event.carry_out_anyway()

    def retention_start_ms(self, topic: str, committed_ms: int) -> int | None:
        """The start of an offset's retention: the time when the group became empty, if it ever had members; otherwise
        the commit time. Offsets of topics without a subscriber also expire in a Stable group of consumers; other groups
        with members keep all offsets (KIP-211).
        """
        if self.is_subscribed_to(topic):
            return None
        if self.state == EMPTY:
            has_emptied = self.protocol_type is not None and self.state_timestamp_ms != NO_TIMESTAMP
            return self.state_timestamp_ms if has_emptied else committed_ms
        is_known = self.state == STABLE and self.is_consumer_group and self.topics is not None
        return committed_ms if is_known else None

    def write_tombstones(self, event: "EventContext") -> None:
        """Write the group's tombstone, and cancel the sessions of pending members."""
        for member_id in self.pending:
            event.cancel_timer((SESSION, self.id, member_id))
        event.write(GroupMetadataKey(group=self.id), None)

    # Soft state of a rebalance: lost when the coordinator moves, rebuilt by the next rebalance.

    def note_rebalance(self, wall_ms: int, reason: str) -> None:
        """A rebalance begins."""
        self.rebalances = (*self.rebalances[1 - REBALANCES_KEPT :], (wall_ms, self.generation, reason))

    def transition_to(self, state: str, wall_ms: int) -> None:
        """Change the state, as the table allows."""
        assert state in TRANSITIONS[self.state], f"{self.id}: {self.state} to {state}"
        self.state = state
        self.state_timestamp_ms = wall_ms

    def add(self, member: "Member") -> None:
        """Add a member; the first one becomes the leader."""
        assert member.id not in self.members
        assert member.instance_id not in self.static_ids
        if member.instance_id is not None:
            self.static_ids[member.instance_id] = member.id
        self.members[member.id] = member
        self._count(member.protocols, 1)
        self.pending.pop(member.id, None)
        if self.leader is None:
            self.leader = member.id

    def remove(self, member_id: str) -> None:
        """Remove a member or a pending one, with its waiting requests."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._count(member.protocols, -1)
            if member.instance_id is not None:
                del self.static_ids[member.instance_id]
        self.pending.pop(member_id, None)
        self._stop_waiting(member_id)
        if self.leader == member_id:
            self.leader = next(iter(self.members), None)

    def update(
        self, member: "Member", protocols: "Protocols", rebalance_timeout_ms: int, session_timeout_ms: int
    ) -> None:
        """Update a member's protocols and timeouts."""
        self._count(member.protocols, -1)
        member.protocols = protocols
        self._count(protocols, 1)
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

    def replace_static(self, old_id: str, new_id: str) -> "Member":
        """A static member has returned with a new id: it replaces the old one, also as leader."""
        member = self.members.pop(old_id)
        assert member.instance_id is not None
        self._stop_waiting(old_id)
        member.id = new_id
        self.members[new_id] = member
        self.static_ids[member.instance_id] = new_id
        if self.leader == old_id:
            self.leader = new_id
        return member

    def elect_joined_leader(self) -> bool:
        """Choose a leader among the joined members. Returns False if no member has joined."""
        if self.leader not in self.joining and self.joining:
            self.leader = next(member_id for member_id in self.members if member_id in self.joining)
        return self.leader in self.joining

    def begin_generation(self, wall_ms: int) -> None:
        """All members have joined: start the next generation, which waits for its leader's assignment."""
        self.generation += 1
        self.protocol = self.chosen_protocol()
        self._learn_topics()
        self.pending_sync = dict.fromkeys(self.members)
        self.transition_to(COMPLETING, wall_ms)

    def _stop_waiting(self, member_id: str) -> None:
        self.joining.pop(member_id, None)
        self.syncing.pop(member_id, None)
        self.pending_sync.pop(member_id, None)

    def _count(self, protocols: "Protocols", step: int) -> None:
        for name, _ in protocols:
            count = self.supporters.get(name, 0) + step
            if count:
                self.supporters[name] = count
            else:
                del self.supporters[name]

    def _learn_topics(self) -> None:
        self.topics = None
        if self.is_consumer_group:
            protocol = self.protocol or ""
            self.topics = subscribed_topics([member.metadata(protocol) for member in self.members.values()])

    # The record in __consumer_offsets.

    def to_record(self, assignments: dict[str, bytes]) -> GroupMetadataValue:
        """The record of this generation with all assignments."""
        protocol = self.protocol or ""
        members = [
            MemberMetadata(
                member_id=member.id,
                group_instance_id=member.instance_id,
                client_id=member.client.id,
                client_host=member.client.host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.metadata(protocol),
                assignment=assignments.get(member.id, b""),
            )
            for member in self.members.values()
        ]
        return GroupMetadataValue(
            protocol_type=self.protocol_type or "",
            generation=self.generation,
            protocol=self.protocol,
            leader=self.leader,
            current_state_timestamp=self.state_timestamp_ms,
            members=members,
        )

    def to_empty_record(self, generation: int, wall_ms: int) -> GroupMetadataValue:
        """The record of a generation without members: a new group, or one whose last member has left."""
        return GroupMetadataValue(
            protocol_type=self.protocol_type or "",
            generation=generation,
            protocol=None,
            leader=None,
            current_state_timestamp=wall_ms,
        )

    def snapshot(self) -> "ClassicGroup":
        """A copy that can be described later, taken before an uncommitted record replaces the group.

        It shares the members, which a record replaces by new objects.
        """
        snapshot = ClassicGroup(self.id, self.state_timestamp_ms)
        snapshot.state = self.state
        snapshot.protocol_type = self.protocol_type
        snapshot.protocol = self.protocol
        snapshot.generation = self.generation
        snapshot.leader = self.leader
        snapshot.members = self.members
        return snapshot

    def replay(self, record: GroupMetadataValue) -> None:
        """Make the group Stable or Empty, at run time and during loading. No other method does.

        A rebalance towards a later generation than the record's continues.
        """
        if self.state in REBALANCING and record.generation < self.generation + (self.state == PREPARING):
            return
        self.generation = record.generation
        self.protocol_type = record.protocol_type or None
        self.protocol = record.protocol
        self.leader = record.leader
        known = self.members
        self.members, self.static_ids, self.supporters = {}, {}, {}
        for entry in record.members:
            member = member_of(entry, record.protocol)
            former = known.get(member.id)
            if former is not None:
                member.restore_session(former)
            self.add(member)
        self.state = STABLE if self.members else EMPTY
        self.state_timestamp_ms = record.current_state_timestamp
        self._learn_topics()
