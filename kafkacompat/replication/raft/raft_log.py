"""The log of a replica of the quorum, as RaftClient uses it (Kafka's RaftLog)."""

from typing import Any, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.snapshots import SnapshotId
    from kafkacompat.replication.raft.voters import Voter


class RaftLog(Protocol):
    """A synchronous log. Ends are exclusive; everything below `flushed_offset` is durable."""

    @property
    def start_offset(self) -> int: ...
    @property
    def end_offset(self) -> int: ...
    @property
    def flushed_offset(self) -> int: ...
    @property
    def last_epoch(self) -> int:
        """The epoch of the last record; 0 if there is none."""

    def end_for(self, epoch: int) -> tuple[int, int]:
        """The largest epoch here that is not above `epoch`, and where it ends; (epoch, start) if all are above."""

    def append_leader_change(self, epoch: int, leader_id: int, granted: tuple[int, ...], now: "Now") -> int:
        """Append the control record that begins an epoch; its offset."""

    @property
    def voters(self) -> "tuple[Voter, ...] | None":
        """The newest voter set in the log, committed or not; None where it says nothing of voters."""

    @property
    def voters_offset(self) -> int:
        """Of the record with that set; below every offset where it came before the first record."""

    def voters_at(self, offset: int) -> "tuple[Voter, ...] | None":
        """The voter set by the record at this offset and those before it."""

    def append_voters(self, voters: "tuple[Voter, ...]", epoch: int, now: "Now") -> int:
        """Append a voter set as the leader; the offset of its record."""

    def append_as_leader(self, values: Any, epoch: int, now: "Now") -> int:
        """Append a batch; the offset of its first record."""

    def append_as_follower(self, records: Any, epoch: int, now: "Now") -> None:
        """Append what the leader of `epoch` sent (§2.5 F5)."""

    @property
    def start_epoch(self) -> int:
        """The epoch of the last record below `start_offset`, which a snapshot has; 0 if there is none."""

    @property
    def snapshot_id(self) -> "SnapshotId | None":
        """End offset and epoch of the newest snapshot, None if there is none: it replaces the log below."""

    def snapshot_size(self, snapshot_id: "SnapshotId") -> int | None:
        """In bytes; None if there is no such snapshot."""

    def read_snapshot(self, snapshot_id: "SnapshotId", position: int, max_bytes: int) -> bytes:
        """Bytes of a snapshot that is there."""

    def receive_snapshot(self, snapshot_id: "SnapshotId", position: int, data: Any) -> None:
        """Take bytes of a leader's snapshot; position 0 begins it, and ends whatever was begun before."""

    def load_snapshot(self, snapshot_id: "SnapshotId") -> None:
        """All bytes are there: make the snapshot durable, then begin the log anew at its end."""

    def truncate_to(self, offset: int) -> None:
        """Cut everything from `offset` on. What was flushed below it stays flushed."""

    def read(self, offset: int, max_bytes: int) -> Any:
        """Records from an offset on, at least one; about `max_bytes` at most. Something false if there are none."""
