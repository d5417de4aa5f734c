"""What all parts of a member of the quorum rest on: its epoch, leader, vote and log, and what it wants said."""

from kafkacompat.replication.raft.ballot import Ballot
from kafkacompat.replication.raft.outbox import Outbox
from kafkacompat.replication.raft.peers import BROKER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, FetchAnswer, is_voter
from kafkacompat.replication.raft.quorum_state import NOBODY, QuorumState
from kafkacompat.replication.raft.timing import NEVER, Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    from kafkacompat.replication.raft.leading import Leading
    from kafkacompat.replication.raft.member_log import MemberLog

UNATTACHED, FOLLOWER, PROSPECTIVE = "Unattached", "Follower", "Prospective"
CANDIDATE, LEADER, RESIGNED, STOPPED = "Candidate", "Leader", "Resigned", "Stopped"


class MemberState:
    """`epoch`, `leader_id`, `state` and `high_watermark` are for everyone to read; `voters` has directories by id.

    `bootstrap_ids` stand for addresses at which somebody knows the leader; they are no voters' ids. A member that may
    not vote is an observer whatever the log says.
    """

    def __init__(
        self,
        node_id: int,
        directory_id: bytes,
        voters: "Mapping[int, bytes]",
        log: "MemberLog",
        stored: QuorumState | None,
        store: "Callable[[QuorumState], None]",
        rng: "Random",
        timing: Timing | None,
        bootstrap_ids: "Sequence[int]",
        *,
        may_vote: bool,
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
            stored = QuorumState(log.last_epoch)
        self.epoch = stored.leader_epoch
        self.leader_id = NOBODY
        self.voted = None if stored.voted_id == NOBODY else (stored.voted_id, stored.voted_directory_id)
        if stored.leader_id == node_id:
            self.voted = self.key  # whoever led an epoch votes for nobody else in it
        self.high_watermark = 0
        self.state = UNATTACHED
        self._out = Outbox()
        self._store_state = store
        self._is_stored = True
        self._rng = rng
        self._leading: Leading | None = None
        self._take_voters()
        self._ballot = Ballot(self.voters)
        self._lost_rounds = 0
        self._deadline_ms = NEVER  # of the state
        self._retry_ms = NEVER  # of the next fetch
        self._has_fetched = False  # from this leader
        self._loading: tuple[tuple[int, int], int] | None = None  # a snapshot of this leader, and how far it is here
        self._leader_is_dead = False

    # --- what the caller asks ---

    @property
    def is_voter(self) -> bool:
        return self._may_vote and is_voter(self.voters, self.key)

    @property
    def may_stand(self) -> bool:
        """Whether it asks for votes: a voter, and one that is to be none, until that is committed. It may be the only
        one whose log says so, and then nobody else can be elected (Raft, thesis §4.2.2).
        """
        log = self.log
        if self.is_voter or not self._may_vote or log.voters_offset < self.high_watermark:
            return self.is_voter
        before = log.voters_at(log.voters_offset - 1)
        if before is None:
            return is_voter(self._configured, self.key)
        return any(voter.key == self.key for voter in before)

    @property
    def is_leader(self) -> bool:
        return self.state == LEADER

    @property
    def epoch_start_offset(self) -> int:
        """Of the leader's own epoch."""
        assert self._leading is not None
        return self._leading.epoch_start_offset

    @property
    def has_committed(self) -> bool:
        """Whether this leader has committed what begins its epoch, and with it all before: it knows what is true."""
        return self._leading is not None and self.high_watermark > self._leading.epoch_start_offset

    @property
    def deadline_ms(self) -> int:
        """When `tick` is due, on the monotonic clock."""
        next_ms = NEVER if self._leading is None else self._leading.next_ms()
        return min(self._deadline_ms, self._retry_ms, next_ms)

    def take_effects(self) -> list[object]:
        """What to do now, in this order. No word leaves before what it rests on is stored (§3.1)."""
        self._save()
        return self._out.take_effects()

    # --- what the parts have in common ---

    def _enter(self, epoch: int, leader_id: int, voted: tuple[int, bytes] | None) -> None:
        """Take an epoch, its leader or our vote in it. Epochs never go back (§3.1)."""
        assert epoch >= self.epoch
        if epoch > self.epoch:
            self._out.forget_questions()
        if (epoch, leader_id, voted) != (self.epoch, self.leader_id, self.voted):
            self.epoch, self.leader_id, self.voted = epoch, leader_id, voted
            self._is_stored = False

    def _save(self) -> None:
        """Store epoch, leader and vote before anything rests on them. A leader's vote need not be said, as in Kafka."""
        if not self._is_stored:
            voted = self.voted if self.leader_id != self.node_id else None
            self._store_state(QuorumState(self.epoch, self.leader_id, *(voted or (NOBODY, bytes(16)))))
            self._is_stored = True

    def _vote_in(self, epoch: int) -> tuple[int, bytes] | None:
        return self.voted if epoch == self.epoch else None

    def _leave(self) -> None:
        """Whatever comes next, this role is over: who waits for it is told so."""
        leading, self._leading = self._leading, None
        self._loading = None
        self._deadline_ms = self._retry_ms = NEVER
        if leading is not None:
            error = BROKER_NOT_AVAILABLE if self.state == STOPPED else NOT_LEADER_OR_FOLLOWER
            for held in leading.held.values():
                self._out.reply(held.token, FetchAnswer(error, NOBODY, self.epoch))
            leading.held.clear()

    def _take_voters(self) -> None:
        """The newest voter set of the log counts, committed or not (KIP-853); without one, the configured one."""
        found = self.log.voters
        self.voters = (
            self._configured if found is None else dict(sorted((voter.id, voter.directory_id) for voter in found))
        )

    def _others(self) -> tuple[int, ...]:
        return tuple(voter_id for voter_id in self.voters if voter_id != self.node_id)

    def _turn_ms(self) -> int:
        """Followers that lose their leader stand one after the other, lowest id first, lest they split the vote."""
        return self.timing.retry_ms * sum(one < self.node_id for one in self._others() if one != self.leader_id)

    def _election_timeout(self) -> int:
        """Between once and twice the time-out, so that seldom two stand at once."""
        return self.timing.election_timeout_ms + self._rng.randrange(self.timing.election_timeout_ms)
