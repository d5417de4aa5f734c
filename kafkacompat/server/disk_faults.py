"""Makes the disk of one file system slow, full or broken, while it is in use."""

from __future__ import annotations

import errno
import os
import threading
import time

from kafkacompat.storage.fs import RealFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.storage.fs import Buffer, RealFile

ENTRY_BYTES = 4096
"""What a new directory takes of a disk."""


class DiskFaults:
    """The faults of one disk. Made on the event loop, whose thread is never delayed.

    fsync_delay_ms: each fsync on a background thread takes so much longer. free_bytes: so much can still be written;
    what is removed is free again. None: the real disk's. error_number: every write and fsync fails with it.
    """

    def __init__(
        self, *, fsync_delay_ms: float = 0, free_bytes: int | None = None, error_number: int | None = None
    ) -> None:
        self.fsync_delay_ms = fsync_delay_ms
        self.free_bytes = free_bytes
        self.error_number = error_number
        self._loop_thread = threading.get_ident()
        self._lock = threading.Lock()

    def write(self, size_bytes: int) -> None:
        """Called before a write. Raises OSError if it fails."""
        self._fail()
        if self.free_bytes is not None:
            with self._lock:
                if size_bytes > self.free_bytes:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self.free_bytes -= size_bytes

    def sync(self) -> None:
        """Called before an fsync. Raises OSError if it fails."""
        self._fail()
        if self.fsync_delay_ms and threading.get_ident() != self._loop_thread:
            time.sleep(self.fsync_delay_ms / 1000)

    def free(self, size_bytes: int) -> None:
        """Called after a file was removed or cut."""
        if self.free_bytes is not None:
            with self._lock:
                self.free_bytes += size_bytes

    def _fail(self) -> None:
        if self.error_number is not None:
            raise OSError(self.error_number, os.strerror(self.error_number))


def set_faults(fs: RealFs, faults: DiskFaults | None) -> None:
    """Give a file system these faults in place of earlier ones, open files included; None ends them."""
    file_class = fs.file_class
    for name in ("write", "truncate", "fsync"):
        if name in file_class.__dict__:
            delattr(file_class, name)
    sound = next(each for each in type(fs).__mro__ if issubclass(each, RealFs) and not issubclass(each, FaultyFs))
    fs.__class__ = sound
    fs.faults = faults
    if faults is None:
        return
    base: type[RealFile] = file_class.__mro__[1]

    def write(self: RealFile, parts: Sequence[Buffer]) -> int:
        faults.write(sum(map(len, parts)))
        return base.write(self, parts)

    def truncate(self: RealFile, size_bytes: int) -> None:
        before = self.size()
        base.truncate(self, size_bytes)
        faults.free(before - size_bytes)

    def fsync(self: RealFile) -> None:
        faults.sync()
        base.fsync(self)

    for method in (write, truncate, fsync):
        setattr(file_class, method.__name__, method)
    fs.__class__ = type("FaultyFs", (FaultyFs, sound), {"__slots__": ()}) if sound is not RealFs else FaultyFs


class FaultyFs(RealFs):
    """A file system with faults. `faults` is set."""

    __slots__ = ()

    def mkdir(self, path: str) -> None:
        if not self.exists(path):
            self._faults.write(ENTRY_BYTES)
        super().mkdir(path)

    def rename(self, path: str, new_path: str) -> None:
        self._faults.write(0)
        super().rename(path, new_path)

    def remove(self, path: str) -> None:
        size_bytes = self.size(path)
        super().remove(path)
        self._faults.free(size_bytes)

    def rmtree(self, path: str) -> None:
        size_bytes = sum(self.size(f"{directory}/{name}") for directory, _, names in os.walk(path) for name in names)
        super().rmtree(path)
        self._faults.free(size_bytes)

    def fsync_dir(self, path: str) -> None:
        self._faults.sync()
        super().fsync_dir(path)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        self._faults.write(len(data))
        if sync:
            self._faults.sync()
        super().write_atomic(path, data, sync=sync)

    def allocate(self, path: str, size_bytes: int) -> None:
        self._faults.write(size_bytes)
        super().allocate(path, size_bytes)

    def disk_usage(self, path: str) -> tuple[int, int]:
        total, usable = super().disk_usage(path)
        free_bytes = self._faults.free_bytes
        return total, usable if free_bytes is None else min(usable, max(0, free_bytes))

    @property
    def _faults(self) -> DiskFaults:
        faults = self.faults
        assert isinstance(faults, DiskFaults)
        return faults
