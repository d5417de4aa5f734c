"""Topics from variables, and scripts and seeds of a directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.cli.container.hooks import run, topics_of
from kafkacompat.cli.ready_node import ReadyNode
from kafkacompat.control_api.seeds import Seed
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.server.seed import NewTopic

NOBODY = "127.0.0.1:1"
PATH = {"PATH": "/usr/bin:/bin"}


class Node:
    """A node that notes the seeds it is given."""

    def __init__(self, is_stopping: Callable[[], bool] = lambda: False) -> None:
        self.seeds: list[Seed] = []
        self.ready = ReadyNode(1, [NOBODY], is_stopping, self.write)

    def write(self, seed: Seed) -> None:
        if "refused" in seed.topics:
            raise KafkaCompatError("the broker refuses it")
        self.seeds.append(seed)


def test_topics_have_partitions_and_replicas_or_the_brokers_defaults() -> None:
    environ = {"KAFKACOMPAT_TOPICS": "a:3,b:1:1, c", "KAFKA_CREATE_TOPICS": "d:2:1\n"}
    assert topics_of(environ) == {"a": NewTopic(3), "b": NewTopic(1, 1), "c": NewTopic(), "d": NewTopic(2, 1)}
    assert topics_of({}) == {}


@pytest.mark.parametrize("text", ["a:0", "a:b", ":3", "a:1:1:1", "a:-1"])
def test_an_entry_that_cannot_be_read_is_shown(text: str) -> None:
    with pytest.raises(StartupError, match="name:partitions:replicas"):
        topics_of({"KAFKACOMPAT_TOPICS": text})


def test_scripts_run_in_the_order_of_their_names_and_know_the_address(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("20-b.sh", "10-a.sh", "README"):
        (tmp_path / name).write_text(f'echo {name} "$BOOTSTRAP_SERVERS" >> {out}\n')
    run(Node().ready, PATH, str(tmp_path))
    assert out.read_text() == f"10-a.sh {NOBODY}\n20-b.sh {NOBODY}\n"


def test_topics_come_first_and_then_seeds_and_scripts_by_name(tmp_path: Path) -> None:
    (tmp_path / "30-c.yaml").write_text("topics: {yaml: 3}\n")
    (tmp_path / "10-a.jsonl").write_text('{"topic": "lines", "partitions": 2}\n{"topic": "lines", "value": "x"}\n')
    (tmp_path / "20-b.json").write_text('{"records": {"document": [{"value": "y"}]}}')
    (tmp_path / "15-a.sh").write_text(f"touch {tmp_path}/done\n")
    (tmp_path / "40-notes.txt").write_text("no hook\n")
    node = Node()
    run(node.ready, {**PATH, "KAFKACOMPAT_TOPICS": "first"}, str(tmp_path))
    assert [list(seed.topics) for seed in node.seeds] == [["first"], ["lines"], ["document"], ["yaml"]]
    assert node.seeds[1].topics["lines"] == NewTopic(2)
    assert (tmp_path / "done").exists()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.jsonl", '{"topic": "orders", "value": "x"}\n{"topic": "orders", "valu": "x"}\n', "line 2: "),
        ("a.jsonl", '{"topic": "orders", "value": "x"}\nnot JSON\n', "line 2: "),
        ("a.json", '{"topics":\n  {"orders": 3,}}\n', "line 2 "),
        ("a.yaml", "topics:\n  orders: [3\n  more: 1\n", "line 3"),
        ("a.yaml", "topics:\n  orders: {partition: 3}\n", "orders: unknown 'partition'"),
        ("a.yaml", "topic: orders\n", "`topics`, `records`"),
        ("a.json", '{"topics": ["refused"]}', "the broker refuses it"),
    ],
)
def test_a_seed_that_is_wrong_is_named_with_its_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(KafkaCompatError) as caught:
        run(Node().ready, PATH, str(tmp_path))
    assert str(tmp_path / name) in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_seed_of_the_documentation_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "container.md").read_text()
    (tmp_path / "a.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0])
    node = Node()
    run(node.ready, PATH, str(tmp_path))
    assert [len(records) for records in node.seeds[0].records.values()] == [1]


def test_topics_of_variables_that_are_refused_are_named(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="KAFKACOMPAT_TOPICS, KAFKA_CREATE_TOPICS: the broker refuses it"):
        run(Node().ready, {**PATH, "KAFKACOMPAT_TOPICS": "refused"}, str(tmp_path))


def test_a_script_that_fails_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("exit 3\n")
    with pytest.raises(StartupError, match="status 3"):
        run(Node().ready, PATH, str(tmp_path))


def test_a_stop_ends_a_script_that_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("exec sleep 600\n")
    (tmp_path / "b.sh").write_text(f"touch {tmp_path}/never\n")
    run(Node(lambda: True).ready, PATH, str(tmp_path))
    answers = iter([False, True])
    run(Node(lambda: next(answers, True)).ready, PATH, str(tmp_path))
    assert not (tmp_path / "never").exists()


def test_a_missing_directory_holds_no_hooks(tmp_path: Path) -> None:
    run(Node().ready, {}, str(tmp_path / "missing"))
