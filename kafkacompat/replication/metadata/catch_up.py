"""Applies records committed by another leader in steps, between which the node serves its clients."""

from kafkacompat.replication.metadata.delta import MetadataDelta
from kafkacompat.replication.metadata.log import Replay, behind_snapshot
from kafkacompat.replication.raft import checkpoint
from kafkacompat.replication.raft.batches import decode, decode_in_steps
from kafkacompat.steps import UNITS_PER_STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.replication.raft.snapshots import SnapshotId, Snapshots
    from kafkacompat.steps import Steps
    from kafkacompat.storage.log import Log


def catch_up(
    replay: "Replay",
    log: "Log",
    snapshots: "Snapshots",
    end_offset: int,
    on_snapshot: "Callable[[], None]",
    applied: "Callable[[int], None]",
) -> "Steps[None]":
    """Apply the log up to `end_offset`, beginning with the newest snapshot if the log starts after the image.

    `replay.image` advances after each whole batch. `on_snapshot()` is called before a snapshot is loaded, and
    `applied(size_bytes)` after each batch. The log is read again after each step, as it may have been restarted by a
    snapshot. Raises DamagedLogError, InvalidMetadataError, LogError, OSError.
    """
    while not log.is_closed and replay.image.offset + 1 < end_offset:
        newest = snapshots.newest
        if newest is not None and replay.image.offset + 1 < log.log_start_offset:
            on_snapshot()
            yield from _load(replay, snapshots, newest)
            continue
        units, large = 0, None
        for header, data in log.batches(replay.image.offset + 1, end_offset):
            if header.next_offset > end_offset:
                break
            if header.record_count > UNITS_PER_STEP:
                large = header, bytes(data)
                break
            replay.apply(decode(header, data))
            applied(header.size_bytes)
            units += header.record_count
            if units >= UNITS_PER_STEP:
                break
        if not units and large is None:
            return
        yield units
        if large is not None:
            yield from _apply_in_steps(replay, *large)
            applied(large[0].size_bytes)


def _apply_in_steps(replay: "Replay", header: "BatchHeader", data: bytes) -> "Steps[None]":
    """Apply a batch of many records."""
    batch = yield from decode_in_steps(header, data)
    if batch.is_control:
        replay.apply(batch)
        return
    delta = MetadataDelta(replay.image)
    for n, record in enumerate(batch.records, 1):
        delta.replay(record)
        if n % UNITS_PER_STEP == 0:
            yield UNITS_PER_STEP // 2
    replay.image = delta.finish(batch.last_offset, batch.epoch)


def _load(replay: "Replay", snapshots: "Snapshots", snapshot_id: "SnapshotId") -> "Steps[None]":
    """Restart from a snapshot."""
    fresh = Replay()
    for batch in checkpoint.read(snapshots.fs, snapshots.path(snapshot_id)):
        fresh.apply(batch)
        yield len(batch.records)
    behind_snapshot(fresh, snapshot_id)
    replay.image, replay.history = fresh.image, fresh.history
