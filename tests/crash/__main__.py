"""Recover from the states that crashes leave: `--states 200000 --seed 1`; a failure prints how to see it again."""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
import time
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from tests.crash.explore import KINDS, Exploration, replay
from tests.crash.flips import DIRECTORIES, Directory, Flips, Quorum

STATE = re.compile(rf"({'|'.join(KINDS)}):\d+:\d+:\w[\d.]*(/\d+:\w[\d.]*)?")
"""A kind of run, its seed, how many steps it had done, and what was left of them; the same of a recovery's steps."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--states", type=int, default=200_000, help="so many different ones")
    parser.add_argument("--seed", type=int, default=1, help="of the first recorded run; the next ones count up")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no run after that time")
    parser.add_argument("--kind", choices=sorted(KINDS), help="record only such runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--flips", action="store_true", help="instead, each byte of each file changed in four ways")
    parser.add_argument("--state", help="check only this one: what a failure has printed")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if arguments.jobs < 1:
        parser.error("--jobs must be 1 or more")
    if arguments.state is not None:
        if not STATE.fullmatch(arguments.state):
            parser.error(f"--state {arguments.state!r} is none that a failure has printed, as in partition:7:12:p1.0")
        replay(arguments.state)
        return 0
    if arguments.flips:
        return flip_all(arguments.seed)
    return explore(arguments.states, arguments.seed, arguments.minutes, arguments.kind, arguments.jobs)


def explore(states: int, first_seed: int, minutes: float, kind: str | None, jobs: int) -> int:
    """Run after run, in so many processes, until there are enough states. Answers the exit status."""
    began = time.monotonic()
    seeds = count(first_seed)
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(jobs) as pool:
        runs = deque(pool.submit(one_run, next(seeds), kind) for _ in range(jobs))
        while runs:
            counts, failures = runs.popleft().result()
            total += counts
            for failure in failures:
                say(failure)
            if total["states"] < states and time.monotonic() - began < minutes * 60:
                runs.append(pool.submit(one_run, next(seeds), kind))
    say(
        f"{total['states']} states of {next(seeds) - first_seed} runs, {total['same']} more were the same, "
        f"{total['nested']} of crashes while recovering, {total['failed']} failed, {time.monotonic() - began:.0f} s"
    )
    return 1 if total["failed"] else 0


def one_run(seed: int, kind: str | None) -> tuple[Counter[str], list[str]]:
    """What came of a recorded run: its numbers, and a line for each failure."""
    logging.disable(logging.CRITICAL)
    exploration = Exploration(kind)
    failures = list(exploration.run(seed))
    numbers = {name: getattr(exploration, name) for name in ("states", "same", "nested", "failed")}
    return Counter(numbers), failures


def flip_all(seed: int) -> int:
    """The files of each kind of directory, of a broker that was killed and of one that stopped cleanly, and of a
    voter.
    """
    failed = 0
    directories: list[tuple[str, Directory | Quorum]] = [
        (f"{name}, {'stopped cleanly' if is_clean else 'killed'}", kind(seed, is_clean=is_clean))
        for name, kind in DIRECTORIES.items()
        for is_clean in (False, True)
    ]
    for title, directory in (*directories, ("a voter, killed", Quorum(seed))):
        found = Flips()
        found.run(directory, every=directory.every)
        failed += len(found.wrong)
        say("\n".join([f"{title}: {sum(found.found.values())} flips", str(found), *found.wrong[:10]]))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
