"""Values that records above the high watermark have replaced, so that the committed state can be read.

Kafka's coordinators keep all state in snapshots by offset (TimelineHashMap). Here a shard holds the newest state, and
this holds the former value for each change by an uncommitted record. It is empty when all records are committed.
"""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Any, TypeVar

    Value = TypeVar("Value")

GROUP = None
"""The item of a group's own record; its offsets are items by topic and partition."""
PRUNED_AT_ONCE = 1_000
"""Entries dropped per advance of the high watermark, so that a large advance does not hold up the event loop."""


class Uncommitted:
    """Former values by group and item: `note` as records are replayed, `advance` as they are committed.

    Entries below the high watermark are dropped in parts; `former` ignores them.
    """

    __slots__ = ("_former", "_order", "high_watermark")

    def __init__(self) -> None:
        self.high_watermark = 0
        self._former: dict[str, dict[Hashable, list[tuple[int, Any]]]] = {}
        self._order: deque[tuple[int, str, Hashable]] = deque()  # offset, group and item of each entry, oldest first

    def note(self, group_id: str, item: "Hashable", last_offset: int, former: object) -> None:
        """A record replaces `former` (None: no value). It is committed as soon as `last_offset` is."""
        if last_offset < self.high_watermark:
            return
        entries = self._former.setdefault(group_id, {}).setdefault(item, [])
        if not entries or entries[-1][0] != last_offset:  # the first record of an item in a batch counts
            entries.append((last_offset, former))
            self._order.append((last_offset, group_id, item))

    def advance(self, high_watermark: int) -> None:
        """All records below are committed."""
        self.high_watermark = high_watermark
        order = self._order
        for _ in range(PRUNED_AT_ONCE):
            if not order or order[0][0] >= high_watermark:
                return
            _, group_id, item = order.popleft()
            items = self._former[group_id]
            del items[item][0]
            if not items[item]:
                del items[item]
                if not items:
                    del self._former[group_id]

    def former(self, group_id: str, item: "Hashable", newest: "Value") -> "Value":
        """The committed value of an item, given its newest value."""
        items = self._former.get(group_id)
        if items is None:
            return newest
        for last_offset, former in items.get(item, ()):
            if last_offset >= self.high_watermark:
                value: Value = former
                return value
        return newest

    def items(self, group_id: str) -> "list[Hashable]":
        """The items of a group whose committed value may differ from the newest."""
        return list(self._former.get(group_id, ()))

    def groups(self) -> "Iterator[str]":
        """The groups with such items."""
        return iter(self._former)

    def __len__(self) -> int:
        return len(self._order)
