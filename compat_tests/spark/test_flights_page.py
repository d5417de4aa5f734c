"""docs/spark-flights.md runs as it stands there, block after block."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "spark-flights.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 6
    names: dict[str, Any] = {"spark": spark}
    try:
        with contextlib.chdir(tmp_path):
            for block in blocks:
                exec(compile(block, str(PAGE), "exec"), names)
    finally:
        if "production" in names:
            names["production"].stop()
