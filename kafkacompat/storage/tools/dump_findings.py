"""What a dump of a log's files found that does not fit together, in the words of Apache Kafka's DumpLogSegments."""

from kafkacompat.storage.data_dir import absolute_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

OFFSETS_DIFFER = "Mismatches in :"
TIMES_DIFFER = "Found timestamp mismatch in :"
TIMES_OUT_OF_ORDER = "Found out of order timestamp in :"
OFFSET_NOT_FOUND = "The following indexed offsets are not found in :"
GAPS = "Non-consecutive offsets in "
_LINES = {
    OFFSETS_DIFFER: "  Index offset: {}, log offset: {}",
    TIMES_DIFFER: "  Index timestamp: {}, log timestamp: {}",
    TIMES_OUT_OF_ORDER: "  Index timestamp: {}, Previously indexed timestamp: {}",
    OFFSET_NOT_FOUND: "Indexed offset: {}, found log offset: {}",
    GAPS: "  {} is followed by {}",
}


class Findings:
    """What does not fit together, told when all files are read. `is_bad`: whether a file is worse than one with gaps
    between its offsets, which compaction leaves.
    """

    def __init__(self) -> None:
        self.is_bad = False
        self._pairs: dict[str, dict[str, list[tuple[int, int]]]] = {kind: {} for kind in _LINES}

    def gap(self, path: str, before: int, after: int) -> None:
        """The offset ``after`` follows ``before``."""
        self._pairs[GAPS].setdefault(absolute_path(path), []).append((before, after))

    def fault(self, kind: str, path: str, indexed: int, found: int) -> None:
        """An index says ``indexed`` where ``found`` is right."""
        self.is_bad = True
        self._pairs[kind].setdefault(absolute_path(path), []).append((indexed, found))

    def lines(self) -> "Iterator[str]":
        """All that was found, in the order and the words of DumpLogSegments."""
        for kind, paths in self._pairs.items():
            for path, pairs in paths.items():
                yield f"{kind}{path}"
                ordered = sorted(dict(pairs).items(), reverse=kind == OFFSETS_DIFFER)
                for pair in ordered if kind in (OFFSETS_DIFFER, GAPS) else pairs:
                    yield _LINES[kind].format(*pair)

    def rows(self) -> "Iterator[dict[str, Any]]":
        """The same as objects."""
        for kind, paths in self._pairs.items():
            for path, pairs in paths.items():
                what = kind.rstrip(": ").removesuffix(" in")
                for expected, found in pairs:
                    yield {"path": path, "what": what, "indexed" if kind != GAPS else "after": expected, "found": found}
