"""Brokers that may be dead (§3.9): who lost its connection is dialed, and only a refused dial is evidence.

A broker that only paused, or is cut off, keeps its connection or does not answer a dial at all: that is left to its
session. To fence too early costs availability at worst, never safety.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now

NEVER = 1 << 62
GRACE_MS = 500
"""How long a broker that lost its connection has to make another one."""
REFUSED = "refused"
"""The outcome of a dial that says that no process listens there."""


class Suspects:
    """Brokers that have not been heard since they lost their connection, or since this controller became active."""

    __slots__ = ("_dial_at_ms", "_is_dialing")

    def __init__(self) -> None:
        self._dial_at_ms: dict[int, int] = {}  # NEVER while a dial is under way, and after one that was no evidence
        self._is_dialing: set[int] = set()

    def add(self, broker_id: int, dial_at_ms: int) -> None:
        """Suspect a broker, which is dialed at `dial_at_ms` (monotonic) unless it is seen before."""
        self._dial_at_ms.setdefault(broker_id, dial_at_ms)

    def seen(self, broker_id: int) -> None:
        """It lives, or is another process by now: a dial that is under way counts for nothing."""
        self._dial_at_ms.pop(broker_id, None)
        self._is_dialing.discard(broker_id)

    def hasten(self, broker_id: int, now: "Now") -> None:
        """Another process wants its place: dial now, and again if the last dial was no evidence."""
        if broker_id in self._dial_at_ms and broker_id not in self._is_dialing:
            self._dial_at_ms[broker_id] = now.monotonic_ms

    def take_due(self, now: "Now") -> list[int]:
        """Whom to dial now, each once."""
        due = [broker_id for broker_id, at_ms in self._dial_at_ms.items() if at_ms <= now.monotonic_ms]
        for broker_id in due:
            self._dial_at_ms[broker_id] = NEVER
            self._is_dialing.add(broker_id)
        return due

    def dialed(self, broker_id: int, outcome: str) -> bool:
        """Whether the end of a dial shows that the broker is dead."""
        if broker_id not in self._is_dialing:
            return False
        self._is_dialing.discard(broker_id)
        if outcome == REFUSED:
            del self._dial_at_ms[broker_id]
            return True
        return False

    @property
    def deadline_ms(self) -> int:
        """When the next one is to be dialed."""
        return min(self._dial_at_ms.values(), default=NEVER)
