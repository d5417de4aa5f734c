"""Batches that the log must open: another compression type, and keys on compacted topics."""

import pytest

from kafkacompat.protocol.records.batch import split, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import CORRUPT_MESSAGE, INVALID_RECORD, LogError
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import START_MS, append, open_log, produced, read_bytes, topic_config

CODECS = {"uncompressed": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def _keyless(compression: int) -> memoryview:
    records = [Record(0, START_MS, b"key", b"v"), Record(1, START_MS, None, b"v")]
    return memoryview(build_batch(records, compression=compression))


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
