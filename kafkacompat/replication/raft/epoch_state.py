"""The states of a replica in one epoch, and which may follow which (Kafka's EpochState and its subclasses, KIP-595).

A state holds what is true only while it lasts. Epoch, leader, vote and high watermark outlive it: `quorum_state.py`.
The leader's state is in `leader_state.py`.
"""

from kafkacompat.replication.raft.epoch_election import EpochElection
from kafkacompat.replication.raft.timing import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UNATTACHED, FOLLOWER, PROSPECTIVE = "Unattached", "Follower", "Prospective"
CANDIDATE, LEADER, RESIGNED, STOPPED = "Candidate", "Leader", "Resigned", "Stopped"

NEXT_IN_THE_SAME_EPOCH = {
    # a vote is granted, or an observer's time-out; a leader is heard of; a voter's time-out
    UNATTACHED: {UNATTACHED, FOLLOWER, PROSPECTIVE, STOPPED},
    # the leader resigns, or an observer's time-out; the leader is silent for the fetch time-out, or dead
    FOLLOWER: {UNATTACHED, PROSPECTIVE, STOPPED},
    # no majority would vote for us, or time-out, without or with a leader known; a vote is granted
    PROSPECTIVE: {UNATTACHED, FOLLOWER, STOPPED},
    # no majority, or time-out; another one leads; a majority votes for us; the same, and the disk is full
    CANDIDATE: {UNATTACHED, FOLLOWER, LEADER, RESIGNED, STOPPED},
    # a majority is silent, a clean stop, or it is committed that this leader is no voter
    LEADER: {RESIGNED},
    # time-out of an observer; another claims to lead; time-out of a voter
    RESIGNED: {UNATTACHED, FOLLOWER, PROSPECTIVE, STOPPED},
    STOPPED: {STOPPED},
}
NEXT_IN_A_HIGHER_EPOCH = {
    **{name: {UNATTACHED, FOLLOWER} for name in (UNATTACHED, FOLLOWER, CANDIDATE, LEADER, RESIGNED)},
    # a majority would vote for us: we stand in the next epoch
    PROSPECTIVE: {UNATTACHED, FOLLOWER, CANDIDATE},
    STOPPED: set(),
}


def may_follow(name: str, next_name: str, *, is_higher_epoch: bool) -> bool:
    """Whether a replica may go from one state to another, in the same epoch or into a higher one."""
    return next_name in (NEXT_IN_A_HIGHER_EPOCH if is_higher_epoch else NEXT_IN_THE_SAME_EPOCH)[name]


class EpochState:
    """What every state has, in milliseconds of the monotonic clock: `timeout_ms`, when it times out; `fetch_at_ms`,
    when a fetch is tried again. NEVER stands for neither.
    """

    __slots__ = ("fetch_at_ms", "timeout_ms")
    name = ""

    def __init__(self) -> None:
        self.timeout_ms = NEVER
        self.fetch_at_ms = NEVER

    @property
    def deadline_ms(self) -> int:
        """When something is due."""
        return min(self.timeout_ms, self.fetch_at_ms)

    def would_vote_for(self, candidate_id: int) -> bool:  # noqa: ARG002 (the follower looks at it)
        """Whether a pre-vote may be granted (KIP-996): not while a leader of this epoch is known to be alive."""
        return True


class UnattachedState(EpochState):
    """No leader is known in this epoch: ask others who leads, and wait for the time to stand."""

    __slots__ = ()
    name = UNATTACHED


class FollowerState(EpochState):
    """The replica fetches from the leader of this epoch.

    has_fetched: from this leader. fetching_snapshot: the (end offset, epoch) of a snapshot that the leader sends, and
    the position in bytes up to which it is here.
    """

    __slots__ = ("fetching_snapshot", "has_fetched", "is_leader_dead", "leader_id")
    name = FOLLOWER

    def __init__(self, leader_id: int) -> None:
        super().__init__()
        self.leader_id = leader_id
        self.has_fetched = False
        self.is_leader_dead = False
        self.fetching_snapshot: tuple[tuple[int, int], int] | None = None

    def would_vote_for(self, candidate_id: int) -> bool:
        """A follower that has fetched from its leader knows that it lives; before that the leader is hearsay.

        A leader that asks for votes in its own epoch has restarted: it never goes on as that epoch's leader.
        """
        return not self.has_fetched or self.is_leader_dead or candidate_id == self.leader_id


class ProspectiveState(EpochState):
    """The replica asks for pre-votes in the epoch as it is. It may have been a follower: `is_leader_dead` is of that
    leader.
    """

    __slots__ = ("election", "is_leader_dead")
    name = PROSPECTIVE

    def __init__(self, voters: "Iterable[int]", *, is_leader_dead: bool) -> None:
        super().__init__()
        self.election = EpochElection(voters)
        self.is_leader_dead = is_leader_dead


class CandidateState(EpochState):
    """The replica has voted for itself, and asks for votes."""

    __slots__ = ("election",)
    name = CANDIDATE

    def __init__(self, voters: "Iterable[int]") -> None:
        super().__init__()
        self.election = EpochElection(voters)


class ResignedState(EpochState):
    """The replica led this epoch and does so no more. It waits before it stands again."""

    __slots__ = ()
    name = RESIGNED


class StoppedState(EpochState):
    """The replica takes no part any more, until the process ends."""

    __slots__ = ()
    name = STOPPED
