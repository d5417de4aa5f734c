"""`preallocate`: disk for a whole segment, reserved when the segment begins, behind the end of its file.

Apache Kafka makes the file as long as the segment (``FileRecords.open``), which on Linux reserves nothing and leaves
zeros behind the records when it is killed. Here the file stays as long as its records: its blocks are reserved with
``FALLOC_FL_KEEP_SIZE``, so recovery, readers and tools meet no zeros. What is left of them goes back when the segment
is sealed (``end``) or its log closed (``Segment.trim``). Giving back takes 7 ms, and up to 160 on a busy disk: like
reserving it runs beside the event loop. Without all that everything works as well.
"""

import logging
import sys
from contextlib import suppress
from errno import EOPNOTSUPP
from functools import lru_cache

from kafkacompat.storage.background import OTHER_WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkacompat.now import Now
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import File, Fs
    from kafkacompat.storage.segment import Segment

FREE_SEGMENTS_MIN = 10
"""A segment is reserved only where as many of its size are free: reservations must not fill a disk."""
KEEP_SIZE = 1  #: FALLOC_FL_KEEP_SIZE of linux/falloc.h

_log = logging.getLogger(__name__)


def begin(segment: "Segment", size_bytes: int, fs: "Fs", background: "Background") -> None:
    """Reserve ``size_bytes`` for a new segment in the background, if its data are to stay on a disk that has room for
    them then. Raises OSError if the file cannot be made.
    """
    if segment.file.open().fileno() < 0 or fs.is_temporary:
        return  # data in memory, or gone with the process
    reservation = _Reservation(segment, size_bytes, fs)
    background.submit(OTHER_WORK, reservation.run, reservation.done, reservation.begin)


def end(segment: "Segment", fs: "Fs", flusher: "Flusher | None") -> None:
    """Give back what is left of a segment that was sealed, in the background if there is one: behind the segment's own
    reservation, as jobs of a class run in order.
    """
    if flusher is None:
        segment.trim()
        return
    segment.is_preallocated = False
    trimming = _Trimming(segment, fs, flusher.new_trimming_guard())
    segment.cancel_trimming = trimming.cancel
    flusher.background.submit(OTHER_WORK, trimming.run, trimming.done, trimming.begin)


class _Trimming:
    """The work of ``end`` for one segment. ``guard`` is its own, and keeps it from a file that may grow again."""

    __slots__ = ("_file", "_fs", "_guard", "_is_cancelled", "_segment", "_size_bytes")

    def __init__(self, segment: "Segment", fs: "Fs", guard: "AbstractContextManager[object]") -> None:
        self._segment = segment
        self._size_bytes = segment.size_bytes
        self._fs = fs
        self._guard = guard
        self._file: File | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        """From now on it leaves the file alone. Waits for a truncation that runs."""
        with self._guard:
            self._is_cancelled = True

    def begin(self) -> bool:
        file = self._segment.file
        if self._is_cancelled:
            return False
        if not self._fs.exists(file.path):
            self._segment.cancel_trimming = None
            return False
        self._file = file.open()
        file.retain()
        return True

    def run(self) -> None:
        assert self._file is not None
        with self._guard:
            if not self._is_cancelled:
                with suppress(OSError):  # of a disk that fails: the next sync says so
                    self._file.truncate(self._size_bytes)

    def done(self, _outcome: object, _now: "Now") -> None:
        if not self._is_cancelled:
            self._segment.cancel_trimming = None
        if self._file is not None:
            self._segment.file.release()


class _Reservation:
    """The work for one segment. Its descriptor is held from ``begin`` to ``done``: many segments may wait."""

    __slots__ = ("_descriptor", "_fs", "_segment", "_size_bytes")

    def __init__(self, segment: "Segment", size_bytes: int, fs: "Fs") -> None:
        self._segment = segment
        self._size_bytes = size_bytes
        self._fs = fs
        self._descriptor: int | None = None

    def begin(self) -> bool:
        file = self._segment.file
        if not (self._segment.is_preallocated and self._fs.exists(file.path)):  # it was sealed or deleted meanwhile
            return False
        folder = file.path.rsplit("/", 2)[0]  # of many partitions, so that it is said once
        usable_bytes = self._fs.disk_usage(folder)[1]  # asked only now: those that waited before have taken their part
        if 0 <= usable_bytes < FREE_SEGMENTS_MIN * self._size_bytes:
            _warn(f"less than {FREE_SEGMENTS_MIN} of them are free on the disk of {folder}")
            return False
        self._descriptor = file.open().fileno()
        file.retain()
        return True

    def run(self) -> None:
        assert self._descriptor is not None
        _reserve(self._descriptor, self._size_bytes)

    def done(self, outcome: object, _now: "Now") -> None:
        if isinstance(outcome, Exception):
            _warn(str(outcome))
        if self._descriptor is None:
            return  # the file could not be opened
        file = self._segment.file.file
        is_closed = not self._segment.is_preallocated and self._segment.cancel_trimming is None
        if is_closed and file is not None:  # while that ran; if it was sealed, ``end`` comes later
            file.truncate(file.size())
        self._segment.file.release()


@lru_cache(maxsize=100)
def _warn(reason: str) -> None:
    """Say it once."""
    _log.warning("no disk is reserved for segments of topics with preallocate=true: %s", reason)


def _reserve(descriptor: int, size_bytes: int) -> None:
    """Raises OSError; EOPNOTSUPP where the system or the file system cannot do it."""
    if sys.platform != "linux":
        raise OSError(EOPNOTSUPP, f"this system ({sys.platform}) cannot reserve disk behind the end of a file")
    import ctypes  # a slow import, which few need

    function = ctypes.CDLL(None, use_errno=True).fallocate
    function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long)
    if function(descriptor, KEEP_SIZE, 0, size_bytes):
        import os

        error = ctypes.get_errno()
        raise OSError(error, f"fallocate: {os.strerror(error)}")
