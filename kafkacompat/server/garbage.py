"""Garbage collection in a process that is a broker and nothing else: no pause grows with what the broker holds.

Python's collector looks at all objects again and again to find cycles: 84 ms at 10,000 partitions, on the event loop.
Reference counts free what this program makes; what a full collection finds alive is set aside (`gc.freeze`, which takes
microseconds) and not looked at again. Cycles among what was set aside would never be freed, so all of it is looked at
when it has more than doubled since the last time.

In a user's own process the collector is the user's: the in-process Cluster does not touch it.
"""

from __future__ import annotations

import gc

OLD_COLLECTIONS_THRESHOLD = 3
"""Collections of the middle generation before a full one: half of Python's default, so that at most about 35,000 new
objects are looked at in one go, some 7 ms.
"""
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
        self._looked_at = 0

    def install(self) -> None:
        """From now on, for this process."""
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, OLD_COLLECTIONS_THRESHOLD)
        gc.freeze()
        self._looked_at = gc.get_freeze_count()
        gc.callbacks.append(self._collected)

    def uninstall(self) -> None:
        """Look at all objects again."""
        gc.callbacks.remove(self._collected)
        gc.unfreeze()

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        oldest = 2
        if info["generation"] != oldest:
            return
        if phase == "start":
            if gc.get_freeze_count() > 2 * self._looked_at + SLACK_OBJECTS:
                self.full_looks += 1
                self._looked_at = 0
                gc.unfreeze()
            return
        gc.freeze()
        if not self._looked_at:
            self._looked_at = gc.get_freeze_count()
