"""The keys of a batch that are read in one loop are those that are found one by one."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.records.batch import BatchHeader, CorruptBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import record_bytes
from kafkacompat.storage.compaction import record_keys
from kafkacompat.storage.compaction.record_keys import RecordKeys, key_function, read_keys
from kafkacompat.storage.compaction.scan_loop import walk
from tests.storage.compaction.test_scan_arrays import BATCH, built

KEPT = key_function(b"secret")
RECORDS = [
    Record(0, 10**7, b"a", b"1", (("name", b"value"),)),
    Record(1, 10**7 + 63, b"b", None),
    Record(2, 10**7 + 9_000, b"c" * 31, b"3" * 100),
    Record(3, 10**7 - 900_000, b"d" * 63, b"4" * 9_000),
]


def read(batch: bytes | bytearray) -> tuple[BatchHeader, bytes, RecordKeys | None]:
    header = read_header(batch)
    data = bytes(record_bytes(batch, 0, header))
    return header, data, read_keys(data, 0, header, KEPT)


def test_what_a_producer_sends_is_read() -> None:
    _, _, found = read(build_batch(RECORDS))
    assert found == RecordKeys([KEPT(record.key or b"") for record in RECORDS], range(4), [1])
    assert found.is_dense
    many = [Record(place, place * 50, b"key-%d" % place, b"value") for place in range(300)]
    _, _, found = read(build_batch(many))
    assert found == RecordKeys([b"key-%d" % place for place in range(300)], range(300), [])


def test_gaps_between_offsets_are_told() -> None:
    records = [Record(offset, 0, b"k%d" % offset, b"value") for offset in (0, 1, 5, 200)]
    _, _, found = read(build_batch(records, base_offset=0))
    assert found is not None
    assert found.deltas == [0, 1, 5, 200]
    assert not found.is_dense


UNUSUAL = [
    [Record(0, 0, None, b"value of a record without a key")],
    [Record(0, 0, b"k" * 64, b"value")],
    [Record(0, 0, b"first", b""), Record(1, 1 << 21, b"late", b"value")],
    [Record(number, 0, b"k", b"value") for number in range(record_keys.MAX_RECORDS + 1)],
]


@pytest.mark.parametrize("records", UNUSUAL)
def test_unusual_records_are_left_to_the_other_loop(records: list[Record]) -> None:
    assert read(build_batch(records))[2] is None


def test_keys_of_a_large_decompressed_batch_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    header, data, found = read(build_batch(RECORDS))
    assert found is not None
    assert read_keys(bytearray(data), 0, header, KEPT) == found
    monkeypatch.setattr(record_keys, "MAX_COPIED_BYTES", len(data) - 1)
    assert read_keys(bytearray(data), 0, header, KEPT) is None
    assert read_keys(data, 0, header, KEPT) == found


def test_deltas_out_of_their_order_are_left_to_the_other_loop() -> None:
    batch = build_batch([Record(place, 0, b"key", b"value") for place in range(8)])
    header, data, _ = read(batch)
    size = len(data) // 8
    for deltas in ([0, 5, 2, 7], [0, 1, 1, 3], [3, 2, 1, 0], [0, 1, 2, 8]):
        changed = bytearray(data[: 4 * size])
        for place, delta in enumerate(deltas):
            changed[place * size + 3] = delta << 1
        header.record_count = 4
        assert read_keys(bytes(changed), 0, header, KEPT) is None
        changed[size * 3 + 3] = 14
    changed[3], changed[size + 3], changed[2 * size + 3] = 0, 4, 8
    found = read_keys(bytes(changed), 0, header, KEPT)
    assert found is not None
    assert found.deltas == [0, 2, 4, 7]
    changed[size + 3] = 5
    assert read_keys(bytes(changed), 0, header, KEPT) is None


def checked(data: bytes, header: BatchHeader) -> None:
    """Either the keys are those that the other loop finds, or there are none."""
    found = read_keys(data, 0, header, KEPT)
    if found is None:
        return
    spans = list(walk(data, 0, header))
    assert found.keys == [KEPT(key) for _, _, _, key, _ in spans if key is not None]
    assert list(found.deltas) == [delta for _, _, delta, _, _ in spans]
    assert found.tombstones == [place for place, span in enumerate(spans) if not span[4]]
    assert found.is_dense == (list(found.deltas) == list(range(header.record_count)))


@given(descriptions=st.lists(BATCH, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_the_other_loop_finds_the_same(descriptions: list[dict[str, Any]]) -> None:
    for each in descriptions:
        each["codec"] = 0
    for batch in built(descriptions)[0]:
        header = read_header(batch)
        checked(bytes(batch[61:]), header)


def test_damage_at_any_byte_is_left_to_the_other_loop_or_read_alike() -> None:
    header, data, _ = read(build_batch([*RECORDS[:3], Record(3, 10**7, b"key", b"")]))
    for cut in range(len(data)):
        assert read_keys(data[:cut], 0, header, KEPT) is None
        with pytest.raises(CorruptBatchError):
            list(walk(data[:cut], 0, header))
    for place in range(len(data)):
        for value in range(256):
            changed = bytearray(data)
            changed[place] = value
            checked(bytes(changed), header)
    for count in (-1, 0, 3, 5):
        header.record_count = count
        assert read_keys(data, 0, header, KEPT) is None
