"""Fill a log from its directory: at once after a clean stop, and by reading what may be torn after any other.

What lies before the recovery point was flushed and is trusted. From the segment that holds it, each batch is read:
length, magic, checksum, ascending offsets, epochs that never fall. The log ends before the first batch that fails; what
follows is cut and reported, as in Kafka's ``LogLoader``. Indexes, producers and epochs are rebuilt on the way.
"""

import logging

from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError, check_crc
from kafkacompat.storage import scan
from kafkacompat.storage.leftovers import clean_up
from kafkacompat.storage.producer_replay import rebuild_producers, replay
from kafkacompat.storage.segment import LOG_SUFFIX, SNAPSHOT_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.segment import Segment

NAME_DIGITS = 20
_log = logging.getLogger(__name__)


class Cut:
    """Bytes that recovery removed: from ``position`` of the file at ``path`` on, and why."""

    __slots__ = ("path", "position", "reason", "size_bytes")

    def __init__(self, path: str, position: int, size_bytes: int, reason: str) -> None:
        self.path = path
        self.position = position
        self.size_bytes = size_bytes
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: cut {self.size_bytes} bytes at {self.position}: {self.reason}"


class Recovery:
    """What was read again after an unclean stop, and what was cut."""

    __slots__ = ("cuts", "scanned_bytes", "start_offset")

    def __init__(self, start_offset: int) -> None:
        self.start_offset = start_offset
        self.scanned_bytes = 0
        self.cuts: list[Cut] = []


def load(log: "Log", *, recovery_point: int, log_start_offset: int, clean: bool, now: "Now") -> None:
    """Fill the empty ``log`` from its directory. Raises OSError."""
    names = clean_up(log.fs, log.path)
    for base_offset in offsets_in(names, LOG_SUFFIX):
        size_bytes = log.fs.size(f"{log.path}/{base_offset:020d}{LOG_SUFFIX}")
        log.segments.add(base_offset, size_bytes, log.config, now.wall_ms)
    log.segments.snapshots.offsets = offsets_in(names, SNAPSHOT_SUFFIX)
    first_offset = log.segments.all[0].base_offset if log.segments.all else 0
    log.log_start_offset = max(log_start_offset, first_offset)
    if not log.segments.all:
        log.log_end_offset = log.flushed_offset = log.log_start_offset
        log.producers.clear(log.log_end_offset)
        return
    if clean:
        _load_clean(log, recovery_point)
    else:
        _recover(log, recovery_point, now)
    if log.log_end_offset < log.log_start_offset:
        _log.warning("%s ends at %d, before its start %d: emptied", log.path, log.log_end_offset, log.log_start_offset)
        log.truncate_fully_and_start_at(log.log_start_offset)
    log.epochs.truncate_from_end(log.log_end_offset)
    log.epochs.truncate_from_start(log.log_start_offset)


def offsets_in(names: list[str], suffix: str) -> list[int]:
    """The offsets that name files with ``suffix``, ascending. Other names are left alone."""
    stems = [name[: -len(suffix)] for name in names if name.endswith(suffix)]
    return sorted(int(stem) for stem in stems if len(stem) == NAME_DIGITS and stem.isascii() and stem.isdigit())


def _load_clean(log: "Log", recovery_point: int) -> None:
    active = log.segments.all[-1]
    if recovery_point in log.segments.snapshots.offsets and recovery_point >= max(
        active.base_offset, log.segments.snapshots.offsets[-1]
    ):
        log.log_end_offset = recovery_point
    else:
        log.log_end_offset = active.read_next_offset()
    active.load()
    log.flushed_offset = log.log_end_offset
    rebuild_producers(log, log.log_end_offset)


def _recover(log: "Log", recovery_point: int, now: "Now") -> None:
    slot = len(log.segments.all) - 1
    while slot and log.segments.all[slot].base_offset > recovery_point:
        slot -= 1
    start_offset = log.segments.all[slot].base_offset
    log.recovery = Recovery(start_offset)
    log.segments.snapshots.remove_above(start_offset)
    log.log_end_offset = start_offset
    rebuild_producers(log, max(start_offset, log.log_start_offset))
    log.producers.end_offset = start_offset
    last_epoch = -1
    for segment in log.segments.all[slot:]:
        last_epoch, fault = _recover_segment(log, segment, last_epoch)
        if fault:
            _drop_segments_behind(log, segment, fault)
            break
    for segment in log.segments.all[slot:-1]:
        segment.seal()
    log.flushed_offset = min(recovery_point, log.log_end_offset)
    log.segments.snapshots.write(log.producers)
    if log.flushed_offset < log.log_end_offset:
        log.unflushed_since_ms = now.monotonic_ms
        if log.flusher is not None:
            log.flusher.request(log, None)


def _recover_segment(log: "Log", segment: "Segment", last_epoch: int) -> tuple[int, str]:
    """Read all batches of a segment, build its state, and cut it before the first bad one.

    Answers the epoch of the last good one, and what was wrong with the bad one ("" when all are good).
    """
    assert log.recovery is not None
    segment.reset_indexes()
    end = 0
    expected = max(segment.base_offset, log.log_end_offset)
    fault = ""
    try:
        for position, header, batch in scan.batches(segment.file.open(), 0, segment.size_bytes):
            fault = _fault(header, batch, expected, last_epoch)
            if fault:
                break
            _take(log, segment, position, header, batch)
            end = position + header.size_bytes
            expected = header.next_offset
            last_epoch = header.leader_epoch
    except RecordBatchError as error:
        fault = str(error)
    if end < segment.size_bytes:
        fault = fault or "the last batch is not whole"
        _cut(log, segment.file.path, end, segment.size_bytes - end, fault)
        segment.file.open().truncate(end)
        segment.size_bytes = end
    log.recovery.scanned_bytes += end
    log.log_end_offset = log.producers.end_offset = expected
    return last_epoch, fault


def _fault(header: BatchHeader, batch: memoryview, expected: int, last_epoch: int) -> str:
    """What is wrong with a batch found at recovery, "" when nothing is."""
    if not check_crc(batch, 0, header.size_bytes):
        return "wrong checksum"
    if header.base_offset < expected:  # the checksum covers neither offset nor epoch
        return f"base offset {header.base_offset} where at least {expected} belongs"
    if header.last_offset_delta < 0:
        return f"last offset delta {header.last_offset_delta}"
    if header.leader_epoch < last_epoch:
        return f"leader epoch {header.leader_epoch} after {last_epoch}"
    return ""


def _take(log: "Log", segment: "Segment", position: int, header: BatchHeader, batch: memoryview) -> None:
    """Take a good batch into the indexes, the epochs and the producers' state."""
    segment.note_batch(position, header.size_bytes, header.last_offset, header.max_timestamp)
    if header.leader_epoch > log.epochs.latest:
        log.epochs.assign(header.leader_epoch, header.base_offset)
    replay(log.producers, segment.txn_index, header, batch)


def _drop_segments_behind(log: "Log", segment: "Segment", fault: str) -> None:
    """Nothing behind a cut can be trusted to follow it."""
    while log.segments.all[-1] is not segment:
        last = log.segments.all[-1]
        _cut(log, last.file.path, 0, last.size_bytes, f"it follows a segment that was cut ({fault})")
        log.segments.remove_last()


def _cut(log: "Log", path: str, position: int, size_bytes: int, reason: str) -> None:
    assert log.recovery is not None
    cut = Cut(path, position, size_bytes, reason)
    log.recovery.cuts.append(cut)
    _log.warning("%s", cut)
