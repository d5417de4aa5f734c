"""`--command-config` and `--command-property` of the verbs of `kafkacompat spark`, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.spark.spark_cluster import cluster_of, needed
from kafkacompat.cli.spark.spark_verbs import spark

VERBS = (
    ("archive", "--to", "x"),
    ("capture", "--out", "x"),
    ("replay", "--from", "x"),
    ("load", "--topic", "t", "--ledger", "x"),
    ("audit", "ledger", "--ledger", "x"),
)


def test_pairs_win_over_the_file_and_the_flag_over_both(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("bootstrap.servers=a:1\nsecurity.protocol=SSL\n# none\nfetch.min.bytes : 9\n")
    pairs = ("fetch.min.bytes=10", "x=y=z")
    rest = {"security.protocol": "SSL", "fetch.min.bytes": "10", "x": "y=z"}
    assert cluster_of(None, str(file), pairs) == ("a:1", rest)
    assert cluster_of("b:2", str(file), pairs) == ("b:2", rest)
    assert cluster_of(None, None, ()) == (None, {})
    with pytest.raises(VerbError, match=r"give --bootstrap-servers, or bootstrap\.servers in --command-config"):
        needed(None)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("--command-config", "no/such.file"), 2, "--command-config no/such.file: No such file or directory"),
        (("--command-property", "none"), 2, "--command-property none: KEY=VALUE, such as security.protocol=SSL"),
        (("--command-property", "=x"), 2, "--command-property =x: KEY=VALUE"),
        (("--command-property", "security.protocol=TLS"), 7, "security.protocol is one of PLAINTEXT, SSL,"),
    ],
)
def test_what_is_wrong_is_said(verb: tuple[str, ...], arguments: tuple[str, ...], status: int, told: str) -> None:
    result = CliRunner().invoke(spark, [*verb, "-b", "a:1", *arguments])
    assert (result.exit_code, result.stdout) == (status, "")
    assert told in result.stderr


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_cluster_is_needed(verb: tuple[str, ...]) -> None:
    result = CliRunner().invoke(spark, [*verb])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give --bootstrap-servers" in result.stderr


@pytest.mark.parametrize("option", ["--a-config", "--b-config"])
def test_each_of_two_clusters_has_its_own(option: str, tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("security.protocol=SASL\n")
    for path, status, told in (
        ("none", 2, f"{option} none: No such file"),
        (str(file), 7, "security.protocol is one of"),
    ):
        result = CliRunner().invoke(spark, ["audit", "clusters", "--a", "a:1", "--b", "b:1", option, path])
        assert (result.exit_code, result.stdout) == (status, "")
        assert told in result.stderr
