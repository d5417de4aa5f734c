"""Elections with pre-vote: requesting votes, granting votes, and learning of new leaders (KIP-595, KIP-996)."""

from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.error_codes import FENCED_LEADER_EPOCH, INVALID_REQUEST, NONE
from kafkacompat.replication.raft.epoch_state import CandidateState, FollowerState, ProspectiveState
from kafkacompat.replication.raft.messages import (
    MAX_EPOCH,
    Answer,
    BeginEpoch,
    EndEpoch,
    Vote,
    VoteAnswer,
    address_error,
    error_of_vote,
    matches,
)
from kafkacompat.replication.raft.request_manager import PRE_VOTE, VOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.follower import Follower
    from kafkacompat.replication.raft.leader import Leader
    from kafkacompat.replication.raft.quorum_state import QuorumState


class Elections:
    """Handles a replica's elections."""

    def __init__(self, quorum: "QuorumState", follower: "Follower", leader: "Leader") -> None:
        self._quorum = quorum
        self._follower = follower
        self._leader = leader

    def start(self, stored_leader_id: int, now: "Now") -> None:
        """Choose the first state after a start. A former leader never continues in its epoch (§3.1)."""
        quorum = self._quorum
        if stored_leader_id in quorum.other_voters:
            self._follower.follow(stored_leader_id, now)
        elif quorum.may_stand:
            self.ask_for_pre_votes(now)  # a new quorum elects without waiting for a time-out (§3.9)
        else:
            quorum.to_unattached(now)

    # --- standing ---

    def ask_for_pre_votes(self, now: "Now") -> None:
        """Ask for pre-votes in the current epoch. The epoch stays until a majority grants them (§3.3)."""
        self._ask_voters(PRE_VOTE, self._quorum.to_prospective(), now)

    def _stand(self, now: "Now") -> None:
        """Vote for ourselves in the next epoch, durably, then ask the other voters (§3.1, §3.2)."""
        self._ask_voters(VOTE, self._quorum.to_candidate(), now)

    def _ask_voters(self, kind: str, state: ProspectiveState | CandidateState, now: "Now") -> None:
        """Ask every other voter, then record our own vote, which suffices for a single voter."""
        quorum, log = self._quorum, self._quorum.log
        state.timeout_ms = now.monotonic_ms + quorum.random_election_timeout_ms() // 2
        for voter_id in quorum.other_voters:
            if not quorum.requests.is_pending(kind, voter_id):
                key = (voter_id, quorum.voters[voter_id])
                vote = Vote(
                    quorum.epoch, *quorum.key, log.last_epoch, log.end_offset, pre_vote=kind == PRE_VOTE, voter=key
                )
                quorum.requests.send(voter_id, kind, vote)
        self.record_vote(kind, quorum.node_id, granted=True, now=now)

    def record_vote(self, kind: str, voter_id: int, *, granted: bool, now: "Now") -> None:
        """Count a vote if the election is still open. A voter that cannot be reached counts as a refusal."""
        state = self._quorum.state
        if not isinstance(state, ProspectiveState if kind == PRE_VOTE else CandidateState):
            return
        state.election.record(voter_id, granted=granted)
        if state.election.is_granted:
            if kind == PRE_VOTE:
                self._stand(now)
            else:
                self._leader.begin(state.election.granted, now)
        elif state.election.is_rejected:
            self._election_lost(state, now)

    def timed_out(self, now: "Now") -> None:
        """Handle the time-out of any state but the leader's."""
        quorum = self._quorum
        if not quorum.may_stand:
            quorum.to_unattached(now)
        elif isinstance(quorum.state, ProspectiveState | CandidateState):
            self._election_lost(quorum.state, now)
        else:
            self.ask_for_pre_votes(now)

    def _election_lost(self, state: ProspectiveState | CandidateState, now: "Now") -> None:
        """Return to the former leader if one is alive, and retry the election after a random pause."""
        quorum = self._quorum
        lost_elections = quorum.lost_elections + 1
        if isinstance(state, ProspectiveState) and quorum.leader_id != NO_NODE and not state.is_leader_dead:
            self._follower.follow(quorum.leader_id, now)
        else:
            quorum.to_unattached(now)
        quorum.lost_elections = lost_elections
        pause_ms = quorum.rng.randrange(quorum.timing.backoff_ms(lost_elections))
        quorum.state.timeout_ms = now.monotonic_ms + 1 + pause_ms

    # --- voting ---

    def handle_vote(self, vote: Vote, now: "Now") -> VoteAnswer:
        """Grant one vote per epoch, to a candidate whose log is not behind ours (§3.2). Grant pre-votes while no live
        leader is known (§3.3).
        """
        quorum, log = self._quorum, self._quorum.log
        error = error_of_vote(vote) or self._error_of_sender(vote.epoch, vote.candidate_id)
        if error == NONE and vote.epoch > quorum.epoch:
            quorum.to_unattached(now, vote.epoch)
        error = error or address_error(vote.voter, quorum.key)
        if error != NONE:
            return VoteAnswer(error, quorum.leader_id, quorum.epoch, granted=False)
        granted = (vote.last_epoch, vote.last_offset) >= (log.last_epoch, log.end_offset)
        if vote.pre_vote:
            granted = granted and quorum.state.would_vote_for(vote.candidate_id)
        else:
            granted = granted and self._may_vote_for(vote)
            if granted:
                quorum.to_unattached(now, voted=(vote.candidate_id, vote.candidate_directory_id))
        return VoteAnswer(NONE, quorum.leader_id, quorum.epoch, granted=granted)

    def _may_vote_for(self, vote: Vote) -> bool:
        """Whether our vote in this epoch is still free. It is stored, so this holds across restarts."""
        quorum = self._quorum
        candidate = (vote.candidate_id, vote.candidate_directory_id)
        return quorum.leader_id == NO_NODE and quorum.voted in (None, candidate)

    # --- leaders that begin or end an epoch ---

    def handle_begin_epoch(self, begin: BeginEpoch, now: "Now") -> Answer:
        """Follow the leader that a majority has elected in its epoch."""
        quorum = self._quorum
        error = self._error_of_leader(begin)
        if error == NONE and (begin.epoch > quorum.epoch or not isinstance(quorum.state, FollowerState)):
            self._follower.follow(begin.leader_id, now, begin.epoch)
        return Answer(error or address_error(begin.voter, quorum.key), quorum.leader_id, quorum.epoch)

    def handle_end_epoch(self, end: EndEpoch, now: "Now") -> Answer:
        """The leader resigns: the first successor asks for votes at once, each further one `retry_ms` later."""
        quorum = self._quorum
        error = self._error_of_leader(end)
        if error == NONE and (end.epoch > quorum.epoch or isinstance(quorum.state, FollowerState)):
            quorum.to_unattached(now, end.epoch)
            is_us = [matches(key, quorum.key) for key in end.successors]
            if quorum.may_stand and any(is_us):
                quorum.state.timeout_ms = now.monotonic_ms + is_us.index(True) * quorum.timing.retry_ms
        return Answer(error, quorum.leader_id, quorum.epoch)

    def _error_of_leader(self, request: BeginEpoch | EndEpoch) -> int:
        quorum = self._quorum
        is_other = request.epoch == quorum.epoch and quorum.leader_id not in (NO_NODE, request.leader_id)
        is_wrong = is_other or request.leader_id == quorum.node_id or request.epoch > MAX_EPOCH
        return self._error_of_sender(request.epoch, request.leader_id) or (INVALID_REQUEST if is_wrong else NONE)

    def _error_of_sender(self, epoch: int, replica_id: int) -> int:
        """Kafka's checks for all requests of candidates and leaders, in its order."""
        if epoch < self._quorum.epoch:
            return FENCED_LEADER_EPOCH
        return INVALID_REQUEST if replica_id < 0 else NONE

    def maybe_transition(self, answer: Answer, now: "Now") -> bool:
        """Update epoch and leader from a response. Returns whether the state changed."""
        quorum = self._quorum
        names_leader = answer.leader_id not in (NO_NODE, quorum.node_id)
        if answer.epoch > quorum.epoch and not names_leader:
            quorum.to_unattached(now, answer.epoch)
            return True
        has_changes = answer.epoch > quorum.epoch or (answer.epoch == quorum.epoch and quorum.leader_id == NO_NODE)
        if has_changes and names_leader:
            self._follower.follow(answer.leader_id, now, answer.epoch)
            return True
        return False

    def leader_failed(self, now: "Now", pause_ms: int = 0) -> None:
        """The leader died or resigned (§3.9): stand after the pause and this replica's stagger."""
        quorum, state = self._quorum, self._quorum.state
        if isinstance(state, FollowerState | ProspectiveState):
            state.is_leader_dead = True
        if isinstance(state, FollowerState):
            state.timeout_ms = min(state.timeout_ms, now.monotonic_ms + pause_ms + quorum.stagger_ms)
