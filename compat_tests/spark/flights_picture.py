"""The picture of docs/spark-flights.md, out of the page of its audit: `python -m compat_tests.spark.flights_picture`.

The command runs docs/spark-flights.md and writes docs/spark-flights.svg. The same data is the same picture.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from pyspark.sql import SparkSession

from compat_tests.broker_process import remove_directory, scratch_directory
from compat_tests.spark.kills import session
from kafkacompat.spark.audit.page_elements import element
from kafkacompat.spark.audit.page_style import STYLE

DOCS = Path(__file__).parents[2] / "docs"
TEXT, PICTURE = DOCS / "spark-flights.md", DOCS / "spark-flights.svg"
WIDTH, MARGIN, LABEL, VALUE, ROW, CHART = 900, 24, 120, 170, 26, 170
FONT = "font: 14px system-ui, 'Segoe UI', Roboto, sans-serif"


def run(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """The page's code runs, block after block, in `folder`. Returns its variables."""
    names: dict[str, Any] = {"spark": spark}
    try:
        with contextlib.chdir(folder):
            for block in re.findall(
                r"^```python\n(.*?)^```$", TEXT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
            ):
                exec(compile(block, str(TEXT), "exec"), names)
    finally:
        if "production" in names:
            names["production"].stop()
    return names


def picture(page: str) -> str:
    """The verdict of an audit's page, where the damage lies, and the throughput, as one SVG file."""
    sections = {
        made.findtext("h2") or "": made
        for made in map(Xml.fromstring, re.findall(r"<section.*?</section>", page, re.DOTALL))
    }
    verdict = sections[""].findtext("b") or ""
    y = MARGIN + 20
    drawn = [element("text", verdict, x=MARGIN, y=y, style="font-size:22px; font-weight:600; fill:var(--bad)")]
    for shape, height in (*_strips(sections["Where the damage lies"]), *_charts(sections["Throughput over time"])):
        drawn.append(element("g", *shape, transform=f"translate({MARGIN} {y + 12})"))
        y += height
    height = y + MARGIN
    back = element("rect", width=WIDTH, height=height, rx=12, style="fill:var(--card)")
    root = element(
        "svg", element("title", verdict), element("style", STYLE), back, *drawn, xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}", width=WIDTH, height=height, style=f"{FONT}; fill:var(--ink)",
    )  # fmt: skip
    Xml.indent(root, " ")
    return Xml.tostring(root, encoding="unicode") + "\n"


def _strips(section: Xml.Element) -> Iterator[tuple[list[Xml.Element], int]]:
    """The legend, and a row for each partition, with their heights."""
    legend = []
    for number, entry in enumerate(section.findall(".//p[@class='legend']/span")):
        x = number * 150
        color = entry.findall("i")[0].get("style", "").replace("background", "fill")
        legend += [
            element("rect", x=x, y=10, width=11, height=11, rx=3, style=color),
            element("text", "".join(entry.itertext()), x=x + 17, y=20),
        ]
    yield legend, 34
    wide = WIDTH - 2 * MARGIN - LABEL - VALUE
    for row in section.findall(".//div[@class='bar']"):
        (drawn,) = row.findall("svg")
        label, value = ("".join(each.itertext()) for each in row.findall("span"))
        yield [
            element("text", label, y=15), element("text", value, x=LABEL + wide + VALUE, y=15, text_anchor="end"),
            element("rect", x=LABEL, width=wide, height=18, rx=4, style="fill:var(--track)"),
            element("svg", *drawn, x=LABEL, width=wide, height=18, viewBox=drawn.get("viewBox"),
                    preserveAspectRatio="none"),
        ], ROW  # fmt: skip


def _charts(section: Xml.Element) -> Iterator[tuple[list[Xml.Element], int]]:
    """The curves over time, each with its title."""
    wide = WIDTH - 2 * MARGIN
    for title, drawn in zip(section.findall("h3"), section.findall("div/svg"), strict=True):
        inner = element("svg", *drawn, y=28, width=wide, height=CHART, viewBox=drawn.get("viewBox"))
        yield [element("text", title.text or "", y=22), element("g", inner, class_="chart")], CHART + 34


def main() -> int:
    """Run from the command line."""
    folder = scratch_directory("flights-picture-")
    try:
        with session(folder) as spark:
            names = run(spark, folder)
    finally:
        remove_directory(folder)
    PICTURE.write_text(picture(names["page"]), encoding="utf-8")
    sys.stdout.write(f"wrote {PICTURE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
