"""One partition on this node: appends, reads, and which records are committed.

A state machine that owns its log and its high watermark. Its inputs are the metadata image, appends and fetches; it
never reads a clock. The leader's view of its followers is in `in_sync.py`, the follower's side in `following.py`; the
rules are the same for one replica and for many.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL, LONG_MAX, NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.high_watermark import effective_min_isr
from kafkacompat.replication.in_sync import InSync
from kafkacompat.replication.metadata.image import NO_LEADER, RECOVERING
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.reserve import is_shortage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
    from kafkacompat.protocol.messages.fetch import FetchPartition, PartitionData
    from kafkacompat.replication.following import Following
    from kafkacompat.replication.in_sync import Proposal
    from kafkacompat.replication.metadata.image import PartitionImage
    from kafkacompat.storage.append_info import AppendInfo
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.recompress import Recompression
    from kafkacompat.storage.slices import Slice
    from kafkacompat.storage.verification_entries import VerificationEntry

READ_COMMITTED = 1

# Effects of operations on a partition, as a set of bits: the broker carries them out after the operation.
NO_EFFECTS = 0
HIGH_WATERMARK_MOVED = 1
LOG_START_MOVED = 2
LOW_WATERMARK_MOVED = 4
"""A leader has learned a follower's new log start."""
APPENDED = 8
"""A leader has new records for its followers."""
FOLLOWER_IS_BEHIND = 16
"""A follower has fetched from below the leader's log end."""
PROPOSED = 32
"""`take_proposal` has a proposal for the controller."""
STOPPED_FOLLOWING = 64
"""A follower has failed: it fetches and serves nothing any more."""


class Traffic:
    """What clients have written to and read from a replica since its log was opened, for metrics. Each count is for
    what Kafka's BrokerTopicMetrics count for its topic.
    """

    __slots__ = (
        "bytes_in", "bytes_out", "failed_fetch_requests", "failed_produce_requests", "fetch_requests", "messages_in",
        "produce_requests",
    )  # fmt: skip

    def __init__(self) -> None:
        self.messages_in = self.bytes_in = self.bytes_out = 0
        self.produce_requests = self.failed_produce_requests = 0
        self.fetch_requests = self.failed_fetch_requests = 0


class Partition:
    """A replica of one partition.

    `watch_key` is its key in the purgatory: requests that wait for its high watermark wait for this key. `effects` are
    those of its operations that are not carried out yet (`broker/replicas/partition_events.py`). `view` is what the
    broker knows of the cluster. `failure` says why this replica serves nothing any more (F4). `future_log`: a copy
    of its log in another directory, which will replace it.
    """

    __slots__ = (
        "_keeps_committed", "_next_ticket", "_view", "effects", "failure", "following", "future_log", "high_watermark",
        "in_sync", "index", "leader", "leader_epoch", "leader_epoch_start_offset", "log", "node_id", "topic",
        "topic_id", "traffic", "watch_key",
    )  # fmt: skip

    def __init__(
        self,
        topic: str,
        index: int,
        topic_id: bytes,
        node_id: int,
        log: "Log",
        high_watermark: int,
        view: ClusterView | None = None,
    ) -> None:
        self.topic = topic
        self.index = index
        self.topic_id = topic_id
        self.watch_key = (topic, index)
        self.node_id = node_id
        self.log = log
        # a checkpoint may be older or newer than what recovery left of the log
        self.high_watermark = min(max(high_watermark, log.log_start_offset), log.log_end_offset)
        log.producers.replicated_to(self.high_watermark)
        self.leader = NO_LEADER
        self.leader_epoch = NO_PARTITION_LEADER_EPOCH
        self.leader_epoch_start_offset = log.log_end_offset
        self._view = view or ClusterView()
        self.in_sync = InSync(node_id, self._view)
        self.following: Following | None = None
        self._next_ticket = 0
        self.failure: str | None = None
        self._keeps_committed = False  # it has failed because the leader lacks records committed here
        self.future_log: Log | None = None
        self.effects = NO_EFFECTS
        self.traffic = Traffic()

    @property
    def is_leader(self) -> bool:
        """Whether this node leads the partition in the newest epoch it knows."""
        return self.leader == self.node_id

    @property
    def replicas(self) -> tuple[int, ...]:
        """All brokers that are assigned a replica."""
        return self.in_sync.replicas

    @property
    def isr(self) -> tuple[int, ...]:
        """The in-sync replicas that the controller has committed."""
        return self.in_sync.isr

    @property
    def log_start_offset(self) -> int:
        """The first offset that may be read."""
        return self.log.log_start_offset

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self.log.log_end_offset

    @property
    def last_stable_offset(self) -> int:
        """The end for read_committed: the high watermark, or the start of the first open transaction below it."""
        return self.log.producers.last_stable_offset(self.high_watermark, self.log.log_start_offset)

    def apply(self, image: "PartitionImage", min_insync_replicas: int, now: "Now") -> None:
        """Take the role from the metadata log. An older partition epoch is ignored."""
        in_sync = self.in_sync
        if image.partition_epoch < in_sync.partition_epoch:
            return
        begins = image.leader_epoch > self.leader_epoch or not self.is_leader
        in_sync.apply(image, effective_min_isr(min_insync_replicas, len(image.replicas)))
        stays = self.node_id in image.replicas and image.leader_epoch == self.leader_epoch
        self.leader = image.leader
        self.leader_epoch = image.leader_epoch
        if self.is_leader:
            self._stop_following()
            if begins:
                self._begin_epoch(now)
            else:
                in_sync.set_followers(now)
            self.advance_high_watermark(now)
        elif self.following is None or not stays:
            if self._keeps_committed and self.log.config.unclean_leader_election_enable:
                self.failure, self._keeps_committed = None, False  # an operator accepts the loss
            self._follow(is_unclean=self._may_have_lost(image))

    def _may_have_lost(self, image: "PartitionImage") -> bool:
        """Whether an unclean election since our last record may have lost committed records. The leader may be
        RECOVERED by now, if this broker was down or skipped the images in between.
        """
        return image.recovery_state == RECOVERING or image.unclean_epoch > self.log.epochs.latest

    def _begin_epoch(self, now: "Now") -> None:
        """Lead (R10): record the start of the epoch even if no record follows, and keep our high watermark."""
        self.leader_epoch_start_offset = self.log.log_end_offset
        self.in_sync.begin_epoch(self.leader_epoch_start_offset, now)
        try:
            self.log.epochs.assign(self.leader_epoch, self.leader_epoch_start_offset)
        except OSError as error:
            if not is_shortage(error):  # the first append assigns the epoch, too
                self.log.fail(error)

    def _follow(self, *, is_unclean: bool) -> None:
        """Follow the leader of this epoch, if there is one."""
        self._stop_following()
        if self.leader != NO_LEADER and self.node_id in self.replicas and self.failure is None:
            from kafkacompat.replication.following import Following  # a lone broker never needs it

            name = f"{self.topic}-{self.index}"
            self.following = Following(
                name, self.log, self.leader, self.leader_epoch, self._next_ticket, is_unclean=is_unclean
            )

    def _stop_following(self) -> None:
        """Stop following; the tickets of earlier fetches become invalid (F1)."""
        if self.following is not None:
            self._next_ticket = self.following.next_ticket
            self.following = None

    def resign(self) -> None:
        """Give up the role until the metadata log assigns one again: this broker has to register again (C4)."""
        self.leader = NO_LEADER
        self._follow(is_unclean=False)

    @property
    def has_failed(self) -> bool:
        """Whether this replica serves nothing any more; it proposes no ISR changes, either."""
        return self.failure is not None or self.log.offline

    def fail(self, reason: str) -> None:
        """Stop serving and following until the next start."""
        self.failure, self._keeps_committed = reason, False
        self._stop_following()

    def leader_error(self, current_leader_epoch: int = NO_PARTITION_LEADER_EPOCH, *, needs_leader: bool = True) -> int:
        """NONE if we may serve a client that knows `current_leader_epoch` (-1: unknown).

        `needs_leader`: only the leader may serve it; consumers may also read from followers (KIP-392).
        """
        if current_leader_epoch != NO_PARTITION_LEADER_EPOCH:
            if current_leader_epoch < self.leader_epoch:
                return errors.FENCED_LEADER_EPOCH
            if current_leader_epoch > self.leader_epoch:
                return errors.UNKNOWN_LEADER_EPOCH
        if self.failure is not None or self.log.failure is not None:  # `has_failed`, inlined: each fetch comes here
            return errors.KAFKA_STORAGE_ERROR
        return errors.NONE if not needs_leader or self.leader == self.node_id else errors.NOT_LEADER_OR_FOLLOWER

    @property
    def commits_at_once(self) -> bool:
        """Whether records are committed when `append` returns: no other replica and no sync is needed."""
        never_syncs = self.log.config.flush_messages == LONG_MAX
        return never_syncs and self.leader == self.node_id and len(self.in_sync.replicas) == 1

    def append(
        self,
        records: memoryview,
        acks: int,
        now: "Now",
        *,
        internal: bool = False,
        recompression: "Recompression | None" = None,
        guard: "VerificationEntry | None" = None,
        transaction_version: int = 0,
    ) -> "AppendInfo":
        """Append a producer's batch (R1). Offsets and leader epoch are written into the buffer. `recompression`,
        `guard`, `transaction_version`: as in `Log.append_as_leader`.

        Raises LogError with NOT_LEADER_OR_FOLLOWER or NOT_ENOUGH_REPLICAS (nothing was written), or as Log does.
        """
        error = self.leader_error()
        if error != errors.NONE:
            raise LogError(error, f"this broker does not lead {self.topic}-{self.index}")
        if self._view.refuses(acks, now):
            raise LogError(errors.NOT_LEADER_OR_FOLLOWER, f"{self.topic}-{self.index} may be led elsewhere by now")
        in_sync = self.in_sync
        if acks == ACKS_ALL and len(in_sync.isr) < in_sync.min_isr:
            raise LogError(
                errors.NOT_ENOUGH_REPLICAS,
                f"The size of the current ISR {list(in_sync.isr)} is insufficient to satisfy the min.isr requirement "
                f"of {in_sync.min_isr} for partition {self.topic}-{self.index}",
            )
        info = self.log.append_as_leader(
            records, leader_epoch=self.leader_epoch, now=now, internal=internal, recompression=recompression,
            guard=guard, transaction_version=transaction_version,
        )  # fmt: skip
        traffic = self.traffic
        traffic.produce_requests += 1
        traffic.bytes_in += len(records)
        traffic.messages_in += info.last_offset - info.first_offset + 1
        self.advance_high_watermark(now)
        if in_sync.followers:
            self.effects |= APPENDED
        return info

    def ack_error(self, last_offset: int, acks: int, now: "Now", *, needs_sync: bool) -> int | None:
        """The error code for an append that ended at `last_offset` (R2); None while it must wait.

        `needs_sync`: flush.messages requires a sync first. After NOT_ENOUGH_REPLICAS_AFTER_APPEND the records may or
        may not be committed.
        """
        if self.has_failed:
            return errors.KAFKA_STORAGE_ERROR
        if not self.is_leader:
            return errors.NOT_LEADER_OR_FOLLOWER
        if needs_sync and self.log.flushed_offset <= last_offset:
            return None
        if acks != ACKS_ALL:  # leadership may have moved while it waited for the disk (§2.6)
            return errors.NOT_LEADER_OR_FOLLOWER if self._view.refuses(acks, now) else errors.NONE
        if self.high_watermark <= last_offset:
            return None
        is_enough = len(self.in_sync.maximal_isr) >= self.in_sync.min_isr
        return errors.NONE if is_enough else errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    @property
    def awaits_sync(self) -> bool:
        """Whether a sync would commit more: records recovered after a crash may be only in the page cache.

        A truncation must be durable before records are written after it.
        """
        is_behind = self.log.config.flush_messages == 1 and self.log.flushed_offset < self.log.log_end_offset
        return is_behind or self.log.has_unflushed_truncation

    def advance_high_watermark(self, now: "Now") -> bool:
        """Apply R4 as the leader. Returns True if the high watermark moved. A follower takes its leader's."""
        if not self.is_leader:
            return False
        log_end = self.log.log_end_offset
        own_end = self.log.flushed_offset if self.log.config.flush_messages == 1 else log_end
        moved_to = self.in_sync.next_high_watermark(self.high_watermark, own_end, log_end, now)
        if moved_to == self.high_watermark:
            return False
        self.high_watermark = moved_to
        if (producers := self.log.producers).ended:
            producers.replicated_to(moved_to)
        self.effects |= HIGH_WATERMARK_MOVED
        return True

    def readable_end_offset(self, isolation_level: int) -> int:
        """The offset below which a consumer may read (R9)."""
        return self.last_stable_offset if isolation_level == READ_COMMITTED else self.high_watermark

    def read(self, offset: int, max_bytes: int, isolation_level: int, now: "Now", *, at_least_one: bool) -> "Slice":
        """Committed batches from the one that holds `offset`; empty at the end. Raises LogError.

        Beyond its log end, a leader with an expired lease raises NOT_LEADER_OR_FOLLOWER where Kafka has
        OFFSET_OUT_OF_RANGE: another broker may lead and hold the offset, and many clients would reset theirs.
        """
        if offset > self.log.log_end_offset and self.is_leader and self._view.is_lease_expired(now):
            raise LogError(errors.NOT_LEADER_OR_FOLLOWER, f"{self.topic}-{self.index} may be led elsewhere by now")
        return self.log.read(
            offset, max_bytes, end_offset=self.readable_end_offset(isolation_level), at_least_one=at_least_one
        )

    def delete_records_before(self, offset: int, now: "Now") -> int:
        """Move the log start up to `offset` (-1: the high watermark) and return it. Raises
        LogError(OFFSET_OUT_OF_RANGE).
        """
        target = self.high_watermark if offset == UNKNOWN_OFFSET else offset
        if target < 0 or target > self.high_watermark:
            raise LogError(
                errors.OFFSET_OUT_OF_RANGE,
                f"{self.topic}-{self.index} has no committed offset {target}, only those below {self.high_watermark}",
            )
        before = self.log.log_start_offset
        self.log.delete_records_before(target, now)
        if self.log.log_start_offset != before:
            self.effects |= LOG_START_MOVED
        return self.log.log_start_offset

    def delete_segments(self, count: int, now: "Now") -> None:
        """Remove the oldest segments, whose records are all committed (`Log.delete_segments`). Raises LogError."""
        before = self.log.log_start_offset
        self.log.delete_segments(count, now)
        if self.log.log_start_offset != before:
            self.effects |= LOG_START_MOVED

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest epoch not above `leader_epoch`; (-1, -1) when there is none (KIP-101,
        KIP-279).
        """
        if leader_epoch == self.leader_epoch:
            return leader_epoch, self.log.log_end_offset
        return self.log.epochs.end_offset_for(leader_epoch, self.log.log_end_offset)

    # As the leader of followers

    @property
    def low_watermark(self) -> int:
        """The offset below which all live replicas have deleted records (KIP-107), a future one of this broker, too; -1
        while one is unknown.
        """
        low_watermark = self.in_sync.low_watermark(self.log.log_start_offset)
        return low_watermark if self.future_log is None else min(low_watermark, self.future_log.log_start_offset)

    def future_start_moved(self) -> None:
        """Records were deleted from the future replica."""
        self.effects |= LOW_WATERMARK_MOVED

    def end_future(self) -> None:
        """There is no future replica any more."""
        self.future_log = None
        self.effects |= LOW_WATERMARK_MOVED

    def replace_log(self, log: "Log") -> None:
        """The future replica's log, with the same records, takes the place of this one's."""
        assert log.log_end_offset == self.log.log_end_offset
        if log.log_start_offset > self.log.log_start_offset:
            self.effects |= LOG_START_MOVED
        self.log = log
        if self.high_watermark < log.log_start_offset:  # only replicated records are deleted
            self.high_watermark = log.log_start_offset
            self.effects |= HIGH_WATERMARK_MOVED
        if self.following is not None:
            self.following.replace_log(log)

    def read_for_follower(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> "Slice":
        """Whole batches up to the log end (R9): followers append only whole ones. Raises LogError."""
        log = self.log
        return log.read(offset, max_bytes, end_offset=log.log_end_offset, at_least_one=at_least_one, whole=True)

    def follower_fetched(self, replica_id: int, fetch_offset: int, broker_epoch: int, now: "Now") -> None:
        """A follower whose log agrees with ours holds all records below `fetch_offset` (R8): it may join the ISR, and
        the high watermark may move.
        """
        self.in_sync.fetched(replica_id, fetch_offset, broker_epoch, self.log.log_end_offset, now)
        if fetch_offset < self.log.log_end_offset:
            self.effects |= FOLLOWER_IS_BEHIND
        if not self._view.is_lease_expired(now):
            self.in_sync.propose_expand(self.high_watermark)
            self._announce_proposal()
        self.advance_high_watermark(now)

    def follower_starts_at(self, replica_id: int, log_start_offset: int) -> None:
        """Record a follower's log start."""
        follower = self.in_sync.followers[replica_id]
        if follower.log_start_offset != log_start_offset:
            follower.log_start_offset = log_start_offset
            self.effects |= LOW_WATERMARK_MOVED

    def _announce_proposal(self) -> None:
        pending = self.in_sync.pending
        if pending is not None and pending.must_send:
            self.effects |= PROPOSED

    def check_lag(self, now: "Now") -> None:
        """Propose to remove lagging members (R6); called every half replica.lag.time.max.ms."""
        if self.is_leader and not self.has_failed and not self._view.is_lease_expired(now):
            self.in_sync.propose_shrink(self.log.log_end_offset, now)
            self._announce_proposal()
        self.advance_high_watermark(now)

    def remove_from_isr(self, replica_id: int) -> None:
        """Propose an ISR without this replica, whether it lags or not, for tests."""
        self.in_sync.propose_without(replica_id)
        self._announce_proposal()

    @property
    def may_lag(self) -> bool:
        """Whether `check_lag` may find something; if not, it has nothing to do until a follower falls behind."""
        if not self.is_leader:
            return False
        return self.in_sync.pending is not None or not self.in_sync.have_all(self.log.log_end_offset)

    def take_proposal(self) -> "Proposal | None":
        """The change of the in-sync set to send to the controller now, if there is one."""
        return self.in_sync.take_proposal() if self.is_leader and not self.has_failed else None

    def proposal_answered(
        self, proposal: "Proposal", answer: "AlterPartitionResponsePartitionData", now: "Now"
    ) -> None:
        """Process the controller's response to a proposal (R7)."""
        if self.in_sync.answered(proposal, answer):
            self.advance_high_watermark(now)

    # As a follower

    def next_fetch(self, max_bytes: int) -> "tuple[int, FetchPartition] | None":
        """A ticket and the fetch to send to the leader; None while one is in flight, or without a leader."""
        following = self.following
        if following is None or not following.may_fetch:
            return None
        return following.next_fetch(self.index, max_bytes)

    def fetch_answered(self, ticket: int, answer: "PartitionData", now: "Now") -> str | None:
        """Process the leader's response. Returns what to do next (`following.py`), or None for an outdated one."""
        following = self.following
        if following is None or not following.close(ticket):
            return None
        log_start_offset = self.log.log_start_offset
        outcome, high_watermark = following.process(answer, self.high_watermark, now)
        return self._followed(following, outcome, high_watermark, log_start_offset)

    def leader_starts_at(self, leader_epoch: int, offset: int, now: "Now") -> str | None:
        """The leader's log starts at `offset`: the answer to FIND_START. What to do next; None if outdated."""
        following = self.following
        if following is None or following.leader_epoch != leader_epoch or following.open_ticket is not None:
            return None
        log_start_offset = self.log.log_start_offset
        outcome, high_watermark = following.restart(offset, self.high_watermark, now)
        return self._followed(following, outcome, high_watermark, log_start_offset)

    def _followed(self, following: "Following", outcome: str, high_watermark: int, old_log_start_offset: int) -> str:
        if high_watermark != self.high_watermark:
            self.high_watermark = high_watermark
            self.log.producers.replicated_to(high_watermark)
            self.effects |= HIGH_WATERMARK_MOVED
        if self.log.log_start_offset != old_log_start_offset:
            self.effects |= LOG_START_MOVED
        if following.has_stopped:
            self.failure, self.following = following.failure, None
            self._keeps_committed = self.failure is not None
            self.effects |= STOPPED_FOLLOWING
        return outcome

    def fetch_failed(self, ticket: int) -> bool:
        """No response will come. Returns True if that fetch was in flight, so that another is due."""
        return self.following is not None and self.following.close(ticket)
