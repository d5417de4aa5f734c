"""The metadata log on disk, on top of the Log class that partitions use (Kafka's KafkaRaftLog)."""

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.internal.control_records import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    LeaderChangeMessageVoter,
    VotersRecord,
)
from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.replication.raft import checkpoint
from kafkacompat.replication.raft.batches import DamagedLogError, control_batch, decode, metadata_batch
from kafkacompat.replication.raft.messages import MAX_FETCH_BYTES
from kafkacompat.replication.raft.snapshots import BOOTSTRAP_ID, RawSnapshotWriter, Snapshots
from kafkacompat.replication.raft.voters import VoterHistory
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.protocol.records.batch import Buffer
    from kafkacompat.replication.raft.snapshots import SnapshotId
    from kafkacompat.replication.raft.voters import Voter
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.slices import Slice


class KafkaRaftLog:
    """A RaftLog. Methods raise LogError if the disk fails or a leader sent damaged batches.

    static_ids: the configured voters, in effect while the log contains no voter set. history: the voter sets in the
    log. own: this node as a voter.
    """

    __slots__ = ("_history", "_log", "_own", "_part", "_snapshots", "_static_ids")

    def __init__(
        self,
        log: "Log",
        snapshots: Snapshots,
        static_ids: "Iterable[int]",
        history: VoterHistory | None = None,
        own: "Voter | None" = None,
    ) -> None:
        self._log = log
        self._snapshots = snapshots
        self._part: RawSnapshotWriter | None = None
        self._static_ids = sorted(static_ids)
        self._history = history or VoterHistory()
        self._own = own

    @property
    def start_offset(self) -> int:
        return self._log.log_start_offset

    @property
    def end_offset(self) -> int:
        return self._log.log_end_offset

    @property
    def flushed_offset(self) -> int:
        return self._log.flushed_offset

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record; 0 if the log is empty, as in Kafka."""
        newest = self._snapshots.newest
        if newest is not None and newest[0] == self.end_offset:
            return newest[1]
        return max(0, self._log.epochs.epoch_at(self.end_offset - 1))

    def end_for(self, epoch: int) -> tuple[int, int]:
        """The largest epoch ≤ `epoch` in the log, and its end offset; (epoch, start offset) if there is none."""
        latest = self._log.epochs.latest
        if epoch >= latest >= 0:
            return latest, self.end_offset
        if latest < 0:
            return epoch, self.start_offset
        return self._log.epochs.end_offset_for(epoch, self.end_offset)

    def append_leader_change(self, epoch: int, leader_id: int, granted: tuple[int, ...], now: "Now") -> int:
        """Append Kafka's LeaderChange, which lists all voters and those that voted for the leader. Returns its offset.

        The voter set is appended with it if no record of the log contains it yet, or if this node's entry changed.
        """
        ids = self._static_ids if self.voters is None else sorted(voter.id for voter in self.voters)
        voters = [LeaderChangeMessageVoter(voter_id) for voter_id in ids]
        granting = [LeaderChangeMessageVoter(voter_id) for voter_id in granted]
        change = LeaderChangeMessage(leader_id=leader_id, voters=voters, granting_voters=granting)
        return self._append_control([change, *self._voter_records()], epoch, now)

    def _voter_records(self) -> "list[Message]":
        voters = self.voters
        if voters is None:
            return []
        own = self._own
        is_current = all(own is None or own.key != voter.key or own.is_equivalent_to(voter) for voter in voters)
        if is_current and self.voters_offset >= 0:
            return []
        current = [own if own is not None and own.key == voter.key else voter for voter in voters]
        return [KRaftVersionRecord(kraft_version=checkpoint.KRAFT_LEVEL), checkpoint.voters_record(current)]

    def _append_control(self, records: "Sequence[Message]", epoch: int, now: "Now") -> int:
        offset = self._append(control_batch(records, now.wall_ms, base_offset=self.end_offset, epoch=epoch), epoch, now)
        self._note_voters(offset, records)
        return offset

    @property
    def voters(self) -> "tuple[Voter, ...] | None":
        """The newest voter set in the log, committed or not; None if the log contains none."""
        return self._history.newest

    @property
    def voters_offset(self) -> int:
        """The offset of that set's record; below the log's first offset if the set came with a snapshot."""
        return self._history.offset

    def voters_at(self, offset: int) -> "tuple[Voter, ...] | None":
        """The voter set in effect after the record at this offset."""
        return self._history.at(offset)

    def append_voters(self, voters: "tuple[Voter, ...]", epoch: int, now: "Now") -> int:
        """Append a voter set. Returns the offset of its record. The first set comes after a KRaftVersion record."""
        is_first = self.voters is None
        records: list[Message] = [KRaftVersionRecord(kraft_version=checkpoint.KRAFT_LEVEL)] if is_first else []
        return self._append_control([*records, checkpoint.voters_record(voters)], epoch, now) + len(records)

    def _note_voters(self, offset: int, records: "Sequence[Message]") -> None:
        for n, record in enumerate(records):
            if isinstance(record, VotersRecord):
                self._history.add(offset + n, checkpoint.voters_of(record))

    def append_as_leader(self, values: "Sequence[bytes]", epoch: int, now: "Now") -> int:
        """Append a batch of records, each encoded by `batches.encode_record`. Returns the offset of the first."""
        return self._append(metadata_batch(values, now.wall_ms, base_offset=self.end_offset, epoch=epoch), epoch, now)

    def _append(self, batch: bytearray, epoch: int, now: "Now") -> int:
        info = self._log.append_as_leader(memoryview(batch), leader_epoch=epoch, now=now, internal=True)
        return info.first_offset

    def append_as_follower(self, records: "Buffer", epoch: int, now: "Now") -> None:
        """Append batches from the leader of `epoch`: intact ones with ascending offsets and epochs (§2.5 F5)."""
        offset = self.end_offset
        self._log.append_as_follower(memoryview(records), leader_epoch=epoch, now=now)
        view, at = memoryview(records), 0
        try:
            while offset < self.end_offset:
                header = read_header(view, at)
                if header.is_control:
                    self._note_voters(header.base_offset, decode(header, view, at).records)
                at, offset = at + header.size_bytes, header.next_offset
        except (DamagedLogError, RecordBatchError) as error:
            raise LogError(KAFKA_STORAGE_ERROR, f"the leader sent invalid control records: {error}") from error

    @property
    def start_epoch(self) -> int:
        """The epoch of the last record below `start_offset`, taken from the snapshot; 0 if there is none."""
        return max((epoch for end, epoch in self._snapshots.all if end <= self.start_offset), default=0)

    @property
    def snapshot_id(self) -> "SnapshotId | None":
        """The newest snapshot, apart from the bootstrap snapshot 0-0 with the first voters."""
        return self._snapshots.newest

    def snapshot_size(self, snapshot_id: "SnapshotId") -> int | None:
        """The size in bytes; None if there is no such snapshot. The bootstrap snapshot 0-0 is not served."""
        is_there = snapshot_id in self._snapshots.all and snapshot_id != BOOTSTRAP_ID
        return self._snapshots.size(snapshot_id) if is_there else None

    def read_snapshot(self, snapshot_id: "SnapshotId", position: int, max_bytes: int) -> bytes:
        """At most `max_bytes` of an existing snapshot, from `position` on."""
        return self._snapshots.read(snapshot_id, position, max(0, min(max_bytes, MAX_FETCH_BYTES)))

    def receive_snapshot(self, snapshot_id: "SnapshotId", position: int, data: "Buffer") -> None:
        """Store bytes of a leader's snapshot. Position 0 begins a new one and drops an unfinished one."""
        if position == 0:
            if self._part is not None:
                self._part.drop()
            self._part = self._snapshots.begin(snapshot_id)
        assert self._part is not None
        assert (self._part.id, self._part.size_bytes) == (snapshot_id, position)
        self._part.append(data)

    def load_snapshot(self, snapshot_id: "SnapshotId") -> None:
        """All bytes were received: make the snapshot durable, then restart the log at its end offset."""
        part, self._part = self._part, None
        assert part is not None
        part.finish()
        self._log.truncate_fully_and_start_at(snapshot_id[0])
        self._history = VoterHistory()
        try:
            for batch in checkpoint.read_control(self._snapshots.fs, self._snapshots.path(snapshot_id)):
                self._note_voters(snapshot_id[0] - len(batch.records), batch.records)
        except DamagedLogError as error:
            raise LogError(KAFKA_STORAGE_ERROR, f"{self._snapshots.path(snapshot_id)} is damaged: {error}") from error

    def truncate_to(self, offset: int) -> None:
        """Remove everything from `offset` on. The flushed records below stay flushed."""
        self._log.truncate_to(offset)
        self._history.truncate_to(offset)

    def read(self, offset: int, max_bytes: int = MAX_FETCH_BYTES) -> "Slice":
        """Batches from an offset on: at least one if there is any, and at most MAX_FETCH_BYTES."""
        limit = max(0, min(max_bytes, MAX_FETCH_BYTES))
        return self._log.read(offset, limit, end_offset=self.end_offset, at_least_one=True)
