"""A file system in memory that can do what disks do: lose what was not synced, tear a write, flip a bit, fill up, fail.

Same interface as ``fs.RealFs``. Deterministic: what chance decides comes from a ``random.Random`` that is passed in.
A directory's names and a file's bytes each have a current state and the one that was last synced; a power cut leaves
something between the two.
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

PAGE_BYTES = 4096  #: pages reach the disk in any order …
SECTOR_BYTES = 512  #: … and within one, a sector is the smallest part that is whole or not there

Operation = tuple[str, str, int]
"""What was done: name of the ``Fs`` or ``File`` method, path, number of bytes (or size, or 0)."""


class _Node:
    """A file's bytes: as they are, as they were last synced, and the pages that may differ."""

    __slots__ = ("data", "dirty_pages", "reserved_bytes", "synced")

    def __init__(self) -> None:
        self.data = bytearray()
        self.reserved_bytes = 0  # of the disk, with nothing in them
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

    def settle(self, content: bytes) -> None:
        """Become ``content`` for good: that is what the disk holds after a crash."""
        self.data = bytearray(content)
        self.sync()


class _Directory:
    """Names: as they are, as they were last synced, and the changes in between in their order."""

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

    def settle(self, kept_changes: int) -> None:
        """Become what the disk holds when the first ``kept_changes`` since the last sync have reached it."""
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
    """An open file of a ``MemFs``; invalid after a crash, as its process is gone."""

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
        fitting = self._fs.take_space(len(data))
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
            self._fs.give_space(node.reserved_bytes - size_bytes)
            node.reserved_bytes = size_bytes
            return
        self._fs.give_space(len(node.data) - size_bytes)
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
    """Who decides what a power cut leaves."""

    def changes(self, path: str, count: int) -> int:
        """How many of the ``count`` changes of a directory since its last sync, in their order."""

    def content(self, path: str, synced: bytes, current: bytes, dirty_pages: "set[int]") -> bytes:
        """Of a file that is not as it was synced."""


class MemFs:
    """Directories and files in memory. ``free_bytes`` is the space left on the disk, None for no limit."""

    def __init__(self, *, free_bytes: int | None = None) -> None:
        self.free_bytes = free_bytes
        self.generation = 0  #: counts the crashes, so that files opened before one are known
        self.operations: list[Operation] | None = None
        self._root = _Directory()
        self._locked: set[str] = set()
        self._faults: list[tuple[Callable[[Operation], bool], int]] = []

    # What tests ask for

    def record(self) -> list[Operation]:
        """Start to list the operations done from now on; the answer grows."""
        self.operations = []
        return self.operations

    def fail_next(self, matches: Callable[[Operation], bool], error_number: int = errno.EIO) -> None:
        """Let the next operation that matches fail, before it has done anything, with an OSError."""
        self._faults.append((matches, error_number))

    def flip_bit(self, path: str, offset: int, bit: int = 0) -> None:
        """Change one bit of what is stored, as a bad disk does."""
        node = self._file(path)
        node.data[offset] ^= 1 << bit
        if offset < len(node.synced):
            synced = bytearray(node.synced)
            synced[offset] ^= 1 << bit
            node.synced = bytes(synced)

    def set_byte(self, path: str, offset: int, value: int) -> None:
        """Change a byte of what is stored."""
        node = self._file(path)
        node.data[offset] = value
        node.sync()

    def restart(self) -> None:
        """The process dies, the system lives on (``kill -9``): open files and locks are gone, all bytes are kept."""
        self.generation += 1
        self._locked.clear()

    def crash(self, rng: "Random | None" = None) -> None:
        """The power fails. Without ``rng`` nothing survives that was not synced, with it a random part does:
        of a directory's changes the first few; of a file's dirty pages either the first ones or any of them, the last
        one torn at a sector."""
        self.restart()
        self._settle(self._root, rng)

    def copy(self, survivors: "Survivors | None" = None) -> "MemFs":
        """The files as another process finds them, all synced: those of now, or what ``survivors`` leave of them."""
        copied = MemFs()
        _copy(self._root, copied._root, "", survivors)
        return copied

    def files(self) -> "dict[str, bytes]":
        """Path and content of each file."""
        return dict(_files(self._root, ""))

    def _settle(self, directory: _Directory, rng: "Random | None") -> None:
        directory.settle(rng.randint(0, len(directory.changes)) if rng else 0)
        for name in sorted(directory.entries):
            node = directory.entries[name]
            if isinstance(node, _Directory):
                self._settle(node, rng)
            else:
                node.settle(_surviving_bytes(node, rng) if rng else node.synced)

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        """Called by each operation before it does anything: write it down, and fail if that was asked for."""
        operation = (name, path, size_bytes)
        if self.operations is not None:
            self.operations.append(operation)
        for index, (matches, error_number) in enumerate(self._faults):
            if matches(operation):
                del self._faults[index]
                raise OSError(error_number, "injected fault", path)

    def take_space(self, wanted_bytes: int) -> int:
        """How many of ``wanted_bytes`` fit on the disk; they are taken."""
        if self.free_bytes is None:
            return wanted_bytes
        fitting = min(wanted_bytes, self.free_bytes)
        self.free_bytes -= fitting
        return fitting

    def give_space(self, size_bytes: int) -> None:
        if self.free_bytes is not None:
            self.free_bytes += size_bytes

    # The interface of Fs

    @property
    def is_temporary(self) -> bool:
        """Never: this file system is there to lose what was not synced."""
        return False

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
                raise FileExistsError(errno.EEXIST, "a file is in the way", path)
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
            self._release(replaced)
        directory.change({name: None, new_name: node})

    def remove(self, path: str) -> None:
        self.begin("remove", path)
        self._release(self._file(path))
        directory, name = self._parent(path)
        directory.change({name: None})

    def rmtree(self, path: str) -> None:
        self.begin("rmtree", path)
        self._release(self._directory(path))
        directory, name = self._parent(path)
        directory.change({name: None})

    def fsync_dir(self, path: str) -> None:
        self.begin("fsync_dir", path)
        self._directory(path).sync()

    def read_bytes(self, path: str) -> bytes:
        self.begin("read_bytes", path)
        return bytes(self._file(path).data)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        beside = path + TEMPORARY_SUFFIX
        file = self.open(beside, append=True)
        try:
            file.truncate(0)
            file.write([data])
            if sync:
                file.fsync()
            file.close()
            self.rename(beside, path)
        except OSError:
            if self.exists(beside):
                self.remove(beside)
            raise
        if sync:
            self.fsync_dir("/".join(_split(path)[:-1]))

    def allocate(self, path: str, size_bytes: int) -> None:
        self.begin("allocate", path, size_bytes)
        if self.exists(path):
            self.remove(path)
        taken = self.take_space(size_bytes)
        if taken < size_bytes:
            self.give_space(taken)
            raise OSError(errno.ENOSPC, "no space left on device", path)
        directory, name = self._parent(path)
        node = _Node()
        node.reserved_bytes = size_bytes
        directory.change({name: node})

    is_full = False

    def make_room(self, error: OSError) -> bool:  # noqa: ARG002 (there is no reserve)
        return False

    def disk_usage(self, path: str) -> tuple[int, int]:
        self._directory(path)
        return -1, -1 if self.free_bytes is None else self.free_bytes

    # Paths

    def _release(self, node: _Directory | _Node) -> None:
        if isinstance(node, _Node):
            self.give_space(len(node.data) + node.reserved_bytes)
            return
        for child in node.entries.values():
            self._release(child)

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
    """A state that the disk may hold after a power cut, somewhere between what was synced and what was written."""
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
