import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.txn_index import AbortedTransaction, Search, TxnIndex

ONE = AbortedTransaction(2, 0x426, 0x429, 0x42A)
BYTES_OF_ONE = "0000 0000000000000002 0000000000000426 0000000000000429 000000000000042a"


def transactions(*fields):
    return [AbortedTransaction(*each) for each in fields]


def search(index, start_offset, end_offset):
    found = Search()
    is_complete = index.overlapping(start_offset, end_offset, found)
    return found.found, is_complete


def test_bytes_are_kafkas():
    fs = MemFs()
    index = TxnIndex(fs, "x", 0)
    index.append(ONE)
    index.flush()
    assert fs.read_bytes("x.txnindex") == bytes.fromhex(BYTES_OF_ONE)
    again = TxnIndex.load(fs, "x", 0)
    assert search(again, 0, 2000) == ([ONE], False)


def test_no_file_without_a_transaction():
    fs = MemFs()
    index = TxnIndex(fs, "x", 0)
    assert search(index, 0, 10) == ([], False)
    index.flush()
    assert not fs.exists("x.txnindex")


def test_overlapping_is_all_once_everything_below_was_decided():
    a, b, c = transactions((1, 10, 19, 5), (2, 15, 25, 15), (3, 30, 35, 30))
    index = TxnIndex(MemFs(), "x", 0)
    for each in (a, b, c):
        index.append(each)
    assert search(index, 0, 5) == ([], True)
    assert search(index, 0, 11) == ([a], True)
    assert search(index, 12, 16) == ([a, b], True)
    assert search(index, 20, 30) == ([b], True)
    assert search(index, 26, 31) == ([c], False)
    assert search(index, 36, 50) == ([], False)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), max_size=15), st.integers(0, 800), st.booleans())
def test_truncate_and_read_again(steps, offset, flush_before):
    fs = MemFs()
    index = TxnIndex(fs, "x", 0)
    all_of_them, last = [], 0
    for step, length in steps:
        last += step
        each = AbortedTransaction(step, max(0, last - length), last, last + 1)
        all_of_them.append(each)
        index.append(each)
    if flush_before:
        index.flush()
    index.truncate_to(offset)
    index.flush()
    kept = [each for each in all_of_them if each.last_offset < offset]
    assert search(TxnIndex.load(fs, "x", 0), 0, 10**6)[0] == kept


@pytest.mark.parametrize(
    "data",
    [
        "0000",
        BYTES_OF_ONE.replace("0000 ", "0001 ", 1),  # a later version
        BYTES_OF_ONE + BYTES_OF_ONE,
        "0000 0000000000000002 0000000000000429 0000000000000426 000000000000042a",  # ends before it starts
        "0000 0000000000000002 ffffffffffffffff 0000000000000426 000000000000042a",
    ],
)
def test_corrupt_files(data):
    fs = MemFs()
    fs.write_atomic("x.txnindex", bytes.fromhex(data), sync=False)
    with pytest.raises(CorruptIndexError, match=r"x\.txnindex: "):
        TxnIndex.load(fs, "x", 0)
    TxnIndex(fs, "x", 0).flush()
    assert fs.read_bytes("x.txnindex") == b""
