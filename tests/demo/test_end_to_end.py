"""`kafkacompat demo` as a user runs it, on a small data set and without Spark."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.demo.samples import write_package
from tests.waiting import wait_until

TIMEOUT_S = 180


def start(packages: Path, *options: str) -> subprocess.Popen[str]:
    """The demo with the data set that is below `packages`, its temporary files there too."""
    scratch = packages / "tmp"
    scratch.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(packages), "TMPDIR": str(scratch)}
    return subprocess.Popen(
        [sys.executable, "-m", "kafkacompat", "demo", "--no-spark", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
    )  # fmt: skip


def test_everything_is_equal_and_nothing_is_left(tmp_path: Path) -> None:
    write_package(tmp_path, flights=3_500)
    with start(tmp_path, "--flights", "3000") as child:
        output, _ = child.communicate(timeout=TIMEOUT_S)
    assert child.returncode == 0, output
    assert "DIFFERENT" not in output
    assert "3,000" in output
    assert "Left out: Spark (--no-spark was given)." in output
    assert "All 14 checks are equal." in output
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_signal_ends_the_broker_that_was_kept_and_all_is_well(tmp_path: Path) -> None:
    write_package(tmp_path, flights=600)
    with start(tmp_path, "--keep") as child:
        assert child.stdout is not None
        kept = next(line for line in child.stdout if "stays until Ctrl-C" in line)
        child.send_signal(signal.SIGTERM)  # as Ctrl-C, which a shell may have told its children to ignore
        assert child.wait(TIMEOUT_S) == 0
    address = kept.split()[3]
    assert not _is_there(address)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_killed_demo_takes_its_broker_with_it(tmp_path: Path) -> None:
    write_package(tmp_path, flights=200)
    with start(tmp_path, "--keep") as child:
        assert child.stdout is not None
        ready = next(line for line in child.stdout if "ready on " in line)
        address = ready.split("ready on ")[1].split()[0]
        assert _is_there(address)
        child.kill()
        child.wait(TIMEOUT_S)
    wait_until(lambda: not _is_there(address), TIMEOUT_S, "the end of the broker")


def _is_there(address: str) -> bool:
    import socket

    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True
