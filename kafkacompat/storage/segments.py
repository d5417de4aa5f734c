"""The segments of a log, in the order of their base offsets: which one holds an offset, adding, removing, reading."""

from bisect import bisect_left, bisect_right, insort

from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.storage.producer_snapshots import SnapshotFiles
from kafkacompat.storage.segment import DELETED_SUFFIX, SNAPSHOT_SUFFIX, SUFFIXES, Segment
from kafkacompat.storage.slices import EMPTY, Slice
from kafkacompat.storage.swap_files import CLEANED_SUFFIX, SWAP_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.aborted import AbortedTransactions
    from kafkacompat.storage.files import FileCache
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.producer_state import ProducerState
    from kafkacompat.storage.txn_index import AbortedTransaction, SearchBudget


class Cleaned:
    """The result for one group of segments: ``size_bytes`` in ``.cleaned`` files, named after the first base
    offset. ``has_aborted``: a transaction index is among them. ``read_bytes`` of the old
    ones, ``without_key``: records that were dropped for that; for metrics.
    """

    __slots__ = ("has_aborted", "read_bytes", "size_bytes", "without_key")

    def __init__(self, *, size_bytes: int, read_bytes: int, has_aborted: bool, without_key: int) -> None:
        self.size_bytes = size_bytes
        self.read_bytes = read_bytes
        self.has_aborted = has_aborted
        self.without_key = without_key


class Segments:
    """The segments in the directory ``path``. ``active`` is the last one, None while there is none."""

    __slots__ = (
        "_aborted", "_bases", "_deleted", "_fs", "_has_changed_names", "_is_new", "_path", "active", "all", "files",
        "snapshots", "unsynced",
    )  # fmt: skip

    def __init__(self, fs: "Fs", files: "FileCache", path: str) -> None:
        self._fs = fs
        self.files = files
        self._path = path
        self._bases: list[int] = []
        self._deleted: tuple[tuple[int, str], ...] = ()  # when to remove which file
        self._is_new = self._has_changed_names = True  # an earlier process may not have synced what it made
        self.unsynced: list[str] = []  # indexes and snapshots that are final and not durable
        self.all: list[Segment] = []
        self.active: Segment | None = None
        self.snapshots = SnapshotFiles(fs, path)
        self._aborted: AbortedTransactions | None = None

    def add(self, base_offset: int, size_bytes: int, config: "TopicConfig", now_ms: int) -> Segment:
        """Append a segment; its file appears when it is first written to. ``now_ms`` is by the wall clock."""
        segment = self._segment(base_offset, size_bytes, config, now_ms)
        assert not self._bases or base_offset > self._bases[-1]
        self.all.append(segment)
        self._bases.append(base_offset)
        self.active = segment
        self.names_changed()
        return segment

    def _segment(self, base_offset: int, size_bytes: int, config: "TopicConfig", now_ms: int) -> Segment:
        return Segment(
            self._fs,
            self.files,
            self._path,
            base_offset,
            size_bytes=size_bytes,
            created_ms=now_ms,
            index_interval_bytes=config.index_interval_bytes,
            max_index_bytes=config.segment_index_bytes,
            jitter_ms=_jitter_ms(self._path, base_offset, config) if config.segment_jitter_ms else 0,
            is_preallocated=config.preallocate,  # if not by this process, then by one that was killed
        )

    def names_changed(self) -> None:
        """The directory is to be synced with the next flush."""
        self._has_changed_names = True

    def remove_last(self) -> None:
        """Remove the last segment with its files; readers that hold it may finish. Raises OSError."""
        segment = self.all.pop()
        del self._bases[-1]
        self.active = self.all[-1] if self.all else None
        self._rename(segment, 0)

    def _rename(self, segment: Segment, remove_at_ms: int, *, keeps_snapshot: bool = False) -> None:
        """Rename the files of a segment; they are removed from the given time on, as that may take long."""
        segment.close()
        for path in segment.paths():
            if keeps_snapshot and path.endswith(SNAPSHOT_SUFFIX):
                continue
            if self._fs.exists(path):
                self._fs.rename(path, path + DELETED_SUFFIX)
                self._deleted += ((remove_at_ms, path + DELETED_SUFFIX),)
        if not keeps_snapshot:
            self.snapshots.forget(segment.base_offset)
        if self._aborted is not None:
            self._aborted.forget(segment.base_offset)

    def expect_truncation(self, offset: int) -> None:
        """Records at or above ``offset`` are about to be removed: open now what stays open meanwhile. Raises OSError,
        also if no descriptor is free besides: of the other files one is open at a time.
        """
        place = bisect_right(self._bases, offset) - 1
        if place >= 0:
            self.all[place].file.open()
        self._fs.listdir(self._path)

    def truncate(self, offset: int, *, sync: bool) -> None:
        """Remove records at or above ``offset``. That has to be durable before anything is written behind it: else a
        crash may bring removed records back. With ``sync`` it is durable on return, else after the next flush.

        Whole files are removed before the last segment is truncated: in the other order a crash leaves a gap before
        them.
        """
        count = len(self.all)
        while self.all and self.all[-1].base_offset > offset:
            self.remove_last()
        if len(self.all) < count:
            self.names_changed()
            if (sync or self.all) and not self._fs.is_temporary:
                self._fs.fsync_dir(self._path)
        if self.all:
            self.aborted.truncate(self.all[-1], offset)
            if sync and not self._fs.is_temporary:
                self.all[-1].file.open().fsync()

    def drop_before(self, offset: int, remove_at_ms: int) -> None:
        """Rename the segments that end at or before ``offset``, to be removed later. Raises OSError."""
        while len(self.all) > 1 and self._bases[1] <= offset:
            segment = self.all.pop(0)
            del self._bases[0]
            self._rename(segment, remove_at_ms)
        self.names_changed()

    def replace(
        self, old: list[Segment], cleaned: Cleaned, config: "TopicConfig", remove_at_ms: int, now_ms: int
    ) -> bool:
        """Put what compaction left of neighbouring segments in their place. Raises OSError.

        Returns False, and changes nothing, if they are not the log's segments any more: some were removed or truncated
        meanwhile. The order of the renames is Kafka's: after a crash ``swap_files.py`` finds either the old segments
        complete or the ``.swap`` files complete. Readers of the old segments may finish.
        """
        place = bisect_left(self._bases, old[0].base_offset)
        if self.all[place : place + len(old)] != old or old[-1] is self.active:
            return False
        stem = f"{self._path}/{old[0].base_offset:020d}"
        names = [stem + suffix for suffix in SUFFIXES if self._fs.exists(stem + suffix + CLEANED_SUFFIX)]
        for name in reversed(names):  # the log last: without it there is no swap
            self._fs.rename(name + CLEANED_SUFFIX, name + SWAP_SUFFIX)
        for segment in old:
            self._rename(segment, remove_at_ms, keeps_snapshot=segment is old[0])
        for name in names:
            self._fs.rename(name + SWAP_SUFFIX, name)
        new = self._segment(old[0].base_offset, cleaned.size_bytes, config, now_ms)
        new.drop_indexes()  # of an empty one, which is sealed as the others
        self.all[place : place + len(old)] = [new]
        self._bases[place : place + len(old)] = [new.base_offset]
        if cleaned.has_aborted:
            insort(self.aborted.base_offsets, new.base_offset)
        self.names_changed()
        return True

    @property
    def has_deleted(self) -> bool:
        """Whether there are files that are to be removed some day."""
        return bool(self._deleted)

    def pop_deleted(self, now_ms: int) -> list[str]:
        """Files whose delay is over, by the monotonic clock. The caller removes them."""
        if not self._deleted:
            return []
        due = [path for at_ms, path in self._deleted if at_ms <= now_ms]
        self._deleted = tuple(entry for entry in self._deleted if entry[0] > now_ms)
        return due

    def read(
        self, offset: int, max_bytes: int, end_offset: int | None, *, at_least_one: bool, whole: bool = False
    ) -> Slice:
        """See ``Log.read``; without an ``end_offset`` up to the end. Raises LogError and OSError."""
        slot = bisect_right(self._bases, offset) - 1
        for place in range(max(0, slot), len(self.all)):
            segment = self.all[place]
            position = segment.locate(offset)
            if position == segment.size_bytes:
                continue  # compaction took the end of this segment: the next one goes on
            end = segment.size_bytes
            if end_offset is not None and not self._is_in_later(place, end_offset):
                end = segment.locate(end_offset)
            size_bytes = end - position
            if size_bytes > max_bytes:
                size_bytes = self._bounded(segment, position, max_bytes, at_least_one=at_least_one)
                if whole and 0 < size_bytes <= max_bytes:
                    size_bytes = segment.whole_batches(position, size_bytes)
            if size_bytes <= 0:
                return EMPTY
            segment.file.open()
            return Slice(segment.file, position, size_bytes)
        return EMPTY

    def _bounded(self, segment: Segment, position: int, max_bytes: int, *, at_least_one: bool) -> int:
        """Bytes to read where there are more than ``max_bytes``."""
        first_bytes = segment.batch_size_bytes(position)
        if first_bytes <= max_bytes:
            return max_bytes
        return first_bytes if at_least_one else 0

    @property
    def aborted(self) -> "AbortedTransactions":
        """The transaction indexes: most logs have none."""
        if self._aborted is None:
            from kafkacompat.storage.aborted import AbortedTransactions

            self._aborted = AbortedTransactions(self.snapshots, self.batches, self.header_at)
        return self._aborted

    def expect_marker(self, segment: Segment) -> None:
        """The end of a transaction is about to be written to the last segment: open now what adding it to ``aborted``
        may need. Raises OSError.
        """
        from kafkacompat.storage import aborted  # noqa: F401 (a module that is not loaded yet is a file, too)

        if self._aborted is not None:
            self._aborted.expect(segment)

    def aborted_in(
        self,
        offset: int,
        part: Slice,
        end_offset: int,
        max_count: int | None = None,
        budget: "SearchBudget | None" = None,
    ) -> "list[AbortedTransaction]":
        """The aborted transactions that may have records in ``part``, which was read from ``offset`` on; a few more are
        possible. The log ends at ``end_offset``. Raises LogError and OSError; TooManyError beyond ``max_count``.
        """
        if self._aborted is None:
            return []
        with_some = self._aborted.base_offsets
        slot = max(0, bisect_right(self._bases, offset) - 1)
        place = next(n for n in range(slot, len(self.all)) if self.all[n].file is part.file)
        behind = self.all[place].offset_behind(part.position + len(part))
        if behind is None:
            behind = self._bases[place + 1] if place + 1 < len(self._bases) else end_offset
        search = self._aborted.search(max_count, budget)
        for base_offset in with_some[bisect_left(with_some, self._bases[place]) :]:
            segment = self.all[bisect_left(self._bases, base_offset)]
            if self._aborted.overlapping(segment, offset, behind, search):
                break
        return search.found

    def _is_in_later(self, place: int, offset: int) -> bool:
        return place + 1 < len(self._bases) and offset >= self._bases[place + 1]

    def header_at(self, offset: int) -> "BatchHeader | None":
        """The header of the batch that holds an offset; None if there is none. Little more than that is read. Raises
        LogError and OSError.
        """
        slot = bisect_right(self._bases, offset) - 1
        found = next(self.all[slot].headers(offset), None) if slot >= 0 else None
        return None if found is None or found[1].base_offset > offset else found[1]

    def batches(self, offset: int, end_offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """See ``Log.batches``. Raises LogError and OSError."""
        if offset >= end_offset:
            return
        slot = max(0, bisect_right(self._bases, offset) - 1)
        for segment in self.all[slot:]:
            if segment.base_offset >= end_offset:
                return
            for header, batch in segment.batches(offset):
                if header.base_offset >= end_offset:
                    return
                yield header, batch

    def from_offset(self, offset: int) -> list[Segment]:
        """The segments that hold something at or above ``offset``."""
        slot = max(0, bisect_right(self._bases, offset) - 1)
        return [segment for segment in self.all[slot:] if segment.size_bytes]

    def seal(self, segment: Segment, producers: "ProducerState") -> None:
        """Write the indexes of a segment, and the producers as they are at its end. Raises OSError."""
        self.unsynced += segment.seal()
        self.unsynced += self.snapshots.write(producers)

    def remove_stray_snapshots(self) -> None:
        """See ``SnapshotFiles.remove_strays``. Raises OSError."""
        self.snapshots.remove_strays(self._bases)

    def moved_to(self, path: str) -> None:
        """The directory was renamed."""
        before, self._path = self._path, path
        self.unsynced = [path + each.removeprefix(before) for each in self.unsynced]
        self._deleted = tuple((at_ms, path + each.removeprefix(before)) for at_ms, each in self._deleted)
        self.snapshots.moved_to(path)
        for segment in self.all:
            segment.moved_to(path)
        self.directory_changed()

    def directory_changed(self) -> None:
        """Its name, in the directory above, is to be synced with the next flush, and the names in it."""
        self._is_new = self._has_changed_names = True

    def pop_changed_dirs(self) -> list[str]:
        """Directories with new, renamed or removed names. The caller syncs them with the next flush."""
        dirs = [self._path] if self._has_changed_names else []
        if self._is_new:
            dirs.append(self._path.rpartition("/")[0])
        self._is_new = self._has_changed_names = False
        return dirs

    def close(self, *, trims: bool = True) -> None:
        """Close all files. Without ``trims`` the disk that is reserved behind their ends stays so: they are deleted."""
        for segment in self.all:
            if trims and (segment is self.active or segment.cancel_trimming is not None):
                segment.stop_trimming()
                segment.trim()
            segment.close()


def _jitter_ms(path: str, base_offset: int, config: "TopicConfig") -> int:
    """Below ``segment.jitter.ms`` and ``segment.ms``. Kafka's is random; this one, by the segment's name, spreads as
    well and is the same after a restart.
    """
    limit_ms = min(config.segment_jitter_ms, config.segment_ms)
    return crc32c(b"%s/%d" % (path.encode(), base_offset)) % limit_ms
