"""The leader's state: what each replica holds, when it fetched last, which fetches wait (Kafka's LeaderState)."""

from kafkacompat.replication.raft.caught_up import NEVER_FETCHED, caught_up_ms
from kafkacompat.replication.raft.epoch_state import LEADER, EpochState
from kafkacompat.replication.raft.messages import Fetch, Key, names
from kafkacompat.replication.raft.timing import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.replication.raft.voters import Voter

MAX_OBSERVERS = 1000
"""Observers of which a leader keeps a state; of more, those that have not fetched for longest are forgotten."""
CAUGHT_UP_WITHIN_MS = 3_600_000
"""A replica that has not fetched for so long is not ready to vote (Kafka's LeaderState)."""
OBSERVER_SESSION_MS = 300_000
"""An observer that has not fetched for so long is not told of any more (Kafka's LeaderState)."""
MAX_HELD = 1000
"""Fetches that a leader holds; of more, the one that has waited longest is answered without records."""


class ReplicaState:
    """One replica: everything below `end_offset` is durable there, `fetch_ms` is when it fetched last.

    At `caught_up_ms` it held all that the leader had then (−1: never).
    """

    __slots__ = ("_leader_end_offset", "caught_up_ms", "end_offset", "fetch_ms")

    def __init__(self, fetch_ms: int) -> None:
        self.end_offset = -1
        self.fetch_ms = fetch_ms
        self.caught_up_ms = -1
        self._leader_end_offset = NEVER_FETCHED  # when it fetched last

    @property
    def has_fetched(self) -> bool:
        return self.end_offset >= 0

    def fetched(self, offset: int, leader_end_offset: int, now_ms: int) -> None:
        """It holds everything below `offset`."""
        self.caught_up_ms = caught_up_ms(
            self.caught_up_ms, offset, leader_end_offset, now_ms, self.fetch_ms, self._leader_end_offset
        )
        self._leader_end_offset = leader_end_offset
        self.end_offset = max(self.end_offset, offset)
        self.fetch_ms = now_ms


class ReplicaInfo:
    """What DescribeQuorum says of a replica (KIP-836): end offset, last fetch, when it was caught up; −1: never."""

    __slots__ = ("caught_up_ms", "end_offset", "fetch_ms", "key")

    def __init__(self, key: Key, end_offset: int, fetch_ms: int, caught_up_ms: int) -> None:
        self.key = key
        self.end_offset = end_offset
        self.fetch_ms = fetch_ms
        self.caught_up_ms = caught_up_ms


class HeldFetch:
    """A fetch that waits for something new, until `deadline_ms`."""

    __slots__ = ("deadline_ms", "fetch", "token")

    def __init__(self, token: object, fetch: Fetch, deadline_ms: int) -> None:
        self.token = token
        self.fetch = fetch
        self.deadline_ms = deadline_ms


def majority_end(ends: "Iterable[int]") -> int:
    """The offset below which a majority of the voters holds everything."""
    ordered = sorted(ends, reverse=True)
    return ordered[len(ordered) // 2]


class LeaderState(EpochState):
    """`epoch_start_offset` is that of the LeaderChange record with which the epoch begins. `registered` has the voters
    that the configuration names and that have sent UpdateRaftVoter, by id. `timeout_ms`: when this leader resigns.
    """

    __slots__ = ("_begin_at_ms", "_is_voter", "_other_voters", "epoch_start_offset", "held", "observers", "registered")
    name = LEADER

    def __init__(self, others: "Iterable[int]", epoch_start_offset: int, now_ms: int, *, is_voter: bool = True) -> None:
        """`others` are the voters besides the leader; `is_voter`: the leader is one, too."""
        super().__init__()
        self.epoch_start_offset = epoch_start_offset
        self._is_voter = is_voter
        self._other_voters = {voter_id: ReplicaState(now_ms) for voter_id in others}
        self._begin_at_ms = dict.fromkeys(self._other_voters, now_ms)  # who has not fetched in this epoch
        self.observers: dict[Key, ReplicaState] = {}
        self.held: dict[Key, HeldFetch] = {}
        self.registered: dict[int, Voter] = {}

    def set_voters(
        self, others: "Iterable[Key]", former: "Mapping[int, bytes]", now_ms: int, *, is_voter: bool
    ) -> None:
        """Another voter set counts from now on; the state of each replica is kept. `is_voter`: the leader is in the new
        set; one that is not counts the others alone until that is committed (KIP-853).
        """
        self._is_voter = is_voter
        known, self._other_voters = self._other_voters, {}
        for key in others:
            is_known = key[0] in former and names((key[0], former[key[0]]), key)
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
        """Whether an observer has held all that there was, and fetched lately: it can vote (Kafka's LeaderState)."""
        replica = self.observers.get(key)
        return replica is not None and replica.caught_up_ms >= 0 and replica.fetch_ms > now_ms - CAUGHT_UP_WITHIN_MS

    def fetched(self, fetch: Fetch, end_offset: int, now_ms: int, *, is_voter: bool) -> None:
        """A fetch acknowledges everything below its offset. A voter that fetches knows of the epoch."""
        replica = self._other_voters.get(fetch.replica_id) if is_voter else None
        registered = self.registered.get(fetch.replica_id)
        if registered is not None and is_voter and registered.directory_id != fetch.directory_id:
            del self.registered[fetch.replica_id]  # it has another directory since
        if replica is None:
            replica = self.observers.pop(fetch.key, None) or ReplicaState(now_ms)
            self.observers[fetch.key] = replica
            if len(self.observers) > MAX_OBSERVERS:
                del self.observers[next(iter(self.observers))]
        replica.fetched(fetch.offset, end_offset, now_ms)
        if is_voter:
            self._begin_at_ms.pop(fetch.replica_id, None)

    def fetched_snapshot(self, key: Key, now_ms: int, *, is_voter: bool) -> None:
        """A replica fetches a snapshot: a voter that does so counts for the leader's majority."""
        if is_voter and key[0] in self._other_voters:
            self._other_voters[key[0]].fetch_ms = now_ms
            self._begin_at_ms.pop(key[0], None)

    def voter_info(self, key: Key) -> ReplicaInfo:
        """What is known of another voter."""
        replica = self._other_voters[key[0]]
        return ReplicaInfo(
            key, replica.end_offset, replica.fetch_ms if replica.has_fetched else -1, replica.caught_up_ms
        )

    def recent_observers(self, now_ms: int) -> list[ReplicaInfo]:
        """The observers that have fetched within `OBSERVER_SESSION_MS`."""
        return [
            ReplicaInfo(key, replica.end_offset, replica.fetch_ms, replica.caught_up_ms)
            for key, replica in sorted(self.observers.items())
            if replica.fetch_ms > now_ms - OBSERVER_SESSION_MS
        ]

    def hold(self, held: HeldFetch) -> HeldFetch | None:
        """Hold a fetch. Returns one that is to be answered in its place: the replica's former one, or the oldest."""
        former = self.held.pop(held.fetch.key, None)
        if former is None and len(self.held) >= MAX_HELD:
            former = self.held.pop(next(iter(self.held)))
        self.held[held.fetch.key] = held
        return former

    def take_due(self, end_offset: int, high_watermark: int, now_ms: int) -> list[HeldFetch]:
        """Take out the fetches for which there are records, or a higher high watermark, or whose time is up."""
        due = [
            held
            for held in self.held.values()
            if held.fetch.offset < end_offset
            or held.fetch.high_watermark < high_watermark
            or held.deadline_ms <= now_ms
        ]
        for held in due:
            del self.held[held.fetch.key]
        return due

    def forget(self, token: object) -> None:
        """The connection is closed over which the fetch under `token` came."""
        for held in [held for held in self.held.values() if held.token == token]:
            del self.held[held.fetch.key]

    def high_watermark(self, own_flushed_offset: int, current: int) -> int:
        """The new high watermark (§3.4): it moves only beyond the start of the epoch, and never back.

        Records of older epochs are committed by the first of this one (Raft's figure 8).
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

    def take_voters_to_begin(self, now_ms: int, again_ms: int) -> list[int]:
        """The voters to which BeginQuorumEpoch is due; those that still do not fetch get it again `again_ms` later."""
        due = [voter_id for voter_id, at_ms in self._begin_at_ms.items() if at_ms <= now_ms]
        for voter_id in due:
            self._begin_at_ms[voter_id] = now_ms + again_ms
        return due

    def successors(self) -> tuple[int, ...]:
        """The other voters, those with the longest logs first."""
        return tuple(
            sorted(self._other_voters, key=lambda voter_id: (-self._other_voters[voter_id].end_offset, voter_id))
        )

    @property
    def deadline_ms(self) -> int:
        """When a held fetch or a BeginQuorumEpoch is due, or the leader is to resign."""
        held = (held.deadline_ms for held in self.held.values())
        return min((self.timeout_ms, *self._begin_at_ms.values(), *held))

    def would_vote_for(self, candidate_id: int) -> bool:  # noqa: ARG002 (as the other states)
        """A leader has a live leader."""
        return False
