"""What Spark asks of a stream's reader, with a stand-in for PySpark: the real one is in compat_tests/spark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.read_options import LogOptions, parse
from tests.spark.log.log_directory import LogDirectory
from tests.spark.log.segment_files import COLUMNS

MODULE = "kafkacompat.spark.log.stream_source"


class Limit(NamedTuple):
    """Stands for ReadMaxRows and ReadMaxBytes."""

    kind: str
    max_rows: int | None = None
    max_bytes: int | None = None


class Partition(NamedTuple):
    value: Any


@pytest.fixture(params=[True, False], ids=["4.2", "4.0"])
def has_limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """A PySpark with or without read limits."""
    modules = {name: ModuleType(name) for name in ("pyspark", "pyspark.sql", "pyspark.sql.datasource")}
    modules["pyspark.sql.datasource"].__dict__.update(DataSourceStreamReader=object, InputPartition=Partition)
    modules["pyspark.sql.streaming"] = streaming = ModuleType("pyspark.sql.streaming")
    if request.param:
        streaming.datasource = ModuleType("pyspark.sql.streaming.datasource")  # type: ignore[attr-defined]
        streaming.datasource.__dict__.update(
            SupportsTriggerAvailableNow=type("SupportsTriggerAvailableNow", (), {}),
            ReadAllAvailable=lambda: Limit("all"),
            ReadMaxRows=lambda count: Limit("rows", max_rows=count),
            ReadMaxBytes=lambda count: Limit("bytes", max_bytes=count),
        )
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules.pop(MODULE, None)
    yield request.param
    sys.modules.pop(MODULE, None)


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    directory = LogDirectory(tmp_path / "data")
    directory.partition("orders", 0)
    return directory


def options(directory: LogDirectory, **given: str) -> LogOptions:
    return parse({"path": str(directory.path), "startingOffsets": "earliest", **given}, is_stream=True)


def test_a_micro_batch_is_planned_and_read(has_limits: bool, directory: LogDirectory) -> None:
    from kafkacompat.spark.log.stream_source import stream_reader

    reader = stream_reader(options(directory), COLUMNS)
    start = reader.initialOffset()
    end = reader.latestOffset(start, reader.getDefaultReadLimit()) if has_limits else reader.latestOffset()
    assert (start, end) == ({"orders": {"0": 0}}, {"orders": {"0": 100}})
    partitions = reader.partitions(start, end)
    found = [row["offset"] for each in partitions for batch in reader.read(each) for row in batch.to_pylist()]
    assert found == list(range(100))


def test_limits_are_spark_s_or_an_error_that_names_the_version(has_limits: bool, directory: LogDirectory) -> None:
    from kafkacompat.spark.log.stream_source import stream_reader

    limited = options(directory, maxOffsetsPerTrigger="30")
    if not has_limits:
        with pytest.raises(LogReadError, match=r"need Spark 4\.2 or newer"):
            stream_reader(limited, COLUMNS)
        return
    reader = stream_reader(limited, COLUMNS)
    assert reader.getDefaultReadLimit() == Limit("rows", max_rows=30)
    assert reader.latestOffset({"orders": {"0": 10}}, Limit("rows", max_rows=30)) == {"orders": {"0": 40}}
    assert reader.latestOffset({"orders": {"0": 10}}, Limit("all")) == {"orders": {"0": 100}}
    assert reader.reportLatestOffset() == {"orders": {"0": 100}}
    by_bytes = stream_reader(options(directory, maxBytesPerTrigger="1"), COLUMNS)
    assert by_bytes.getDefaultReadLimit() == Limit("bytes", max_bytes=1)
    reader.prepareForTriggerAvailableNow()
    directory.high_watermarks["orders 0"] = 200
    directory.checkpoint()
    assert reader.latestOffset({"orders": {"0": 10}}, Limit("all")) == {"orders": {"0": 100}}
