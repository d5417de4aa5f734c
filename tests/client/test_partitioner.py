"""Keys go to the partitions to which Java's producer sends them."""

from __future__ import annotations

import pytest

from kafkacompat.client.partitioner import murmur2, partition_of_key


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        (b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829), (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)  # fmt: skip
def test_the_hash_is_that_of_kafkas_own_tests(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed & 0xFFFFFFFF


def test_the_sign_is_dropped_and_not_taken_as_a_number() -> None:
    assert partition_of_key(b"foobar", 1000) == (-790332482 & 0x7FFFFFFF) % 1000


def test_words_and_the_rest_of_a_key_count() -> None:
    keys = [bytes(range(length)) for length in range(12)]
    assert len({murmur2(key) for key in keys}) == len(keys)
    assert {partition_of_key(key, 1) for key in keys} == {0}
