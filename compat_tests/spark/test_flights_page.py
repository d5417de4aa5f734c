"""docs/spark-flights.md runs as it stands there, and its picture is what the run shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.flights_picture import PICTURE, TEXT, picture, run


@pytest.mark.skipif(not TEXT.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_page_runs_and_its_picture_is_true(spark: SparkSession, tmp_path: Path) -> None:
    names = run(spark, tmp_path)
    assert names["replayed"].sent == names["restored"].records, "the last block has run"
    assert picture(names["page"]) == PICTURE.read_text(encoding="utf-8"), (
        "run python -m compat_tests.spark.flights_picture"
    )
