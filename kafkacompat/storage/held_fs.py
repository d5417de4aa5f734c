"""The real file system, but that small files and directories of partitions are made when somebody needs them.

For data that nobody reads after this process, such as those of a test: most of its topics get no record, and to make
and remove their directories, checkpoints and markers would be most of what such a broker costs. So a new file that is
written in one go stays in memory, and a directory of a partition is made with its first segment. Who works through this
file system sees no difference; who reads the directory by other means calls `write_held` before.
"""

from kafkacompat.storage.fs import RealFile, RealFs
from kafkacompat.storage.partition_dir import parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Buffer, Fs

HELD_BYTES_MAX = 4096
"""The size of a file that is held; larger ones are written at once."""


class HeldFile(RealFile):
    """A file that is held, open for reading."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes) -> None:
        super().__init__(-1, syncs=False)
        self._data = data

    def pread(self, offset: int, size_bytes: int) -> bytes:
        return self._data[offset : offset + size_bytes]

    def size(self) -> int:
        return len(self._data)


class HeldFs(RealFs):
    """See above. Files of one directory are used by one thread at a time, as in any `Fs`."""

    __slots__ = ("_files", "_unmade", "_writes_all")

    def __init__(self) -> None:
        super().__init__(temporary=True, ends_with_process=True)
        self._files: dict[str, dict[str, bytes]] = {}  # those that are held, by directory and name
        self._unmade: set[str] = set()  # directories
        self._writes_all = [False]  # in a list, as it is shared with those that are `apart`

    def apart(self) -> "HeldFs":
        found = HeldFs()
        found._files, found._unmade, found._writes_all = self._files, self._unmade, self._writes_all
        return found

    def write_held(self, *, from_now_on: bool = False) -> None:
        """Make everything that is held; with `from_now_on` nothing is held again. After an OSError the rest stays."""
        self._writes_all[0] |= from_now_on
        for path in list(self._unmade):
            self._make(path)
        for directory in list(self._files):
            for name in list(self._files[directory]):
                self._write(directory, name)
            del self._files[directory]

    def forget_held(self) -> None:
        """The directory with all that is held is gone."""
        self._files.clear()
        self._unmade.clear()

    def open(self, path: str, *, append: bool = False) -> RealFile:
        directory, files, name = self._place(path)
        if name in files:
            if not append:
                return HeldFile(files[name])
            self._write(directory, name)
        elif append and directory in self._unmade:
            self._make(directory)
        return super().open(path, append=append)

    def mkdir(self, path: str) -> None:
        if path in self._unmade:
            return
        is_of_partition = parse_directory_name(path.rpartition("/")[2]) is not None
        if is_of_partition and self._holds and not super().exists(path):
            self._unmade.add(path)
        else:
            super().mkdir(path)

    def listdir(self, path: str) -> list[str]:
        found = [] if path in self._unmade else super().listdir(path)
        held = list(self._files.get(path, ()))
        if self._unmade:
            parts = [each.rpartition("/") for each in list(self._unmade)]
            held += [name for parent, _, name in parts if parent == path]
        return sorted([*found, *held]) if held else found

    def exists(self, path: str) -> bool:
        directory, files, name = self._place(path)
        if name in files or path in self._unmade:
            return True
        return directory not in self._unmade and super().exists(path)

    def is_dir(self, path: str) -> bool:
        return path in self._unmade or super().is_dir(path)

    def size(self, path: str) -> int:
        _, files, name = self._place(path)
        return len(files[name]) if name in files else super().size(path)

    def rename(self, path: str, new_path: str) -> None:
        if path in self._unmade:
            self._unmade.remove(path)
            self._unmade.add(new_path)
        else:
            for each in (path, new_path):
                directory, files, name = self._place(each)
                if name in files:
                    self._write(directory, name)
            super().rename(path, new_path)
        if path in self._files:
            self._files[new_path] = self._files.pop(path)

    def remove(self, path: str) -> None:
        _, files, name = self._place(path)
        if files.pop(name, None) is None:
            super().remove(path)

    def rmtree(self, path: str) -> None:
        self._files.pop(path, None)
        if path in self._unmade:
            self._unmade.remove(path)
        else:
            super().rmtree(path)

    def read_bytes(self, path: str) -> bytes:
        _, files, name = self._place(path)
        return files[name] if name in files else super().read_bytes(path)

    def write_atomic(self, path: str, data: "Buffer", *, sync: bool) -> None:
        directory, files, name = self._place(path)
        is_small = len(data) <= HELD_BYTES_MAX
        if self._holds and is_small and (name in files or directory in self._unmade or not super().exists(path)):
            self._files.setdefault(directory, {})[name] = bytes(data)
            return
        self._make_parent(path)
        super().write_atomic(path, data, sync=sync)
        files.pop(name, None)

    def allocate(self, path: str, size_bytes: int) -> None:
        _, files, name = self._place(path)
        files.pop(name, None)
        self._make_parent(path)
        super().allocate(path, size_bytes)

    @property
    def _holds(self) -> bool:
        """A disk with faults is to show them."""
        return self.faults is None and not self._writes_all[0]

    def _place(self, path: str) -> tuple[str, dict[str, bytes], str]:
        """The directory of a path, the files that are held there, and the name."""
        directory, _, name = path.rpartition("/")
        return directory, self._files.get(directory, {}), name

    def _make_parent(self, path: str) -> None:
        directory = path.rpartition("/")[0]
        if directory in self._unmade:
            self._make(directory)

    def _make(self, directory: str) -> None:
        super().mkdir(directory)
        self._unmade.remove(directory)

    def _write(self, directory: str, name: str) -> None:
        if directory in self._unmade:
            self._make(directory)
        super().write_atomic(f"{directory}/{name}", self._files[directory][name], sync=False)
        del self._files[directory][name]


def write_held(fs: "Fs", *, from_now_on: bool = False) -> None:
    """See `HeldFs.write_held`; other file systems hold nothing. Raises OSError."""
    if isinstance(fs, HeldFs):
        fs.write_held(from_now_on=from_now_on)


def forget_held(fs: "Fs") -> None:
    """See `HeldFs.forget_held`; other file systems hold nothing."""
    if isinstance(fs, HeldFs):
        fs.forget_held()
