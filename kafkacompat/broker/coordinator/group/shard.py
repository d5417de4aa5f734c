"""All groups of one partition of __consumer_offsets: events in, records and answers out.

Kafka's GroupCoordinatorShard. Pure: each event brings the time, the shard has its randomness. Only `replay` changes
persistent state; the runtime calls it with each record after its event, and with the whole log during loading. Events
see the newest state, reads the committed state.
"""

from kafkacompat.broker.coordinator.group import frozen, offsets, sweeps
from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
from kafkacompat.broker.coordinator.group.classic.describe import describe
from kafkacompat.broker.coordinator.group.classic.join import admit
from kafkacompat.broker.coordinator.group.classic.rebalance import join_error, resume, timer_fired
from kafkacompat.broker.coordinator.group.classic.sync_heartbeat_leave import heartbeat, leave, sync
from kafkacompat.broker.coordinator.group.event_context import EventContext
from kafkacompat.broker.coordinator.group.pending_offsets import PendingOffsets
from kafkacompat.broker.coordinator.producer_batches import TransactionalProducer
from kafkacompat.broker.coordinator.result import Result
from kafkacompat.broker.coordinator.uncommitted import GROUP, Uncommitted
from kafkacompat.protocol.constants import NO_PRODUCER_ID
from kafkacompat.protocol.error_codes import (
    COORDINATOR_LOAD_IN_PROGRESS,
    GROUP_ID_NOT_FOUND,
    INCONSISTENT_GROUP_PROTOCOL,
    INVALID_SESSION_TIMEOUT,
    MEMBER_ID_REQUIRED,
    NONE,
    POLICY_VIOLATION,
    UNKNOWN_MEMBER_ID,
)
from kafkacompat.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkacompat.protocol.messages.delete_groups import DeletableGroupResult, DeleteGroupsResponse
from kafkacompat.protocol.messages.heartbeat import HeartbeatResponse
from kafkacompat.protocol.messages.leave_group import LeaveGroupResponse, MemberResponse
from kafkacompat.protocol.messages.list_groups import ListedGroup
from kafkacompat.protocol.messages.offset_delete import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchResponseGroup
from kafkacompat.protocol.messages.sync_group import SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from kafkacompat.broker.coordinator.group.classic.join import Join
    from kafkacompat.broker.coordinator.group.event_context import GroupSettings
    from kafkacompat.broker.coordinator.group.group import Group
    from kafkacompat.broker.coordinator.group.offsets import CommitTarget
    from kafkacompat.broker.coordinator.group.records import ShardRecord
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.describe_groups import DescribedGroup
    from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
    from kafkacompat.protocol.messages.leave_group import MemberIdentity
    from kafkacompat.protocol.messages.offset_commit import OffsetCommitRequest
    from kafkacompat.protocol.messages.offset_delete import OffsetDeleteRequestTopic
    from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequestTopics
    from kafkacompat.protocol.messages.sync_group import SyncGroupRequest
    from kafkacompat.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.storage.verification_entries import VerificationEntry


#: Records that DeleteGroups writes in one batch, about 10 µs each; a job writes larger numbers.
MAX_DELETED_AT_ONCE = 500

#: The limit of groups in one shard, so that invented group ids cannot exhaust memory.
MAX_GROUPS = 100_000

#: The timer that checks for expired offsets. Keys of all other timers are (kind, group id, …).
EXPIRY = "expiry"


class GroupCoordinatorShard:
    """The groups and offsets of one partition."""

    __slots__ = ("_created", "_dying", "_rng", "_settings", "groups", "offsets", "pending", "uncommitted")

    def __init__(self, settings: "GroupSettings", rng: "random.Random") -> None:
        self._settings = settings
        self._rng = rng
        self.groups: dict[str, Group] = {}
        self._created: ClassicGroup | None = None
        """A new group with its first member; its record is replayed next."""
        self._dying: set[str] = set()
        """Groups that a job is deleting."""
        self.uncommitted = Uncommitted()
        self.offsets = offsets.OffsetStore(self.uncommitted)
        self.pending = PendingOffsets()

    def _event(self, now: "Now") -> EventContext:
        return EventContext(now, self._settings, self._rng)

    def _classic(self, group_id: str) -> ClassicGroup | None:
        """The group, if it is a classic one."""
        group = self.groups.get(group_id)
        return group if isinstance(group, ClassicGroup) else None

    def _committed(self, group_id: str) -> "Group | None":
        """The group as it is committed."""
        return self.uncommitted.former(group_id, GROUP, self.groups.get(group_id))

    # State.

    def replay(
        self,
        offset: int,
        producer_id: int,
        producer_epoch: int,  # noqa: ARG002 (the interface of all shards)
        record: "ShardRecord",
        last_offset: int,
        wall_ms: int,
    ) -> None:
        """Apply the record at `offset`, see `CoordinatorShard`. Transactions contain offset commits only."""
        key, value = record
        if not isinstance(key, OffsetCommitKey):
            REPLAY_GROUP[type(key)](self, key, value, last_offset, wall_ms)
            return
        assert value is None or isinstance(value, OffsetCommitValue)
        if value is None:
            self.pending.drop(key)
        elif key.group not in self.groups:  # of a simple consumer, which writes no group record
            self.uncommitted.note(key.group, GROUP, last_offset, None)
            self.groups[key.group] = ClassicGroup(key.group, wall_ms)
        if value is None or producer_id == NO_PRODUCER_ID:
            self.offsets.replay(offset, key, value, last_offset)
        else:
            self.pending.put(offset, producer_id, key, value)

    def replay_end_transaction(
        self,
        producer_id: int,
        producer_epoch: int,  # noqa: ARG002 (the interface of all shards)
        last_offset: int,
        *,
        is_commit: bool,
    ) -> None:
        """A commit applies the producer's pending offsets, except those that a later record has replaced."""
        for offset, key, value in self.pending.end(producer_id):
            if is_commit:
                self.offsets.replay(offset, key, value, last_offset)

    def replay_classic_group(
        self, key: GroupMetadataKey, value: GroupMetadataValue | None, last_offset: int, wall_ms: int
    ) -> None:
        """A classic group with its members."""
        group = self._classic(key.group)
        if last_offset >= self.uncommitted.high_watermark:
            former = self.groups.get(key.group)
            self.uncommitted.note(key.group, GROUP, last_offset, None if former is None else former.snapshot())
        if value is None:
            if group is not None:  # the group may be of another kind by now
                del self.groups[key.group]
            return
        if group is None:
            group, self._created = self._created, None
            if group is None or group.id != key.group:
                group = ClassicGroup(key.group, wall_ms)
            self.groups[key.group] = group
        group.replay(value)

    def on_committed(self, high_watermark: int) -> None:
        """All records below `high_watermark` are committed."""
        self.uncommitted.advance(high_watermark)

    def on_loaded(self, now: "Now") -> "Iterator[Result]":
        """After loading, members get a new session, and groups above the maximum size rebalance."""
        for group in list(self.groups.values()):
            if isinstance(group, ClassicGroup) and group.members:
                event = self._event(now)
                resume(group, event)
                yield event.result
        event = self._event(now)
        event.set_timer((EXPIRY,), self._settings.offsets_retention_check_interval_ms, is_periodic=True)
        yield event.result

    # Membership.

    def join_group(self, join: "Join", now: "Now") -> "Result":
        """JoinGroup. The first member creates the group, before it has a member id."""
        event = self._event(now)
        request = join.request
        settings = self._settings
        group = self._classic(request.group_id)
        is_new = group is None
        if not settings.min_session_timeout_ms <= request.session_timeout_ms <= settings.max_session_timeout_ms:
            event.respond(join_error(INVALID_SESSION_TIMEOUT, request.member_id))
            return event.result
        if request.group_id in self._dying:
            event.respond(join_error(COORDINATOR_LOAD_IN_PROGRESS, request.member_id))
            return event.result
        if group is None and request.group_id in self.groups:
            event.respond(join_error(INCONSISTENT_GROUP_PROTOCOL, ""))  # of another kind
            return event.result
        if group is None:
            if request.member_id != "" or len(self.groups) >= MAX_GROUPS:
                error_code = UNKNOWN_MEMBER_ID if request.member_id != "" else POLICY_VIOLATION
                event.respond(join_error(error_code, request.member_id))
                return event.result
            group = ClassicGroup(request.group_id, now.wall_ms)
        created = group.to_empty_record(0, now.wall_ms)
        admit(group, join, event)
        response = event.result.response
        if is_new and (response is None or response.error_code == MEMBER_ID_REQUIRED):
            self._created = group
            event.write(GroupMetadataKey(group=group.id), created)
        return event.result

    def sync_group(self, request: "SyncGroupRequest", token: "Hashable", now: "Now") -> "Result":
        """SyncGroup."""
        event = self._event(now)
        group = self._classic(request.group_id)
        if group is None:
            event.respond(SyncGroupResponse(error_code=UNKNOWN_MEMBER_ID))
        else:
            sync(group, request, token, event)
        return event.result

    def heartbeat(self, request: "HeartbeatRequest", now: "Now") -> "Result":
        """Heartbeat."""
        event = self._event(now)
        group = self._classic(request.group_id)
        error_code = UNKNOWN_MEMBER_ID if group is None else heartbeat(group, request, event)
        event.respond(HeartbeatResponse(error_code=error_code))
        return event.result

    def leave_group(self, group_id: str, members: "Sequence[MemberIdentity]", now: "Now") -> "Result":
        """LeaveGroup of several members."""
        event = self._event(now)
        group = self._classic(group_id)
        if group is None:
            unknown = [MemberResponse(m.member_id, m.group_instance_id, UNKNOWN_MEMBER_ID) for m in members]
            event.respond(LeaveGroupResponse(members=unknown))
        else:
            leave(group, members, event)
        return event.result

    # Offsets.

    def commit_offsets(
        self, request: "OffsetCommitRequest", targets: "Sequence[CommitTarget]", not_found_error: int, now: "Now"
    ) -> "Result":
        """OffsetCommit; members of an unknown group receive `not_found_error`."""
        event = self._event(now)
        group = self.groups.get(request.group_id)
        if request.group_id in self._dying:
            targets = _refused(targets, COORDINATOR_LOAD_IN_PROGRESS)
        if group is None and len(self.groups) >= MAX_GROUPS:
            targets = _refused(targets, POLICY_VIOLATION)
        offsets.commit(group, request, targets, not_found_error, event)
        return event.result

    def commit_offsets_in_transaction(
        self, request: "TxnOffsetCommitRequest", now: "Now", guard: "VerificationEntry | None" = None
    ) -> "Result":
        """TxnOffsetCommit of partitions that exist. Its records count once the transaction is committed.

        guard: see `TransactionalProducer`.
        """
        event = self._event(now)
        event.result.producer = TransactionalProducer(request.producer_id, request.producer_epoch, guard)
        group = self.groups.get(request.group_id)
        refusal = COORDINATOR_LOAD_IN_PROGRESS if request.group_id in self._dying else NONE
        if group is None and len(self.groups) >= MAX_GROUPS:
            refusal = POLICY_VIOLATION
        offsets.commit_in_transaction(group, request, refusal, event)
        return event.result

    def fetch_offsets(
        self,
        group_id: str,
        topics: "Sequence[OffsetFetchRequestTopics] | None",
        id_of: "Callable[[str], bytes]",
        *,
        member_id: str | None = None,
        member_epoch: int = -1,
        newest: bool,
    ) -> "OffsetFetchResponseGroup":
        """OffsetFetch of one group; all its offsets if `topics` is None.

        newest: the newest offsets, and an error for those with an open transaction; otherwise the committed ones.
        member_id, member_epoch: the sender, if it identifies itself (KIP-848). id_of: the current id of a topic by its
        name, zeros for an unknown topic.
        """
        group = self.groups.get(group_id) if newest else self._committed(group_id)
        error_code = NONE if group is None else group.check_fetch(member_id, member_epoch)
        if error_code != NONE:
            return OffsetFetchResponseGroup(group_id, error_code=error_code)
        stable = self.pending if newest else None
        if topics is None:
            return offsets.fetch_all(self.offsets, group_id, id_of, stable)
        return offsets.fetch(self.offsets, group_id, topics, id_of, stable)

    def delete_offsets(
        self, group_id: str, topics: "Sequence[tuple[OffsetDeleteRequestTopic, dict[int, int]]]", now: "Now"
    ) -> "Result":
        """OffsetDelete. Each topic comes with the error codes of its unknown partitions."""
        event = self._event(now)
        group = self.groups.get(group_id)
        error_code = GROUP_ID_NOT_FOUND if group is None else group.check_offset_delete()
        if group is None or error_code != NONE:
            event.respond(OffsetDeleteResponse(error_code=error_code))
            return event.result
        answers = []
        for topic, unknown in topics:
            partitions = []
            for partition in topic.partitions:
                index = partition.partition_index
                code = unknown.get(index) or offsets.delete_offset(
                    self.offsets, self.pending, group, topic.name, index, event
                )
                partitions.append(OffsetDeleteResponsePartition(index, code))
            if partitions:
                answers.append(OffsetDeleteResponseTopic(topic.name, partitions))
        event.respond(OffsetDeleteResponse(topics=answers))
        return event.result

    def on_topics_deleted(self, deleted: "Mapping[str, bytes]", now: "Now") -> "Result":
        """Delete all offsets of deleted topics; `deleted` has their ids by name."""
        result = Result()
        result.job = lambda at: sweeps.forget_topics(self, deleted, now.wall_ms, lambda: self._event(at))
        return result

    # Whole groups.

    def describe_group(self, group_id: str, not_found_error: int) -> "DescribedGroup":
        """DescribeGroups of one group."""
        group = self._committed(group_id)
        return describe(group if isinstance(group, ClassicGroup) else None, group_id, not_found_error)

    def list_groups(self, states: "Collection[str]", kinds: "Collection[str]" = ()) -> "Iterator[ListedGroup | None]":
        """ListGroups: the groups in one of the states and of one of the kinds (lower case; empty: any). Yields None for
        each group that does not match.

        The iterator may be consumed over several iterations of the event loop: each group is in its committed state at
        the time it is yielded.
        """
        group_ids = list(self.groups)
        group_ids += [group_id for group_id in self.uncommitted.groups() if group_id not in self.groups]
        for group_id in group_ids:
            group = self._committed(group_id)
            if group is None or (states and group.state.lower() not in states) or (kinds and group.kind not in kinds):
                yield None
            else:
                yield ListedGroup(group_id, group.listed_protocol_type, group.state, group.kind)

    def delete_groups(self, group_ids: "Sequence[str]", token: "Hashable", now: "Now") -> "Result":
        """DeleteGroups: tombstones for the groups that are empty, and for their offsets.

        A job deletes large numbers; `token` is answered after the last, and the groups accept no member until then.
        """
        event = self._event(now)
        results = []
        doomed = []
        for group_id in dict.fromkeys(group_ids):
            group = self.groups.get(group_id)
            if group is None:
                error_code = GROUP_ID_NOT_FOUND
            elif group_id in self._dying:
                error_code = COORDINATOR_LOAD_IN_PROGRESS
            else:
                error_code = group.check_delete()
            if group is not None and error_code == NONE:
                doomed.append(group)
            results.append(DeletableGroupResult(group_id, error_code))
        response = DeleteGroupsResponse(results=results)
        if sum(1 + self._count(group.id) for group in doomed) > MAX_DELETED_AT_ONCE:
            event.result.job = lambda at: self._delete_groups([group.id for group in doomed], response, token, at)
            return event.result
        for group in doomed:
            for topic, partition in sweeps.places(self, group.id):
                event.write(OffsetCommitKey(group.id, topic, partition), None)
            group.write_tombstones(event)
        event.respond(response)
        return event.result

    def _count(self, group_id: str) -> int:
        """The number of offsets of a group, committed or in transactions; one that is both counts twice."""
        return self.offsets.count(group_id) + len(self.pending.places(group_id))

    def _delete_groups(
        self, group_ids: "Sequence[str]", response: DeleteGroupsResponse, token: "Hashable", now: "Now"
    ) -> "Iterator[Result]":
        def refuse(event: EventContext, error_code: int) -> None:
            self._dying.difference_update(group_ids)
            results = [DeletableGroupResult(group_id, error_code) for group_id in group_ids]
            event.reply(token, DeleteGroupsResponse(results=results))

        self._dying.update(group_ids)
        for group_id in group_ids:
            for result in sweeps.delete_group(self, group_id, lambda: self._event(now)):
                result.otherwise = lambda error_code: _of(self._event(now), refuse, error_code)
                yield result
        self._dying.difference_update(group_ids)
        event = self._event(now)
        event.reply(token, response)
        yield event.result

    # Time.

    def timer_fired(self, key: tuple[str, ...], now: "Now") -> "Result":
        """A timer of this shard has fired."""
        event = self._event(now)
        if key[0] == EXPIRY:
            self._expire(event)
            return event.result
        group = self._classic(key[1])
        if group is not None:
            timer_fired(group, key, event)
        return event.result

    def _expire(self, event: EventContext) -> None:
        """Delete expired offsets, and empty groups without offsets."""
        event.set_timer((EXPIRY,), self._settings.offsets_retention_check_interval_ms, is_periodic=True)
        event.result.job = lambda at: sweeps.expire(self, lambda: self._event(at))

    def release(self) -> "Iterator[int]":
        """Free all state in parts, as freeing takes time, too; yields the cost of each."""
        while self.groups:
            _, group = self.groups.popitem()
            yield 1 + group.size // 8
        yield from self.offsets.release()
        yield from self.pending.release()


#: The replay method for each type of group record, by the class of its key.
REPLAY_GROUP: "Mapping[type[Message], Callable[..., None]]" = {
    GroupMetadataKey: GroupCoordinatorShard.replay_classic_group,
    **frozen.REPLAY,
}


def _refused(targets: "Sequence[CommitTarget]", error_code: int) -> "list[CommitTarget]":
    """The same error for each known topic."""
    return [(asked, None, code if topic is None else error_code) for asked, topic, code in targets]


def _of(event: EventContext, say: "Callable[[EventContext, int], None]", error_code: int) -> "Result":
    say(event, error_code)
    return event.result
