"""Loading a log's directory: at once after a clean stop, else by checking the batches that may be torn.

Records before the recovery point were flushed and are trusted. From the segment that holds it, each batch is checked:
length, magic, checksum, ascending offsets, epochs that never fall. The log is truncated before the first bad batch, and
that is reported, as in Kafka's ``LogLoader``. Indexes, producer state and epochs are rebuilt on the way.
"""

import logging

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError, check_crc
from kafkacompat.protocol.records.old_format import is_old_message
from kafkacompat.storage import scan
from kafkacompat.storage.checkpoints import CheckpointError
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.partition_dir import check_topic_id
from kafkacompat.storage.producer_replay import rebuild_producers, replay
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.segment import LOG_SUFFIX, SNAPSHOT_SUFFIX, TXN_INDEX_SUFFIX
from kafkacompat.storage.segments import Segments
from kafkacompat.storage.swap_files import clean_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.storage.files import FileCache
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.owner import LogOwner
    from kafkacompat.storage.segment import Segment

NAME_DIGITS = 20
MAX_PARTIAL_BYTES = 16 * 1024 * 1024  #: more than that is not searched for good batches
_log = logging.getLogger(__name__)


class Truncation:
    """Bytes that recovery removed: from ``position`` of the file at ``path`` on, and why."""

    __slots__ = ("path", "position", "reason", "size_bytes")

    def __init__(self, path: str, position: int, size_bytes: int, reason: str) -> None:
        self.path = path
        self.position = position
        self.size_bytes = size_bytes
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: truncated to {self.position} bytes, {self.size_bytes} removed: {self.reason}"


class Recovery:
    """What was read again after an unclean stop, and what was removed."""

    __slots__ = ("keeps_gap", "scanned_bytes", "start_offset", "truncations")

    def __init__(self, start_offset: int) -> None:
        self.start_offset = start_offset
        self.keeps_gap = False
        self.scanned_bytes = 0
        self.truncations: list[Truncation] = []


class Recovered:
    """What is in a log's directory. Records below ``flushed_offset`` are durable; ``recovery`` is None after a clean
    stop. The log may end before the start that the checkpoint names: then it has to be emptied.
    """

    __slots__ = (
        "config", "epochs", "flushed_offset", "fs", "log_end_offset", "log_start_offset", "owner", "path", "producers",
        "recovery", "segments",
    )  # fmt: skip

    def __init__(
        self, fs: "Fs", files: "FileCache", path: str, config: "TopicConfig", owner: "LogOwner", epochs: LeaderEpochs
    ) -> None:
        self.fs = fs
        self.path = path
        self.config = config
        self.owner = owner
        self.segments = Segments(fs, files, path)
        self.epochs = epochs
        self.producers = ProducerState()
        self.log_start_offset = 0
        self.log_end_offset = 0
        self.flushed_offset = 0
        self.recovery: Recovery | None = None

    def rebuild_producers(self, end_offset: int) -> None:
        """See ``rebuild_producers``. Raises LogError and OSError."""
        self.producers = rebuild_producers(self.segments.snapshots, self._batches, self.log_start_offset, end_offset)

    def _batches(self, offset: int, end_offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        try:
            yield from self.segments.batches(offset, end_offset)
        except OSError as error:
            raise LogError(KAFKA_STORAGE_ERROR, f"{self.path}: {error}") from error


def _read_epochs(fs: "Fs", path: str) -> LeaderEpochs:
    try:
        return LeaderEpochs.load(fs, path)
    except CheckpointError as error:
        _log.warning("reading the whole log again to rebuild its epochs: %s", error)
        return LeaderEpochs(fs, path)


def load(
    fs: "Fs",
    files: "FileCache",
    path: str,
    config: "TopicConfig",
    owner: "LogOwner",
    *,
    topic_id: bytes,
    recovery_point: int,
    log_start_offset: int,
    clean: bool,
    now: "Now",
) -> Recovered:
    """What is in the directory at ``path``, which is made where there is none. Raises LogError, OSError.

    Epochs are held: their file stays as it was until ``LeaderEpochs.write``.
    """
    is_new, epochs_path = not fs.exists(path), f"{path}/{EPOCHS_FILE}"
    fs.mkdir(path)
    written = check_topic_id(fs, path, topic_id)
    epochs = LeaderEpochs(fs, epochs_path) if is_new else _read_epochs(fs, epochs_path)
    found = Recovered(fs, files, path, config, owner, epochs)
    segments = found.segments
    segments.unsynced += written
    names = [] if is_new else clean_up(fs, path)
    for base_offset in offsets_in(names, LOG_SUFFIX):
        size_bytes = fs.size(f"{path}/{base_offset:020d}{LOG_SUFFIX}")
        segments.add(base_offset, size_bytes, config, now.wall_ms)
    segments.snapshots.offsets = offsets_in(names, SNAPSHOT_SUFFIX)
    if aborted_from := offsets_in(names, TXN_INDEX_SUFFIX):
        with_log = {segment.base_offset for segment in segments.all}
        segments.aborted.base_offsets = [offset for offset in aborted_from if offset in with_log]
    first_offset = segments.all[0].base_offset if segments.all else 0
    found.log_start_offset = max(log_start_offset, first_offset)
    found.epochs.hold()  # a crash while the file is rewritten must not leave a file that looks complete
    lacks_epochs = _lacks_epochs(found, clean=clean)
    if not segments.all:
        found.log_end_offset = found.flushed_offset = found.log_start_offset
        found.producers.clear(found.log_end_offset)
    elif clean and not lacks_epochs:
        _load_clean(found, recovery_point)
    else:
        try:
            _recover(found, recovery_point, reads_all=lacks_epochs)
        except _UnsoundError:
            _recover(found, recovery_point, reads_all=lacks_epochs, trusts=False)
    return found


def _lacks_epochs(found: Recovered, *, clean: bool) -> bool:
    """Whether epochs of existing batches are missing: their file is lost, left empty by a crash, or has a later log
    start than the checkpoint.
    """
    if not any(segment.size_bytes for segment in found.segments.all):
        return False
    entries = found.epochs.entries
    return not entries or (not clean and entries[0][1] > found.log_start_offset)


def offsets_in(names: list[str], suffix: str) -> list[int]:
    """The offsets that name files with ``suffix``, ascending. Other names are left alone."""
    stems = [name[: -len(suffix)] for name in names if name.endswith(suffix)]
    return sorted(int(stem) for stem in stems if len(stem) == NAME_DIGITS and stem.isascii() and stem.isdigit())


def _load_clean(found: Recovered, recovery_point: int) -> None:
    active = found.segments.all[-1]
    if recovery_point in found.segments.snapshots.offsets and recovery_point >= max(
        active.base_offset, found.segments.snapshots.offsets[-1]
    ):
        found.log_end_offset = recovery_point
    else:
        found.log_end_offset = active.read_next_offset()
    active.grow()
    found.flushed_offset = found.log_end_offset
    found.rebuild_producers(found.log_end_offset)


class _UnsoundError(Exception):
    """A segment that was flushed long ago is damaged."""


def _recover(found: Recovered, recovery_point: int, *, reads_all: bool, trusts: bool = True) -> None:
    """Check segments and rebuild state. Indexes of durable segments are kept: a crash while they are rewritten would
    spoil them, and the next start could not know. Raises _UnsoundError, before anything is removed, if a durable
    segment is bad; with ``trusts`` false all indexes are rebuilt instead.
    """
    unsure = len(found.segments.all) - 1
    while unsure and found.segments.all[unsure].base_offset >= recovery_point:
        unsure -= 1  # of a segment that ends at the recovery point the indexes may not be durable
    slot = 0 if reads_all else unsure
    start_offset = found.segments.all[slot].base_offset
    found.recovery = Recovery(start_offset)
    found.segments.snapshots.remove_above(start_offset)
    is_empty = len(found.segments.all) == 1 and not found.segments.all[0].size_bytes
    found.epochs.truncate_from_end(start_offset + 1 if is_empty else start_offset)  # an empty log keeps its last epoch
    found.log_end_offset = start_offset
    found.rebuild_producers(start_offset)  # what lies behind it is not yet known to be sound
    last_epoch = NO_PARTITION_LEADER_EPOCH
    before = found.segments.all[slot]
    for place, segment in enumerate(found.segments.all[slot:], slot):
        fault = _gap(found, segment, recovery_point)
        if not fault:
            before = segment
            is_sound = trusts and place < unsure
            last_epoch, fault = _recover_segment(found, segment, last_epoch, is_sound=is_sound)
        if fault:
            _drop_segments_behind(found, before, fault)
            break
        found.segments.unsynced += found.segments.snapshots.write(found.producers)  # the next recovery begins with it
    for segment in found.segments.all[unsure if trusts else slot : -1]:
        found.segments.unsynced += segment.seal()
        segment.drop_indexes()
    found.flushed_offset = min(recovery_point, found.log_end_offset)
    found.segments.unsynced += found.segments.snapshots.write(found.producers)
    if found.flushed_offset < found.log_end_offset:
        for segment in found.segments.from_offset(found.flushed_offset):
            segment.synced_bytes = 0


def _gap(found: Recovered, segment: "Segment", recovery_point: int) -> str:
    """Why the log has to end before a segment because records are missing there; "" if it may go on.

    Compaction leaves such gaps, also in a log that is no longer compacted (F5). A loss of power leaves one where a
    segment had reached the disk and the end of the one before it had not: behind the recovery point, in a log of ours.
    """
    assert found.recovery is not None
    if segment.base_offset <= found.log_end_offset:
        return ""
    missing = f"the records from {found.log_end_offset} to {segment.base_offset} are missing"
    if found.log_end_offset >= recovery_point:
        found.owner.before_data_loss()
        if found.owner.has_lost_power:
            return missing
        found.recovery.keeps_gap = True
    if not found.config.is_compacted:
        _log.warning("%s: %s, which compaction may have removed; what follows is kept", found.path, missing)
    return ""


def _recover_segment(found: Recovered, segment: "Segment", last_epoch: int, *, is_sound: bool) -> tuple[int, str]:
    """Read all batches of a segment, build its state, and truncate it before the first bad one. With ``is_sound`` its
    indexes are kept and it is not truncated.

    Returns the epoch of the last good batch, and what was wrong with the bad one ("" if all are good).
    """
    assert found.recovery is not None
    if not is_sound:
        segment.reset_indexes()
    end = 0
    expected = max(segment.base_offset, found.log_end_offset)
    fault = ""
    try:
        for position, header, batch in scan.batches(segment.file.open(), 0, segment.size_bytes):
            fault = _fault(header, batch, expected, segment.base_offset + MAX_RELATIVE_OFFSET, last_epoch)
            if fault:
                break
            _add(found, None if is_sound else segment, position, header, batch)
            end = position + header.size_bytes
            expected = header.next_offset
            last_epoch = header.leader_epoch
    except RecordBatchError as error:
        fault = str(error)
    if end < segment.size_bytes:
        if is_sound:
            raise _UnsoundError
        _refuse_old_format(segment, end, fault or "no whole batch")  # too small for a header of today
        if fault or segment is not found.segments.all[-1] or _hides_batches(segment, end, expected):
            found.owner.before_data_loss()
        fault = fault or "the last batch is not whole"
        _note_truncation(found, segment.file.path, end, segment.size_bytes - end, fault)
        segment.file.open().truncate(end)
        segment.size_bytes = end
    found.recovery.scanned_bytes += end
    found.log_end_offset = found.producers.end_offset = expected
    return last_epoch, fault


def _refuse_old_format(segment: "Segment", position: int, fault: str) -> None:
    """Raise LogError if Apache Kafka could read what is there: it is no damage, and must not be truncated."""
    if is_old_message(segment.file.open().pread, position, segment.size_bytes):
        where = f"{segment.file.path}, byte {position}"
        raise LogError(
            KAFKA_STORAGE_ERROR,
            f"{where}: {fault}; the partition is not served and nothing is truncated: let Apache Kafka copy the topic",
        )


def _hides_batches(segment: "Segment", position: int, offset: int) -> bool:
    """Whether the rest of a segment, which should be one batch that is not whole, holds good ones: its length lies."""
    size_bytes = segment.size_bytes - position
    return size_bytes > MAX_PARTIAL_BYTES or scan.holds_later_batch(
        segment.file.open().pread(position, size_bytes), offset
    )


def _fault(header: BatchHeader, batch: memoryview, expected: int, limit: int, last_epoch: int) -> str:
    """What is wrong with a batch found at recovery; "" if it is good."""
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


def _add(found: Recovered, segment: "Segment | None", position: int, header: BatchHeader, batch: memoryview) -> None:
    """Add a good batch to the indexes of its segment, the epochs and the producer state."""
    if segment is not None:
        segment.note_batch(position, header.size_bytes, header.last_offset, header.max_timestamp)
    if header.leader_epoch > found.epochs.latest:
        found.epochs.assign(header.leader_epoch, header.base_offset)
    ended = replay(found.producers, header, batch)
    if segment is not None and ended is not None and ended.is_aborted:
        found.segments.aborted.add(segment, ended)


def _drop_segments_behind(found: Recovered, segment: "Segment", fault: str) -> None:
    """Remove all later segments: nothing behind a truncation or a gap can be trusted to follow."""
    while found.segments.all[-1] is not segment:
        last = found.segments.all[-1]
        _note_truncation(found, last.file.path, 0, last.size_bytes, f"it does not follow {segment.file.path} ({fault})")
        found.segments.remove_last()


def _note_truncation(found: Recovered, path: str, position: int, size_bytes: int, reason: str) -> None:
    assert found.recovery is not None
    truncation = Truncation(path, position, size_bytes, reason)
    found.recovery.truncations.append(truncation)
    _log.warning("%s", truncation)
