"""The log of a replica of the quorum on disk, over the log that partitions have too (Kafka's KafkaRaftLog)."""

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
from kafkacompat.replication.raft.snapshots import BOOTSTRAP_ID, Part, Snapshots
from kafkacompat.replication.raft.voters import VoterHistory
from kafkacompat.storage.errors import KAFKA_STORAGE_ERROR, LogError

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
    """A RaftLog. What is more than a property raises LogError: the disk fails, or a leader sent damaged batches.

    static_ids: who votes where the log says nothing of it; `history` is what it says. `own` is this node as a voter.
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
        self._part: Part | None = None
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
        """Of the last record, 0 if there is none: that is what Kafka's members say of an empty log."""
        newest = self._snapshots.newest
        if newest is not None and newest[0] == self.end_offset:
            return newest[1]
        return max(0, self._log.epochs.epoch_at(self.end_offset - 1))

    def end_for(self, epoch: int) -> tuple[int, int]:
        """The largest epoch here that is not above `epoch`, and where it ends; (epoch, start) if all are above."""
        latest = self._log.epochs.latest
        if epoch >= latest >= 0:
            return latest, self.end_offset
        if latest < 0:
            return epoch, self.start_offset
        return self._log.epochs.end_offset_for(epoch, self.end_offset)

    def append_leader_change(self, epoch: int, leader_id: int, granted: tuple[int, ...], now: "Now") -> int:
        """Append Kafka's LeaderChange, which names all voters and those who voted for the leader; its offset.

        Who votes follows where the log's records do not say it yet, or say of this node what is no more so.
        """
        ids = self._static_ids if self.voters is None else sorted(voter.id for voter in self.voters)
        voters = [LeaderChangeMessageVoter(voter_id) for voter_id in ids]
        granting = [LeaderChangeMessageVoter(voter_id) for voter_id in granted]
        change = LeaderChangeMessage(leader_id=leader_id, voters=voters, granting_voters=granting)
        return self._append_control([change, *self._news_of_voters()], epoch, now)

    def _news_of_voters(self) -> "list[Message]":
        voters = self.voters
        if voters is None:
            return []
        own = self._own
        is_so = all(own is None or own.key != voter.key or own.says_the_same_as(voter) for voter in voters)
        if is_so and self.voters_offset >= 0:
            return []
        now = [own if own is not None and own.key == voter.key else voter for voter in voters]
        return [KRaftVersionRecord(kraft_version=checkpoint.KRAFT_LEVEL), checkpoint.voters_record(now)]

    def _append_control(self, records: "Sequence[Message]", epoch: int, now: "Now") -> int:
        offset = self._append(control_batch(records, now.wall_ms, base_offset=self.end_offset, epoch=epoch), epoch, now)
        self._note_voters(offset, records)
        return offset

    @property
    def voters(self) -> "tuple[Voter, ...] | None":
        """The newest voter set, committed or not; None where the log says nothing of voters."""
        return self._history.newest

    @property
    def voters_offset(self) -> int:
        """Of the record with that set; below every offset where it came before the first record."""
        return self._history.offset

    def voters_at(self, offset: int) -> "tuple[Voter, ...] | None":
        """Who votes by the record at this offset and those before it."""
        return self._history.at(offset)

    def append_voters(self, voters: "tuple[Voter, ...]", epoch: int, now: "Now") -> int:
        """Append a voter set; the offset of its record. The first one follows a record of its own (kraft.version 1)."""
        is_first = self.voters is None
        records: list[Message] = [KRaftVersionRecord(kraft_version=checkpoint.KRAFT_LEVEL)] if is_first else []
        return self._append_control([*records, checkpoint.voters_record(voters)], epoch, now) + len(records)

    def _note_voters(self, offset: int, records: "Sequence[Message]") -> None:
        for n, record in enumerate(records):
            if isinstance(record, VotersRecord):
                self._history.add(offset + n, checkpoint.voters_of(record))

    def append_as_leader(self, values: "Sequence[bytes]", epoch: int, now: "Now") -> int:
        """Append a batch of records, each encoded by `batches.encode_record`; the offset of the first."""
        return self._append(metadata_batch(values, now.wall_ms, base_offset=self.end_offset, epoch=epoch), epoch, now)

    def _append(self, batch: bytearray, epoch: int, now: "Now") -> int:
        info = self._log.append_as_leader(memoryview(batch), leader_epoch=epoch, now=now, internal=True)
        return info.first_offset

    def append_as_follower(self, records: "Buffer", epoch: int, now: "Now") -> None:
        """Append what the leader of `epoch` sent: sound, and with offsets and epochs that ascend (§2.5 F5)."""
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
            raise LogError(KAFKA_STORAGE_ERROR, f"the leader sent control records that cannot be: {error}") from error

    @property
    def start_epoch(self) -> int:
        """The epoch of the last record below the start, which a snapshot has; 0 if there is none."""
        return max((epoch for end, epoch in self._snapshots.all if end <= self.start_offset), default=0)

    @property
    def snapshot_id(self) -> "SnapshotId | None":
        """Of the newest snapshot, that of the voters before the first record aside."""
        return self._snapshots.newest

    def snapshot_size(self, snapshot_id: "SnapshotId") -> int | None:
        """In bytes; None if there is no such snapshot. The voters before the first record are not for others."""
        is_there = snapshot_id in self._snapshots.all and snapshot_id != BOOTSTRAP_ID
        return self._snapshots.size(snapshot_id) if is_there else None

    def read_snapshot(self, snapshot_id: "SnapshotId", position: int, max_bytes: int) -> bytes:
        """Bytes of a snapshot that is there."""
        return self._snapshots.read(snapshot_id, position, max(0, min(max_bytes, MAX_FETCH_BYTES)))

    def receive_snapshot(self, snapshot_id: "SnapshotId", position: int, data: "Buffer") -> None:
        """Take bytes of a leader's snapshot; position 0 begins it, and ends whatever was begun before."""
        if position == 0:
            if self._part is not None:
                self._part.drop()
            self._part = self._snapshots.begin(snapshot_id)
        assert self._part is not None
        assert (self._part.id, self._part.size_bytes) == (snapshot_id, position)
        self._part.append(data)

    def load_snapshot(self, snapshot_id: "SnapshotId") -> None:
        """All bytes are there: make the snapshot durable, then begin the log anew at its end."""
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
        """Cut everything from `offset` on. What was flushed below it stays flushed."""
        self._log.truncate_to(offset)
        self._history.cut(offset)

    def read(self, offset: int, max_bytes: int = MAX_FETCH_BYTES) -> "Slice":
        """Batches from an offset on, at least one where there is one, and no more than an answer may carry."""
        limit = max(0, min(max_bytes, MAX_FETCH_BYTES))
        return self._log.read(offset, limit, end_offset=self.end_offset, at_least_one=True)
