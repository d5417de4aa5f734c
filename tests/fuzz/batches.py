"""Record batches that a producer should not send: the checksum is right, what it covers is not."""

import gzip
import struct
from random import Random

from kafkacompat.protocol.records.batch import ATTRIBUTES_OFFSET, RECORDS_OFFSET, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch

INT32 = (0, 1, 2, -1, -2, 5, 2**31 - 1, -(2**31))
INT64 = (0, 1, -1, -2, 2**63 - 1, -(2**63), 1_700_000_000_000)
ATTRIBUTES = (0, 1, 2, 3, 4, 5, 7, 0x08, 0x10, 0x20, 0x30, 0x40, 0x7F, 0x80, -1, -(2**15))
# format, offset of each field that the checksum covers, and of those before it
FIELDS = {
    "base_offset": (">q", 0, INT64), "length": (">i", 8, INT32), "leader_epoch": (">i", 12, INT32),
    "magic": (">b", 16, (0, 1, 2, 3, -1)), "attributes": (">h", 21, ATTRIBUTES), "last_offset_delta": (">i", 23, INT32),
    "base_timestamp": (">q", 27, INT64), "max_timestamp": (">q", 35, INT64), "producer_id": (">q", 43, INT64),
    "producer_epoch": (">h", 51, (0, 1, -1, 2**15 - 1, -(2**15))), "base_sequence": (">i", 53, INT32),
    "record_count": (">i", 57, INT32),
}  # fmt: skip
BOMB = gzip.compress(bytes(8 * 1024 * 1024))


def good_batch(rng: Random) -> bytearray:
    """A batch that any topic takes, but for compacted ones where a key is missing."""
    records = [_record(rng, offset) for offset in range(rng.choice((1, 1, 2, 5)))]
    return build_batch(records, compression=rng.choice((0, 0, 0, 1, 2, 3, 4)))


def _record(rng: Random, offset: int) -> Record:
    key = rng.choice((None, b"", b"key", rng.randbytes(40)))
    headers = [(rng.choice(("", "h", "ü☃")), rng.choice((None, b"", b"v")))] * rng.choice((0, 0, 1, 3))
    return Record(offset, 1_700_000_000_000 + rng.randrange(-5, 5), key, rng.choice((None, b"", b"value")), headers)


def idempotent_batch(rng: Random) -> bytearray:
    """One of few producers, with sequences that may be next, repeated or far away."""
    return build_batch(
        [Record(0, 1_700_000_000_000, b"k", b"v")],
        producer_id=rng.randrange(4),
        producer_epoch=rng.choice((0, 0, 1, 2**15 - 1)),
        base_sequence=rng.choice((0, 0, 1, 2, 3, 2**31 - 1)),
        is_transactional=rng.random() < 0.2,
    )


def hostile_batch(rng: Random) -> bytes:
    """Records for a produce request: good, wrong in some fields, wrong inside, or nothing like a batch."""
    shape = rng.randrange(10)
    if shape == 0:
        return rng.randbytes(rng.choice((0, 1, 60, 61, 200)))
    if shape == 1:
        return bytes(good_batch(rng))
    if shape == 2:
        return bytes(idempotent_batch(rng))
    if shape == 3:
        return bytes(good_batch(rng) + good_batch(rng))
    if shape == 4:
        return _with_content(good_batch(rng), BOMB if rng.random() < 0.05 else rng.randbytes(rng.randrange(100)), rng)
    batch = good_batch(rng) if rng.random() < 0.7 else idempotent_batch(rng)
    if shape == 5:
        return bytes(_garble_records(batch, rng))
    return bytes(_garble_header(batch, rng))


def _with_content(batch: bytearray, content: bytes, rng: Random) -> bytes:
    batch = batch[:RECORDS_OFFSET] + content
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    struct.pack_into(">h", batch, ATTRIBUTES_OFFSET, rng.randrange(5))
    stamp_crc(batch, 0, len(batch))
    return bytes(batch)


def _garble_records(batch: bytearray, rng: Random) -> bytearray:
    for _ in range(rng.choice((1, 1, 2, 5))):
        batch[rng.randrange(RECORDS_OFFSET, len(batch))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    if rng.random() < 0.3:
        del batch[rng.randrange(RECORDS_OFFSET, len(batch)) :]
        struct.pack_into(">i", batch, 8, len(batch) - 12)
    stamp_crc(batch, 0, len(batch))
    return batch


def _garble_header(batch: bytearray, rng: Random) -> bytearray:
    for _ in range(rng.choice((1, 1, 2))):
        form, at, values = FIELDS[rng.choice(list(FIELDS))]
        struct.pack_into(form, batch, at, rng.choice(values))
    if rng.random() < 0.95:
        stamp_crc(batch, 0, len(batch))
    return batch
