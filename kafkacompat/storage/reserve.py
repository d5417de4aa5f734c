"""Handling of full disks: the reserve file is removed, and appends are refused until there is space for it again.

Apache Kafka treats ENOSPC as a failure of the log directory. Here only appends stop: reads, deletions, checkpoints and
the metadata log continue in the space of the reserve.
"""

import errno
import logging
from collections.abc import Callable
from contextlib import suppress

from kafkacompat.storage.fs import Buffer, File, Fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Answer = TypeVar("Answer")

FILE_NAME = "disk-reserve"
RESERVE_BYTES = 8 * 1024 * 1024
"""For checkpoints, renames, new directories and the metadata log: about 500 new partitions or 80,000 changes."""
ROOM_BYTES = 8 * 1024 * 1024
"""Free space required in addition to the reserve before appends resume; with less they would soon stop again."""
_log = logging.getLogger(__name__)

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def is_out_of_space(error: BaseException) -> bool:
    """Whether the error means that the disk or a quota is full. The data on the disk is intact."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def is_out_of_descriptors(error: BaseException) -> bool:
    """Whether the error means that the process, or the system, can open no more files. The disk is sound."""
    return isinstance(error, OSError) and error.errno in _NO_DESCRIPTORS


def is_shortage(error: BaseException) -> bool:
    """Whether room or descriptors are short: what failed is tried again, and nothing goes offline."""
    return is_out_of_space(error) or is_out_of_descriptors(error)


def is_disk_failure(error: OSError) -> bool:
    """Whether the error means that a disk fails. One without a number is none of the system's."""
    return error.errno is not None and not is_shortage(error)


class ReserveFs:
    """The file system of a data directory, with a reserve. A temporary file system has no reserve.

    Operations that create, rename or replace a file are retried after the reserve is removed. Writes to an open file
    are not retried: the writer decides whether it may use the reserve. Thread-safe, except that only one thread may
    call ``restore``.
    """

    __slots__ = ("_fs", "_removal_count", "_reserve_bytes", "_written_at", "directory", "is_full")

    def __init__(self, fs: Fs, directory: str) -> None:
        self._fs = fs
        self._reserve_bytes = 0 if fs.is_temporary else RESERVE_BYTES
        self._removal_count = 0
        self._written_at: int | None = None  # the value of _removal_count when the reserve was written
        self.directory = directory
        self.is_full = False

    # --- the reserve ---

    def remove_reserve(self) -> None:
        """Remove the reserve file: at startup, at shutdown, and when the disk is full."""
        self._removal_count += 1
        with suppress(OSError):
            if self._fs.exists(self._path):
                self._fs.remove(self._path)

    def make_room(self, error: OSError) -> bool:
        """A write failed with ``error`` because the disk is full: remove the reserve, so that a retry may succeed."""
        if not self.is_full:
            self.is_full = True
            _log.error(
                "the disk of %s is full (%s): appends are refused until %d MiB are free; reads and deletions go on",
                self.directory, error.strerror or error, (self._reserve_bytes + ROOM_BYTES) >> 20,
            )  # fmt: skip
        self.remove_reserve()
        return True

    @property
    def needs_restore(self) -> bool:
        """Whether ``restore`` has work to do: the reserve is missing, or appends are refused."""
        return self._written_at != self._removal_count and (self.is_full or self._reserve_bytes > 0)

    def restore(self) -> None:
        """Write the reserve file if it is missing. Allow appends again if there is ROOM_BYTES of space besides.

        It runs on a background thread, because a file system may take long to find space. A reserve that is removed
        meanwhile by another thread is not kept.
        """
        if not self.needs_restore:
            return
        removal_count = self._removal_count
        wanted_bytes = self._reserve_bytes + (ROOM_BYTES if self.is_full else 0)
        try:
            if 0 <= self._fs.disk_usage(self.directory)[1] < wanted_bytes:
                return  # saves the slow search that some file systems do before they report ENOSPC
            self._fs.allocate(self._path, wanted_bytes)
            if self._removal_count != removal_count or not self._reserve_bytes:
                self._fs.remove(self._path)
            elif self.is_full:
                self._shrink()
        except OSError as error:
            if not is_out_of_space(error) and self._removal_count == removal_count:
                _log.warning("no room can be kept in reserve in %s: %s", self.directory, error)
            return
        if self._removal_count != removal_count:
            return
        if self._reserve_bytes:
            self._written_at = removal_count
        if self.is_full:
            self.is_full = False
            _log.warning("the disk of %s has room again: appends go on", self.directory)

    def _shrink(self) -> None:
        file = self._fs.open(self._path, append=True)
        try:
            file.truncate(self._reserve_bytes)
        finally:
            file.close()

    @property
    def _path(self) -> str:
        return f"{self.directory}/{FILE_NAME}"

    def _with_room(self, action: "Callable[[], Answer]") -> "Answer":
        try:
            return action()
        except OSError as error:
            if not is_out_of_space(error):
                raise
            self.make_room(error)
            return action()

    # --- as Fs ---

    @property
    def is_temporary(self) -> bool:
        return self._fs.is_temporary

    @property
    def ends_with_process(self) -> bool:
        return self._fs.ends_with_process

    def open(self, path: str, *, append: bool = False) -> File:
        return self._with_room(lambda: self._fs.open(path, append=append))

    def lock(self, path: str) -> File:
        return self._fs.lock(path)

    def mkdir(self, path: str) -> None:
        self._with_room(lambda: self._fs.mkdir(path))

    def listdir(self, path: str) -> list[str]:
        return self._fs.listdir(path)

    def exists(self, path: str) -> bool:
        return self._fs.exists(path)

    def is_dir(self, path: str) -> bool:
        return self._fs.is_dir(path)

    def size(self, path: str) -> int:
        return self._fs.size(path)

    def rename(self, path: str, new_path: str) -> None:
        self._with_room(lambda: self._fs.rename(path, new_path))

    def remove(self, path: str) -> None:
        self._fs.remove(path)

    def rmtree(self, path: str) -> None:
        self._fs.rmtree(path)

    def fsync_dir(self, path: str) -> None:
        self._fs.fsync_dir(path)

    def read_bytes(self, path: str) -> bytes:
        return self._fs.read_bytes(path)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        self._with_room(lambda: self._fs.write_atomic(path, data, sync=sync))

    def allocate(self, path: str, size_bytes: int) -> None:
        self._fs.allocate(path, size_bytes)

    def apart(self) -> Fs:
        return self._fs.apart()

    @property
    def files(self) -> Fs:
        """The file system below."""
        return self._fs

    def disk_usage(self, path: str) -> tuple[int, int]:
        return self._fs.disk_usage(path)
