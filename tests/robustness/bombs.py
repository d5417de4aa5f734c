"""Batches that are small on the wire and enormous once they are decompressed, to topics where they have to be."""

from __future__ import annotations

import itertools
import random
import struct
import time
from collections.abc import Iterator

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.records import compression
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    LAST_OFFSET_DELTA_OFFSET,
    LENGTH_OFFSET,
    LOG_OVERHEAD,
    RECORD_COUNT_OFFSET,
    RECORDS_OFFSET,
    stamp_crc,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.robustness.client import Client
from tests.robustness.live import Server, watched

SIZES_MB = (1, 8, 32, 60, 256)
"""A batch of more than 64 MiB is refused."""
GROWTH_MAX_MB = 96.0
TOPICS = {"zipped": {"compression_type": "gzip"}, "compacted": {"cleanup_policy": "compact"}}
MAX_MESSAGE_BYTES = 90_000_000
REFUSED = (errors.MESSAGE_TOO_LARGE, errors.CORRUPT_MESSAGE, errors.INVALID_RECORD)
CODECS = {
    "gzip": compression.GZIP, "snappy": compression.SNAPPY, "lz4": compression.LZ4, "zstd": compression.ZSTD,
}  # fmt: skip


def bomb(codec: int, size_mb: int) -> bytearray:
    """A batch of one record of so many zeros."""
    plain = build_batch([Record(0, 1_700_000_000_000, b"k", bytes(size_mb << 20))])
    return packed(codec, plain[:RECORDS_OFFSET], plain[RECORDS_OFFSET:])


def swarm(codec: int, size_mb: int) -> bytearray:
    """A batch of so many bytes of the smallest records, behind one that compresses badly, so that none of the limits
    that look at sizes alone is reached.
    """
    plain = build_batch([Record(0, 1_700_000_000_000, b"k", random.Random(1).randbytes(700_000))])
    small = build_batch([Record(0, 1_700_000_000_000, b"", b"")])[RECORDS_OFFSET:]
    count = (size_mb << 20) // len(small)
    struct.pack_into(">i", plain, LAST_OFFSET_DELTA_OFFSET, count)
    struct.pack_into(">i", plain, RECORD_COUNT_OFFSET, count + 1)
    return packed(codec, plain[:RECORDS_OFFSET], plain[RECORDS_OFFSET:] + small * count)


def packed(codec: int, header: bytearray, content: bytearray) -> bytearray:
    batch = header + compression.compress(codec, content)
    struct.pack_into(">i", batch, LENGTH_OFFSET, len(batch) - LOG_OVERHEAD)
    struct.pack_into(">h", batch, ATTRIBUTES_OFFSET, codec)
    stamp_crc(batch, 0, len(batch))
    return batch


def explode(port: int) -> Iterator[tuple[str, int, float]]:
    """What became of each bomb: its name, the error code, the seconds."""
    with Client(port) as client:
        for topic, configs in TOPICS.items():
            client.create_topic(topic, max_message_bytes=str(MAX_MESSAGE_BYTES), **configs)
        for name, codec in CODECS.items():
            for size_mb in SIZES_MB:
                for make, topic in itertools.product((bomb, swarm), TOPICS):
                    batch = make(codec, size_mb)
                    began = time.monotonic()
                    answer = client.produce(topic, batch)
                    what = f"{make.__name__}, {name} {size_mb} MiB, to {topic}"
                    yield what, answer.error_code, time.monotonic() - began


def run(server: Server) -> tuple[list[str], str]:
    """What is wrong, and what was seen."""
    found: list[str] = []
    taken = slowest_s = 0.0
    count = 0
    with watched(server) as (canary, growth):
        for name, error_code, took_s in explode(server.port):
            count += 1
            taken += error_code == errors.NONE
            slowest_s = max(slowest_s, took_s)
            if error_code not in (errors.NONE, *REFUSED):
                found.append(f"{name}: error {error_code}")
            growth.look()
    if growth.most_mb > GROWTH_MAX_MB:
        found.append(f"the broker grew by {growth.most_mb:.0f} MB")
    return found, (
        f"{count} bombs, {taken:.0f} taken, slowest {slowest_s * 1000:.0f} ms; "
        f"memory +{growth.most_mb:.1f} MB at most; canary: slowest {max(canary.took_s) * 1000:.0f} ms"
    )
