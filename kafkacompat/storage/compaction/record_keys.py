"""The keys of the records of a batch, read in one loop: a pass in plain Python spends most of its time here."""

import struct
from hashlib import blake2b
from operator import lt
from typing import NamedTuple

from kafkacompat.protocol.varint import read_varint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.thinned_batch import Data

    Found = tuple[list[bytes], list[int], int, list[int]]
    """Keys; the doubled deltas from the first one on that is not the place of its record, and how many are before that;
    tombstones.
    """

PLAIN_KEY_BYTES = 30
"""Keys up to this size are kept as they are, longer ones as their hash, which takes as much memory."""
HASH_BYTES = 31
"""More than any plain key has, so that none of them is taken for a hash."""
MAX_RECORDS = 4_096
"""Of a batch whose keys are listed: with tiny records the list takes many times the bytes of the batch."""
MAX_COPIED_BYTES = 1024 * 1024
"""Of a batch that was decompressed into memory whose slices are no keys."""
_read_fields = struct.Struct("x6B").unpack_from
"""Behind the length and the attributes of a record: the deltas of its timestamp and offset, and the size of its key."""


class RecordKeys(NamedTuple):
    """Of the records of a batch, in their order. ``keys``: as `key_function` keeps them. ``deltas``: of their offsets.
    ``tombstones``: the places, which count from 0, of those without a value.
    """

    keys: list[bytes]
    deltas: range | list[int]
    tombstones: list[int]

    @property
    def is_dense(self) -> bool:
        """Whether the offset delta of each record is its place."""
        return isinstance(self.deltas, range)


def key_function(secret: bytes) -> "Callable[[bytes], bytes]":
    """What is kept of a key: other bytes of each other key that somebody can make who does not know the secret."""

    def kept(key: bytes) -> bytes:
        if len(key) <= PLAIN_KEY_BYTES:
            return key
        return blake2b(secret + key, digest_size=HASH_BYTES).digest()

    return kept


def read_keys(data: "Data", at: int, header: "BatchHeader", kept: "Callable[[bytes], bytes]") -> RecordKeys | None:
    """The keys of the records from ``at`` to the end of ``data``: see `keys_between`. None also for a large batch
    that was decompressed.
    """
    if not isinstance(data, bytes):
        if len(data) > MAX_COPIED_BYTES:
            return None
        data = bytes(data)
    return keys_between(data, at, len(data), header.record_count, header.last_offset_delta, kept)


def keys_between(
    data: bytes, at: int, end: int, count: int, last_delta: int, kept: "Callable[[bytes], bytes]"
) -> RecordKeys | None:
    """The keys of ``count`` records from ``at`` to ``end``, whose offset deltas are ``last_delta`` at most.

    None if something is damaged or unusual: a record without a key, with a key of 64 bytes or more, with a timestamp
    more than 17 minutes from that of the batch, or, at the end of ``data``, with nothing but an empty key; offset
    deltas that do not ascend; no records, or many. `scan_loop.walk` goes through all batches.
    """
    if not 0 < count <= MAX_RECORDS:
        return None
    try:
        keys, sparse, dense, tombstones = _read(data, at, end, count, kept)
    except (IndexError, ValueError, struct.error):
        return None
    if not sparse:
        return RecordKeys(keys, range(count), tombstones) if count <= last_delta + 1 else None
    if dense + len(sparse) != count:
        return None
    deltas = [delta >> 1 for delta in sparse]
    is_ascending = all(map(lt, [dense - 1, *deltas], [*deltas, last_delta + 1]))
    if not is_ascending or any(delta & 1 for delta in sparse):
        return None
    return RecordKeys(keys, [*range(dense), *deltas], tombstones)


def _read(data: bytes, at: int, stop_at: int, count: int, kept: "Callable[[bytes], bytes]") -> "Found":
    """Without calls for single fields, which would take longer than all the rest. Raises ValueError, IndexError and
    struct.error for what is damaged or unusual, as is a batch whose records do not end at ``stop_at``.
    """
    keys: list[bytes] = []
    sparse: list[int] = []
    tombstones: list[int] = []
    add, dense, flaws = keys.append, count, 0
    for place in range(count):
        length = data[at]
        second = data[at + 1]
        if length < 128:
            at += 1
            end = at + (length >> 1)
        elif second < 128:
            at += 2
            end = at + ((length & 127 | second << 7) >> 1)
        else:
            size, at = read_varint(data, at)
            end = at + size
        timestamp, delta, more, key_bytes, fifth, sixth = _read_fields(data, at)
        at += 4
        if timestamp > 127:
            if delta < 128:
                delta, more, key_bytes = more, key_bytes, fifth
                at += 1
            else:
                flaws |= more & 128
                delta, more, key_bytes = key_bytes, fifth, sixth
                at += 2
        if delta < 128:
            key_bytes = more
        else:
            flaws |= more & 128
            delta = delta & 127 | more << 7
            at += 1
        if delta != place << 1:
            dense = min(dense, place)
            sparse.append(delta)
        stop = at + (key_bytes >> 1)
        add(data[at:stop] if key_bytes <= 2 * PLAIN_KEY_BYTES else kept(data[at:stop]))
        value_bytes = data[stop]
        if value_bytes < 128:
            at = stop + 1 + (value_bytes >> 1)
            if value_bytes & 1:
                tombstones.append(place)
        else:
            flaws |= value_bytes & 1
            second = data[stop + 1]
            if second < 128:
                at = stop + 2 + ((value_bytes & 127 | second << 7) >> 1)
            else:
                size, at = read_varint(data, stop)
                at += size
        flaws |= (length | key_bytes) & 1 | key_bytes & 128 | (at >= end)  # the count of headers is behind the value
        at = end
    if flaws or at != stop_at:
        raise ValueError("unusual")
    return keys, sparse, dense, tombstones
