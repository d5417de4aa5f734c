"""The examples of docs/faults.md run, and its tables have every selector, action and member."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafkacompat.broker.faults.actions import ACTIONS
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.faults.rule_errors import FaultRuleError

PAGE = (Path(__file__).parent.parent.parent / "docs" / "faults.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_runs(code: str) -> None:
    exec(compile(code, "faults.md", "exec"), {"__name__": "faults"})


def members(part: dict[str, object], pointer: str) -> set[str]:
    """What the parser knows at a place, by its own words."""
    with pytest.raises(FaultRuleError) as caught:
        parse_rule(part)
    (message,) = [mistake.message for mistake in caught.value.mistakes if mistake.pointer == pointer]
    return set(message.partition("known are ")[2].split(", "))


def rows(heading: str) -> str:
    section = PAGE.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    return "\n".join(line.split("|")[1] for line in section.splitlines() if line.startswith("|"))


def test_the_tables_are_whole() -> None:
    known = {"selectors": members({"when": {"x": 1}, "then": "drop"}, "/when/x"), "members": members({"x": 1}, "/x")}
    assert set(re.findall(r"`(\w+)`", rows("Which requests"))) == known["selectors"]
    assert set(re.findall(r"`(\w+)`", rows("What happens"))) == set(ACTIONS)
    assert set(re.findall(r"`(\w+)`", rows("How often"))) | {"when", "then"} == known["members"]


def test_each_action_is_in_an_example() -> None:
    code = "\n".join(EXAMPLES)
    assert [name for name in ACTIONS if f'"{name}"' not in code] == []
