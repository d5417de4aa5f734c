"""Samples as a picture: one strip for each quantity, one line for each life of a node, no library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from compat_tests.soak.samples import Sample
from compat_tests.soak.trend import cpu_points

WIDTH, HEIGHT, LEFT, GAP = 900, 150, 70, 40
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8a5a9e", "#b8860b")
STRIPS = ("rss_mb", "fds", "threads", "disk_mb", "CPU ms per write")

Lines = dict[tuple[int, int], list[tuple[float, float]]]
"""Points by node and life."""


def lines_of(samples: Sequence[Sample], quantity: str) -> Lines:
    found: Lines = defaultdict(list)
    if quantity in Sample._fields:
        for sample in samples:
            found[sample.node, sample.life].append((sample.at_s, float(getattr(sample, quantity))))
        return found
    for node in {sample.node for sample in samples}:
        for life, at_s, value in cpu_points([sample for sample in samples if sample.node == node]):
            found[node, life].append((at_s, value))
    return found


def svg(samples: Sequence[Sample]) -> str:
    """The picture."""
    height = len(STRIPS) * (HEIGHT + GAP)
    end_s = max((sample.at_s for sample in samples), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height + 30}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, quantity in enumerate(STRIPS):
        parts += _strip(lines_of(samples, quantity), quantity, place * (HEIGHT + GAP) + GAP, end_s)
    parts.append(f'<text x="{LEFT}" y="{height + 20}">{end_s / 60:.0f} minutes; nodes ')
    nodes = sorted({sample.node for sample in samples})
    parts += [f'<tspan fill="{_colour(node)}">{node} </tspan>' for node in nodes]
    return "\n".join((*parts, "</text>", "</svg>\n"))


def _strip(lines: Lines, quantity: str, top: int, end_s: float) -> list[str]:
    most = max((value for points in lines.values() for _, value in points), default=1.0) or 1.0
    bottom = top + HEIGHT
    parts = [
        f'<text x="{LEFT}" y="{top - 6}">{quantity}</text>',
        f'<path d="M{LEFT} {top}V{bottom}H{LEFT + WIDTH}" fill="none" stroke="#999"/>',
        f'<text x="{LEFT - 6}" y="{top + 8}" text-anchor="end">{most:.4g}</text>',
        f'<text x="{LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
    ]
    for (node, _), points in sorted(lines.items()):
        places = " ".join(
            f"{LEFT + at_s / end_s * WIDTH:.1f},{bottom - value / most * HEIGHT:.1f}" for at_s, value in points
        )
        parts.append(f'<polyline points="{places}" fill="none" stroke="{_colour(node)}"/>')
    return parts


def _colour(node: int) -> str:
    return COLOURS[node % len(COLOURS)]
