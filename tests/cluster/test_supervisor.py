"""Child processes: started together, heard, stopped in order, killed where needed; with stand-ins for nodes."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kafkacompat.cluster.supervisor import Interrupted, Supervisor
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.server.supervisor_protocol import CLOSING, HANDED_OVER, READY, notice
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")

SCRIPT = f"""
import os, signal, sys, time
def say(text):
    os.write(1, (text + "\\n").encode())  # print fails in a handler that interrupts another print
def stop(*_):
    say("bye")
    os._exit(0)
signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGUSR1, lambda *_: say({notice("1", HANDED_OVER)!r}))
say(f"hello from {{os.getpid()}}")
#FIRST
say({notice("1", READY, "on localhost:1")!r})
while True: time.sleep(0.1)  # pause() would miss what comes just before it
"""
SOON_S = 20
"""For what happens within milliseconds, on a machine that does other things as well."""
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


def script(first: str = "") -> list[str]:
    return [sys.executable, "-c", SCRIPT.replace("#FIRST", first)]


class Ears:
    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []
        self.deaths: list[tuple[int, str]] = []
        self.waits: list[str] = []
        self.died = threading.Event()

    def hear(self, node_id: int, line: str) -> None:
        self.lines.append((node_id, line))

    def death(self, node_id: int, text: str) -> None:
        self.deaths.append((node_id, text))
        self.died.set()


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def supervised(ears: Ears) -> Iterator[object]:
    made: list[Supervisor] = []

    def make(*commands: list[str], stages: list[list[int]] | None = None, stop_timeout_s: float = SOON_S) -> Supervisor:
        numbered = dict(enumerate(commands, 1))
        made.append(
            Supervisor(
                numbered, stages or [list(numbered)], on_line=ears.hear, on_death=ears.death, on_wait=ears.waits.append,
                stop_timeout_s=stop_timeout_s,
            )
        )  # fmt: skip
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.kill_all()
        supervisor.stop()
    for thread in threading.enumerate():
        if thread.name.startswith("kafkacompat-node-"):
            thread.join(SOON_S)
            assert not thread.is_alive()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_all_are_ready_and_heard_and_end(supervised, ears: Ears) -> None:
    supervisor = supervised(script(), script(), script())
    supervisor.start()
    pids = [supervisor.pid(node_id) for node_id in (1, 2, 3)]
    assert all(map(supervisor.is_running, (1, 2, 3)))
    assert supervisor.stop() == {}
    assert sorted(ears.lines) == sorted(
        [(id_, f"hello from {pid}") for id_, pid in zip((1, 2, 3), pids, strict=True)] + [(n, "bye") for n in (1, 2, 3)]
    )
    assert all(map(gone, pids))
    assert supervisor.pid(1) is None
    assert ears.deaths == []


def test_nodes_are_started_by_several_threads_at_once(supervised) -> None:
    supervisor = supervised(*[script()] * 4)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda node_id: supervisor.start([node_id], timeout_s=30), (1, 2, 3, 4)))
    assert all(map(supervisor.is_running, (1, 2, 3, 4)))


def test_one_that_does_not_start_ends_all_and_says_why(supervised, ears: Ears) -> None:
    supervisor = supervised(script(), script(first="sys.exit('kafkacompat: port 7 is taken')"))
    with pytest.raises(StartupError) as failed:
        supervisor.start()
    assert str(failed.value) == "node 2 did not start: port 7 is taken"
    assert not supervisor.is_running(1)
    assert ears.deaths == []


def test_one_that_ends_without_a_word(supervised) -> None:
    with pytest.raises(StartupError, match="node 1 did not start: hello from"):
        supervised(script(first="os._exit(3)")).start()
    with pytest.raises(StartupError, match="killed by SIGKILL; it wrote nothing"):
        supervised([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).start()
    with pytest.raises(StartupError, match="cannot be started"):
        supervised(["/no/such/program"]).start()


def test_one_that_takes_too_long(supervised) -> None:
    supervisor = supervised(script(), script(first="time.sleep(60)"))
    supervisor.start([1])
    with pytest.raises(StartupError, match="not ready in time: node 2;"):
        supervisor.start([2], timeout_s=0.3)
    assert not supervisor.is_running(2)
    supervisor.kill(1)
    with pytest.raises(StartupError, match=r"not ready in time: node (1, )?2;"):  # 1 may be late, too
        supervisor.start(timeout_s=0.3)
    assert not supervisor.is_running(1)
    assert not supervisor.is_running(2)


def test_a_start_can_be_interrupted(supervised) -> None:
    supervisor = supervised(script(first="time.sleep(60)"))
    threading.Timer(0.1, supervisor.interrupt).start()
    with pytest.raises(Interrupted):
        supervisor.start()
    assert not supervisor.is_running(1)


def test_a_death_is_told_at_once_with_the_last_line(supervised, ears: Ears) -> None:
    supervisor = supervised(script(), script())
    supervisor.start()
    pid = supervisor.pid(2)
    os.kill(pid, signal.SIGKILL)
    assert ears.died.wait(SOON_S)
    assert ears.deaths == [(2, f"node 2 (pid {pid}) died: killed by SIGKILL; its last line: hello from {pid}")]
    assert supervisor.is_running(1)
    assert not supervisor.is_running(2)


def test_wait_ends_when_nobody_is_left(supervised) -> None:
    supervisor = supervised(script(), script())
    supervisor.start()
    for node_id in (1, 2):
        os.kill(supervisor.pid(node_id), signal.SIGKILL)
    assert supervisor.wait(lambda: None) is False


def test_wait_ends_when_it_is_interrupted(supervised) -> None:
    supervisor = supervised(script())
    supervisor.start()
    supervisor.interrupt()
    assert supervisor.wait(lambda: None) is True


def test_wait_tells_of_an_end_while_others_run(supervised) -> None:
    supervisor = supervised(script(), script())
    supervisor.start()
    os.kill(supervisor.pid(1), signal.SIGKILL)
    assert supervisor.wait(supervisor.interrupt) is True
    assert supervisor.pid(1) is None
    assert supervisor.is_running(2)


def test_a_stage_ends_before_the_next_begins_to(supervised, ears: Ears) -> None:
    slow = "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.2), stop()))"
    supervisor = supervised(script(), script(first=slow), stages=[[2], [1]])
    supervisor.start()
    supervisor.stop()
    assert [node_id for node_id, line in ears.lines if line == "bye"] == [2, 1]


@pytest.mark.parametrize("first", [STUBBORN, "signal.signal(signal.SIGUSR1, signal.SIG_IGN)"])
def test_who_makes_no_progress_is_killed_and_named(
    supervised, ears: Ears, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it closes, and while it hands over."""
    monkeypatch.setattr("kafkacompat.cluster.supervisor.REPORT_AFTER_S", 0.1)
    supervisor = supervised(script(), script(first=first), stop_timeout_s=2.5)  # the other one needs some of that
    supervisor.start()
    killed = supervisor.stop()
    assert list(killed) == [2]
    assert killed[2].startswith("node 2 was killed: its stop made no progress for 2.5 s (its last report: none)")
    assert not supervisor.is_running(2)
    assert "node 2: stopping" in ears.waits[0]
    assert ears.deaths == []


def test_who_makes_progress_is_not_killed_however_long_it_takes(supervised, ears: Ears) -> None:
    """It closes its logs for longer than the limit, and tells of them."""
    told = f"[(say({notice('1', CLOSING)!r} + f' {{n}} of 20'), time.sleep(0.1)) for n in range(1, 21)]"
    busy = f"signal.signal(signal.SIGTERM, lambda *_: ({told}, stop()))"
    supervisor = supervised(script(first=busy), stop_timeout_s=1.5)
    supervisor.start()
    begin = time.monotonic()
    assert supervisor.stop() == {}
    assert time.monotonic() - begin > 1.5
    assert any(re.fullmatch(r"node 1: closing \d+ of 20", text) for text in ears.waits)
    assert (1, "bye") in ears.lines
    assert not any("closing" in line for _, line in ears.lines)


def test_who_stands_still_for_a_while_is_waited_for(supervised) -> None:
    supervisor = supervised(script())
    supervisor.start()
    pid = supervisor.pid(1)
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(1.5, os.kill, (pid, signal.SIGCONT)).start()
    assert supervisor.stop() == {}


def test_one_alone_is_stopped_killed_and_started_again(supervised, ears: Ears) -> None:
    supervisor = supervised(script(), script())
    supervisor.start()
    first = supervisor.pid(1)
    assert supervisor.stop_node(1) is None
    with pytest.raises(KafkaCompatError, match="node 1 is not running"):
        supervisor.kill(1)
    supervisor.start([1])
    assert supervisor.pid(1) not in (None, first)
    with pytest.raises(KafkaCompatError, match="node 1 is already running"):
        supervisor.start([1])
    supervisor.kill(1)
    assert not supervisor.is_running(1)
    assert supervisor.is_running(2)
    assert ears.deaths == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_paused_and_resumed_and_stopped_while_paused(supervised) -> None:
    supervisor = supervised(script())
    supervisor.start()

    def state() -> str:
        text = Path(f"/proc/{supervisor.pid(1)}/stat").read_text()
        return text.rpartition(")")[2].split()[0]

    def becomes(wanted: str) -> None:
        wait_until(lambda: state() in wanted, SOON_S, what=state)

    supervisor.pause(1)
    becomes("T")
    supervisor.resume(1)
    becomes("SR")
    supervisor.pause(1)
    becomes("T")
    assert supervisor.stop() == {}


def test_a_key_press_in_the_terminal_is_not_for_the_nodes(supervised) -> None:
    supervisor = supervised(script())
    supervisor.start()
    assert os.getpgid(supervisor.pid(1)) != os.getpgid(0)
