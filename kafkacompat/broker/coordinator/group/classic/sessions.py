"""Sessions of a classic group's members: one timer each; a heartbeat moves the deadline, not the timer."""

from kafkacompat.broker.coordinator.result import SetTimer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.coordinator.group.classic.members import Member
    from kafkacompat.broker.coordinator.group.event_context import EventContext

SESSION = "session"
"""Kind of these timers; their keys are (kind, group id, member id)."""


def extend_session(group_id: str, member: "Member", event: "EventContext", timeout_ms: int | None = None) -> None:
    """Extend the member's session to its timeout from now. The timer is set only if it would fire late."""
    member.deadline_ms = event.now.life_ms + (member.session_timeout_ms if timeout_ms is None else timeout_ms)
    if member.timer_ms is None or member.timer_ms > member.deadline_ms:
        watch_session(group_id, member, event)


def watch_session(group_id: str, member: "Member", event: "EventContext") -> None:
    """Set the timer to the end of the session."""
    member.timer_ms = member.deadline_ms
    event.result.effects.append(SetTimer((SESSION, group_id, member.id), member.deadline_ms))
