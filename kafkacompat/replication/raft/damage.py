"""Distinguish a torn tail of the metadata log, which recovery may truncate, from damage inside it, which it must not.

A voter that loses acknowledged records can elect a leader without committed records. So nothing below the flush mark
(flush_mark.py) is ever truncated; above the mark a crash may have damaged anything. A single voter keeps no mark and
writes each batch only when the previous one is durable: a crash can damage only its last batch, so a bad batch with a
good one after it has decayed. With several voters and no mark, only an incompletely written end is truncated. An
observer has acknowledged nothing and fetches the records again.
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
    """Check a voter's log for damage. Everything below `mark` has been durable; None if there is no mark.

    Raises DamagedLogError with the file, the position and what to do; OSError.
    """
    names = [name for name in fs.listdir(directory) if name.endswith(LOG_SUFFIX)]
    next_offset = 0
    for name in names:
        path = f"{directory}/{name}"
        data = memoryview(fs.read_bytes(path))
        end, next_offset, epochs_fall = _good_prefix(data, int(name.removesuffix(LOG_SUFFIX)))
        if end == len(data):
            continue
        rest = data[end:]
        is_single = mark is None and is_single_voter(fs, directory)
        is_last = name == names[-1] and not epochs_fall
        if mark is not None:
            may_truncate = next_offset >= mark
        elif is_single:
            may_truncate = is_last and not holds_later_batch(bytes(rest), next_offset)
        else:
            may_truncate = is_last and _is_unfinished(rest)
        if not may_truncate:
            what = f"{path} is damaged at byte {end} (offset {next_offset}), before its end"
            raise DamagedLogError(f"{what}: metadata would be lost. {advice(directory, is_single=is_single)}")
        return
    if mark is not None and next_offset < mark:
        what = f"the metadata log in {directory} ends at offset {next_offset}, but was durable up to {mark}"
        raise DamagedLogError(f"{what}: files are missing or truncated. {advice(directory, is_single=False)}")


def check_end(log: "Log", mark: int | None) -> None:
    """Check that a cleanly stopped log ends where its files end, and not below its mark: records appended after a torn
    batch would be lost with it.

    Raises DamagedLogError with the file, the position and what to do; LogError for bytes that are no batch; OSError.
    """
    end = size_bytes = 0
    path = log.path
    if log.segments.all:
        segment = log.segments.all[-1]
        path, size_bytes = segment.file.path, segment.size_bytes
        end = segment.end_of_batches()
    if end < size_bytes:
        what = f"{path} is damaged at byte {end} (offset {log.log_end_offset}): its last batch is incomplete"
    elif mark is not None and log.log_end_offset < mark:
        what = f"{path} ends at offset {log.log_end_offset}, but the metadata log was durable up to {mark}"
    else:
        return
    raise DamagedLogError(f"{what}. {advice(log.path, is_single=mark is None and is_single_voter(log.fs, log.path))}")


def advice(directory: str, *, is_single: bool) -> str:
    """What to do about a damaged metadata log. A voter that lost its log must leave the voter set (KIP-853)."""
    if is_single:
        return "Restore the data directory from a copy, or truncate the file there to give up all later changes"
    return (
        f"The other voters have what it held: run kafka-metadata-quorum.sh remove-controller for this node, delete "
        f"{directory}, start the node again with controller.quorum.bootstrap.servers, and add-controller when it has "
        "caught up. With controller.quorum.voters (static voters), delete it only while all other voters run and have "
        "a leader"
    )


def _good_prefix(data: memoryview, next_offset: int) -> tuple[int, int, bool]:
    """The position of the first bad batch, the offset that it should have, and whether its epoch is below the previous.

    The checksum does not cover the epoch: if epochs descend from one intact batch to the next, one of them is damaged.
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


def _is_unfinished(rest: memoryview) -> bool:
    """Whether the file ends inside its last batch, or was extended but not filled."""
    if len(rest) < LOG_OVERHEAD or not any(rest):
        return True
    return int.from_bytes(rest[_LENGTH], "big", signed=True) > len(rest) - LOG_OVERHEAD


def is_single_voter(fs: "Fs", directory: str) -> bool:
    """Whether the newest snapshot has exactly one voter. Raises DamagedLogError, which names the file; OSError."""
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
        raise DamagedLogError(f"{found[2]}: {error}. {advice(directory, is_single=False)}") from None
    return bool(sets) and len(sets[-1]) == 1
