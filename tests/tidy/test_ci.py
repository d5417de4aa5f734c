"""`.ci/run` with stages that are stand-ins: what it says in its last lines, and its exit status."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat.demo.spark_jars import JARS, SPARK_VERSION
from tests.tidy.tree import ROOT

PROGRAMS = ("java", "mvn", "go", "node", "cargo")
STAGE = """#!/bin/sh
case " $BROKEN " in *" $2 "*) echo "seed 34 FAILED: a reason"; echo "last words of $2"; exit 3 ;; esac
if [ "$2" = "$FLAKY" ]; then echo "tests/test_it.py::test_it[a b]" > "$FAILED_ONCE"; fi
if [ "$2" = "$MISSING" ]; then echo "its program is not here" > "$LEFT_OUT_WHY"; exit 77; fi
"""
CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--randomly-seed")
"""
SOME = """
import pathlib, pytest

@pytest.mark.parametrize("n", range(9))
def test_it(n, request):
    marker = pathlib.Path(f"{marker}-{{n}}")
    failed = marker.exists()
    marker.touch()
    assert n >= {failing} or (failed and {mended} and request.config.getoption("--randomly-seed") == "7")
"""


def run(
    tmp_path: Path, *, broken: str = "", missing: str = "", without: str = "", flaky: str = ""
) -> tuple[int, list[str], str]:
    """Exit status, lines after the last stage, and what went to stderr. `without` one program."""
    for name in ("stage", *PROGRAMS):
        if name != without:
            (tmp_path / name).write_text(STAGE)
            (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHON": "stage", "BROKEN": broken, "MISSING": missing}
    environment["FLAKY"] = flaky
    done = subprocess.run([ROOT / ".ci" / "run"], env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.partition("=== done")[2].splitlines()[1:], done.stderr


def test_all_stages_pass(tmp_path: Path) -> None:
    status, lines, _ = run(tmp_path)
    assert status == 0
    assert len(lines) >= 7
    assert all(": passed in " in line for line in lines)


def test_a_stage_that_fails_stops_no_other_one(tmp_path: Path) -> None:
    status, lines, _ = run(tmp_path, broken="test demo")
    assert status == 1
    assert [line.split(":")[0] for line in lines if "FAILED (status 3)" in line] == ["everyday tests", "the main job"]
    summary = [line for line in lines if " in " in line]
    assert sum("passed" in line for line in summary) == len(summary) - 2


def test_what_a_failed_stage_said_is_said_again_at_the_end(tmp_path: Path) -> None:
    _, lines, _ = run(tmp_path, broken="sim")
    at = lines.index("--- simulated clusters")
    assert lines[at + 1 : at + 4] == ["1:seed 34 FAILED: a reason", "seed 34 FAILED: a reason", "last words of sim"]
    assert lines[at + 4].startswith("everyday tests: passed in ")


def test_a_stage_that_is_left_out_is_named_with_the_reason(tmp_path: Path) -> None:
    _, lines, _ = run(tmp_path, missing="newest")
    (line,) = [line for line in lines if "passed" not in line]
    assert line.startswith("everyday tests on Python 3.13: LEFT OUT, its program is not here in ")


def test_a_test_that_failed_once_is_named_behind_its_stage(tmp_path: Path) -> None:
    status, lines, _ = run(tmp_path, flaky="demo")
    assert status == 0
    (at,) = [n for n, line in enumerate(lines) if line.startswith("the main job: passed")]
    named = "    FAILED ONCE, and passed when it was run again: tests/test_it.py::test_it[a b]"
    assert [n for n, line in enumerate(lines) if line == named] == [at + 1]


@pytest.mark.parametrize(
    ("in_ci", "mended", "failing", "expected"),
    [(True, True, 2, 0), (True, False, 2, 1), (True, True, 4, 1), (False, True, 2, 1)],
    ids=["in-ci", "fails-again", "too-many", "by-hand"],
)
def test_few_failed_tests_run_once_more_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, in_ci: bool, mended: bool, failing: int, expected: int
) -> None:
    dev = runpy.run_path(str(ROOT / ".ci" / "dev.py"))
    told, marker = tmp_path / "told", tmp_path / "marker"
    tests = tmp_path / "test_some.py"
    (tmp_path / "conftest.py").write_text(CONFTEST)
    tests.write_text(SOME.format(marker=marker, failing=failing, mended=mended))
    monkeypatch.setenv("FAILED_ONCE", str(told))
    if not in_ci:
        monkeypatch.delenv("FAILED_ONCE")

    def python(*arguments: str) -> int:
        command = [sys.executable, *arguments, f"--rootdir={tmp_path}", "-c", "/dev/null"]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # whose import takes a second
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60).returncode

    assert dev["pytest"](str(tests), "--randomly-seed=7", run=python) == expected
    named = told.read_text().splitlines() if told.exists() else []
    assert named == ([f"test_some.py::test_it[{n}]" for n in range(failing)] if expected == 0 else [])


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="this is the Python that is not to be found")
def test_a_stage_says_why_it_is_left_out(tmp_path: Path) -> None:
    why = tmp_path / "why"
    command = [sys.executable, ".ci/dev.py", "newest"]
    environment = {"PATH": str(tmp_path), "LEFT_OUT_WHY": str(why)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (77, "")
    assert f"NOT RUN: {why.read_text()}" in done.stdout


def test_each_folder_of_client_tests_runs_once() -> None:
    """All but `containers`, which needs an engine for containers."""
    runs = runpy.run_path(str(ROOT / ".ci" / "dev.py"))["COMPAT_RUNS"]
    listed = sorted(folder for folders in runs for folder in folders)
    top = ROOT / "compat_tests"
    assert listed == sorted({path.relative_to(top).parts[0] for path in top.glob("*/**/test_*.py")} - {"containers"})


def test_a_program_that_is_missing_is_named_at_the_start(tmp_path: Path) -> None:
    for name in PROGRAMS:
        if Path("/usr/bin", name).exists() or Path("/bin", name).exists():
            continue
        status, lines, told = run(tmp_path, without=name)
        assert (status, lines) == (1, [])
        assert f"{name} is missing" in told
        (tmp_path / name).unlink(missing_ok=True)
        return
    pytest.skip("all of them are where every program is")


def test_what_the_newest_python_runs_is_there() -> None:
    dev = runpy.run_path(str(ROOT / ".ci" / "dev.py"))
    chosen = dev["on_the_newest"]()
    assert [name for name in (*chosen, *dev["NOT_ON_THE_NEWEST"]) if not (ROOT / "tests" / name).exists()] == []
    assert {"broker", "server", "storage", "test_imports.py", "testing/test_plugin.py"} <= {*chosen}
    assert "cluster" not in chosen


def test_spark_is_the_one_that_the_demo_names() -> None:
    assert runpy.run_path(str(ROOT / ".ci" / "dev.py"))["SPARK"] == f"pyspark=={SPARK_VERSION}"
    assert [*JARS][-1] == SPARK_VERSION, "the newest comes last"
