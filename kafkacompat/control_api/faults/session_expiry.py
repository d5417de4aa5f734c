"""Ends the sessions of members of groups."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


def expire_session(server: BrokerServer, group: str, member: str) -> str:
    """End the session of a member now, as if it had sent no heartbeat. Returns its member id.

    This node must coordinate the group. member: a member id, a group.instance.id or a client id. Raises
    KafkaCompatError for a group or member that is not there, and for a member that waits for the answer to JoinGroup or
    SyncGroup: its session does not end meanwhile.
    """
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
    from kafkacompat.broker.coordinator.group.classic.sessions import SESSION

    groups = server.broker.coordinators.groups_if_made
    context = None if groups is None else groups.context_of(group)
    if context is None or not context.is_active:
        raise KafkaCompatError(f"broker {server.broker.node_id} does not coordinate group {group!r}, or still loads it")
    found = context.shard.groups.get(group)
    if not isinstance(found, ClassicGroup):
        raise KafkaCompatError(f"there is no group {group!r}: has its consumer joined?")
    names = {each.id: each.id for each in found.members.values()}
    names |= {each.client.id: each.id for each in found.members.values() if each.client.id not in names}
    names |= {each.instance_id: each.id for each in found.members.values() if each.instance_id}
    member_id = names.get(member)
    if member_id is None:
        known = ", ".join(sorted(found.members)) or "none"
        raise KafkaCompatError(f"group {group!r} has no member {member!r}: its members are {known}")
    if member_id in found.joining or member_id in found.syncing:
        raise KafkaCompatError(f"member {member_id} waits for a rebalance of group {group!r}: try again after it")
    now = server.now()
    found.members[member_id].deadline_ms = now.life_ms
    context.do(lambda shard: shard.timer_fired((SESSION, group, member_id), now), now)
    return member_id
