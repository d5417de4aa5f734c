"""Files that can be changed without a write: changes stay in memory, above files of the disk that stay as they are.

Recovery, and a whole broker, can work on a data directory that nobody may change: to see what they would do
(`verify.py`), and to serve it read-only. A changed file is the beginning of the one on the disk, and what was appended
in memory, so that a truncation or an append to a file of any size copies nothing.
"""

import errno
import os
from collections.abc import Sequence

from kafkacompat.storage.fs import Buffer, File, Fs, lock_descriptor


class _Content:
    """A file: the first `base_bytes` of the one at `base_path` on the disk, and `tail` behind them."""

    __slots__ = ("base_bytes", "base_path", "tail")

    def __init__(self, base_path: str | None, base_bytes: int, tail: Buffer = b"") -> None:
        self.base_path = base_path
        self.base_bytes = base_bytes
        self.tail = bytearray(tail)

    @property
    def size_bytes(self) -> int:
        return self.base_bytes + len(self.tail)


class OverlayFile:
    """An open file of an `OverlayFs`. base: the file on the disk, if it has a part there."""

    __slots__ = ("_base", "_content")

    def __init__(self, content: _Content, base: File | None) -> None:
        self._content = content
        self._base = base

    def write(self, parts: Sequence[Buffer]) -> int:
        """Append in memory."""
        for part in parts:
            self._content.tail += part
        return sum(map(len, parts))

    def pread(self, offset: int, size_bytes: int) -> bytes:
        """See `File.pread`."""
        content = self._content
        found = b""
        if self._base is not None and offset < content.base_bytes:
            found = self._base.pread(offset, min(size_bytes, content.base_bytes - offset))
        begin = max(0, offset - content.base_bytes)
        rest = size_bytes - len(found)
        return found + bytes(content.tail[begin : begin + rest]) if rest else found

    def truncate(self, size_bytes: int) -> None:
        """Forget, or add zeros, in memory."""
        content = self._content
        if size_bytes < content.base_bytes:
            content.base_bytes = size_bytes
        kept = size_bytes - content.base_bytes
        del content.tail[kept:]
        content.tail.extend(bytes(kept - len(content.tail)))

    def fsync(self) -> None:
        """There is nothing to sync."""

    def size(self) -> int:
        return self._content.size_bytes

    def fileno(self) -> int:
        """None: what is in memory cannot be sent from a descriptor."""
        return -1

    def close(self) -> None:
        """Close the file on the disk."""
        base, self._base = self._base, None
        if base is not None:
            base.close()


class OverlayFs:
    """See the module. base: the file system whose files are read; nothing is written there, and none is locked for
    itself alone.
    """

    is_temporary = True
    ends_with_process = True
    is_full = False

    def __init__(self, base: Fs) -> None:
        self._base = base
        self._files: dict[str, _Content] = {}
        self._directories: set[str] = set()  # made here
        self._gone: set[str] = set()  # files and directories of the disk, with all that is below them

    def open(self, path: str, *, append: bool = False) -> OverlayFile:
        """See `Fs.open`."""
        content = self._content(path)
        if content is None:
            if not append:
                raise _not_found(path)
            if not self.is_dir(_parent(path)):
                raise _not_found(path)
            content = self._files[path] = _Content(None, 0)
        return OverlayFile(content, None if content.base_path is None else self._base.open(content.base_path))

    def lock(self, path: str) -> OverlayFile:
        """Share the lock of the file on the disk, if there is one: nobody can take it for itself then. Raises
        BlockingIOError if somebody has.
        """
        file = self.open(path, append=True)
        base = file._base  # noqa: SLF001 (of this module)
        if base is not None and base.fileno() >= 0:  # a file in memory belongs to this process
            try:
                lock_descriptor(base.fileno(), is_shared=True)
            except BaseException:
                file.close()
                raise
        return file

    def mkdir(self, path: str) -> None:
        """See `Fs.mkdir`."""
        if self.is_dir(path):
            return
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        parent = _parent(path)
        if parent not in ("", "/", path):
            self.mkdir(parent)
        self._directories.add(path)

    def listdir(self, path: str) -> list[str]:
        """See `Fs.listdir`."""
        if not self.is_dir(path):
            raise _not_found(path)
        names = set()
        if path not in self._directories:
            names = {name for name in self._base.listdir(path) if not self._is_gone(f"{path}/{name}")}
        made = [*list(self._files), *list(self._directories)]
        names |= {each.rpartition("/")[2] for each in made if _parent(each) == path}
        return sorted(names)

    def exists(self, path: str) -> bool:
        """See `Fs.exists`."""
        return path in self._files or path in self._directories or self._is_on_disk(path)

    def is_dir(self, path: str) -> bool:
        """See `Fs.is_dir`."""
        return path in self._directories or (not self._is_gone(path) and self._base.is_dir(path))

    def size(self, path: str) -> int:
        """See `Fs.size`."""
        if path in self._files:
            return self._files[path].size_bytes
        if not self._is_on_disk(path):
            raise _not_found(path)
        return self._base.size(path)

    def rename(self, path: str, new_path: str) -> None:
        """See `Fs.rename`."""
        if not self.is_dir(_parent(new_path)):
            raise _not_found(new_path)
        if self.is_dir(path):
            children = self.listdir(path)
            self._directories.add(new_path)
            for name in children:
                self.rename(f"{path}/{name}", f"{new_path}/{name}")
            self._forget(path)
            return
        content = self._content(path)
        if content is None:
            raise _not_found(path)
        self._forget(path)
        self._files[new_path] = content

    def remove(self, path: str) -> None:
        """See `Fs.remove`."""
        if not self.exists(path):
            raise _not_found(path)
        self._forget(path)

    def rmtree(self, path: str) -> None:
        """See `Fs.rmtree`."""
        for name in self.listdir(path):
            child = f"{path}/{name}"
            (self.rmtree if self.is_dir(child) else self.remove)(child)
        self._forget(path)

    def fsync_dir(self, path: str) -> None:
        """There is nothing to sync."""

    def read_bytes(self, path: str) -> bytes:
        """See `Fs.read_bytes`."""
        if path not in self._files:
            if self._is_gone(path):
                raise _not_found(path)
            return self._base.read_bytes(path)
        file = self.open(path)
        try:
            return file.pread(0, file.size())
        finally:
            file.close()

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:  # noqa: ARG002 (there is nothing to sync)
        """See `Fs.write_atomic`."""
        if not self.is_dir(_parent(path)):
            raise _not_found(path)
        self._files[path] = _Content(None, 0, data)

    def allocate(self, path: str, size_bytes: int) -> None:  # noqa: ARG002 (it takes neither disk nor memory)
        """See `Fs.allocate`."""
        self.write_atomic(path, b"", sync=False)

    def apart(self) -> Fs:
        """What is in memory is for all directories."""
        return self

    def disk_usage(self, path: str) -> tuple[int, int]:
        """See `Fs.disk_usage`."""
        return self._base.disk_usage(path)

    def make_room(self, error: OSError) -> bool:  # noqa: ARG002 (there is no reserve)
        """See `Fs.make_room`."""
        return False

    def _content(self, path: str) -> _Content | None:
        content = self._files.get(path)
        if content is None and self._is_on_disk(path):
            content = self._files[path] = _Content(path, self._base.size(path))
        return content

    def _is_on_disk(self, path: str) -> bool:
        return not self._is_gone(path) and self._base.exists(path)

    def _is_gone(self, path: str) -> bool:
        if not self._gone:
            return False
        while path not in self._gone:
            parent = _parent(path)
            if parent in ("", path):
                return False
            path = parent
        return True

    def _forget(self, path: str) -> None:
        self._files.pop(path, None)
        self._directories.discard(path)
        if not self._is_gone(path) and self._base.exists(path):
            self._gone.add(path)


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or ("/" if path.startswith("/") else ".")


def _not_found(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
