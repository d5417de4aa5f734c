"""Each benchmark of Spark's jobs runs to its end with little data, and says of each of its bars whether it holds.

Those that start no Spark do it every day.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from benchmarks.spark_bars import ARCHIVE_FILES, ARCHIVE_KAFKA, AUDIT_GB, READER_PARQUET, READER_SMALL, Bar

RUN_MAX_S = 600
SMALL = ("--records", "2000", "--rounds", "1")
TINY = ("--megabytes", "1", "--value-bytes", "1000", "--codecs", "none", "--topics", "5", "--rounds", "1",
        "--steady-seconds", "1")  # fmt: skip
WITHOUT_SPARK = ("spark_audit", "spark_plan")
BENCHMARKS: dict[str, tuple[Sequence[str], Sequence[Bar]]] = {
    "spark_log": (SMALL, (READER_SMALL, READER_PARQUET)),
    "spark_archive": (SMALL, (ARCHIVE_FILES, ARCHIVE_KAFKA)),
    "spark_audit": (("--megabytes", "1", "--rounds", "1"), (AUDIT_GB,)),
    "spark_plan": (("--partitions", "20", "--rounds", "1"), ()),
    "spark_kafka": (TINY, ()),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in WITHOUT_SPARK else pytest.mark.full) for name in BENCHMARKS]
)
@pytest.mark.spark_behaviour
def test_a_benchmark_runs_to_its_end(name: str, pytestconfig: pytest.Config) -> None:
    arguments, bars = BENCHMARKS[name]
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    done = subprocess.run(command, cwd=pytestconfig.rootpath, capture_output=True, text=True, timeout=RUN_MAX_S)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    for bar in bars:
        assert f"{bar.name}: " in done.stdout, done.stdout
