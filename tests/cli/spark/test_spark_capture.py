"""`kafkacompat spark capture` without Spark: what is wrong on its command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give --bootstrap-servers, --log-dir or --from, one of them"),
        (("-b", "a:1", "--from", "x"), "give --bootstrap-servers, --log-dir or --from, one of them"),
        (("-b", "a:1", "--from-time", "noon"), "--from-time: 'noon' is neither ms nor a time such as"),
        (("-b", "a:1", "--to-time", "noon"), "--to-time: 'noon' is neither ms nor a time such as"),
        (("-b", "a:1", "--from-offsets", "{}"), "--from-offsets: '{}' is not offsets such as"),
        (("-b", "a:1", "--topic-config", "orders"), "--topic-config orders: TOPIC:KEY=VALUE"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(spark, ["capture", "--out", "x.kcf", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = CliRunner().invoke(spark, ["capture", "--out", "x.kcf", "-b", "a:1", "--sample-keys", "1/100"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr
