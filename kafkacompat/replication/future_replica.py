"""A replica's copy in another log directory of its broker, until it takes its place (KIP-113).

It follows the current replica by the rules of a follower (KIP-101; Kafka's ``ReplicaAlterLogDirsThread``), whether that
leads or follows.
"""

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH
from kafkacompat.storage.first_batch import append_to_empty
from kafkacompat.storage.truncation import diverging_epoch, truncation_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.slices import Slice


class FutureReplica:
    """``log`` is the copy of ``partition.log``. ``compacted_offset``: up to where that was compacted before any of its
    records were copied; None: not known.
    """

    __slots__ = ("_partition", "compacted_offset", "log")

    def __init__(self, partition: "Partition", log: "Log", compacted_offset: int | None = None) -> None:
        self._partition = partition
        self.log = log
        self.compacted_offset = compacted_offset

    def lower_compacted_offset(self, offset: int) -> None:
        """Records from ``offset`` on may be others by now, which were never compacted."""
        if self.compacted_offset is not None:
            self.compacted_offset = min(self.compacted_offset, offset)

    @property
    def lag(self) -> int:
        """How many offsets it is behind; below 0 when the current replica was truncated."""
        return self._partition.log.log_end_offset - self.log.log_end_offset

    @property
    def is_caught_up(self) -> bool:
        """Whether both logs have the same records. Call ``align`` before.

        A kill may have set the current one's log start back: what was deleted before stays deleted here.
        """
        current = self._partition.log
        return self.lag == 0 and self.log.log_start_offset >= current.log_start_offset

    def align(self, now: "Now") -> bool:
        """Remove what the current replica does not have any more, at the end and at the beginning. Returns whether the
        log start has moved. Raises LogError.
        """
        log, current = self.log, self._partition.log
        while (offset := self._truncation_offset()) is not None:
            log.truncate_to(offset)
            self.lower_compacted_offset(offset)
        before = log.log_start_offset
        if not current.log_start_offset <= log.log_end_offset <= current.log_end_offset:
            log.truncate_fully_and_start_at(current.log_start_offset)
        elif log.log_start_offset < current.log_start_offset:
            log.delete_records_before(current.log_start_offset, now)
        return log.log_start_offset != before

    def _truncation_offset(self) -> int | None:
        """Where to truncate, None where this log is a part of the current one. Each truncation removes an epoch or
        records, so that a next look ends.
        """
        log, current = self.log, self._partition.log
        last_epoch = log.epochs.latest
        known = min(last_epoch, current.epochs.latest)  # the current replica may have lost an epoch at its end
        if known == NO_PARTITION_LEADER_EPOCH:
            return None if last_epoch == NO_PARTITION_LEADER_EPOCH else log.log_start_offset
        agreed = current.epochs.end_offset_for(known, current.log_end_offset)
        where = diverging_epoch(log.log_end_offset, last_epoch, agreed)
        if where is None:
            return None
        own = log.epochs.end_offset_for(where[0], log.log_end_offset)
        offset = truncation_offset(*where, own, log.log_end_offset)
        has_later_epoch = offset == log.log_end_offset and log.epochs.entries[-1][1] == offset
        return offset if offset < log.log_end_offset or has_later_epoch else None

    def read(self, max_bytes: int) -> "Slice":
        """What follows of the current replica: whole batches, at least one unless there is none. Raises LogError."""
        current = self._partition.log
        return current.read(
            self.log.log_end_offset, max_bytes, end_offset=current.log_end_offset, at_least_one=True, whole=True
        )

    def append(self, records: memoryview, now: "Now") -> None:
        """Append what was read, which must still be in the current replica. Raises LogError."""
        log, partition = self.log, self._partition
        leader_epoch = max(partition.leader_epoch, partition.log.epochs.latest)
        if log.log_start_offset == log.log_end_offset > 0:
            append_to_empty(log, records, leader_epoch=leader_epoch, now=now)
        else:
            log.append_as_follower(records, leader_epoch=leader_epoch, now=now)
        if log.producers.ended:
            log.producers.replicated_to(min(partition.high_watermark, log.log_end_offset))
