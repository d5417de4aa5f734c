"""`--one-in N`: runs take other tests of those that are alike, the same ones with the same seed, and all the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from compat_tests.report import sampling, selection
from tests.tidy.tree import ROOT


class Item(NamedTuple):
    """A test, as far as it is looked at."""

    nodeid: str
    group: str


class Config(NamedTuple):
    """What was asked for."""

    one_in: int
    seed: int

    def getoption(self, name: str, _default: object = None) -> Any:
        return self.one_in if name == sampling.OPTION else self.seed


ITEMS = [Item(f"test_it[{n}]", "alike") for n in range(10)] + [Item("test_one", "single"), Item("test_other", "")]


def taken(one_in: int, seed: int) -> set[str]:
    left_out = sampling.of_another_run(ITEMS, Config(one_in, seed), lambda item: item.group)  # type: ignore[arg-type, attr-defined]
    return {item.nodeid for item in ITEMS if item not in left_out}


def test_a_run_takes_its_share_and_what_is_like_nothing() -> None:
    for seed in range(20):
        assert len(taken(3, seed)) == 4 + 2
        assert {"test_one", "test_other"} <= taken(3, seed) == taken(3, seed)
    assert set().union(*(taken(3, seed) for seed in range(20))) == {item.nodeid for item in ITEMS}
    assert taken(1, 5) == {item.nodeid for item in ITEMS}


class OnKafka(NamedTuple):
    """A client test on Apache Kafka, as far as it is looked at."""

    path: Path
    markers: tuple[str, ...]

    @property
    def callspec(self) -> SimpleNamespace:
        return SimpleNamespace(params={"broker_kind": "kafka"})

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.markers else None


def test_on_kafka_those_of_a_folder_are_alike_but_for_those_of_each_run() -> None:
    def group(*markers: str) -> str:
        return selection.group_of(OnKafka(Path("a/test_it.py"), markers))  # type: ignore[arg-type]

    assert (group(), group("sampled"), group("each_run")) == ("a on kafka", "a/test_it.py", "")


def collected(*arguments: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.parametrize(
    ("tests", "alike"), [("tests/sim/test_rules.py", "test_mistakes"), ("compat_tests/clients/kcat", r"\[kafka[-\]]")]
)
def test_pytest_runs_the_share(tests: str, alike: str) -> None:
    every, some = collected(tests), collected(tests, "--one-in", "3", "--randomly-seed=1")
    counts = [sum(bool(re.search(alike, name)) for name in names) for names in (every, some)]
    assert counts[0] > 5
    assert counts[1] == -(-counts[0] // 3)
    assert len(every) - len(some) == counts[0] - counts[1]
