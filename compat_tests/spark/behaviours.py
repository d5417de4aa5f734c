"""Which behaviours of `behaviours.toml` are proved by which tests. Needs no Spark: the tests are read, not run."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
MARK = "spark_behaviour"


@dataclass
class Behaviour:
    """One behaviour of Spark's source or sink. `tests` are its proof, as `module.py::test`."""

    number: int
    part: str
    words: str
    left_out: str = ""
    without: str = ""
    since: str = ""
    tests: list[str] = field(default_factory=list)


def behaviours() -> list[Behaviour]:
    """All of them by number, with the tests that prove them. Raises LookupError for a mark with an unknown number."""
    with (HERE / "behaviours.toml").open("rb") as file:
        every = {one["number"]: Behaviour(**one) for one in tomllib.load(file)["behaviour"]}
    for test, numbers in marked():
        for number in numbers:
            if number not in every:
                raise LookupError(f"{test} proves behaviour {number}, which behaviours.toml does not have")
            every[number].tests.append(test)
    return [every[number] for number in sorted(every)]


def marked() -> Iterator[tuple[str, list[int]]]:
    """Each test that has the mark, and the numbers in it; none where it proves something beyond the list."""
    for test, function in all_tests():
        for decorator in function.decorator_list:
            mark, arguments = (decorator.func, decorator.args) if isinstance(decorator, ast.Call) else (decorator, [])
            if isinstance(mark, ast.Attribute) and mark.attr == MARK:
                yield test, [int(ast.literal_eval(argument)) for argument in arguments]


def all_tests() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every test of this folder."""
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{path.name}::{node.name}", node
