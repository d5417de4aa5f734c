"""Which partition a record goes to: as Java's producer decides."""

from __future__ import annotations

from struct import unpack

_M = 0x5BD1E995
_SEED = 0x9747B28C
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """MurmurHash2 of `data` as Kafka has it (Utils.murmur2), as an unsigned 32-bit integer."""
    length = len(data)
    h = (_SEED ^ length) & _MASK
    whole = length & ~3
    for word in unpack(f"<{length >> 2}I", data[:whole]):
        k = word * _M & _MASK
        h = (h * _M ^ (k ^ (k >> 24)) * _M) & _MASK
    if whole < length:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    h = (h ^ (h >> 13)) * _M & _MASK
    return h ^ (h >> 15)


def partition_of_key(key: bytes, partition_count: int) -> int:
    """BuiltInPartitioner.partitionForKey: keys keep their partition, whatever client writes."""
    if partition_count == 1:
        return 0
    return (murmur2(key) & 0x7FFFFFFF) % partition_count
