"""A signal while `kafkacompat serve --brokers` makes its directories: nothing is left, and no node is started. And one
that comes while the program is still being imported.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import TIMEOUT_S

PROGRAM = """
import os, sys
from kafkacompat.cli import main, serve_cluster

def prepare_and_be_told_to_stop(*arguments, **options):
    prepare(*arguments, **options)
    for number in numbers:
        os.kill(os.getpid(), int(number))

numbers = sys.argv.pop().split()
prepare, serve_cluster.prepare = serve_cluster.prepare, prepare_and_be_told_to_stop
main()
"""


def serve(tmp_path: Path, *numbers: int) -> subprocess.CompletedProcess[str]:
    """The program ends by itself: the signals reach it when its directories are there, and its nodes are not."""
    sent = " ".join(str(int(number)) for number in numbers)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "serve", "--brokers", "3", sent],
        capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")
    assert not list(tmp_path.iterdir())
    return done


WHILE_IT_IS_IMPORTED = """
import os, signal, sys
from kafkacompat.cli import main

class Finder:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
main()
"""


def test_ctrl_c_before_all_is_imported_ends_it_without_a_word() -> None:
    command = [sys.executable, "-c", WHILE_IT_IS_IMPORTED, "serve", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_is_a_clean_stop(tmp_path: Path, number: int) -> None:
    assert serve(tmp_path, number).returncode == 0


def test_the_second_one_ends_it_at_once(tmp_path: Path) -> None:
    assert serve(tmp_path, signal.SIGTERM, signal.SIGTERM).returncode == 128 + signal.SIGTERM
