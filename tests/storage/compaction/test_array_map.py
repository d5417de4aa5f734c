"""The map as arrays: the last offset of each key, in so many bytes, whatever the keys are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol.columns.varints import PADDING_BYTES
from kafkacompat.storage.compaction.array_map import ENTRY_BYTES, MIN_SLOTS, SLOT_BYTES, ArrayOffsetMap


def rows(offsets: ArrayOffsetMap, keys: list[bytes]) -> np.ndarray:
    data = np.frombuffer(b"".join(keys) + bytes(PADDING_BYTES), np.uint8)
    size = np.array([len(key) for key in keys], np.int64)
    return offsets.sums(data, np.cumsum(size) - size, size)


def put(offsets: ArrayOffsetMap, keys: list[bytes], first: int = 0) -> int:
    has_value = np.array([not key.startswith(b"gone") for key in keys])
    return offsets.put(rows(offsets, keys), np.arange(first, first + len(keys)), has_value)


@given(st.lists(st.lists(st.binary(max_size=20) | st.integers(250, 270).map(bytes), max_size=30), max_size=6))
def test_it_is_a_dictionary(pieces: list[list[bytes]]) -> None:
    offsets, expected, first = ArrayOffsetMap(1000 * ENTRY_BYTES, b"secret"), dict[bytes, int](), 0
    for keys in pieces:
        assert put(offsets, keys, first) == len(keys)
        expected |= {key: first + number for number, key in enumerate(keys)}
        first += len(keys)
    assert offsets.count == len(expected)
    assert offsets.newest(rows(offsets, [*expected, b"unknown" * 7])).tolist() == [*expected.values(), -1]


def test_it_grows_to_its_limit_and_keeps_what_it_has() -> None:
    limit = 20 * MIN_SLOTS
    offsets = ArrayOffsetMap(limit * ENTRY_BYTES, b"secret")
    keys = [b"key %d" % number for number in range(limit)]
    for begin in range(0, limit, 1000):
        put(offsets, keys[begin : begin + 1000], begin)
    assert offsets.count == limit
    assert offsets.newest(rows(offsets, keys)).tolist() == list(range(limit))
    assert offsets._table.nbytes * 3 // 2 <= limit * ENTRY_BYTES
    assert put(offsets, keys[:1]) == 0
    assert offsets.latest == limit - 1


@pytest.mark.parametrize("keys", [[b"a", b"b", b"a", b"c", b"a"], [b"a", b"a", b"b"]])
def test_what_fills_the_map_is_the_last_that_it_takes(keys: list[bytes]) -> None:
    offsets = ArrayOffsetMap(2 * ENTRY_BYTES, b"secret")
    assert put(offsets, keys, 10) == keys.index(b"b") + 1
    assert offsets.latest == 10 + keys.index(b"b")


@pytest.mark.parametrize("size", [8, 40, 256])
def test_keys_that_differ_in_one_bit_do_not_collide_and_are_spread(size: int) -> None:
    """Multiples of a high power of two share the low bits of their sums, which is why the upper half is taken."""
    keys = []
    for bit in range(8 * size):
        key = bytearray(size)
        key[bit // 8] ^= 1 << bit % 8
        keys.append(bytes(key))
    offsets = ArrayOffsetMap(MIN_SLOTS * SLOT_BYTES, b"secret")
    found = rows(offsets, [*keys, bytes(size), bytes(size - 1)])
    assert len(offsets._table) == MIN_SLOTS
    assert len({tuple(row) for row in found[:, :2].tolist()}) == len(keys) + 2
    assert len(set(offsets._slots(found).tolist())) > min(len(keys), MIN_SLOTS) // 2


def test_each_pass_has_other_sums() -> None:
    one, two = (rows(ArrayOffsetMap(ENTRY_BYTES, secret), [b"key"]) for secret in (b"one", b"two"))
    assert not (one[:, :2] == two[:, :2]).any()


def test_a_tombstone_is_newest_while_no_value_follows() -> None:
    offsets = ArrayOffsetMap(100 * ENTRY_BYTES, b"secret")
    put(offsets, [b"a", b"gone", b"gone too", b"a"])
    assert offsets.newest(rows(offsets, [b"gone", b"gone too", b"a", b"unknown"])).tolist() == [1, 2, 3, -1]
    assert [list(each) for each in offsets.all_newest()] == [[1, 2, 3], [1, 2]]
    offsets.put(rows(offsets, [b"gone"]), np.array([9]), np.array([True]))
    assert [list(each) for each in offsets.all_newest()] == [[2, 3, 9], [2]]


def test_keys_are_one_only_if_both_sums_agree() -> None:
    offsets = ArrayOffsetMap(100 * ENTRY_BYTES, b"secret")
    numbers = offsets._numbers.copy()
    numbers[[0, 2, 3]] = 0  # of length and words for the first sum, which is the same for all keys
    offsets._numbers = numbers
    keys = [b"one", b"two", b"three"]
    assert rows(offsets, keys)[:, 0].tolist() == [0, 0, 0]
    put(offsets, keys, 5)
    assert offsets.newest(rows(offsets, [*keys, b"four"])).tolist() == [5, 6, 7, -1]
