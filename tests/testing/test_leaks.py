"""100 tests on each of two workers leave nothing: counted from outside, in the workers' entries under /proc."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.testing.pytest_runs import QUIET, ROOT
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts in /proc, which Linux has")

WARM = 20
"""After so many tests of a worker, one with the session's cluster among them, all that is made once has been made."""
CONFTEST = f"""
import os, time
import pytest

finished, shared, warm = 0, False, False

def count(when):
    # Tell the counting process that this one stands still, and wait until it has counted.
    name = os.path.join(os.environ["COUNTED"], f"{{os.getpid()}}-{{when}}")
    os.mkdir(name)  # which leaves no file open
    deadline = time.monotonic() + 60
    while os.path.exists(name) and time.monotonic() < deadline:
        time.sleep(0.01)

def pytest_runtest_logfinish(nodeid):
    global finished, shared, warm
    finished += 1
    shared = shared or "test_shared" in nodeid  # which comes late in some orders
    if finished >= {WARM} and shared and not warm and "PYTEST_XDIST_WORKER" in os.environ:
        warm = True
        count("warm")

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if "PYTEST_XDIST_WORKER" in os.environ:
        count("end")
"""
TESTS = """
import socket
import pytest
from tests.metadata_client import partition_counts

def talk(kafka):
    with socket.create_connection(kafka.bootstrap_servers.split(",")[0].split(":")) as peer:
        peer.sendall(b"\\0")

@pytest.mark.parametrize("number", range(46))
@pytest.mark.kafka(topics={"orders": 3})
def test_fresh(kafka, number):
    assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 3}
    talk(kafka)

@pytest.mark.parametrize("number", range(46))
def test_shared(kafka_cluster, kafka_topic, number):
    talk(kafka_cluster)

@pytest.mark.parametrize("number", range(6))
def test_several(kafka_factory, number):
    talk(kafka_factory(brokers=2))

@pytest.mark.parametrize("number", range(2))
@pytest.mark.kafka(processes=True)
def test_processes(kafka, number):
    talk(kafka)
    assert number != 1, "one fails"
"""


class Count(NamedTuple):
    """What a process has."""

    threads: int
    sockets: int
    files: int
    processes: int


def children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def count(pid: int) -> Count:
    targets = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = sum(target.startswith("socket:") for target in targets)
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    return Count(threads, sockets, len(targets) - sockets, len(list(children(pid))))


def await_fewer_threads(pid: int, before: Count) -> Count:
    """The session's cluster has ended; the system counts a thread for a moment after its join."""
    wait_until(lambda: count(pid).threads < before.threads, what=lambda: (before, count(pid)))
    return count(pid)


def test_a_hundred_tests_leave_no_thread_socket_file_or_process(tmp_path: Path) -> None:
    temporary, counted, tests = (tmp_path / name for name in ("temporary", "counted", "tests"))
    for folder in (temporary, counted, tests):
        folder.mkdir()
    (tests / "conftest.py").write_text(CONFTEST)
    (tests / "test_many.py").write_text(TESTS)
    environ = {**os.environ, "TMPDIR": str(temporary), "COUNTED": str(counted), "PYTHONPATH": str(ROOT)}
    environ.pop("PYTEST_XDIST_WORKER", None)
    command = [
        sys.executable, "-m", "pytest", *QUIET, "-p", "randomly", "-q", "-n", "2", "--dist", "each", "--basetemp",
        str(tmp_path / "base"),
    ]  # fmt: skip  # shared out, a worker that gets the slow tests may end before it is warm
    process = subprocess.Popen(
        command, cwd=tests, env=environ, stdout=subprocess.PIPE, text=True, start_new_session=True
    )  # fmt: skip
    assert process.stdout
    warm: dict[int, Count] = {}
    end: dict[int, Count] = {}

    def counted_all() -> bool:
        for mark in counted.iterdir():
            pid, when = int(mark.name.split("-")[0]), mark.name.split("-")[1]
            if when == "warm":
                warm[pid] = count(pid)
            else:
                end[pid] = await_fewer_threads(pid, warm[pid])
            mark.rmdir()
        return process.poll() is not None

    try:
        wait_until(counted_all, 240)
        output = process.communicate()[0]
        assert "2 failed, 198 passed" in output, output
        assert len(warm) == 2
        for pid, before in warm.items():
            assert end[pid].sockets < before.sockets, (before, end)
            assert end[pid].files <= before.files, (before, end)
            assert end[pid].processes == 0, (before, end)
        assert list(temporary.glob("kafkacompat-*")) == []
        assert left_in_session(process.pid) == []
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def left_in_session(session: int) -> list[int]:
    """The processes that still belong to a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            if int(fields[3]) == session:
                found.append(int(entry.name))
    return found
