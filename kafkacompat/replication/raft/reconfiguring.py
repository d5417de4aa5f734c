"""How a leader changes who votes: one voter at a time, by a record that counts from when it is in the log (KIP-853).

Two sets that differ in one voter have no two majorities without a common member. So a set may be used as soon as it is
written, if the one before it is committed, and by this leader: the beginning of its epoch is committed first, which
fences what a former leader may have begun. The rules and errors are those of Kafka's AddVoterHandler,
RemoveVoterHandler and UpdateVoterHandler.

Voters that the configuration names move into the log when kraft.version is raised to 1 (Kafka's KRaftVersionUpgrade):
each has told the leader by then which directory it has. The set stays the same, so its majorities do, too.
"""

from kafkacompat.replication.raft.peers import (
    DUPLICATE_VOTER,
    INVALID_REQUEST,
    INVALID_UPDATE_VERSION,
    NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT,
    UNSUPPORTED_VERSION,
    VOTER_NOT_FOUND,
)
from kafkacompat.replication.raft.serving import Serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.leading import Leading
    from kafkacompat.replication.raft.peers import Key
    from kafkacompat.replication.raft.voters import Voter

LEVEL = 1  #: of kraft.version, from which on voters are in the log


class VoterChangeError(Exception):
    """The voters cannot be changed so, or not now: `error_code` is what to answer."""

    def __init__(self, error_code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = error_code


class Reconfiguring(Serving):
    """The leader's part of a member that decides on voter sets and appends them."""

    def with_voter(self, voter: "Voter", now: "Now") -> "tuple[Voter, ...]":
        """The voters and a new one, which has to hold what the log holds. Raises VoterChangeError."""
        voters = self.check_new_voter(voter)
        if not voter.levels[0] <= LEVEL <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version {LEVEL}")
        assert self._leading is not None
        if not self._leading.is_caught_up(voter.key, now.monotonic_ms):
            raise VoterChangeError(REQUEST_TIMED_OUT, f"controller {voter.id} has not caught up with the log")
        return (*voters, voter)

    def check_new_voter(self, voter: "Voter") -> "tuple[Voter, ...]":
        """The voters without the new one, if it may be asked what it can do. Raises VoterChangeError."""
        voters = self.changeable_voters()
        if any(one.id == voter.id for one in voters):
            raise VoterChangeError(DUPLICATE_VOTER, f"controller {voter.id} is one of the voters already")
        return voters

    def without_voter(self, key: "Key") -> "tuple[Voter, ...]":
        """The voters without one of them, which is not the last. Raises VoterChangeError."""
        voters = self.changeable_voters()
        left = tuple(voter for voter in voters if voter.key != key)
        if len(left) == len(voters):
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {key[0]} with this directory is not one of the voters")
        if not left:
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {key[0]} is the only voter")
        return left

    def with_voter_updated(self, voter: "Voter") -> "tuple[Voter, ...]":
        """The voters with other listeners or levels of one of them. Raises VoterChangeError."""
        voters = self.changeable_voters()
        if not voter.levels[0] <= LEVEL <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version {LEVEL}")
        if not any(one.key == voter.key for one in voters):
            message = f"controller {voter.id} with this directory is not one of the voters"
            raise VoterChangeError(VOTER_NOT_FOUND, message)
        return tuple(voter if one.key == voter.key else one for one in voters)

    def note(self, voter: "Voter") -> None:
        """A voter that the configuration names tells of itself. Raises VoterChangeError."""
        leading = self._leading_for_good()
        if not voter.levels[0] <= 0 <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version 0")
        if voter.id not in self.voters:
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {voter.id} is not one of the voters")
        leading.told[voter.id] = voter

    def configured_voters(self, own: "Voter") -> "tuple[Voter, ...]":
        """The voters that the configuration names, as they are to be in the log. Raises VoterChangeError.

        One that has told nothing is not known by its directory, and the set would be without it.
        """
        leading = self._leading_for_good()
        told = leading.told | {own.id: own}
        silent = sorted(self.voters.keys() - told.keys())
        if silent:
            message = f"Voters {silent} have not told the leader yet which directories they have."
            raise VoterChangeError(INVALID_UPDATE_VERSION, message)
        found = tuple(told[voter_id] for voter_id in self.voters if voter_id in told)
        unable = [voter.id for voter in found if not voter.levels[0] <= LEVEL <= voter.levels[1]]
        if unable:
            raise VoterChangeError(INVALID_UPDATE_VERSION, f"Voters {unable} do not support it.")
        return found

    def _leading_for_good(self) -> "Leading":
        if self._leading is None:
            raise VoterChangeError(NOT_LEADER_OR_FOLLOWER, "this controller does not lead the quorum")
        if not self.has_committed:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the leader has not committed the beginning of its epoch yet")
        return self._leading

    def changeable_voters(self) -> "tuple[Voter, ...]":
        """The voters, if they may be changed now. Raises VoterChangeError."""
        self._leading_for_good()
        if self.log.voters is None:
            raise VoterChangeError(UNSUPPORTED_VERSION, "with kraft.version 0 the configuration says who votes")
        if self.log.voters_offset >= self.high_watermark:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the last change of the voters is not committed yet")
        return self.log.voters

    def change_voters(self, voters: "tuple[Voter, ...]", now: "Now") -> int:
        """Append a set that was decided on just now; the offset of its record. It counts from here on."""
        leading = self._leading
        assert leading is not None
        assert self.log.voters_offset < self.high_watermark
        former = self.voters
        offset = self.log.append_voters(voters, self.epoch, now)
        self._take_voters()
        others = [(voter_id, self.voters[voter_id]) for voter_id in self._others()]
        leading.set_voters(others, former, now.monotonic_ms, is_one=self.is_voter)
        self._out.sync()
        self._answer_held(leading, now)
        return offset
