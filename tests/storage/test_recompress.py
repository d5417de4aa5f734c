"""Batches that the log must decompress: for another compression type, and for keys on compacted topics."""

import random
import struct
import tracemalloc

import pytest

from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE, INVALID_RECORD, MESSAGE_TOO_LARGE
from kafkacompat.protocol.records.batch import (
    BASE_TIMESTAMP_OFFSET,
    LAST_OFFSET_DELTA_OFFSET,
    MAX_TIMESTAMP_OFFSET,
    RECORD_COUNT_OFFSET,
    RECORDS_OFFSET,
    read_header,
    split,
    stamp_crc,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.recompress import (
    LARGE_BYTES,
    LARGE_GZIP_BYTES,
    LARGE_RECORDS,
    MAX_RECORDS,
    SLOW_LEVEL_BYTES,
    is_large,
    recompress,
)
from tests.storage.support import START_MS, append, open_log, produced, read_bytes, topic_config

CODECS = {"uncompressed": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def _keyless(compression: int) -> memoryview:
    records = [Record(0, START_MS, b"key", b"v"), Record(1, START_MS, None, b"v")]
    return memoryview(build_batch(records, compression=compression))


def test_slow_levels_are_for_the_background() -> None:
    plain = {
        size: memoryview(build_batch([Record(0, START_MS, b"k", bytes(size))])) for size in (100, SLOW_LEVEL_BYTES)
    }
    packed = {codec: memoryview(build_batch([Record(0, START_MS, b"k", b"v")], compression=codec)) for codec in (1, 4)}
    many = memoryview(build_batch([Record(i, START_MS, b"k", b"v") for i in range(LARGE_RECORDS + 1)]))
    slow = topic_config(compression_type="zstd", compression_zstd_level=22)
    usual = topic_config(compression_type="zstd")
    of_gzip = topic_config(compression_type="gzip", compression_zstd_level=22)
    batches = [plain[100], plain[SLOW_LEVEL_BYTES], packed[1], packed[4], many]
    assert [is_large(each, slow) for each in batches] == [False, True, True, False, True]
    for config in (usual, of_gzip):
        assert [is_large(each, config) for each in batches] == [False, False, False, False, True]
    for level in range(1, 18):  # 9 is the fast compressor
        config = topic_config(compression_type="lz4", compression_lz4_level=level)
        is_slow = level >= 3 and level != 9
        assert [is_large(each, config) for each in batches] == [False, is_slow, is_slow, is_slow, True], level


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_small_batches_that_are_large_inside_are_for_the_background(codec: int) -> None:
    small, bomb = (
        memoryview(build_batch([Record(0, START_MS, b"k", bytes(size))], compression=codec))
        for size in (LARGE_BYTES - 1_000, LARGE_BYTES)
    )
    assert len(bomb) < LARGE_BYTES // 10
    for config in (topic_config(compression_type="uncompressed"), topic_config(cleanup_policy="compact")):
        assert [is_large(each, config) for each in (small, bomb)] == [False, True]
        broken = bytearray(small)
        broken[RECORDS_OFFSET : RECORDS_OFFSET + 8] = b"\xff" * 8
        assert not is_large(memoryview(broken), config)


def test_gzip_is_for_the_background_from_fewer_bytes_on() -> None:
    sizes = (LARGE_GZIP_BYTES - 1_000, LARGE_GZIP_BYTES)
    for codec in (0, 2, 3, 4):
        batches = [
            memoryview(build_batch([Record(0, START_MS, b"k", bytes(size))], compression=codec)) for size in sizes
        ]
        for name, is_slower in (("gzip", True), ("zstd", False), ("lz4", False), ("uncompressed", False)):
            config = topic_config(compression_type=name)
            assert [is_large(each, config) for each in batches] == [False, is_slower], (codec, name)
    packed = memoryview(build_batch([Record(0, START_MS, b"k", bytes(LARGE_GZIP_BYTES))], compression=CODECS["gzip"]))
    for config in (
        topic_config(compression_type="gzip", cleanup_policy="compact"),
        topic_config(compression_type="lz4"),
    ):
        assert not is_large(packed, config)  # to decompress it is quick


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_batch_that_stays_as_it_is_needs_no_background(codec: str) -> None:
    records = [Record(i, START_MS, b"k", b"v" * 500) for i in range(LARGE_RECORDS + 1)]
    batch = memoryview(build_batch(records, compression=CODECS[codec]))
    assert not is_large(batch, topic_config(compression_type=codec))
    assert is_large(batch, topic_config(compression_type=codec, cleanup_policy="compact"))
    assert is_large(batch, topic_config(compression_type="lz4"))


def test_rebuilt_batches_have_the_level_too() -> None:
    text = random.Random(1).choices([bytes([97 + i % 26]) * (i % 7 + 1) for i in range(60)], k=3_000)
    batch = build_batch([Record(i, START_MS, b"k", b"".join(text)) for i in range(2)])
    usual = recompress(memoryview(batch), topic_config(compression_type="gzip", compression_gzip_level=1), START_MS)
    struct.pack_into(">q", batch, BASE_TIMESTAMP_OFFSET, START_MS - 1)  # Kafka's base is the first record's time
    stamp_crc(batch, 0, len(batch))
    fast, best = (
        recompress(memoryview(batch), topic_config(compression_type="gzip", compression_gzip_level=level), START_MS)
        for level in (1, 9)
    )
    assert len(best) < len(fast)
    assert len(fast) == len(usual)


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("sent", [0, 4])
def test_a_topic_with_a_compression_type_stores_nothing_else(name: str, sent: int) -> None:
    log = open_log(MemFs(), topic_config(compression_type=name))
    records = [Record(i, START_MS + i, b"key", b"value" * 20, [("h", b"x")]) for i in range(5)]
    batch = memoryview(
        build_batch(records, compression=sent, producer_id=7, producer_epoch=1, base_sequence=3, is_transactional=True)
    )
    append(log, batch, epoch=2)
    stored = read_bytes(log, 0)
    ((_, header),) = split(stored)
    assert header.compression == CODECS[name]
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 1, 3)
    assert header.is_transactional
    kept = [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in read_records(stored)]
    assert kept == [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in records]
    assert append(
        log,
        memoryview(
            build_batch(
                records, compression=sent, producer_id=7, producer_epoch=1, base_sequence=3, is_transactional=True
            )
        ),
    ).duplicate


@pytest.mark.parametrize("compression", [0, 1])
def test_a_compacted_topic_takes_no_record_without_a_key(compression: int) -> None:
    log = open_log(MemFs(), topic_config(cleanup_policy="compact"))
    with pytest.raises(LogError) as caught:
        append(log, _keyless(compression))
    assert caught.value.error_code == INVALID_RECORD
    assert append(log, produced(7, 0, 0, 2)).last_offset == 1
    assert append(open_log(MemFs()), _keyless(compression)).last_offset == 1


def test_records_that_cannot_be_read_are_refused_where_they_are_opened() -> None:
    records = bytearray(produced(7, 0, 0))
    records[61] = 0x7F  # a record longer than its batch
    stamp_crc(records, 0, len(records))
    with pytest.raises(LogError) as caught:
        append(open_log(MemFs(), topic_config(cleanup_policy="compact,delete")), memoryview(records))
    assert caught.value.error_code == CORRUPT_MESSAGE


@pytest.mark.parametrize(("base_ms", "claimed_ms"), [(0, START_MS + 9), (5, START_MS - 9)])
def test_a_header_that_lies_about_times_is_written_anew(base_ms: int, claimed_ms: int) -> None:
    sent = build_batch([Record(0, START_MS, b"k", b"v"), Record(1, START_MS + 3, b"k", b"w")], compression=4)
    struct.pack_into(">qq", sent, BASE_TIMESTAMP_OFFSET, START_MS + base_ms, claimed_ms)
    stamp_crc(sent, 0, len(sent))
    stored = bytes(recompress(memoryview(sent), topic_config(compression_type="gzip"), START_MS))
    assert [record.timestamp for record in read_records(stored)] == [START_MS + base_ms, START_MS + base_ms + 3]
    assert struct.unpack_from(">qq", stored, BASE_TIMESTAMP_OFFSET) == (START_MS + base_ms, START_MS + base_ms + 3)
    assert MAX_TIMESTAMP_OFFSET == BASE_TIMESTAMP_OFFSET + 8


@pytest.mark.parametrize("config", [{"compression_type": "gzip"}, {"cleanup_policy": "compact"}])
def test_more_records_than_can_be_looked_at_are_refused_before_they_are(config: dict[str, str]) -> None:
    sent = build_batch([Record(0, START_MS, b"k", b"v")], compression=4)
    struct.pack_into(">i", sent, LAST_OFFSET_DELTA_OFFSET, MAX_RECORDS)
    struct.pack_into(">i", sent, RECORD_COUNT_OFFSET, MAX_RECORDS + 1)
    stamp_crc(sent, 0, len(sent))
    with pytest.raises(LogError) as caught:
        recompress(memoryview(sent), topic_config(**config), START_MS)
    assert caught.value.error_code == MESSAGE_TOO_LARGE


def test_what_would_be_too_large_without_compression_is_not_made() -> None:
    sent = build_batch([Record(0, START_MS, b"k", bytes(1 << 21))], compression=2)
    with pytest.raises(LogError, match="uncompressed") as caught:
        recompress(memoryview(sent), topic_config(compression_type="uncompressed"), START_MS)
    assert caught.value.error_code == MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
@pytest.mark.parametrize("config", [{"compression_type": "gzip"}, {"cleanup_policy": "compact"}])
def test_opened_records_are_not_copied_again_and_again(codec: str, config: dict[str, str]) -> None:
    size_bytes = 8 << 20
    half = random.Random(1).randbytes(size_bytes // 2) + bytes(size_bytes // 2)
    sent = memoryview(build_batch([Record(0, START_MS, b"k", half)], compression=CODECS[codec]))
    recompress(sent, topic_config(**config), START_MS)
    tracemalloc.start()
    try:
        stored = recompress(sent, topic_config(**config), START_MS)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read_header(stored).record_count == 1
    assert peak_bytes < 2.2 * size_bytes  # with what comes out, of which half is random
