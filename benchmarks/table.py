"""What was measured, as JSON to compare by machine and as Markdown to read."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks.bars import BARS, Medians, Verdict, judge
from benchmarks.metered import TURN_CPU_MS, TURN_WALL_MS

Samples = dict[str, dict[str, dict[str, list[float]]]]
"""row → column → metric → one value for each round"""
WORST_OF_ROUNDS = frozenset((TURN_CPU_MS, TURN_WALL_MS))
"""A turn must not be long in any round; of all other metrics the median counts."""

UNITS = {
    "mb_s": "MB/s",
    "cpu_s_gb": "broker CPU s/GB",
    "user_s_gb": "of it user",
    "req_s": "requests/s",
    "commits_s": "transactions/s",
    "cpu_us": "broker CPU µs/request",
    "user_us": "of it user",
    "cpu_us_txn": "broker CPU µs/transaction",
    "cpu_us_record": "broker CPU µs/record",
    "mb_s_ratio": "MB/s, ratio",
    "cpu_ratio": "broker CPU s/GB, ratio",
    "first_p50_us": "first record p50 µs",
    "p50_us": "p50 µs",
    "p99_us": "p99 µs",
    "p999_us": "p99.9 µs",
    "broker_cores": "broker cores",
    "client_cores": "client cores",
    "rss_mb": "RSS MB",
    "peak_mb": "peak MB",
    "idle_mb": "idle MB",
    "ready_ms": "first answer ms",
    "idle_cores": "idle cores",
    "stopped_ms": "stopped ms",
    "created_ms": "in sync after ms",
    "import_ms": "import ms",
    "first_ms": "first ms",
    "ack_ms": "ack ms",
}
CLIENT_LIMITS_CORES = 1.0
"""From here on the load generator keeps at least as much of two cores busy as a broker on one loop can."""


def add(samples: Samples, column: str, rows: dict[str, dict[str, float]]) -> None:
    """Add what one run has measured: its metrics by row."""
    for row, metrics in rows.items():
        found = samples.setdefault(row, {}).setdefault(column, {})
        for metric, value in metrics.items():
            found.setdefault(metric, []).append(value)


def medians(samples: Samples) -> Medians:
    """One value for each metric: that of the middle round, or see WORST_OF_ROUNDS."""
    return {
        row: {
            column: {
                metric: (max if metric in WORST_OF_ROUNDS else statistics.median)(values)
                for metric, values in metrics.items()
            }
            for column, metrics in columns.items()
        }
        for row, columns in samples.items()
    }


def markdown(facts: dict[str, Any], samples: Samples, failures: list[str]) -> str:
    """The whole report."""
    lines = [f"# Benchmarks of kafkacompat {facts['version']}", ""]
    lines += [f"- {key.replace('_', ' ')}: {value}" for key, value in facts.items()]
    lines += [
        "",
        "Each number is the median of the rounds, with the lowest and the highest. Every run under load was read",
    ]
    lines += [
        "back whole, with the right count and checksum; a run that was not is listed below and has no number.",
        "",
    ]
    if failures:
        lines += ["## Runs that do not count", "", *(f"- {failure}" for failure in failures), ""]
    lines += _bars(samples)
    for row, columns in samples.items():
        lines += _row(row, columns)
    return "\n".join(lines) + "\n"


def _bars(samples: Samples) -> list[str]:
    verdicts = [verdict for bar in BARS for verdict in judge(bar, medians(samples))]
    if not verdicts:
        return []
    held = sum(verdict.held for verdict in verdicts)
    lines = [
        f"## Bars: {held} of {len(verdicts)} held",
        "",
        "| bar | of | value | limit | ratio | |",
        "|---|---|--:|--:|--:|---|",
    ]
    return [*lines, *map(_verdict, verdicts), ""]


def _verdict(verdict: Verdict) -> str:
    return (
        f"| {verdict.bar.text} | {verdict.column} | {_number(verdict.value)} | {_number(verdict.limit)} "
        f"| {verdict.ratio:.2f} | {'held' if verdict.held else '**missed**'} |"
    )


def _row(row: str, columns: dict[str, dict[str, list[float]]]) -> list[str]:
    metrics = list(dict.fromkeys(metric for found in columns.values() for metric in found))
    lines = [f"## {row}", "", "| | " + " | ".join(UNITS[metric] for metric in metrics) + " |"]
    lines.append("|---|" + "--:|" * len(metrics))
    for column, found in columns.items():
        cells = [_spread(found[metric]) if metric in found else "" for metric in metrics]
        lines.append(f"| {column} | " + " | ".join(cells) + " |")
    limited = [
        column for column, found in columns.items()
        if statistics.median(found.get("client_cores", [0.0])) >= CLIENT_LIMITS_CORES
    ]  # fmt: skip
    if limited:
        lines += ["", f"The client was the limit (≥ {CLIENT_LIMITS_CORES:g} core): {', '.join(limited)}."]
    return [*lines, ""]


def _spread(values: list[float]) -> str:
    middle = _number(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({_number(min(values))}–{_number(max(values))})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def store(folder: Path, name: str, facts: dict[str, Any], samples: Samples, failures: list[str]) -> Path:
    """Write both forms; the path of the Markdown one."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {"facts": facts, "medians": medians(samples), "samples": samples, "failures": failures}
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    path = folder / f"{name}.md"
    path.write_text(markdown(facts, samples, failures))
    return path
