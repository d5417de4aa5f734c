"""`.ci/run` with stages that are stand-ins: what it says in its last lines, and its exit status."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT

PROGRAMS = ("java", "mvn", "go", "node", "cargo")
STAGE = """#!/bin/sh
case " $BROKEN " in *" $2 "*) exit 3 ;; esac
if [ "$2" = "$MISSING" ]; then echo "its program is not here" > "$LEFT_OUT_WHY"; exit 77; fi
"""


def run(tmp_path: Path, *, broken: str = "", missing: str = "", without: str = "") -> tuple[int, list[str], str]:
    """Exit status, lines after the last stage, and what went to stderr. `without` one program."""
    for name in ("stage", *PROGRAMS):
        if name != without:
            (tmp_path / name).write_text(STAGE)
            (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHON": "stage", "BROKEN": broken, "MISSING": missing}
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
    assert sum("passed" in line for line in lines) == len(lines) - 2


def test_a_stage_that_is_left_out_is_named_with_the_reason(tmp_path: Path) -> None:
    _, lines, _ = run(tmp_path, missing="newest")
    (line,) = [line for line in lines if "passed" not in line]
    assert line.startswith("everyday tests on Python 3.13: LEFT OUT, its program is not here in ")


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
    runs = runpy.run_path(str(ROOT / ".ci" / "dev.py"))["COMPAT_SIDE_BY_SIDE"]
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
