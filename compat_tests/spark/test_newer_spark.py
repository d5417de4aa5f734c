"""The everyday tests once more, on the newest Spark that there are jars for, in a process of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compat_tests.spark.__main__ import command, environment
from compat_tests.spark.versions import NEWEST

TIMEOUT_S = 900


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_on_the_newest_spark(pytestconfig: pytest.Config) -> None:
    """Also what only newer Sparks have."""
    broker = str(pytestconfig.getoption("--broker"))
    report = pytestconfig.getoption("--report")
    reporting = [f"--report={Path(report).resolve() / f'spark-{NEWEST}'}"] if report else []
    run = command("-q", f"--broker={broker}", f"--ignore={Path(__file__)}", *reporting)
    done = subprocess.run(
        run, cwd=pytestconfig.rootpath, env=environment(NEWEST), capture_output=True, text=True, timeout=TIMEOUT_S
    )
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert done.returncode == 0, f"with Spark {NEWEST}, see the output of its run"
