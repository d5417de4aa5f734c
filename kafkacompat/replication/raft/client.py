"""A replica of the metadata quorum: elections with pre-vote, replication by fetch (Kafka's KafkaRaftClient, KIP-595).

RaftClient is pure: events come in, effects go out. After each event the caller takes the effects and carries them out
in order; it calls `tick` at `deadline_ms`. `store` returns when the vote is durable, and is called before any message
that depends on that vote is sent. A fetch offset acknowledges everything below it as durable, so a replica syncs its
log before it sends the next fetch.

`epoch_state.py` has the states and their transitions. `elections.py`, `leader.py` and `follower.py` handle the events
and share `quorum_state.py`.
"""

from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.error_codes import BROKER_NOT_AVAILABLE, NONE, NOT_LEADER_OR_FOLLOWER
from kafkacompat.replication.raft.elections import Elections
from kafkacompat.replication.raft.epoch_state import STOPPED, CandidateState, FollowerState, ProspectiveState
from kafkacompat.replication.raft.follower import Follower
from kafkacompat.replication.raft.leader import Leader
from kafkacompat.replication.raft.messages import (
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    FetchSnapshot,
    SnapshotAnswer,
    Vote,
    VoteAnswer,
    error_of_fetch,
)
from kafkacompat.replication.raft.request_manager import FETCH, FETCH_SNAPSHOT, FIND_LEADER, PRE_VOTE, VOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.commit_times import CommitTimes
    from kafkacompat.replication.raft.leader_state import ReplicaInfo
    from kafkacompat.replication.raft.quorum_state import QuorumState
    from kafkacompat.replication.raft.voter_changes import VoterChanges
    from kafkacompat.replication.raft.voters import Voter


class RaftClient:
    """One voter or observer. `quorum` is its QuorumState."""

    def __init__(self, quorum: "QuorumState", now: "Now") -> None:
        """Start a replica from what is stored of it."""
        self.quorum = quorum
        self.log = quorum.log
        self.node_id = quorum.node_id
        self.key = quorum.key
        self.timing = quorum.timing
        self._requests = quorum.requests
        self._leader = Leader(quorum)
        self._follower = Follower(quorum)
        self._elections = Elections(quorum, self._follower, self._leader)
        self._elections.start(quorum.stored_leader_id, now)

    # --- what is known ---

    @property
    def state(self) -> str:
        """The name of its state."""
        return self.quorum.state.name

    @property
    def epoch(self) -> int:
        """The newest epoch that it has seen."""
        return self.quorum.epoch

    @property
    def leader_id(self) -> int:
        """The leader of that epoch; NO_NODE if unknown."""
        return self.quorum.leader_id

    @property
    def has_heard_leader(self) -> bool:
        """Whether it leads, or has fetched from the leader of this epoch. A leader it has not reached may be dead."""
        state = self.quorum.state
        return self.is_leader or (isinstance(state, FollowerState) and state.has_fetched)

    @property
    def high_watermark(self) -> int:
        """Records below this offset are committed. It never decreases."""
        return self.quorum.high_watermark

    @property
    def voters(self) -> "Mapping[int, bytes]":
        """Directory id by voter id."""
        return self.quorum.voters

    @property
    def is_voter(self) -> bool:
        return self.quorum.is_voter

    @property
    def is_leader(self) -> bool:
        return self.quorum.leader_state is not None

    @property
    def has_committed(self) -> bool:
        """Whether it leads and has committed the first record of its epoch, and thereby all earlier records."""
        return self.quorum.has_committed

    @property
    def commit_times(self) -> "CommitTimes":
        """How long commits took while it led."""
        return self._leader.commit_times

    @property
    def deadline_ms(self) -> int:
        """When `tick` is due, in ms of the monotonic clock."""
        return self.quorum.state.deadline_ms

    @property
    def voter_changes(self) -> "VoterChanges":
        """The checks for a change of the voter set."""
        from kafkacompat.replication.raft.voter_changes import VoterChanges  # rarely needed: keeps start-up short

        return VoterChanges(self.quorum)

    def replicas(self, now: "Now") -> "tuple[list[ReplicaInfo], list[ReplicaInfo]]":
        """The leader's view of all voters, itself included, and of the observers that fetched recently."""
        return self._leader.replicas(now)

    def take_effects(self) -> list[object]:
        """The effects to carry out now, in order. Epoch and vote are stored before any message is sent (§3.1)."""
        self.quorum.store()
        return self._requests.take_effects()

    # --- events here ---

    def tick(self, now: "Now") -> None:
        """Handle expired time-outs."""
        quorum = self.quorum
        if quorum.leader_state is not None:
            self._leader.tick(quorum.leader_state, now)
        elif now.monotonic_ms >= quorum.state.timeout_ms:
            self._elections.timed_out(now)
        if now.monotonic_ms >= quorum.state.fetch_at_ms:
            self._follower.fetch()

    def append(self, values: "Any", now: "Now") -> int:
        """Append a batch as the leader. Returns the offset of its first record; the high watermark passes that offset
        when it is committed.

        The caller has checked `is_leader` since the last event.
        """
        state = self.quorum.leader_state
        assert state is not None
        return self._leader.append(state, values, now)

    def append_voters(self, voters: "tuple[Voter, ...]", now: "Now") -> int:
        """Append a voter set just returned by `voter_changes`. Returns the offset of its record."""
        state = self.quorum.leader_state
        assert state is not None
        return self._leader.append_voters(state, voters, now)

    def flushed(self, now: "Now") -> None:
        """The log is durable up to its `flushed_offset`: a leader counts itself (§3.5), a follower sends its next
        fetch.
        """
        state = self.quorum.leader_state
        if state is not None:
            self._leader.commit(state, now)
        else:
            self._follower.fetch()

    def resign(self, now: "Now", first: int | None = None) -> None:
        """Resign if this replica leads, and send the voters the preferred successors: `first`, then the others."""
        if self.quorum.leader_state is not None:
            self._leader.resign(self.quorum.leader_state, now, first=first)

    def stop(self, now: "Now") -> None:
        """Leave the quorum for a clean stop or because the log is damaged. A leader resigns first."""
        if self.quorum.leader_state is not None:
            self._leader.resign(self.quorum.leader_state, now, BROKER_NOT_AVAILABLE)
        self.quorum.to_stopped()

    def handle_shortage(self, now: "Now") -> None:
        """A full disk, or a want of descriptors, interrupted an event: a candidate that cannot write its first record
        resigns, a follower retries its fetch.
        """
        state = self.quorum.state
        if isinstance(state, CandidateState) and state.election.is_granted:
            self.quorum.to_resigned(now)
        elif isinstance(state, FollowerState):
            self._follower.reset_fetch_timeout(state, now)
        self._follower.fetch_later(now)

    def died(self, node_id: int, now: "Now") -> None:
        """Evidence of death (§3.9): the replica's connection closed, and its listener refused a new one."""
        if node_id == self.quorum.leader_id != self.quorum.node_id:
            self._elections.leader_failed(now)

    # --- requests of other replicas ---

    def requested(self, token: object, message: object, now: "Now") -> None:
        """Handle a request of another replica. The answer is an effect, now or later."""
        if self.state == STOPPED:
            self._requests.reply(token, self._error_answer(message, BROKER_NOT_AVAILABLE))
        elif isinstance(message, Fetch):
            error = error_of_fetch(message)
            if error == NONE:
                self._leader.handle_fetch(token, message, now)
            else:
                self._requests.reply(token, self._error_answer(message, error))
        elif isinstance(message, FetchSnapshot):
            self._leader.handle_fetch_snapshot(token, message, now)
        elif isinstance(message, Vote):
            self._requests.reply(token, self._elections.handle_vote(message, now))
        elif isinstance(message, BeginEpoch):
            self._requests.reply(token, self._elections.handle_begin_epoch(message, now))
        else:
            assert isinstance(message, EndEpoch)
            self._requests.reply(token, self._elections.handle_end_epoch(message, now))

    def _error_answer(self, message: object, error: int) -> Answer:
        """The error response for this kind of request, with the known leader and epoch."""
        known = (error, self.leader_id, self.epoch)
        if isinstance(message, Fetch):
            return FetchAnswer(*known)
        if isinstance(message, FetchSnapshot):
            return SnapshotAnswer(*known, message.snapshot_id)
        if isinstance(message, Vote):
            return VoteAnswer(*known, granted=False)
        return Answer(*known)

    def forgotten(self, token: object) -> None:
        """The connection that sent the request `token` is closed: drop the request."""
        if self.quorum.leader_state is not None:
            self.quorum.leader_state.forget(token)

    # --- answers to our own requests ---

    def answered(self, token: int, answer: Answer, now: "Now") -> None:
        """Handle the answer to a Send. A token is valid for one answer, within its epoch."""
        completed = self._requests.complete(token)
        if completed is None or self.state == STOPPED or self._elections.maybe_transition(answer, now):
            return
        kind, node_id = completed
        if kind in (PRE_VOTE, VOTE):
            assert isinstance(answer, VoteAnswer)
            self._elections.record_vote(kind, node_id, granted=answer.granted, now=now)
        elif kind == FETCH:
            assert isinstance(answer, FetchAnswer)
            self._fetch_answered(node_id, answer, now)
        elif kind == FETCH_SNAPSHOT:
            assert isinstance(answer, SnapshotAnswer)
            self._follower.handle_snapshot_answer(answer, now)
        elif kind == FIND_LEADER:
            self._follower.fetch_later(now)

    def _fetch_answered(self, node_id: int, answer: FetchAnswer, now: "Now") -> None:
        quorum = self.quorum
        if node_id != quorum.leader_id:
            return  # it has resigned in the meantime
        if answer.error_code == NOT_LEADER_OR_FOLLOWER and answer.epoch == quorum.epoch:
            # the pause lets a successor that received EndQuorumEpoch stand first
            self._elections.leader_failed(now, quorum.timing.retry_ms)
        if answer.error_code != NONE:
            self._follower.fetch_later(now)
        elif isinstance(quorum.state, ProspectiveState):
            self._follower.follow(node_id, now)  # the leader is alive after all
        else:
            assert isinstance(quorum.state, FollowerState)
            self._follower.handle_fetch_answer(quorum.state, answer, now)

    def failed(self, token: int, now: "Now") -> None:
        """The request failed: its connection closed, or it timed out."""
        kind, node_id = self._requests.complete(token) or ("", NO_NODE)
        if self.state == STOPPED:
            return
        if kind in (PRE_VOTE, VOTE):
            self._elections.record_vote(kind, node_id, granted=False, now=now)
        elif kind in (FETCH, FIND_LEADER, FETCH_SNAPSHOT):
            self._follower.fetch_later(now)
