"""Tell a torn tail, which recovery may cut, from damage inside the metadata log, which nobody may cut silently.

The log is written one batch at a time: the next one only when the last is durable. So a crash can spoil the last batch
alone, and a bad batch with a good one behind it was good once: committed metadata is lost (KAFKA-14104).
"""

from kafkacompat.protocol.records.batch import (
    BATCH_OVERHEAD,
    MAGIC_OFFSET,
    MAGIC_V2,
    RecordBatchError,
    check_crc,
    read_header,
)
from kafkacompat.replication.raft.batches import DamagedLogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

LOG_SUFFIX = ".log"


def check(fs: "Fs", directory: str) -> None:
    """Raises DamagedLogError, which names the file, the position and the cure; OSError."""
    names = [name for name in fs.listdir(directory) if name.endswith(LOG_SUFFIX)] if fs.exists(directory) else []
    for name in names:
        path = f"{directory}/{name}"
        data = memoryview(fs.read_bytes(path))
        end, next_offset, epochs_fall = _good_prefix(data, int(name.removesuffix(LOG_SUFFIX)))
        is_torn = name == names[-1] and not epochs_fall and not _holds_later_batch(data, end, next_offset)
        if end < len(data) and not is_torn:
            raise DamagedLogError(
                f"{path} is damaged at byte {end} (offset {next_offset}), before its end: metadata would be lost. "
                "Restore the data directory from a copy, or cut the file there to give up all later changes"
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


def _holds_later_batch(data: memoryview, start: int, next_offset: int) -> bool:
    """Whether a good batch lies anywhere behind the bad one at `start`: its length may be what is bad."""
    rest = bytes(data[start:])
    magic = bytes((MAGIC_V2,))
    at = rest.find(magic, MAGIC_OFFSET + 1)
    while at >= 0:
        pos = at - MAGIC_OFFSET
        if len(rest) - pos < BATCH_OVERHEAD:
            return False
        try:
            header = read_header(rest, pos)
        except RecordBatchError:
            header = None
        if header is not None and header.base_offset > next_offset and check_crc(rest, pos, header.size_bytes):
            return True
        at = rest.find(magic, at + 1)
    return False
