"""Batches that are thinned out: what stays reads as before."""

import pytest

from kafkacompat.protocol.records.batch import CorruptBatchError, check_crc, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records, record_bytes
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.offset_map import OffsetMap
from kafkacompat.storage.compaction.scan_loop import Filter, add_to_map, spans
from kafkacompat.storage.txn_index import AbortedTransaction

HEADERS = (("name", b"value"), ("none", None))
RECORDS = [
    Record(5, 1000, b"a", b"1", HEADERS), Record(6, 1700, b"b", None), Record(7, 900, b"a", b"2" * 300, HEADERS),
    Record(8, 1200, None, b"lost"),
]  # fmt: skip


def a_filter(offsets: OffsetMap, **arguments: int) -> Filter:
    values = {"upper_bound": 99, "now_ms": 5_000, "delete_retention_ms": 100} | arguments
    return Filter(offsets, RoundTransactions([]), {}, **values)


def a_map(batch: memoryview, **arguments: int) -> OffsetMap:
    offsets = OffsetMap(arguments.get("limit", 10), b"secret")
    add_to_map(offsets, read_header(batch), batch, RoundTransactions([]), arguments.get("first_dirty", 0))
    return offsets


def thinned(batch: memoryview, keeper: Filter) -> memoryview:
    kept = keeper.thin(read_header(batch), batch)
    assert kept is not None
    found = memoryview(kept[0])
    assert check_crc(found, 0, len(found))
    assert kept[1] == read_header(found).max_timestamp
    return found


@pytest.mark.parametrize("codec", range(5))
@pytest.mark.parametrize("timestamp_type", [0, 1])
def test_what_stays_reads_as_before_and_tombstones_get_a_horizon(codec: int, timestamp_type: int) -> None:
    batch = memoryview(
        build_batch(
            RECORDS, base_offset=5, leader_epoch=3, compression=codec, timestamp_type=timestamp_type, producer_id=7,
            producer_epoch=2, base_sequence=11,
        )
    )  # fmt: skip
    keeper = a_filter(a_map(batch))
    found = thinned(batch, keeper)
    before, after = read_header(batch), read_header(found)
    assert list(read_records(found)) == [record for record in read_records(batch) if record.offset in (6, 7)]
    assert after.has_delete_horizon
    assert after.base_timestamp == 5_100
    assert after.max_timestamp == 1_700
    for field in ("base_offset", "last_offset", "producer_id", "producer_epoch", "base_sequence", "leader_epoch"):
        assert getattr(after, field) == getattr(before, field)
    assert (after.compression, after.is_log_append_time) == (codec, bool(timestamp_type))
    assert keeper.without_key == 1
    assert bytes(thinned(found, a_filter(a_map(batch), now_ms=5_099))) == bytes(found)
    late = thinned(found, a_filter(a_map(batch), now_ms=5_100))
    assert [record.offset for record in read_records(late)] == [7]
    assert read_header(late).max_timestamp == (1_700 if timestamp_type else 900)
    assert read_header(late).base_timestamp == 5_100


def test_a_batch_of_which_nothing_goes_stays_byte_for_byte() -> None:
    batch = memoryview(build_batch(RECORDS[:1], base_offset=5))
    assert thinned(batch, a_filter(a_map(batch))) == batch


def test_records_behind_the_end_of_the_map_stay() -> None:
    batch = memoryview(build_batch(RECORDS, base_offset=5))
    offsets = a_map(batch, limit=1)
    assert offsets.latest == 5
    assert [record.offset for record in read_records(thinned(batch, a_filter(offsets)))] == [5, 6, 7, 8]


def test_records_that_were_aborted_are_not_noted() -> None:
    batch = memoryview(
        build_batch(
            RECORDS, base_offset=5, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True
        )
    )  # fmt: skip
    for producer_id, keys in ((7, 0), (8, 2)):
        offsets = OffsetMap(10, b"secret")
        transactions = RoundTransactions([AbortedTransaction(producer_id, 5, 20, 20)])
        assert add_to_map(offsets, read_header(batch), batch, transactions, 0)
        assert (len(offsets.offsets), offsets.latest) == (keys, 8)


def test_records_before_the_first_dirty_one_are_not_noted() -> None:
    batch = memoryview(build_batch(RECORDS, base_offset=5))
    assert len(a_map(batch, first_dirty=7).offsets) == 1


def test_an_empty_batch_keeps_its_header() -> None:
    batch = memoryview(build_batch(RECORDS[3:], base_offset=8, compression=4, producer_id=7, producer_epoch=0,
                                   base_sequence=3))  # fmt: skip
    assert a_filter(a_map(batch)).thin(read_header(batch), batch) is None
    empty = read_header(thinned(batch, a_filter(a_map(batch), upper_bound=9)))
    assert (empty.record_count, empty.size_bytes, empty.compression, empty.base_timestamp) == (0, 61, 0, -1)
    assert (empty.max_timestamp, empty.base_sequence, empty.last_offset) == (1_200, 3, 8)


@pytest.mark.parametrize("place", ["key", "producer id"])
def test_damage_supersedes_nothing_and_is_not_removed(place: str) -> None:
    good = build_batch(RECORDS, base_offset=5)
    batch = bytearray(good)
    batch[batch.index(b"a", 61) if place == "key" else 43] ^= 1
    with pytest.raises(CorruptBatchError, match="the checksum of the batch at offset 5 is wrong"):
        a_map(memoryview(batch))
    with pytest.raises(CorruptBatchError, match="the checksum of the batch at offset 5 is wrong"):
        a_filter(a_map(memoryview(good))).thin(read_header(batch), memoryview(batch))


def test_records_that_lie_about_their_size_are_refused() -> None:
    batch = build_batch(RECORDS, base_offset=5)
    header = read_header(batch)
    data = bytes(record_bytes(batch, 0, header))
    assert len(spans(data, header)) == 4
    for cut in range(len(data)):
        with pytest.raises(CorruptBatchError):
            spans(data[:cut], header)
    with pytest.raises(CorruptBatchError):
        spans(data + b"\0", header)
    for place in range(len(data)):
        for value in (0x7F, 0x80, 0xFF):
            changed = bytearray(data)
            changed[place] = value
            try:
                found = spans(changed, header)
            except CorruptBatchError:
                continue
            assert all(0 <= span[0] < span[2] <= len(data) for span in found)
