"""Each benchmark of Spark's jobs runs to its end with little data, and says of each of its bars whether it holds.

Those that start no Spark do it every day.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.spark_bars import (
    ARCHIVE_FILES,
    ARCHIVE_KAFKA,
    AUDIT_GB,
    READER_LARGE,
    READER_PARQUET,
    READER_SMALL,
    Bar,
)

RUN_MAX_S = 600
SMALL = ("--records", "2000", "--rounds", "1")
TINY = ("--megabytes", "1", "--value-bytes", "1000", "--codecs", "none", "--topics", "5", "--rounds", "1",
        "--steady-seconds", "1")  # fmt: skip
FILES_ALONE = ("--no-spark", "--value-bytes", "1000")
BENCHMARKS: tuple[tuple[str, Sequence[str], Sequence[Bar]], ...] = (
    ("spark_log", SMALL, (READER_SMALL, READER_PARQUET)),
    ("spark_log", (*SMALL, *FILES_ALONE), (READER_LARGE,)),
    ("spark_archive", SMALL, (ARCHIVE_FILES, ARCHIVE_KAFKA)),
    ("spark_audit", ("--megabytes", "1", "--rounds", "1"), (AUDIT_GB,)),
    ("spark_plan", ("--partitions", "20", "--rounds", "1"), ()),
    ("spark_kafka", TINY, ()),
)


def starts_spark(name: str, arguments: Sequence[str]) -> bool:
    return name not in ("spark_audit", "spark_plan") and "--no-spark" not in arguments


@pytest.mark.parametrize(
    ("name", "arguments", "bars"),
    [pytest.param(*each, marks=pytest.mark.full if starts_spark(*each[:2]) else []) for each in BENCHMARKS],
)
@pytest.mark.spark_behaviour
def test_a_benchmark_runs_to_its_end(
    name: str, arguments: Sequence[str], bars: Sequence[Bar], pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    stored = tmp_path / "run.json"
    out = ["--out", str(stored)] if bars else []
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments, *out]
    done = subprocess.run(command, cwd=pytestconfig.rootpath, capture_output=True, text=True, timeout=RUN_MAX_S)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    for bar in bars:
        assert f"{bar.name}: " in done.stdout, done.stdout
    if bars:
        assert json.loads(stored.read_text())["bars"].keys() == {bar.name for bar in bars}
