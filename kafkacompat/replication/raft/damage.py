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
        end, next_offset = _good_prefix(data, int(name.removesuffix(LOG_SUFFIX)))
        if end < len(data) and (name != names[-1] or _holds_later_batch(data, end, next_offset)):
            raise DamagedLogError(
                f"{path} is damaged at byte {end} (offset {next_offset}), before its end: metadata would be lost. "
                "Restore the data directory from a copy, or cut the file there to give up all later changes"
            )


def _good_prefix(data: memoryview, next_offset: int) -> tuple[int, int]:
    """Where the first bad batch begins, and the offset that it should have."""
    pos = 0
    while pos < len(data):
        try:
            header = read_header(data, pos)
        except RecordBatchError:
            break
        if header.base_offset != next_offset or not check_crc(data, pos, header.size_bytes):
            break
        pos += header.size_bytes
        next_offset = header.base_offset + header.last_offset_delta + 1
    return pos, next_offset


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
