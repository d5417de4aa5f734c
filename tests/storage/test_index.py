import errno
from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.storage import index as index_module
from kafkacompat.storage.index import (
    BLOCK_ENTRIES,
    MAX_RELATIVE_OFFSET,
    UNWRITTEN_ENTRIES,
    WINDOW_ENTRIES,
    CorruptIndexError,
    OffsetIndex,
)
from kafkacompat.storage.memfs import MemFs

BASE = 5_000_000_000


@st.composite
def entry_lists(draw):
    count = draw(st.integers(0, 100))
    steps = st.lists(st.integers(1, 10**6), min_size=count, max_size=count)
    offset, position, entries = BASE - 1, 0, []
    for by_offset, by_position in zip(draw(steps), draw(steps), strict=True):
        offset, position = offset + by_offset, position + by_position
        entries.append((offset, position))
    return entries


def index_of(entries, fs=None):
    index = OffsetIndex(fs or MemFs(), "x", BASE)
    for entry in entries:
        index.append(*entry)
    return index


def test_bytes_are_kafkas():
    fs = MemFs()
    index = OffsetIndex(fs, "x", 1000)
    index.append(1415, 5630)
    index.flush()
    assert fs.read_bytes("x.index").hex() == "0000019f000015fe"


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index_module, "BLOCK_ENTRIES", 4)  # so that short files are halved, too
        patched.setattr(index_module, "WINDOW_ENTRIES", 8)
        yield


@given(entry_lists(), st.integers(-5, 10**8))
def test_lookup(entries, relative):
    index = index_of(entries)
    slot = bisect_right([offset for offset, _ in entries], BASE + relative) - 1
    assert index.lookup(BASE + relative) == (entries[slot] if slot >= 0 else (BASE, 0))
    assert index.last() == (entries[-1] if entries else (BASE, 0))


@given(entry_lists(), st.lists(st.integers(0, 30)))
def test_what_is_flushed_is_read_again(entries, flush_at):
    fs = MemFs()
    index = OffsetIndex(fs, "x", BASE)
    for place, entry in enumerate(entries):
        index.append(*entry)
        if place in flush_at:
            index.flush()
    index.flush()
    assert fs.size("x.index") == 8 * len(entries)
    again = OffsetIndex.load(fs, "x", BASE)
    assert len(again) == len(entries)
    assert [again.lookup(offset) for offset, _ in entries] == entries


@given(entry_lists(), st.integers(0, 10**7), st.booleans(), entry_lists())
def test_truncate_and_go_on(entries, relative, flush_before, more):
    fs = MemFs()
    index = index_of(entries, fs)
    if flush_before:
        index.flush()
    index.truncate_to(BASE + relative)
    kept = [entry for entry in entries if entry[0] < BASE + relative]
    assert len(index) == len(kept)
    offset, position = kept[-1] if kept else (BASE - 1, 0)
    later = [(o - BASE + offset + 1, p + position) for o, p in more]
    for entry in later:
        index.append(*entry)
    index.flush()
    again = OffsetIndex.load(fs, "x", BASE)
    assert again.last() == ((kept + later)[-1] if kept + later else (BASE, 0))
    assert fs.size("x.index") == 8 * len(kept + later)


def test_preallocated_file_of_a_killed_apache_kafka():
    fs = MemFs()
    index_of([(BASE + 415, 5630), (BASE + 512, 0x1F00)], fs).flush()
    fs.write_atomic("x.index", fs.read_bytes("x.index").ljust(10_485_760, b"\0"), sync=False)
    index = OffsetIndex.load(fs, "x", BASE)
    assert index.last() == (BASE + 512, 0x1F00)
    index.append(BASE + 600, 9000)
    index.flush()
    assert fs.size("x.index") == 24
    fs.write_atomic("x.index", bytes(10_485_760), sync=False)
    index = OffsetIndex.load(fs, "x", BASE)
    assert index.lookup(BASE + 10**6) == (BASE, 0)
    index.flush()
    assert fs.size("x.index") == 0


@pytest.mark.parametrize(
    "data",
    [
        "0000019f0000",  # torn
        "0000019f000015fe 0000019f000025fe",  # offsets do not ascend
        "0000019f000015fe 000001a0000015fe",  # positions do not ascend
        "0000019f000015fe 0000000000000000 000002a0000025fe",  # a hole
        "8000000000000001",  # offset above 2^31 − 1
        "0000000180000000",  # position above 2^31 − 1
    ],
)
def test_corrupt_files(data):
    fs = MemFs()
    fs.write_atomic("x.index", bytes.fromhex(data), sync=False)
    with pytest.raises(CorruptIndexError, match=r"x\.index: "):
        OffsetIndex.load(fs, "x", BASE).lookup(BASE + 1)
    index = OffsetIndex(fs, "x", BASE)
    index.append(BASE + 1, 100)
    index.flush()
    assert fs.read_bytes("x.index").hex() == "0000000100000064"


def test_what_is_on_disk_is_not_written_again():
    fs = MemFs()
    index_of([(BASE + 1, 10)], fs).flush()
    operations = fs.record()
    index = OffsetIndex.load(fs, "x", BASE)
    index.truncate_to(BASE + 2)
    index.flush()
    assert [name for name, *_ in operations] == ["open", "pread"]


def test_an_empty_index_is_an_empty_file_once_flushed():
    fs = MemFs()
    OffsetIndex.load(fs, "x", BASE).flush()
    assert fs.read_bytes("x.index") == b""


def test_full_disk_and_another_try():
    fs = MemFs(free_bytes=12)
    index = index_of([(BASE + 1, 10), (BASE + 2, 20)], fs)
    with pytest.raises(OSError) as caught:
        index.flush()
    assert caught.value.errno == errno.ENOSPC
    fs.free_bytes = 100
    index.append(BASE + 3, 30)
    index.flush()
    assert fs.size("x.index") == 24
    assert OffsetIndex.load(fs, "x", BASE).last() == (BASE + 3, 30)


def test_a_file_that_was_replaced_survives_a_loss_of_power():
    fs = MemFs()
    index = index_of([(BASE + 1, 10)], fs)
    index.replace()
    operations = fs.record()
    index.flush()
    assert operations == []
    fs.crash()
    assert fs.size("x.index") == 8


def test_limits():
    index = OffsetIndex(MemFs(), "x", BASE)
    assert index.fits(BASE)
    assert index.fits(BASE + MAX_RELATIVE_OFFSET)
    assert not index.fits(BASE + MAX_RELATIVE_OFFSET + 1)
    assert not index.fits(BASE - 1)
    index.append(BASE + 2, 2)
    with pytest.raises(AssertionError):
        index.append(BASE + 2, 3)
    with pytest.raises(AssertionError):
        index.append(BASE + 3, 2)


def test_only_the_newest_entries_wait_in_memory():
    fs = MemFs()
    index = OffsetIndex(fs, "x", BASE)
    for place in range(1, 1000):
        index.append(BASE + place, place)
        assert place - fs.size("x.index") // 8 < UNWRITTEN_ENTRIES if fs.exists("x.index") else place
    assert index.flush()  # also when all is written: nobody has been told
    assert not index.flush()


@pytest.fixture
def real_sizes(monkeypatch):
    monkeypatch.setattr(index_module, "BLOCK_ENTRIES", BLOCK_ENTRIES)
    monkeypatch.setattr(index_module, "WINDOW_ENTRIES", WINDOW_ENTRIES)


@pytest.mark.usefixtures("real_sizes")
def test_a_search_reads_a_few_hundred_bytes_of_a_large_file():
    fs = MemFs()
    entries = [(BASE + 10 * place, 100 * place) for place in range(1, 100_000)]
    index_of(entries, fs).flush()
    operations = fs.record()
    index = OffsetIndex.load(fs, "x", BASE)
    assert index.last() == entries[-1]
    assert sum(size for name, _, size in operations if name == "pread") == 8
    del operations[:]
    assert index.lookup(BASE + 123_456) == (BASE + 123_450, 1_234_500)
    assert sum(size for name, _, size in operations if name == "pread") <= 1000


@pytest.mark.usefixtures("real_sizes")
def test_who_reads_on_finds_its_place_in_what_was_read():
    fs = MemFs()
    entries = [(BASE + 10 * place, 100 * place) for place in range(1, 1001)]
    index_of(entries, fs).flush()
    index = OffsetIndex.load(fs, "x", BASE)
    operations = fs.record()
    for offset, position in entries:
        assert index.lookup(offset) == (offset, position)
        assert index.offset_behind(position) == offset
    assert sum(name == "open" for name, *_ in operations) <= 1000 // (WINDOW_ENTRIES - BLOCK_ENTRIES) + 1


@given(
    st.lists(
        st.tuples(st.sampled_from(("append", "flush", "look up", "look behind", "truncate")), st.integers(0, 300)),
        max_size=200,
    )
)
def test_what_is_remembered_is_right_after_each_change(steps):
    index = index_of(entries := [(BASE + 3 * place, 5 * place) for place in range(1, 41)])
    index.flush()
    for step, value in steps:
        if step == "append":
            offset, position = entries[-1] if entries else (BASE, 0)
            entries.append((offset + 1 + value % 3, position + 1 + value % 7))
            index.append(*entries[-1])
        elif step == "flush":
            index.flush()
        elif step == "look up":
            assert index.lookup(BASE + value) == max(
                (each for each in entries if each[0] <= BASE + value), default=(BASE, 0)
            )
        elif step == "look behind":
            assert index.offset_behind(value) == min((offset for offset, at in entries if at >= value), default=None)
        else:
            index.truncate_to(BASE + value)
            entries = [each for each in entries if each[0] < BASE + value]


def test_a_full_disk_lets_entries_wait_in_memory():
    fs = MemFs(free_bytes=8 * UNWRITTEN_ENTRIES)
    entries = [(BASE + place, place) for place in range(1, 5 * UNWRITTEN_ENTRIES)]
    index = index_of(entries, fs)
    assert [index.lookup(offset) for offset, _ in entries] == entries
    with pytest.raises(OSError):
        index.flush()
    fs.free_bytes = 10**6
    index.flush()
    assert fs.size("x.index") == 8 * len(entries)


def test_a_file_that_is_shorter_than_it_was_is_corrupt():
    fs = MemFs()
    index = index_of([(BASE + place, place) for place in range(1, 200)], fs)
    index.flush()
    fs.open("x.index", append=True).truncate(8)
    with pytest.raises(CorruptIndexError, match="ends before"):
        index.lookup(BASE + 100)
