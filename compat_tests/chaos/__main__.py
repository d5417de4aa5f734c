"""`python -m compat_tests.chaos --minutes N --seed S`: faults on real processes, and a check of what clients saw.

Exit status 0 when there was no anomaly and the cluster came back each time; otherwise 1, with the command that does
the same faults again.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from compat_tests.artifacts import MissingToolError
from compat_tests.broker_process import BrokerError, scratch_directory
from compat_tests.chaos import history, ledger, machine, plan, summary
from compat_tests.chaos.history import Finding
from compat_tests.chaos.machine import Machine
from compat_tests.chaos.network import Network, is_possible
from compat_tests.chaos.nodes import KINDS
from compat_tests.chaos.run import Load, Run

DISK_BYTES = 512 << 20
MINUTES = 2.0
EACH_WRITE_SYNCED = {"log.flush.interval.messages": "1"}
MANY, ONE = "many", "one"


def main() -> int:
    """The exit status."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    if options.check:
        return _check(Path(options.check), {})
    if options.seed is None:
        options.seed = random.randrange(1 << 31)
    folder = Path(options.out) if options.out else scratch_directory("chaos-report-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ledger.jsonl"
    facts = {"seed": options.seed, "commit": _commit(), "broker": options.broker, "replay": _replay(options)}
    _say(f"seed {options.seed}; again: {facts['replay']}")
    complaints: Sequence[str]
    try:
        complaints = _run(options, path)
    except (MissingToolError, plan.NoFaultError) as error:
        _say(str(error))
        return 1
    except BrokerError as error:
        complaints = [f"the run ended early: {error}"]
    status = _check(path, {**facts, "complaints": list(complaints)})
    if status:
        _say(f"FAILED; again: {facts['replay']}")
    return status


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m compat_tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, help=f"how long there are faults (default: {MINUTES}, or --cycles)")
    parser.add_argument("--cycles", type=int, help="end after so many faults, if that is sooner")
    parser.add_argument("--seed", type=int, help="which faults (default: a random one, which is said)")
    parser.add_argument("--broker", choices=sorted(KINDS), default="kafkacompat")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="brokers (default: %(default)s)")
    parser.add_argument(
        "--controllers", type=int, default=0, metavar="M", help="in processes of their own; 0: combined"
    )
    parser.add_argument("--faults", default="", help=f"draw from these alone: {', '.join(k.name for k in plan.KINDS)}")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a broker setting")
    parser.add_argument("--rate", type=float, default=Load().rate, help="writes a second of each of 3 producers")
    parser.add_argument("--acks", choices=("all", "1"), default="all", help="1 promises less: to see the checker fail")
    parser.add_argument(
        "--power-loss", nargs="?", const=MANY, choices=(MANY, ONE),
        help="nodes lose what they have not synced, and there are no other faults: any number of nodes at once, where "
        "each write is synced before it is acknowledged (the default), or one at a time, with settings that sync none",
    )  # fmt: skip
    parser.add_argument("--no-fsync", action="store_true", help="syncs do nothing: to see a loss of power found out")
    parser.add_argument("--no-network", action="store_true", help="no namespaces, and so no partitions of the network")
    parser.add_argument("--out", metavar="DIR", help="where ledger.jsonl and report.json go (default: a new folder)")
    parser.add_argument("--check", metavar="LEDGER", help="check a ledger that is there, and do nothing else")
    options = parser.parse_args()
    if options.no_fsync and not options.power_loss:
        parser.error("--no-fsync needs --power-loss")
    known = [kind.name for kind in plan.KINDS]
    for name in options.faults.split(",") if options.faults else ():
        if name not in known:
            parser.error(f"there is no fault {name!r}; there are {', '.join(known)}")
    options.minutes = options.minutes or (60 * 24 if options.cycles else MINUTES)
    return options


def _run(options: argparse.Namespace, path: Path) -> list[str]:
    """What went wrong with the cluster."""
    can_isolate = is_possible() and not options.no_network and not options.power_loss
    only = options.faults.split(",") if options.faults else plan.POWER_LOSSES if options.power_loss else []
    needs_disk = can_isolate and (not only or "full-disk" in only)
    cycles = plan.plan(options.seed, _possible(options, can_isolate, needs_disk), only)
    config = dict(EACH_WRITE_SYNCED) if options.power_loss == MANY else {}
    config |= dict(entry.partition("=")[::2] for entry in options.config)
    if options.power_loss == ONE:  # what one node has lost, it has again before the next one loses power
        cycles = (cycle._replace(waits=True) for cycle in cycles)
    with ExitStack() as stack:
        network = Network() if can_isolate else None
        if network:
            stack.callback(network.close)
        disk_bytes = DISK_BYTES if needs_disk else 0
        nodes = KINDS[options.broker](options.nodes, options.controllers, config, network, disk_bytes)
        stack.callback(nodes.close)
        if options.power_loss or machine.is_possible():
            nodes.give_machines(partial(_machine, options))
        run = Run(nodes, path, options.seed, Load(rate=options.rate, acks=options.acks), _say)
        try:
            run.go(cycles, options.minutes * 60, options.cycles)
        except BrokerError as error:
            return [*run.complaints, *run.faults.complaints, f"the run ended early: {error}"]
        finally:
            nodes.keep_logs(path.parent)
        if options.power_loss:
            _say(f"{len(nodes.losses)} losses of power, which changed {sum(nodes.losses)} files")
        return run.complaints


def _possible(options: argparse.Namespace, can_isolate: bool, needs_disk: bool) -> list[str]:
    """Which needs of faults are met, and a line for those that are not."""
    if options.power_loss:
        return [plan.POWER_OF_ONE, plan.POWER_OF_ALL] if options.power_loss == MANY else [plan.POWER_OF_ONE]
    if not can_isolate:
        _say("left out: partitions of the network and full disks, which need root on Linux, with iproute2")
    if not machine.is_possible():
        _say(f"left out: jumps of clocks, which need {machine.HOW_TO_GET}")
    return [plan.NETWORK] * can_isolate + [plan.DISK] * needs_disk + [plan.CLOCK] * machine.is_possible()


def _machine(options: argparse.Namespace, node_id: int, data_dir: Path, folder: Path) -> Machine:
    """What a node runs on. Raises MissingToolError."""
    rng = random.Random(f"{options.seed} power of {node_id}") if options.power_loss else None
    return Machine(data_dir, folder, rng, has_fsync=not options.no_fsync)


def _check(path: Path, facts: dict[str, Any]) -> int:
    """Judge a ledger, say and store what was found; the exit status."""
    entries = list(ledger.lines(path))
    findings: list[Finding] = history.check(ledger.operations(entries))
    result = {**facts, **summary.summarize(entries, findings)}
    report = path.with_name("report.json")
    report.write_text(json.dumps({**result, "findings": [finding._asdict() for finding in findings]}, indent=1) + "\n")
    print(summary.text(result, findings))
    for complaint in facts.get("complaints", ()):
        print(f"complaint: {complaint}")
    print(f"report: {report}")
    return 1 if findings or facts.get("complaints") or not result["acknowledged"] else 0


def _replay(options: argparse.Namespace) -> str:
    words = [f"--minutes {options.minutes:g}", f"--seed {options.seed}", f"--broker {options.broker}"]
    words += [f"--nodes {options.nodes}", f"--controllers {options.controllers}"]
    words += [f"--cycles {options.cycles}"] if options.cycles else []
    words += [f"--faults {options.faults}"] if options.faults else []
    words += [f"--power-loss {options.power_loss}"] if options.power_loss else []
    words += ["--no-fsync"] if options.no_fsync else []
    words += ["--no-network"] if options.no_network else []
    words += [f"--acks {options.acks}"] if options.acks != "all" else []
    words += [f"--rate {options.rate:g}"] if options.rate != Load().rate else []
    words += [f"--config {entry}" for entry in options.config]
    return "python -m compat_tests.chaos " + " ".join(words)


def _commit() -> str:
    done = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
