"""What a run showed, counted from its ledger: as JSON for machines and as text for people."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from compat_tests.chaos import history
from compat_tests.chaos.history import FAIL, INFO, OK, Finding

GAP_S = 0.5
"""A partition that acknowledges nothing for longer than this counts as unavailable, while producers write steadily."""
BEFORE_S = 0.1
"""The last acknowledgement may be this much older than the fault."""
SHOWN = 5


def summarize(entries: Sequence[Mapping[str, Any]], findings: Sequence[Finding]) -> dict[str, Any]:
    """All numbers of a run."""
    ends = Counter(entry["end"] for entry in entries if entry["op"] == "send")
    cycles = [entry for entry in entries if entry["op"] == "fault"]
    anomalies = Counter(finding.anomaly for finding in findings)
    read = {(key, value) for entry in entries if entry["op"] == "poll"
            for key, pairs in entry["reads"].items() for _, value in pairs}  # fmt: skip
    latencies = sorted(entry["ms"] for entry in entries if entry["op"] == "send" and entry["end"] == OK)
    return {
        "cycles": len(cycles),
        "faults": dict(sorted(Counter(entry["fault"] for entry in cycles).items())),
        "acknowledged": ends[OK],
        "failed": ends[FAIL],
        "unknown": ends[INFO],
        "unknown_and_there": sum(
            1 for entry in entries
            if entry["op"] == "send" and entry["end"] == INFO and (entry["key"], entry["value"]) in read
        ),
        "read": len(read),
        "commits": sum(1 for entry in entries if entry["op"] == "commit" and entry["end"] == OK),
        "lost": anomalies[history.UNSEEN],
        "duplicated": anomalies[history.DUPLICATE],
        "anomalies": dict(sorted(anomalies.items())),
        "ack_ms": _spread(latencies, 1),
        "gaps_s": _spread([gap for _, gap in gaps(entries)], 2),
        "gaps_by_fault_s": by_fault(entries),
        "resets": sum(1 for entry in entries if entry["op"] == "reset"),
        "well_after_s": _spread([entry["well_s"] for entry in cycles if entry.get("well_s") is not None], 2),
        "errors": dict(Counter(entry["error"] for entry in entries if entry["op"] == "send" and "error" in entry)),
    }  # fmt: skip


def gaps(entries: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """When each gap of each partition began, and its length, both in seconds."""
    acknowledged: dict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry["op"] == "send" and entry["end"] == OK:
            acknowledged[entry["key"]].append(entry["t"])
    found = []
    for times in acknowledged.values():
        times.sort()
        found += [(one, other - one) for one, other in itertools.pairwise(times) if other - one > GAP_S]
    return sorted(found)


def by_fault(entries: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The longest gap that began while each fault was there, by kind of fault; 0 where none did."""
    every = gaps(entries)
    found: dict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry["op"] == "fault":
            met = [length for begin, length in every if entry["began"] - BEFORE_S <= begin < entry["t"]]
            found[entry["fault"]].append(max(met, default=0.0))
    return {name: _spread(lengths, 2) for name, lengths in sorted(found.items())}


def _spread(values: Sequence[float], digits: int) -> dict[str, float]:
    if not values:
        return {"count": 0}
    ordered = sorted(values)
    at = min(len(ordered) - 1, round(0.99 * (len(ordered) - 1)))
    middle = statistics.median(ordered)
    return {"count": len(ordered), "p50": round(middle, digits), "p99": round(ordered[at], digits),
            "max": round(ordered[-1], digits)}  # fmt: skip


def text(result: Mapping[str, Any], findings: Sequence[Finding]) -> str:
    """The same to read."""
    lines = [
        f"{result['cycles']} cycles: " + ", ".join(f"{name} {count}" for name, count in result["faults"].items()),
        f"{result['acknowledged']} acknowledged, {result['failed']} failed, {result['unknown']} unknown "
        f"({result['unknown_and_there']} of them there), {result['read']} read, {result['commits']} commits",
        f"{result['lost']} lost, {result['duplicated']} duplicated, anomalies: {result['anomalies'] or 'none'}",
        f"acknowledged after ms: {_of(result['ack_ms'])}",
        f"no acknowledgement for more than {GAP_S} s: {_of(result['gaps_s'])}",
        *(f"  longest gap at {name}: {_of(spread)}" for name, spread in result["gaps_by_fault_s"].items()),
        f"all in sync after s: {_of(result['well_after_s'])}",
    ]
    if result["errors"]:
        lines.append(f"errors of writes: {result['errors']}")
    for anomaly in result["anomalies"]:
        shown = [finding for finding in findings if finding.anomaly == anomaly][:SHOWN]
        lines.append(f"{anomaly}: {history.ANOMALIES[anomaly]}")
        lines += [f"  {finding.key}: {finding.what}" for finding in shown]
    return "\n".join(lines)


def _of(spread: Mapping[str, float]) -> str:
    if not spread["count"]:
        return "none"
    return f"p50 {spread['p50']}, p99 {spread['p99']}, max {spread['max']} ({spread['count']})"
