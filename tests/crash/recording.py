"""A file system that remembers what was done to it, and one that does the same again, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.storage.memfs import MemFile, MemFs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.storage.fs import Buffer

Step = tuple[str, int | str, object]
"""What was done: an operation, the file's number or a path, and the bytes, the size or the new name."""


class RecordedFile(MemFile):
    """A file whose changes are steps."""

    __slots__ = ("_number", "_recording")

    _recording: RecordingFs
    _number: int

    @classmethod
    def of(cls, file: MemFile, recording: RecordingFs, number: int) -> RecordedFile:
        assert file._node is not None
        recorded = cls(recording, file._node, file.path, append=file.append, on_close=file._on_close)
        recorded._recording = recording
        recorded._number = number
        return recorded

    def write(self, parts: Sequence[Buffer]) -> int:
        data = b"".join(parts)
        size_bytes = super().write([data])
        self._recording.steps.append(("write", self._number, data))
        return size_bytes

    def truncate(self, size_bytes: int) -> None:
        if size_bytes != self.size():
            self._recording.steps.append(("truncate", self._number, size_bytes))
        super().truncate(size_bytes)

    def fsync(self) -> None:
        super().fsync()
        self._recording.steps.append(("fsync", self._number, None))


class RecordingFs(MemFs):
    """A file system in memory; ``steps`` is what has changed it or made it durable."""

    def __init__(self, found: MemFs | None = None) -> None:
        super().__init__()
        if found is not None:
            self._root = found.copy()._root
        self.steps: list[Step] = []
        self._opened = 0

    def open(self, path: str, *, append: bool = False) -> MemFile:
        file = super().open(path, append=append)
        self._opened += 1
        self.steps.append(("open", path, append))
        return RecordedFile.of(file, self, self._opened - 1)

    def lock(self, path: str) -> MemFile:
        file = super().lock(path)
        self._opened += 1
        self.steps.append(("open", path, True))
        return RecordedFile.of(file, self, self._opened - 1)

    def mkdir(self, path: str) -> None:
        if not self.is_dir(path):
            self.steps.append(("mkdir", path, None))
        super().mkdir(path)

    def rename(self, path: str, new_path: str) -> None:
        super().rename(path, new_path)
        self.steps.append(("rename", path, new_path))

    def remove(self, path: str) -> None:
        super().remove(path)
        self.steps.append(("remove", path, None))

    def rmtree(self, path: str) -> None:
        super().rmtree(path)
        self.steps.append(("rmtree", path, None))

    def fsync_dir(self, path: str) -> None:
        super().fsync_dir(path)
        self.steps.append(("fsync_dir", path, None))

    def allocate(self, path: str, size_bytes: int) -> None:
        super().allocate(path, size_bytes)
        self.steps.append(("allocate", path, size_bytes))


class Player:
    """``fs`` is what it was after the first ``done`` steps."""

    def __init__(self, steps: Sequence[Step], found: MemFs | None = None) -> None:
        self.fs = MemFs() if found is None else found.copy()
        self.done = 0
        self._steps = steps
        self._files: list[MemFile] = []

    @property
    def next(self) -> Step | None:
        """The step that comes, None at the end."""
        return self._steps[self.done] if self.done < len(self._steps) else None

    def step(self) -> None:
        """Do the next one."""
        name, where, what = self._steps[self.done]
        self.done += 1
        if isinstance(where, int):
            file = self._files[where]
            if name == "write":
                file.write([what])  # type: ignore[list-item]
            elif name == "truncate":
                file.truncate(what)  # type: ignore[arg-type]
            else:
                file.fsync()
        elif name == "open":
            self._files.append(self.fs.open(where, append=bool(what)))
        elif name == "rename":
            self.fs.rename(where, what)  # type: ignore[arg-type]
            self._renamed(where, str(what))
        elif name == "allocate":
            self.fs.allocate(where, what)  # type: ignore[arg-type]
        else:
            getattr(self.fs, name)(where)

    def _renamed(self, path: str, new_path: str) -> None:
        """Files of a directory that is renamed stay open."""
        for file in self._files:
            if file.path.startswith(f"{path}/"):
                file.path = new_path + file.path.removeprefix(path)

    def tear(self, size_bytes: int) -> MemFs:
        """The files when the process dies in the middle of the next step, which is a write."""
        _, where, what = self._steps[self.done]
        assert isinstance(where, int)
        assert isinstance(what, bytes)
        torn = self.fs.copy()
        torn.open(self._files[where].path, append=True).write([what[:size_bytes]])
        return torn
