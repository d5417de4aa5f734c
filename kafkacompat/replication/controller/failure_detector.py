"""Detection of dead brokers before their session expires (§3.9): a broker whose connection closed is suspected and
dialed, and only a refused connection is evidence of death.

A broker that is paused or partitioned keeps its connection or does not answer the dial at all; then its session
decides. A refusal proves little if the address has never answered this node, as the broker may advertise an address
that is reachable only from elsewhere. So a refusal counts only if this node has reached that address since the broker
registered, or

- the broker has been silent for `silence_ms` since it was suspected, and still refuses, or
- a process that registers with its id has its data directory, which only one process can lock.

Fencing a broker too early costs availability, never safety.
"""

from kafkacompat.now import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now

GRACE_MS = 250
"""The time that a broker has to reconnect before it is dialed. A process that dies closes its listener some
milliseconds before or after its connections."""
SILENT_INTERVALS = 2
"""Heartbeat intervals of silence before a refusal counts, if the address was never reached."""
REFUSED = "refused"
"""The outcome of a dial to an address where no process listens."""


class _Suspect:
    """`dial_at_ms` is NEVER while a dial is in progress, and after an outcome that was no evidence."""

    __slots__ = ("dial_at_ms", "has_lost_directory", "is_dialed", "since_ms")

    def __init__(self, since_ms: int, dial_at_ms: int) -> None:
        self.since_ms = since_ms
        self.dial_at_ms = dial_at_ms
        self.is_dialed = False
        self.has_lost_directory = False


class FailureDetector:
    """Suspected brokers: those not heard from since their connection closed or since this controller became active."""

    __slots__ = ("_silence_ms", "_suspects")

    def __init__(self, silence_ms: int) -> None:
        self._silence_ms = silence_ms
        self._suspects: dict[int, _Suspect] = {}

    def add(self, broker_id: int, now: "Now", grace_ms: int = 0) -> None:
        """Suspect a broker, and dial it after `grace_ms` unless it is seen before."""
        if broker_id not in self._suspects:
            self._suspects[broker_id] = _Suspect(now.monotonic_ms, now.monotonic_ms + grace_ms)

    def seen(self, broker_id: int) -> None:
        """The broker is alive or has been replaced: drop the suspicion, and ignore a dial in progress."""
        self._suspects.pop(broker_id, None)

    def hasten(self, broker_id: int, now: "Now", *, has_its_directory: bool) -> None:
        """Another process registers with the broker's id: dial now, again if the last outcome was no evidence."""
        suspect = self._suspects.get(broker_id)
        if suspect is None:
            return
        suspect.has_lost_directory = suspect.has_lost_directory or has_its_directory
        if not suspect.is_dialed:
            suspect.dial_at_ms = now.monotonic_ms

    def take_due(self, now: "Now") -> list[int]:
        """The brokers to dial now. Each is returned once."""
        due = [broker_id for broker_id, suspect in self._suspects.items() if suspect.dial_at_ms <= now.monotonic_ms]
        for broker_id in due:
            suspect = self._suspects[broker_id]
            suspect.dial_at_ms, suspect.is_dialed = NEVER, True
        return due

    def dialed(self, broker_id: int, outcome: str, now: "Now", *, was_reached: bool) -> bool:
        """Whether the outcome of a dial proves the broker dead. was_reached: its address has answered before."""
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
        """When the next dial is due, in ms of the monotonic clock."""
        return min((suspect.dial_at_ms for suspect in self._suspects.values()), default=NEVER)
