"""`kafkacompat spark` without Spark: what is wrong on its command line, and what is not installed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("archive", "--to", "x"), "give --bootstrap-servers or --log-dir, one of them"),
        (("archive", "--to", "x", "-b", "a:1", "--log-dir", "d"), "give --bootstrap-servers or --log-dir, one of them"),
        (("archive", "--to", "x", "-b", "a:1", "--until-time", "noon"), "'noon' is neither ms nor a time such as"),
        *(
            (("archive", "--to", "x", "-b", "a:1", "--until-offsets", text), "is not offsets such as")
            for text in ("4", "{", "{}", '{"t": 4}', '{"t": {"a": 4}}', '{"t": {"0": "4"}}')
        ),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize("arguments", [("verify-archive", "x"), ("archive", "--to", "x", "-b", "a:1")])
def test_without_the_extra_it_is_named(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'kafkacompat[spark]'" in result.stderr
