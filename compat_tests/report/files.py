"""The files of a report: results.csv for machines, results.json with everything, report.html for people."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from compat_tests.report import page
from compat_tests.report.results import Results

CSV, JSON, JUNIT, PAGE = "results.csv", "results.json", "junit.xml", "report.html"
COLUMNS = ("suite", "test", "broker", "result", "seconds", "pairs", "why")


def write(folder: Path, results: Results) -> None:
    """Write all but junit.xml, which pytest writes itself. Replaces what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / CSV).open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(COLUMNS)
        for test in results["tests"]:
            table.writerow([str(test[column]).partition("\n")[0] for column in COLUMNS])
    (folder / JSON).write_text(json.dumps(results, indent=1, default=str), encoding="utf-8")
    (folder / PAGE).write_text(page.html(results), encoding="utf-8")
