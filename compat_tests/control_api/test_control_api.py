"""The HTTP control API from other languages: small programs add a fault rule, see it and remove it; wait, move the
clock and reset.

Each uses what its language brings along: curl, java.net.http, net/http and fetch.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.clients.program import GO, build
from kafkacompat import Cluster

PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT_S = 120


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Cluster() as kafka:
        yield kafka.control_url


def run(url: str, *command: str | Path) -> None:
    assert shutil.which(str(command[0])), f"{command[0]} is not on the PATH"
    done = subprocess.run([*map(str, command), url], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"faults": []}


def test_curl(url: str) -> None:
    run(url, "sh", PROGRAMS / "faults.sh")


def test_java(url: str) -> None:
    run(url, "java", PROGRAMS / "Faults.java")


def test_node(url: str) -> None:
    run(url, "node", PROGRAMS / "faults.mjs")


def test_go(url: str) -> None:
    folder = build("control-api-go", PROGRAMS / "go", [GO], [["go", "build", "-o", "faults", "."]])
    run(url, folder / "faults")
