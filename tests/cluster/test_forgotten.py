"""A program that ends without stopping its cluster: all is stopped cleanly for it, and nobody is told of anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import TIMEOUT_S

PROGRAM = """
import atexit, sys, threading
from kafkacompat import Cluster

def no_more_threads(thread):
    raise RuntimeError("can't create new thread at interpreter shutdown")

def end_as_python_3_12_does():
    threading.Thread.start = no_more_threads

brokers, directory, has_threads = sys.argv[1:]
cluster = Cluster(brokers=int(brokers), data_dir=directory, topics={"a": 3, "b": 2}).start()
if has_threads == "no":
    atexit.register(end_as_python_3_12_does)  # what is registered last is called first
"""


@pytest.mark.parametrize("has_threads", ["yes", "no"])
@pytest.mark.parametrize("brokers", [1, 2])
def test_it_is_stopped_cleanly(tmp_path: Path, brokers: int, has_threads: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(brokers), str(tmp_path), has_threads],
        capture_output=True, text=True, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    nodes = [tmp_path] if brokers == 1 else [tmp_path / "node-1", tmp_path / "node-2"]
    for node in nodes:
        assert (node / ".kafka_cleanshutdown").exists()
        assert (node / "recovery-point-offset-checkpoint").exists()
        assert not (node / ".lock").exists()
