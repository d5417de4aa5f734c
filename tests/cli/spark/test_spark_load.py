"""`kafkacompat spark load` without Spark: what is wrong on its command line, and what is not installed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra

WHOLE = ("load", "-b", "x:1", "--topic", "orders", "--ledger", "ledger")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (WHOLE[:-2], "--ledger"),
        ((*WHOLE, "--duration", "soon"), "'soon' is no length of time"),
        ((*WHOLE, "--rate", "0"), "--rate"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = CliRunner().invoke(spark, WHOLE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr
