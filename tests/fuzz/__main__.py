"""Fuzz for as long as asked: `python -m tests.fuzz --minutes 10 --seed 1`; each session prints how to see it again.

Exit status: the number of finds. A session that goes on and on is one, and so is memory that grows all the while.
"""

import argparse
import logging
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from kafkacompat.broker.connection import BROKER, CONTROLLER
from tests.fuzz.leaders import LEADER, LyingSession
from tests.fuzz.session import REQUESTS, FoundError, Session

KINDS = (BROKER, CONTROLLER, LEADER)
SHARES = (0.5, 0.0, 0.9)
"""Of malformed frames, in turns."""
HANG_S = 120
"""Of CPU; a session of the usual length takes less than one."""
WARM_UP = 30
"""Sessions after which all code and all caches are there."""
GROWTH_MAX_MB = 64


class Totals:
    """What all sessions together have done."""

    def __init__(self) -> None:
        self.sessions = self.frames = self.malformed = self.closed = self.found = 0
        self.slowest_s = self.warm_mb = self.last_mb = 0.0

    def add(self, session: Session | LyingSession) -> None:
        self.sessions += 1
        self.frames += session.frames
        self.malformed += session.malformed
        self.closed += session.closed
        self.slowest_s = max(self.slowest_s, session.slowest_s)
        self.last_mb = _size_mb()
        if self.sessions <= WARM_UP:
            self.warm_mb = max(self.warm_mb, self.last_mb)

    @property
    def grew_mb(self) -> float:
        return self.last_mb - self.warm_mb

    def __str__(self) -> str:
        return (
            f"{self.sessions} sessions: {self.frames} requests, {self.malformed} of them malformed, "
            f"{self.closed} connections closed, {self.found} finds, slowest {self.slowest_s * 1000:.0f} ms, "
            f"{self.last_mb:.0f} MB, {self.grew_mb:+.0f} since the first {WARM_UP}"
        )


def main() -> int:
    """The exit status: the number of sessions that found something, at most 100."""
    options = _options()
    logging.getLogger("kafkacompat").propagate = False
    logging.lastResort = None
    deadline = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    totals = Totals()
    while totals.sessions < options.sessions and totals.malformed < options.malformed and time.monotonic() < deadline:
        session = _session(options, totals.sessions)
        try:
            _run(session, options.requests)
        except FoundError as error:
            totals.found += 1
            print(error, file=sys.stderr, flush=True)  # noqa: T201 (a program)
            if not options.go_on:
                break
        finally:
            totals.add(session)
        if totals.grew_mb > GROWTH_MAX_MB:
            totals.found += 1
            print(f"a leak: {totals}", file=sys.stderr)  # noqa: T201
            break
    print(f"from seed {options.seed}, {totals}")  # noqa: T201
    return min(totals.found, 100)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="default: 1, or no limit where another is given")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_000)
    parser.add_argument("--sessions", type=int, default=sys.maxsize)
    parser.add_argument("--malformed", type=int, default=sys.maxsize, help="stop after so many malformed frames")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="in each session")
    parser.add_argument("--mutated", type=float, default=None, help="share of frames that are made malformed")
    parser.add_argument("--listener", choices=KINDS, default=None, help="default: all in turns")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first find")
    options = parser.parse_args()
    if options.minutes is None and options.sessions == options.malformed == sys.maxsize:
        options.minutes = 1.0
    return options


def _session(options: argparse.Namespace, number: int) -> Session | LyingSession:
    kind = options.listener or KINDS[number % len(KINDS)]
    seed = options.seed + number
    if kind == LEADER:
        return LyingSession(seed)
    share = SHARES[number // len(KINDS) % len(SHARES)] if options.mutated is None else options.mutated
    return Session(seed, mutated_share=share, listener=kind)


def _run(session: Session | LyingSession, requests: int) -> None:
    def hangs(*_: object) -> NoReturn:
        raise FoundError(f"a session takes longer than {HANG_S} s, after {session.frames} requests\n{session.replay}")

    signal.signal(signal.SIGPROF, hangs)
    signal.setitimer(signal.ITIMER_PROF, HANG_S)
    try:
        session.run(requests)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _size_mb() -> float:
    """Of this process, now."""
    status = Path("/proc/self/status")
    return int(status.read_text().partition("VmRSS:")[2].split()[0]) / 1024 if status.exists() else 0.0


if __name__ == "__main__":
    sys.exit(main())
