"""The last stable offset and the aborted transactions of a log, from its files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_key
from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.offset_ranges import splits_of_batch
from kafkacompat.spark.log.read_options import parse
from kafkacompat.spark.log.split import Aborted
from kafkacompat.spark.log.stream_offsets import StreamOffsets
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.producer_state import ProducerEntry, ProducerState
from kafkacompat.storage.txn_index import AbortedTransaction, TxnIndex
from tests.spark.log.log_directory import LogDirectory
from tests.spark.log.segment_files import records_from, rows, write_segment


def sent(base: int, producer_id: int) -> bytearray:
    return build_batch(
        records_from(base, 2), base_offset=base, producer_id=producer_id, producer_epoch=0, base_sequence=0,
        is_transactional=True,
    )  # fmt: skip


def marker(base: int, producer_id: int, kind: int) -> bytearray:
    return build_batch(
        [Record(base, 5, encode_key(kind), b"\0" * 6)], base_offset=base, producer_id=producer_id,
        producer_epoch=0, is_transactional=True, is_control=True,
    )  # fmt: skip


#: Producer 7 aborts 0-1 and later 5-6, producer 8 commits 2-3 and leaves 10-11 open; 12-13 are no transaction.
LOG = [
    sent(0, 7), sent(2, 8), marker(4, 7, ABORT), sent(5, 7), marker(7, 8, COMMIT), marker(8, 7, ABORT),
    build_batch([Record(9, 5, b"k", b"v")], base_offset=9), sent(10, 8),
    build_batch(records_from(12, 2), base_offset=12),
]  # fmt: skip


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    directory = LogDirectory(tmp_path / "data")
    directory.partition("orders", 0, offsets=range(10), high_watermark=14)
    write_segment(directory.path / "orders-0", LOG)
    (directory.path / "orders-0" / f"{0:020d}.index").unlink()
    return directory


def offsets(directory: LogDirectory, isolation: str) -> list[int]:
    splits = splits_of_batch(directory.options(isolation=isolation))
    return [row.offset for split in splits for row in rows(split)]


def test_committed_records_end_where_a_transaction_is_open(directory: LogDirectory) -> None:
    assert offsets(directory, "read_committed") == [2, 3, 9]
    assert offsets(directory, "read_uncommitted") == [0, 1, 2, 3, 5, 6, 9, 10, 11, 12, 13]
    (split,) = splits_of_batch(directory.options(isolation="read_committed"))
    assert split.end_offset == 10
    assert split.aborted == (Aborted(7, 0, 4), Aborted(7, 5, 8))


def test_a_marker_above_the_high_watermark_has_not_happened(directory: LogDirectory) -> None:
    directory.high_watermarks["orders 0"] = 8
    directory.checkpoint()
    assert offsets(directory, "read_committed") == [2, 3]


def test_a_batch_of_a_stream_that_ends_inside_of_a_transaction_knows_its_end(directory: LogDirectory) -> None:
    options = parse({"path": str(directory.path), "isolation": "read_committed"}, is_stream=True)
    stream = StreamOffsets(options)
    splits = stream.splits({"orders": {"0": 0}}, {"orders": {"0": 3}})
    assert [row.offset for split in splits for row in rows(split)] == [2]
    assert stream.latest({"orders": {"0": 3}}) == {"orders": {"0": 10}}


def test_what_lies_before_the_newest_snapshot_is_taken_from_it_and_from_the_indexes(directory: LogDirectory) -> None:
    folder = directory.path / "orders-0"
    for path in folder.iterdir():
        path.unlink()
    write_segment(folder, LOG[:4])
    write_segment(folder, LOG[4:], 7)
    index = TxnIndex(RealFs(), str(folder / f"{0:020d}"), 0)
    index.append(AbortedTransaction(7, 0, 4, 2))
    index.flush()
    state = ProducerState(7)
    for producer_id, first in ((7, 5), (8, 2)):
        state.entries[producer_id] = ProducerEntry(producer_id, 0)
        state.entries[producer_id].transaction_first_offset = first
    (folder / f"{7:020d}.snapshot").write_bytes(state.encode())
    (folder / f"{14:020d}.snapshot").write_bytes(b"torn")
    assert offsets(directory, "read_committed") == [2, 3, 9]
    write_segment(folder, [bytes(len(batch)) for batch in LOG[:4]])  # they are not looked at
    splits = splits_of_batch(directory.options(isolation="read_committed"))
    assert {each.aborted for each in splits} == {(Aborted(7, 0, 4), Aborted(7, 5, 8))}
    (folder / f"{0:020d}.txnindex").write_bytes(b"torn")
    with pytest.raises(LogReadError, match=r"txnindex cannot be read.*read_uncommitted"):
        offsets(directory, "read_committed")
