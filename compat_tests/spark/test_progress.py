"""Progress of a verb of `kafkacompat spark`: what Spark's listener counts, on a terminal, and not in a file."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from compat_tests.spark.workbench import VERB_S
from kafkacompat import Cluster

BAR = "[Stage 0:"
READ_BYTES = 1 << 16


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_stages_are_shown_on_a_terminal_and_the_report_is_alone_on_stdout(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 2}) as kafka:
        for is_terminal in (True, False):
            told, report = run_load(
                kafka.bootstrap_servers, tmp_path / f"ledger-{is_terminal}", is_terminal=is_terminal
            )
            assert (BAR in told) == is_terminal, told
            assert json.loads(report)["acknowledged"] > 0


def run_load(servers: str, ledger: Path, *, is_terminal: bool) -> tuple[str, str]:
    """Stderr and stdout of a verb whose stage takes three seconds."""
    command = [
        sys.executable, "-m", "kafkacompat", "spark", "load", "-b", servers, "--topic", "orders", "--duration", "3s",
        "--ledger", str(ledger), "--master", "local[2]",
    ]  # fmt: skip
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    found = bytearray()

    def read() -> None:
        try:
            while data := os.read(ours, READ_BYTES):
                found.extend(data)
        except OSError:  # nobody has the terminal open any more
            pass

    reader = threading.Thread(target=read)
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, cwd=ledger.parent) as child:
            os.close(theirs)
            reader.start()
            report, _ = child.communicate(timeout=VERB_S)
        reader.join(VERB_S)
    finally:
        os.close(ours)
    assert child.returncode == 0, found.decode()
    return found.decode(), report.decode()
