"""The examples of docs/spark-log.md run as they stand there, on a directory of the broker."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from compat_tests.broker_process import Broker
from compat_tests.spark.workbench import Workbench

PAGE = Path(__file__).parents[2] / "docs" / "spark-log.md"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLDERS = ("data", "checkpoint", "archive", "damaged")
"""Relative paths are below the folder where Spark's JVM was started."""
pytestmark = pytest.mark.api("Produce")


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not in the wheel")
@pytest.mark.spark_behaviour
def test_the_examples_run(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], capsys: pytest.CaptureFixture[str]
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    bench.create("orders", 2)
    for partition in range(2):
        bench.send("orders", partition, range(100))
    broker.stop()
    (directory,) = broker.data_dirs
    (file,) = directory.glob("orders-1/*.log")
    data = bytearray(file.read_bytes())
    names: dict[str, object] = {"spark": bench.spark}
    (bench.scratch / "data").symlink_to(directory)
    for example in EXAMPLE.findall(PAGE.read_text()):
        code = example
        if "onDamage" in code:
            data[-1] ^= 1
            file.write_bytes(data)
        for name in FOLDERS:
            code = code.replace(f'"{name}"', repr(str(bench.scratch / name)))
        exec(compile(code, str(PAGE), "exec"), names)
    shown = capsys.readouterr().out
    bench.saw("checksum", "checksum " in shown)
    assert "checksum " in shown
    assert bench.spark.read.parquet(str(bench.scratch / "archive")).count() == 200
