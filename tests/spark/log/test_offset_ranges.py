"""What a batch reads of log directories: every record in its range once, however it is split."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.offset_ranges import splits_of_batch
from kafkacompat.spark.log.read_damage import SKIP, DamagedLogError
from kafkacompat.spark.log.read_options import LogOptions
from kafkacompat.spark.log.split import Split
from tests.spark.log.log_directory import LogDirectory
from tests.spark.log.segment_files import rows, tables

BASE_MS = 1_700_000_000_000


def offsets(options: LogOptions) -> list[int]:
    return [row.offset for split in splits_of_batch(options) for row in rows(split)]


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    return LogDirectory(tmp_path / "data")


def as_json(**offsets: int) -> str:
    return json.dumps({"orders": {name.removeprefix("p"): offset for name, offset in offsets.items()}})


def test_partitions_are_assigned(directory: LogDirectory) -> None:
    for partition in range(3):
        directory.partition("orders", partition, offsets=range(partition * 10 + 10))
    directory.partition("others", 0)
    assert len(offsets(directory.options(assign='{"orders": [0, 2]}'))) == 10 + 30
    for wrong in ('{"orders": [7]}', '{"nowhere": [0]}'):
        with pytest.raises(LogReadError, match="there is no"):
            offsets(directory.options(assign=wrong))


def test_times_choose_offsets_for_each_partition(directory: LogDirectory) -> None:
    for partition in range(2):
        directory.partition("orders", partition)
    starting = as_json(p0=BASE_MS + 45, p1=BASE_MS + 90)
    read = directory.options(startingOffsetsByTimestamp=starting)
    assert sorted(offsets(read)) == sorted([*range(45, 100), *range(90, 100)])
    ended = directory.options(startingOffsetsByTimestamp=starting, endingOffsetsByTimestamp=as_json(p0=BASE_MS + 50))
    assert sorted(offsets(ended)) == sorted([*range(45, 50), *range(90, 100)])
    one = directory.options(startingOffsetsByTimestamp=starting, startingTimestamp=str(BASE_MS + 99))
    assert offsets(one) == [99, 99]
    late = as_json(p0=BASE_MS + 100, p1=BASE_MS + 90)
    with pytest.raises(LogReadError, match="orders-0 has no record at"):
        offsets(directory.options(startingOffsetsByTimestamp=late))
    lenient = directory.options(startingOffsetsByTimestamp=late, startingOffsetsByTimestampStrategy="latest")
    assert offsets(lenient) == list(range(90, 100))
    with pytest.raises(LogReadError, match="there is no partition orders-7"):
        offsets(directory.options(endingOffsetsByTimestamp=as_json(p7=1)))


@pytest.mark.parametrize("segments", [1, 2])
@pytest.mark.parametrize("damage", [1, 25, 1 << 20])
def test_a_base_offset_that_is_too_high_at_the_end_of_a_task_is_damage(
    directory: LogDirectory, segments: int, damage: int
) -> None:
    path, *_ = directory.partition("orders", 0, segments=segments)
    options = directory.options(splitBytes=str(path.stat().st_size // 2), endingOffsets=as_json(p0=95))
    split = splits_of_batch(options)[segments - 1]
    sound = [row.offset for row in rows(split)]
    data = bytearray(path.read_bytes())
    *_, last = (at for at in batch_positions(path) if at < split.end_position)
    data[last : last + 8] = (int.from_bytes(data[last : last + 8]) + damage).to_bytes(8)
    path.write_bytes(data)
    with pytest.raises(DamagedLogError, match=f"position {last}"):
        rows(split)
    assert [row.offset for row in rows(split, SKIP)] == sound[:-10]


@pytest.mark.parametrize("segments", [1, 2])
@pytest.mark.parametrize("damage", [1, 9, 25, 1 << 20])
def test_a_base_offset_that_is_too_high_at_the_end_of_a_log_is_damage(
    directory: LogDirectory, segments: int, damage: int
) -> None:
    """Nothing is behind it, but all that is committed has to be there."""
    *_, path = directory.partition("orders", 0, segments=segments)
    data = bytearray(path.read_bytes())
    *_, last = batch_positions(path)
    data[last : last + 8] = (90 + damage).to_bytes(8)
    path.write_bytes(data)
    options = directory.options()
    with pytest.raises(DamagedLogError, match=rf"{path.name}, position {last}: .* where 90 follows and 100 is"):
        offsets(options)
    split = splits_of_batch(options)[-1]
    found, left_out = tables(split, SKIP)
    assert [row["offset"] for row in found] == list(range(0 if segments == 1 else 50, 90))
    assert [damage.position for damage in left_out.found] == [last]


def test_what_is_behind_the_high_watermark_may_have_gaps_where_compaction_has_been(directory: LogDirectory) -> None:
    """A broker that was killed wrote down its high watermark, went on, and compacted."""
    (path,) = directory.partition("orders", 0, high_watermark=55)
    data, at = path.read_bytes(), batch_positions(path)
    path.write_bytes(data[: at[5]] + data[at[6] :])
    path.with_suffix(".index").unlink()
    directory.cleaned |= {"orders 0": 100}
    directory.checkpoint()
    assert offsets(directory.options()) == list(range(50))
    directory.cleaned |= {"orders 0": 50}
    directory.checkpoint()
    with pytest.raises(DamagedLogError, match="offsets 60 to 69 where 50 follows and 55 is committed"):
        offsets(directory.options())


def batch_positions(path: Path) -> list[int]:
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        found.append(at)
        at += 12 + int.from_bytes(data[at + 8 : at + 12])
    return found


def test_one_large_segment_is_many_tasks(directory: LogDirectory) -> None:
    (path,) = directory.partition("orders", 0)
    splits = splits_of_batch(directory.options(splitBytes=str(path.stat().st_size // 5)))
    assert len(splits) == 5
    assert all(before.end_position == after.position for before, after in pairwise(splits))
    assert [row.offset for split in splits for row in rows(split)] == list(range(100))


@pytest.mark.parametrize("start", [0, 1, 9, 10, 25, 49, 50, 99, 100])
@pytest.mark.parametrize("end", [0, 25, 50, 51, 90, 100])
def test_any_range_over_several_segments(tmp_path_factory: pytest.TempPathFactory, start: int, end: int) -> None:
    directory = LogDirectory(tmp_path_factory.mktemp("range") / "data")
    directory.partition("orders", 0, segments=2)
    chosen = {"startingOffsets": as_json(p0=start), "endingOffsets": as_json(p0=end)}
    assert offsets(directory.options(splitBytes="500", **chosen)) == list(range(start, end))


@given(st.integers(0, 100), st.integers(0, 100), st.integers(1, 5000), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_a_wrong_index_costs_no_record(
    tmp_path_factory: pytest.TempPathFactory, start: int, end: int, split_bytes: int, segments: int, wrong: int
) -> None:
    directory = LogDirectory(tmp_path_factory.mktemp("wrong") / "data")
    for path in directory.partition(
        "orders", 0, segments=segments, offsets=range(100 // segments // 10 * 10 * segments)
    ):
        index = bytearray(path.with_suffix(".index").read_bytes())
        if index:
            place = wrong % len(index) // 4 * 4
            index[place : place + 4] = wrong.to_bytes(4)
        path.with_suffix(".index").write_bytes(index)
    last = directory.high_watermarks["orders 0"]
    chosen = {"startingOffsets": as_json(p0=min(start, last)), "endingOffsets": as_json(p0=min(end, last))}
    assert offsets(directory.options(splitBytes=str(split_bytes), **chosen)) == list(range(start, min(end, last)))


def test_segments_outside_of_the_range_are_not_opened(directory: LogDirectory) -> None:
    paths = directory.partition("orders", 0, segments=5)
    splits = splits_of_batch(directory.options(startingOffsets=as_json(p0=45), endingOffsets=as_json(p0=55)))
    assert {split.path for split in splits} == {str(paths[2])}


def test_nothing_above_the_high_watermark_is_read_but_when_asked(directory: LogDirectory) -> None:
    directory.partition("orders", 0, high_watermark=42)
    assert offsets(directory.options()) == list(range(42))
    assert offsets(directory.options(bounds="all")) == list(range(100))


def test_nothing_below_the_log_start_is_read(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    directory.start_at("orders", 0, 33)
    assert offsets(directory.options()) == list(range(33, 100))
    with pytest.raises(LogReadError, match=r"orders-0: offsets 5 to 32 were removed.*failOnDataLoss"):
        offsets(directory.options(startingOffsets=as_json(p0=5)))
    lenient = directory.options(startingOffsets=as_json(p0=5), failOnDataLoss="false")
    assert offsets(lenient) == list(range(33, 100))


def test_committed_records_that_are_not_there_are_damage(directory: LogDirectory) -> None:
    directory.partition("orders", 0, high_watermark=120)
    with pytest.raises(DamagedLogError, match="the log ends at offset 100, but is committed up to 120"):
        offsets(directory.options())


def test_times_choose_offsets_as_kafka_does(directory: LogDirectory) -> None:
    directory.partition("orders", 0, segments=5)
    at = directory.options(startingTimestamp=str(BASE_MS + 45), endingTimestamp=str(BASE_MS + 71))
    assert offsets(at) == list(range(45, 71))
    assert offsets(directory.options(endingTimestamp=str(BASE_MS + 1000))) == list(range(100))
    with pytest.raises(LogReadError, match="the start by time: orders-0 has no record at"):
        offsets(directory.options(startingTimestamp=str(BASE_MS + 100)))


def test_several_directories_are_one_log(tmp_path: Path) -> None:
    one, other = LogDirectory(tmp_path / "disk1"), LogDirectory(tmp_path / "disk2")
    one.partition("orders", 0)
    other.partition("orders", 1)
    other.partition("payments", 0)
    keys = [(split.topic, split.partition) for split in splits_of_batch(one.options(path=f"{one.path},{other.path}"))]
    assert keys == [("orders", 0), ("orders", 1), ("payments", 0)]
    by_pattern = one.options(path=str(tmp_path / "disk*"), topics="ord.*")
    assert len(splits_of_batch(by_pattern)) == 2
    other.partition("orders", 0)
    with pytest.raises(LogReadError, match=r"orders-0 is in .*disk1 and in .*disk2"):
        splits_of_batch(by_pattern)


def test_topics_are_chosen_by_name_and_by_pattern(directory: LogDirectory) -> None:
    for topic in ("orders", "orders.dlq", "__consumer_offsets"):
        directory.partition(topic, 0)

    def topics(**options: str) -> set[str]:
        return {split.topic for split in splits_of_batch(directory.options(**options))}

    assert topics() == {"orders", "orders.dlq"}
    assert topics(topics="orders") == {"orders"}
    assert topics(subscribePattern="dlq") == {"orders.dlq"}
    assert topics(subscribe="orders, __consumer_offsets") == {"orders", "__consumer_offsets"}
    with pytest.raises(LogReadError, match="there is no topic nope in"):
        topics(subscribe="orders,nope")


def test_what_is_no_log_directory_is_said(tmp_path: Path, directory: LogDirectory) -> None:
    with pytest.raises(LogReadError, match=r"there is no directory .*nowhere"):
        splits_of_batch(directory.options(path=str(tmp_path / "nowhere")))
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogReadError, match="empty is no log directory"):
        splits_of_batch(directory.options(path=str(tmp_path / "empty")))
    (directory.path / "replication-offset-checkpoint").unlink()
    with pytest.raises(LogReadError, match=r"has no replication-offset-checkpoint.*bounds"):
        splits_of_batch(directory.options())
    assert splits_of_batch(directory.options(bounds="all")) == []


def test_offsets_that_are_not_there_are_said(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    with pytest.raises(LogReadError, match="startingOffsets: there is no partition orders-7"):
        splits_of_batch(directory.options(startingOffsets=as_json(p7=5)))
    with pytest.raises(LogReadError, match="endingOffsets: orders-0 has offsets 0 to 100, not 101"):
        splits_of_batch(directory.options(endingOffsets=as_json(p0=101)))


def test_splits_have_names_of_their_own(directory: LogDirectory) -> None:
    directory.partition("orders", 0)
    splits: list[Split] = splits_of_batch(directory.options(splitBytes="100"))
    assert len({split.name for split in splits}) == len(splits) > 5
