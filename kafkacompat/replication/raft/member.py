"""One member of the metadata quorum: election with pre-vote, replication by fetch (Kafka's KafkaRaftClient, KIP-595).

    state        leaves when
    Unattached   it hears of a leader -> Follower; a voter's time-out -> Prospective; it grants a vote -> Unattached
    Follower     its leader is silent for the fetch time-out, or dead -> Prospective (an observer: Unattached)
    Prospective  a majority would vote for it -> Candidate; a majority would not, or time-out -> Follower or Unattached
    Candidate    a majority votes for it -> Leader; a majority does not, or time-out -> Unattached
    Leader       a majority is silent -> Resigned; it stops -> Resigned
    Resigned     time-out -> Prospective
    any          it hears of a higher epoch -> Unattached, or Follower of that epoch's leader

Pure: events in, effects out. After each event the caller takes the effects and carries them out in their order; it
calls `tick` at `deadline_ms`. No message leaves before the vote that it rests on is stored: `store` returns when that
is durable. A fetch says that everything below its offset is durable, so a replica syncs before it fetches on.
"""

from kafkacompat.replication.raft.ballot import Ballot
from kafkacompat.replication.raft.following import Following
from kafkacompat.replication.raft.leading import Leading
from kafkacompat.replication.raft.member_state import (
    CANDIDATE,
    FOLLOWER,
    LEADER,
    PROSPECTIVE,
    RESIGNED,
    STOPPED,
    UNATTACHED,
)
from kafkacompat.replication.raft.outbox import BEGIN, END, FETCH, FIND, LOAD, PRE_VOTE, VOTE
from kafkacompat.replication.raft.peers import (
    BROKER_NOT_AVAILABLE,
    FENCED_LEADER_EPOCH,
    INVALID_REQUEST,
    MAX_EPOCH,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    FetchSnapshot,
    SnapshotAnswer,
    Vote,
    VoteAnswer,
    address_error,
    error_of_fetch,
    error_of_vote,
    names,
)
from kafkacompat.replication.raft.quorum_state import NOBODY, QuorumState
from kafkacompat.replication.raft.reconfiguring import Reconfiguring
from kafkacompat.replication.raft.timing import Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random
    from typing import Any

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.member_log import MemberLog

_ASKED_WHILE = {PRE_VOTE: PROSPECTIVE, VOTE: CANDIDATE}


class Member(Reconfiguring, Following):
    """One voter or observer; `MemberState` says what everyone may read of it."""

    def __init__(
        self,
        node_id: int,
        directory_id: bytes,
        voters: "Mapping[int, bytes]",
        log: "MemberLog",
        stored: QuorumState | None,
        store: "Callable[[QuorumState], None]",
        rng: "Random",
        now: "Now",
        timing: Timing | None = None,
        bootstrap_ids: "Sequence[int]" = (),
        *,
        may_vote: bool = True,
    ) -> None:
        """A member as it starts, with what it had stored. A leader of old never goes on in its epoch (§3.1)."""
        super().__init__(
            node_id, directory_id, voters, log, stored, store, rng, timing, bootstrap_ids, may_vote=may_vote
        )
        self._begin(stored, now)

    def _begin(self, stored: QuorumState | None, now: "Now") -> None:
        leader_id = NOBODY if stored is None or stored.leader_epoch < self.epoch else stored.leader_id
        if leader_id in self._others():
            self._follow(leader_id, now)
        elif self.may_stand:
            self._ask_whether_to_stand(now)  # on a fresh start nobody need wait for a time-out (§3.9)
        else:
            self._detach(now)

    # --- events ---

    def tick(self, now: "Now") -> None:
        """Time went by."""
        if self._leading is not None:
            self._tick_leader(self._leading, now)
        elif now.monotonic_ms >= self._deadline_ms:
            self._timed_out(now)
        if now.monotonic_ms >= self._retry_ms:
            self._fetch()

    def append(self, values: "Any", now: "Now") -> int:
        """Append a batch as the leader; the offset of its first record. The high watermark tells when it is committed.

        The caller has seen `is_leader` since the last event.
        """
        assert self._leading is not None
        offset = self.log.append_as_leader(values, self.epoch, now)
        self._out.sync()
        self._answer_held(self._leading, now)
        return offset

    def flushed(self, now: "Now") -> None:
        """The log is durable up to its `flushed_offset`: a leader counts itself (§3.5), a follower may fetch on."""
        if self._leading is not None:
            self._move_high_watermark(self._leading, now)
        else:
            self._fetch()

    def resign(self, now: "Now") -> None:
        """Give the epoch up, and tell who should be next (§3.7: a clean stop, or silence)."""
        if self._leading is None:
            return
        successors = tuple((voter_id, self.voters[voter_id]) for voter_id in self._leading.successors())
        for voter_id in self._others():
            self._out.ask(voter_id, END, EndEpoch(self.epoch, self.node_id, successors))
        self._leave()
        self.state, self.leader_id = RESIGNED, NOBODY
        self._deadline_ms = now.monotonic_ms + self._election_timeout()

    def stop(self, now: "Now") -> None:
        """Take no part any more: a clean stop, or a log that cannot be trusted. A leader hands over."""
        if self._leading is not None:
            self.state = STOPPED  # as those hear whose fetches are held
            self.resign(now)
        self._leave()
        self.state = STOPPED

    def wait_for_room(self, now: "Now") -> None:
        """An event was not carried out to its end, as the disk is full: whoever was to lead lets others try, whoever
        follows fetches again.
        """
        if self.state == LEADER and self._leading is None:
            self.state, self.leader_id = RESIGNED, NOBODY
            self._deadline_ms = now.monotonic_ms + self._election_timeout()
        elif self.state == FOLLOWER:
            self._is_led(now)  # its leader lives
        self._fetch_later(now)

    def died(self, node_id: int, now: "Now") -> None:
        """Evidence of death (§3.9): a member's connection is closed, and a dial to its listener was refused."""
        if node_id == self.leader_id != self.node_id:
            self._leader_is_gone(now, 0)

    def requested(self, token: object, message: object, now: "Now") -> None:
        """A member says something; the answer is an effect, at once or later."""
        if self.state == STOPPED:
            self._out.reply(token, self._answer_to(message, BROKER_NOT_AVAILABLE))
        elif isinstance(message, Fetch):
            error = error_of_fetch(message)
            if error == NONE:
                self._on_fetch(token, message, now)
            else:
                self._out.reply(token, self._answer_to(message, error))
        elif isinstance(message, FetchSnapshot):
            self._on_fetch_snapshot(token, message, now)
        elif isinstance(message, Vote):
            self._out.reply(token, self._on_vote(message, now))
        elif isinstance(message, BeginEpoch):
            self._out.reply(token, self._on_begin(message, now))
        else:
            assert isinstance(message, EndEpoch)
            self._out.reply(token, self._on_end(message, now))

    def _answer_to(self, message: object, error: int) -> Answer:
        """An answer that says nothing but an error, and who leads."""
        if isinstance(message, Fetch):
            return FetchAnswer(error, self.leader_id, self.epoch)
        if isinstance(message, FetchSnapshot):
            return SnapshotAnswer(error, self.leader_id, self.epoch, message.snapshot_id)
        if isinstance(message, Vote):
            return VoteAnswer(error, self.leader_id, self.epoch, granted=False)
        return Answer(error, self.leader_id, self.epoch)

    def answered(self, token: int, answer: Answer, now: "Now") -> None:
        """The answer to a Send. Each token is good for one, and for its epoch."""
        asked = self._out.close(token)
        if asked is None or self.state == STOPPED or self._heed(answer, now):
            return
        what, node_id = asked
        if what in _ASKED_WHILE:
            assert isinstance(answer, VoteAnswer)
            self._count_vote(what, node_id, granted=answer.granted, now=now)
        elif what == FETCH:
            assert isinstance(answer, FetchAnswer)
            self._on_fetch_answer(node_id, answer, now)
        elif what == LOAD:
            assert isinstance(answer, SnapshotAnswer)
            self._take_snapshot(answer, now)
        elif what == FIND:
            self._fetch_later(now)

    def failed(self, token: int, now: "Now") -> None:
        """No answer will come: the connection is gone, or the request took too long."""
        what, node_id = self._out.close(token) or ("", NOBODY)
        if self.state == STOPPED:
            return
        if what in _ASKED_WHILE:
            self._count_vote(what, node_id, granted=False, now=now)
        elif what in (FETCH, FIND, LOAD):
            self._fetch_later(now)

    def forgotten(self, token: object) -> None:
        """Whoever sent the fetch that is held under `token` has gone."""
        if self._leading is not None:
            self._leading.drop(token)

    # --- changes of state ---

    def _detach(self, now: "Now", epoch: int | None = None, voted: tuple[int, bytes] | None = None) -> None:
        """No leader is known in this epoch: wait for one, or for the time to stand."""
        epoch = self.epoch if epoch is None else epoch
        self._leave()
        self._enter(epoch, NOBODY, voted or self._vote_in(epoch))
        self.state = UNATTACHED
        if self.may_stand:
            self._deadline_ms = now.monotonic_ms + self._election_timeout()
        self._retry_ms = now.monotonic_ms + self._rng.randrange(self.timing.again_ms)

    def _follow(self, leader_id: int, now: "Now", epoch: int | None = None) -> None:
        epoch = self.epoch if epoch is None else epoch
        self._leave()
        self._enter(epoch, leader_id, self._vote_in(epoch))
        self.state = FOLLOWER
        self._lost_rounds = 0
        self._has_fetched = self._leader_is_dead = False
        self._deadline_ms = now.monotonic_ms + self.timing.fetch_timeout_ms + self._turn_ms()
        self._fetch()

    def _ask_whether_to_stand(self, now: "Now") -> None:
        """Ask for pre-votes in the epoch as it is: nothing changes until a majority would vote for us (§3.3)."""
        self._leave()
        self.state = PROSPECTIVE
        self._hold_ballot(PRE_VOTE, now)

    def _stand(self, now: "Now") -> None:
        """Vote for ourselves in the next epoch, durably, and ask the others (§3.1, §3.2)."""
        self._leave()
        self._enter(self.epoch + 1, NOBODY, self.key)
        self.state = CANDIDATE
        self._hold_ballot(VOTE, now)

    def _lead(self, now: "Now") -> None:
        """A majority voted for us: the epoch begins with a record that says so (§3.4)."""
        self._leave()
        self._enter(self.epoch, self.node_id, self.voted)
        self._save()
        self.state = LEADER
        self._lost_rounds = 0
        granted = tuple(sorted(self._ballot.granted))
        offset = self.log.append_leader_change(self.epoch, self.node_id, granted, now)
        self._leading = Leading(self._others(), offset, now.monotonic_ms, is_one=self.is_voter)
        self._out.sync()
        self._tick_leader(self._leading, now)

    def _timed_out(self, now: "Now") -> None:
        if not self.may_stand:
            self._detach(now)
        elif self.state in (PROSPECTIVE, CANDIDATE):
            self._lost(now)
        else:
            self._ask_whether_to_stand(now)

    def _lost(self, now: "Now") -> None:
        """No majority for us: back to the leader that we had, if there is one. After a random pause we ask again."""
        rounds = self._lost_rounds + 1
        if self.leader_id != NOBODY and not self._leader_is_dead:
            self._follow(self.leader_id, now)
        else:
            self._detach(now)
        self._lost_rounds = rounds
        self._deadline_ms = now.monotonic_ms + 1 + self._rng.randrange(self.timing.backoff_ms(rounds))

    def _heed(self, said: Answer, now: "Now") -> bool:
        """What an answer tells of epoch and leader. Whether it made us something else."""
        names_leader = said.leader_id not in (NOBODY, self.node_id)
        if said.epoch > self.epoch and not names_leader:
            self._detach(now, said.epoch)
            return True
        is_news = said.epoch > self.epoch or (said.epoch == self.epoch and self.leader_id == NOBODY)
        if is_news and names_leader:
            self._follow(said.leader_id, now, said.epoch)
            return True
        return False

    # --- votes ---

    def _on_vote(self, vote: Vote, now: "Now") -> VoteAnswer:
        """Grant a vote to one candidate an epoch, whose log is not behind ours (§3.2); a pre-vote unless we have a live
        leader (§3.3).
        """
        error = error_of_vote(vote) or self._error_of_voter(vote.epoch, vote.candidate_id)
        if error == NONE and vote.epoch > self.epoch:
            self._detach(now, vote.epoch)
        error = error or address_error(vote.voter, self.key)
        if error != NONE:
            return VoteAnswer(error, self.leader_id, self.epoch, granted=False)
        granted = (vote.last_epoch, vote.last_offset) >= (self.log.last_epoch, self.log.end_offset)
        if vote.pre_vote:
            granted = granted and self._has_no_live_leader(vote.candidate_id)
        else:
            granted = granted and self._may_vote_for(vote)
            if granted:
                self._detach(now, voted=(vote.candidate_id, vote.candidate_directory_id))
        return VoteAnswer(NONE, self.leader_id, self.epoch, granted=granted)

    def _has_no_live_leader(self, candidate_id: int) -> bool:
        """A follower that has fetched from its leader knows that it lives; before that it would only be hearsay.

        Who leads an epoch and asks for votes has restarted: it never goes on as that epoch's leader.
        """
        if self.state == FOLLOWER:
            return not self._has_fetched or self._leader_is_dead or candidate_id == self.leader_id
        return self.state != LEADER

    def _may_vote_for(self, vote: Vote) -> bool:
        """One vote an epoch, and none where it has a leader: the vote is stored, so this holds over restarts."""
        return self.leader_id == NOBODY and self.voted in (None, (vote.candidate_id, vote.candidate_directory_id))

    def _hold_ballot(self, kind: str, now: "Now") -> None:
        """Ask every voter, ourselves first: one voter alone needs nobody else."""
        self._ballot = Ballot(self.voters)
        self._deadline_ms = now.monotonic_ms + self._election_timeout() // 2
        held = (self.log.last_epoch, self.log.end_offset)
        for voter_id in self._others():
            if not self._out.has_asked(kind, voter_id):
                key = (voter_id, self.voters[voter_id])
                self._out.ask(voter_id, kind, Vote(self.epoch, *self.key, *held, pre_vote=kind == PRE_VOTE, voter=key))
        self._count_vote(kind, self.node_id, granted=True, now=now)

    def _count_vote(self, kind: str, voter_id: int, *, granted: bool, now: "Now") -> None:
        """Who cannot be asked counts as one who refuses: another round comes soon."""
        if self.state != _ASKED_WHILE[kind]:
            return
        self._ballot.count(voter_id, granted=granted)
        if self._ballot.is_won:
            (self._stand if kind == PRE_VOTE else self._lead)(now)
        elif self._ballot.is_lost:
            self._lost(now)

    # --- what leaders say ---

    def _on_begin(self, begin: BeginEpoch, now: "Now") -> Answer:
        """A leader tells of its epoch; the voters have elected it."""
        error = self._error_of_leader(begin)
        if error == NONE and (begin.epoch > self.epoch or self.state != FOLLOWER):
            self._follow(begin.leader_id, now, begin.epoch)
        return Answer(error or address_error(begin.voter, self.key), self.leader_id, self.epoch)

    def _error_of_leader(self, said: BeginEpoch | EndEpoch) -> int:
        is_other = said.epoch == self.epoch and self.leader_id not in (NOBODY, said.leader_id)
        is_wrong = is_other or said.leader_id == self.node_id or said.epoch > MAX_EPOCH
        return self._error_of_voter(said.epoch, said.leader_id) or (INVALID_REQUEST if is_wrong else NONE)

    def _error_of_voter(self, epoch: int, replica_id: int) -> int:
        """What Kafka looks at in all that candidates and leaders say, in its order."""
        if epoch < self.epoch:
            return FENCED_LEADER_EPOCH
        return INVALID_REQUEST if replica_id < 0 else NONE

    def _on_end(self, end: EndEpoch, now: "Now") -> Answer:
        """A leader goes: the first successor asks for votes at once, each other gives those before it a little time."""
        error = self._error_of_leader(end)
        if error == NONE and (end.epoch > self.epoch or self.state == FOLLOWER):
            self._detach(now, end.epoch)
            us = [names(key, self.key) for key in end.successors]
            if self.may_stand and any(us):
                self._deadline_ms = now.monotonic_ms + us.index(True) * self.timing.retry_ms
        return Answer(error, self.leader_id, self.epoch)

    def _leader_is_gone(self, now: "Now", pause_ms: int) -> None:
        """The leader leads no more (§3.9): stand after a pause, when it is our turn."""
        self._leader_is_dead = True
        if self.state == FOLLOWER:
            self._deadline_ms = min(self._deadline_ms, now.monotonic_ms + pause_ms + self._turn_ms())

    # --- the leader ---

    def _tick_leader(self, leading: Leading, now: "Now") -> None:
        now_ms = now.monotonic_ms
        self._deadline_ms = leading.quorum_lost_at_ms(self.timing.silence_ms, now_ms)
        if now_ms >= self._deadline_ms:
            self.resign(now)
            return
        for voter_id in leading.take_untold(now_ms, self.timing.election_timeout_ms // 2):
            if not self._out.has_asked(BEGIN, voter_id):
                key = (voter_id, self.voters[voter_id])
                self._out.ask(voter_id, BEGIN, BeginEpoch(self.epoch, self.node_id, key))
        self._answer_held(leading, now)

    # --- the follower ---

    def _on_fetch_answer(self, node_id: int, answer: FetchAnswer, now: "Now") -> None:
        if node_id != self.leader_id:
            return  # it has told us since that it goes
        if answer.error_code == NOT_LEADER_OR_FOLLOWER and answer.epoch == self.epoch:
            self._leader_is_gone(now, self.timing.retry_ms)  # who was told so has the first turn
        if answer.error_code != NONE:
            self._fetch_later(now)
        elif self.state == PROSPECTIVE:
            self._follow(node_id, now)  # it lives
        else:
            self._take_records(answer, now)
