"""The states of a replica in one epoch, and the table of transitions (Kafka's EpochState and its subclasses, KIP-595).

A state object holds only what ends with that state. Epoch, leader, vote and high watermark outlive it and are in
`quorum_state.py`. The leader's state is in `leader_state.py`.
"""

from kafkacompat.now import NEVER
from kafkacompat.replication.raft.epoch_election import EpochElection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UNATTACHED, FOLLOWER, PROSPECTIVE = "Unattached", "Follower", "Prospective"
CANDIDATE, LEADER, RESIGNED, STOPPED = "Candidate", "Leader", "Resigned", "Stopped"

NEXT_IN_THE_SAME_EPOCH = {
    # to Unattached: it grants a vote, or is an observer and times out; Follower: a leader is known; Prospective: a
    # voter times out
    UNATTACHED: {UNATTACHED, FOLLOWER, PROSPECTIVE, STOPPED},
    # to Unattached: the leader resigns, or an observer times out; Prospective: the fetch time-out expires, or the
    # leader is dead
    FOLLOWER: {UNATTACHED, PROSPECTIVE, STOPPED},
    # to Unattached: rejected or timed out without a known leader, or it grants a vote; Follower: the same with one
    PROSPECTIVE: {UNATTACHED, FOLLOWER, STOPPED},
    # to Unattached: rejected or timed out; Follower: another replica leads; Leader: elected; Resigned: elected, but the
    # disk is full
    CANDIDATE: {UNATTACHED, FOLLOWER, LEADER, RESIGNED, STOPPED},
    # a majority stopped fetching, a clean stop, or the leader's removal from the voters is committed
    LEADER: {RESIGNED},
    # to Unattached: an observer times out; Follower: another replica claims to lead; Prospective: a voter times out
    RESIGNED: {UNATTACHED, FOLLOWER, PROSPECTIVE, STOPPED},
    STOPPED: {STOPPED},
}
NEXT_IN_A_HIGHER_EPOCH = {
    **{name: {UNATTACHED, FOLLOWER} for name in (UNATTACHED, FOLLOWER, CANDIDATE, LEADER, RESIGNED)},
    # to Candidate: a majority granted its pre-vote
    PROSPECTIVE: {UNATTACHED, FOLLOWER, CANDIDATE},
    STOPPED: set(),
}


def may_follow(name: str, next_name: str, *, is_higher_epoch: bool) -> bool:
    """Whether the transition is allowed, within the epoch or into a higher one."""
    return next_name in (NEXT_IN_A_HIGHER_EPOCH if is_higher_epoch else NEXT_IN_THE_SAME_EPOCH)[name]


class EpochState:
    """Every state has two deadlines in ms of the monotonic clock, NEVER if unset: `timeout_ms`, when the state times
    out, and `fetch_at_ms`, when a fetch is retried.
    """

    __slots__ = ("fetch_at_ms", "timeout_ms")
    name = ""

    def __init__(self) -> None:
        self.timeout_ms = NEVER
        self.fetch_at_ms = NEVER

    @property
    def deadline_ms(self) -> int:
        """The earlier of both deadlines."""
        return min(self.timeout_ms, self.fetch_at_ms)

    def would_vote_for(self, candidate_id: int) -> bool:  # noqa: ARG002 (FollowerState uses it)
        """Whether a pre-vote may be granted: only while no live leader of this epoch is known (KIP-996)."""
        return True


class UnattachedState(EpochState):
    """No leader is known in this epoch: the replica asks others for the leader, and stands when it times out."""

    __slots__ = ()
    name = UNATTACHED


class FollowerState(EpochState):
    """The replica fetches from the leader of this epoch.

    has_fetched: a fetch from this leader succeeded. fetching_snapshot: the (end offset, epoch) of the snapshot being
    fetched, and the number of bytes received.
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
        """A follower that has fetched from its leader knows that it is alive, and refuses.

        A leader that asks for votes in its own epoch has restarted and never leads that epoch again: it gets the vote.
        """
        return not self.has_fetched or self.is_leader_dead or candidate_id == self.leader_id


class ProspectiveState(EpochState):
    """The replica asks for pre-votes in the current epoch. `is_leader_dead` refers to the leader that it followed
    before, if any.
    """

    __slots__ = ("election", "is_leader_dead")
    name = PROSPECTIVE

    def __init__(self, voters: "Iterable[int]", *, is_leader_dead: bool) -> None:
        super().__init__()
        self.election = EpochElection(voters)
        self.is_leader_dead = is_leader_dead


class CandidateState(EpochState):
    """The replica has voted for itself and asks the other voters."""

    __slots__ = ("election",)
    name = CANDIDATE

    def __init__(self, voters: "Iterable[int]") -> None:
        super().__init__()
        self.election = EpochElection(voters)


class ResignedState(EpochState):
    """The replica led this epoch and resigned. It stands again after its time-out."""

    __slots__ = ()
    name = RESIGNED


class StoppedState(EpochState):
    """The replica has left the quorum until the process ends."""

    __slots__ = ()
    name = STOPPED
