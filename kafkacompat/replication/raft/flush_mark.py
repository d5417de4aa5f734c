"""The file flushed-offset beside the metadata log of a voter: up to where the log has been durable.

What a voter has acknowledged was durable before, so it lies below the mark, and the mark is durable before the
acknowledgment leaves. Whatever a power loss may have spoiled lies above: there recovery may cut, below it nobody may.
Kafka has no such file, and does not mind it. Each entry is an offset and its checksum; the last sound one counts.
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
"""A file of more than that begins anew."""
_OFFSET, _ENTRY = Struct(">q"), Struct(">qI")


class FlushMark(LogOwner):
    """Keeps the mark of one log. `is_kept` is false while this replica has always been the only voter, or none: nobody
    rests on it, and a lone voter writes one batch at a time, which says enough (damage.py).
    """

    __slots__ = ("_fs", "_path", "is_kept", "offset")

    may_use_reserve = True
    sync_class = METADATA_SYNC

    def __init__(self, fs: "Fs", directory: str, *, is_kept: bool) -> None:
        """Read the file. `offset` is None where there is none. Raises OSError."""
        self._fs = fs
        self._path = f"{directory}/{FILE_NAME}"
        self.offset = _last(fs.read_bytes(self._path)) if fs.exists(self._path) else None
        self.is_kept = (is_kept or self.offset is not None) and not fs.is_temporary

    def keep(self) -> None:
        """From now on others rest on what is durable here. It stays so: a mark that stands still says too little."""
        self.is_kept = not self._fs.is_temporary

    def begin(self, flushed_offset: int) -> None:
        """The first mark of a log that had none: nothing is written before it is durable. Raises OSError.

        A file with a part of an entry begins anew, lest later entries are not where they are looked for.
        """
        if self.is_kept and (self.offset is None or self._fs.size(self._path) % _ENTRY.size):
            self.offset = flushed_offset if self.offset is None else self.offset
            self._fs.write_atomic(self._path, _entry(self.offset), sync=True)

    def synced(self, end_offset: int) -> None:
        """Everything below is durable, and may be acknowledged when this returns. Only a cut lowers the mark: two syncs
        may overtake each other.
        """
        if self.is_kept and (self.offset is None or end_offset > self.offset):
            self._write(end_offset)

    def before_truncate(self, offset: int) -> None:
        """What is written behind a cut is not durable yet, even if what was there before was."""
        if self.offset is not None and offset < self.offset:
            self._write(offset)

    def _write(self, offset: int) -> None:
        """One more entry."""
        self.offset = offset
        is_there = self._fs.exists(self._path) and self._fs.size(self._path) < MAX_BYTES
        if not is_there or not self._append(_entry(offset)):
            self._fs.write_atomic(self._path, _entry(offset), sync=True)

    def _append(self, entry: bytes) -> bool:
        """Whether there was room for it: a file that may have a part of it is to begin anew."""
        file = self._fs.open(self._path, append=True)
        try:
            if file.write([entry]) != _ENTRY.size:
                raise OSError(f"{self._path}: an entry was not written whole")
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
    """The offset of the last sound entry: a crash may have left a part of one more."""
    for at in range(len(data) // _ENTRY.size - 1, -1, -1):
        offset, checksum = _ENTRY.unpack_from(data, at * _ENTRY.size)
        if checksum == crc32c(_OFFSET.pack(offset)):
            return int(offset)
    return None
