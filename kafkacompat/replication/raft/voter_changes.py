"""Checks for a change of the voter set: one voter changes at a time, and a set is in effect once it is in the log
(KIP-853).

Any majorities of two sets that differ in one voter overlap. So a set may be used as soon as it is written, provided
that the previous set is committed and that this leader has committed the first record of its epoch, which fences
changes that a former leader began. The rules and errors are those of Kafka's AddVoterHandler, RemoveVoterHandler and
UpdateVoterHandler.

Static voters move into the log when kraft.version is raised to 1 (Kafka's KRaftVersionUpgrade). By then each has sent
the leader its directory id in UpdateRaftVoter. The set itself does not change.
"""

from kafkacompat.protocol.error_codes import (
    DUPLICATE_VOTER,
    INVALID_REQUEST,
    INVALID_UPDATE_VERSION,
    NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT,
    UNSUPPORTED_VERSION,
    VOTER_NOT_FOUND,
)
from kafkacompat.replication.raft.voters import VoterChangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.leader_state import LeaderState
    from kafkacompat.replication.raft.messages import Key
    from kafkacompat.replication.raft.quorum_state import QuorumState
    from kafkacompat.replication.raft.voters import Voter

LEVEL = 1  #: the kraft.version from which on the log contains the voters


class VoterChanges:
    """The leader's checks; each returns the new voter set. Other replicas refuse every change."""

    def __init__(self, quorum: "QuorumState") -> None:
        self._quorum = quorum

    def with_voter(self, voter: "Voter", now: "Now") -> "tuple[Voter, ...]":
        """The voters plus a new one, which must have caught up with the log. Raises VoterChangeError."""
        voters = self.check_new_voter(voter)
        if not voter.levels[0] <= LEVEL <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version {LEVEL}")
        if not self._leader().is_caught_up(voter.key, now.monotonic_ms):
            raise VoterChangeError(REQUEST_TIMED_OUT, f"controller {voter.id} has not caught up with the log")
        return (*voters, voter)

    def check_new_voter(self, voter: "Voter") -> "tuple[Voter, ...]":
        """The present voters, after checking that the new one is not among them. Raises VoterChangeError."""
        voters = self.changeable_voters()
        if any(one.id == voter.id for one in voters):
            raise VoterChangeError(DUPLICATE_VOTER, f"controller {voter.id} is one of the voters already")
        return voters

    def without_voter(self, key: "Key") -> "tuple[Voter, ...]":
        """The voters minus one, which must not be the last. Raises VoterChangeError."""
        voters = self.changeable_voters()
        remaining = tuple(voter for voter in voters if voter.key != key)
        if len(remaining) == len(voters):
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {key[0]} with this directory is not one of the voters")
        if not remaining:
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {key[0]} is the only voter")
        return remaining

    def with_voter_updated(self, voter: "Voter") -> "tuple[Voter, ...]":
        """The voters with new listeners or levels for one of them. Raises VoterChangeError."""
        voters = self.changeable_voters()
        if not voter.levels[0] <= LEVEL <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version {LEVEL}")
        if not any(one.key == voter.key for one in voters):
            message = f"controller {voter.id} with this directory is not one of the voters"
            raise VoterChangeError(VOTER_NOT_FOUND, message)
        return tuple(voter if one.key == voter.key else one for one in voters)

    def register(self, voter: "Voter") -> None:
        """Record the UpdateRaftVoter of a static voter. Raises VoterChangeError."""
        leader = self._leader()
        if not voter.levels[0] <= 0 <= voter.levels[1]:
            raise VoterChangeError(INVALID_REQUEST, f"controller {voter.id} does not know kraft.version 0")
        if voter.id not in self._quorum.voters:
            raise VoterChangeError(VOTER_NOT_FOUND, f"controller {voter.id} is not one of the voters")
        leader.registered[voter.id] = voter

    def configured_voters(self, own: "Voter") -> "tuple[Voter, ...]":
        """The static voters as they will be written to the log. Raises VoterChangeError if one has not registered, as
        its directory id is then unknown.
        """
        registered = self._leader().registered | {own.id: own}
        voter_ids = self._quorum.voters
        missing = sorted(voter_ids.keys() - registered.keys())
        if missing:
            message = f"Voters {missing} have not sent their directory ids to the leader yet."
            raise VoterChangeError(INVALID_UPDATE_VERSION, message)
        found = tuple(registered[voter_id] for voter_id in voter_ids if voter_id in registered)
        unable = [voter.id for voter in found if not voter.levels[0] <= LEVEL <= voter.levels[1]]
        if unable:
            raise VoterChangeError(INVALID_UPDATE_VERSION, f"Voters {unable} do not support it.")
        return found

    def _leader(self) -> "LeaderState":
        """The state of a leader that has committed the first record of its epoch. Raises VoterChangeError."""
        leader = self._quorum.leader_state
        if leader is None:
            raise VoterChangeError(NOT_LEADER_OR_FOLLOWER, "this controller does not lead the quorum")
        if not self._quorum.has_committed:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the leader has not committed the beginning of its epoch yet")
        return leader

    def changeable_voters(self) -> "tuple[Voter, ...]":
        """The present voters, if they may change now. Raises VoterChangeError."""
        self._leader()
        log = self._quorum.log
        if log.voters is None:
            raise VoterChangeError(UNSUPPORTED_VERSION, "with kraft.version 0 the configuration has the voters")
        if log.voters_offset >= self._quorum.high_watermark:
            raise VoterChangeError(REQUEST_TIMED_OUT, "the last change of the voters is not committed yet")
        return log.voters
