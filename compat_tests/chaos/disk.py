"""A disk with a volatile cache: from the journal of `shim.c`, what a power loss can have left of a node's files.

The journal is played to a `MemFs`, whose model of names, pages and sectors decides what is lost. Before that, the model
must have the very files that are there: a call that the shim does not know would otherwise pass unseen.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from compat_tests.broker_process import BrokerError
from kafkacompat.storage.memfs import MemFile, MemFs
from kafkacompat.storage.reserve import FILE_NAME as RESERVE_FILE

ENTRY = struct.Struct("=IiQqII")
DONE, OPEN, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR = range(9)
"""Kinds of entries, and their layout: the same as in shim.c."""
APPENDED = -1
NOTHING_SURVIVES = 0.3
"""So often all is lost that was not synced, and else a part of it, by chance."""


class JournalError(BrokerError):
    """The journal is not what happened to the files, or has what the model does not know."""


class Change(NamedTuple):
    """One call. `result` is None when the process ended in it."""

    kind: int
    fd: int
    value: int
    data: bytes
    other: bytes
    result: int | None


class Disk:
    """The files below a directory, through all lives of a node. At the beginning all that is there is durable."""

    def __init__(self, directory: Path, journal: Path, rng: random.Random) -> None:
        self._directory = directory
        self.journal = journal
        self._rng = rng
        self._files = MemFs()
        for path in sorted(directory.rglob("*")):
            name = path.relative_to(directory).as_posix()
            if path.is_dir():
                self._files.mkdir(name)
            else:
                self._files.open(name, append=True).write([path.read_bytes()])
        self._files = self._files.copy()
        journal.touch()

    def lose_power(self) -> int:
        """The process is gone: leave of its files what the disk may hold; how many differ from those of before.

        Raises JournalError.
        """
        player = _Player(self._files, str(self._directory))
        player.play(list(changes(self.journal.read_bytes())))
        before = files_below(self._directory)
        _compare(before, self._files.files(), player.in_flight)
        self._files.crash(None if self._rng.random() < NOTHING_SURVIVES else self._rng)
        after = self._files.files()
        self._put(before, after)
        self.journal.write_bytes(b"")
        return sum(before.get(path) != after.get(path) for path in {*before, *after})

    def _put(self, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        for path in before.keys() - after.keys():
            self._real(path).unlink()
        directories = set(_directories(self._files, ""))
        for name, _, _ in os.walk(self._directory, topdown=False):
            if Path(name).relative_to(self._directory).as_posix() not in {".", *directories}:
                shutil.rmtree(name)
        for directory in directories:
            (self._directory / directory).mkdir(parents=True, exist_ok=True)
        for path, content in after.items():
            if before.get(path) != content:
                self._real(path).write_bytes(content)

    def _real(self, path: str) -> Path:
        return self._directory / path.removeprefix("/")


class _Player:
    """Does to a `MemFs` what a journal says."""

    def __init__(self, fs: MemFs, root: str) -> None:
        self._fs = fs
        self._root = root
        self._open: dict[int, MemFile | str] = {}
        self.in_flight: set[str] = set()
        """Paths of which nobody knows whether the last calls were made."""

    def play(self, found: list[Change]) -> None:
        needed = _last_syncs(found)
        for number, change in enumerate(found):
            if change.result is not None and change.result < 0:
                continue
            if change.kind != SYNC or number in needed:
                self._do(change)

    def _do(self, change: Change) -> None:
        if change.kind in (WRITE, TRUNCATE, SYNC):
            self._do_to_file(self._open[change.fd], change)
            return
        path = self._path(change.data)
        if change.result is None:
            self.in_flight |= {path, self._path(change.other)}
        if change.kind == OPEN:
            self._do_open(path, change)
        elif change.kind == RENAME:
            self._fs.rename(path, self._path(change.other))
        elif change.kind == UNLINK:
            self._fs.remove(path)
        elif change.kind == MKDIR and not self._fs.exists(path):
            self._fs.mkdir(path)
        elif change.kind == RMDIR:
            self._fs.rmtree(path)

    def _do_open(self, path: str, change: Change) -> None:
        fd = -1 if change.result is None else change.result
        if self._fs.is_dir(path):
            self._open[fd] = path
        elif change.value & os.O_CREAT or self._fs.exists(path):
            self._open[fd] = file = self._fs.open(path, append=True)
            if change.value & os.O_TRUNC:
                file.truncate(0)

    def _do_to_file(self, file: MemFile | str, change: Change) -> None:
        if isinstance(file, str):
            if change.kind != SYNC:
                raise JournalError(f"a directory is written to: {file}")
            self._fs.fsync_dir(file)
            return
        if change.result is None and change.kind != SYNC:
            self.in_flight.add(f"/{file.path}")
        if change.kind == SYNC:
            file.fsync()
        elif change.kind == TRUNCATE:
            file.truncate(change.value)
        elif change.value in (APPENDED, file.size()):
            file.write([change.data[: change.result]])
        else:
            raise JournalError(f"{file.path}: written at {change.value}, and its end is {file.size()}")

    def _path(self, path: bytes) -> str:
        return path.decode().removeprefix(self._root).strip("/")


def changes(journal: bytes) -> Iterator[Change]:
    """The calls of a journal, in the order in which they began. What is after the last whole entry is left out."""
    entries = list(_entries(journal))
    results = {number: value for kind, _, number, value, _, _ in entries if kind == DONE}
    for kind, fd, number, value, data, other in entries:
        result = results.get(number)
        if kind != DONE and (kind != SYNC or result is not None):  # one that did not end has synced nothing
            yield Change(kind, fd, value, data, other, result)


def _entries(journal: bytes) -> Iterator[tuple[int, int, int, int, bytes, bytes]]:
    at = 0
    while at + ENTRY.size <= len(journal):
        kind, fd, number, value, size, other_size = ENTRY.unpack_from(journal, at)
        data_at = at + ENTRY.size
        at = data_at + size + other_size
        if at > len(journal):
            return
        yield kind, fd, number, value, journal[data_at : data_at + size], journal[data_at + size : at]


def _last_syncs(found: list[Change]) -> set[int]:
    """Numbers of the last sync of each opened file: it makes those before it needless, and each costs a copy."""
    opened: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, change in enumerate(found):
        if change.kind == OPEN and change.result is not None:
            opened[change.result] = number
        elif change.kind == SYNC and change.result == 0:
            last[opened[change.fd]] = number
    return set(last.values())


def files_below(directory: Path) -> dict[str, bytes]:
    """Path from there, with "/" in front as `MemFs.files` has it, and content of each file."""
    return {f"/{path.relative_to(directory).as_posix()}": path.read_bytes()
            for path in sorted(directory.rglob("*")) if path.is_file()}  # fmt: skip


def _directories(fs: MemFs, path: str) -> Iterator[str]:
    for name in fs.listdir(path):
        inner = f"{path}/{name}".strip("/")
        if fs.is_dir(inner):
            yield inner
            yield from _directories(fs, inner)


def _compare(there: dict[str, bytes], played: dict[str, bytes], in_flight: set[str]) -> None:
    known = {f"/{path.strip('/')}" for path in in_flight}
    known.add(f"/{RESERVE_FILE}")  # its room is allocated, which is no write: nobody reads it
    wrong = [path for path in sorted({*there, *played} - known) if there.get(path) != played.get(path)]
    if wrong:
        sizes = [
            f"{path}: {len(there.get(path, b''))}, played {len(played.get(path, b''))} bytes" for path in wrong[:5]
        ]
        raise JournalError(f"the journal does not tell all that was done to {len(wrong)} files: {'; '.join(sizes)}")
