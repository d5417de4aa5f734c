"""Counts of a fault rule that nodes in several processes share: each draws numbers from the same files.

A draw appends a byte, and the size of the file is the number. The system appends and moves the position of the file in
one step, so no number is drawn twice, without a lock: a process that is killed or paused in the middle delays nobody.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile

log = logging.getLogger(__name__)

PREFIX = "kafkacompat-counts-"
COUNT_MAX = 1 << 24
"""The largest `times` and `skip` of a rule, and so about the size of a file."""
OVER = 2 * COUNT_MAX
"""What is drawn from a file that cannot be written: more than any rule allows."""
SKIPPED, HIT = "skipped", "hit"


class SharedCounts:
    """Draws for one rule, in one of the processes. place: as `CountFiles.add` returns it. Raises ValueError."""

    def __init__(self, place: str) -> None:
        folder, name = os.path.split(place)
        if not (os.path.basename(folder).startswith(PREFIX) and name.isdigit() and os.path.isabs(folder)):  # noqa: PTH117, PTH119
            raise ValueError(f"{place!r:.200} is no place of shared counts")
        self._place = place

    def draw(self, what: str) -> int:
        """The next number of SKIPPED or HIT, from 1 on; OVER if the file has failed."""
        try:
            file = os.open(f"{self._place}-{what}", os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
            try:
                os.write(file, b".")
                return os.lseek(file, 0, os.SEEK_CUR)
            finally:
                os.close(file)
        except OSError as error:
            log.error(
                "the counts of a fault rule in %s cannot be written, so it ends here: %s", self._place, error.strerror
            )
            return OVER


class CountFiles:
    """The files of the rules of a cluster, in the process that started its nodes. They begin with the first rule."""

    def __init__(self) -> None:
        self._directory: str | None = None

    def add(self, rule_id: int) -> str:
        """Make the files of a rule, and return what its nodes are told. Raises OSError."""
        if self._directory is None:
            self._directory = tempfile.mkdtemp(prefix=PREFIX)
        for what in (SKIPPED, HIT):
            os.close(os.open(self._path(rule_id, what), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return f"{self._directory}/{rule_id}"

    def hits(self, rule_id: int) -> int:
        """How many hits were drawn; 0 for a rule without files."""
        try:
            return os.stat(self._path(rule_id, HIT)).st_size  # noqa: PTH116 (a path is a str here)
        except FileNotFoundError:
            return 0

    def remove(self, rule_id: int) -> None:
        """Remove the files of a rule, if it has some."""
        for what in (SKIPPED, HIT):
            try:
                os.unlink(self._path(rule_id, what))  # noqa: PTH108 (as above)
            except FileNotFoundError:
                return

    def close(self) -> None:
        """Remove all."""
        directory, self._directory = self._directory, None
        if directory is not None:
            shutil.rmtree(directory, ignore_errors=True)

    def _path(self, rule_id: int, what: str) -> str:
        return f"{self._directory}/{rule_id}-{what}"
