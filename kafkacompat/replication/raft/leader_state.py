"""The leader's state: each replica's end offset and last fetch, and the delayed fetches (Kafka's LeaderState)."""

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.replication.raft.caught_up import NEVER_FETCHED, caught_up_ms
from kafkacompat.replication.raft.epoch_state import LEADER, EpochState
from kafkacompat.replication.raft.messages import Fetch, Key, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.replication.raft.voters import Voter

MAX_OBSERVERS = 1000
"""Most observers that a leader tracks; beyond that it drops the one that has not fetched for longest."""
CAUGHT_UP_WITHIN_MS = 3_600_000
"""A replica that has not fetched for this long does not count as caught up (Kafka's LeaderState)."""
OBSERVER_SESSION_MS = 300_000
"""An observer that has not fetched for this long is not listed any more (Kafka's LeaderState)."""
MAX_DELAYED_FETCHES = 1000
"""Most fetches that wait at a leader; beyond that the oldest is answered without records."""


class ReplicaState:
    """One replica. Everything below `end_offset` is durable there. `fetch_ms` is its last fetch; at `caught_up_ms` it
    last held everything that the leader had (−1: never).
    """

    __slots__ = ("_leader_end_offset", "caught_up_ms", "end_offset", "fetch_ms")

    def __init__(self, fetch_ms: int) -> None:
        self.end_offset = UNKNOWN_OFFSET
        self.fetch_ms = fetch_ms
        self.caught_up_ms = NO_TIMESTAMP
        self._leader_end_offset = NEVER_FETCHED  # at its last fetch

    @property
    def has_fetched(self) -> bool:
        return self.end_offset >= 0

    def fetched(self, offset: int, leader_end_offset: int, now_ms: int) -> None:
        """The replica holds everything below `offset`."""
        self.caught_up_ms = caught_up_ms(
            self.caught_up_ms, offset, leader_end_offset, now_ms, self.fetch_ms, self._leader_end_offset
        )
        self._leader_end_offset = leader_end_offset
        self.end_offset = max(self.end_offset, offset)
        self.fetch_ms = now_ms


class ReplicaInfo:
    """A replica in DescribeQuorum (KIP-836): end offset, last fetch and last caught-up time in ms; −1: never."""

    __slots__ = ("caught_up_ms", "end_offset", "fetch_ms", "key")

    def __init__(self, key: Key, end_offset: int, fetch_ms: int, caught_up_ms: int) -> None:
        self.key = key
        self.end_offset = end_offset
        self.fetch_ms = fetch_ms
        self.caught_up_ms = caught_up_ms


class DelayedFetch:
    """A fetch that waits for records or a higher high watermark until `deadline_ms`."""

    __slots__ = ("deadline_ms", "fetch", "token")

    def __init__(self, token: object, fetch: Fetch, deadline_ms: int) -> None:
        self.token = token
        self.fetch = fetch
        self.deadline_ms = deadline_ms


def majority_end(ends: "Iterable[int]") -> int:
    """The largest offset below which a majority holds everything."""
    ordered = sorted(ends, reverse=True)
    return ordered[len(ordered) // 2]


class LeaderState(EpochState):
    """`epoch_start_offset` is the offset of the LeaderChange record that begins the epoch. `registered` maps the ids
    of static voters that sent UpdateRaftVoter to what they sent. `timeout_ms` is when this leader resigns.
    """

    __slots__ = (
        "_begin_at_ms", "_is_voter", "_other_voters", "delayed_fetches", "epoch_start_offset", "observers",
        "registered",
    )  # fmt: skip
    name = LEADER

    def __init__(self, others: "Iterable[int]", epoch_start_offset: int, now_ms: int, *, is_voter: bool = True) -> None:
        """others: the ids of the other voters. is_voter: whether the leader itself is a voter."""
        super().__init__()
        self.epoch_start_offset = epoch_start_offset
        self._is_voter = is_voter
        self._other_voters = {voter_id: ReplicaState(now_ms) for voter_id in others}
        self._begin_at_ms = dict.fromkeys(self._other_voters, now_ms)  # voters that have not fetched in this epoch
        self.observers: dict[Key, ReplicaState] = {}
        self.delayed_fetches: dict[Key, DelayedFetch] = {}
        self.registered: dict[int, Voter] = {}

    def set_voters(
        self, others: "Iterable[Key]", former: "Mapping[int, bytes]", now_ms: int, *, is_voter: bool
    ) -> None:
        """Use a new voter set from now on; each replica keeps its state. is_voter: whether the leader is in the new
        set. If not, only the others count for the majority until the set is committed (KIP-853).
        """
        self._is_voter = is_voter
        known, self._other_voters = self._other_voters, {}
        for key in others:
            is_known = key[0] in former and matches((key[0], former[key[0]]), key)
            replica = known.pop(key[0], None) if is_known else None
            if replica is None:
                replica = self.observers.pop(key, None) or ReplicaState(now_ms)
                self._begin_at_ms[key[0]] = now_ms
            self._other_voters[key[0]] = replica
        for voter_id, replica in known.items():
            self.observers[voter_id, former[voter_id]] = replica
            if voter_id not in self._other_voters:
                self._begin_at_ms.pop(voter_id, None)

    def is_caught_up(self, key: Key, now_ms: int) -> bool:
        """Whether an observer has caught up and fetched recently: it may become a voter (Kafka's LeaderState)."""
        replica = self.observers.get(key)
        return replica is not None and replica.caught_up_ms >= 0 and replica.fetch_ms > now_ms - CAUGHT_UP_WITHIN_MS

    def fetched(self, fetch: Fetch, end_offset: int, now_ms: int, *, is_voter: bool) -> None:
        """Record a fetch, which acknowledges everything below its offset. A voter that fetches needs no
        BeginQuorumEpoch.
        """
        replica = self._other_voters.get(fetch.replica_id) if is_voter else None
        registered = self.registered.get(fetch.replica_id)
        if registered is not None and is_voter and registered.directory_id != fetch.directory_id:
            del self.registered[fetch.replica_id]  # its directory has changed since
        if replica is None:
            replica = self.observers.pop(fetch.key, None) or ReplicaState(now_ms)
            self.observers[fetch.key] = replica
            if len(self.observers) > MAX_OBSERVERS:
                del self.observers[next(iter(self.observers))]
        replica.fetched(fetch.offset, end_offset, now_ms)
        if is_voter:
            self._begin_at_ms.pop(fetch.replica_id, None)

    def fetched_snapshot(self, key: Key, now_ms: int, *, is_voter: bool) -> None:
        """Record a snapshot fetch: it counts as contact with a voter, and acknowledges nothing."""
        if is_voter and key[0] in self._other_voters:
            self._other_voters[key[0]].fetch_ms = now_ms
            self._begin_at_ms.pop(key[0], None)

    def voter_info(self, key: Key) -> ReplicaInfo:
        """The state of another voter."""
        replica = self._other_voters[key[0]]
        return ReplicaInfo(
            key, replica.end_offset, replica.fetch_ms if replica.has_fetched else NO_TIMESTAMP, replica.caught_up_ms
        )

    def recent_observers(self, now_ms: int) -> list[ReplicaInfo]:
        """The observers that fetched within `OBSERVER_SESSION_MS`."""
        return [
            ReplicaInfo(key, replica.end_offset, replica.fetch_ms, replica.caught_up_ms)
            for key, replica in sorted(self.observers.items())
            if replica.fetch_ms > now_ms - OBSERVER_SESSION_MS
        ]

    def delay(self, delayed: DelayedFetch) -> DelayedFetch | None:
        """Let a fetch wait. Returns the one that it displaces, to be answered now: the replica's previous fetch, or
        the oldest at the limit.
        """
        former = self.delayed_fetches.pop(delayed.fetch.key, None)
        if former is None and len(self.delayed_fetches) >= MAX_DELAYED_FETCHES:
            former = self.delayed_fetches.pop(next(iter(self.delayed_fetches)))
        self.delayed_fetches[delayed.fetch.key] = delayed
        return former

    def take_due(self, end_offset: int, high_watermark: int, now_ms: int) -> list[DelayedFetch]:
        """Remove and return the fetches that have records, a higher high watermark, or an expired deadline."""
        due = [
            delayed
            for delayed in self.delayed_fetches.values()
            if delayed.fetch.offset < end_offset
            or delayed.fetch.high_watermark < high_watermark
            or delayed.deadline_ms <= now_ms
        ]
        for delayed in due:
            del self.delayed_fetches[delayed.fetch.key]
        return due

    def forget(self, token: object) -> None:
        """Drop the fetch `token`: its connection is closed."""
        for delayed in [delayed for delayed in self.delayed_fetches.values() if delayed.token == token]:
            del self.delayed_fetches[delayed.fetch.key]

    def high_watermark(self, own_flushed_offset: int, current: int) -> int:
        """The new high watermark (§3.4). It never decreases, and increases only beyond the start of the epoch: the
        first record of this epoch commits the older ones (Raft's figure 8).
        """
        own = (own_flushed_offset,) if self._is_voter else ()
        end = majority_end((*own, *(replica.end_offset for replica in self._other_voters.values())))
        return end if end > max(self.epoch_start_offset, current) else current

    def quorum_lost_at_ms(self, timeout_ms: int, now_ms: int) -> int:
        """When this leader resigns (§3.7): `timeout_ms` after a majority, itself included, fetched last."""
        if not self._other_voters:
            return NEVER
        own = (now_ms,) if self._is_voter else ()
        heard: list[int] = sorted((*own, *(replica.fetch_ms for replica in self._other_voters.values())), reverse=True)
        return heard[len(heard) // 2] + timeout_ms

    def take_due_begin_epochs(self, now_ms: int, resend_ms: int) -> list[int]:
        """The voters to which BeginQuorumEpoch is due. It is sent again every `resend_ms` until they fetch."""
        due = [voter_id for voter_id, at_ms in self._begin_at_ms.items() if at_ms <= now_ms]
        for voter_id in due:
            self._begin_at_ms[voter_id] = now_ms + resend_ms
        return due

    def successors(self) -> tuple[int, ...]:
        """The ids of the other voters, longest log first."""
        return tuple(
            sorted(self._other_voters, key=lambda voter_id: (-self._other_voters[voter_id].end_offset, voter_id))
        )

    @property
    def deadline_ms(self) -> int:
        """When a delayed fetch expires, a BeginQuorumEpoch is due, or the leader resigns."""
        delayed = (delayed.deadline_ms for delayed in self.delayed_fetches.values())
        return min((self.timeout_ms, *self._begin_at_ms.values(), *delayed))

    def would_vote_for(self, candidate_id: int) -> bool:  # noqa: ARG002 (as the other states)
        """A leader refuses every pre-vote in its epoch."""
        return False
