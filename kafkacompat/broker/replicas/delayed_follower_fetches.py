"""Fetches of followers that wait for records, and what a leader remembers between the fetches of one follower.

A follower's session may have thousands of partitions, of which few move between two fetches. A partition of it is idle
when the follower is caught up, has been sent the current high watermark and log start, and its fetch changes nothing.
Partitions that move are noted here, and a fetch looks at those alone. Waiting fetches are woken at the end of the
loop iteration, so that one answer takes all that was appended in it.
"""

from kafkacompat.now import LONG_AGO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from kafkacompat.broker.fetch_session import FollowerState
    from kafkacompat.broker.purgatory import Purgatory
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

FULL_READ_MS = 5_000
"""At least this often a fetch looks at all its partitions, which finds what was not noted."""
SILENT_MS = 60_000
"""Moves are not noted for a session without a fetch for this long; if it goes on, it first looks at everything."""
SESSIONS_MAX = 64
"""Of one follower, which has one for each of its fetcher threads. Each keeps the requested partitions in memory."""


class DelayedFollowerFetches:
    """The fetch sessions of all followers of this broker's partitions, and their waiting fetches."""

    def __init__(self, purgatory: "Purgatory", timers: "Timers") -> None:
        self._purgatory = purgatory
        self._timers = timers
        self._by_replica: dict[int, dict[FollowerState, int]] = {}  # and when each was added
        self._woken: dict[FollowerState, None] = {}

    def sessions_of(self, replica_id: int) -> "Collection[FollowerState]":
        """The sessions of a follower for which moves are noted."""
        return self._by_replica.get(replica_id, ())

    def add(self, state: "FollowerState", now: "Now") -> None:
        """Note for it what moves from now on. Sessions of earlier incarnations of its broker are forgotten in time."""
        since_ms = now.monotonic_ms - SILENT_MS
        known = self._by_replica.get(state.replica_id, {})
        # While the first fetch of a session is read, in turns, it has no `fetch_ms`.
        others = [each for each in known.items() if max(each[0].fetch_ms, each[1]) >= since_ms]
        self._by_replica[state.replica_id] = {**dict(others[1 - SESSIONS_MAX :]), state: now.monotonic_ms}

    def knows(self, state: "FollowerState") -> bool:
        """Whether moves are noted for it."""
        return state in self.sessions_of(state.replica_id)

    def drop(self, state: "FollowerState") -> None:
        """Note nothing for it any more."""
        self._by_replica.get(state.replica_id, {}).pop(state, None)

    def moved(self, partition: "Partition", now: "Now", *, wakes: bool = False, is_urgent: bool = False) -> None:
        """A partition has news for its followers. `wakes`: their waiting fetches are asked whether they are complete;
        `is_urgent`: they are answered even without records.
        """
        for replica_id in partition.in_sync.followers:
            for state in self.sessions_of(replica_id):
                if state.note(partition) and wakes and state.is_waiting:
                    self._wake_soon(state, now, is_urgent=is_urgent)

    def brokers_changed(self) -> None:
        """Broker epochs changed: the next fetch of each follower looks at all its partitions, as followers may have
        become eligible for the in-sync set.
        """
        for states in self._by_replica.values():
            for state in states:
                state.full_read_ms = LONG_AGO

    def end(self, replica_id: int, now: "Now") -> None:
        """Answer the waiting fetches of a follower, with records or without."""
        for state in self.sessions_of(replica_id):
            if state.is_waiting:
                self._wake_soon(state, now, is_urgent=True)

    def _wake_soon(self, state: "FollowerState", now: "Now", *, is_urgent: bool) -> None:
        state.is_urgent = state.is_urgent or is_urgent
        state.was_woken = True
        if not self._woken:
            self._timers.set(self, now.monotonic_ms, self._wake)
        self._woken[state] = None

    def _wake(self, now: "Now") -> None:
        woken, self._woken = self._woken, {}
        for state in woken:
            self._purgatory.touch(state, now)
