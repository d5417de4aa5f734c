"""A part of a segment: what a fetch response refers to instead of holding bytes."""

from kafkacompat.storage.files import SharedFile


class Slice:
    """``len(slice)`` published, immutable bytes of a segment's file, from ``position`` on.

    Counts as bytes in an encoded response. ``release`` must be called once, when it is sent or dropped: until then the
    descriptor stays open, even when the segment is deleted. A slice of no bytes has no file.
    """

    __slots__ = ("_size_bytes", "file", "position")

    def __init__(self, file: SharedFile | None, position: int, size_bytes: int) -> None:
        self.file = file
        self.position = position
        self._size_bytes = size_bytes
        if file is not None:
            file.retain()

    def __len__(self) -> int:
        return self._size_bytes

    def __bool__(self) -> bool:
        return self._size_bytes > 0

    def read(self, at: int, size_bytes: int) -> bytes:
        """``size_bytes`` from ``at`` of the slice on, fewer at its end. Raises OSError."""
        file = self.file
        if file is None:
            return b""
        return file.open().pread(self.position + at, min(size_bytes, self._size_bytes - at))

    def fileno(self) -> int:
        """The descriptor for ``sendfile``, −1 when there is none."""
        return -1 if self.file is None else self.file.open().fileno()

    def release(self) -> None:
        file, self.file = self.file, None
        if file is not None:
            file.release()


EMPTY = Slice(None, 0, 0)
