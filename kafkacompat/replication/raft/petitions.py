"""What a follower asks its leader for about its own vote, at most once in a fetch time-out (KIP-853, KIP-1186).

    where the voters are   it                                            asks
    in the configuration   votes                                         to be noted, once for each leader: directories
                                                                         have to be known when voters move into the log
    in the log             votes, and listens elsewhere by now           to be noted
    in the log             is to join, and its id votes with another     to remove that one: its directory is lost
                           directory
    in the log             is to join, and its id does not vote          to be added

The first time is a fetch time-out after it began to follow, as in Kafka's FollowerState. The leader looks whether
it can be: one that has not caught up is refused, and asks again.
"""

from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.timing import NEVER
from kafkacompat.replication.raft.voters import Voter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.client import RaftClient
    from kafkacompat.replication.raft.peers import Key

UPDATE, REMOVE, ADD = "update", "remove", "add"
Petition = tuple[str, "Key"]
"""What to do with which replica."""


class Petitions:
    """Those of one member. `endpoints` are its own controller listeners; `joins`: it is to vote, if nobody adds it."""

    def __init__(self, member: "RaftClient", endpoints: "Sequence[tuple[str, str, int]]", *, joins: bool) -> None:
        self._member = member
        self._endpoints = tuple(endpoints)
        self._joins = joins
        self._follows: tuple[int, int] | None = None
        self._at_ms = NEVER
        self._is_noted = False  # by this leader

    @property
    def deadline_ms(self) -> int:
        """When there may be something to ask for. Any event of the member may move it."""
        return NEVER if self._wish() is None else self._at_ms

    def take(self, now: "Now") -> Petition | None:
        """What to ask the leader for now. Called after each event of the member, and when it is due."""
        member = self._member
        follows = (member.epoch, member.leader_id) if member.state == FOLLOWER else None
        if follows != self._follows:
            self._follows, self._is_noted = follows, False
            self._at_ms = NEVER if follows is None else now.monotonic_ms + member.timing.fetch_timeout_ms
        wish = self._wish()
        if wish is None or now.monotonic_ms < self._at_ms:
            return None
        self._at_ms = now.monotonic_ms + member.timing.fetch_timeout_ms
        return wish

    def noted(self, epoch: int) -> None:
        """The leader of that epoch has taken note of us, or needs not to."""
        if self._follows is not None and self._follows[0] == epoch:
            self._is_noted = True

    def _wish(self) -> Petition | None:
        member = self._member
        if self._follows is None:
            return None
        voters = member.log.voters
        if voters is None:
            return (UPDATE, member.key) if member.is_voter and not self._is_noted else None
        present = next((voter for voter in voters if voter.id == member.node_id), None)
        if present is not None and present.key == member.key:
            own = Voter(*member.key, self._endpoints)
            return None if own.says_the_same_as(present) else (UPDATE, member.key)
        if not self._joins:
            return None
        return (ADD, member.key) if present is None else (REMOVE, present.key)
