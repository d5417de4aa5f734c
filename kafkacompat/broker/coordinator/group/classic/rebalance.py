"""The rebalance of a classic group (the classic part of Kafka's GroupMetadataManager).

Every function takes the group and the context of an event. Responses to waiting members are replies of that event.
"""

from kafkacompat.broker.coordinator.group.classic.classic_group import COMPLETING, EMPTY, PREPARING, STABLE
from kafkacompat.broker.coordinator.group.classic.sessions import SESSION, extend_session, watch_session
from kafkacompat.broker.coordinator.result import Reply
from kafkacompat.protocol.error_codes import NONE, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey
from kafkacompat.protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from kafkacompat.protocol.messages.sync_group import SyncGroupResponse

#: Kinds of timers, as in `sessions.py`; the keys are (kind, group id).
JOIN = "join"
SYNC = "sync"

REASON_MAX_CHARS = 200
"""So much of the reason that a client gives is kept."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
    from kafkacompat.broker.coordinator.group.event_context import EventContext
    from kafkacompat.broker.coordinator.result import Effect


def join_error(error_code: int, member_id: str = "") -> JoinGroupResponse:
    """A JoinGroup response with an error and the member id to continue with."""
    return JoinGroupResponse(error_code=error_code, member_id=member_id, protocol_name=None)


def join_answer(group: "ClassicGroup", member_id: str) -> JoinGroupResponse:
    """The JoinGroup response of a new generation; the leader's contains all members."""
    members = []
    if member_id == group.leader:
        protocol = group.protocol or ""
        members = [
            JoinGroupResponseMember(member.id, member.instance_id, member.metadata(protocol))
            for member in group.members.values()
        ]
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        leader=group.leader or "",
        member_id=member_id,
        members=members,
    )


def reason_of(what: str, given: str | None) -> str:
    """The reason of a rebalance: what has happened, with the reason that the client gives (KIP-800)."""
    return f"{what}: {given[:REASON_MAX_CHARS]}" if given else what


def rebalance(group: "ClassicGroup", event: "EventContext", reason: str) -> None:
    """The membership has changed: start a rebalance, or complete the current one if all members have joined."""
    if group.state == PREPARING:
        complete_join_if_ready(group, event)
    else:
        prepare(group, event, reason)


def prepare(group: "ClassicGroup", event: "EventContext", reason: str) -> None:
    """Start a join phase. An empty group first waits for more members (KIP-134). `reason` is for views."""
    group.note_rebalance(event.now.wall_ms, reason)
    if group.state == COMPLETING:
        _cancel_syncs(group, event)
    group.pending_sync.clear()
    event.cancel_timer((SYNC, group.id))
    was_empty = group.state == EMPTY
    group.transition_to(PREPARING, event.now.wall_ms)
    if was_empty:
        delay_ms = event.settings.initial_rebalance_delay_ms
        group.member_came = False
        group.initial_delay_ms = (delay_ms, max(group.rebalance_timeout_ms - delay_ms, 0))
        if delay_ms > 0:
            event.set_timer((JOIN, group.id), delay_ms)
        else:
            complete_join(group, event)
    elif group.have_all_joined:
        complete_join(group, event)
    else:
        event.set_timer((JOIN, group.id), group.rebalance_timeout_ms)


def complete_join_if_ready(group: "ClassicGroup", event: "EventContext") -> None:
    """Complete the join if all members have joined and no initial delay runs."""
    if group.state == PREPARING and group.initial_delay_ms is None and group.have_all_joined:
        complete_join(group, event)


def resume(group: "ClassicGroup", event: "EventContext") -> None:
    """After loading, members get a new session; a group above the maximum size rebalances."""
    for member in group.members.values():
        extend_session(group.id, member, event)
    if len(group.members) > event.settings.max_members:
        prepare(group, event, f"the group has more than {event.settings.max_members} members")


def timer_fired(group: "ClassicGroup", key: "Sequence[str]", event: "EventContext") -> None:
    """A timer of the group has fired: session, join or sync."""
    if key[0] == SESSION:
        session_timer_fired(group, key[2], event)
    elif key[0] == JOIN:
        join_timer_fired(group, event)
    else:
        sync_timer_fired(group, event)


def join_timer_fired(group: "ClassicGroup", event: "EventContext") -> None:
    """The initial delay or the rebalance timeout is over. The delay restarts if members arrived meanwhile."""
    if group.state != PREPARING:
        return
    if group.initial_delay_ms is not None and group.member_came and group.initial_delay_ms[1] > 0:
        delay_ms, rest_ms = group.initial_delay_ms
        group.member_came = False
        next_delay_ms = min(event.settings.initial_rebalance_delay_ms, rest_ms)
        group.initial_delay_ms = (next_delay_ms, max(rest_ms - delay_ms, 0))
        event.set_timer((JOIN, group.id), next_delay_ms)
    else:
        complete_join(group, event)


def complete_join(group: "ClassicGroup", event: "EventContext") -> None:
    """Start a generation of the joined members. Static members remain until their session ends (KIP-345)."""
    event.cancel_timer((JOIN, group.id))
    group.initial_delay_ms = None
    for member in list(group.members.values()):
        if member.id not in group.joining and not member.is_static:
            remove_member(group, member.id, event)
    if not group.members:
        _empty(group, event)
        return
    if not group.elect_joined_leader():
        # Only static members remain, and none has joined: wait for one, or for the end of their sessions.
        event.set_timer((JOIN, group.id), group.rebalance_timeout_ms)
        return
    group.begin_generation(event.now.wall_ms)
    for member in group.members.values():
        token = group.joining.pop(member.id, None)
        if token is not None:
            event.reply(token, join_answer(group, member.id))
        extend_session(group.id, member, event)
        member.is_new = False
    event.set_timer((SYNC, group.id), group.rebalance_timeout_ms)


def _empty(group: "ClassicGroup", event: "EventContext") -> None:
    """The last member has left. As in Kafka the group is empty even if the record cannot be written."""
    record = group.to_empty_record(group.generation + 1, event.now.wall_ms)
    event.write(GroupMetadataKey(group=group.id), record)
    effects = event.result.effects

    def undo(anew: "EventContext", _error_code: int) -> None:
        anew.result.effects.extend(effects)
        group.replay(record)

    event.otherwise(undo)


def sync_timer_fired(group: "ClassicGroup", event: "EventContext") -> None:
    """Remove the members that sent no SyncGroup within the rebalance timeout."""
    if group.state in (COMPLETING, STABLE) and group.pending_sync:
        missing = list(group.pending_sync)
        for member_id in missing:
            remove_member(group, member_id, event)
        prepare(group, event, f"no SyncGroup in time from {len(missing)} members, one of them {missing[0]}")


def session_timer_fired(group: "ClassicGroup", member_id: str, event: "EventContext") -> None:
    """The session has ended, unless heartbeats have extended it meanwhile."""
    if member_id in group.pending:
        del group.pending[member_id]
        _complete_join_without(group, event)
        return
    member = group.members.get(member_id)
    if member is None:
        return
    member.timer_ms = None
    if event.now.life_ms < member.deadline_ms:
        watch_session(group.id, member, event)
    elif member.is_new or (member_id not in group.joining and member_id not in group.syncing):
        # A member that waits for a response sends no heartbeats; a new one is removed anyway, as it may be gone.
        drop_member(group, member_id, event)
        if group.state == PREPARING:
            _complete_join_without(group, event)
        else:
            prepare(group, event, f"the session of member {member_id} ended")


def remove_member(group: "ClassicGroup", member_id: str, event: "EventContext") -> None:
    """Remove a member or a pending one, and its timer."""
    group.remove(member_id)
    event.cancel_timer((SESSION, group.id, member_id))


def drop_member(group: "ClassicGroup", member_id: str, event: "EventContext") -> None:
    """Remove a member. Its waiting requests receive UNKNOWN_MEMBER_ID, so that it joins as a new one."""
    token = group.joining.get(member_id)
    if token is not None:
        event.reply(token, join_error(UNKNOWN_MEMBER_ID))
    token = group.syncing.get(member_id)
    if token is not None:
        event.reply(token, SyncGroupResponse(error_code=UNKNOWN_MEMBER_ID))
    remove_member(group, member_id, event)


def wait_for_join(group: "ClassicGroup", member_id: str, token: "Hashable", event: "EventContext") -> None:
    """Let a JoinGroup wait. An earlier one of the same member, from a lost connection, is answered with an error."""
    earlier = group.joining.get(member_id)
    if earlier is not None:
        event.reply(earlier, join_error(REBALANCE_IN_PROGRESS, member_id))
    group.joining[member_id] = token


def wait_for_sync(group: "ClassicGroup", member_id: str, token: "Hashable", event: "EventContext") -> None:
    """Let a SyncGroup wait. An earlier one of the same member is answered with an error."""
    earlier = group.syncing.get(member_id)
    if earlier is not None:
        event.reply(earlier, SyncGroupResponse(error_code=REBALANCE_IN_PROGRESS))
    group.syncing[member_id] = token


def answer_syncs(group: "ClassicGroup", assignments: dict[str, bytes], event: "EventContext") -> None:
    """The leader has assigned: answer each waiting member with its part, and extend its session."""
    for member_id, token in group.syncing.items():
        response = SyncGroupResponse(
            error_code=NONE,
            protocol_type=group.protocol_type,
            protocol_name=group.protocol,
            assignment=assignments.get(member_id, b""),
        )
        event.reply(token, response)
        extend_session(group.id, group.members[member_id], event)
    group.syncing.clear()


def refuse_syncs(group: "ClassicGroup", effects: "Sequence[Effect]", error_code: int, event: "EventContext") -> None:
    """The assignment cannot be written: the members that `effects` would answer receive the error and rejoin."""
    for effect in effects:
        if isinstance(effect, Reply):
            event.reply(effect.token, SyncGroupResponse(error_code=error_code))
        else:
            event.result.effects.append(effect)
    prepare(group, event, "the assignment could not be written")


def _cancel_syncs(group: "ClassicGroup", event: "EventContext") -> None:
    for member_id, token in group.syncing.items():
        event.reply(token, SyncGroupResponse(error_code=REBALANCE_IN_PROGRESS))
        extend_session(group.id, group.members[member_id], event)
    group.syncing.clear()
    for member in group.members.values():
        member.assignment = b""


def _complete_join_without(group: "ClassicGroup", event: "EventContext") -> None:
    """Fewer members are expected to join. As in Kafka, if all others have joined, this ends even the initial delay."""
    if group.state == PREPARING and group.have_all_joined:
        complete_join(group, event)
