"""GitHub's workflow and action in the eyes of actionlint, which is built from the Go proxy."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def test_the_workflow_and_the_action_are_right(tmp_path: Path) -> None:
    assert shutil.which("go"), "go is not on the PATH: actionlint is built with Go 1.26 or newer (https://go.dev/dl)"
    environ = {**os.environ, "GOBIN": str(tmp_path)}
    built = subprocess.run(["go", "install", ACTIONLINT], env=environ, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        [tmp_path / "actionlint", "-no-color", "-config-file", os.devnull, "ops/ci/github-workflow.yml"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
