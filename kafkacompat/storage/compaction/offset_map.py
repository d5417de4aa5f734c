"""The newest offset of each key in the dirty part of a log, in bounded memory.

A key is kept as its 16-byte hash. Kafka takes MD5, for which keys that collide can be made; here a random secret, anew
for each pass, is hashed before each key.
"""

from hashlib import blake2b

from kafkacompat.protocol.constants import UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HASH_BYTES = 16
ENTRY_BYTES = 170
"""Memory of an entry: its hash, its offset and its place in the dictionary. Kafka's map takes 24 bytes."""


class OffsetMap:
    """``offsets`` by hash. ``latest``: the last offset that is in it, below which the log can be cleaned."""

    __slots__ = ("_secret", "latest", "limit", "offsets")

    def __init__(self, size_bytes: int, secret: bytes) -> None:
        """``size_bytes``: memory for keys; there is room for one at least."""
        self.limit = max(1, size_bytes // ENTRY_BYTES)
        self.latest = UNKNOWN_OFFSET
        self.offsets: dict[bytes, int] = {}
        self._secret = secret

    def put(self, key: bytes, offset: int) -> bool:
        """Note a record. Returns False, and notes nothing, if the map is full: then the pass over the log ends."""
        if len(self.offsets) >= self.limit:
            return False
        self.offsets[blake2b(self._secret + key, digest_size=HASH_BYTES).digest()] = offset
        self.latest = offset
        return True

    def predicate(self, base_offset: int, *, has_tombstones: bool) -> "Callable[[int, bytes | None, bool], bool]":
        """Whether a record stays of a batch at ``base_offset``: by its offset delta, its key, and whether it has a
        value. ``has_tombstones``: whether newest records without a value stay.
        """
        latest_delta, get, secret = self.latest - base_offset, self.offsets.get, self._secret

        def stays(delta: int, key: bytes | None, has_value: bool) -> bool:
            if delta > latest_delta:
                return True
            if key is None or not (has_value or has_tombstones):
                return False
            newest = get(blake2b(secret + key, digest_size=HASH_BYTES).digest(), UNKNOWN_OFFSET)
            return base_offset + delta >= newest

        return stays

    def reached(self, offset: int) -> None:
        """Everything up to ``offset`` is in the map."""
        self.latest = max(self.latest, offset)
