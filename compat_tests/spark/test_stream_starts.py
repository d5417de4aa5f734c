"""Every way to choose partitions, with every way to choose where a stream starts, strict about lost data or not."""

from __future__ import annotations

import json

import pytest

from compat_tests.spark.workbench import BASE_MS, EARLIEST, LATEST, Row, Workbench, as_json, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

PARTITIONS = 3
BEFORE, AFTER = 10, 4
"""Records of each partition before the stream starts and while it runs; the first ones are a second apart."""
CHOICES = ("assign", "subscribe", "subscribePattern")
STARTS = ("latest", "earliest", "specific", "timestamps", "one timestamp")
EVERYDAY = {
    ("assign", "specific", True),
    ("subscribe", "latest", True),
    ("subscribePattern", "earliest", False),
    ("subscribePattern", "timestamps", True),
}


def chosen(choice: str, topic: str) -> dict[str, str]:
    return {
        "assign": {"assign": json.dumps({topic: list(range(PARTITIONS))})},
        "subscribe": {"subscribe": topic},
        "subscribePattern": {"subscribePattern": f"^{topic[:-2]}.*"},
    }[choice]


def started(start: str, topic: str) -> tuple[dict[str, str], list[int]]:
    """Options that say where to start, and the first offset of each partition that they mean."""
    times = as_json(topic, [BASE_MS + second * 1000 for second in (0, 4, 9)])
    specific = as_json(topic, [EARLIEST, LATEST, 7])
    return {
        "latest": ({"startingOffsets": "latest"}, [BEFORE] * PARTITIONS),
        "earliest": ({"startingOffsets": "earliest"}, [0] * PARTITIONS),
        "specific": ({"startingOffsets": specific}, [0, BEFORE, 7]),
        "timestamps": ({"startingOffsetsByTimestamp": times}, [0, 4, 9]),
        "one timestamp": ({"startingTimestamp": str(BASE_MS + 2500)}, [3] * PARTITIONS),
    }[start]


def expected(first_offsets: list[int], count: int) -> list[Row]:
    return [
        row
        for partition, first in enumerate(first_offsets)
        for row in rows_of(partition, range(first, count), first_offset=first)
    ]


CASES = [
    pytest.param(choice, start, strict, marks=() if (choice, start, strict) in EVERYDAY else pytest.mark.full)
    for choice in CHOICES
    for start in STARTS
    for strict in (True, False)
]


@pytest.mark.spark_behaviour(26)
@pytest.mark.parametrize(("choice", "start", "strict"), CASES)
def test_a_stream_starts_where_it_was_told(choice: str, start: str, strict: bool, bench: Workbench, topic: str) -> None:
    bench.create(topic, PARTITIONS)
    for partition in range(PARTITIONS):
        bench.send(topic, partition, range(BEFORE), [BASE_MS + n * 1000 for n in range(BEFORE)])
    where, first_offsets = started(start, topic)
    stream = bench.stream(failOnDataLoss=str(strict).lower(), **chosen(choice, topic), **where)
    query = bench.start(stream)
    query.processAllAvailable()
    assert bench.rows(bench.table(query)) == expected(first_offsets, BEFORE)
    for partition in range(PARTITIONS):
        bench.send(topic, partition, range(BEFORE, BEFORE + AFTER))
    query.processAllAvailable()
    assert bench.rows(bench.table(query)) == expected(first_offsets, BEFORE + AFTER)
