"""The map of keys to their newest offsets: bounded, and without collisions that somebody could make."""

from kafkacompat.storage.compaction.offset_map import ENTRY_BYTES, OffsetMap


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


def test_each_pass_hashes_in_another_way() -> None:
    one, two = OffsetMap(ENTRY_BYTES, b"one"), OffsetMap(ENTRY_BYTES, b"two")
    for offsets in (one, two):
        assert offsets.put(b"key", 1)
    assert set(one.offsets) != set(two.offsets)
    assert {len(each) for each in one.offsets} == {16}  # of eight bytes two of a billion keys may have the same


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
