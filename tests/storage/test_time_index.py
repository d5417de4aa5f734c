import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.time_index import TimeIndex

BASE = 5_000_000_000
entries_in_order = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1000)), max_size=30).map(
    lambda steps: [
        (1_700_000_000_000 + sum(t for t, _ in steps[: n + 1]), BASE + sum(o for _, o in steps[: n + 1]))
        for n in range(len(steps))
    ]
)


def index_of(entries, fs=None):
    index = TimeIndex(fs or MemFs(), "x", BASE)
    for entry in entries:
        index.maybe_append(*entry)
    return index


def strictly_later(entries):
    kept = []
    for entry in entries:
        if not kept or entry[0] > kept[-1][0]:
            kept.append(entry)
    return kept


def test_bytes_are_kafkas():
    fs = MemFs()
    index = TimeIndex(fs, "x", 1000)
    index.maybe_append(0x01A1FD52C89C, 1415)
    index.flush()
    assert fs.read_bytes("x.timeindex").hex() == "000001a1fd52c89c0000019f"


@given(entries_in_order, st.integers(-10, 3100))
def test_lookup(entries, after_ms):
    index = index_of(entries)
    kept = strictly_later(entries)
    assert len(index) == len(kept)
    wanted = 1_700_000_000_000 + after_ms
    assert index.lookup(wanted) == max([entry for entry in kept if entry[0] <= wanted], default=(-1, BASE))
    assert index.last() == (kept[-1] if kept else (-1, BASE))


@given(entries_in_order, st.integers(0, 32_000), st.booleans())
def test_truncate_and_read_again(entries, relative, flush_before):
    fs = MemFs()
    index = index_of(entries, fs)
    if flush_before:
        index.flush()
    index.truncate_to(BASE + relative)
    index.flush()
    kept = [entry for entry in strictly_later(entries) if entry[1] < BASE + relative]
    again = TimeIndex.load(fs, "x", BASE)
    assert [again.lookup(timestamp) for timestamp, _ in kept] == kept
    assert len(again) == len(kept) or not kept
    assert fs.size("x.timeindex") == 12 * len(kept)


def test_records_without_a_timestamp_add_nothing():
    index = index_of([(-1, BASE), (-1, BASE + 7)])
    assert len(index) == 0


def test_preallocated_file_of_a_killed_apache_kafka():
    fs = MemFs()
    index_of([(0x01A1FD52C800, BASE + 0x100)], fs).flush()
    fs.write_atomic("x.timeindex", fs.read_bytes("x.timeindex").ljust(10_485_756, b"\0"), sync=False)
    index = TimeIndex.load(fs, "x", BASE)
    assert index.last() == (0x01A1FD52C800, BASE + 0x100)
    index.maybe_append(0x01A1FD52C801, BASE + 0x100)
    index.flush()
    assert fs.size("x.timeindex") == 24


@pytest.mark.parametrize(
    "data",
    [
        "000001a1fd52c89c0000",  # torn
        "000001a1fd52c89c0000019f 000001a1fd52c89c000001a0",  # the same time again
        "000001a1fd52c89c0000019f 000001a1fd52c89d0000019e",  # an earlier offset
        "ffffffffffffffff0000019f",  # no timestamp
        "000001a1fd52c89c80000000",  # offset above 2^31 − 1
    ],
)
def test_corrupt_files(data):
    fs = MemFs()
    fs.write_atomic("x.timeindex", bytes.fromhex(data), sync=False)
    with pytest.raises(CorruptIndexError, match=r"x\.timeindex: "):
        TimeIndex.load(fs, "x", BASE).lookup(0x01A1FD52C89B)
