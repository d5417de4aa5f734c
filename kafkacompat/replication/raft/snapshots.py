"""The snapshots beside the metadata log, <end offset>-<epoch>.checkpoint, each written as .part first (KIP-630)."""

from kafkacompat.replication.raft.checkpoint import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

SnapshotId = tuple[int, int]  #: end offset (exclusive) and epoch of the last record
BOOTSTRAP_ID = (0, 0)
PART_SUFFIX = ".part"


class RawSnapshotWriter:
    """A snapshot being written (Kafka's RawSnapshotWriter). The caller calls `finish` or `drop`."""

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
        """Append data. Raises OSError."""
        written = self._file.write([data])
        if written != len(data):
            raise OSError(f"{self._path}: {written} of {len(data)} bytes were written")
        self.size_bytes += written

    def finish(self) -> None:
        """Complete the snapshot: make it durable and list it. Raises OSError."""
        self.make_durable()
        self._snapshots.added(self.id)

    def make_durable(self) -> None:
        """Sync the complete file and rename it. May run on a background thread; call `Snapshots.added` on the event
        loop afterwards. Raises OSError.
        """
        fs = self._snapshots.fs
        self._file.fsync()
        self._close()
        path = self._path.removesuffix(PART_SUFFIX)
        fs.rename(self._path, path)
        self._path = path
        fs.fsync_dir(self._snapshots.directory)

    def drop(self) -> None:
        """Remove the unfinished snapshot. Raises OSError."""
        self._close()
        self._snapshots.fs.remove(self._path)

    def _close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._file.close()


class Snapshots:
    """The snapshots of a directory. `all` has their ids in ascending order, including the bootstrap snapshot 0-0."""

    def __init__(self, fs: "Fs", directory: str) -> None:
        """List the snapshots and remove unfinished ones. Raises OSError."""
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
        """The newest snapshot apart from the bootstrap snapshot 0-0; None if there is none."""
        return self.all[-1] if self.all and self.all[-1] != BOOTSTRAP_ID else None

    def path(self, snapshot_id: SnapshotId) -> str:
        """The path of a snapshot."""
        return f"{self.directory}/{snapshot_id[0]:020d}-{snapshot_id[1]:010d}{SUFFIX}"

    def size(self, snapshot_id: SnapshotId) -> int:
        """The size of a snapshot in bytes. Raises OSError."""
        return self.fs.size(self.path(snapshot_id))

    def read(self, snapshot_id: SnapshotId, position: int, max_bytes: int) -> bytes:
        """At most `max_bytes` of a snapshot. Raises OSError."""
        file = self.fs.open(self.path(snapshot_id))
        try:
            return file.pread(position, max_bytes)
        finally:
            file.close()

    def begin(self, snapshot_id: SnapshotId) -> RawSnapshotWriter:
        """Begin to write a snapshot. Raises OSError."""
        return RawSnapshotWriter(self, snapshot_id)

    def added(self, snapshot_id: SnapshotId) -> None:
        """List a completed snapshot."""
        if snapshot_id not in self.all:
            self.all.append(snapshot_id)
            self.all.sort()

    def remove_oldest(self) -> None:
        """Remove the oldest snapshot; there must be a newer one. Raises OSError."""
        assert len(self.all) > 1
        self.fs.remove(self.path(self.all[0]))
        del self.all[0]


def id_of(name: str) -> SnapshotId | None:
    """The id in the name of a snapshot file; None for other files."""
    offset, dash, epoch = name.removesuffix(SUFFIX).partition("-")
    is_one = name.endswith(SUFFIX) and dash and (offset + epoch).isdecimal() and len(offset) == 20
    return (int(offset), int(epoch)) if is_one else None
