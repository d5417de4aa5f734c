"""`--one-in N`: a run takes one in N of the tests that are like others, and another run takes others.

These are the tests marked `sampled`, and the tests on Apache Kafka that compare nothing by themselves: what they assert
holds for a release that does not change, and they run on this broker in each run. Those marked `each_run` are left out
of no run: they are about code of this project that reads or writes what is Apache Kafka's. The seed of the random order
chooses; `--randomly-seed=N` chooses the same ones again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress

import pytest

OPTION = "--one-in"


def add_option(parser: pytest.Parser) -> None:
    """Make the option known, also where two conftest files do."""
    with suppress(ValueError):
        parser.addoption(
            OPTION, type=int, default=1, metavar="N",
            help="run one in N of the tests that are like others, other ones for each --randomly-seed",
        )  # fmt: skip


def add_marker(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "sampled: one of many in its file that are alike; --one-in N runs one in N")
    config.addinivalue_line("markers", "each_run: is no sample; --one-in N runs it on Apache Kafka, too")


def group_of(item: pytest.Item) -> str:
    """The tests that one is like, by the name of what they share; empty if it runs in each run."""
    return str(item.path) if item.get_closest_marker("sampled") else ""


def of_another_run(
    items: Iterable[pytest.Item], config: pytest.Config, group_of: Callable[[pytest.Item], str] = group_of
) -> dict[pytest.Item, str]:
    """The tests that this run leaves out, each with the reason. Of every group at least one test stays."""
    one_in, seed = config.getoption(OPTION), config.getoption("randomly_seed", 0)
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(group_of(item), []).append(item)
    groups.pop("", None)
    reason = f"one in {one_in} of those that are like it runs, chosen by --randomly-seed"
    found = {}
    for group in groups.values():
        in_order = sorted(group, key=lambda item: zlib.crc32(f"{seed} {item.nodeid}".encode()))
        found |= dict.fromkeys(in_order[-(-len(group) // one_in) :], reason)
    return found
