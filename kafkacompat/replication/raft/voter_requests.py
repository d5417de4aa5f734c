"""Which request about its own vote a follower sends to its leader, once a fetch time-out at most (KIP-853, KIP-1186).

    voters are in        the follower                                 sends
    the configuration    is a voter                                   UpdateRaftVoter, once to each leader: directory
                                                                      ids must be known when voters move to the log
    the log              is a voter, and its listeners have changed   UpdateRaftVoter
    the log              joins automatically; its id is a voter       RemoveRaftVoter of that voter: its directory is
                         with another directory                       lost
    the log              joins automatically; its id is no voter      AddRaftVoter

The first request goes out a fetch time-out after it became a follower, as in Kafka's FollowerState. The leader refuses
one that is not caught up, and the follower asks again.
"""

from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.timing import NEVER
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.client import RaftClient
    from kafkacompat.replication.raft.messages import Key

UPDATE, REMOVE, ADD = "update", "remove", "add"
VoterRequest = tuple[str, "Key"]
"""What to do with which replica."""


class VoterRequests:
    """Those of one replica. `endpoints` are its controller listeners; `joins`: it joins the voters automatically."""

    def __init__(self, replica: "RaftClient", endpoints: "Sequence[tuple[str, str, int]]", *, joins: bool) -> None:
        self._replica = replica
        self._endpoints = tuple(endpoints)
        self._joins = joins
        self._follows: tuple[int, int] | None = None
        self._at_ms = NEVER
        self._is_registered = False  # by this leader

    @property
    def deadline_ms(self) -> int:
        """When a request may be due. Any event of the replica may move it."""
        return NEVER if self._wanted() is None else self._at_ms

    def take(self, now: "Now") -> VoterRequest | None:
        """The request to send now. Called after each event of the replica, and when it is due."""
        replica = self._replica
        follows = (replica.epoch, replica.leader_id) if replica.state == FOLLOWER else None
        if follows != self._follows:
            self._follows, self._is_registered = follows, False
            self._at_ms = NEVER if follows is None else now.monotonic_ms + replica.timing.fetch_timeout_ms
        wanted = self._wanted()
        if wanted is None or now.monotonic_ms < self._at_ms:
            return None
        self._at_ms = now.monotonic_ms + replica.timing.fetch_timeout_ms
        return wanted

    def registered(self, epoch: int) -> None:
        """The leader of that epoch has registered us, or does not need to."""
        if self._follows is not None and self._follows[0] == epoch:
            self._is_registered = True

    def _wanted(self) -> VoterRequest | None:
        replica = self._replica
        if self._follows is None:
            return None
        voters = replica.log.voters
        if voters is None:
            return (UPDATE, replica.key) if replica.is_voter and not self._is_registered else None
        present = next((voter for voter in voters if voter.id == replica.node_id), None)
        if present is not None and present.key == replica.key:
            own = Voter(*replica.key, self._endpoints)
            return None if own.says_the_same_as(present) else (UPDATE, replica.key)
        if not self._joins:
            return None
        return (ADD, replica.key) if present is None else (REMOVE, present.key)
