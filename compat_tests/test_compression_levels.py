"""Apache Kafka reads batches that are compressed here at any level, as its tools do."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.dumped_files import ours, theirs
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4, ZSTD

START_MS = 1_700_000_000_000
LEVELS = {GZIP: (1, 9), LZ4: (1, 2, 3, 8, 9, 10, 12, 17), ZSTD: (-5, 19)}
SIZES = (1, 65_000, 65_536, 200_000)
"""Blocks of lz4 have 64 KiB."""


@pytest.mark.full
def test_apache_kafka_reads_every_level(tmp_path: Path) -> None:
    words = b"".join(b"order %x price " % (number * 7919 % 65_521) for number in range(14_000))
    content, offset = bytearray(), 0
    for codec, levels in LEVELS.items():
        for level in levels:
            for size in SIZES:
                record = Record(0, START_MS, b"%d" % level, words[:size])
                batch = build_batch([record], compression=codec, compression_level=level)
                batch[0:8] = offset.to_bytes(8, "big")
                content += batch
                offset += 1
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(content)
    found, expected = ours([path], "--print-data-log"), theirs([path], "--print-data-log")
    assert expected.status == 0, expected.stderr
    assert found.stdout == expected.stdout
    assert expected.stdout.count("payload: order") == sum(map(len, LEVELS.values())) * (len(SIZES) - 1)
