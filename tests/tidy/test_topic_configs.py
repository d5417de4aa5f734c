"""The table of topic configs in COMPATIBILITY.md has all of them, with a test or a reason."""

from __future__ import annotations

import ast
import json

import pytest

from kafkacompat.config.definitions import TOPIC_CONFIGS
from kafkacompat.config.values import TYPE_NAMES
from tests.tidy.pages import topic_configs
from tests.tidy.tree import text

INTERNAL = "internal.segment.bytes"
"""The one that Apache Kafka describes only where it is set."""


def rows() -> dict[str, list[str]]:
    """The cells of the published table, by config."""
    lines = text("COMPATIBILITY.md").partition("## Topic configs")[2].partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {row[0].strip("`"): row for row in cells}


def test_every_topic_config_of_apache_kafka_has_a_row() -> None:
    described = json.loads(text("tests/config/kafka_4_3_1_configs.json"))["topic"]
    found = rows()
    assert set(found) == {*described, INTERNAL}
    for name, (type_code, default, *_) in described.items():
        assert found[name][1] == TYPE_NAMES[type_code].lower()
        assert found[name][2] == (f"`{default}`" if default else "empty")


def test_what_is_not_obeyed_has_a_reason_and_what_is_has_none() -> None:
    kept = {name for name in TOPIC_CONFIGS if not TOPIC_CONFIGS[name].obeyed}
    assert set(topic_configs.KEPT) == kept
    assert set(topic_configs.PROOF_OF_KEPT) == kept
    for name, row in rows().items():
        assert row[4] == (topic_configs.KEPT[name] if name in kept else "obeyed")


@pytest.mark.parametrize("name", sorted(TOPIC_CONFIGS))
def test_the_test_of_a_row_is_there(name: str) -> None:
    path, _, test = rows()[name][5].strip("`").partition("::")
    functions = {node.name for node in ast.walk(ast.parse(text(path))) if isinstance(node, ast.FunctionDef)}
    assert test in functions
