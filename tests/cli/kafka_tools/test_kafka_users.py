"""`kafka-configs` for users, of which the broker has none. `compat_tests/kafka_tools` compares it with Kafka's tool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.cli import kafka_tools


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as kafka:
        yield kafka.bootstrap_servers


def test_the_broker_has_no_users(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    ann = ["--bootstrap-server", servers, "--entity-type", "users", "--entity-name", "ann"]
    assert kafka_tools.run("kafka-configs", [*ann, "--describe"]) == 0
    assert capsys.readouterr() == ("", "")
    for config, says in (
        ("SCRAM-SHA-512=[password=x]", "The node does not support ALTER_USER_SCRAM_CREDENTIALS"),
        ("producer_byte_rate=1", "The node does not support ALTER_CLIENT_QUOTAS"),
        ("shoe=1", "Unexpected config names: Set(shoe)"),
    ):
        assert kafka_tools.run("kafka-configs", [*ann, "--alter", "--add-config", config]) == 1
        assert says in capsys.readouterr().err
