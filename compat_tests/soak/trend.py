"""Lines through samples, and which of them are too steep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from compat_tests.soak.samples import Sample

HOURS = 4.0
"""Slopes are told for so long."""
RSS_MB_MAX = 50.0
"""Of growth in HOURS."""
OPEN_MAX = {"fds": 10.0, "threads": 2.0}
"""Of growth over a whole run, however long, on all nodes together: connections move with the leaders, and clients come
and go, so that a line through them is never quite flat."""

Points = Sequence[tuple[int, float, float]]
"""Life, seconds, value."""


class Trend(NamedTuple):
    """How one node has changed, as growth in HOURS; `cpu_ms` is of CPU for each write that the cluster acknowledged."""

    node: int
    lives: int
    observed_s: float
    rss_mb: float
    fds: float
    threads: float
    disk_mb: float
    cpu_ms: float
    mean_rss_mb: float
    mean_cpu_ms: float

    @property
    def complaints(self) -> list[str]:
        """What grows faster than it may."""
        grows = self.rss_mb > RSS_MB_MAX
        return [f"node {self.node}: memory grows by {self.rss_mb:.0f} MB in {HOURS:g} h"] if grows else []


def slope(points: Points) -> float:
    """Growth in a second: one line of least squares for all lives, which may begin at different heights."""
    lives = defaultdict(list)
    for life, at_s, value in points:
        lives[life].append((at_s, value))
    above = below = 0.0
    for pairs in lives.values():
        mean_s = sum(at_s for at_s, _ in pairs) / len(pairs)
        mean = sum(value for _, value in pairs) / len(pairs)
        above += sum((at_s - mean_s) * (value - mean) for at_s, value in pairs)
        below += sum((at_s - mean_s) ** 2 for at_s, _ in pairs)
    return above / below if below else 0.0


def settled(samples: Sequence[Sample], warm_s: float) -> list[Sample]:
    """Without the beginning of each life, in which caches fill and code is loaded."""
    began: dict[tuple[int, int], float] = {}
    for sample in samples:
        began.setdefault((sample.node, sample.life), sample.at_s)
    return [sample for sample in samples if sample.at_s - began[sample.node, sample.life] >= warm_s]


def left_open(samples: Sequence[Sample], warm_s: float) -> dict[str, float]:
    """How many descriptors and threads there are more at the end, on all nodes together, by the line through them."""
    nodes = {sample.node for sample in samples}
    looks: dict[float, list[Sample]] = defaultdict(list)
    for sample in settled(samples, warm_s):
        looks[sample.at_s].append(sample)
    whole = {at_s: found for at_s, found in looks.items() if len(found) == len(nodes)}
    return {
        name: slope([(0, at_s, sum(getattr(each, name) for each in found)) for at_s, found in whole.items()])
        * (max(whole, default=0.0) - min(whole, default=0.0))
        for name in OPEN_MAX
    }


def complaints(samples: Sequence[Sample], warm_s: float) -> list[str]:
    """All that grows faster than it may."""
    found = [line for trend in trends(samples, warm_s) for line in trend.complaints]
    more = left_open(samples, warm_s)
    return found + [f"{more[name]:.1f} {name} more at the end" for name in OPEN_MAX if more[name] > OPEN_MAX[name]]


def cpu_points(samples: Sequence[Sample]) -> list[tuple[int, float, float]]:
    """Milliseconds of CPU of one node for each write, between one sample and the next of the same life."""
    return [
        (new.life, new.at_s, (new.cpu_s - old.cpu_s) * 1000 / (new.writes - old.writes))
        for old, new in pairwise(samples)
        if new.life == old.life and new.writes > old.writes
    ]


def trends(samples: Sequence[Sample], warm_s: float) -> list[Trend]:
    """One for each node that was seen long enough."""
    found = []
    for node in sorted({sample.node for sample in samples}):
        own = settled([sample for sample in samples if sample.node == node], warm_s)
        if len(own) < 2:
            continue
        cpu = cpu_points(own)
        ends = {sample.life: sample.at_s for sample in own}
        starts = {sample.life: sample.at_s for sample in reversed(own)}

        def growth(points: Points) -> float:
            return slope(points) * HOURS * 3600

        found.append(
            Trend(
                node, len(ends), sum(ends[life] - starts[life] for life in ends),
                growth([(each.life, each.at_s, each.rss_mb) for each in own]),
                growth([(each.life, each.at_s, each.fds) for each in own]),
                growth([(each.life, each.at_s, each.threads) for each in own]),
                growth([(each.life, each.at_s, each.disk_mb) for each in own]),
                growth(cpu),
                sum(each.rss_mb for each in own) / len(own),
                sum(value for _, _, value in cpu) / max(1, len(cpu)),
            )
        )  # fmt: skip
    return found
