"""Directories that a reset has set aside, removed on a thread beside the loop."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.server.worker import Worker
    from kafkacompat.storage.fs import Fs

log = logging.getLogger(__name__)

DISCARDED_MAX = 8
"""Directories that wait for their removal; a reset waits beyond that."""
POLL_S = 0.002


class DiscardedDirectories:
    """The discarded directories of one node. `worker` makes the thread, which starts with the first directory."""

    def __init__(self, worker: Callable[[], Worker]) -> None:
        self._new_worker = worker
        self._worker: Worker | None = None
        self._count = 0
        self._waiting = 0
        self._next: list[str] = []

    async def room(self) -> None:
        """Wait until another directory may be discarded."""
        while self._waiting >= DISCARDED_MAX:
            await asyncio.sleep(POLL_S)

    def discard(self, path: str) -> None:
        """Empty a directory: rename it to a sibling, which `remove` removes, and make it anew. Raises OSError."""
        self._count += 1
        discarded = f"{path}.discarded-{self._count}"
        os.rename(path, discarded)  # noqa: PTH104 (pathlib costs start-up time)
        os.mkdir(path, 0o700)  # noqa: PTH102 (as above)
        self._waiting += 1
        self._next.append(discarded)

    def remove(self) -> None:
        """Have the discarded directories removed. Not before the reset has ended: the thread would slow it down."""
        if self._worker is None:
            self._worker = self._new_worker()
        paths, self._next = self._next, []
        for path in paths:
            self._worker.submit(partial(_remove, path), self._removed)

    def _removed(self, _outcome: object) -> None:
        self._waiting -= 1

    def stop(self) -> None:
        """Wait until all are removed, and end the thread."""
        self.remove()
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


def empty(files: Fs, path: str) -> None:
    """Remove the broker's files in a directory at once: in a user's, which may be a mount point and stays with what
    somebody else has put there, and in one in memory, which is to be free again. Raises OSError.
    """
    from kafkacompat.storage.directory_contents import is_of_broker

    for name in files.listdir(path):
        is_directory = files.is_dir(f"{path}/{name}")
        if is_of_broker(name, is_directory=is_directory):
            remove = files.rmtree if is_directory else files.remove
            remove(f"{path}/{name}")


def _remove(path: str) -> None:
    """Remove a directory that nobody else uses; what cannot be removed stays. `shutil.rmtree` takes twice the time."""
    try:
        with os.scandir(path) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                _remove(entry.path)
                continue
            with suppress(OSError):
                os.unlink(entry.path)  # noqa: PTH108 (as above)
        os.rmdir(path)  # noqa: PTH106 (as above)
    except OSError as error:
        log.debug("%s is not removed: %s", path, error)
