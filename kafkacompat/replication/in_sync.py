"""The leader's side of a leader epoch: the followers' offsets, the in-sync replicas, proposals to the controller.

The controller commits the ISR. A leader proposes changes (AlterPartition, KIP-497) one at a time; while a proposal is
open, the high watermark waits for the larger set. Kafka does this in `Partition` and `Replica`.
"""

from kafkacompat.now import LONG_AGO
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
from kafkacompat.replication.high_watermark import next_high_watermark
from kafkacompat.replication.metadata.image import RECOVERED
from kafkacompat.replication.raft.caught_up import NEVER_FETCHED, caught_up_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.alter_partition import (
        AlterPartitionRequestPartitionData,
        AlterPartitionResponsePartitionData,
    )
    from kafkacompat.replication.cluster_view import ClusterView
    from kafkacompat.replication.metadata.image import PartitionImage

FULL_LAG_MS = 500
"""Replica lag time limit for a broker whose disk is full, which cannot catch up by itself."""

#: The controller has refused the proposal for good, and raised the partition epoch so that no copy is accepted later.
_GIVES_UP = frozenset({errors.INELIGIBLE_REPLICA, errors.OPERATION_NOT_ATTEMPTED})
#: The controller's state is newer than ours: the metadata log will bring it.
_WAITS_FOR_METADATA = frozenset(
    {
        errors.FENCED_LEADER_EPOCH,
        errors.INVALID_UPDATE_VERSION,
        errors.INVALID_REQUEST,
        errors.UNKNOWN_TOPIC_ID,
        errors.UNKNOWN_TOPIC_OR_PARTITION,
        errors.NEW_LEADER_ELECTED,
    }
)


class Follower:
    """What one follower's fetches have shown in this leader epoch. Times are monotonic."""

    __slots__ = ("_leader_end_offset", "broker_epoch", "caught_up_ms", "end_offset", "fetch_ms", "log_start_offset")

    def __init__(self, caught_up_ms: int) -> None:
        self.end_offset = UNKNOWN_OFFSET
        self.broker_epoch = NO_BROKER_EPOCH
        self.fetch_ms = caught_up_ms
        self._leader_end_offset = NEVER_FETCHED  # the leader's log end at the last fetch
        self.log_start_offset = UNKNOWN_OFFSET
        self.caught_up_ms = caught_up_ms

    def fetched(self, fetch_offset: int, broker_epoch: int, leader_end_offset: int, now_ms: int) -> None:
        """Update from a fetch."""
        self.caught_up_ms = caught_up_ms(
            self.caught_up_ms, fetch_offset, leader_end_offset, now_ms, self.fetch_ms, self._leader_end_offset
        )
        self.end_offset = fetch_offset
        self.broker_epoch = broker_epoch
        self._leader_end_offset = leader_end_offset
        self.fetch_ms = now_ms

    def lags(self, leader_end_offset: int, lag_time_max_ms: int, now_ms: int) -> bool:
        """Whether it has been behind for longer than replica.lag.time.max.ms (R6)."""
        return self.end_offset != leader_end_offset and now_ms - self.caught_up_ms > lag_time_max_ms


class Proposal:
    """A proposed ISR. `added` are its new members; it is empty when the ISR only shrinks.

    `members` are (broker id, broker epoch) pairs. The epochs are those of the fetches that made them eligible, and stay
    the same when the proposal is sent again.
    """

    __slots__ = ("added", "leader_epoch", "members", "must_send", "partition_epoch")

    def __init__(
        self, members: list[tuple[int, int]], added: tuple[int, ...], leader_epoch: int, partition_epoch: int
    ) -> None:
        self.members = members
        self.added = added
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.must_send = True

    def request(self, index: int) -> "AlterPartitionRequestPartitionData":
        """The proposal in AlterPartition v3. A leader that proposes has recovered (KIP-704)."""
        from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequestPartitionData, BrokerState

        return AlterPartitionRequestPartitionData(
            partition_index=index,
            leader_epoch=self.leader_epoch,
            new_isr_with_epochs=[BrokerState(member, epoch) for member, epoch in self.members],
            leader_recovery_state=RECOVERED,
            partition_epoch=self.partition_epoch,
        )


class InSync:
    """The ISR and the followers of one partition that this node has a replica of.

    `isr` and `partition_epoch` are committed by the controller, `start_offset` is the log end at which the leader epoch
    began (LESO), `min_isr` is already min(min.insync.replicas, replication factor).
    """

    __slots__ = (
        "_node_id", "_view", "followers", "isr", "leader_epoch", "min_isr", "partition_epoch", "pending", "replicas",
        "start_offset",
    )  # fmt: skip

    def __init__(self, node_id: int, view: "ClusterView") -> None:
        self._node_id = node_id
        self._view = view
        self.followers: dict[int, Follower] = {}
        self.replicas: tuple[int, ...] = ()
        self.isr: tuple[int, ...] = ()
        self.min_isr = 1
        self.leader_epoch = NO_PARTITION_LEADER_EPOCH
        self.partition_epoch = -1
        self.start_offset = 0
        self.pending: Proposal | None = None

    @property
    def maximal_isr(self) -> tuple[int, ...]:
        """The committed ISR and the members that an open proposal would add; a proposed shrink does not count (R3)."""
        return self.isr if self.pending is None else (*self.isr, *self.pending.added)

    # --- from the metadata log ---

    def apply(self, image: "PartitionImage", min_isr: int) -> None:
        """Take over the committed state. A newer partition epoch ends an open proposal (R7)."""
        if image.partition_epoch > self.partition_epoch or image.leader_epoch > self.leader_epoch:
            self.pending = None
        self.replicas = tuple(image.replicas)
        self.isr = tuple(image.isr)
        self.leader_epoch = image.leader_epoch
        self.partition_epoch = image.partition_epoch
        self.min_isr = min_isr

    def begin_epoch(self, start_offset: int, now: "Now") -> None:
        """Start leading: earlier fetches of followers no longer count (R5).

        A proposal of this same epoch stays open: the controller may still accept it.
        """
        self.start_offset = start_offset
        self.followers = {}
        self.set_followers(now)

    def set_followers(self, now: "Now") -> None:
        """Track all other replicas. A replica that was removed and added again starts anew (C8)."""
        known = self.followers
        self.followers = {
            replica: known.get(replica) or Follower(now.monotonic_ms if replica in self.isr else LONG_AGO)
            for replica in self.replicas
            if replica != self._node_id
        }

    # --- fetches of followers ---

    def is_stale(self, replica_id: int, broker_epoch: int) -> bool:
        """Whether a fetch is from an earlier incarnation of its broker than the metadata log knows (KIP-903)."""
        epoch = self._view.active_epoch(replica_id)
        return epoch is not None and NO_BROKER_EPOCH != broker_epoch < epoch

    def fetched(self, replica_id: int, fetch_offset: int, broker_epoch: int, log_end_offset: int, now: "Now") -> None:
        """Update a follower from a fetch that had our leader epoch and a log that agrees with ours (R8)."""
        self.followers[replica_id].fetched(fetch_offset, broker_epoch, log_end_offset, now.monotonic_ms)

    def have_all(self, log_end_offset: int) -> bool:
        """Whether the last fetch of each follower was at the log end."""
        return all(follower.end_offset == log_end_offset for follower in self.followers.values())

    def low_watermark(self, own_start_offset: int) -> int:
        """The lowest log start of this replica and of those on brokers that are not fenced (KIP-107)."""
        brokers = self._view.image.brokers
        starts = [
            follower.log_start_offset
            for replica, follower in self.followers.items()
            if replica in brokers and not brokers[replica].fenced
        ]
        return min([own_start_offset, *starts])

    # --- the high watermark ---

    def next_high_watermark(self, current: int, own_end_offset: int, log_end_offset: int, now: "Now") -> int:
        """The new high watermark (R4): the lowest log end of the maximal ISR and of the followers about to join it.

        `own_end_offset` is the leader's flushed end under flush.messages=1, else its log end.
        """
        if not self.followers:
            return next_high_watermark(current, own_end_offset, (), isr_size=len(self.isr), min_isr=self.min_isr)
        maximal = self.maximal_isr
        ends = [
            self.followers[member].end_offset if member in self.followers else UNKNOWN_OFFSET
            for member in maximal
            if member != self._node_id
        ]
        for replica, follower in self.followers.items():
            if replica not in maximal and self._is_about_to_join(replica, follower, log_end_offset, now):
                ends.append(follower.end_offset)
        return next_high_watermark(current, own_end_offset, ends, isr_size=len(self.isr), min_isr=self.min_isr)

    def _is_about_to_join(self, replica: int, follower: Follower, log_end_offset: int, now: "Now") -> bool:
        """Whether a follower outside the ISR is caught up and eligible: as in Kafka the high watermark waits for it,
        else it could never join while records arrive.
        """
        if follower.lags(log_end_offset, self._lag_ms(replica), now.monotonic_ms):
            return False
        return self._is_eligible(replica, follower)

    def _is_eligible(self, replica: int, follower: Follower) -> bool:
        return follower.broker_epoch == self._view.active_epoch(replica) and not self._view.is_full(replica)

    def _lag_ms(self, replica: int) -> int:
        """How long a replica may be behind."""
        lag_ms = self._view.lag_time_max_ms
        return min(lag_ms, FULL_LAG_MS) if self._view.is_full(replica) else lag_ms

    # --- proposals ---

    def may_join(self, replica: int, high_watermark: int) -> bool:
        """Whether a follower may be proposed (R5): it holds all committed records, those of earlier leaders included.

        Its fetches must be of this leader epoch and of the broker incarnation that the metadata log knows.
        """
        follower = self.followers.get(replica)
        if follower is None or replica in self.isr or not self._is_eligible(replica, follower):
            return False
        return follower.end_offset >= max(high_watermark, self.start_offset)

    def propose_expand(self, high_watermark: int) -> None:
        """Propose to add all followers that may join, unless a proposal is open."""
        if self.pending is None:
            joining = tuple(replica for replica in self.followers if self.may_join(replica, high_watermark))
            if joining:
                self._propose((*self.isr, *joining), joining)

    def propose_shrink(self, log_end_offset: int, now: "Now") -> None:
        """Propose to remove lagging members (R6), unless a proposal is open."""
        if self.pending is not None:
            return
        staying = tuple(
            member
            for member in self.isr
            if member == self._node_id or not self._lags(member, log_end_offset, now.monotonic_ms)
        )
        if len(staying) < len(self.isr):
            self._propose(staying, ())

    def propose_without(self, replica: int) -> None:
        """Propose to remove a follower, unless a proposal is open. Its fetches until now no longer count: it returns
        when it has fetched all records again.
        """
        if replica in self.followers and replica in self.isr and self.pending is None:
            self._propose(tuple(member for member in self.isr if member != replica), ())
            self.followers[replica] = Follower(LONG_AGO)

    def _lags(self, member: int, log_end_offset: int, now_ms: int) -> bool:
        follower = self.followers.get(member)
        return follower is not None and follower.lags(log_end_offset, self._lag_ms(member), now_ms)

    def _propose(self, isr: tuple[int, ...], added: tuple[int, ...]) -> None:
        members = [(member, self._evidence_epoch(member)) for member in sorted(isr)]
        self.pending = Proposal(members, added, self.leader_epoch, self.partition_epoch)

    def take_proposal(self) -> Proposal | None:
        """The proposal to send now, if any; marks it as sent."""
        pending = self.pending
        if pending is None or not pending.must_send:
            return None
        pending.must_send = False
        return pending

    def _evidence_epoch(self, member: int) -> int:
        """The broker epoch of a member's fetches; for a member without any, the one in the metadata, or -1."""
        follower = self.followers.get(member)
        if follower is not None:
            return follower.broker_epoch
        epoch = self._view.active_epoch(member)
        return NO_BROKER_EPOCH if epoch is None else epoch

    def failed(self, proposal: Proposal) -> None:
        """No response, or NOT_CONTROLLER: send the same proposal again (R7)."""
        proposal.must_send = True

    def answered(self, proposal: Proposal, answer: "AlterPartitionResponsePartitionData") -> bool:
        """Process the controller's response to a proposal (R7). Returns True if the committed ISR was updated.

        A smaller ISR counts once the metadata log has it, together with the min ISR that the controller used (C5).
        """
        if proposal is not self.pending:
            return False  # decided meanwhile
        if answer.error_code == errors.NONE:
            if answer.leader_epoch != self.leader_epoch or answer.partition_epoch < self.partition_epoch:
                return False
            if not set(self.isr) <= set(answer.isr):
                return False
            self.isr = tuple(answer.isr)
            self.partition_epoch = answer.partition_epoch
            self.pending = None
            return True
        if answer.error_code in _GIVES_UP:
            self.pending = None
        elif answer.error_code not in _WAITS_FOR_METADATA:
            self.failed(proposal)
        return False
