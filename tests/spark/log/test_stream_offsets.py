"""How far each micro-batch of a stream goes, and that it has every record once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.offset_ranges import wanted_logs
from kafkacompat.spark.log.read_options import parse
from kafkacompat.spark.log.stream_offsets import JsonOffsets, StreamOffsets, offset_after
from tests.spark.log.log_directory import LogDirectory
from tests.spark.log.segment_files import rows


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    return LogDirectory(tmp_path / "data")


def stream(directory: LogDirectory, **options: str) -> StreamOffsets:
    return StreamOffsets(parse({"path": str(directory.path), "startingOffsets": "earliest"} | options, is_stream=True))


def batches(offsets: StreamOffsets, latest: Callable[[JsonOffsets], JsonOffsets]) -> list[list[tuple[int, int]]]:
    """Partition and offset of all records, batch by batch, through a checkpoint of JSON."""
    at, found = json.loads(json.dumps(offsets.initial())), []
    while (end := json.loads(json.dumps(latest(at)))) != at:
        splits = offsets.splits(at, end)
        found.append([(split.partition, row.offset) for split in splits for row in rows(split)])
        at = end
    return found


def test_a_stream_begins_at_the_end_or_where_it_is_told(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    assert stream(directory, startingOffsets="latest").initial() == {"orders": {"0": 100}}
    assert stream(directory).initial() == {"orders": {"0": 0}}
    given = stream(directory, startingOffsets='{"orders": {"0": 33}}')
    assert given.initial() == {"orders": {"0": 33}}


def test_each_partition_has_its_share_of_the_offsets_and_each_record_comes_once(directory: LogDirectory) -> None:
    directory.partition("orders", 0, offsets=range(300), segments=3)
    directory.partition("orders", 1)
    offsets = stream(directory)
    found = batches(offsets, lambda at: offsets.latest(at, max_offsets=40))
    assert [len(each) for each in found] == [40] * 10
    assert sorted(record for each in found for record in each) == [
        *((0, offset) for offset in range(300)), *((1, offset) for offset in range(100))
    ]  # fmt: skip
    assert sum(partition for partition, _ in found[0]) == 10


def test_a_limit_of_bytes_ends_at_batches(directory: LogDirectory) -> None:
    paths = directory.partition("orders", 0, offsets=range(300), segments=3)
    offsets = stream(directory)
    limit = paths[0].stat().st_size // 2
    found = batches(offsets, lambda at: offsets.latest(at, max_bytes=limit))
    assert [offset for each in found for _, offset in each] == list(range(300))
    assert 6 <= len(found) <= 8
    assert all(len(each) % 10 == 0 for each in found)
    assert len(batches(offsets, lambda at: offsets.latest(at, max_bytes=1))) == 30
    assert len(batches(offsets, lambda at: offsets.latest(at, max_bytes=10**9))) == 1


def test_bytes_are_counted_without_an_index_too(directory: LogDirectory) -> None:
    (path,) = directory.partition("orders", 0)
    path.with_suffix(".index").unlink()
    (log,) = wanted_logs(parse({"path": str(directory.path)})).values()
    assert offset_after(log, 25, 100, 1) == 30
    assert offset_after(log, 0, 100, path.stat().st_size // 2) in (50, 60)
    assert offset_after(log, 30, 100, 0) == 30


def test_available_now_ends_at_what_was_there_when_it_began(directory: LogDirectory) -> None:
    directory.partition("orders", 0, high_watermark=42)
    offsets = stream(directory)
    offsets.stop_at_present_end()
    directory.high_watermarks["orders 0"] = 100
    directory.partition("orders", 1)
    assert offsets.latest(offsets.initial())["orders"]["0"] == 42
    found = batches(offsets, lambda at: offsets.latest(at, max_offsets=20))
    assert [len(each) for each in found] == [20, 20, 2]


def test_a_partition_that_is_new_is_read_from_its_beginning(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    offsets = stream(directory, startingOffsets="latest")
    at = offsets.initial()
    directory.partition("orders", 1, offsets=range(50, 60))
    end = offsets.latest(at)
    assert end == {"orders": {"0": 100, "1": 60}}
    assert [row.offset for split in offsets.splits(at, end) for row in rows(split)] == list(range(50, 60))


def test_removed_records_deleted_partitions_and_shorter_logs_are_loss(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    at = {"orders": {"0": 10}}
    strict, lenient = stream(directory), stream(directory, failOnDataLoss="false")
    directory.start_at("orders", 0, 33)
    with pytest.raises(LogReadError, match="offsets 10 to 32 were removed"):
        strict.splits(at, strict.latest(at))
    found = [row.offset for split in lenient.splits(at, lenient.latest(at)) for row in rows(split)]
    assert found == list(range(33, 100))
    with pytest.raises(LogReadError, match="orders-0 ends at offset 100, but was read up to 150"):
        strict.latest({"orders": {"0": 150}})
    assert lenient.latest({"orders": {"0": 150}}) == {"orders": {"0": 150}}
    with pytest.raises(LogReadError, match="orders-7 was deleted"):
        strict.latest({"orders": {"0": 50, "7": 5}})
    assert lenient.latest({"orders": {"0": 50, "7": 5}}) == {"orders": {"0": 100}}
    assert lenient.splits({}, {"orders": {"7": 5}}) == []


def test_the_end_of_a_file_is_that_of_its_last_whole_batch(directory: LogDirectory) -> None:
    (path,) = directory.partition("orders", 0)
    path.write_bytes(path.read_bytes()[:-1])
    offsets = stream(directory, bounds="all")
    end = offsets.latest(offsets.initial())
    assert end == {"orders": {"0": 90}}
    assert len([row for split in offsets.splits(offsets.initial(), end) for row in rows(split)]) == 90
