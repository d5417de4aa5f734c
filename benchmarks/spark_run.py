"""What a run of a benchmark of Spark's jobs found: shown as it comes, and stored as JSON where it is asked for."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measure import facts
from benchmarks.spark_bars import Bar, told


class SparkRun:
    """One run. given: the arguments that it was started with."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._facts: dict[str, Any] = facts() | {"spark": version("pyspark")}
        self._rates: dict[str, dict[str, dict[str, float]]] = {}
        self._figures: dict[str, dict[str, float]] = {}
        self._bars: dict[str, dict[str, Any]] = {}

    def show_rates(self, title: str, rates: Iterator[tuple[str, float, float]]) -> None:
        """A table of records and MB for each CPU second, by name."""
        print(f"\n| {title} | records a CPU second | MB a CPU second |\n|---|---|---|")
        of_table = self._rates.setdefault(title, {})
        for name, records, megabytes in rates:
            of_table[name] = {"records": records, "mb": megabytes}
            print(f"| {name} | {records:,.0f} | {megabytes:,.0f} |", flush=True)

    def keep(self, name: str, **figures: float) -> None:
        """Figures that are shown elsewhere."""
        self._figures[name] = figures

    def judge(self, bar: Bar, ratio: float) -> None:
        """Say whether the bar holds. One that is missed is no failure of the run."""
        print(told(bar, ratio))
        self._bars[bar.name] = {"ratio": ratio, "at_least": bar.at_least, "holds": ratio >= bar.at_least}

    def write(self) -> None:
        """Store it, if `--out` was given."""
        if self._given.out is None:
            return
        plain = {
            "facts": self._facts | {"load_after": os.getloadavg()[0]},
            "given": {name: value for name, value in vars(self._given).items() if name != "out"},
            "rates a CPU second": self._rates, "figures": self._figures, "bars": self._bars,
        }  # fmt: skip
        self._given.out.write_text(json.dumps(plain, indent=1) + "\n")


def add_out(parser: argparse.ArgumentParser) -> None:
    """The option with which a run is stored."""
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all figures as JSON")
