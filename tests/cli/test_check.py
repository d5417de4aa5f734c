"""`kafkacompat check`: mistakes in files, without a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.cli.check import mistakes_of
from tests.cli.verbs import run

GOOD = {
    "a.jsonl": '{"topic": "orders", "partitions": 3}\n',
    "a.json": '{"topics": ["orders"]}',
    "a.yaml": "records: {orders: [{value: one}]}\n",
    "rule.yaml": "when: {api: Produce}\nthen: {error: NOT_LEADER_OR_FOLLOWER}\n",
    "rules.json": '[{"when": {"api": "Fetch"}, "then": {"delay": {"ms": 5}}}]',
    "server.properties": "num.partitions=3\n",
}
BAD = {
    "a.jsonl": ('{"topic": "orders"}\n{"topic": 7, "value": "x"}\n', "line 2"),
    "a.json": ('{"topic": ["orders"]}', "`topics`, `records`"),
    "a.yaml": ("topics: [a\n", "line"),
    "deep.json": ("[" * 100_000, "recursion"),
    "deep.yaml": ("[" * 1_000, "recursion"),
    "rule.yaml": ("when: {api: Produse}\nthen: {error: NOT_LEADER_OR_FOLLOWER}\n", "Produse"),
    "server.properties": ("num.partition=3\n", "num.partition"),
    "other.properties": ("num.partitions=many\n", "num.partitions"),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_files_have_no_mistakes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GOOD[name])
    assert mistakes_of(str(tmp_path / name)) == []


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_a_line_with_the_path(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BAD[name][0])
    (mistake,) = mistakes_of(str(tmp_path / name))
    assert str(tmp_path / name) in mistake
    assert BAD[name][1] in mistake
    assert "\n" not in mistake


def test_the_status_says_whether_all_files_are_right(tmp_path: Path) -> None:
    for name, text in (("a.jsonl", GOOD["a.jsonl"]), ("b.jsonl", BAD["a.jsonl"][0])):
        (tmp_path / name).write_text(text)
    assert run("check", str(tmp_path / "a.jsonl"), servers="").status == 0
    both = run("check", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), servers="")
    assert (both.status, both.err.count("\n")) == (1, 1)
    assert "b.jsonl" in both.err
    assert run("check", str(tmp_path / "missing.json"), servers="").status == 1


def test_each_mistake_of_settings_and_rules_has_a_line(tmp_path: Path) -> None:
    for name, text, expected in (
        ("a.properties", "num.partitions=x\nlog.segment.bytes=y\nnum.partition=3\n", 3),
        ("node.properties", "process.roles=broker,controller\nnode.id=x\n", 1),
        ("a.json", '[{"when": {"api": "fetsch"}, "then": {"delay": -1}}, {"then": "drop", "wen": 1}]', 3),
    ):
        (tmp_path / name).write_text(text)
        mistakes = mistakes_of(str(tmp_path / name))
        assert len(mistakes) == len(set(mistakes)) == expected, mistakes
        assert all(line.startswith(f"{tmp_path / name}: ") for line in mistakes)
