"""The rules that code and tests cite by id, as in "(R4)" or "(§2.8)", stand in docs/replication.md under that id."""

from __future__ import annotations

import re

import pytest

from tests.tidy.tree import files, text

PAGE = "docs/replication.md"
RULE = r"(?:[RFC][1-9]\d?|I1?\d)"
PLACE = re.compile(rf"\([^()]*\)|\b[Rr]ules? {RULE}(?:(?:,| and|, and) {RULE})*|§[\d.]*\d")
CITED = re.compile(rf"§[\d.]*\d|\b{RULE}\b")
DEFINED = re.compile(r"^(?:\| |## )((?:R|F|C|I)\d{1,2}|§\d(?:\.\d{1,2})?)(?= )", re.MULTILINE)
SOURCES = [
    name
    for name in files()
    if name.endswith((".py", ".txt")) and "/messages/" not in name and name != "tests/tidy/test_rules.py"
]
KNOWN = set(DEFINED.findall(text(PAGE)))


def cited(source: str) -> set[str]:
    """The ids in a text: in brackets or called rules; sections of Raft's thesis are called so, and are not meant."""
    places = PLACE.findall(re.sub(r"thesis §[\d.]+", "", source))
    return {rule for place in places for rule in CITED.findall(place)}


def test_every_cited_rule_is_on_the_page() -> None:
    unknown = {name: sorted(cited(text(name)) - KNOWN) for name in SOURCES}
    assert {name: ids for name, ids in unknown.items() if ids} == {}


def test_the_page_has_the_rules_of_each_kind() -> None:
    for kind, count in (("R", 10), ("C", 8), ("F", 7), ("I", 15)):
        assert {f"{kind}{number}" for number in range(1, count + 1)} <= KNOWN


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("it syncs (§2.8).", {"§2.8"}),
        ("rules C3 and C4; Kafka's", {"C3", "C4"}),
        ("(§2.5 F2 and F3)", {"§2.5", "F2", "F3"}),
        ("rule R99", {"R99"}),
        ("Raft, thesis §4.2.2).", set()),
        ("C4 of the keyboard", set()),
    ],
)
def test_what_counts_as_cited(source: str, ids: set[str]) -> None:
    assert cited(source) == ids
