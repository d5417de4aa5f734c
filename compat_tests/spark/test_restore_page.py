"""The examples of docs/spark-restore.md run as they stand there, one after the other."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkacompat import Cluster
from kafkacompat.spark import ArchiveSpec, archive

PAGE = Path(__file__).parents[2] / "docs" / "spark-restore.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_examples_of_the_page_run(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    lake = str(tmp_path / "lake")
    records = {"orders": [{"key": f"k{n}", "value": f"{n} apples"} for n in range(100)]}
    with Cluster(topics={"orders": 3}, records=records) as kafka, contextlib.chdir(tmp_path):
        archive(spark, ArchiveSpec(lake, kafka.bootstrap_servers, topics="orders"))
        for block in blocks:
            code = block.replace("localhost:9092", kafka.bootstrap_servers).replace("/lake/kafka", lake)
            exec(compile(code, str(PAGE), "exec"), {"spark": spark})
