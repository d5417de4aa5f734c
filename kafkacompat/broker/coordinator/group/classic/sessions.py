"""Sessions of a classic group's members: a timer for each, which heartbeats do not move but make late."""

from kafkacompat.broker.coordinator.result import SetTimer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.coordinator.group.classic.members import Member
    from kafkacompat.broker.coordinator.group.event_context import EventContext

SESSION = "session"
"""Kind of their timers; the group id and the member id follow in the key."""


def extend_session(group_id: str, member: "Member", event: "EventContext", timeout_ms: int | None = None) -> None:
    """The member is alive: its session ends its timeout from now. The timer is set only where it would be late."""
    member.deadline_ms = event.now.monotonic_ms + (member.session_timeout_ms if timeout_ms is None else timeout_ms)
    if member.timer_ms is None or member.timer_ms > member.deadline_ms:
        watch_session(group_id, member, event)


def watch_session(group_id: str, member: "Member", event: "EventContext") -> None:
    """Look at the member again when its session ends."""
    member.timer_ms = member.deadline_ms
    event.result.effects.append(SetTimer((SESSION, group_id, member.id), member.deadline_ms))
