"""`kafkacompat compat`: how it is asked, and what it says when it cannot run. What it runs has tests of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from kafkacompat.cli import compat
from kafkacompat.errors import KafkaCompatError
from tests.cli.processes import TIMEOUT_S, run


def test_help_is_that_of_the_suite() -> None:
    text = run("compat", "--help").stdout
    for word in ("HOST:PORT", "--suite", "--full", "--report", "--list"):
        assert word in text


def test_help_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert compat.run(["--help"]) == 0


def test_suites_are_listed() -> None:
    listed = run("compat", "localhost:9092", "--list").stdout.splitlines()
    assert {"api", "clients/kafka_python", "spark"} <= {line.split()[0] for line in listed}
    others = {
        "schemas",
        "ci",
        "containers",
        "traffic",
        "clients",
    }  # about this project's files, or brokers of their own
    assert not others & {line.split()[0] for line in listed}


def test_plugins_that_are_installed_beside_do_not_stop_the_suite() -> None:
    assert importlib.util.find_spec("pytest_asyncio") is not None
    folder = compat.suite_folder() / "compat_tests"
    command = [sys.executable, "-m", "pytest", "-c", str(folder / "suite.ini"), "--rootdir", str(folder.parent)]
    collected = subprocess.run(
        [*command, "--broker", "localhost:9092", "--collect-only", "-q", str(folder / "kafka_tools")],
        capture_output=True, text=True, timeout=TIMEOUT_S, cwd=folder.parent,
    )  # fmt: skip
    assert collected.returncode == 0, collected.stdout + collected.stderr


def test_a_suite_that_is_not_there() -> None:
    done = run("compat", "localhost:9092", "--suite", "clients/nobody")
    assert done.returncode == 2
    assert "no suite clients/nobody; there are api," in done.stderr


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nonsense", "give HOST:PORT"),
        ("localhost:1", "start the broker first"),
        ("localhost:99999", "check host and port"),
    ],
)
def test_an_address_where_nobody_is(address: str, words: str) -> None:
    done = run("compat", address)
    assert done.returncode != 0
    assert words in done.stderr


def test_an_installation_without_the_extra_says_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "hypothesis" else object())
    with pytest.raises(KafkaCompatError, match=r"needs hypothesis.*kafkacompat\[compat\]"):
        compat.run(["localhost:9092"])


def test_the_suite_is_found() -> None:
    assert (compat.suite_folder() / "compat_tests" / "conftest.py").is_file()
