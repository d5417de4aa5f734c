"""What records above the high watermark have replaced, so that the committed state can be read next to the newest one.

Kafka's coordinators keep all state in snapshots by offset (TimelineHashMap). Here the shard holds the newest state, and
for each value that an uncommitted record has changed what was there before. Where everything is committed, nothing is
kept.
"""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Any, TypeVar

    Value = TypeVar("Value")

PRUNED_AT_ONCE = 1_000
"""Entries that are dropped for one move of the high watermark, so that a long jump takes no turn of its own."""


class Uncommitted:
    """Former values by group and item: `note` them as records are replayed, `advance` as records are committed.

    What is no longer needed is dropped little by little; `former` does not look at it.
    """

    __slots__ = ("_former", "_order", "high_watermark")

    def __init__(self) -> None:
        self.high_watermark = 0
        self._former: dict[str, dict[Hashable, list[tuple[int, Any]]]] = {}
        self._order: deque[tuple[int, str, Hashable]] = deque()  # offset, group and item of each entry, oldest first

    def note(self, group_id: str, item: "Hashable", last_offset: int, former: object) -> None:
        """A record, committed as soon as `last_offset` is, replaces `former` (None: there was nothing)."""
        if last_offset < self.high_watermark:
            return
        entries = self._former.setdefault(group_id, {}).setdefault(item, [])
        if not entries or entries[-1][0] != last_offset:  # of one batch the first record of an item counts
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
        """The committed value of an item, whose newest value is given."""
        items = self._former.get(group_id)
        if items is None:
            return newest
        for last_offset, former in items.get(item, ()):
            if last_offset >= self.high_watermark:
                value: Value = former
                return value
        return newest

    def items(self, group_id: str) -> "list[Hashable]":
        """Items of the group whose committed value may differ from the newest."""
        return list(self._former.get(group_id, ()))

    def groups(self) -> "Iterator[str]":
        """Groups of which an item's committed value may differ from the newest."""
        return iter(self._former)

    def __len__(self) -> int:
        return len(self._order)
