"""`kafkacompat fault`: rules as flags and as JSON, hits, near misses, and mistakes that name the flag."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat.client.control import ControlClient
from kafkacompat.protocol import error_codes as errors
from tests.cli.control_api import Node, node
from tests.cli.processes import command


@pytest.fixture(scope="module")
def broker() -> Iterator[Node]:
    with node(topics={"orders": 2}) as found:
        yield found


@pytest.fixture(autouse=True)
def _no_rules(broker: Node) -> Iterator[None]:
    yield
    with ControlClient(broker.url) as client:
        client.delete("/v1/faults")


def test_a_rule_of_flags_acts_and_is_listed_with_its_hits(broker: Node) -> None:
    added = broker.run(
        "fault", "add", "--api", "metadata", "--topic", "orders", "--error", "LEADER_NOT_AVAILABLE", "--times", "2",
        "--label", "no leader", "-f", "raw",
    )  # fmt: skip
    assert (added.status, added.err) == (0, "")
    with broker.client() as client:
        assert client.metadata(["orders"]).topics[0].error_code == errors.LEADER_NOT_AVAILABLE
    (rule,) = broker.printed("fault", "fault", "list")
    assert (rule["id"], rule["hits"], rule["left"], rule["label"]) == (int(added.text), 1, 1, "no leader")
    assert rule["when"] == {"api": "metadata", "topic": "orders"}
    assert rule["then"] == {"error": {"code": "LEADER_NOT_AVAILABLE"}}
    removed = broker.run("fault", "remove", added.text.strip())
    assert (removed.status, removed.err) == (0, f"fault {rule['id']} is removed, after 1 hit\n")
    assert broker.printed("fault", "fault", "list") == []


@pytest.mark.parametrize(
    ("flags", "when", "then"),
    [
        (["--api", "fetch", "--api-version", "4+", "--delay", "2s", "--at", "after"], {"api": "fetch", "version": "4+"},
         {"delay": {"ms": 2000, "at": "after"}}),
        (["--partition", "0", "--partition", "1", "--topic", "a", "--drop"], {"partition": [0, 1], "topic": "a"},
         {"drop": {"at": "before"}}),
        (["--client-id", "a*", "--silence", "--at", "before"], {"client_id": "a*"}, {"silence": {"at": "before"}}),
        (["--broker", "1", "--throttle", "500ms"], {"broker": 1}, {"throttle": {"ms": 500, "tell": True}}),
        (["--api", "metadata", "--stale"], {"api": "metadata"}, {"stale": {}}),
        (["--api", "metadata", "--topic", "orders", "--hide"], {"api": "metadata", "topic": "orders"}, {"hide": {}}),
        (["--api", "fetch", "--then", '{"cut": {"after_bytes": 9}}'], {"api": "fetch"}, {"cut": {"after_bytes": 9}}),
        (["--api", "produce", "--error", "7", "--work", "after", "--level", "top"], {"api": "produce"},
         {"error": {"code": "REQUEST_TIMED_OUT", "level": "top", "work": "after"}}),
    ],
    ids=lambda each: each[-2] if isinstance(each, list) else "",
)  # fmt: skip
def test_each_flag_has_its_place_in_the_rule(
    broker: Node, flags: list[str], when: dict[str, object], then: dict[str, object]
) -> None:
    limits = ["--skip", "1", "--for", "1m", "--probability", "0.5", "--seed", "7"]
    (rule,) = broker.printed("fault", "fault", "add", *flags, *limits)
    assert (rule["when"], rule["then"]) == (when, then)
    assert (rule["skip"], rule["duration_ms"], rule["probability"], rule["seed"]) == (1, 60_000, 0.5, 7)


def test_a_rule_may_be_json_as_text_in_a_file_or_from_stdin(broker: Node, tmp_path: Path) -> None:
    rule = json.dumps({"when": {"api": "fetch"}, "then": "drop", "label": "from JSON"})
    (tmp_path / "rule.json").write_text(rule)
    for given, stdin in ((rule, ""), (f"@{tmp_path / 'rule.json'}", ""), ("-", rule)):
        done = broker.run("fault", "add", "--json", given, stdin=stdin)
        assert (done.status, done.err) == (0, "")
        assert done.json_lines[0]["label"] == "from JSON"
    assert broker.run("fault", "add", "--json", rule, "--drop").err == (
        "kafkacompat: --json is the whole rule: leave out the other flags of a rule\n"
    )


def test_adding_can_wait_for_hits(broker: Node) -> None:
    adding = subprocess.Popen(
        [*command(), "fault", "add", "--control", broker.url, "--api", "metadata", "--observe", "--wait-hits", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert adding.stdout is not None
    assert adding.stderr is not None
    with adding.stdout, adding.stderr:
        assert "waiting for 2 hits" in adding.stderr.readline()
        with broker.client() as client:
            client.metadata(())
            client.metadata(())
        assert adding.wait(60) == 0
        assert json.loads(adding.stdout.read())["hits"] == 2


def test_a_wait_that_ends_without_hits_shows_near_misses_and_is_5(broker: Node) -> None:
    (rule,) = broker.printed("fault", "fault", "add", "--api", "metadata", "--topic", "other", "--drop")
    with broker.client() as client:
        client.metadata(["orders"])
    done = broker.run("fault", "hits", str(rule["id"]), "--wait", "1", "--timeout", "0.1")
    assert done.status == 5
    near, late = done.err.splitlines()
    assert near == "near miss: metadata v13 of client 'kafkacompat': topic is 'orders'"
    assert late.startswith(f"kafkacompat: fault rule {rule['id']} had 0 of 1 hits after ")
    table = broker.run("fault", "hits", str(rule["id"]), "-f", "table")
    assert (table.status, table.err) == (0, near + "\n")
    assert "api=metadata,topic=other" in table.text


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (["--api", "metdata", "--drop"], "--api: 'metdata' is no API of this broker; did you mean metadata?"),
        (["--api", "produce", "--error", "nix"], "--error: 'nix' is no error code of Kafka"),
        (["--api", "heartbeat", "--topic", "o", "--drop"], "--topic: heartbeat names only group"),
        (["--api", "produce"],
         "say what happens: --error CODE, --delay 200ms, --drop, --silence, ..., or --observe"),
        (["--drop", "--silence"], "--drop and --silence are 2 actions: a rule has one"),
        (["--throttle", "1s", "--at", "after"], "--at is for --delay, --drop and --silence"),
        (["--drop", "--level", "top"], "--level, --work and --leader-hint are for --error: give a code"),
        (["--then", "nix"], "--then: no JSON: Expecting value: line 1 column 1 (char 0)"),
        (["--json", "[]"], '--json: a rule is an object like {"when": {"api": "produce"}, "then": "drop"}'),
        (["--json", "@/nowhere"], "--json @/nowhere: No such file or directory"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)  # fmt: skip
def test_a_mistake_is_one_line_that_names_the_flag(broker: Node, flags: list[str], line: str) -> None:
    assert broker.run("fault", "add", *flags) == (2, b"", f"kafkacompat: {line}\n")
    assert broker.printed("fault", "fault", "list") == []


def test_removing_wants_to_know_which(broker: Node) -> None:
    assert broker.run("fault", "remove").status == 2
    assert broker.run("fault", "remove", "1", "--all").status == 2
    assert broker.run("fault", "remove", "999") == (
        3, b"", "kafkacompat: there is no fault rule 999: kafkacompat fault list lists them\n",
    )  # fmt: skip
    broker.run("fault", "add", "--api", "fetch", "--drop")
    assert broker.run("fault", "remove", "--all") == (0, b"", "all faults are removed\n")
    assert broker.printed("fault", "fault", "list") == []
