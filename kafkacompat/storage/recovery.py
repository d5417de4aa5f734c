"""Fill a log from its directory: at once after a clean stop, and by reading what may be torn after any other.

What lies before the recovery point was flushed and is trusted. From the segment that holds it, each batch is read:
length, magic, checksum, ascending offsets, epochs that never fall. The log ends before the first batch that fails; what
follows is cut and reported, as in Kafka's ``LogLoader``. Indexes, producers and epochs are rebuilt on the way.
"""

import logging

from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError, check_crc
from kafkacompat.storage import scan
from kafkacompat.storage.background import SEGMENT_SYNC
from kafkacompat.storage.flush import flush_now
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET
from kafkacompat.storage.leftovers import clean_up
from kafkacompat.storage.producer_replay import rebuild_producers, replay
from kafkacompat.storage.segment import LOG_SUFFIX, SNAPSHOT_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.segment import Segment

NAME_DIGITS = 20
MAX_PARTIAL_BYTES = 16 * 1024 * 1024  #: more than that is not looked through for good batches
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

    __slots__ = ("cuts", "keeps_gap", "scanned_bytes", "start_offset")

    def __init__(self, start_offset: int) -> None:
        self.start_offset = start_offset
        self.keeps_gap = False
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
    log.epochs.hold()  # who dies while the file is written again must not trust it
    lacks_epochs = _lacks_epochs(log, clean=clean)
    if not log.segments.all:
        log.log_end_offset = log.flushed_offset = log.log_start_offset
        log.producers.clear(log.log_end_offset)
    elif clean and not lacks_epochs:
        _load_clean(log, recovery_point)
    else:
        try:
            _recover(log, recovery_point, now, reads_all=lacks_epochs)
        except _UnsoundError:
            _recover(log, recovery_point, now, reads_all=lacks_epochs, trusts=False)
    if log.log_end_offset < log.log_start_offset:
        _log.warning("%s ends at %d, before its start %d: emptied", log.path, log.log_end_offset, log.log_start_offset)
        log.owner.losing(log)
        log.truncate_fully_and_start_at(log.log_start_offset)
        log.segments.unsynced += log.segments.snapshots.write(log.producers)
    log.segments.remove_stray_snapshots()
    log.epochs.truncate_from_start(log.log_start_offset)
    # of a log without records the last epoch is known still
    log.epochs.truncate_from_end(max(log.log_end_offset, log.log_start_offset + 1))
    log.epochs.write()
    if log.recovery is not None and log.recovery.keeps_gap:
        flush_now(log)
        log.owner.keeping_gap(log)


def _lacks_epochs(log: "Log", *, clean: bool) -> bool:
    """Whether batches are here whose epochs are not: their file is lost, empty as a crash leaves it, or knows of a log
    start that the checkpoint does not.
    """
    if not any(segment.size_bytes for segment in log.segments.all):
        return False
    entries = log.epochs.entries
    return not entries or (not clean and entries[0][1] > log.log_start_offset)


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
    active.grow()
    log.flushed_offset = log.log_end_offset
    rebuild_producers(log, log.log_end_offset)


class _UnsoundError(Exception):
    """A segment that was flushed long ago is damaged."""


def _recover(log: "Log", recovery_point: int, now: "Now", *, reads_all: bool, trusts: bool = True) -> None:
    """Of segments that are durable the indexes are kept: a crash while they are written anew would spoil them, and the
    next start could not know. Raises _UnsoundError, before anything is cut, when such a one is bad; not without
    ``trusts``.
    """
    unsure = len(log.segments.all) - 1
    while unsure and log.segments.all[unsure].base_offset >= recovery_point:
        unsure -= 1  # of a segment that ends at the recovery point the indexes may not be durable
    slot = 0 if reads_all else unsure
    start_offset = log.segments.all[slot].base_offset
    log.recovery = Recovery(start_offset)
    log.segments.snapshots.remove_above(start_offset)
    log.epochs.truncate_from_end(start_offset)
    log.log_end_offset = start_offset
    rebuild_producers(log, start_offset)  # what lies behind it is not yet known to be sound
    last_epoch = -1
    before = log.segments.all[slot]
    for place, segment in enumerate(log.segments.all[slot:], slot):
        fault = _gap(log, segment, recovery_point)
        if not fault:
            before = segment
            is_sound = trusts and place < unsure
            last_epoch, fault = _recover_segment(log, segment, last_epoch, is_sound=is_sound)
        if fault:
            _drop_segments_behind(log, before, fault)
            break
        log.segments.unsynced += log.segments.snapshots.write(log.producers)  # the next recovery begins with it
    for segment in log.segments.all[unsure if trusts else slot : -1]:
        log.segments.unsynced += segment.seal()
        segment.drop_indexes()
    log.flushed_offset = min(recovery_point, log.log_end_offset)
    log.segments.unsynced += log.segments.snapshots.write(log.producers)
    if log.flushed_offset < log.log_end_offset:
        log.unflushed_since_ms = now.monotonic_ms
        for segment in log.segments.from_offset(log.flushed_offset):
            segment.synced_bytes = 0
        if log.flusher is not None:
            log.flusher.request(log, work_class=SEGMENT_SYNC)


def _gap(log: "Log", segment: "Segment", recovery_point: int) -> str:
    """What is wrong when records are missing before a segment, "" when nothing is, or nobody can tell.

    Compaction leaves such gaps, also in a log that is not compacted any more (F5). So does a loss of power that finds a
    segment on disk and the end of the one before it not: behind the recovery point, in a log that we have written.
    """
    assert log.recovery is not None
    if segment.base_offset <= log.log_end_offset:
        return ""
    missing = f"the records from {log.log_end_offset} to {segment.base_offset} are missing"
    if log.log_end_offset >= recovery_point:
        log.owner.losing(log)
        if log.owner.has_lost_power:
            return missing
        log.recovery.keeps_gap = True
    if "compact" not in log.config.cleanup_policy:
        _log.warning("%s: %s, which compaction may have removed; what follows is kept", log.path, missing)
    return ""


def _recover_segment(log: "Log", segment: "Segment", last_epoch: int, *, is_sound: bool) -> tuple[int, str]:
    """Read all batches of a segment, build its state, and cut it before the first bad one. Of one that ``is_sound``
    the indexes are kept, and nothing is cut.

    Answers the epoch of the last good one, and what was wrong with the bad one ("" when all are good).
    """
    assert log.recovery is not None
    if not is_sound:
        segment.reset_indexes()
    end = 0
    expected = max(segment.base_offset, log.log_end_offset)
    fault = ""
    try:
        for position, header, batch in scan.batches(segment.file.open(), 0, segment.size_bytes):
            fault = _fault(header, batch, expected, segment.base_offset + MAX_RELATIVE_OFFSET, last_epoch)
            if fault:
                break
            _take(log, None if is_sound else segment, position, header, batch)
            end = position + header.size_bytes
            expected = header.next_offset
            last_epoch = header.leader_epoch
    except RecordBatchError as error:
        fault = str(error)
    if end < segment.size_bytes:
        if is_sound:
            raise _UnsoundError
        if fault or segment is not log.segments.all[-1] or _hides_batches(segment, end, expected):
            log.owner.losing(log)
        fault = fault or "the last batch is not whole"
        _cut(log, segment.file.path, end, segment.size_bytes - end, fault)
        segment.file.open().truncate(end)
        segment.size_bytes = end
    log.recovery.scanned_bytes += end
    log.log_end_offset = log.producers.end_offset = expected
    return last_epoch, fault


def _hides_batches(segment: "Segment", position: int, offset: int) -> bool:
    """Whether the rest of a segment, which should be one batch that is not whole, holds good ones: its length lies."""
    size_bytes = segment.size_bytes - position
    return size_bytes > MAX_PARTIAL_BYTES or scan.holds_later_batch(
        segment.file.open().pread(position, size_bytes), offset
    )


def _fault(header: BatchHeader, batch: memoryview, expected: int, limit: int, last_epoch: int) -> str:
    """What is wrong with a batch found at recovery, "" when nothing is."""
    if not check_crc(batch, 0, header.size_bytes):
        return "wrong checksum"
    if header.base_offset < expected:  # the checksum covers neither offset nor epoch
        return f"base offset {header.base_offset} where at least {expected} belongs"
    if header.last_offset_delta < 0:
        return f"last offset delta {header.last_offset_delta}"
    if header.last_offset > limit:
        return f"last offset {header.last_offset} where at most {limit} fits into the segment"
    if header.leader_epoch < last_epoch:
        return f"leader epoch {header.leader_epoch} after {last_epoch}"
    return ""


def _take(log: "Log", segment: "Segment | None", position: int, header: BatchHeader, batch: memoryview) -> None:
    """Take a good batch into the indexes of its segment, the epochs and the producers' state."""
    if segment is not None:
        segment.note_batch(position, header.size_bytes, header.last_offset, header.max_timestamp)
    if header.leader_epoch > log.epochs.latest:
        log.epochs.assign(header.leader_epoch, header.base_offset)
    replay(log.producers, None if segment is None else segment.txn_index, header, batch)


def _drop_segments_behind(log: "Log", segment: "Segment", fault: str) -> None:
    """Nothing behind a cut, or behind a gap, can be trusted to follow it."""
    while log.segments.all[-1] is not segment:
        last = log.segments.all[-1]
        _cut(log, last.file.path, 0, last.size_bytes, f"it does not follow {segment.file.path} ({fault})")
        log.segments.remove_last()


def _cut(log: "Log", path: str, position: int, size_bytes: int, reason: str) -> None:
    assert log.recovery is not None
    cut = Cut(path, position, size_bytes, reason)
    log.recovery.cuts.append(cut)
    _log.warning("%s", cut)
