"""Tunes the garbage collector of a broker process, so that its pauses do not grow with the broker's state.

By default a full collection traverses all objects: 84 ms on the event loop with 10,000 partitions. Reference counts
free almost all objects of this program. So the survivors of a full collection are frozen (`gc.freeze`, which takes
microseconds) and not traversed again. Cycles among frozen objects would never be freed; so all objects are unfrozen and
traversed when the blocks of memory have more than doubled. Blocks stand for objects: to count these holds the loop
for 25 ms with 10,000 partitions (`gc.get_freeze_count`), to count those for half a millisecond.

The in-process Cluster does not change the collector, because it belongs to the user's program.
"""

from __future__ import annotations

import gc
import sys

THRESHOLDS = (700, 5, 1)
"""The thresholds of `gc.set_threshold`: a full collection may come after about 8,000 new objects."""
MIDDLE_COLLECTIONS_MAX = 2
"""Python delays full collections while few objects are new. After this many collections of the middle generation
without a full one, new objects are frozen unseen; so no collection traverses more than about 8,000 objects, 2 to 4 ms.
"""
MIDDLE, OLDEST = 1, 2
COUNTED_EVERY = 64
"""Blocks are counted each time after this many freezes, about 500,000 new objects."""
SLACK_BLOCKS = 1_500_000
"""This many more, about 10,000 partitions, may be in use before a traversal of all objects."""


class Pause:
    """A context manager that disables collection during a large request. Its objects are freed at its end, and would be
    traversed three times before. A fetch of 5,000 partitions makes 20,000 objects: 22 ms of CPU, 14 with this.
    """

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


class Garbage:
    """Freezes the survivors of full collections; `install` freezes all current objects."""

    def __init__(self) -> None:
        self.full_looks = 0
        self._middle_collections = 0  # since the last freeze
        self._times = 0
        self._is_looking = False  # everything is unfrozen for the next full collection
        self._blocks_at_look = 0

    def install(self) -> None:
        """Start, for this process."""
        gc.set_threshold(*THRESHOLDS)
        gc.freeze()
        self._blocks_at_look = sys.getallocatedblocks()
        gc.callbacks.append(self._collected)

    def uninstall(self) -> None:
        """Stop, and unfreeze all objects."""
        gc.callbacks.remove(self._collected)
        gc.unfreeze()

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        if phase != "stop":
            return
        if info["generation"] == OLDEST:
            if self._is_looking:
                self._is_looking = False
                self.full_looks += 1
                gc.freeze()
                self._blocks_at_look = sys.getallocatedblocks()
            self._set_aside()
        elif info["generation"] == MIDDLE and not self._is_looking:
            self._middle_collections += 1
            if self._middle_collections >= MIDDLE_COLLECTIONS_MAX:
                self._set_aside()

    def _set_aside(self) -> None:
        gc.freeze()
        self._middle_collections = 0
        self._times += 1
        if self._times % COUNTED_EVERY == 0 and sys.getallocatedblocks() > 2 * self._blocks_at_look + SLACK_BLOCKS:
            gc.unfreeze()  # the next full collection traverses all objects
            self._is_looking = True
