"""Garbage collection in a process that is a broker and nothing else: no pause grows with what the broker holds.

Python's collector looks at all objects again and again to find cycles: 84 ms at 10,000 partitions, on the event loop.
Reference counts free what this program makes; what a full collection finds alive is set aside (`gc.freeze`, which takes
microseconds) and not looked at again. Cycles among what was set aside would never be freed, so all of it is looked at
when it has more than doubled since the last time.

In a user's own process the collector is the user's: the in-process Cluster does not touch it.
"""

from __future__ import annotations

import gc

THRESHOLDS = (700, 5, 1)
"""New objects before the youngest are looked at, and how often that is done before the next generation is. So a full
collection may come after some 8,000 new objects.
"""
MIDDLE_COLLECTIONS_MAX = 2
"""Python puts full collections off while few of all objects are new. After so many of the middle generation without
one the new ones are set aside unseen: some 8,000 objects, 2 to 4 ms, are ever looked at in one go.
"""
MIDDLE, OLDEST = 1, 2
COUNTED_EVERY = 64
"""To count what is set aside takes some milliseconds: it is done after so many times, some 500,000 new objects."""
SLACK_OBJECTS = 500_000
"""Set aside without another look at all, however few there were: about 10,000 partitions."""


class Pause:
    """Nothing is collected in a `with` block: what a large request makes is freed by its end, and would be looked at
    three times until then. A fetch that names 5,000 partitions makes 20,000 objects: 22 ms of CPU, 14 without a look.
    """

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


class Garbage:
    """Sets aside what full collections leave; `install` begins with what is there now."""

    def __init__(self) -> None:
        self.full_looks = 0
        self._middle_collections = 0  # since what there is was set aside
        self._times = 0
        self._is_looking = False  # the next full collection is to look at all
        self._looked_at = 0

    def install(self) -> None:
        """From now on, for this process."""
        gc.set_threshold(*THRESHOLDS)
        gc.freeze()
        self._looked_at = gc.get_freeze_count()
        gc.callbacks.append(self._collected)

    def uninstall(self) -> None:
        """Look at all objects again."""
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
                self._looked_at = gc.get_freeze_count()
            self._set_aside()
        elif info["generation"] == MIDDLE and not self._is_looking:
            self._middle_collections += 1
            if self._middle_collections >= MIDDLE_COLLECTIONS_MAX:
                self._set_aside()

    def _set_aside(self) -> None:
        gc.freeze()
        self._middle_collections = 0
        self._times += 1
        if self._times % COUNTED_EVERY == 0 and gc.get_freeze_count() > 2 * self._looked_at + SLACK_OBJECTS:
            gc.unfreeze()  # the next full collection looks at all
            self._is_looking = True
