"""Batches that are thinned out: what stays reads as before."""

import pytest

from kafkacompat.protocol.records.batch import CorruptBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records, record_bytes
from kafkacompat.storage.compaction.scan_loop import walk
from kafkacompat.storage.txn_index import AbortedTransaction
from tests.storage.compaction.scans import SCANNERS, NewScanner, Scans

HEADERS = (("name", b"value"), ("none", None))
RECORDS = [
    Record(5, 1000, b"a", b"1", HEADERS), Record(6, 1700, b"b", None), Record(7, 900, b"a", b"2" * 300, HEADERS),
    Record(8, 1200, None, b"lost"),
]  # fmt: skip


def thinned(batch: memoryview, scans: Scans, **arguments: int) -> memoryview:
    found = scans.thin(batch, **arguments)
    assert found is not None
    return found


@pytest.mark.parametrize("new", SCANNERS)
@pytest.mark.parametrize("codec", range(5))
@pytest.mark.parametrize("timestamp_type", [0, 1])
def test_what_stays_reads_as_before_and_tombstones_get_a_horizon(
    new: NewScanner, codec: int, timestamp_type: int
) -> None:
    batch = memoryview(
        build_batch(
            RECORDS, base_offset=5, leader_epoch=3, compression=codec, timestamp_type=timestamp_type, producer_id=7,
            producer_epoch=2, base_sequence=11,
        )
    )  # fmt: skip
    scans = Scans(new, batch)
    found = thinned(batch, scans)
    before, after = read_header(batch), read_header(found)
    assert list(read_records(found)) == [record for record in read_records(batch) if record.offset in (6, 7)]
    assert after.has_delete_horizon
    assert after.base_timestamp == 5_100
    assert after.max_timestamp == 1_700
    for field in ("base_offset", "last_offset", "producer_id", "producer_epoch", "base_sequence", "leader_epoch"):
        assert getattr(after, field) == getattr(before, field)
    assert (after.compression, after.is_log_append_time) == (codec, bool(timestamp_type))
    assert scans.scanner.without_key == 1
    assert bytes(thinned(found, Scans(new, batch), now_ms=5_099)) == bytes(found)
    late = thinned(found, Scans(new, batch), now_ms=5_100)
    assert [record.offset for record in read_records(late)] == [7]
    assert read_header(late).max_timestamp == (1_700 if timestamp_type else 900)
    assert read_header(late).base_timestamp == 5_100


@pytest.mark.parametrize("new", SCANNERS)
def test_a_batch_of_which_nothing_goes_stays_byte_for_byte(new: NewScanner) -> None:
    batch = memoryview(build_batch(RECORDS[:1], base_offset=5))
    assert thinned(batch, Scans(new, batch)) == batch


@pytest.mark.parametrize("new", SCANNERS)
def test_records_behind_the_end_of_the_map_stay(new: NewScanner) -> None:
    batch = memoryview(build_batch(RECORDS, base_offset=5))
    scans = Scans(new, keys=1)
    assert not scans.index(batch)
    assert scans.scanner.end_offset == 6
    assert [record.offset for record in read_records(thinned(batch, scans))] == [5, 6, 7, 8]


@pytest.mark.parametrize("new", SCANNERS)
def test_records_that_were_aborted_are_not_noted(new: NewScanner) -> None:
    batch = memoryview(
        build_batch(
            RECORDS, base_offset=5, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True
        )
    )  # fmt: skip
    for producer_id, left in ((7, [5, 6, 7]), (8, [6, 7])):
        scans = Scans(new)
        assert scans.index(batch, (AbortedTransaction(producer_id, 5, 20, 20),))
        assert scans.scanner.end_offset == 9
        assert [record.offset for record in read_records(thinned(batch, scans))] == left


@pytest.mark.parametrize("new", SCANNERS)
def test_records_before_the_first_dirty_one_are_not_noted(new: NewScanner) -> None:
    batch = memoryview(build_batch([Record(n, 0, b"key", b"") for n in range(3)]))
    assert [record.offset for record in read_records(thinned(batch, Scans(new, batch, first_dirty=1)))] == [2]
    other = memoryview(build_batch([Record(n, 0, b"other", b"") for n in range(1, 3)], base_offset=0))
    scans = Scans(new, batch, first_dirty=3)
    assert [record.offset for record in read_records(thinned(batch, scans))] == [0, 1, 2]
    assert [record.offset for record in read_records(thinned(other, scans))] == [1, 2]


@pytest.mark.parametrize("new", SCANNERS)
def test_records_without_a_key_take_no_room(new: NewScanner) -> None:
    batch = memoryview(build_batch([Record(0, 0, None, b"1"), Record(1, 0, b"a", b"2"), Record(2, 0, None, b"3")]))
    scans = Scans(new, keys=1)
    assert scans.index(batch)
    assert [record.offset for record in read_records(thinned(batch, scans))] == [1]
    assert scans.scanner.without_key == 2


@pytest.mark.parametrize("new", SCANNERS)
def test_an_empty_batch_keeps_its_header(new: NewScanner) -> None:
    batch = memoryview(build_batch(RECORDS[3:], base_offset=8, compression=4, producer_id=7, producer_epoch=0,
                                   base_sequence=3))  # fmt: skip
    assert Scans(new, batch).thin(batch) is None
    empty = read_header(thinned(batch, Scans(new, batch), upper_bound=9))
    assert (empty.record_count, empty.size_bytes, empty.compression, empty.base_timestamp) == (0, 61, 0, -1)
    assert (empty.max_timestamp, empty.base_sequence, empty.last_offset) == (1_200, 3, 8)


@pytest.mark.parametrize("new", SCANNERS)
@pytest.mark.parametrize("place", ["key", "producer id"])
def test_damage_supersedes_nothing_and_is_not_removed(new: NewScanner, place: str) -> None:
    good = build_batch(RECORDS, base_offset=5)
    batch = bytearray(good)
    batch[batch.index(b"a", 61) if place == "key" else 43] ^= 1
    with pytest.raises(CorruptBatchError, match="the checksum of the batch at offset 5 is wrong"):
        Scans(new, memoryview(batch))
    with pytest.raises(CorruptBatchError, match="the checksum of the batch at offset 5 is wrong"):
        Scans(new, memoryview(good)).thin(memoryview(batch))


def test_records_that_lie_about_their_size_are_refused() -> None:
    batch = build_batch(RECORDS, base_offset=5)
    header = read_header(batch)
    data = bytes(record_bytes(batch, 0, header))
    assert len(list(walk(data, 0, header))) == 4
    for cut in range(len(data)):
        with pytest.raises(CorruptBatchError):
            list(walk(data[:cut], 0, header))
    with pytest.raises(CorruptBatchError):
        list(walk(data + b"\0", 0, header))
    for place in range(len(data)):
        for value in (0x7F, 0x80, 0xFF):
            changed = bytearray(data)
            changed[place] = value
            try:
                found = list(walk(changed, 0, header))
            except CorruptBatchError:
                continue
            assert [span[0] for span in found] == sorted({span[0] for span in found})
            assert all(0 < span[0] <= len(data) for span in found)
