"""`kafkacompat spark audit` without Spark: what is wrong on its command line, and what is not installed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra


def test_a_directory_is_needed() -> None:
    result = CliRunner().invoke(spark, ("audit", "log"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--log-dir" in result.stderr


@pytest.mark.parametrize("arguments", [("log", "--log-dir", "x")])
def test_without_the_extra_it_is_named(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = CliRunner().invoke(spark, ("audit", *arguments))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("audit", "replicas"), "--log-dir"),
        (("audit", "ledger", "--ledger", "x"), "give --bootstrap-servers or --log-dir, one of them"),
        (("audit", "archive", "--archive", "x"), "give --bootstrap-servers or --log-dir, one of them"),
        (("audit", "archive", "-b", "x:1"), "--archive"),
        (("audit", "archive", "--archive", "x", "-b", "x:1", "--topic-map", "a"), "--topic-map a: NAME=OTHER"),
        (("audit", "clusters", "--a", "x:1"), "--b"),
        (("audit", "clusters", "--a", "x:1", "--b", "y:1", "--align", "time"), "--align"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
