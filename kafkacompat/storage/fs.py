"""The file operations that storage needs: the interface ``Fs``, and the real file system.

Storage reaches the disk only through an ``Fs``. Tests use ``memfs.MemFs``, which can lose unsynced data, tear writes
and fill up. Paths are plain strings, joined with "/". Errors are the operating system's own ``OSError``. This module
has the fallbacks for systems without ``os.pread``, ``os.writev``, ``flock`` or fsync of a directory.

A file is used by one thread at a time, except that ``fsync`` may run beside the rest.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # importing typing costs more than this module

Buffer = bytes | bytearray | memoryview

MAX_PARTS_PER_WRITE = 1024  #: IOV_MAX of Linux and macOS
ALLOCATE_BYTES = 1024 * 1024  #: bytes per write on systems without ``posix_fallocate``
READ_BYTES = 4096  #: the least that is asked for at once: files of /proc have no size
TEMPORARY_SUFFIX = ".tmp"  #: of a new version of a file before it is renamed over the old one, as in Kafka


class File(Protocol):
    """An open file. Reads are positional, writes go to the end."""

    def write(self, parts: Sequence[Buffer]) -> int:
        """Append ``parts`` and return their size in bytes. After an error, any prefix of them may be in the file."""

    def pread(self, offset: int, size_bytes: int) -> bytes:
        """Read ``size_bytes`` at ``offset``; fewer only at the end of the file."""

    def truncate(self, size_bytes: int) -> None: ...

    def fsync(self) -> None:
        """Make the file's bytes and size durable."""

    def size(self) -> int: ...

    def fileno(self) -> int:
        """The descriptor, for ``sendfile``; −1 if there is none."""

    def close(self) -> None:
        """Close the descriptor. A second call does nothing."""


class Fs(Protocol):
    """A file system."""

    @property
    def is_temporary(self) -> bool:
        """Whether the data need not survive a restart; then nothing is synced."""

    @property
    def ends_with_process(self) -> bool:
        """Whether nobody reads the files after this process."""

    def open(self, path: str, *, append: bool = False) -> File:
        """Open for reading; with ``append`` also for appending, and the file is created if it is missing."""

    def lock(self, path: str) -> File:
        """Create ``path`` if needed and lock it until it is closed. Raises BlockingIOError if it is locked."""

    def mkdir(self, path: str) -> None:
        """Create a directory and its parents; no error if it exists."""

    def listdir(self, path: str) -> list[str]:
        """The names in a directory, sorted."""

    def exists(self, path: str) -> bool: ...

    def is_dir(self, path: str) -> bool: ...

    def size(self, path: str) -> int:
        """Size of a file in bytes, without opening it."""

    def rename(self, path: str, new_path: str) -> None:
        """Atomically move ``path`` over ``new_path``, within a directory."""

    def remove(self, path: str) -> None: ...

    def rmtree(self, path: str) -> None:
        """Remove a directory and its contents."""

    def fsync_dir(self, path: str) -> None:
        """Make the directory's entries (created, renamed and removed files) durable."""

    def read_bytes(self, path: str) -> bytes: ...

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        """Write ``data`` to a temporary file and rename it to ``path``. With ``sync`` it is durable on return."""

    def allocate(self, path: str, size_bytes: int) -> None:
        """Create a file that occupies ``size_bytes`` of the disk. After an error the file does not exist."""

    def disk_usage(self, path: str) -> tuple[int, int]:
        """Total and usable bytes of the disk that holds ``path``; −1 for an unknown value."""

    def apart(self) -> "Fs":
        """The same files, for a directory on another disk, which may fail by itself."""

    @property
    def is_full(self) -> bool:
        """Whether a write found the disk full and there has been no space since. Only ``ReserveFs`` knows that."""

    def make_room(self, error: OSError) -> bool:
        """A write failed with ``error`` because the disk is full: free the reserve. False if there is no reserve."""


class RealFile:
    """A file on systems with ``pread`` and ``writev``: Linux, macOS."""

    __slots__ = ("_fd", "_syncs")

    def __init__(self, fd: int, *, syncs: bool) -> None:
        self._fd = fd
        self._syncs = syncs

    def write(self, parts: Sequence[Buffer]) -> int:
        total = sum(map(len, parts))
        if len(parts) <= MAX_PARTS_PER_WRITE:
            written = os.writev(self._fd, parts)
            if written == total:
                return total
            parts = _drop(parts, written)
        while parts:
            parts = _drop(parts, os.writev(self._fd, parts[:MAX_PARTS_PER_WRITE]))
        return total

    def pread(self, offset: int, size_bytes: int) -> bytes:
        return os.pread(self._fd, size_bytes, offset)

    def truncate(self, size_bytes: int) -> None:
        os.ftruncate(self._fd, size_bytes)

    def fsync(self) -> None:
        if self._syncs:
            getattr(os, "fdatasync", os.fsync)(self._fd)

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


class PortableFile(RealFile):
    """A file on systems without ``pread`` and ``writev``: Windows."""

    __slots__ = ()

    def write(self, parts: Sequence[Buffer]) -> int:
        left = memoryview(parts[0] if len(parts) == 1 else b"".join(parts))
        total = len(left)
        while left:  # the descriptor is in append mode: the seeks in `pread` do not affect writes
            left = left[os.write(self._fd, left) :]
        return total

    def pread(self, offset: int, size_bytes: int) -> bytes:
        os.lseek(self._fd, offset, os.SEEK_SET)
        return os.read(self._fd, size_bytes)


def _drop(parts: Sequence[Buffer], written: int) -> list[Buffer]:
    """The part of ``parts`` that follows the first ``written`` bytes."""
    for index, part in enumerate(parts):
        if written < len(part):
            return [memoryview(part)[written:], *parts[index + 1 :]]
        written -= len(part)
    return []


class RealFs:
    """The operating system's files. With ``temporary`` nothing is synced, because the data need not survive.

    ``ends_with_process``: nobody reads the files after this process, even if it is killed, as is so for nodes inside a
    Python program. So nobody can find a half of a new file, and it is written without the detour of a rename.
    """

    __slots__ = ("_syncs", "_writes_in_place", "faults", "file_class")

    def __init__(self, *, temporary: bool = False, ends_with_process: bool = False) -> None:
        self._syncs = not temporary
        self._writes_in_place = ends_with_process
        has_all_calls = hasattr(os, "pread") and hasattr(os, "writev")
        base = RealFile if has_all_calls else PortableFile
        # A class of its own, so that server/disk_faults.py can change the open files of this file system and no others.
        self.file_class: type[RealFile] = type(base.__name__, (base,), {"__slots__": ()})
        self.faults: object = None  # those that server/disk_faults.py has set

    @property
    def is_temporary(self) -> bool:
        """Whether the data need not survive a restart; then nothing is synced."""
        return not self._syncs

    @property
    def ends_with_process(self) -> bool:
        """Whether nobody reads the files after this process."""
        return self._writes_in_place

    def open(self, path: str, *, append: bool = False) -> RealFile:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if append else os.O_RDONLY
        fd = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o644)
        return self.file_class(fd, syncs=self._syncs)

    def lock(self, path: str) -> RealFile:
        file = self.open(path, append=True)
        try:
            lock_descriptor(file.fileno())
        except BaseException:
            file.close()
            raise
        return file

    def mkdir(self, path: str) -> None:
        try:
            os.mkdir(path)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
        except FileNotFoundError:
            os.makedirs(path, exist_ok=True)

    def listdir(self, path: str) -> list[str]:
        return sorted(os.listdir(path))

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_dir(self, path: str) -> bool:
        return os.path.isdir(path)

    def size(self, path: str) -> int:
        return os.stat(path).st_size

    def rename(self, path: str, new_path: str) -> None:
        os.replace(path, new_path)

    def remove(self, path: str) -> None:
        os.unlink(path)

    def rmtree(self, path: str) -> None:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    self.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(path)

    def fsync_dir(self, path: str) -> None:
        if not self._syncs or not hasattr(os, "O_DIRECTORY"):
            return  # Windows cannot sync a directory; its file system journals the entries
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def read_bytes(self, path: str) -> bytes:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            size_bytes = os.fstat(fd).st_size
            pieces = [os.read(fd, max(size_bytes, READ_BYTES) + 1)]
            while pieces[-1] and not len(pieces[0]) == size_bytes > 0:
                pieces.append(os.read(fd, READ_BYTES))
        finally:
            os.close(fd)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        if self._writes_in_place:
            with suppress(FileExistsError):
                _create(path, os.O_EXCL, lambda fd: _write_all(fd, data))
                return
        temporary_path = path + TEMPORARY_SUFFIX
        try:
            with open(temporary_path, "wb") as file:
                file.write(data)
                if sync and self._syncs:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(temporary_path, path)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary_path)  # the disk may be full
            raise
        if sync:
            self.fsync_dir(os.path.dirname(path) or ".")

    def allocate(self, path: str, size_bytes: int) -> None:
        _create(path, os.O_TRUNC, lambda fd: _allocate(fd, size_bytes))

    is_full = False

    def apart(self) -> Fs:
        """The same files, for a directory on another disk, which may fail by itself."""
        if type(self) is not RealFs:
            return self
        return RealFs(temporary=not self._syncs, ends_with_process=self._writes_in_place)

    def make_room(self, error: OSError) -> bool:  # noqa: ARG002 (there is no reserve)
        return False

    def disk_usage(self, path: str) -> tuple[int, int]:
        if hasattr(os, "statvfs"):
            disk = os.statvfs(path)
            return disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize
        from shutil import disk_usage  # a slow import

        usage = disk_usage(path)
        return usage.total, usage.free


def _create(path: str, if_exists: int, fill: Callable[[int], None]) -> None:
    """Make an empty file, and have `fill` write to its descriptor; after an OSError the file does not exist.

    if_exists: os.O_TRUNC, or os.O_EXCL, which raises FileExistsError and leaves the file as it is.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | if_exists | getattr(os, "O_BINARY", 0), 0o644)
    try:
        try:
            fill(fd)
        finally:
            os.close(fd)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise


def _write_all(fd: int, data: Buffer) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _allocate(fd: int, size_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size_bytes)
        return
    for start in range(0, size_bytes, ALLOCATE_BYTES):
        os.write(fd, bytes(min(ALLOCATE_BYTES, size_bytes - start)))


def lock_descriptor(fd: int, *, is_shared: bool = False) -> None:
    """Lock against other brokers. Raises BlockingIOError if the lock is taken.

    ``flock`` excludes other kafkacompat brokers, also in this process. ``lockf`` excludes Apache Kafka:
    ``FileChannel.tryLock`` takes a POSIX lock, which is independent of ``flock``. ``is_shared``: with others that only
    read, so that nobody can have it for itself; then ``fd`` may be open for reading only.
    """
    try:
        import fcntl
    except ImportError:
        _lock_descriptor_on_windows(fd)
        return
    operation = (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    fcntl.flock(fd, operation)
    try:
        fcntl.lockf(fd, operation)
    except PermissionError as error:  # POSIX allows EACCES instead of EAGAIN here
        raise BlockingIOError(error.errno, error.strerror) from None


def _lock_descriptor_on_windows(fd: int) -> None:
    try:
        import msvcrt
    except ImportError:
        return  # this system has no file locks
    try:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError as error:
        raise BlockingIOError(error.errno, error.strerror) from None
