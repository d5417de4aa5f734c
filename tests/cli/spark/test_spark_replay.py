"""`kafkacompat spark replay` without Spark: what is wrong on its command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra

NEEDED = ("replay", "--from", "x", "-b", "a:1")


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("--topic-map", "orders"), 2, "--topic-map orders: NAME=OTHER, such as orders=orders_ci"),
        (("--until-time", "noon"), 2, "'noon' is neither ms nor a time such as"),
        (("--speed", "fast"), 1, "speed is max, realtime, or times of it such as 10x, not 'fast'"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], status: int, told: str) -> None:
    result = CliRunner().invoke(spark, [*NEEDED, *arguments])
    assert (result.exit_code, result.stdout) == (status, "")
    assert told in result.stderr


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = CliRunner().invoke(spark, [*NEEDED, "--topic-map", "orders=other", "--speed", "10x"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr
