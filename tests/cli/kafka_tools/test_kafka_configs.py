"""`kafka-configs` against a broker. `compat_tests/kafka_tools` compares it with Kafka's tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.cli import kafka_tools
from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.cli.kafka_tools.kafka_configs import added, run

TOOL = "kafka-configs"


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(topics=["orders"]) as kafka:
        yield kafka.bootstrap_servers


def test_topics_are_altered_and_described(servers: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    at = ["--bootstrap-server", servers]
    file = tmp_path / "more.properties"
    file.write_text("segment.ms=7000\n")
    add = ["--add-config", "retention.ms=5000,cleanup.policy=[compact,delete]", "--add-config-file", str(file)]
    assert run([*at, "--alter", "--topic", "orders", *add]) == 0
    assert (
        run([*at, "--alter", "--entity-type", "topics", "--entity-name", "orders", "--delete-config", "segment.ms"])
        == 0
    )
    assert capsys.readouterr().out == "Completed updating config for topic orders.\n" * 2
    assert run([*at, "--describe", "--topic", "orders"]) == 0
    synonyms = "{DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact,delete, DEFAULT_CONFIG:log.cleanup.policy=delete}"
    assert capsys.readouterr().out.splitlines() == [
        "Dynamic configs for topic orders are:",
        f"  cleanup.policy=compact,delete sensitive=false synonyms={synonyms}",
        "  retention.ms=5000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=5000}",
    ]
    assert run([*at, "--describe", "--entity-type", "topics", "--all"]) == 0
    assert "All configs for topic orders are:\n" in capsys.readouterr().out
    assert run([*at, "--describe", "--topic", "missing"]) == 0
    assert capsys.readouterr().out == "The topic 'missing' doesn't exist and doesn't have dynamic config.\n"


def test_brokers_one_and_all(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--bootstrap-server", servers]
    assert (
        run([*at, "--alter", "--entity-type", "brokers", "--entity-default", "--add-config", "log.cleaner.threads=2"])
        == 0
    )
    assert run([*at, "--describe", "--entity-type", "brokers"]) == 0
    described = capsys.readouterr().out
    assert described.startswith("Completed updating default config for brokers in the cluster.\n")
    assert "Dynamic configs for broker 1 are:\nDefault configs for brokers in the cluster are:\n" in described
    assert "log.cleaner.threads=2 sensitive=false" in described
    assert run([*at, "--describe", "--group", "nobody"]) == 0
    assert "The group 'nobody' doesn't exist" in capsys.readouterr().out


def test_what_is_refused_is_named(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--bootstrap-server", servers]
    assert run([*at, "--alter", "--topic", "orders", "--add-config", "retention.ms=soon"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"Error while executing config command with args '{' '.join(at)} --alter")
    assert "org.apache.kafka.common.errors.InvalidConfigurationException: " in error
    for arguments, says in (
        (["--describe"], "At least one entity type"),
        (["--describe", "--topic", "a"], "--bootstrap-server or --bootstrap-controller"),
        (["--describe", "--entity-type", "shoes"], "Invalid entity type shoes"),
        ([*at, "--alter", "--topic", "orders"], "At least one of --add-config"),
        ([*at, "--alter", "--entity-type", "topics", "--add-config", "a=b"], "An entity name"),
    ):
        with pytest.raises(UsageError, match=says):
            run(arguments)
    with pytest.raises(ToolError, match="clients: only topics, brokers, groups, users"):
        run([*at, "--describe", "--entity-type", "clients"])
    assert kafka_tools.run(TOOL, ["--unheard"]) == 1
    assert capsys.readouterr().err.startswith("unheard is not a recognized option")


def test_brackets_hold_values_with_commas() -> None:
    assert added("a=1,b=[c,d],e=") == {"a": "1", "b": "c,d", "e": ""}
    with pytest.raises(UsageError, match="key=val"):
        added("a")
