"""Every field of a record as Spark shows it: keys, values, headers, times, codecs."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame

from compat_tests.clients.samples import CODECS, EDGE_SAMPLES, MEGABYTE, incompressible
from compat_tests.spark.workbench import BASE_MS, Workbench, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")


def fields(bench: Workbench, frame: DataFrame) -> list[tuple[Any, ...]]:
    """Key, value and headers of each record, in the order of offsets."""
    found = frame.orderBy("offset").select("key", "value", "headers").collect()
    plain = [(_bytes(row.key), _bytes(row.value), _headers(row.headers)) for row in found]
    bench.saw("records", plain)
    return plain


def _bytes(value: bytearray | None) -> bytes | None:
    return None if value is None else bytes(value)


def _headers(headers: Any) -> tuple[tuple[str, bytes | None], ...] | None:
    return None if headers is None else tuple((header.key, _bytes(header.value)) for header in headers)


@pytest.mark.spark_behaviour(1)
def test_all_columns(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send_records(topic, 1, [(b"k0", b"v0", ()), (b"k1", b"v1", ())], [BASE_MS, BASE_MS - 5])
    frame = bench.read(subscribe=topic).withColumnRenamed("timestamp", "at")
    found = frame.selectExpr(
        "key", "value", "topic", "partition", "offset", "unix_millis(at)", "timestampType"
    ).collect()
    columns = sorted(tuple(row) for row in found)
    bench.saw("times", [at_ms - BASE_MS for *_, at_ms, _ in columns])
    bench.saw("columns", [(*others, kind) for *others, _, kind in columns])
    assert columns == [
        (b"k0", b"v0", topic, 1, 0, BASE_MS, 0),
        (b"k1", b"v1", topic, 1, 1, BASE_MS - 5, 0),
    ]


@pytest.mark.spark_behaviour(4, 21)
def test_edge_records(bench: Workbench, topic: str) -> None:
    """Null and empty keys, values and headers, duplicate headers; without headers there is null, no empty list."""
    bench.create(topic, 1)
    bench.send_records(topic, 0, EDGE_SAMPLES)
    expected = [(sample.key, sample.value, sample.headers or None) for sample in EDGE_SAMPLES]
    assert fields(bench, bench.read(subscribe=topic, includeHeaders="true")) == expected
    assert "headers" not in bench.read(subscribe=topic).columns


@pytest.mark.spark_behaviour(21)
def test_all_codecs_in_one_partition(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    expected: list[str] = []
    for codec in CODECS:
        values = [f"{codec} {n} " + "x" * 100 for n in range(200)]
        config: dict[str, Any] = {"compression.type": codec or "none", "linger.ms": 20}
        bench.send(topic, 0, values, **config)
        expected += values
    assert bench.rows(bench.read(subscribe=topic)) == rows_of(0, expected)
    middle = bench.read(subscribe=topic, startingOffsets=f'{{"{topic}":{{"0":350}}}}')
    assert bench.rows(middle) == rows_of(0, expected[350:], first_offset=350)


@pytest.mark.spark_behaviour(21)
@pytest.mark.parametrize("codec", [None, *(pytest.param(codec, marks=pytest.mark.full) for codec in CODECS if codec)])
def test_a_megabyte(codec: str | None, bench: Workbench, topic: str) -> None:
    """Larger than what a fetch of one partition asks for, with what is around it."""
    bench.create(topic, 1)
    large, small = incompressible(MEGABYTE), b"small"
    sent = [(None, value, ()) for value in (small, large, large[::-1], small)]
    config: dict[str, Any] = {"compression.type": codec or "none", "message.max.bytes": 1_048_588}
    bench.send_records(topic, 0, sent, **config)
    frame = bench.read(subscribe=topic, kafka_max_partition_fetch_bytes=500_000, includeHeaders="true")
    assert fields(bench, frame) == [(key, value, None) for key, value, _ in sent]
