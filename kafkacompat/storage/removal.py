"""Removes files in the background, because unlinking a segment of 1 GiB can take some tenths of a second."""

import logging
from collections import deque
from contextlib import suppress

from kafkacompat.storage.background import OTHER_WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.now import Now
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.fs import Fs

STEP_FILES = 100
STEP_BYTES = 64 * 1024 * 1024
"""A job removes at most this many files or bytes; then other jobs of the same class can run."""
_log = logging.getLogger(__name__)


class Removal:
    """A queue of unused files and directories. It is bounded by the number of files on disk.

    A file that cannot be removed is logged. The next start removes it, and those still queued at shutdown.
    """

    __slots__ = ("_background", "_fs", "_is_submitted", "_paths", "_taken")

    def __init__(self, fs: "Fs", background: "Background") -> None:
        self._fs = fs
        self._background = background
        self._is_submitted = False
        self._paths: deque[str] = deque()
        self._taken: list[str] = []

    def add(self, paths: "Iterable[str]") -> None:
        """Queue files, or directories with their contents, for removal."""
        self._paths.extend(paths)
        if self._paths and not self._is_submitted:
            self._is_submitted = True
            self._background.submit(OTHER_WORK, self._run, self._done, self._begin)

    def _begin(self) -> bool:
        self._taken = [self._paths.popleft() for _ in range(min(STEP_FILES, len(self._paths)))]
        return True

    def _run(self) -> list[str]:
        """Remove files up to the limits of a step. Returns the paths that are left."""
        step = _Step(self._fs)
        for done, path in enumerate(self._taken):
            if step.is_over:
                return self._taken[done:]
            try:
                is_gone = step.remove(path)
            except FileNotFoundError:
                continue  # its directory has been renamed and is removed as a whole
            except OSError as error:
                _log.warning("cannot remove %s: %s", path, error)
                continue
            if not is_gone:
                return self._taken[done:]
        return []

    def _done(self, outcome: "list[str] | Exception", _now: "Now") -> None:
        self._is_submitted = False
        if not isinstance(outcome, Exception):
            self._paths.extendleft(reversed(outcome))
        self.add(())


class _Step:
    """Counts the files and bytes that one job removes."""

    __slots__ = ("_bytes", "_files", "_fs")

    def __init__(self, fs: "Fs") -> None:
        self._fs = fs
        self._files = 0
        self._bytes = 0

    @property
    def is_over(self) -> bool:
        return self._files >= STEP_FILES or self._bytes >= STEP_BYTES

    def remove(self, path: str) -> bool:
        """Remove a file, or as much of a directory as the step allows. Returns whether it is gone. Raises OSError."""
        if not self._fs.is_dir(path):
            self._remove_file(path)
            return True
        for name in self._fs.listdir(path):
            if self.is_over:
                return False
            inner = f"{path}/{name}"
            if not self._fs.is_dir(inner):
                self._remove_file(inner)
        self._files += 1
        self._fs.rmtree(path)
        return True

    def _remove_file(self, path: str) -> None:
        self._files += 1
        with suppress(OSError):
            self._bytes += self._fs.size(path)
        self._fs.remove(path)
