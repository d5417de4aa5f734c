"""The file flushed-offset beside a voter's metadata log: the offset below which the log has been durable.

A voter syncs its log, then the mark, and only then acknowledges. So everything acknowledged is below the mark, and a
power loss can damage only what is above: recovery may truncate above the mark, never below. Kafka has no such file and
ignores it. Each entry is an offset and its checksum; the last intact entry is valid.
"""

from struct import Struct

from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.storage.background import METADATA_SYNC
from kafkacompat.storage.owner import LogOwner
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

FILE_NAME = "flushed-offset"
MAX_BYTES = 4096
"""Beyond this size the file is rewritten with one entry."""
_OFFSET, _ENTRY = Struct(">q"), Struct(">qI")


class FlushMark(LogOwner):
    """Maintains the mark of one log. `is_kept` is false while this replica has only ever been a single voter or an
    observer: no other replica relies on its log, and a single voter writes one batch at a time (see damage.py).
    """

    __slots__ = ("_fs", "_path", "is_kept", "offset")

    may_use_reserve = True
    sync_class = METADATA_SYNC
    counts_on_syncs = True

    def __init__(self, fs: "Fs", directory: str, *, is_kept: bool) -> None:
        """Read the file. `offset` is None if there is none. Raises OSError."""
        self._fs = fs
        self._path = f"{directory}/{FILE_NAME}"
        self.offset = _last(fs.read_bytes(self._path)) if fs.exists(self._path) else None
        self.is_kept = (is_kept or self.offset is not None) and not fs.is_temporary

    def keep(self) -> None:
        """Maintain the mark from now on, for good, as other replicas rely on this log: a stale mark would be wrong."""
        self.is_kept = not self._fs.is_temporary

    def begin(self, flushed_offset: int) -> None:
        """Write the first mark of a log that has none, before the log is written to. Raises OSError.

        A file with a partial entry is rewritten, so that later entries are aligned.
        """
        if self.is_kept and (self.offset is None or self._fs.size(self._path) % _ENTRY.size):
            self.offset = flushed_offset if self.offset is None else self.offset
            self._fs.write_atomic(self._path, _entry(self.offset), sync=True)

    def synced(self, end_offset: int) -> None:
        """Everything below `end_offset` is durable, and may be acknowledged when this returns. Syncs may finish out of
        order, so only a truncation lowers the mark.
        """
        if self.is_kept and (self.offset is None or end_offset > self.offset):
            self._write(end_offset)

    def before_truncate(self, offset: int) -> None:
        """Lower the mark: records appended after the truncation are not durable, even if those they replace were."""
        if self.offset is not None and offset < self.offset:
            self._write(offset)

    def _write(self, offset: int) -> None:
        """Add an entry, or rewrite the file."""
        is_there = self._fs.exists(self._path) and self._fs.size(self._path) < MAX_BYTES
        if not is_there or not self._append(_entry(offset)):
            self._fs.write_atomic(self._path, _entry(offset), sync=True)
        self.offset = offset

    def _append(self, entry: bytes) -> bool:
        """Append an entry. Returns False if the disk was full: the file may then have a partial entry."""
        file = self._fs.open(self._path, append=True)
        try:
            if file.write([entry]) != _ENTRY.size:
                raise OSError(f"{self._path}: an entry was written only partly")
            file.fsync()
        except OSError as error:
            if not is_out_of_space(error):
                raise
            self._fs.make_room(error)
            return False
        finally:
            file.close()
        return True


def _entry(offset: int) -> bytes:
    return _ENTRY.pack(offset, crc32c(_OFFSET.pack(offset)))


def _last(data: bytes) -> int | None:
    """The offset of the last intact entry. A crash may have left a partial one after it."""
    for at in range(len(data) // _ENTRY.size - 1, -1, -1):
        offset, checksum = _ENTRY.unpack_from(data, at * _ENTRY.size)
        if checksum == crc32c(_OFFSET.pack(offset)):
            return int(offset)
    return None
