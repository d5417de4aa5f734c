"""The examples of docs/spark-audit.md run as they stand there."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkacompat import Cluster

PAGE = Path(__file__).parents[2] / "docs" / "spark-audit.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_example_of_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    code = "\n".join(blocks)
    records = {"orders": [{"value": f"{number} apples"} for number in range(3)]}
    with Cluster(topics=["orders"], records=records, data_dir=tmp_path / "data"):
        pass
    (log,) = tmp_path.glob("data/**/orders-0")
    with contextlib.chdir(tmp_path):
        exec(compile(code.replace("/var/lib/kafka/data", str(log.parent)), str(PAGE), "exec"), {"spark": spark})
    assert "Sound: no damage found" in (tmp_path / "audit.html").read_text()
