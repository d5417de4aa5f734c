"""One partition on this node: may it append, what may be read, which records are committed.

The machine owns its log and its high watermark. It is told of its role by the metadata image, of data by append, and
never reads a clock. Followers come with replication between brokers; the rules are written for a replica set already,
and today's set has one member.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.high_watermark import effective_min_isr, next_high_watermark
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import PartitionImage
    from kafkacompat.storage.append_info import AppendInfo
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.slices import Slice

NO_EPOCH = -1
ACKS_ALL = -1
NEVER = 2**63 - 1  # flush.messages by default: the kernel decides when to write
READ_COMMITTED = 1


class Partition:
    """A replica of one partition.

    `watch_key` names it in the purgatory: whoever waits for its log end or high watermark waits for that key.
    `on_high_watermark` is called as `(partition, now)` when the high watermark has moved.
    """

    __slots__ = (
        "_min_isr", "high_watermark", "index", "isr", "leader", "leader_epoch", "leader_epoch_start_offset", "log",
        "node_id", "on_high_watermark", "partition_epoch", "replicas", "topic", "topic_id", "watch_key",
    )  # fmt: skip

    def __init__(self, topic: str, index: int, topic_id: bytes, node_id: int, log: "Log", high_watermark: int) -> None:
        self.topic = topic
        self.index = index
        self.topic_id = topic_id
        self.watch_key = (topic, index)
        self.node_id = node_id
        self.log = log
        # a checkpoint may be older or newer than what recovery left of the log
        self.high_watermark = min(max(high_watermark, log.log_start_offset), log.log_end_offset)
        self.leader = NO_LEADER
        self.leader_epoch = NO_EPOCH
        self.partition_epoch = NO_EPOCH
        self.leader_epoch_start_offset = log.log_end_offset
        self.replicas: tuple[int, ...] = ()
        self.isr: tuple[int, ...] = ()
        self._min_isr = 1
        self.on_high_watermark: Callable[[Partition, Now], None] | None = None

    @property
    def is_leader(self) -> bool:
        """Whether this node leads the partition in the newest epoch it knows."""
        return self.leader == self.node_id

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
        """The end of what read_committed may see: the high watermark, or the first open transaction below it."""
        return self.log.producers.last_stable_offset(self.high_watermark)

    def apply(self, image: "PartitionImage", min_insync_replicas: int, now: "Now") -> None:
        """Take the role that the metadata log gives us. An older partition epoch is ignored."""
        if image.partition_epoch < self.partition_epoch:
            return
        new_epoch = image.leader_epoch > self.leader_epoch
        self.replicas = tuple(image.replicas)
        self.isr = tuple(image.isr)
        self.leader = image.leader
        self.leader_epoch = image.leader_epoch
        self.partition_epoch = image.partition_epoch
        self._min_isr = effective_min_isr(min_insync_replicas, len(self.replicas))
        if self.is_leader:
            if new_epoch:  # R10: the epoch has a start even if no record follows
                self.leader_epoch_start_offset = self.log.log_end_offset
                try:
                    self.log.epochs.assign(self.leader_epoch, self.leader_epoch_start_offset)
                except OSError as error:
                    self.log.fail(error)
            self.advance_high_watermark(now)

    def leader_error(self, current_leader_epoch: int = NO_EPOCH) -> int:
        """NONE if we may serve as leader to a client that believes in `current_leader_epoch` (-1: it does not say)."""
        if current_leader_epoch != NO_EPOCH:
            if current_leader_epoch < self.leader_epoch:
                return errors.FENCED_LEADER_EPOCH
            if current_leader_epoch > self.leader_epoch:
                return errors.UNKNOWN_LEADER_EPOCH
        if self.log.offline:
            return errors.KAFKA_STORAGE_ERROR
        return errors.NONE if self.is_leader else errors.NOT_LEADER_OR_FOLLOWER

    @property
    def commits_at_once(self) -> bool:
        """Whether what is appended is committed when append returns: no other replica and no sync is waited for."""
        never_syncs = self.log.config.flush_messages == NEVER
        return never_syncs and self.leader == self.node_id and len(self.isr) == 1 == self._min_isr

    def append(self, records: memoryview, acks: int, now: "Now", *, internal: bool = False) -> "AppendInfo":
        """Append a producer's batch (R1). The buffer is ours: offsets and epoch are stamped into it.

        Raises LogError with NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS (nothing was written) and all that Log raises.
        """
        error = self.leader_error()
        if error != errors.NONE:
            raise LogError(error, f"{self.topic}-{self.index} is not led here")
        if acks == ACKS_ALL and len(self.isr) < self._min_isr:
            raise LogError(
                errors.NOT_ENOUGH_REPLICAS,
                f"The size of the current ISR {list(self.isr)} is insufficient to satisfy the min.isr requirement of "
                f"{self._min_isr} for partition {self.topic}-{self.index}",
            )
        info = self.log.append_as_leader(records, leader_epoch=self.leader_epoch, now=now, internal=internal)
        self.advance_high_watermark(now)
        return info

    def ack_error(self, last_offset: int, acks: int, *, needs_sync: bool) -> int | None:
        """What to answer an append that ended at `last_offset` (R2); None while it must wait.

        `needs_sync`: flush.messages asks for a sync before the append counts.
        """
        if self.log.offline:
            return errors.KAFKA_STORAGE_ERROR
        if not self.is_leader:
            return errors.NOT_LEADER_OR_FOLLOWER
        if needs_sync and self.log.flushed_offset <= last_offset:
            return None
        if acks != ACKS_ALL:
            return errors.NONE
        if self.high_watermark <= last_offset:
            return None
        return errors.NONE if len(self.isr) >= self._min_isr else errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    @property
    def awaits_sync(self) -> bool:
        """Whether a sync would commit more: what was recovered after a crash may be in the kernel's hands only."""
        return self.log.config.flush_messages == 1 and self.log.flushed_offset < self.log.log_end_offset

    def advance_high_watermark(self, now: "Now") -> bool:
        """Apply R4 and tell whether the high watermark moved."""
        own_end = self.log.flushed_offset if self.log.config.flush_messages == 1 else self.log.log_end_offset
        moved_to = next_high_watermark(self.high_watermark, own_end, (), isr_size=len(self.isr), min_isr=self._min_isr)
        if moved_to == self.high_watermark:
            return False
        self.high_watermark = moved_to
        if self.on_high_watermark is not None:
            self.on_high_watermark(self, now)
        return True

    def readable_end_offset(self, isolation_level: int) -> int:
        """The offset below which a consumer may read (R9)."""
        return self.last_stable_offset if isolation_level == READ_COMMITTED else self.high_watermark

    def read(self, offset: int, max_bytes: int, isolation_level: int, *, at_least_one: bool) -> "Slice":
        """Committed batches from the one that holds `offset`; empty at the end. Raises
        LogError(OFFSET_OUT_OF_RANGE).
        """
        return self.log.read(
            offset, max_bytes, end_offset=self.readable_end_offset(isolation_level), at_least_one=at_least_one
        )

    def delete_records_before(self, offset: int, now: "Now") -> int:
        """Move the log start up to `offset` (-1: the high watermark) and return it. Raises
        LogError(OFFSET_OUT_OF_RANGE).
        """
        target = self.high_watermark if offset == -1 else offset
        if target < 0 or target > self.high_watermark:
            raise LogError(
                errors.OFFSET_OUT_OF_RANGE,
                f"{self.topic}-{self.index} has no committed offset {target}, only those below {self.high_watermark}",
            )
        self.log.delete_records_before(target, now)
        return self.log.log_start_offset

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest epoch not above `leader_epoch`; (-1, -1) when there is none (KIP-101,
        KIP-279).
        """
        if leader_epoch == self.leader_epoch:
            return leader_epoch, self.log.log_end_offset
        return self.log.epochs.end_offset_for(leader_epoch, self.log.log_end_offset)
