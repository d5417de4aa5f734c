"""What the leader of an epoch keeps about the others: who holds what, who was heard when (Kafka's LeaderState)."""

from kafkacompat.replication.raft.peers import Fetch, Key, names
from kafkacompat.replication.raft.timing import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.replication.raft.voters import Voter

MAX_OBSERVERS = 1000
"""So many observers a leader keeps in mind; of more, those that it has not heard for longest are forgotten."""


CAUGHT_UP_WITHIN_MS = 3_600_000
"""A replica that has not fetched for so long is not ready to vote (Kafka's LeaderState)."""
OBSERVER_SESSION_MS = 300_000
"""An observer that has not fetched for so long is not told of any more (Kafka's LeaderState)."""
MAX_HELD = 1000
"""So many fetches a leader holds; of more, that which has waited longest is answered as it is."""


class Progress:
    """One replica: everything below `end_offset` is durable there, `fetch_ms` is when it said so last.

    At `caught_up_ms` it held all that the leader had then (−1: never).
    """

    __slots__ = ("_leader_end_offset", "caught_up_ms", "end_offset", "fetch_ms")

    def __init__(self, fetch_ms: int) -> None:
        self.end_offset = -1
        self.fetch_ms = fetch_ms
        self.caught_up_ms = -1
        self._leader_end_offset = NEVER  # when it fetched last

    @property
    def has_fetched(self) -> bool:
        return self.end_offset >= 0

    def fetched(self, offset: int, leader_end_offset: int, now_ms: int) -> None:
        """It holds everything below `offset`. Who has by now what there was at its last fetch was caught up then."""
        if offset >= leader_end_offset:
            self.caught_up_ms = now_ms
        elif offset >= self._leader_end_offset:
            self.caught_up_ms = self.fetch_ms
        self._leader_end_offset = leader_end_offset
        self.end_offset = max(self.end_offset, offset)
        self.fetch_ms = now_ms


class Replica:
    """What a leader tells of a replica (KIP-836): what it holds, when it said so last, when it held all; −1: never."""

    __slots__ = ("caught_up_ms", "end_offset", "fetch_ms", "key")

    def __init__(self, key: Key, end_offset: int, fetch_ms: int, caught_up_ms: int) -> None:
        self.key = key
        self.end_offset = end_offset
        self.fetch_ms = fetch_ms
        self.caught_up_ms = caught_up_ms


class Held:
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


class Leading:
    """The leader's books. `epoch_start_offset` is that of the LeaderChange record with which its epoch begins; `told`
    has what voters that the configuration names have told of themselves, by id.
    """

    __slots__ = ("_begin_at_ms", "_is_one", "_others", "epoch_start_offset", "held", "observers", "told")

    def __init__(self, others: "Iterable[int]", epoch_start_offset: int, now_ms: int, *, is_one: bool = True) -> None:
        self.epoch_start_offset = epoch_start_offset
        self._is_one = is_one  # of the voters
        self._others = {voter_id: Progress(now_ms) for voter_id in others}
        self._begin_at_ms = dict.fromkeys(self._others, now_ms)  # who has not fetched in this epoch
        self.observers: dict[Key, Progress] = {}
        self.held: dict[Key, Held] = {}
        self.told: dict[int, Voter] = {}

    def set_voters(self, others: "Iterable[Key]", former: "Mapping[int, bytes]", now_ms: int, *, is_one: bool) -> None:
        """Another voter set counts from now on: what is known of each replica stays known. `is_one`: this leader is in
        it still; one that is not counts the others alone until that is committed (KIP-853).
        """
        self._is_one = is_one
        known, self._others = self._others, {}
        for key in others:
            is_known = key[0] in former and names((key[0], former[key[0]]), key)
            progress = known.pop(key[0], None) if is_known else None
            if progress is None:
                progress = self.observers.pop(key, None) or Progress(now_ms)
                self._begin_at_ms[key[0]] = now_ms
            self._others[key[0]] = progress
        for voter_id, progress in known.items():
            self.observers[voter_id, former[voter_id]] = progress
            if voter_id not in self._others:
                self._begin_at_ms.pop(voter_id, None)

    def is_caught_up(self, key: Key, now_ms: int) -> bool:
        """Whether an observer has held all that there was, and fetched lately: it can vote (Kafka's LeaderState)."""
        progress = self.observers.get(key)
        return progress is not None and progress.caught_up_ms >= 0 and progress.fetch_ms > now_ms - CAUGHT_UP_WITHIN_MS

    def fetched(self, fetch: Fetch, end_offset: int, now_ms: int, *, is_voter: bool) -> None:
        """A replica's fetch is its word for what it holds. A voter that fetches need not be told of the epoch."""
        progress = self._others.get(fetch.replica_id) if is_voter else None
        told = self.told.get(fetch.replica_id)
        if told is not None and is_voter and told.directory_id != fetch.directory_id:
            del self.told[fetch.replica_id]  # it has another directory since
        if progress is None:
            progress = self.observers.pop(fetch.key, None) or Progress(now_ms)
            self.observers[fetch.key] = progress
            if len(self.observers) > MAX_OBSERVERS:
                del self.observers[next(iter(self.observers))]
        progress.fetched(fetch.offset, end_offset, now_ms)
        if is_voter:
            self._begin_at_ms.pop(fetch.replica_id, None)

    def heard(self, key: Key, now_ms: int, *, is_voter: bool) -> None:
        """A replica loads a snapshot: a voter that does so keeps its leader in office."""
        if is_voter and key[0] in self._others:
            self._others[key[0]].fetch_ms = now_ms
            self._begin_at_ms.pop(key[0], None)

    def voter(self, key: Key) -> Replica:
        """Another voter."""
        progress = self._others[key[0]]
        return Replica(
            key, progress.end_offset, progress.fetch_ms if progress.has_fetched else -1, progress.caught_up_ms
        )

    def recent_observers(self, now_ms: int) -> list[Replica]:
        """The observers that have fetched within `OBSERVER_SESSION_MS`."""
        return [
            Replica(key, progress.end_offset, progress.fetch_ms, progress.caught_up_ms)
            for key, progress in sorted(self.observers.items())
            if progress.fetch_ms > now_ms - OBSERVER_SESSION_MS
        ]

    def hold(self, held: Held) -> Held | None:
        """Hold a fetch. Another may have to make room, and is to be answered as it is: the replica's former one."""
        former = self.held.pop(held.fetch.key, None)
        if former is None and len(self.held) >= MAX_HELD:
            former = self.held.pop(next(iter(self.held)))
        self.held[held.fetch.key] = held
        return former

    def take_due(self, end_offset: int, high_watermark: int, now_ms: int) -> list[Held]:
        """The fetches to answer: there are records for them, or a higher high watermark, or their time is up."""
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

    def drop(self, token: object) -> None:
        """Whoever sent the fetch under `token` has gone."""
        for held in [held for held in self.held.values() if held.token == token]:
            del self.held[held.fetch.key]

    def high_watermark(self, own_flushed_offset: int, current: int) -> int:
        """The new high watermark (§3.4): it moves only beyond the start of the epoch, and never back.

        Records of older epochs are committed by the first of this one (Raft's figure 8).
        """
        own = (own_flushed_offset,) if self._is_one else ()
        end = majority_end((*own, *(progress.end_offset for progress in self._others.values())))
        return end if end > max(self.epoch_start_offset, current) else current

    def quorum_lost_at_ms(self, patience_ms: int, now_ms: int) -> int:
        """When this leader gives up (§3.7): `patience_ms` after a majority, itself included, was last heard."""
        if not self._others:
            return NEVER
        own = (now_ms,) if self._is_one else ()
        heard: list[int] = sorted((*own, *(progress.fetch_ms for progress in self._others.values())), reverse=True)
        return heard[len(heard) // 2] + patience_ms

    def take_untold(self, now_ms: int, again_ms: int) -> list[int]:
        """The voters that are to hear of this epoch now."""
        due = [voter_id for voter_id, at_ms in self._begin_at_ms.items() if at_ms <= now_ms]
        for voter_id in due:
            self._begin_at_ms[voter_id] = now_ms + again_ms
        return due

    def successors(self) -> tuple[int, ...]:
        """The other voters, those with the longest logs first."""
        return tuple(sorted(self._others, key=lambda voter_id: (-self._others[voter_id].end_offset, voter_id)))

    def next_ms(self) -> int:
        """The next moment at which a held fetch or an announcement is due."""
        moments = [*self._begin_at_ms.values(), *(held.deadline_ms for held in self.held.values())]
        return min(moments, default=NEVER)
