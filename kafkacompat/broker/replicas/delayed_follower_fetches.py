"""What a leader remembers between the fetches of a follower, and the fetches that it holds until there are records.

A follower's session may have thousands of partitions, of which few move between two of its fetches. Who is at the end
of our log, knows all that there is to know, and says nothing new, is idle: a fetch tells of it only that it still
holds what it held. So what moves is noted here, and a fetch looks at that alone. Those that wait are woken at the end
of the turn: one answer takes all that was appended in it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafkacompat.broker.fetch_session import CachedPartition, SessionKey
    from kafkacompat.broker.purgatory import Purgatory
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

NO_BROKER_EPOCH = -1
LONG_AGO_MS = -(1 << 62)
LOOK_MS = 5_000
"""A fetch looks at all partitions when none has for so long: what nothing was noted of is found then."""
SILENT_MS = 60_000
"""A session without a fetch for so long is told nothing any more; should it go on, it looks at everything first."""
SESSIONS_MAX = 64
"""Of one follower. Each keeps what it asked for in memory; a follower has one for each of its fetcher threads."""


class FollowerState:
    """One session of a follower; the key of its held fetch in the purgatory.

    wanted: the partitions of the session. moved: those that are not idle. is_urgent: whether the held fetch is to be
    answered even without records. fetch_ms: when the last fetch came (monotonic).
    """

    __slots__ = (
        "_by_id",
        "broker_epoch",
        "fetch_ms",
        "is_held",
        "is_urgent",
        "looked_ms",
        "moved",
        "replica_id",
        "wanted",
    )

    def __init__(self, replica_id: int, wanted: "Mapping[SessionKey, CachedPartition]", *, by_id: bool) -> None:
        self.replica_id = replica_id
        self.wanted = wanted
        self.broker_epoch = NO_BROKER_EPOCH
        self.moved: dict[CachedPartition, None] = {}
        self.is_held = False
        self.is_urgent = False
        self.fetch_ms = LONG_AGO_MS
        self.looked_ms = LONG_AGO_MS
        self._by_id = by_id

    def note(self, partition: "Partition") -> bool:
        """The partition moves. Whether it is asked for here; if it was idle, its follower was caught up until now."""
        wanted = self.wanted.get((partition.topic_id if self._by_id else partition.topic, partition.index))
        if wanted is None:
            return False
        if wanted not in self.moved:
            self.moved[wanted] = None
            follower = partition.in_sync.followers.get(self.replica_id)
            if follower is not None:
                follower.caught_up_ms = max(follower.caught_up_ms, self.fetch_ms)
        return True


class DelayedFollowerFetches:
    """All followers of one broker."""

    def __init__(self, purgatory: "Purgatory", timers: "Timers") -> None:
        self._purgatory = purgatory
        self._timers = timers
        self._by_replica: dict[int, dict[FollowerState, None]] = {}
        self._woken: dict[FollowerState, None] = {}

    def sessions_of(self, replica_id: int) -> "Collection[FollowerState]":
        """The sessions of a follower that are told what moves."""
        return self._by_replica.get(replica_id, ())

    def add(self, state: FollowerState, now: "Now") -> None:
        """Tell it from now on what moves. Sessions of earlier lives of its broker are forgotten in time."""
        since_ms = now.monotonic_ms - SILENT_MS
        others = [each for each in self.sessions_of(state.replica_id) if each.fetch_ms >= since_ms]
        self._by_replica[state.replica_id] = dict.fromkeys((*others[1 - SESSIONS_MAX :], state))

    def knows(self, state: FollowerState) -> bool:
        """Whether it is told what moves."""
        return state in self.sessions_of(state.replica_id)

    def drop(self, state: FollowerState) -> None:
        """It needs to know no more."""
        self._by_replica.get(state.replica_id, {}).pop(state, None)

    def moved(self, partition: "Partition", now: "Now", *, wakes: bool = False, is_urgent: bool = False) -> None:
        """A partition has more to tell to its followers: at once, when it `wakes`, also without records if urgent."""
        for replica_id in partition.in_sync.followers:
            for state in self.sessions_of(replica_id):
                if state.note(partition) and wakes and state.is_held:
                    self._wake_soon(state, now, is_urgent=is_urgent)

    def brokers_changed(self) -> None:
        """Who may join, and whose epoch is stale, is another matter now: look at everything with the next fetch."""
        for states in self._by_replica.values():
            for state in states:
                state.looked_ms = LONG_AGO_MS

    def end(self, replica_id: int, now: "Now") -> None:
        """Answer what a follower asked for, whether there is something or not."""
        for state in self.sessions_of(replica_id):
            if state.is_held:
                self._wake_soon(state, now, is_urgent=True)

    def _wake_soon(self, state: FollowerState, now: "Now", *, is_urgent: bool) -> None:
        state.is_urgent = state.is_urgent or is_urgent
        if not self._woken:
            self._timers.set(self, now.monotonic_ms, self._wake)
        self._woken[state] = None

    def _wake(self, now: "Now") -> None:
        woken, self._woken = self._woken, {}
        for state in woken:
            self._purgatory.touch(state, now)
