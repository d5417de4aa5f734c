"""Runs cases in interleaved rounds: every broker once, then every broker again, one under load at a time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.cases import LoadCase, Rows, Tools
from benchmarks.gotools import BenchmarkError
from benchmarks.life_cases import LifeCase, PythonCase
from benchmarks.measure import pause, resume
from benchmarks.peers import Peer, data_folder, is_ours, makers
from benchmarks.table import Samples, add
from benchmarks.warm_memory import write_floor
from compat_tests.broker_process import BrokerError

FLOOR = "bare write"
WARM_UPS = 2


class Runner:
    """Collects samples; a run that fails is remembered as a failure and the others go on."""

    def __init__(self, brokers: list[str], programs: Path, tools: Tools, rounds: int) -> None:
        self.samples: Samples = {}
        self.failures: list[str] = []
        self._brokers = brokers
        self._programs = programs
        self._tools = tools
        self._rounds = rounds

    def load(self, case: LoadCase) -> None:
        """Start all brokers, warm each up, then measure them in turn."""
        with ExitStack() as stack:
            peers = []
            for name, make in makers(self._brokers, self._programs, pausable=True).items():
                peer = make()
                stack.callback(peer.close)
                with self._counts(f"{case.name} {name} start"):
                    peer.start()
                    peers.append(peer)
                    for number in range(WARM_UPS):
                        self._say(f"{case.name}: {name}, warm-up {number + 1}")
                        case.run(peer, self._tools)
                pause(peer.pids)
            for number in range(self._rounds):
                first = number % max(1, len(peers))
                for peer in peers[first:] + peers[:first]:  # who comes first must not always be the same
                    self._say(f"{case.name}: round {number + 1}/{self._rounds}, {peer.name}")
                    self._load_once(case, peer)
                if case.name.startswith("bulk"):
                    self._floor(case)

    def _load_once(self, case: LoadCase, peer: Peer) -> None:
        resume(peer.pids)
        with self._counts(f"{case.name} {peer.name}"):
            self._add(peer.name, case.run(peer, self._tools))
        pause(peer.pids)

    def _floor(self, case: LoadCase) -> None:
        self._tools.memory.fill()
        self._add(FLOOR, {case.name.replace("bulk", "produce"): write_floor(data_folder())})

    def life(self, case: LifeCase) -> None:
        """A new broker for each measurement."""
        names = [name for name in self._brokers if is_ours(name) or not case.ours_only]
        made: dict[str, Callable[[], Peer]] = makers(names, self._programs, pausable=False)
        for number in range(min(case.rounds, self._rounds)):
            for name, make in made.items():
                self._say(f"{case.name}: round {number + 1}, {name}")
                peer = make()
                try:
                    if case.name == "restart" and not peer.keeps_data:
                        continue
                    with self._counts(f"{case.name} {name}"):
                        self._add(name, case.run(peer, self._tools))
                finally:
                    peer.close()

    def python(self, case: PythonCase) -> None:
        """No broker process at all."""
        self._say(case.name)
        with self._counts(case.name):
            for column, rows in case.run().items():
                self._add(column, rows)

    def _add(self, column: str, rows: Rows) -> None:
        add(self.samples, column, rows)

    @contextmanager
    def _counts(self, what: str) -> Iterator[None]:
        try:
            yield
        except (BenchmarkError, BrokerError, OSError, subprocess.CalledProcessError) as error:
            self.failures.append(f"{what}: {error}")
            self._say(f"does not count: {what}: {error}\n")

    def _say(self, text: str) -> None:
        end = "" if sys.stderr.isatty() else "\n"
        start = "\r\x1b[K" if sys.stderr.isatty() else time.strftime("%H:%M:%S ")
        print(f"{start}{text}", end=end, file=sys.stderr, flush=True)
