"""SyncGroup, Heartbeat and LeaveGroup of a classic group's members (Kafka's GroupMetadataManager)."""

from kafkacompat.broker.coordinator.group.classic.classic_group import EMPTY, PREPARING, STABLE
from kafkacompat.broker.coordinator.group.classic.rebalance import (
    SYNC,
    answer_syncs,
    drop_member,
    reason_of,
    rebalance,
    refuse_syncs,
    remove_member,
    wait_for_sync,
)
from kafkacompat.broker.coordinator.group.classic.sessions import extend_session
from kafkacompat.protocol.error_codes import (
    ILLEGAL_GENERATION,
    INCONSISTENT_GROUP_PROTOCOL,
    NONE,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
)
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey
from kafkacompat.protocol.messages.leave_group import LeaveGroupResponse, MemberResponse
from kafkacompat.protocol.messages.sync_group import SyncGroupResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
    from kafkacompat.protocol.messages.leave_group import MemberIdentity
    from kafkacompat.protocol.messages.sync_group import SyncGroupRequest


def sync(group: "ClassicGroup", request: "SyncGroupRequest", token: "Hashable", event: "EventContext") -> None:
    """SyncGroup: a member asks for its assignment; the leader's request contains all assignments."""
    error_code = _sync_error(group, request)
    if error_code != NONE:
        event.respond(SyncGroupResponse(error_code=error_code))
        return
    member_id = request.member_id
    group.pending_sync.pop(member_id, None)
    if not group.pending_sync:
        event.cancel_timer((SYNC, group.id))
    if group.state == STABLE:
        response = SyncGroupResponse(
            protocol_type=group.protocol_type,
            protocol_name=group.protocol,
            assignment=group.members[member_id].assignment,
        )
        event.respond(response)
        return
    wait_for_sync(group, member_id, token, event)
    if member_id == group.leader:
        assignments = {entry.member_id: bytes(entry.assignment) for entry in request.assignments}
        event.write(GroupMetadataKey(group=group.id), group.to_record(assignments))  # replay makes the group Stable
        answer_syncs(group, assignments, event)
        effects = event.result.effects
        event.otherwise(lambda anew, error_code: refuse_syncs(group, effects, error_code, anew))


def _sync_error(group: "ClassicGroup", request: "SyncGroupRequest") -> int:
    if group.state == EMPTY:
        return UNKNOWN_MEMBER_ID
    error_code = group.check_member(request.member_id, request.group_instance_id)
    if error_code != NONE:
        return error_code
    if request.generation_id != group.generation:
        return ILLEGAL_GENERATION
    # KIP-559; null in versions before 5.
    if request.protocol_type is not None and request.protocol_type != (group.protocol_type or request.protocol_type):
        return INCONSISTENT_GROUP_PROTOCOL
    if request.protocol_name is not None and request.protocol_name != (group.protocol or request.protocol_name):
        return INCONSISTENT_GROUP_PROTOCOL
    return REBALANCE_IN_PROGRESS if group.state == PREPARING else NONE


def heartbeat(group: "ClassicGroup", request: "HeartbeatRequest", event: "EventContext") -> int:
    """Returns the error code. REBALANCE_IN_PROGRESS extends the session as well."""
    error_code = group.check_member(request.member_id, request.group_instance_id)
    if error_code != NONE:
        return error_code
    if request.generation_id != group.generation:
        return ILLEGAL_GENERATION
    extend_session(group.id, group.members[request.member_id], event)
    return REBALANCE_IN_PROGRESS if group.state == PREPARING else NONE


def leave(group: "ClassicGroup", members: "Sequence[MemberIdentity]", event: "EventContext") -> None:
    """Remove members, by member id, or by instance id alone for an administrator (v3, KIP-345)."""
    answers = []
    someone_left = False
    reason = ""
    for identity in members:
        error_code = _leave_one(group, identity, event)
        if error_code == NONE and not someone_left:
            someone_left = True
            reason = reason_of(f"member {identity.member_id or identity.group_instance_id} left", identity.reason)
        answers.append(MemberResponse(identity.member_id, identity.group_instance_id, error_code))
    if someone_left and group.state != EMPTY:
        rebalance(group, event, reason)
    event.respond(LeaveGroupResponse(members=answers))


def _leave_one(group: "ClassicGroup", identity: "MemberIdentity", event: "EventContext") -> int:
    member_id = identity.member_id
    instance_id = identity.group_instance_id
    if member_id == "":
        if instance_id is None or instance_id not in group.static_ids:
            return UNKNOWN_MEMBER_ID
        member_id = group.static_ids[instance_id]
    elif member_id in group.pending:
        remove_member(group, member_id, event)
        return NONE
    else:
        error_code = group.check_member(member_id, instance_id)
        if error_code != NONE:
            return error_code
    drop_member(group, member_id, event)
    return NONE
