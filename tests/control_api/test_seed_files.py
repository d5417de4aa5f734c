"""Seed files: JSON Lines and documents, and what is said of lines that are neither."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.seed_files import load_seed
from kafkacompat.server.seed import NewTopic
from tests.cli.processes import run, serving
from tests.metadata_client import partition_counts

LINES = """
{"topic": "orders", "partitions": 3, "configs": {"retention.ms": 1000}}
{"topic": "orders", "key": "a", "value": "1"}

{"topic": "other", "value": "2", "offset": 17, "leader_epoch": 3}
"""
YAML = """
topics: {orders: {partitions: 3, configs: {retention.ms: 1000}}}
records:
  orders: [{key: a, value: "1"}]
  other: [{value: "2"}]
"""
JSON = (
    '{"topics": {"orders": {"partitions": 3, "configs": {"retention.ms": 1000}}}, '
    '"records": [{"topic": "orders", "key": "a", "value": "1"}, {"topic": "other", "value": "2"}]}'
)


@pytest.mark.parametrize(("name", "text"), [("seed.jsonl", LINES), ("seed.yaml", YAML), ("seed.json", JSON)])
def test_a_seed_is_the_same_in_each_form(tmp_path: Path, name: str, text: str) -> None:
    if name.endswith(".yaml"):
        pytest.importorskip("yaml")
    path = tmp_path / name
    path.write_text(text)
    seed = load_seed(path)
    assert seed.topics == {"orders": NewTopic(3, -1, {"retention.ms": "1000"}), "other": NewTopic()}
    assert [(record.key, record.value) for record in seed.records["orders"]] == [(b"a", b"1")]
    assert [record.value for record in seed.records["other"]] == [b"2"]
    with Cluster(records=path) as kafka:
        assert [record.value for record in kafka.records("other")] == [b"2"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("seed.jsonl", '{"topic": "a", "value": "x"}\n{"value": "x"}', "line 2: it has no topic: write "),
        ("seed.jsonl", "{", "line 1: Expecting property name"),
        ("seed.jsonl", '{"topic": "a", "partitons": 3}', "line 1: topic a: unknown 'partitons'"),
        ("seed.jsonl", '{"topic": "a", "value": 3}', "line 1: value must be a string or null"),
        ("seed.json", "[]", "give an object with `topics`, `records`, or both"),
        ("seed.yaml", "a: [", "seed.yaml: while parsing"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    if name.endswith(".yaml"):
        pytest.importorskip("yaml")
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(KafkaCompatError) as refused:
        load_seed(path)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(KafkaCompatError, match=r"nowhere\.jsonl cannot be read: No such file"):
        Cluster(records=tmp_path / "nowhere.jsonl")


def test_without_pyyaml_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "seed.yml"
    path.write_text(YAML)
    with pytest.raises(KafkaCompatError, match=r'pip install "kafkacompat\[yaml\]"'):
        load_seed(path)


def test_serve_begins_with_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "seed.jsonl"
    path.write_text(LINES)
    for options in ((), ("--brokers", "2")):
        with serving(tmp_path, "--seed", str(path), *options) as (_, state):
            found = partition_counts(state["bootstrap_servers"].split(",")[0], ["orders", "other"])
            assert found == {"orders": 3, "other": 1}
            done = run("consume", "other", "-b", state["bootstrap_servers"], "-n", "1", "-f", "raw")
            assert done.stdout.strip() == "2", done.stderr


def test_serve_says_what_is_wrong_with_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "seed.jsonl"
    path.write_text("{")
    done = run("serve", "--port", "0", "--seed", str(path))
    assert done.returncode == 1
    assert f"kafkacompat: seed {path}: line 1: " in done.stderr
