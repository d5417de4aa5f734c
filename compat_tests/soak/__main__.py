"""`python -m compat_tests.soak --minutes 240`: three brokers under a steady load, and what they take of the machine.

Stock clients write, read and commit at a steady rate; now and then a node is killed or stopped and comes back. Exit
status 0 when nothing grew that may not, no client saw an anomaly, and the cluster came back each time.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from compat_tests.broker_process import BrokerError, scratch_directory
from compat_tests.chaos import history, ledger
from compat_tests.chaos.nodes import KINDS
from compat_tests.chaos.plan import Cycle
from compat_tests.chaos.run import Load, Run
from compat_tests.soak import chart, trend
from compat_tests.soak.samples import Sample, Sampler
from compat_tests.soak.trend import HOURS, Trend

FAULTS = ("kill-follower", "stop-leader", "kill-leader", "stop-follower")
HOLD_S = 2.0


def main() -> int:
    """The exit status."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    if not Path("/proc/self/status").exists():
        _say("a soak reads /proc, which this system does not have")
        return 1
    folder = Path(options.out) if options.out else scratch_directory("soak-report-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ledger.jsonl"
    complaints, samples = _run(options, path)
    found = trend.trends(samples, options.warm)
    complaints += trend.complaints(samples, options.warm)
    complaints += [str(finding) for finding in history.check(ledger.operations(ledger.lines(path)))]
    if len(found) < options.nodes:
        complaints.append(f"only {len(found)} of {options.nodes} nodes were seen for longer than {options.warm:g} s")
    _write(folder, samples, found, complaints)
    print(text(found, trend.left_open(samples, options.warm)))
    for complaint in complaints:
        print(f"complaint: {complaint}")
    print(f"samples.csv, chart.svg, report.json: {folder}")
    return 1 if complaints else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m compat_tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0, help="how long (default: %(default)s)")
    parser.add_argument(
        "--restart-every", type=float, metavar="MINUTES", help="of one node (default: a third of it all)"
    )
    parser.add_argument("--rate", type=float, default=20.0, help="writes a second of each producer (%(default)s)")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--broker", choices=sorted(KINDS), default="kafkacompat")
    parser.add_argument("--every", type=float, default=5.0, metavar="SECONDS", help="between samples (%(default)s)")
    parser.add_argument("--warm", type=float, default=120.0, metavar="SECONDS", help="of a process that do not count")
    parser.add_argument("--seed", type=int, default=1, help="which nodes are restarted")
    parser.add_argument("--out", metavar="DIR", help="where the report goes (default: a new folder)")
    options = parser.parse_args()
    if options.restart_every is None:
        options.restart_every = options.minutes / 3
    for name in ("minutes", "restart_every", "rate", "nodes", "every"):
        if getattr(options, name) <= 0:
            parser.error(f"--{name.replace('_', '-')} must be greater than 0")
    return options


def _cycles(options: argparse.Namespace, sampler: Sampler) -> Iterator[Cycle]:
    """Restarts, the first of them soon, each with its share of the time behind it. Then nothing counts any more: all
    that was written is read once more.
    """
    rng = random.Random(options.seed)
    count = max(1, round(options.minutes / options.restart_every))
    for number in range(1, count + 1):
        fault = FAULTS[number % len(FAULTS)]
        yield Cycle(number, fault, rng.random(), HOLD_S, options.minutes * 60 / count - HOLD_S, waits=True)
    sampler.finish()


def _run(options: argparse.Namespace, path: Path) -> tuple[list[str], list[Sample]]:
    """What went wrong with the cluster, and what was seen."""
    with ExitStack() as stack:
        nodes = KINDS[options.broker](options.nodes)
        stack.callback(nodes.close)
        run = Run(nodes, path, options.seed, Load(rate=options.rate), _say)
        sampler = Sampler(nodes, lambda: run.ledger.acknowledged, options.every)
        sampler.start()
        stack.callback(sampler.finish)
        try:
            run.go(_cycles(options, sampler), options.minutes * 60, None)
        except BrokerError as error:
            run.complaints.append(f"the run ended early: {error}")
        return run.complaints, sampler.samples


def _write(folder: Path, samples: list[Sample], found: list[Trend], complaints: list[str]) -> None:
    with (folder / "samples.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Sample._fields)
        writer.writerows(samples)
    (folder / "chart.svg").write_text(chart.svg(samples))
    report = {"trends": [each._asdict() for each in found], "complaints": complaints}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")


def text(found: list[Trend], more: dict[str, float]) -> str:
    """Slopes as a table."""
    lines = [f"growth in {HOURS:g} h  memory MB  descriptors  threads  disk MB  CPU ms per write  (mean: MB, CPU ms)"]
    lines += [
        f"node {each.node}, {each.lives} lives {each.rss_mb:11.1f} {each.fds:12.1f} {each.threads:8.1f} "
        f"{each.disk_mb:8.0f} {each.cpu_ms:17.3f}  ({each.mean_rss_mb:.1f}, {each.mean_cpu_ms:.2f})"
        for each in found
    ]
    lines.append("all together at the end: " + ", ".join(f"{count:+.1f} {name}" for name, count in more.items()))
    return "\n".join(lines)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
