"""The newest offset of each key in the dirty part of a log, in bounded memory.

A short key is kept as it is, a longer one as its hash. Kafka takes MD5, for which keys that collide can be made; here a
random secret, anew for each pass, is hashed before each key.
"""

from array import array

from kafkacompat.protocol.constants import LONG_MAX, UNKNOWN_OFFSET
from kafkacompat.storage.compaction.record_keys import key_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.storage.compaction.record_keys import RecordKeys

ENTRY_BYTES = 170
"""Memory of an entry: key or hash, offset and its place in the dictionary. Kafka's map takes 24 bytes."""


class OffsetMap:
    """``offsets`` by key; that of a record without a value is ``-2 - offset``. ``latest``: the last offset that is in
    it, below which the log can be cleaned.
    """

    __slots__ = ("_first", "kept", "latest", "limit", "offsets")

    def __init__(self, size_bytes: int, secret: bytes) -> None:
        """``size_bytes``: memory for keys; there is room for one at least."""
        self.limit = max(1, size_bytes // ENTRY_BYTES)
        self.latest = UNKNOWN_OFFSET
        self._first = LONG_MAX  # the lowest offset that was noted
        self.offsets: dict[bytes, int] = {}
        self.kept = key_function(secret)

    def put(self, key: bytes, offset: int, *, has_value: bool = True) -> bool:
        """Note a record. Returns False, and notes nothing, if the map is full: then the pass over the log ends."""
        if len(self.offsets) >= self.limit:
            return False
        self.offsets[self.kept(key)] = offset if has_value else -2 - offset
        self._first = min(self._first, offset)
        self.latest = offset
        return True

    def has_room(self, count: int) -> bool:
        """Whether so many records can be noted, whatever their keys."""
        return len(self.offsets) + count <= self.limit

    def put_all(self, base_offset: int, found: "RecordKeys") -> None:
        """Note the records of a batch, for which there is room."""
        offsets, keys, deltas = self.offsets, found.keys, found.deltas
        if len(keys) == 1:
            offsets[keys[0]] = base_offset + deltas[0]
        elif isinstance(deltas, range):
            offsets.update(zip(keys, range(base_offset, base_offset + len(deltas)), strict=True))
        else:
            offsets.update(zip(keys, [base_offset + delta for delta in deltas], strict=True))
        for place in found.tombstones:
            offset = base_offset + deltas[place]
            if offsets[keys[place]] == offset:
                offsets[keys[place]] = -2 - offset
        self.latest = base_offset + deltas[-1]
        if base_offset < self._first:
            self._first = base_offset

    def staying(self, base_offset: int, found: "RecordKeys") -> list[int]:
        """The places of the records that are the newest ones of their keys."""
        if base_offset + found.deltas[-1] < self._first:  # each offset in the map is a newer one
            return [place for place, key in enumerate(found.keys) if key not in self.offsets]
        newest = [self.offsets.get(key, UNKNOWN_OFFSET) for key in found.keys]
        return [
            place
            for place, (offset, delta) in enumerate(zip(newest, found.deltas, strict=True))
            if (offset if offset >= UNKNOWN_OFFSET else -2 - offset) <= base_offset + delta
        ]

    def all_newest(self) -> "tuple[array[int], array[int]]":
        """The newest offsets of all keys, and those of records without a value among them."""
        values = self.offsets.values()
        tombstones = array("q", sorted(-2 - offset for offset in values if offset < 0))
        return array("q", sorted(offset if offset >= 0 else -2 - offset for offset in values)), tombstones

    def predicate(self, base_offset: int, *, has_tombstones: bool) -> "Callable[[int, bytes | None, bool], bool]":
        """Whether a record stays of a batch at ``base_offset``: by its offset delta, its key, and whether it has a
        value. ``has_tombstones``: whether newest records without a value stay.
        """
        latest_delta, get, kept = self.latest - base_offset, self.offsets.get, self.kept

        def stays(delta: int, key: bytes | None, has_value: bool) -> bool:
            if delta > latest_delta:
                return True
            if key is None or not (has_value or has_tombstones):
                return False
            newest = get(kept(key), UNKNOWN_OFFSET)
            return base_offset + delta >= (newest if newest >= UNKNOWN_OFFSET else -2 - newest)

        return stays

    def reached(self, offset: int) -> None:
        """Everything up to ``offset`` is in the map."""
        self.latest = max(self.latest, offset)
