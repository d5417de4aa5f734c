"""The snapshots beside the metadata log: <end offset>-<epoch>.checkpoint, each written to a .part first (KIP-630)."""

from kafkacompat.replication.raft.checkpoint import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

SnapshotId = tuple[int, int]  #: end offset (exclusive) and epoch of the last record
BOOTSTRAP_ID = (0, 0)
PART_SUFFIX = ".part"


class Part:
    """A snapshot in the making. Whoever does not finish it drops it."""

    def __init__(self, snapshots: "Snapshots", snapshot_id: SnapshotId) -> None:
        self.id = snapshot_id
        self.size_bytes = 0
        self._is_closed = False
        self._snapshots = snapshots
        self._path = snapshots.path(snapshot_id) + PART_SUFFIX
        if snapshots.fs.exists(self._path):
            snapshots.fs.remove(self._path)
        self._file = snapshots.fs.open(self._path, append=True)

    def append(self, data: "bytes | bytearray | memoryview") -> None:
        """Write on. Raises OSError."""
        written = self._file.write([data])
        if written != len(data):
            raise OSError(f"{self._path}: {written} of {len(data)} bytes were written")
        self.size_bytes += written

    def finish(self) -> None:
        """All of it is there: from now on it is a snapshot, durably. Raises OSError."""
        self.make_durable()
        self._snapshots.added(self.id)

    def make_durable(self) -> None:
        """All of it is there: sync it, and give it its name. May run beside the loop, on which `Snapshots.added` is to
        be called afterwards. Raises OSError.
        """
        fs = self._snapshots.fs
        self._file.fsync()
        self._close()
        path = self._path.removesuffix(PART_SUFFIX)
        fs.rename(self._path, path)
        self._path = path
        fs.fsync_dir(self._snapshots.directory)

    def drop(self) -> None:
        """It will not be finished. Raises OSError."""
        self._close()
        self._snapshots.fs.remove(self._path)

    def _close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._file.close()


class Snapshots:
    """What lies in the directory. `all` has the ids in their order, those of voters before the first record too."""

    def __init__(self, fs: "Fs", directory: str) -> None:
        """Look at what is there, and remove what was not finished. Raises OSError."""
        self.fs = fs
        self.directory = directory
        self.all: list[SnapshotId] = []
        for name in fs.listdir(directory):
            if name.endswith(SUFFIX + PART_SUFFIX):
                fs.remove(f"{directory}/{name}")
            found = id_of(name)
            if found is not None:
                self.all.append(found)
        self.all.sort()

    @property
    def newest(self) -> SnapshotId | None:
        """The newest that replaces a part of the log; None while there is none."""
        return self.all[-1] if self.all and self.all[-1] != BOOTSTRAP_ID else None

    def path(self, snapshot_id: SnapshotId) -> str:
        """Where a snapshot is."""
        return f"{self.directory}/{snapshot_id[0]:020d}-{snapshot_id[1]:010d}{SUFFIX}"

    def size(self, snapshot_id: SnapshotId) -> int:
        """Its size in bytes. Raises OSError."""
        return self.fs.size(self.path(snapshot_id))

    def read(self, snapshot_id: SnapshotId, position: int, max_bytes: int) -> bytes:
        """Some bytes of it. Raises OSError."""
        file = self.fs.open(self.path(snapshot_id))
        try:
            return file.pread(position, max_bytes)
        finally:
            file.close()

    def begin(self, snapshot_id: SnapshotId) -> Part:
        """Begin one. Raises OSError."""
        return Part(self, snapshot_id)

    def added(self, snapshot_id: SnapshotId) -> None:
        """A part has become a snapshot."""
        if snapshot_id not in self.all:
            self.all.append(snapshot_id)
            self.all.sort()

    def remove_oldest(self) -> None:
        """Remove the oldest, which a newer one replaces. Raises OSError."""
        assert len(self.all) > 1
        self.fs.remove(self.path(self.all[0]))
        del self.all[0]


def id_of(name: str) -> SnapshotId | None:
    """The id in the name of a snapshot file; None for other files."""
    offset, dash, epoch = name.removesuffix(SUFFIX).partition("-")
    is_one = name.endswith(SUFFIX) and dash and (offset + epoch).isdecimal() and len(offset) == 20
    return (int(offset), int(epoch)) if is_one else None
