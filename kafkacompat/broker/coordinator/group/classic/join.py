"""JoinGroup of a classic group (Kafka's GroupMetadataManager.classicGroupJoin)."""

from kafkacompat.broker.coordinator.group.classic.classic_group import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
)
from kafkacompat.broker.coordinator.group.classic.members import (
    NEW_MEMBER_JOIN_TIMEOUT_MS,
    Member,
    new_member_id,
    protocols_of,
)
from kafkacompat.broker.coordinator.group.classic.rebalance import (
    complete_join_if_ready,
    join_answer,
    join_error,
    prepare,
    reason_of,
    rebalance,
    remove_member,
    wait_for_join,
)
from kafkacompat.broker.coordinator.group.classic.sessions import SESSION, extend_session
from kafkacompat.broker.coordinator.group.event_context import MAX_MEMBERS
from kafkacompat.broker.coordinator.result import Reply
from kafkacompat.protocol.error_codes import (
    FENCED_INSTANCE_ID,
    GROUP_MAX_SIZE_REACHED,
    INCONSISTENT_GROUP_PROTOCOL,
    INVALID_REQUEST,
    MEMBER_ID_REQUIRED,
    NONE,
    UNKNOWN_MEMBER_ID,
)
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey
from kafkacompat.protocol.messages.sync_group import SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkacompat.broker.coordinator.group.classic.members import Client, Protocols
    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.protocol.messages.join_group import JoinGroupRequest


class Join:
    """A JoinGroup request and the rules of its version.

    needs_member_id: a new dynamic member receives an id first and joins again with it (v4, KIP-394).
    may_skip_assignment: a returning static leader receives the members and skips the assignment (v9, KIP-814).
    token: identifies the waiting request.
    """

    __slots__ = ("client", "may_skip_assignment", "needs_member_id", "protocols", "request", "token")

    def __init__(
        self,
        request: "JoinGroupRequest",
        client: "Client",
        token: "Hashable",
        *,
        needs_member_id: bool,
        may_skip_assignment: bool,
    ) -> None:
        self.request = request
        self.client = client
        self.token = token
        self.needs_member_id = needs_member_id
        self.may_skip_assignment = may_skip_assignment
        self.protocols: Protocols = protocols_of(request.protocols)


def admit(group: "ClassicGroup", join: Join, event: "EventContext") -> None:
    """Answer the request, or let it wait for the rebalance."""
    request = join.request
    member_id = request.member_id
    if not _has_room(group, member_id, event):
        remove_member(group, member_id, event)
        event.respond(join_error(GROUP_MAX_SIZE_REACHED))
    elif not group.supports(request.protocol_type, join.protocols):
        event.respond(join_error(INCONSISTENT_GROUP_PROTOCOL, member_id))
    elif member_id == "":
        _join_unknown(group, join, event)
    elif member_id in group.pending:
        if request.group_instance_id is None:
            _add(group, join, member_id, event)
        else:  # only dynamic members receive an id first
            event.respond(join_error(INVALID_REQUEST, member_id))
    else:
        _join_known(group, join, event)


def _has_room(group: ClassicGroup, member_id: str, event: "EventContext") -> bool:
    """Whether `group.max.size` allows the member; during a join phase the last members to arrive are refused."""
    limit = event.settings.max_members
    if len(group.pending) >= MAX_MEMBERS and member_id not in group.pending:
        return False
    if group.state == EMPTY:
        return True
    if group.state == PREPARING:
        return member_id in group.joining or len(group.joining) < limit
    return member_id in group.members or len(group.members) < limit


def _join_unknown(group: ClassicGroup, join: Join, event: "EventContext") -> None:
    instance_id = join.request.group_instance_id
    name = join.client.id if instance_id is None else instance_id
    member_id = new_member_id(name, event.rng)
    if instance_id is not None and instance_id in group.static_ids:
        _return_static(group, join, member_id, event)
    elif instance_id is None and join.needs_member_id:
        timeout_ms = join.request.session_timeout_ms
        group.pending[member_id] = event.now.life_ms + timeout_ms
        event.set_timer((SESSION, group.id, member_id), timeout_ms)
        event.respond(join_error(MEMBER_ID_REQUIRED, member_id))
    else:
        _add(group, join, member_id, event)


def _add(group: ClassicGroup, join: Join, member_id: str, event: "EventContext") -> None:
    """Add a new member and rebalance."""
    request = join.request
    member = Member(
        member_id,
        request.group_instance_id,
        join.client,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        session_timeout_ms=request.session_timeout_ms,
        protocols=join.protocols,
    )
    member.is_new = True
    if member_id in group.pending:
        event.cancel_timer((SESSION, group.id, member_id))
    if not group.members:
        group.protocol_type = request.protocol_type
    group.member_came = group.initial_delay_ms is not None
    group.add(member)
    wait_for_join(group, member_id, join.token, event)
    extend_session(group.id, member, event, NEW_MEMBER_JOIN_TIMEOUT_MS)
    rebalance(group, event, reason_of(f"member {member_id} joined", request.reason))


def _join_known(group: ClassicGroup, join: Join, event: "EventContext") -> None:
    """A member joins again: for a rebalance, with changed metadata, or because it has lost the response."""
    request = join.request
    error_code = group.check_member(request.member_id, request.group_instance_id)
    if error_code == NONE and group.state == EMPTY:
        error_code = UNKNOWN_MEMBER_ID
    if error_code != NONE:
        event.respond(join_error(error_code, request.member_id))
        return
    member = group.members[request.member_id]
    is_unchanged = member.protocols == join.protocols
    must_rebalance = {
        PREPARING: True,
        COMPLETING: not is_unchanged,
        # The leader rejoins when the assignment must change for other reasons than metadata, such as new partitions.
        STABLE: member.id == group.leader or not is_unchanged,
    }[group.state]
    if must_rebalance:
        _update(group, member, join)
        wait_for_join(group, member.id, join.token, event)
        what = "joined again" if is_unchanged else "changed its metadata"
        rebalance(group, event, reason_of(f"member {member.id} {what}", request.reason))
    else:
        event.respond(join_answer(group, member.id))


def _update(group: ClassicGroup, member: Member, join: Join) -> None:
    request = join.request
    group.update(member, join.protocols, request.rebalance_timeout_ms, request.session_timeout_ms)


def _return_static(group: ClassicGroup, join: Join, member_id: str, event: "EventContext") -> None:
    """A static member has returned without an id: it replaces its former self under a new id (KIP-345)."""
    request = join.request
    instance_id = request.group_instance_id
    assert instance_id is not None
    old_id = group.static_ids[instance_id]
    old_leader = group.leader or ""
    _fence(group, old_id, event)
    member = group.replace_static(old_id, member_id)
    event.cancel_timer((SESSION, group.id, old_id))
    member.timer_ms = None
    _update(group, member, join)
    extend_session(group.id, member, event)
    if group.state == STABLE and group.chosen_protocol() == group.protocol:
        _keep_generation(group, join, member_id, old_id, old_leader, event)
        return
    wait_for_join(group, member_id, join.token, event)
    if group.state == PREPARING:
        complete_join_if_ready(group, event)
    else:
        # CompletingRebalance: the leader may assign to the old id. Stable: another protocol is chosen now.
        prepare(group, event, reason_of(f"static member {instance_id} returned", request.reason))


def _keep_generation(
    group: ClassicGroup, join: Join, member_id: str, old_id: str, old_leader: str, event: "EventContext"
) -> None:
    """Only the member's id changes, so the generation continues for all others."""

    def undo(anew: "EventContext", _error_code: int) -> None:
        member = group.replace_static(member_id, old_id)
        member.timer_ms = None  # the timer of the new id was not set
        extend_session(group.id, member, anew)
        anew.result.effects.extend(effect for effect in event.result.effects if isinstance(effect, Reply))

    event.otherwise(undo)
    assignments = {member.id: member.assignment for member in group.members.values()}
    event.write(GroupMetadataKey(group=group.id), group.to_record(assignments))
    answer = join_answer(group, member_id)
    if join.may_skip_assignment:
        answer.skip_assignment = member_id == group.leader
    else:
        # An old client that learns that it leads would assign again: it receives its former id as leader.
        answer.members = []
        answer.leader = old_leader
    event.respond(answer)


def _fence(group: ClassicGroup, old_id: str, event: "EventContext") -> None:
    """Fence requests that wait under the old id: they come from a duplicate of the instance."""
    token = group.joining.get(old_id)
    if token is not None:
        event.reply(token, join_error(FENCED_INSTANCE_ID, old_id))
    token = group.syncing.get(old_id)
    if token is not None:
        event.reply(token, SyncGroupResponse(error_code=FENCED_INSTANCE_ID))
