"""The example of docs/spark-archive.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkacompat import Cluster

PAGE = Path(__file__).parents[2] / "docs" / "spark-archive.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_example_of_the_page_runs(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    with Cluster(topics=["orders"], records={"orders": [{"value": "one apple"}]}) as kafka:
        code = code.replace("localhost:9092", kafka.bootstrap_servers).replace("/lake/kafka", str(tmp_path / "lake"))
        exec(compile(code, str(PAGE), "exec"), {"spark": spark})
    assert "one apple" in capsys.readouterr().out
