"""The context of one event in the group coordinator: time, settings, and the result built so far."""

from kafkacompat.broker.coordinator.result import CancelTimer, Reply, Result, SetTimer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Hashable

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

#: The limit of members in one group, whatever `group.max.size` allows (Kafka's default is unlimited): each takes about
#: a kilobyte, and all must fit into the group's record.
MAX_MEMBERS = 10_000


class GroupSettings:
    """Group settings of the broker; the defaults are Kafka's."""

    __slots__ = (
        "initial_rebalance_delay_ms",
        "max_members",
        "max_session_timeout_ms",
        "min_session_timeout_ms",
        "offset_metadata_max_bytes",
        "offsets_retention_check_interval_ms",
        "offsets_retention_ms",
    )

    def __init__(
        self,
        *,
        initial_rebalance_delay_ms: int = 3000,
        min_session_timeout_ms: int = 6000,
        max_session_timeout_ms: int = 1_800_000,
        max_members: int = MAX_MEMBERS,
        offset_metadata_max_bytes: int = 4096,
        offsets_retention_ms: int = 7 * 24 * 3_600_000,
        offsets_retention_check_interval_ms: int = 600_000,
    ) -> None:
        self.initial_rebalance_delay_ms = initial_rebalance_delay_ms
        self.min_session_timeout_ms = min_session_timeout_ms
        self.max_session_timeout_ms = max_session_timeout_ms
        self.max_members = min(max_members, MAX_MEMBERS)
        self.offset_metadata_max_bytes = offset_metadata_max_bytes
        self.offsets_retention_ms = offsets_retention_ms
        self.offsets_retention_check_interval_ms = offsets_retention_check_interval_ms


class EventContext:
    """The context that all functions of one event share."""

    __slots__ = ("now", "result", "rng", "settings")

    def __init__(self, now: "Now", settings: GroupSettings, rng: "random.Random") -> None:
        self.now = now
        self.settings = settings
        self.rng = rng
        self.result = Result()

    def respond(self, response: "Message") -> None:
        """Answer the event's own request."""
        self.result.response = response

    def reply(self, token: "Hashable", response: "Message") -> None:
        """Answer a waiting request."""
        self.result.effects.append(Reply(token, response))

    def write(self, key: "Message", value: "Message | None") -> None:
        """Append a record; None is a tombstone."""
        self.result.records.append((key, value))

    def otherwise(self, undo: "Callable[[EventContext, int], None]") -> None:
        """Call `undo` with a new context and the error if the records cannot be written; it must not write records."""

        def result_of(error_code: int) -> Result:
            event = EventContext(self.now, self.settings, self.rng)
            undo(event, error_code)
            assert not event.result.records
            return event.result

        self.result.otherwise = result_of

    def carry_out_anyway(self) -> None:
        """Carry out timers and replies even if the records cannot be written."""
        effects = self.result.effects
        self.otherwise(lambda event, _: event.result.effects.extend(effects))

    def set_timer(self, key: tuple[str, ...], delay_ms: int, *, is_periodic: bool = False) -> None:
        """Set a timer `delay_ms` from now."""
        self.result.effects.append(SetTimer(key, self.now.life_ms + delay_ms, is_periodic=is_periodic))

    def cancel_timer(self, key: tuple[str, ...]) -> None:
        """Cancel a timer."""
        self.result.effects.append(CancelTimer(key))
