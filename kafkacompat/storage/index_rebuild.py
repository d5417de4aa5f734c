"""Builds the indexes of a sealed segment anew in steps, where a search for a client has found them damaged.

The segment goes on as it is, and its new indexes take their place when they are whole.
"""

import copy
from array import array
from typing import Protocol

from kafkacompat.steps import UNITS_PER_STEP, Stepped
from kafkacompat.storage.errors import UnfinishedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

    from kafkacompat.steps import Steps
    from kafkacompat.storage.files import SharedFile


class IndexedSegment(Protocol):
    """The part of ``Segment`` that is used here."""

    file: "SharedFile"
    is_loaded: bool
    rebuild: "IndexRebuild | None"
    recent_ends: "array[int]"
    recent_positions: "array[int]"
    size_bytes: int

    @property
    def grows(self) -> bool: ...
    def start_indexes(self, *, is_held: bool = ...) -> "tuple[Any, Any]": ...
    def index_all_batches(self) -> "Iterator[None]": ...
    def has_replaced(self, time_index: "Any", index: "Any") -> bool: ...
    def take_indexes(self, built: "Self", indexes: "tuple[Any, Any] | None") -> None: ...


class IndexRebuild:
    """The work for one segment. ``is_taken``: it is being done between other events."""

    __slots__ = ("_segment", "_size_bytes", "_work", "is_taken")

    def __init__(self, segment: IndexedSegment) -> None:
        self._segment = segment
        self._size_bytes = segment.size_bytes
        self._work = Stepped(self._steps())
        self.is_taken = False

    def advance(self) -> None:
        """Go on for a turn of the event loop. Raises UnfinishedError if it is not done then, or the segment has changed
        and it begins anew; LogError and OSError.
        """
        segment = self._segment
        is_done = True
        try:
            is_done = self._work.resume()
        finally:
            if is_done and segment.rebuild is self:  # it failed, or the segment has changed
                segment.rebuild = None
        if not segment.is_loaded:
            raise UnfinishedError(f"the indexes of {segment.file.path} are being built anew")

    def take(self) -> Stepped | None:
        """The work, to be done between other events; None if it is being done."""
        if self.is_taken:
            return None
        self.is_taken = True
        return self._work

    def _steps(self) -> "Steps[None]":
        """Raises LogError and OSError."""
        segment = self._segment
        built = copy.copy(segment)
        built.recent_ends, built.recent_positions = array("I"), array("I")
        index, time_index = indexes = built.start_indexes(is_held=True)
        file = segment.file
        file.retain()
        try:
            for _ in built.index_all_batches():
                yield UNITS_PER_STEP
                if segment.rebuild is not self or segment.size_bytes != self._size_bytes or segment.grows:
                    return  # it was removed, moved or truncated, or others have rebuilt it
        finally:
            file.release()
        segment.rebuild = None
        segment.take_indexes(built, None if built.has_replaced(time_index, index) else indexes)
