"""The style has all that a page asks of it, in the light and in the dark."""

from __future__ import annotations

import re

from kafkacompat.spark.audit.audit_findings import Finding, report_of
from kafkacompat.spark.audit.audit_page import as_page
from kafkacompat.spark.audit.key_figures import KeyFigure, KeyFigures, TopicKeys
from kafkacompat.spark.audit.lag_figures import GroupLag, LagFigures
from kafkacompat.spark.audit.page_charts import COLORS
from kafkacompat.spark.audit.page_style import STYLE


def page() -> str:
    """A page with each of its sections."""
    partition = {
        "topic": "orders", "partition": 0, "replica": "/data", "first_offset": 0, "end_offset": 10, "records": 10,
        "size_bytes": 1000, "codecs": {"zstd": [1000, 10]}, "times": {1357000000000: (1000, 10)},
    }  # fmt: skip
    found = report_of("log", [Finding("checksum", "orders", 0, 5, 5)], {"partitions": 1, "records": 10}, [partition])
    keys = KeyFigures((TopicKeys("orders", 1, 2, 30, 10, 0, 0),), (KeyFigure("orders", b"a", 2, 30),))
    return as_page(found, keys, LagFigures(1357000000000, 60_000, (GroupLag("readers", 1, (5, 3)),), 1))


def test_each_class_of_a_page_has_a_rule() -> None:
    classes = {name for names in re.findall(r' class="([^"]*)"', page()) for name in names.split()}
    assert {"verdict", "bar", "strip", "legend", "chart", "scroll"} <= classes
    assert not [name for name in classes if not re.search(rf"\.{name}\b", STYLE)]


def test_each_color_has_a_light_and_a_dark_value() -> None:
    light, dark = STYLE.split("prefers-color-scheme: dark", 1)
    dark = dark[: dark.index("} }")]
    defined = [re.findall(r"(--[a-z0-9-]+):", part) for part in (light, dark)]
    assert set(defined[0]) == set(defined[1])
    assert {f"--c{number}" for number in range(COLORS)} <= set(defined[1])
    assert set(re.findall(r"var\((--[^)]*)\)", STYLE + page())) <= set(defined[1])


def test_the_style_ends_nothing_and_asks_no_network() -> None:
    assert STYLE.count("{") == STYLE.count("}")
    assert "<" not in STYLE
    assert not re.search(r"url\(|@import|https?:", STYLE)
