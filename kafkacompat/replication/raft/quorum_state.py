"""The data of a quorum replica that outlives its states, and the transitions between states (Kafka's QuorumState)."""

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.error_codes import NOT_LEADER_OR_FOLLOWER
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.replication.raft.epoch_state import (
    CandidateState,
    FollowerState,
    ProspectiveState,
    ResignedState,
    StoppedState,
    UnattachedState,
    may_follow,
)
from kafkacompat.replication.raft.leader_state import LeaderState
from kafkacompat.replication.raft.messages import FetchAnswer, is_voter
from kafkacompat.replication.raft.request_manager import RequestManager
from kafkacompat.replication.raft.timing import Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.epoch_state import EpochState
    from kafkacompat.replication.raft.raft_log import RaftLog


class QuorumState:
    """One voter or observer. `voters` maps replica ids to directory ids; `leader_id` is NO_NODE if unknown.

    `stored_leader_id` is the leader that it knew before its start, if the epoch is the same. `bootstrap_ids` are pseudo
    ids of the bootstrap addresses, at which the leader can be asked for. A replica with `may_vote=False` is an observer
    even if the voter set contains it. `lost_elections` counts elections lost in a row.
    """

    def __init__(
        self,
        node_id: int,
        directory_id: bytes,
        voters: "Mapping[int, bytes]",
        log: "RaftLog",
        stored: ElectionState | None,
        store: "Callable[[ElectionState], None]",
        rng: "Random",
        timing: Timing | None = None,
        bootstrap_ids: "Sequence[int]" = (),
        *,
        may_vote: bool = True,
    ) -> None:
        self.node_id = node_id
        self.key = (node_id, directory_id)
        self._configured = dict(sorted(voters.items()))
        self.voters = self._configured
        self._may_vote = may_vote
        self.bootstrap_ids = tuple(bootstrap_ids)
        self.log = log
        self.timing = timing or Timing()
        if stored is None or stored.leader_epoch < log.last_epoch:
            stored = ElectionState(log.last_epoch)
        self.epoch = stored.leader_epoch
        self.stored_leader_id = stored.leader_id
        self.leader_id = NO_NODE
        self.voted = None if stored.voted_id == NO_NODE else (stored.voted_id, stored.voted_directory_id)
        if stored.leader_id == node_id:
            self.voted = self.key  # a former leader votes for no other candidate in its epoch
        self.high_watermark = 0
        self.state: EpochState = UnattachedState()
        self.lost_elections = 0
        self.requests = RequestManager()
        self.rng = rng
        self._store = store
        self._is_stored = True
        self.read_voters()

    # --- what is known ---

    @property
    def is_voter(self) -> bool:
        return self._may_vote and is_voter(self.voters, self.key)

    @property
    def may_stand(self) -> bool:
        """Whether it may stand for election: if it is a voter, or a voter whose removal is not committed. Only its log
        may contain the removal, and then no other voter can be elected (Raft, thesis §4.2.2).
        """
        log = self.log
        if self.is_voter or not self._may_vote or log.voters_offset < self.high_watermark:
            return self.is_voter
        before = log.voters_at(log.voters_offset - 1)
        if before is None:
            return is_voter(self._configured, self.key)
        return any(voter.key == self.key for voter in before)

    @property
    def leader_state(self) -> LeaderState | None:
        """The state if this replica leads, else None."""
        return self.state if isinstance(self.state, LeaderState) else None

    @property
    def has_committed(self) -> bool:
        """Whether this leader has committed the first record of its epoch, and thereby all earlier records."""
        leader = self.leader_state
        return leader is not None and self.high_watermark > leader.epoch_start_offset

    @property
    def other_voters(self) -> tuple[int, ...]:
        """The ids of the other voters."""
        return tuple(voter_id for voter_id in self.voters if voter_id != self.node_id)

    @property
    def stagger_ms(self) -> int:
        """How much later than the first voter this one stands after the leader failed: in the order of ids, so that the
        vote does not split.
        """
        return self.timing.retry_ms * sum(
            voter_id < self.node_id for voter_id in self.other_voters if voter_id != self.leader_id
        )

    def read_voters(self) -> None:
        """Use the newest voter set in the log, committed or not (KIP-853), or else the configured one."""
        found = self.log.voters
        self.voters = (
            self._configured if found is None else dict(sorted((voter.id, voter.directory_id) for voter in found))
        )

    def random_election_timeout_ms(self) -> int:
        """A random time between one and two election time-outs, so that voters rarely stand at the same time."""
        return self.timing.election_timeout_ms + self.rng.randrange(self.timing.election_timeout_ms)

    # --- transitions ---

    def to_unattached(self, now: "Now", epoch: int | None = None, voted: tuple[int, bytes] | None = None) -> None:
        """Enter an epoch without a known leader. voted: the vote being granted, if any."""
        epoch = self.epoch if epoch is None else epoch
        state = UnattachedState()
        self._enter(state, epoch, NO_NODE, voted or self._vote_in(epoch))
        if self.may_stand:
            state.timeout_ms = now.monotonic_ms + self.random_election_timeout_ms()
        state.fetch_at_ms = now.monotonic_ms + self.rng.randrange(self.timing.refetch_ms)

    def to_follower(self, leader_id: int, now: "Now", epoch: int | None = None) -> None:
        """Follow the leader of this epoch."""
        epoch = self.epoch if epoch is None else epoch
        state = FollowerState(leader_id)
        self._enter(state, epoch, leader_id, self._vote_in(epoch))
        self.lost_elections = 0
        state.timeout_ms = now.monotonic_ms + self.timing.fetch_timeout_ms + self.stagger_ms

    def to_prospective(self) -> ProspectiveState:
        """Begin a pre-vote: epoch, leader and vote stay unchanged (§3.3)."""
        former = self.state
        is_leader_dead = isinstance(former, FollowerState) and former.is_leader_dead
        state = ProspectiveState(self.voters, is_leader_dead=is_leader_dead)
        self._change(state)
        return state

    def to_candidate(self) -> CandidateState:
        """Enter the next epoch as a candidate, voting for ourselves (§3.1, §3.2)."""
        state = CandidateState(self.voters)
        self._enter(state, self.epoch + 1, NO_NODE, self.key)
        return state

    def win_election(self) -> None:
        """Store that we lead the epoch, before its first record is written."""
        self.state.timeout_ms = NEVER
        self._set_election(self.epoch, self.node_id, self.voted)
        self.store()

    def to_leader(self, epoch_start_offset: int, now: "Now") -> LeaderState:
        """Become the leader: the record that begins the epoch is in the log (§3.4)."""
        state = LeaderState(self.other_voters, epoch_start_offset, now.monotonic_ms, is_voter=self.is_voter)
        self._change(state)
        self.lost_elections = 0
        return state

    def to_resigned(self, now: "Now", error_code: int = NOT_LEADER_OR_FOLLOWER) -> None:
        """Resign (§3.7). Delayed fetches are answered with this error.

        The stored state still names us as the leader, so after a restart we vote for no other candidate in this epoch.
        """
        state = ResignedState()
        self._change(state, error_code)
        self.leader_id = NO_NODE
        state.timeout_ms = now.monotonic_ms + self.random_election_timeout_ms()

    def to_stopped(self) -> None:
        """Leave the quorum. A leader must have resigned before."""
        self._change(StoppedState())

    def _enter(self, state: "EpochState", epoch: int, leader_id: int, voted: tuple[int, bytes] | None) -> None:
        self._change(state, is_higher_epoch=epoch > self.epoch)
        self._set_election(epoch, leader_id, voted)

    def _change(
        self, state: "EpochState", error_code: int = NOT_LEADER_OR_FOLLOWER, *, is_higher_epoch: bool = False
    ) -> None:
        """Replace the state, after answering the delayed fetches of a leader."""
        former, self.state = self.state, state
        assert may_follow(former.name, state.name, is_higher_epoch=is_higher_epoch), f"{former.name} to {state.name}"
        if isinstance(former, LeaderState):
            for delayed in former.delayed_fetches.values():
                self.requests.reply(delayed.token, FetchAnswer(error_code, NO_NODE, self.epoch))
            former.delayed_fetches.clear()

    # --- epoch, leader and vote ---

    def _set_election(self, epoch: int, leader_id: int, voted: tuple[int, bytes] | None) -> None:
        """Set epoch, leader and vote. Epochs never decrease (§3.1)."""
        assert epoch >= self.epoch
        if epoch > self.epoch:
            self.requests.clear()
        if (epoch, leader_id, voted) != (self.epoch, self.leader_id, self.voted):
            self.epoch, self.leader_id, self.voted = epoch, leader_id, voted
            self._is_stored = False

    def store(self) -> None:
        """Store epoch, leader and vote if they changed. A leader's vote is left out, as in Kafka."""
        if not self._is_stored:
            voted = self.voted if self.leader_id != self.node_id else None
            self._store(ElectionState(self.epoch, self.leader_id, *(voted or (NO_NODE, bytes(16)))))
            self._is_stored = True

    def _vote_in(self, epoch: int) -> tuple[int, bytes] | None:
        return self.voted if epoch == self.epoch else None
