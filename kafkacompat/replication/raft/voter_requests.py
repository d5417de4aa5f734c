"""The request about its own voter entry that a follower sends to its leader, at most one per fetch time-out (KIP-853,
KIP-1186).

    voters are in        the follower                                 sends
    the configuration    is a voter                                   UpdateRaftVoter, once to each leader: directory
                                                                      ids must be known when voters move to the log
    the log              is a voter, and its listeners have changed   UpdateRaftVoter
    the log              joins automatically; its id is a voter       RemoveRaftVoter of that voter: its directory is
                         with another directory                       lost
    the log              joins automatically; its id is no voter      AddRaftVoter

The first request is sent one fetch time-out after the replica became a follower, as in Kafka's FollowerState. The
leader refuses a replica that has not caught up; the follower then asks again.
"""

from kafkacompat.now import NEVER
from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.client import RaftClient
    from kafkacompat.replication.raft.messages import Key

UPDATE, REMOVE, ADD = "update", "remove", "add"
VoterRequest = tuple[str, "Key"]
"""The kind of request, and the replica that it is about."""


class VoterRequests:
    """endpoints: the controller listeners of the replica. joins: whether it joins the voters automatically."""

    def __init__(self, replica: "RaftClient", endpoints: "Sequence[tuple[str, str, int]]", *, joins: bool) -> None:
        self._replica = replica
        self._endpoints = tuple(endpoints)
        self._joins = joins
        self._followed: tuple[int, int] | None = None  # epoch and id of the leader
        self._at_ms = NEVER
        self._is_registered = False  # with this leader

    @property
    def deadline_ms(self) -> int:
        """When a request may be due, in ms of the monotonic clock. Any event of the replica may change it."""
        return NEVER if self._needed() is None else self._at_ms

    def take_due(self, now: "Now") -> VoterRequest | None:
        """The request to send now. Called after each event of the replica, and at `deadline_ms`."""
        replica = self._replica
        followed = (replica.epoch, replica.leader_id) if replica.state == FOLLOWER else None
        if followed != self._followed:
            self._followed, self._is_registered = followed, False
            self._at_ms = NEVER if followed is None else now.monotonic_ms + replica.timing.fetch_timeout_ms
        needed = self._needed()
        if needed is None or now.monotonic_ms < self._at_ms:
            return None
        self._at_ms = now.monotonic_ms + replica.timing.fetch_timeout_ms
        return needed

    def registered(self, epoch: int) -> None:
        """The leader of that epoch has our registration, or needs none."""
        if self._followed is not None and self._followed[0] == epoch:
            self._is_registered = True

    def _needed(self) -> VoterRequest | None:
        replica = self._replica
        if self._followed is None:
            return None
        voters = replica.log.voters
        if voters is None:
            return (UPDATE, replica.key) if replica.is_voter and not self._is_registered else None
        present = next((voter for voter in voters if voter.id == replica.node_id), None)
        if present is not None and present.key == replica.key:
            own = Voter(*replica.key, self._endpoints)
            return None if own.is_equivalent_to(present) else (UPDATE, replica.key)
        if not self._joins:
            return None
        return (ADD, replica.key) if present is None else (REMOVE, present.key)
