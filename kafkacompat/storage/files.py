"""Open descriptors of segments: at most so many at a time, and never closed under a reader."""

from collections import OrderedDict

from kafkacompat.storage.fs import File, Fs
from kafkacompat.storage.shortage import ShortageReport

#: Descriptors kept open for segments. Logs go on working beyond it, reopening files as they come to be used.
DEFAULT_OPEN_FILES = 512

CHECKS_MAX = 100
"""Files that are looked at to close some of them before another one is opened: thousands may have readers."""


class SharedFile:
    """A file that is opened when it is used and may be closed in between. Owned by one segment.

    ``file`` is the open file or None. A reader that outlives a single call (a response on its way to a socket) holds a
    reference from ``retain`` to ``release``; until then neither eviction nor deletion closes the descriptor.
    """

    __slots__ = ("_cache", "_references", "file", "is_used", "path")

    def __init__(self, cache: "FileCache", path: str) -> None:
        self._cache = cache
        self._references = 0
        self.path = path
        self.file: File | None = None
        self.is_used = False  # since the cache last searched for a file to close

    def open(self) -> File:
        """The open file, for use within the current call. Creates it when it is missing; raises OSError."""
        self.is_used = True
        file = self.file
        return self._cache.open(self) if file is None else file

    @property
    def is_referenced(self) -> bool:
        return self._references > 0

    def retain(self) -> None:
        self._references += 1

    def release(self) -> None:
        self._references -= 1
        assert self._references >= 0, f"{self.path} was released more often than retained"
        if not self._references and self._cache.is_orphan(self):
            self.shut()

    def close(self) -> None:
        """Take the file out of the cache; its descriptor is closed as soon as no reader holds it."""
        self._cache.forget(self)
        if not self._references:
            self.shut()

    def shut(self) -> None:
        file, self.file = self.file, None
        if file is not None:
            file.close()


class FileCache:
    """The open files of all logs, ``limit`` of them at most but for those that are read. Closes one that was not used
    lately (second chance: a use only sets a flag). ``shortage``: where their logs say that they lack descriptors.
    """

    __slots__ = ("_fs", "_open", "limit", "shortage")

    def __init__(self, fs: Fs, limit: int = DEFAULT_OPEN_FILES) -> None:
        assert limit > 0
        self._fs = fs
        self.limit = limit
        self.shortage = ShortageReport()
        self._open: OrderedDict[SharedFile, None] = OrderedDict()  # in the order in which they are checked

    def __len__(self) -> int:
        return len(self._open)

    def file(self, path: str) -> SharedFile:
        return SharedFile(self, path)

    def close(self) -> None:
        """Close all files, each as soon as no reader holds it."""
        for shared in list(self._open):
            shared.close()

    def open(self, shared: SharedFile) -> File:
        if len(self._open) >= self.limit:
            self._evict()
        file = shared.file = self._fs.open(shared.path, append=True)
        self._open[shared] = None
        return file

    def is_orphan(self, shared: SharedFile) -> bool:
        return shared not in self._open

    def forget(self, shared: SharedFile) -> None:
        self._open.pop(shared, None)

    def _evict(self) -> None:
        """Close files that are neither referenced nor used since the last check, until there is room for one more; give
        up after two rounds, or after so many checks.
        """
        for _ in range(min(2 * len(self._open), CHECKS_MAX)):
            candidate = next(iter(self._open))
            if candidate.is_referenced or candidate.is_used:
                candidate.is_used = False
                self._open.move_to_end(candidate)
                continue
            del self._open[candidate]
            candidate.shut()
            if len(self._open) < self.limit:
                return
