"""docs/cli.md: its examples run, its tables are those of the code, and records fit the schema."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat.cli.exits import MEANINGS
from kafkacompat.cli.lazy import VERBS
from kafkacompat.cli.record_json import record_from_json
from kafkacompat.protocol.records.json_form import FIELDS
from tests.cli.control_api import node
from tests.cli.json_schema import misfits
from tests.cli.verbs import run
from tests.tidy.tree import PACKAGE, ROOT

PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
SCHEMA = json.loads((PACKAGE / "cli" / "record.schema.json").read_text(encoding="utf-8"))


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def shell(script: str, tmp_path: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script to which `kafkacompat` is a command."""
    command = tmp_path / "kafkacompat"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkacompat "$@"\n')
    command.chmod(0o755)
    return subprocess.run(
        ["sh", "-e", "-c", script], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", **environment},
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a shell")
def test_the_examples_run_as_they_stand(servers: str, tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", section("Examples"), re.DOTALL)
    done = shell(script, tmp_path, {"KAFKACOMPAT_BOOTSTRAP_SERVERS": servers})
    assert done.returncode == 0, done.stderr
    assert "a=1\n" in done.stdout
    assert "log.retention.ms  1000   command line\n" in done.stdout
    assert run("consume", "copies", "-f", "raw", servers=servers).text.split() == ["1", "2", "3"] or sorted(
        run("consume", "copies", "-f", "raw", servers=servers).text.split()
    ) == ["1", "2", "3"]


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a shell")
def test_the_examples_of_the_control_api_run_as_they_stand(tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", section("Faults, time and a look inside"), re.DOTALL)
    with node(topics={"orders": 1}) as broker:
        done = shell(script, tmp_path, {"KAFKACOMPAT_CONTROL": broker.url})
        assert done.returncode == 0, done.stderr
        assert "NOT_LEADER_OR_FOLLOWER" in done.stdout
        assert list(broker.cluster.topics()) == ["orders"]


def test_the_table_of_statuses_is_the_codes() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", section("Exit statuses"), re.MULTILINE)
    assert {int(status): meaning for status, meaning in rows} == MEANINGS


def test_each_verb_is_on_the_page() -> None:
    table = PAGE.partition("| verb | does |")[2].partition("\n\n")[0]
    assert {re.split(r"[ `]", name)[0] for name in re.findall(r"^\| `(.*?)`", table, re.MULTILINE)} == set(VERBS)


def test_each_row_of_doctor_is_on_the_page() -> None:
    source = (PACKAGE / "client" / "diagnosis.py").read_text() + (PACKAGE / "client" / "known_clients.py").read_text()
    rows = set(re.findall(r'"([a-z]+(?:-[a-z]+)*)", "(?:unreachable|refused|expired|missing|different)"', source))
    on_page = set(re.findall(r"`([a-z-]+)`", section("What doctor finds")))
    assert rows
    assert rows - on_page == set()


def test_the_example_of_a_record_is_one_and_fits_the_schema(servers: str) -> None:
    (line,) = re.findall(r"```json\n(.*?)\n```", section("Records as JSON"))
    assert not misfits(json.loads(line), SCHEMA)
    assert set(json.loads(line)) == FIELDS == set(SCHEMA["properties"])
    assert record_from_json(line)[1].key == b"a"


def test_what_consume_prints_fits_the_schema(servers: str) -> None:
    run("topic", "create", "schema", servers=servers)
    records = '{"key":null,"value":"x"}\n{"value":"/w==","value_encoding":"base64","headers":[["a","/w==","base64"]]}\n'
    run("produce", "schema", servers=servers, stdin=records)
    printed = run("consume", "schema", "--json-values", servers=servers).json_lines
    assert len(printed) == 2
    assert [misfit for record in printed for misfit in misfits(record, SCHEMA)] == []
    assert misfits({"valu": 1}, SCHEMA)
    assert misfits({"partition": "1"}, SCHEMA)
    assert misfits({"headers": [["a"]]}, SCHEMA)
