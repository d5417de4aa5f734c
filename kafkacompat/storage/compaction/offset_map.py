"""The newest offset of each key in the dirty part of a log, in bounded memory.

A key is kept as its 16-byte hash. Kafka takes MD5, for which keys that collide can be made; here the hash has a random
secret for each pass.
"""

from functools import partial
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

    __slots__ = ("hash", "latest", "limit", "offsets")

    def __init__(self, limit: int, secret: bytes) -> None:
        """``limit``: so many keys at most."""
        assert limit > 0
        self.limit = limit
        self.latest = UNKNOWN_OFFSET
        self.offsets: dict[bytes, int] = {}
        new = partial(blake2b, digest_size=HASH_BYTES, key=secret)
        self.hash: Callable[[bytes], bytes] = lambda key: new(key).digest()

    def put(self, key: bytes, offset: int) -> bool:
        """Note a record. Returns False, and notes nothing, if the map is full: then the pass over the log ends."""
        if len(self.offsets) >= self.limit:
            return False
        self.offsets[self.hash(key)] = offset
        self.latest = offset
        return True

    def is_newest(self, key: bytes, offset: int) -> bool:
        """Whether no record of the key at a later offset is in the map."""
        return offset >= self.offsets.get(self.hash(key), UNKNOWN_OFFSET)

    def reached(self, offset: int) -> None:
        """Everything up to ``offset`` is in the map."""
        self.latest = max(self.latest, offset)


def keys_that_fit(buffer_bytes: int, load_factor: float) -> int:
    """How many keys a map of ``buffer_bytes`` may hold."""
    return max(1, int(buffer_bytes / ENTRY_BYTES * load_factor))
