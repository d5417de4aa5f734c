"""Tests wait for something: whoever polls does it by `tests/waiting.py`, and "nothing has happened" is asserted after a
later event was served. Each sleep elsewhere has a reason.
"""

from __future__ import annotations

import ast

import pytest

from tests.tidy.tree import python_files, tree

HOME = "tests/waiting.py"
SLEEPS = {"time.sleep", "asyncio.sleep", "sleep"}
REASONS = {
    "tests/cluster/test_interrupted.py": "stands for a start and a stop that take long, in which Ctrl-C comes",
    "tests/cluster/test_unreachable.py": "a dial that is refused leaves no trace outside of the controller",
    "tests/robustness/compaction_kills.py": "a broker, or its child, is killed at a random moment",
    "tests/robustness/crowd.py": "the pace of a client that is busy, not too busy",
    "tests/robustness/killing.py": "a broker is killed at a random moment",
    "tests/sim/nodes/clients.py": "in simulated time, where it costs nothing",
    "tests/sim/nodes/transaction_clients.py": "in simulated time, where it costs nothing",
    "tests/wiring/children.py": "looks at its processes until one ends; each has a deadline",
}


def sleeps(module: ast.Module) -> list[int]:
    """Lines that sleep for some time; `sleep(0)` only gives the loop a turn."""
    return [
        node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) == "sleep"  # few are, and the next line takes long
        and ast.unparse(node.func) in SLEEPS
        and not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    ]


def test_nobody_sleeps_without_a_reason() -> None:
    found = {name: sleeps(tree(name)) for name in python_files("tests/") if name != HOME and name not in REASONS}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_each_reason_is_needed() -> None:
    assert [name for name in REASONS if not sleeps(tree(name))] == []


@pytest.mark.parametrize(
    ("source", "count"),
    [("time.sleep(0.05)", 1), ("await asyncio.sleep(pause_s)", 1), ("sleep(1)", 1), ("await asyncio.sleep(0)", 0)],
)
def test_what_counts_as_a_sleep(source: str, count: int) -> None:
    assert len(sleeps(ast.parse(source, mode="exec"))) == count
