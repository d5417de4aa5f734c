"""The producer snapshot files of a log: ``<offset>.snapshot`` holds the producer state up to that offset."""

from bisect import bisect_right, insort

from kafkacompat.storage.errors import CorruptSnapshotError
from kafkacompat.storage.producer_state import ProducerState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.storage.fs import Fs

SNAPSHOT_SUFFIX = ".snapshot"


class SnapshotFiles:
    """The snapshots in ``directory``; ``offsets`` ascends."""

    __slots__ = ("_directory", "_fs", "offsets")

    def __init__(self, fs: "Fs", directory: str) -> None:
        self._fs = fs
        self._directory = directory
        self.offsets: list[int] = []

    def moved_to(self, directory: str) -> None:
        """The directory was renamed."""
        self._directory = directory

    def path(self, offset: int) -> str:
        return f"{self._directory}/{offset:020d}{SNAPSHOT_SUFFIX}"

    def write(self, producers: ProducerState) -> list[str]:
        """Write the state at its end offset, unless the file exists or there are no producers. Returns the files
        that it wrote. Raises OSError.
        """
        offset = producers.end_offset
        if offset in self.offsets or not offset:
            return []
        self._fs.write_atomic(self.path(offset), producers.encode(), sync=False)
        insort(self.offsets, offset)
        return [self.path(offset)]

    def newest(self, end_offset: int) -> ProducerState | None:
        """The newest readable state at or before ``end_offset``; unreadable ones are removed. Raises OSError."""
        for offset in reversed(self.offsets[: bisect_right(self.offsets, end_offset)]):
            try:
                return ProducerState.decode(self._fs.read_bytes(self.path(offset)), offset)
            except CorruptSnapshotError:
                self.remove([offset])
        return None

    def remove(self, offsets: list[int]) -> None:
        for offset in offsets:
            self._fs.remove(self.path(offset))
            self.offsets.remove(offset)

    def forget(self, offset: int) -> None:
        """The file at an offset was removed with its segment."""
        if offset in self.offsets:
            self.offsets.remove(offset)

    def remove_above(self, offset: int) -> None:
        """Remove snapshots behind the end of a truncated log."""
        self.remove([each for each in self.offsets if each > offset])

    def remove_strays(self, base_offsets: "Sequence[int]") -> None:
        """Keep the snapshots where segments begin, and the newest of the others if it is behind the last segment's base
        offset (Kafka's ``ProducerStateManager.removeStraySnapshots``). Each clean stop leaves one. Raises OSError.
        """
        strays = [offset for offset in self.offsets if offset not in base_offsets]
        if strays and strays[-1] > max(base_offsets, default=-1):
            del strays[-1]
        self.remove(strays)
