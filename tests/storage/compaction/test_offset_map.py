"""The map of keys to their newest offsets: bounded, and without collisions that somebody could make."""

import sys

from kafkacompat.storage.compaction.offset_map import ENTRY_BYTES, OffsetMap
from kafkacompat.storage.compaction.record_keys import HASH_BYTES, PLAIN_KEY_BYTES, RecordKeys, key_function


def newest(offsets: OffsetMap, key: bytes, offset: int) -> bool:
    return offsets.predicate(0, has_tombstones=False)(offset, key, True)


def test_the_last_offset_of_a_key_counts() -> None:
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    assert offsets.put(b"a", 1)
    assert offsets.put(b"a", 5)
    assert [newest(offsets, b"a", offset) for offset in (1, 5, 6)] == [False, True, True]
    assert newest(offsets, b"unknown", 0)


def test_a_full_map_takes_nothing_more_and_keeps_its_end() -> None:
    offsets = OffsetMap(2 * ENTRY_BYTES, b"secret")
    assert offsets.put(b"a", 1)
    assert offsets.put(b"b", 2)
    assert not offsets.put(b"a", 3)
    assert offsets.latest == 2
    assert newest(offsets, b"a", 1)


def test_the_end_only_grows() -> None:
    offsets = OffsetMap(2 * ENTRY_BYTES, b"secret")
    offsets.reached(7)
    offsets.reached(3)
    assert offsets.latest == 7


def test_a_tombstone_is_newest_while_no_value_follows() -> None:
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    offsets.put(b"a", 0, has_value=False)
    offsets.put_all(1, RecordKeys([b"b", b"c", b"b"], range(3), [0, 1]))
    assert [newest(offsets, b"a", 0), newest(offsets, b"b", 1), newest(offsets, b"c", 2)] == [True, False, True]
    assert [list(each) for each in offsets.all_newest()] == [[0, 2, 3], [0, 2]]


def test_the_records_of_a_sparse_batch_are_noted_at_their_offsets() -> None:
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    found = RecordKeys([b"a", b"b", b"a"], [0, 4, 9], [2])
    offsets.put_all(10, found)
    assert offsets.latest == 19
    assert offsets.staying(10, found) == [1, 2]
    assert [list(each) for each in offsets.all_newest()] == [[14, 19], [19]]


def test_records_before_the_map_stay_if_their_keys_are_not_in_it() -> None:
    clean, half = RecordKeys([b"a", b"b", b"c"], range(3), []), RecordKeys([b"a", b"b", b"a"], range(3), [])
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    offsets.put_all(10, half)
    offsets.put(b"c", 20, has_value=False)
    assert offsets.staying(0, clean) == []
    assert offsets.staying(0, RecordKeys([b"x", b"a", b"y"], [0, 1, 9], [])) == [0, 2]
    assert offsets.staying(8, RecordKeys([b"x", b"a", b"b"], range(3), [])) == [0]
    assert offsets.staying(10, half) == [1, 2]
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    offsets.put(b"a", 5)
    offsets.put(b"b", 6)
    assert offsets.staying(5, RecordKeys([b"a"], range(1), [])) == [0]


def test_room_is_for_whole_batches() -> None:
    offsets = OffsetMap(3 * ENTRY_BYTES, b"secret")
    assert offsets.put(b"a", 1)
    assert offsets.has_room(2)
    assert not offsets.has_room(3)


def test_each_pass_hashes_long_keys_in_another_way() -> None:
    plain, long = b"k" * PLAIN_KEY_BYTES, b"k" * (PLAIN_KEY_BYTES + 1)
    one, two = key_function(b"one"), key_function(b"two")
    assert one(plain) == two(plain) == plain
    assert one(long) != two(long)
    assert {len(one(long)), len(two(long)), len(one(b"k" * 9_000))} == {HASH_BYTES}
    assert HASH_BYTES > PLAIN_KEY_BYTES, "no key can be taken for a hash"
    assert sys.getsizeof(one(long)) - sys.getsizeof(one(plain)) == 1


def test_the_buffer_bounds_the_keys() -> None:
    assert OffsetMap(ENTRY_BYTES * 90, b"").limit == 90
    assert OffsetMap(1, b"").limit == 1


def test_what_stays_of_a_batch() -> None:
    offsets = OffsetMap(10 * ENTRY_BYTES, b"secret")
    assert offsets.put(b"a", 105)
    assert offsets.put(b"b", 107)
    stays = offsets.predicate(100, has_tombstones=False)
    assert [stays(delta, b"a", True) for delta in (4, 5, 6)] == [False, True, True]
    assert not stays(7, b"b", False)
    assert offsets.predicate(100, has_tombstones=True)(7, b"b", False)
    assert not stays(3, None, True)
    assert stays(8, None, False)
