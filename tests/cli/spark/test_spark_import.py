"""`kafkacompat spark import` without Spark: what is wrong on its command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra

NEEDED = ("import", "--from", "x", "--log-dir", "y")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--partitions", "orders"), "--partitions orders: TOPIC=N, such as orders=6"),
        (("--partitions", "orders=0"), "--partitions orders=0: TOPIC=N"),
        (("--topic-config", "retention.ms=-1"), "--topic-config retention.ms=-1: TOPIC:KEY=VALUE, such as"),
        (("--until-time", "noon"), "'noon' is neither ms nor a time such as"),
        (("--compression", "rar"), "'rar' is not one of"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(spark, [*NEEDED, *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    arguments = [*NEEDED, "--partitions", "orders=6", "--topic-config", "orders:retention.ms=-1"]
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr
