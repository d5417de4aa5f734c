"""Tell a torn tail, which recovery may cut, from damage inside the metadata log, which nobody may cut silently.

A voter that forgets what it has acknowledged can elect a leader without committed records. So what lies below the mark
of what was durable (flush_mark.py) is never cut; above it a crash may have spoiled anything. A lone voter keeps no mark
and writes one batch at a time, the next one only when the last is durable: a crash can spoil its last batch alone, and
a bad batch with a good one behind it was good once. Where several vote and there is no mark, only what was not written
to its end is cut. An observer has acknowledged nothing, and fetches it again.
"""

from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.protocol.records.batch import LOG_OVERHEAD, RecordBatchError, check_crc, read_header
from kafkacompat.replication.raft import checkpoint
from kafkacompat.replication.raft.batches import DamagedLogError
from kafkacompat.storage.scan import holds_later_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

LOG_SUFFIX = ".log"
_LENGTH = slice(8, LOG_OVERHEAD)


def check(fs: "Fs", directory: str, mark: int | None) -> None:
    """Look for damage in the log of a voter; everything below `mark` has been durable, None where that is not known.

    Raises DamagedLogError, which names the file, the position and the cure; OSError.
    """
    names = [name for name in fs.listdir(directory) if name.endswith(LOG_SUFFIX)]
    alone = mark is None and is_alone(fs, directory)
    next_offset = 0
    for name in names:
        path = f"{directory}/{name}"
        data = memoryview(fs.read_bytes(path))
        end, next_offset, epochs_fall = _good_prefix(data, int(name.removesuffix(LOG_SUFFIX)))
        if end == len(data):
            continue
        rest = data[end:]
        is_last = name == names[-1] and not epochs_fall
        if mark is not None:
            may_go = next_offset >= mark
        elif alone:
            may_go = is_last and not holds_later_batch(bytes(rest), next_offset)
        else:
            may_go = is_last and _was_not_finished(rest)
        if not may_go:
            what = f"{path} is damaged at byte {end} (offset {next_offset}), before its end"
            raise DamagedLogError(f"{what}: metadata would be lost. {cure(directory, alone=alone)}")
        return
    if mark is not None and next_offset < mark:
        what = f"the metadata log in {directory} ends at offset {next_offset}, and has been durable up to {mark}"
        raise DamagedLogError(f"{what}: files are lost or cut. {cure(directory, alone=False)}")


def check_end(log: "Log", mark: int | None) -> None:
    """Whether a log that was stopped cleanly ends where its files do, and not below its mark: what is written behind a
    torn end is lost with it.

    Raises DamagedLogError, which names the file, the position and the cure; LogError for what is no batch; OSError.
    """
    end = size_bytes = 0
    path = log.path
    if log.segments.all:
        segment = log.segments.all[-1]
        path, size_bytes = segment.file.path, segment.size_bytes
        end = segment.end_of_batches()
    if end < size_bytes:
        what = f"{path} is damaged at byte {end} (offset {log.log_end_offset}): its last batch is not whole"
    elif mark is not None and log.log_end_offset < mark:
        what = f"{path} ends at offset {log.log_end_offset}, and the metadata log has been durable up to {mark}"
    else:
        return
    raise DamagedLogError(f"{what}. {cure(log.path, alone=mark is None and is_alone(log.fs, log.path))}")


def cure(directory: str, *, alone: bool) -> str:
    """What to do about a metadata log that cannot be trusted (KIP-853: who has lost its log is no voter any more)."""
    if alone:
        return "Restore the data directory from a copy, or cut the file there to give up all later changes"
    return (
        f"The other voters have what it held: run kafka-metadata-quorum.sh remove-controller for this node, delete "
        f"{directory}, start the node again with controller.quorum.bootstrap.servers, and add-controller when it has "
        "caught up. With controller.quorum.voters (static voters), delete it only while all other voters run and have "
        "a leader"
    )


def _good_prefix(data: memoryview, next_offset: int) -> tuple[int, int, bool]:
    """Where the first bad batch begins, the offset that it should have, and whether its epoch is below the last one's.

    An epoch is not covered by the checksum: of two whole batches in the wrong order of epochs one is damaged.
    """
    pos = 0
    epoch = 0
    while pos < len(data):
        try:
            header = read_header(data, pos)
        except RecordBatchError:
            break
        if header.base_offset != next_offset or not check_crc(data, pos, header.size_bytes):
            break
        if header.leader_epoch < epoch:
            return pos, next_offset, True
        epoch = header.leader_epoch
        pos += header.size_bytes
        next_offset = header.base_offset + header.last_offset_delta + 1
    return pos, next_offset, False


def _was_not_finished(rest: memoryview) -> bool:
    """Whether the file ends inside its last batch, or was made longer and never filled."""
    if len(rest) < LOG_OVERHEAD or not any(rest):
        return True
    return int.from_bytes(rest[_LENGTH], "big", signed=True) > len(rest) - LOG_OVERHEAD


def is_alone(fs: "Fs", directory: str) -> bool:
    """Whether the newest snapshot knows one voter. Raises DamagedLogError, which names the file; OSError."""
    found = checkpoint.newest(fs, directory)
    if found is None:
        return False
    try:
        sets = [
            checkpoint.voters_of(record)
            for batch in checkpoint.read_control(fs, found[2])
            for record in batch.records
            if isinstance(record, VotersRecord)
        ]
    except DamagedLogError as error:
        raise DamagedLogError(f"{found[2]}: {error}. {cure(directory, alone=False)}") from None
    return bool(sets) and len(sets[-1]) == 1
