"""Files of which all together may take a limited number of bytes: for data that are kept in memory (a tmpfs)."""

import errno
import os
import threading
from collections.abc import Sequence

from kafkacompat.storage.fs import Buffer, RealFile, RealFs

RESERVE_BYTES = 8 * 1024 * 1024
"""What the metadata log, checkpoints and new directories may take beyond the limit, so that a full node goes on."""
METADATA = "/__cluster_metadata-"


class Usage:
    """The bytes of all files of one file system. Thread-safe. what: the setting that limits it, for the error."""

    def __init__(self, limit_bytes: int, what: str) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self._what = what
        self._lock = threading.Lock()

    def add(self, size_bytes: int, *, may_use_reserve: bool) -> None:
        """Raises OSError (ENOSPC), which names the setting, if there is no room."""
        limit_bytes = self.limit_bytes + (RESERVE_BYTES if may_use_reserve else 0)
        with self._lock:
            if self.used_bytes + size_bytes > limit_bytes:
                raise OSError(
                    errno.ENOSPC, f"{self._what}={self.limit_bytes} is used up: raise it, or delete topics or records"
                )
            self.used_bytes += size_bytes

    def free(self, size_bytes: int) -> None:
        """Called when files became smaller or were removed."""
        with self._lock:
            self.used_bytes = max(0, self.used_bytes - size_bytes)


class LimitedFile(RealFile):
    """A file that counts what is written to it. The file system sets both attributes."""

    __slots__ = ("may_use_reserve", "usage")

    usage: Usage
    may_use_reserve: bool

    def write(self, parts: Sequence[Buffer]) -> int:
        size_bytes = sum(map(len, parts))
        self.usage.add(size_bytes, may_use_reserve=self.may_use_reserve)
        before = self.size()
        try:
            return super().write(parts)
        except OSError:
            self.usage.free(before + size_bytes - self.size())
            raise

    def truncate(self, size_bytes: int) -> None:
        before = self.size()
        super().truncate(size_bytes)
        self.usage.free(before - size_bytes)


class LimitedFs(RealFs):
    """A temporary file system with a limit. Files of an earlier one in the same place are counted when it is made."""

    __slots__ = ("_usage",)

    def __init__(
        self, limit_bytes: int, what: str, directories: Sequence[str] = (), usage: Usage | None = None
    ) -> None:
        super().__init__(temporary=True, ends_with_process=True)
        self.file_class: type[LimitedFile] = type("LimitedFile", (LimitedFile,), {"__slots__": ()})
        self._usage = usage or Usage(limit_bytes, what)
        for directory in directories:
            self._usage.used_bytes += _size_of_tree(directory)

    def apart(self) -> "LimitedFs":
        return LimitedFs(0, "", usage=self._usage)

    @property
    def used_bytes(self) -> int:
        """The bytes of all files."""
        return self._usage.used_bytes

    def open(self, path: str, *, append: bool = False) -> RealFile:
        file = super().open(path, append=append)
        assert isinstance(file, LimitedFile)
        file.usage, file.may_use_reserve = self._usage, METADATA in path or ".lock" in path
        return file

    def rename(self, path: str, new_path: str) -> None:
        replaced = _size_of_file(new_path)
        super().rename(path, new_path)
        self._usage.free(replaced)

    def remove(self, path: str) -> None:
        size_bytes = _size_of_file(path)
        super().remove(path)
        self._usage.free(size_bytes)

    def rmtree(self, path: str) -> None:
        size_bytes = _size_of_tree(path)
        super().rmtree(path)
        self._usage.free(size_bytes)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        self._usage.add(len(data), may_use_reserve=True)
        replaced = _size_of_file(path)
        try:
            super().write_atomic(path, data, sync=sync)
        except OSError:
            self._usage.free(len(data))
            raise
        self._usage.free(replaced)

    def allocate(self, path: str, size_bytes: int) -> None:
        self._usage.add(size_bytes, may_use_reserve=False)
        try:
            super().allocate(path, size_bytes)
        except OSError:
            self._usage.free(size_bytes)
            raise

    def disk_usage(self, path: str) -> tuple[int, int]:
        _, usable = super().disk_usage(path)
        limit_bytes = self._usage.limit_bytes
        return limit_bytes, max(0, min(usable, limit_bytes - self._usage.used_bytes))


def _size_of_file(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 (pathlib costs start-up time)
    except FileNotFoundError:
        return 0


def _size_of_tree(path: str) -> int:
    return sum(_size_of_file(f"{directory}/{name}") for directory, _, names in os.walk(path) for name in names)
