"""`python -m benchmarks.compaction`: how fast logs are compacted, and in how much memory, beside Apache Kafka.

Both brokers start on copies of one directory, with a topic for each case. A topic becomes due when its
`min.cleanable.dirty.ratio` is altered, so one log is compacted at a time, by one broker at a time. MB/s are those of
the brokers' own log lines: bytes of the log by the time of the whole pass (MB = 1024² bytes, as Kafka counts). CPU
seconds are those of the whole process, or of the broker and its child. Memory is the largest resident set (VmHWM) of
Kafka's process, and the sum of those of broker and child, which counts what they share twice.

The longest turn of the broker's loop is that of all rounds; of the rest the median counts.

The column "numpy" is left out where NumPy is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from benchmarks import metered
from benchmarks.bars import Bar, Medians, judge
from benchmarks.compacted_logs import SEGMENT_SUFFIXES, Case, write_log
from benchmarks.measure import facts, keep_bytecode, memory_mb, reset_peak
from benchmarks.metered import TURNS, longest_turn_bar
from benchmarks.side_by_side import store
from benchmarks.table import Samples, add
from benchmarks.table import medians as medians_of
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS, ApacheKafka
from compat_tests.broker_process import OLD_RECORDS_STAY, Process, free_port, remove_directory, scratch_directory
from kafkacompat.protocol.records.compression import NAMES

RESULTS = Path(__file__).parent / "results"
VALUE_BYTES = (100, 1_000, 10_000)
CASES = [Case(size, codec, is_half) for size in VALUE_BYTES for codec in NAMES for is_half in (False, True)]
SHORT_CASES = [Case(100, "none", is_half=False), Case(1_000, "zstd", is_half=True)]
WARM_UP = [Case(101, "none", is_half=False), Case(101, "zstd", is_half=True)]
"""Compacted first, so that what is measured runs in a JVM that has compiled it."""
NEVER, NOW = "1.0", "0.001"
CONFIG = {"log.cleaner.backoff.ms": "50", "log.segment.delete.delay.ms": "1000", "file.delete.delay.ms": "1000"}
POLL_S = 0.01
TIMEOUT_S = 300
KAFKA, PLAIN, FAST = "kafka", "standard library", "numpy"
RATE, CPU_RATE, PEAK = "mb_s", "mb_cpu_s", "peak_mb"
METRICS = {RATE: "MB/s", CPU_RATE: "MB/CPU s", PEAK: "peak RSS, MB", **TURNS}


class Measured:
    """A running broker, its log, how to read there that a pass is over, and the meter of its loop, if it has one."""

    def __init__(self, pid: int, servers: str, log: Path, line: str, meter: Path | None = None) -> None:
        self._pid = pid
        self._log = log
        self._line = line
        self._meter = meter
        self._admin = AdminClient({"bootstrap.servers": servers})

    def compact(self, topic: str, size_mb: float) -> dict[str, float]:
        """Make the topic due, and wait for the end of the pass; its metrics. Raises TimeoutError."""
        done = re.compile(self._line.format(topic=topic))
        begin = self._log.stat().st_size
        for pid in (self._pid, *self._children()):
            reset_peak(pid)
        if self._meter is not None:
            metered.begin(self._meter)
        cpu_s, child_mb, deadline_s = self._cpu_s(), 0.0, time.monotonic() + TIMEOUT_S
        entry = ConfigEntry("min.cleanable.dirty.ratio", NOW, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
        for future in self._admin.incremental_alter_configs([resource]).values():
            future.result(30)
        while True:
            child_mb = max(child_mb, self._children_mb())
            with self._log.open("rb") as log:
                log.seek(begin)
                found = done.search(log.read().decode(errors="replace"))
            if found:
                break
            if time.monotonic() > deadline_s:
                raise TimeoutError(f"{topic} was not compacted within {TIMEOUT_S} s: see {self._log}")
            time.sleep(POLL_S)
        used_s = self._cpu_s() - cpu_s
        rate = float(found["rate"].replace(",", ""))
        metrics = {
            RATE: rate, CPU_RATE: size_mb / max(used_s, 0.01), PEAK: memory_mb(self._pid)[1] + child_mb,
        }  # fmt: skip
        return metrics if self._meter is None else metrics | metered.read(self._meter)

    def _cpu_s(self) -> float:
        """Of the process and its children: those that run, like a child that waits for the next log, and ended ones."""
        total = 0
        for pid, fields in ((self._pid, slice(11, 15)), *((child, slice(11, 13)) for child in self._children())):
            total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[fields]))
        return total / os.sysconf("SC_CLK_TCK")

    def _children_mb(self) -> float:
        return sum(memory_mb(child)[1] for child in self._children())

    def _children(self) -> list[int]:
        """Those that run. One that has ended and is not waited for yet has no memory."""
        found = []
        for children in Path(f"/proc/{self._pid}/task").glob("*/children"):
            found += [int(child) for child in children.read_text().split()]
        return [child for child in found if "VmHWM" in Path(f"/proc/{child}/status").read_text()]


class Brokers:
    """The prepared directory, and the brokers on copies of it."""

    def __init__(self, cases: list[Case], size_bytes: int, rounds: int) -> None:
        self._kafka = ApacheKafka(config={**CONFIG, "log.cleaner.threads": "1"}, jvm_options=DEFAULT_JVM_OPTIONS)
        self._root = scratch_directory("benchmark-compaction-")
        self.sizes_mb: dict[Case, float] = {}
        self._ours: list[Process] = []
        data = self._kafka.data_dirs[0]
        self._started(lambda admin: _create(admin, [case.topic(number) for case in cases for number in range(rounds)]))
        dirty = {}
        for case in cases:
            folder = data / f"{case.topic(0)}-0"
            dirty[case] = write_log(folder, case, size_bytes)
            for number in range(1, rounds):
                _copy_log(folder, data / f"{case.topic(number)}-0")
            self.sizes_mb[case] = sum(path.stat().st_size for path in folder.glob("*.log")) / (1 << 20)
            print(f"wrote {case.text}: {self.sizes_mb[case]:.0f} MB", file=sys.stderr, flush=True)
        self._started(lambda _admin: None)  # Kafka makes the indexes
        half = [
            f"{case.topic(number)} 0 {offset}\n" for case, offset in dirty.items() if offset for number in range(rounds)
        ]
        (data / "cleaner-offset-checkpoint").write_text(f"0\n{len(half)}\n{''.join(half)}")

    def _started(self, work: Callable[[AdminClient], None]) -> None:
        self._kafka.start()
        work(AdminClient({"bootstrap.servers": self._kafka.bootstrap_servers}))
        self._kafka.stop()

    def ours(self, name: str) -> Measured:
        """This broker, with or without NumPy: a module of that name that cannot be imported hides it."""
        root = self._root / name.replace(" ", "-")
        shutil.copytree(self._kafka.data_dirs[0], root / "data")
        if name == PLAIN:
            (root / "hidden").mkdir()
            (root / "hidden" / "numpy.py").write_text("raise ImportError('hidden')\n")
        port, log, meter = free_port(), root / "log", root / "meter"
        command = [
            "env", f"PYTHONPATH={root / 'hidden'}", sys.executable, "-m", *metered.command(meter),
            "serve", "--no-control",
            "--host", "127.0.0.1", "--port", str(port), "--data-dir", str(root / "data"), "--config", "node.id=1",
        ]  # fmt: skip
        for key, value in {**OLD_RECORDS_STAY, **CONFIG}.items():
            command += ["--config", f"{key}={value}"]
        process = Process(command, log)
        self._ours.append(process)
        process.wait_until(lambda: "ready on" in log.read_text(), 60, name)
        return Measured(
            process.pid, f"127.0.0.1:{port}", log, r"compacted {topic}-0 .*\((?P<rate>[\d.]+) MB/s\)", meter
        )  # fmt: skip

    def kafka(self) -> Measured:
        """Apache Kafka on the directory itself."""
        self._kafka.start()
        log = self._kafka.data_dirs[0].parent / "server-1.log"
        line = r"cleaned log {topic}-0 [^\n]*\n[^\n]*processed in [\d.,]+ seconds \((?P<rate>[\d.,]+) MB/sec\)"
        return Measured(self._kafka.pids[1], self._kafka.bootstrap_servers, log, line)

    def close(self) -> None:
        self._kafka.close()
        for process in self._ours:
            process.kill()
        remove_directory(self._root)


def _copy_log(source: Path, target: Path) -> None:
    """The segments of a log that `write_log` has made."""
    for path in target.iterdir():
        if path.suffix in SEGMENT_SUFFIXES:
            path.unlink()
    for path in source.iterdir():
        if path.suffix == ".log" or path.name == "leader-epoch-checkpoint":
            shutil.copy(path, target / path.name)


def _create(admin: AdminClient, topics: list[str]) -> None:
    configs = {
        "cleanup.policy": "compact", "min.cleanable.dirty.ratio": NEVER, "segment.ms": "9000000000000",
        "compression.type": "producer",
    }  # fmt: skip
    for future in admin.create_topics([NewTopic(topic, 1, 1, config=configs) for topic in topics]).values():
        future.result(60)


def bars(cases: list[Case]) -> Iterator[Bar]:
    """What each case has to reach."""
    for case in cases:
        yield Bar(case.text, RATE, at_least=True, factor=0.25, peer=KAFKA, columns=(PLAIN,))
        yield Bar(case.text, RATE, at_least=True, factor=0.5, peer=KAFKA, columns=(FAST,))
        yield Bar(case.text, PEAK, at_least=False, factor=0.2, peer=KAFKA, columns=(PLAIN, FAST))
        yield longest_turn_bar(case.text, (PLAIN, FAST))


def table(medians: Medians, columns: list[str]) -> Iterator[str]:
    """Markdown: for each metric a column of each program that has it, and its ratio to Kafka's."""
    cells_of = [(metric, name) for metric in METRICS for name in columns if name != KAFKA or metric not in TURNS]
    heads = [f"{name} {METRICS[metric]}" for metric, name in cells_of]
    yield f"| log | {' | '.join(heads)} |"
    yield f"|---|{'--:|' * len(heads)}"
    for row, values in medians.items():
        cells = []
        for metric, name in cells_of:
            value, base = values[name][metric], values[KAFKA].get(metric)
            ratio = f" ({value / base:.2f} ×)" if base and name != KAFKA else ""
            cells.append(f"{value:.1f}" if base is None else f"{value:.0f}{ratio}")
        yield f"| {row} | {' | '.join(cells)} |"


def measure(cases: list[Case], size_bytes: int, columns: list[str], rounds: int) -> Samples:
    """Each case once at each broker in each round, in turn."""
    brokers = Brokers([*WARM_UP, *cases], size_bytes, rounds)
    found: Samples = {}
    try:
        running = {name: brokers.ours(name) for name in columns if name != KAFKA}
        running = {KAFKA: brokers.kafka(), **running}
        for number in range(rounds):
            for case in cases if number else [*WARM_UP, *cases]:
                once: Samples = {}
                for name, broker in running.items():
                    took = broker.compact(case.topic(number), brokers.sizes_mb[case])
                    add(once, name, {case.text: took})
                    if case not in WARM_UP:
                        add(found, name, {case.text: took})
                print("\n".join(list(table(medians_of(once), columns))[2:]), file=sys.stderr, flush=True)
    finally:
        brokers.close()
    return found


def main() -> int:
    """Prints a table and the bars, and stores both; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compaction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=int, default=64, help="of each log (default: %(default)s)")
    parser.add_argument(
        "--cases", default="", help="a regular expression: those whose topics match, as in 'c-100-none'"
    )
    parser.add_argument("--rounds", type=int, default=1, help="passes over each log (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help=f"{len(SHORT_CASES)} logs: a smoke test")
    parser.add_argument("--out", type=Path, help=f"where the result is stored (default: {RESULTS}, not with --short)")
    options = parser.parse_args()
    keep_bytecode()
    cases = [case for case in (SHORT_CASES if options.short else CASES) if re.search(options.cases, case.stem)]
    columns = [KAFKA, PLAIN] + [FAST] * (importlib.util.find_spec("numpy") is not None)
    about: dict[str, Any] = facts()
    samples = measure(cases, options.megabytes << 20, columns, options.rounds)
    medians = medians_of(samples)
    about["load_after"] = os.getloadavg()[0]
    verdicts = [verdict for bar in bars(cases) for verdict in judge(bar, medians)]
    missed = [verdict for verdict in verdicts if not verdict.held]
    text = [
        "# Compaction", "", ", ".join(f"{name}: {value}" for name, value in about.items()), "",
        f"Logs of {options.megabytes} MB, rounds: {options.rounds}. {__doc__.partition(chr(10) * 2)[2].strip()}", "",
        *table(medians, columns), "",
        f"{len(verdicts) - len(missed)} of {len(verdicts)} bars held.", "",
        *(f"- missed: {each.bar.text}, {each.column}: {each.ratio:.2f} ×" for each in missed),
    ]  # fmt: skip
    print("\n".join(text))
    out = options.out or (None if options.short else RESULTS)
    if out is not None:
        store("compaction", out, text, about, samples)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
