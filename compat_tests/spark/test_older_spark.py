"""The oldest Spark that the jobs are for, in a process of its own: jobs run, and options that it lacks are named.

The other tests run on the Spark that is installed, the newest that there are jars for.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compat_tests.spark.__main__ import command, environment
from compat_tests.spark.versions import OLDEST

TIMEOUT_S, WHOLE_TIMEOUT_S = 900, 5400
"""How long the tests that are marked `older_spark` may take, and all everyday tests."""


@pytest.mark.once
@pytest.mark.spark_behaviour
def test_jobs_run_on_the_oldest_spark_and_name_what_it_lacks(pytestconfig: pytest.Config) -> None:
    """An archive is replayed into a broker, and one imported into a directory."""
    run_on_the_oldest(pytestconfig, TIMEOUT_S, "--broker=kafkacompat", "-m", "older_spark")


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_everyday_tests_on_the_oldest_spark(pytestconfig: pytest.Config) -> None:
    """All but what only newer Sparks have."""
    report = pytestconfig.getoption("--report")
    reporting = [f"--report={Path(report).resolve() / f'spark-{OLDEST}'}"] if report else []
    chosen = f"--broker={pytestconfig.getoption('--broker')}"
    run_on_the_oldest(pytestconfig, WHOLE_TIMEOUT_S, chosen, f"--ignore={Path(__file__)}", *reporting)


def run_on_the_oldest(pytestconfig: pytest.Config, timeout_s: float, *options: str) -> None:
    """Tests of this folder pass there."""
    done = subprocess.run(
        command("-q", *options), cwd=pytestconfig.rootpath, env=environment(OLDEST), capture_output=True, text=True,
        timeout=timeout_s,
    )  # fmt: skip
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert done.returncode == 0, f"with Spark {OLDEST}, see the output of its run"
