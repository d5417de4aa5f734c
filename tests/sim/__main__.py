"""Simulated clusters: `raft --seed 7` replays a run with its trace, `isr --seeds 1-500 --minutes 5` runs many.

raft: replicas of the quorum; isr: partitions and the controller; cluster: whole nodes with their servers; jumps: the
same with members of a group, whose clocks jump, among kills (--mode B) or alone; transactions: whole nodes with them;
cleaning: whole nodes with compaction and retention.
`same --seeds 1-20` runs seeds of all but transactions twice, and checks that both runs are equal.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from tests.sim import raft, same
from tests.sim.nodes import cleaning_invariants, transaction_faults
from tests.sim.nodes import run as nodes
from tests.sim.nodes.cleaning import CleaningRun
from tests.sim.nodes.jumps import JumpRun
from tests.sim.nodes.transactions import TransactionRun
from tests.sim.replication import run as replication
from tests.sim.world import SECOND

KINDS: dict[str, Callable[..., replication.Run | raft.Run | nodes.Run]] = {
    "isr": replication.Run,
    "isr B": partial(replication.Run, mode="B"),
    "raft": raft.Run,
    "cluster": nodes.Run,
    "jumps": partial(JumpRun, kills=False),
    "jumps B": partial(JumpRun, kills=True),
    "transactions": TransactionRun,
    "cleaning": CleaningRun,
}

MEETINGS = {"transactions": transaction_faults.MEETINGS, "cleaning": cleaning_invariants.MEETINGS}
SEEDS_THAT_MEET_ALL = {"transactions": 20, "cleaning": 20}
"""So many seeds fail if one of the meetings of a fault and a state never happened."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("kind", choices=("isr", "raft", "cluster", "jumps", "transactions", "cleaning", "same"))
    parser.add_argument("--mode", choices=("A", "B"), default="A", help="B: of isr the real log; of jumps with kills")
    parser.add_argument("--seed", type=int, help="replay one run and print its trace")
    parser.add_argument("--seeds", default="1-100", metavar="A-B", help="run many, print what fails")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no run after that time")
    parser.add_argument("--each", action="store_true", help="print a line for each run")
    arguments = parser.parse_args()
    if arguments.kind == "same":
        found = list(same.complaints(arguments.seeds))
        say("\n".join(found) or "all the same")
        return len(found)
    kind = arguments.kind if arguments.mode == "A" else f"{arguments.kind} {arguments.mode}"
    if kind not in KINDS:
        parser.error(f"{arguments.kind} has no mode {arguments.mode}")
    logging.disable(logging.CRITICAL)
    if arguments.seed is not None:
        say(str(KINDS[kind](arguments.seed, say).go()))
        return 0
    first, _, last = arguments.seeds.partition("-")
    return many(kind, range(int(first), int(last or first) + 1), arguments.minutes * 60, each=arguments.each)


def many(kind: str, seeds: range, limit_s: float, *, each: bool = False) -> int:
    """Run seeds until time is up. Returns the number of failed ones."""
    began = time.monotonic()
    command = kind.replace(" B", " --mode B")
    met: Counter[str] = Counter()
    runs = failed = events = simulated_us = leaders = faults = acknowledged = slowest_us = 0
    for seed in seeds:
        if time.monotonic() - began > limit_s:
            break
        run = KINDS[kind](seed)
        try:
            run.go()
        except KeyboardInterrupt:
            say(f"ended at seed {seed}")
            break
        except Exception as error:  # noqa: BLE001 - whatever it is, this seed has failed
            failed += 1
            say(f"seed {seed} FAILED: {type(error).__name__}: {error}\n  python -m tests.sim {command} --seed {seed}")
        if each:
            say(str(run))
        runs += 1
        met += getattr(run, "met", Counter())
        events += run.world.events
        simulated_us += run.world.now_us
        slowest_us = max(slowest_us, run.recovered_us)
        leaders += run.leaders
        faults += run.faults.count
        acknowledged += run.acknowledged
    say(
        f"{runs} seeds, {failed} failed, {events} events, {simulated_us / SECOND / 3600:.2f} simulated hours, "
        f"{leaders} leaders, {faults} faults, {acknowledged} acknowledged, all well after "
        f"{slowest_us / SECOND:.1f} s at most, {time.process_time():.0f} CPU seconds"
    )
    meetings = MEETINGS.get(kind)
    if meetings:
        say("\n".join(f"{met[what]:7} times {what}" for what in meetings))
        missing = [what for what in meetings if not met[what]]
        if missing and runs >= SEEDS_THAT_MEET_ALL[kind]:
            say(f"FAILED: never {', never '.join(missing)}")
            return failed + 1
    return failed


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
