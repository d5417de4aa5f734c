"""Which tests a run leaves out, and why."""

from __future__ import annotations

import pytest

from compat_tests.report import sampling
from compat_tests.report.collector import broker_of, uses_broker

ALONE = ("kafkacompat", "kafka")


def left_out(item: pytest.Item, chosen: str, *, full: bool) -> str:
    """The reason for which `--broker CHOSEN` does not run a test; empty if it does. `pytest.mark.full("kafka")` is left
    out with that broker only.
    """
    fixtures = getattr(item, "fixturenames", ())
    if not full and any(not mark.args or broker_of(item) in mark.args for mark in item.iter_markers("full")):
        return "takes long, runs with --full"
    if chosen in ALONE and "subject" in fixtures:
        return "compares two brokers, runs with --broker both or HOST:PORT"
    if chosen in ("both", *ALONE):
        return ""
    if "new_broker" in fixtures:
        return f"stops its broker or gives it settings, which {chosen} cannot be"
    return "" if uses_broker(item) else "is about this project's own code"


def too_old(item: pytest.Item, release: str) -> str:
    """The reason for which a test does not run on a release of Apache Kafka (`pytest.mark.since`); empty if it does."""
    for marker in item.iter_markers("since"):
        first, reason = marker.args
        if broker_of(item) in ("kafka", "both") and _numbers(release) < _numbers(first):
            return f"Apache Kafka {release}: {reason}"
    return ""


def group_of(item: pytest.Item) -> str:
    """The tests of which `--one-in N` takes some (see sampling.py): on Apache Kafka alone those of a folder."""
    if item.get_closest_marker("each_run"):
        return ""
    return sampling.group_of(item) or (f"{item.path.parent} on kafka" if broker_of(item) == "kafka" else "")


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]
