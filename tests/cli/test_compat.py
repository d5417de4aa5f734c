"""`kafkacompat compat`: how it is asked, and what it says when it cannot run. What it runs has tests of its own."""

from __future__ import annotations

import importlib.util

import pytest

from kafkacompat.cli import compat
from kafkacompat.errors import KafkaCompatError
from tests.cli.processes import run


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
    assert "schemas" not in {line.split()[0] for line in listed}  # it is about this project's own notation


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
