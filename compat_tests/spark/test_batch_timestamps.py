"""Batches that start or end at a time: per partition, for all partitions, and mixed with offsets.

Each of three partitions holds ten records, a second apart, and each partition begins a minute after the one before.
"""

from __future__ import annotations

import time

import pytest

from compat_tests.spark.test_options import QUICK
from compat_tests.spark.workbench import BASE_MS, EARLIEST, LATEST, Row, Workbench, as_json, rows_of

pytestmark = pytest.mark.api("ListOffsets", "Fetch")

MINUTE_MS, SECOND_MS = 60_000, 1_000
STARTS_MS = [BASE_MS + partition * MINUTE_MS for partition in range(3)]
NOBODY_MS = BASE_MS + 1_800_000
"""Later than every record."""


@pytest.fixture
def timed(bench: Workbench, topic: str) -> str:
    """The topic of the module's docstring."""
    bench.create(topic)
    for partition, start_ms in enumerate(STARTS_MS):
        bench.send(topic, partition, range(10), [start_ms + n * SECOND_MS for n in range(10)])
    return topic


def between(*ranges: tuple[int, int]) -> list[Row]:
    """The rows from one offset to before another, for each partition."""
    return [
        row
        for partition, (first, end) in enumerate(ranges)
        for row in rows_of(partition, range(first, end), first_offset=first)
    ]


def at(*seconds: int) -> list[int]:
    """For each partition the time of the record with that number."""
    return [start_ms + second * SECOND_MS for start_ms, second in zip(STARTS_MS, seconds, strict=True)]


@pytest.mark.spark_behaviour(5)
def test_start_and_end_by_partition(bench: Workbench, timed: str) -> None:
    """The record at the start belongs to it, the one at the end does not."""
    frame = bench.read(
        subscribe=timed,
        startingOffsetsByTimestamp=as_json(timed, at(2, 0, 9)),
        endingOffsetsByTimestamp=as_json(timed, at(5, 1, 9)),
    )
    assert bench.rows(frame) == between((2, 5), (0, 1), (9, 9))


@pytest.mark.full
@pytest.mark.spark_behaviour(5)
def test_times_between_records_mean_the_next_record(bench: Workbench, timed: str) -> None:
    frame = bench.read(
        subscribe=timed,
        startingOffsetsByTimestamp=as_json(timed, [ms + 1 for ms in at(2, 3, 0)]),
        endingOffsetsByTimestamp=as_json(timed, [ms - 1 for ms in at(9, 4, 5)]),
    )
    assert bench.rows(frame) == between((3, 9), (4, 4), (1, 5))


@pytest.mark.spark_behaviour(6, 7)
def test_times_on_one_side_and_offsets_on_the_other(bench: Workbench, timed: str) -> None:
    times, offsets = as_json(timed, at(4, 5, 6)), as_json(timed, [8, LATEST, 7])
    assert bench.rows(bench.read(subscribe=timed, startingOffsetsByTimestamp=times, endingOffsets=offsets)) == between(
        (4, 8), (5, 10), (6, 7)
    )
    offsets = as_json(timed, [1, EARLIEST, 6])
    assert bench.rows(bench.read(subscribe=timed, startingOffsets=offsets, endingOffsetsByTimestamp=times)) == between(
        (1, 4), (0, 5), (6, 6)
    )


@pytest.mark.spark_behaviour(8, 9)
def test_a_start_or_an_end_alone(bench: Workbench, timed: str) -> None:
    times = as_json(timed, at(4, 0, 9))
    assert bench.rows(bench.read(subscribe=timed, startingOffsetsByTimestamp=times)) == between(
        (4, 10), (0, 10), (9, 10)
    )
    assert bench.rows(bench.read(subscribe=timed, endingOffsetsByTimestamp=times)) == between((0, 4), (0, 0), (0, 9))


@pytest.mark.spark_behaviour(10)
def test_one_time_for_all_partitions(bench: Workbench, timed: str) -> None:
    middle = STARTS_MS[2] + 3 * SECOND_MS
    frame = bench.read(subscribe=timed, startingTimestamp=middle, startingOffsetsByTimestampStrategy="latest")
    assert bench.rows(frame) == between((10, 10), (10, 10), (3, 10))
    assert bench.rows(bench.read(subscribe=timed, endingTimestamp=middle)) == between((0, 10), (0, 10), (0, 3))
    first, end = STARTS_MS[0] + 2 * SECOND_MS, STARTS_MS[1] + 5 * SECOND_MS
    frame = bench.read(subscribe=timed, startingTimestamp=first, endingTimestamp=end)
    assert bench.rows(frame) == between((2, 10), (0, 5), (0, 0))


@pytest.mark.spark_behaviour(11)
def test_a_start_after_all_records(bench: Workbench, timed: str) -> None:
    """It is an error unless the strategy says that it means the end."""
    everywhere = as_json(timed, [STARTS_MS[0], NOBODY_MS, NOBODY_MS])
    with bench.refused("No offset matched from request"):
        bench.rows(bench.read(subscribe=timed, startingOffsetsByTimestamp=everywhere, **QUICK))
    with bench.refused("No offset matched from request"):
        bench.rows(bench.read(subscribe=timed, startingTimestamp=NOBODY_MS, **QUICK))
    frame = bench.read(
        subscribe=timed, startingOffsetsByTimestamp=everywhere, startingOffsetsByTimestampStrategy="latest"
    )
    assert bench.rows(frame) == between((0, 10), (10, 10), (10, 10))


@pytest.mark.spark_behaviour(12)
def test_an_end_after_all_records_is_the_end(bench: Workbench, timed: str) -> None:
    everything = between((0, 10), (0, 10), (0, 10))
    times = as_json(timed, [NOBODY_MS] * 3)
    assert bench.rows(bench.read(subscribe=timed, endingOffsetsByTimestamp=times)) == everything
    assert bench.rows(bench.read(subscribe=timed, endingTimestamp=2**63 - 1)) == everything


@pytest.mark.spark_behaviour(13)
def test_which_option_goes_first(bench: Workbench, timed: str) -> None:
    """One time for all, then times by partition, then offsets."""
    options = {
        "startingOffsets": as_json(timed, [8, 8, 8]),
        "endingOffsets": as_json(timed, [9, 9, 9]),
        "startingOffsetsByTimestamp": as_json(timed, at(4, 4, 4)),
        "endingOffsetsByTimestamp": as_json(timed, at(6, 6, 6)),
    }
    assert bench.rows(bench.read(subscribe=timed, **options)) == between((4, 6), (4, 6), (4, 6))
    options |= {"startingTimestamp": str(STARTS_MS[0]), "endingTimestamp": str(STARTS_MS[1] + SECOND_MS)}
    assert bench.rows(bench.read(subscribe=timed, **options)) == between((0, 10), (0, 1), (0, 0))


@pytest.mark.spark_behaviour(14)
@pytest.mark.parametrize("batches", ["one batch", pytest.param("a batch each", marks=pytest.mark.full)])
def test_times_out_of_order(batches: str, bench: Workbench, topic: str) -> None:
    """The first record by offset that is at or after the time counts, not the first by time."""
    bench.create(topic, 1)
    times_ms = [BASE_MS + second * SECOND_MS for second in (5, 1, 9, 3, 7)]
    if batches == "one batch":
        bench.send(topic, 0, range(5), times_ms, **{"linger.ms": 500})
    else:
        for number, time_ms in enumerate(times_ms):
            bench.send(topic, 0, [number], [time_ms])
    for second, offset in {1: 0, 5: 0, 6: 2, 9: 2}.items():
        frame = bench.read(subscribe=topic, startingTimestamp=BASE_MS + second * SECOND_MS)
        assert bench.rows(frame) == rows_of(0, range(offset, 5), first_offset=offset), second


@pytest.mark.spark_behaviour(14)
def test_times_that_the_broker_sets(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1, message_timestamp_type="LogAppendTime")
    before_ms = int(time.time() * 1000)
    for number in range(3):
        bench.send(topic, 0, [number, number], [BASE_MS, BASE_MS], **{"linger.ms": 100})
        time.sleep(0.02)
    after_ms = int(time.time() * 1000)
    frame = bench.read(subscribe=topic)
    stamps = [tuple(row) for row in frame.selectExpr("timestampType", "unix_millis(timestamp)").collect()]
    bench.saw("kinds", [kind for kind, _ in stamps])
    assert [kind for kind, _ in stamps] == [1] * 6
    times_ms = [stamp_ms for _, stamp_ms in stamps]
    assert times_ms == sorted(times_ms)
    assert before_ms <= times_ms[0]
    assert times_ms[-1] <= after_ms
    assert len(set(times_ms)) >= 3
    values = [0, 0, 1, 1, 2, 2]
    for time_ms in sorted(set(times_ms))[1:]:
        first = times_ms.index(time_ms)
        later = bench.read(subscribe=topic, startingTimestamp=time_ms)
        assert bench.rows(later) == rows_of(0, values[first:], first_offset=first)
        assert bench.rows(bench.read(subscribe=topic, endingTimestamp=time_ms)) == rows_of(0, values[:first])
