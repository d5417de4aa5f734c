"""The log of a replica of the quorum, as RaftClient uses it (Kafka's RaftLog)."""

from typing import Any, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.snapshots import SnapshotId
    from kafkacompat.replication.raft.voters import Voter


class RaftLog(Protocol):
    """A synchronous log. End offsets are exclusive; everything below `flushed_offset` is durable."""

    @property
    def start_offset(self) -> int: ...
    @property
    def end_offset(self) -> int: ...
    @property
    def flushed_offset(self) -> int: ...
    @property
    def last_epoch(self) -> int:
        """The epoch of the last record; 0 if the log is empty."""

    def end_for(self, epoch: int) -> tuple[int, int]:
        """The largest epoch ≤ `epoch` in the log, and its end offset; (epoch, start offset) if there is none."""

    def append_leader_change(self, epoch: int, leader_id: int, granted: tuple[int, ...], now: "Now") -> int:
        """Append the control record that begins an epoch. Returns its offset."""

    @property
    def voters(self) -> "tuple[Voter, ...] | None":
        """The newest voter set in the log, committed or not; None if the log contains none."""

    @property
    def voters_offset(self) -> int:
        """The offset of that set's record; below the log's first offset if the set came with a snapshot."""

    def voters_at(self, offset: int) -> "tuple[Voter, ...] | None":
        """The voter set in effect after the record at this offset."""

    def append_voters(self, voters: "tuple[Voter, ...]", epoch: int, now: "Now") -> int:
        """Append a voter set as the leader. Returns the offset of its record."""

    def append_as_leader(self, values: Any, epoch: int, now: "Now") -> int:
        """Append a batch. Returns the offset of its first record."""

    def append_as_follower(self, records: Any, epoch: int, now: "Now") -> None:
        """Append records from the leader of `epoch` (§2.5 F5)."""

    @property
    def start_epoch(self) -> int:
        """The epoch of the last record below `start_offset`, taken from the snapshot; 0 if there is none."""

    @property
    def snapshot_id(self) -> "SnapshotId | None":
        """End offset and epoch of the newest snapshot, which replaces the log below; None if there is none."""

    def snapshot_size(self, snapshot_id: "SnapshotId") -> int | None:
        """The size in bytes; None if there is no such snapshot."""

    def read_snapshot(self, snapshot_id: "SnapshotId", position: int, max_bytes: int) -> bytes:
        """At most `max_bytes` of an existing snapshot, from `position` on."""

    def receive_snapshot(self, snapshot_id: "SnapshotId", position: int, data: Any) -> None:
        """Store bytes of a leader's snapshot. Position 0 begins a new one and drops an unfinished one."""

    def load_snapshot(self, snapshot_id: "SnapshotId") -> None:
        """All bytes were received: make the snapshot durable, then restart the log at its end offset."""

    def truncate_to(self, offset: int) -> None:
        """Remove everything from `offset` on. The flushed records below stay flushed."""

    def read(self, offset: int, max_bytes: int) -> Any:
        """Records from an offset on: at least one, then up to about `max_bytes`. A false value if there are none."""
