"""The map of keys to their newest offsets: bounded, and without collisions that somebody could make."""

from kafkacompat.storage.compaction.offset_map import ENTRY_BYTES, OffsetMap, keys_that_fit


def test_the_last_offset_of_a_key_counts() -> None:
    offsets = OffsetMap(10, b"secret")
    assert offsets.put(b"a", 1)
    assert offsets.put(b"a", 5)
    assert [offsets.is_newest(b"a", offset) for offset in (1, 5, 6)] == [False, True, True]
    assert offsets.is_newest(b"unknown", 0)


def test_a_full_map_takes_nothing_more_and_keeps_its_end() -> None:
    offsets = OffsetMap(2, b"secret")
    assert offsets.put(b"a", 1)
    assert offsets.put(b"b", 2)
    assert not offsets.put(b"a", 3)
    assert offsets.latest == 2
    assert offsets.is_newest(b"a", 1)


def test_the_end_only_grows() -> None:
    offsets = OffsetMap(2, b"secret")
    offsets.reached(7)
    offsets.reached(3)
    assert offsets.latest == 7


def test_each_pass_hashes_in_another_way() -> None:
    assert OffsetMap(1, b"one").hash(b"key") != OffsetMap(1, b"two").hash(b"key")


def test_the_buffer_bounds_the_keys() -> None:
    assert keys_that_fit(ENTRY_BYTES * 100, 0.9) == 90
    assert keys_that_fit(1, 0.1) == 1
