"""That no two runs write the same directory or file at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafkacompat.spark.archives.archive_spec import ArchiveError
from kafkacompat.storage.fs import lock_descriptor

UNFINISHED = ".importing"
CAPTURING = ".capturing"
"""Behind the name of what is wanted: the directory that is being written, and with `.lock` its lock."""
TRIES_MAX = 10


@contextmanager
def only_run(wanted: str, suffix: str = UNFINISHED) -> Iterator[None]:
    """Raises ArchiveError while another run writes the same. The system ends the lock of a dead one."""
    path = Path(f"{Path(wanted).absolute()}{suffix}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(TRIES_MAX):
        with path.open("w") as file:
            try:
                lock_descriptor(file.fileno())
            except BlockingIOError:
                break
            if _is_at(path, file.fileno()):
                try:
                    yield
                finally:
                    path.unlink(missing_ok=True)
                return
    raise ArchiveError(f"another run writes {wanted}: wait for its end, or give another name")


def _is_at(path: Path, fd: int) -> bool:
    """Whether an open file still has its name: a run that ended after it was opened has removed it."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False
