"""Brokers that may be dead (§3.9): who lost its connection is dialed, and only a refused dial is evidence.

A broker that only paused, or is cut off, keeps its connection or does not answer a dial at all: that is left to its
session. A refusal says little of an address that has never answered: the broker may advertise one that is reached from
elsewhere only. It counts only if this node has reached that address since the broker was registered, or

- the broker has been silent for `silence_ms` since it was suspected, and is refused still, or
- a process that wants its place has its data directory, which one process at a time can hold.

To fence too early costs availability at worst, never safety.
"""

from kafkacompat.now import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now

GRACE_MS = 250
"""How long a broker that lost its connection has to make another one. A process that dies closes its listener some
milliseconds before or after its connections."""
SILENT_INTERVALS = 2
"""Heartbeats that a broker at an address that was never reached has to miss."""
REFUSED = "refused"
"""The outcome of a dial that says that no process listens there."""


class _Suspect:
    """`dial_at_ms` is NEVER while a dial is under way, and after one that was no evidence."""

    __slots__ = ("dial_at_ms", "has_lost_directory", "is_dialed", "since_ms")

    def __init__(self, since_ms: int, dial_at_ms: int) -> None:
        self.since_ms = since_ms
        self.dial_at_ms = dial_at_ms
        self.is_dialed = False
        self.has_lost_directory = False


class FailureDetector:
    """Brokers that have not been heard since they lost their connection, or since this controller became active."""

    __slots__ = ("_silence_ms", "_suspects")

    def __init__(self, silence_ms: int) -> None:
        self._silence_ms = silence_ms
        self._suspects: dict[int, _Suspect] = {}

    def add(self, broker_id: int, now: "Now", grace_ms: int = 0) -> None:
        """Suspect a broker, which is dialed after `grace_ms` unless it is seen before."""
        if broker_id not in self._suspects:
            self._suspects[broker_id] = _Suspect(now.monotonic_ms, now.monotonic_ms + grace_ms)

    def seen(self, broker_id: int) -> None:
        """It lives, or is another process by now: a dial that is under way counts for nothing."""
        self._suspects.pop(broker_id, None)

    def hasten(self, broker_id: int, now: "Now", *, has_its_directory: bool) -> None:
        """Another process wants its place: dial now, and again if the last dial was no evidence."""
        suspect = self._suspects.get(broker_id)
        if suspect is None:
            return
        suspect.has_lost_directory = suspect.has_lost_directory or has_its_directory
        if not suspect.is_dialed:
            suspect.dial_at_ms = now.monotonic_ms

    def take_due(self, now: "Now") -> list[int]:
        """Whom to dial now, each once."""
        due = [broker_id for broker_id, suspect in self._suspects.items() if suspect.dial_at_ms <= now.monotonic_ms]
        for broker_id in due:
            suspect = self._suspects[broker_id]
            suspect.dial_at_ms, suspect.is_dialed = NEVER, True
        return due

    def dialed(self, broker_id: int, outcome: str, now: "Now", *, was_reached: bool) -> bool:
        """Whether the end of a dial shows that the broker is dead. was_reached: its address has answered this node."""
        suspect = self._suspects.get(broker_id)
        if suspect is None or not suspect.is_dialed:
            return False
        suspect.is_dialed = False
        if outcome != REFUSED:
            return False
        silent_at_ms = suspect.since_ms + self._silence_ms
        if was_reached or suspect.has_lost_directory or now.monotonic_ms >= silent_at_ms:
            del self._suspects[broker_id]
            return True
        suspect.dial_at_ms = silent_at_ms
        return False

    @property
    def deadline_ms(self) -> int:
        """When the next one is to be dialed."""
        return min((suspect.dial_at_ms for suspect in self._suspects.values()), default=NEVER)
