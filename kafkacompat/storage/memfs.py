"""A file system in memory that can fail as disks do: lose unsynced data, tear a write, flip a bit, fill up, fail.

It has the interface of ``fs.RealFs``. It is deterministic: random choices come from a ``random.Random`` that is passed
in. The entries of a directory and the bytes of a file each have a current state and a last synced state. A power loss
leaves a state between the two.
"""

import errno
from collections.abc import Callable, Iterator, Sequence

from kafkacompat.storage.fs import TEMPORARY_SUFFIX, Buffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Protocol
else:
    Protocol = object

PAGE_BYTES = 4096  #: pages reach the disk in any order
SECTOR_BYTES = 512  #: the smallest part of a page that is written whole or not at all

Operation = tuple[str, str, int]
"""Name of the ``Fs`` or ``File`` method, path, and number of bytes (or size, or 0)."""


class _Node:
    """A file: its current bytes, its last synced bytes, and the pages in which they may differ."""

    __slots__ = ("data", "dirty_pages", "reserved_bytes", "synced")

    def __init__(self) -> None:
        self.data = bytearray()
        self.reserved_bytes = 0  # disk space allocated without content
        self.synced = b""
        self.dirty_pages: set[int] = set()

    def append(self, data: Buffer) -> None:
        start = len(self.data)
        self.data += data
        self._touch(start, len(self.data))

    def truncate(self, size_bytes: int) -> None:
        before = len(self.data)
        del self.data[size_bytes:]
        self.data += bytes(size_bytes - len(self.data))
        self._touch(min(before, size_bytes), max(before, size_bytes))

    def _touch(self, start: int, end: int) -> None:
        self.dirty_pages.update(range(start // PAGE_BYTES, -(-end // PAGE_BYTES)))

    def sync(self) -> None:
        self.synced = bytes(self.data)
        self.dirty_pages.clear()

    def restore(self, content: bytes) -> None:
        """Replace current and synced bytes by ``content``, which the disk holds after a crash."""
        self.data = bytearray(content)
        self.sync()


class _Directory:
    """A directory: its current entries, its last synced entries, and the changes since then in order."""

    __slots__ = ("changes", "entries", "synced")

    def __init__(self) -> None:
        self.entries: dict[str, _Directory | _Node] = {}
        self.synced: dict[str, _Directory | _Node] = {}
        self.changes: list[dict[str, _Directory | _Node | None]] = []

    def change(self, change: "dict[str, _Directory | _Node | None]") -> None:
        _apply(self.entries, change)
        self.changes.append(change)

    def sync(self) -> None:
        self.synced = dict(self.entries)
        self.changes.clear()

    def restore(self, kept_changes: int) -> None:
        """Replace the entries by the synced ones and the first ``kept_changes`` changes since that sync."""
        for change in self.changes[:kept_changes]:
            _apply(self.synced, change)
        self.entries = dict(self.synced)
        self.changes.clear()


def _apply(
    entries: "dict[str, _Directory | _Node]",
    change: "dict[str, _Directory | _Node | None]",
) -> None:
    for name, node in change.items():
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


class MemFile:
    """An open file of a ``MemFs``; invalid after a crash, because its process is gone."""

    __slots__ = ("_fs", "_generation", "_node", "_on_close", "append", "path")

    def __init__(
        self, fs: "MemFs", node: _Node, path: str, *, append: bool, on_close: Callable[[], None] | None = None
    ) -> None:
        self._fs = fs
        self._node: _Node | None = node
        self._generation = fs.generation
        self._on_close = on_close
        self.append = append
        self.path = path

    def _open_node(self) -> _Node:
        if self._node is None or self._generation != self._fs.generation:
            raise OSError(errno.EBADF, "file is closed", self.path)
        return self._node

    def write(self, parts: Sequence[Buffer]) -> int:
        node = self._open_node()
        if not self.append:
            raise OSError(errno.EBADF, "file is open for reading only", self.path)
        data = b"".join(parts)
        self._fs.begin("write", self.path, len(data))
        fitting = self._fs.occupy(len(data))
        node.append(data[:fitting])
        if fitting < len(data):
            raise OSError(errno.ENOSPC, "no space left on device", self.path)
        return len(data)

    def pread(self, offset: int, size_bytes: int) -> bytes:
        node = self._open_node()
        self._fs.begin("pread", self.path, size_bytes)
        return bytes(memoryview(node.data)[offset : offset + size_bytes])

    def truncate(self, size_bytes: int) -> None:
        node = self._open_node()
        self._fs.begin("truncate", self.path, size_bytes)
        if node.reserved_bytes:
            self._fs.release(node.reserved_bytes - size_bytes)
            node.reserved_bytes = size_bytes
            return
        self._fs.release(len(node.data) - size_bytes)
        node.truncate(size_bytes)

    def fsync(self) -> None:
        node = self._open_node()
        self._fs.begin("fsync", self.path, len(node.data))
        node.sync()

    def size(self) -> int:
        return len(self._open_node().data)

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        if self._node is not None and self._on_close is not None and self._generation == self._fs.generation:
            self._on_close()
        self._node = None


class Survivors(Protocol):
    """Decides what a power loss leaves."""

    def changes(self, path: str, count: int) -> int:
        """How many of the ``count`` changes of a directory since its last sync survive; the first ones do."""

    def content(self, path: str, synced: bytes, current: bytes, dirty_pages: "set[int]") -> bytes:
        """The surviving content of a file that differs from its last synced state."""


class MemFs:
    """Directories and files in memory. ``free_bytes`` is the space left on the disk, None for no limit."""

    def __init__(self, *, free_bytes: int | None = None) -> None:
        self.free_bytes = free_bytes
        self.generation = 0  #: number of crashes; files opened before the last one are invalid
        self.operations: list[Operation] | None = None
        self._root = _Directory()
        self._locked: set[str] = set()
        self._faults: list[tuple[Callable[[Operation], bool], int]] = []

    # For tests

    def record(self) -> list[Operation]:
        """Record all operations from now on. Returns the list to which they are appended."""
        self.operations = []
        return self.operations

    def fail_next(self, matches: Callable[[Operation], bool], error_number: int = errno.EIO) -> None:
        """The next operation that matches raises an OSError before it does anything."""
        self._faults.append((matches, error_number))

    def flip_bit(self, path: str, offset: int, bit: int = 0) -> None:
        """Change one stored bit, as a faulty disk does."""
        node = self._file(path)
        node.data[offset] ^= 1 << bit
        if offset < len(node.synced):
            synced = bytearray(node.synced)
            synced[offset] ^= 1 << bit
            node.synced = bytes(synced)

    def set_byte(self, path: str, offset: int, value: int) -> None:
        """Change one stored byte."""
        node = self._file(path)
        node.data[offset] = value
        node.sync()

    def restart(self) -> None:
        """The process is killed (``kill -9``): open files and locks are gone, all bytes are kept."""
        self.generation += 1
        self._locked.clear()

    def crash(self, rng: "Random | None" = None) -> None:
        """The power fails. Without ``rng`` all unsynced data is lost. With ``rng`` a random part of it survives:
        the first changes of a directory; the first dirty pages of a file or any of them, the last one torn at a
        sector."""
        self.restart()
        self._lose_power(self._root, rng)

    def copy(self, survivors: "Survivors | None" = None) -> "MemFs":
        """A copy in which everything is synced: the current files, or what ``survivors`` leave of them."""
        copied = MemFs()
        _copy(self._root, copied._root, "", survivors)
        return copied

    def files(self) -> "dict[str, bytes]":
        """The content of each file, by path."""
        return dict(_files(self._root, ""))

    def _lose_power(self, directory: _Directory, rng: "Random | None") -> None:
        directory.restore(rng.randint(0, len(directory.changes)) if rng else 0)
        for name in sorted(directory.entries):
            node = directory.entries[name]
            if isinstance(node, _Directory):
                self._lose_power(node, rng)
            else:
                node.restore(_surviving_bytes(node, rng) if rng else node.synced)

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        """Called at the start of each operation: record it, and raise the injected error if there is one."""
        operation = (name, path, size_bytes)
        if self.operations is not None:
            self.operations.append(operation)
        for index, (matches, error_number) in enumerate(self._faults):
            if matches(operation):
                del self._faults[index]
                raise OSError(error_number, "injected fault", path)

    def occupy(self, wanted_bytes: int) -> int:
        """Use up to ``wanted_bytes`` of the free space. Returns how many bytes were free."""
        if self.free_bytes is None:
            return wanted_bytes
        fitting = min(wanted_bytes, self.free_bytes)
        self.free_bytes -= fitting
        return fitting

    def release(self, size_bytes: int) -> None:
        """Make disk space free again."""
        if self.free_bytes is not None:
            self.free_bytes += size_bytes

    # The interface of Fs

    @property
    def is_temporary(self) -> bool:
        """Always False: tests need to see which data was synced."""
        return False

    ends_with_process = False

    def open(self, path: str, *, append: bool = False) -> MemFile:
        self.begin("open", path)
        directory, name = self._parent(path)
        node = directory.entries.get(name)
        if isinstance(node, _Directory):
            raise IsADirectoryError(errno.EISDIR, "is a directory", path)
        if node is None:
            if not append:
                raise FileNotFoundError(errno.ENOENT, "no such file", path)
            node = _Node()
            directory.change({name: node})
        return MemFile(self, node, path, append=append)

    def lock(self, path: str) -> MemFile:
        key = "/".join(_split(path))
        if key in self._locked:
            raise BlockingIOError(errno.EAGAIN, "locked", path)
        self.open(path, append=True).close()
        self._locked.add(key)
        return MemFile(self, self._file(path), path, append=True, on_close=lambda: self._locked.discard(key))

    def mkdir(self, path: str) -> None:
        self.begin("mkdir", path)
        directory = self._root
        for name in _split(path):
            node = directory.entries.get(name)
            if node is None:
                node = _Directory()
                directory.change({name: node})
            if not isinstance(node, _Directory):
                raise FileExistsError(errno.EEXIST, "a file has this name", path)
            directory = node

    def listdir(self, path: str) -> list[str]:
        return sorted(self._directory(path).entries)

    def exists(self, path: str) -> bool:
        return self._find(path) is not None

    def is_dir(self, path: str) -> bool:
        return isinstance(self._find(path), _Directory)

    def size(self, path: str) -> int:
        return len(self._file(path).data)

    def rename(self, path: str, new_path: str) -> None:
        self.begin("rename", new_path)
        directory, name = self._parent(path)
        new_directory, new_name = self._parent(new_path)
        assert directory is new_directory, "the log renames within a directory only"
        node = directory.entries.get(name)
        if node is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        replaced = directory.entries.get(new_name)
        if replaced is not None:
            self._release_all(replaced)
        directory.change({name: None, new_name: node})

    def remove(self, path: str) -> None:
        self.begin("remove", path)
        self._release_all(self._file(path))
        directory, name = self._parent(path)
        directory.change({name: None})

    def rmtree(self, path: str) -> None:
        self.begin("rmtree", path)
        self._release_all(self._directory(path))
        directory, name = self._parent(path)
        directory.change({name: None})

    def fsync_dir(self, path: str) -> None:
        self.begin("fsync_dir", path)
        self._directory(path).sync()

    def read_bytes(self, path: str) -> bytes:
        self.begin("read_bytes", path)
        return bytes(self._file(path).data)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        temporary_path = path + TEMPORARY_SUFFIX
        file = self.open(temporary_path, append=True)
        try:
            file.truncate(0)
            file.write([data])
            if sync:
                file.fsync()
            file.close()
            self.rename(temporary_path, path)
        except OSError:
            if self.exists(temporary_path):
                self.remove(temporary_path)
            raise
        if sync:
            self.fsync_dir("/".join(_split(path)[:-1]))

    def allocate(self, path: str, size_bytes: int) -> None:
        self.begin("allocate", path, size_bytes)
        if self.exists(path):
            self.remove(path)
        taken = self.occupy(size_bytes)
        if taken < size_bytes:
            self.release(taken)
            raise OSError(errno.ENOSPC, "no space left on device", path)
        directory, name = self._parent(path)
        node = _Node()
        node.reserved_bytes = size_bytes
        directory.change({name: node})

    is_full = False

    def make_room(self, error: OSError) -> bool:  # noqa: ARG002 (there is no reserve)
        return False

    def apart(self) -> "MemFs":
        """All directories are on this disk."""
        return self

    def disk_usage(self, path: str) -> tuple[int, int]:
        self._directory(path)
        return -1, -1 if self.free_bytes is None else self.free_bytes

    # Paths

    def _release_all(self, node: _Directory | _Node) -> None:
        if isinstance(node, _Node):
            self.release(len(node.data) + node.reserved_bytes)
            return
        for child in node.entries.values():
            self._release_all(child)

    def _find(self, path: str) -> _Directory | _Node | None:
        node: _Directory | _Node | None = self._root
        for name in _split(path):
            if not isinstance(node, _Directory):
                return None
            node = node.entries.get(name)
        return node

    def _directory(self, path: str) -> _Directory:
        node = self._find(path)
        if isinstance(node, _Directory):
            return node
        if node is None:
            raise FileNotFoundError(errno.ENOENT, "no such directory", path)
        raise NotADirectoryError(errno.ENOTDIR, "not a directory", path)

    def _file(self, path: str) -> _Node:
        node = self._find(path)
        if isinstance(node, _Node):
            return node
        if node is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        raise IsADirectoryError(errno.EISDIR, "is a directory", path)

    def _parent(self, path: str) -> tuple[_Directory, str]:
        *parents, name = _split(path)
        return self._directory("/".join(parents)), name


def _split(path: str) -> list[str]:
    return [name for name in path.replace("\\", "/").split("/") if name not in ("", ".")]


def _surviving_bytes(node: _Node, rng: "Random") -> bytes:
    """Content that the disk may hold after a power loss, between the synced and the current content."""
    dirty = sorted(node.dirty_pages)
    if rng.random() < 0.5:
        kept = set(dirty[: rng.randint(0, len(dirty))])
    else:
        kept = {page for page in dirty if rng.random() < 0.5}
    size = rng.choice((len(node.synced), len(node.data), rng.randint(0, max(len(node.synced), len(node.data)))))
    if not dirty or size < min(len(node.synced), len(node.data)):
        size = len(node.data) if kept == set(dirty) else len(node.synced)
    content = bytearray(node.synced[:size].ljust(size, b"\0"))
    for page in kept:
        start = page * PAGE_BYTES
        end = start + PAGE_BYTES
        if page == max(kept):
            end = start + SECTOR_BYTES * rng.randint(1, PAGE_BYTES // SECTOR_BYTES)
        new = node.data[start:end].ljust(end - start, b"\0")
        content[start : min(end, size)] = new[: max(0, size - start)]
    return bytes(content)


def _copy(source: _Directory, target: _Directory, path: str, survivors: "Survivors | None") -> None:
    entries = source.entries
    if survivors is not None and source.changes:
        entries = dict(source.synced)
        for change in source.changes[: survivors.changes(path, len(source.changes))]:
            _apply(entries, change)
    for name in sorted(entries):
        node = entries[name]
        if isinstance(node, _Directory):
            inner = target.entries[name] = _Directory()
            _copy(node, inner, f"{path}/{name}", survivors)
            continue
        content: Buffer = node.data
        if survivors is not None and (node.dirty_pages or len(node.synced) != len(node.data)):
            content = survivors.content(f"{path}/{name}", node.synced, bytes(node.data), node.dirty_pages)
        copied = target.entries[name] = _Node()
        copied.data += content
        copied.sync()
    target.sync()


def _files(directory: _Directory, path: str) -> "Iterator[tuple[str, bytes]]":
    for name, node in sorted(directory.entries.items()):
        if isinstance(node, _Directory):
            yield from _files(node, f"{path}/{name}")
        else:
            yield f"{path}/{name}", bytes(node.data)
