"""Pictures of a page: bars, strips of offsets, and curves over time. They are elements, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree.ElementTree import Element

from kafkacompat.spark.audit.page_elements import element, time_text

COLORS = 8
"""Colors of a series; the style has each as `--c0` and so on."""
STRIP_SLOTS = 400
"""Places of a strip that are told apart."""
MAX_POINTS = 240
MIN_BIN_MS = 60_000
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 1000, 200, 76, 24, 12
FLOOR = HEIGHT - BOTTOM
OUTLIERS = 0.001
"""The share of records that may lie outside of the picture at each end, where they would make it much wider."""
MUCH_WIDER = 20


class Bar(NamedTuple):
    """A row of bars: `parts` are shares of the longest row, each with a color's number."""

    label: str
    parts: tuple[tuple[float, int], ...]
    text: str
    hint: str = ""


class Mark(NamedTuple):
    """A stretch of offsets in a strip, both inclusive."""

    first: int
    last: int
    color: int


def bars(rows: Iterable[Bar]) -> Element:
    """Rows of a label, a bar and what it says."""
    return element("div", *(_bar(row) for row in rows), class_="bars")


def _bar(row: Bar) -> Element:
    fills = [
        element("i", style=f"width:{100 * min(max(share, 0), 1):.2f}%;background:var(--c{color % COLORS})")
        for share, color in row.parts
    ]
    return element(
        "div", element("span", row.label, class_="label"), element("span", *fills, class_="track"),
        element("span", row.text, class_="value"), class_="bar", title=row.hint or f"{row.label}: {row.text}",
    )  # fmt: skip


def legend(names: Iterable[tuple[str, int]]) -> Element:
    """Names with their colors."""
    entries = (
        element("span", element("i", style=f"background:var(--c{color % COLORS})"), name) for name, color in names
    )
    return element("p", *entries, class_="legend")


def strip(first: int, end: int, marks: Iterable[Mark]) -> Element:
    """The offsets of a partition from left to right, with marks; however many there are, few elements."""
    span = max(end - first, 1)
    slots: dict[int, tuple[int, int]] = {}
    for mark in marks:
        begin = _slot(mark.first - first, span)
        stop = max(_slot(mark.last - first, span), begin)
        before = slots.get(begin)
        slots[begin] = (max(stop, before[0]) if before else stop, before[1] if before else mark.color)
    shapes = [
        element(
            "rect", x=1000 * begin / STRIP_SLOTS, y=0, width=max(1000 * (stop - begin + 1) / STRIP_SLOTS, 5), height=16,
            style=f"fill:var(--c{color % COLORS})",
        )
        for begin, (stop, color) in sorted(slots.items())
    ]  # fmt: skip
    return element("svg", *shapes, viewBox="0 0 1000 16", preserveAspectRatio="none", class_="strip")


def _slot(distance: int, span: int) -> int:
    return min(max(distance * STRIP_SLOTS // span, 0), STRIP_SLOTS - 1)


class Curve(NamedTuple):
    """Sums by bins of time. `outside`: of the second number of each point, what lies outside of the picture."""

    start_ms: int
    bin_ms: int
    sums: tuple[list[int], list[int]]
    outside: int

    def rates(self, which: int) -> list[float]:
        """One of the sums, by second."""
        return [each * 1000 / self.bin_ms for each in self.sums[which]]


def binned(times: Mapping[int, Sequence[int]]) -> Curve | None:
    """Bytes and records by time, as at most MAX_POINTS bins. None where no record has a time."""
    known = sorted((at, size, records) for at, (size, records) in times.items() if at >= 0)
    if not known:
        return None
    first, last = _picture([(at, records) for at, _, records in known])
    bin_ms = MIN_BIN_MS * max(1, -(-(last - first + 1) // (MAX_POINTS * MIN_BIN_MS)))
    start = first // bin_ms * bin_ms
    sums: tuple[list[int], list[int]] = ([0] * ((last - start) // bin_ms + 1), [0] * ((last - start) // bin_ms + 1))
    outside = 0
    for at, size, records in known:
        if first <= at <= last:
            sums[0][(at - start) // bin_ms] += size
            sums[1][(at - start) // bin_ms] += records
        else:
            outside += records
    return Curve(start, bin_ms, sums, outside)


def _picture(known: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """From when to when: all of it, unless few records at the ends would take most of the room."""
    few = OUTLIERS * sum(records for _, records in known)
    ends = []
    for order in (known, known[::-1]):
        seen = 0.0
        for at, records in order:
            seen += records
            if seen > few:
                ends.append(at)
                break
    first, last = (ends[0], ends[1]) if len(ends) == 2 else (known[0][0], known[-1][0])
    is_squeezed = known[-1][0] - known[0][0] > MUCH_WIDER * max(last - first, MIN_BIN_MS)
    return (first, last) if is_squeezed else (known[0][0], known[-1][0])


def area(curve: Curve, which: int, title: str, texts: tuple[str, str]) -> Element:
    """A curve over time with the area below it. `texts`: what stands at half of its height, and at the top."""
    rates = curve.rates(which)
    line = _steps(0, rates, len(rates), max(rates))
    fill = element("polygon", points=f"{LEFT},{FLOOR} {line} {WIDTH},{FLOOR}", class_=f"area a{which}")
    drawn = element("polyline", points=line, class_=f"line l{which}")
    return _chart([fill, drawn], (curve.start_ms, curve.start_ms + curve.bin_ms * len(rates)), title, texts)


def lines(
    start_ms: int, bin_ms: int, series: Sequence[tuple[int, Sequence[int]]], title: str, texts: tuple[str, str]
) -> Element:
    """Curves over time, each a color's number and as many values as all others. Below 0 there is no value."""
    top = max(max(values) for _, values in series)
    drawn = [
        element("polyline", points=_steps(first, values[first:end], len(values), top), class_="line",
                style=f"stroke:var(--c{color % COLORS})")
        for color, values in series
        for first, end in _known(values)
    ]  # fmt: skip
    return _chart(drawn, (start_ms, start_ms + bin_ms * len(series[0][1])), title, texts)


def _known(values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where the stretches of values that are not below 0 begin and end."""
    for is_known, stretch in groupby(range(len(values)), lambda number: values[number] >= 0):
        numbers = list(stretch)
        if is_known:
            yield numbers[0], numbers.pop() + 1


def _steps(first: int, values: Sequence[float], count: int, top: float) -> str:
    """The points of a line that begins at the number `first` of `count`."""
    step = (WIDTH - LEFT) / count
    points = []
    for number, value in enumerate(values, first):
        y = FLOOR - value / (top or 1.0) * (FLOOR - TOP)
        points += [f"{LEFT + number * step:.1f},{y:.1f}", f"{LEFT + (number + 1) * step:.1f},{y:.1f}"]
    return " ".join(points)


def _chart(drawn: Sequence[Element], times_ms: tuple[int, int], title: str, texts: tuple[str, str]) -> Element:
    """What is drawn, in a grid with times below and texts at its side."""
    levels = (TOP, (TOP + FLOOR) / 2, FLOOR)
    grid = [element("line", x1=LEFT, x2=WIDTH, y1=y, y2=y, class_="grid") for y in levels]
    labels = [
        element("text", text, x=LEFT - 8, y=y + 4, text_anchor="end")
        for text, y in zip((texts[1], texts[0], "0"), levels, strict=True)
    ]
    start_ms, end_ms = times_ms
    places = (start_ms, LEFT, "start"), ((start_ms + end_ms) / 2, (LEFT + WIDTH) / 2, "middle"), (end_ms, WIDTH, "end")
    when = [element("text", time_text(at), x=x, y=HEIGHT - 4, text_anchor=anchor) for at, x, anchor in places]
    return element(
        "svg", element("title", title), *grid, *drawn, *labels, *when, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img",
        class_="chart",
    )  # fmt: skip
