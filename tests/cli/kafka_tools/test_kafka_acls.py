"""`kafka-acls` against a broker, which has no authorizer. `compat_tests/kafka_tools` compares it with Kafka's tool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.cli import kafka_tools


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as kafka:
        yield kafka.bootstrap_servers


def test_the_broker_has_no_acls(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--bootstrap-server", servers]
    allow = ["--allow-principal", "User:ann", "--operation", "Read", "--topic", "orders"]
    says = "Error while executing ACL command: org.apache.kafka.common.errors.SecurityDisabledException: No Authorizer"
    for arguments, end in (
        (["--list"], " is configured on the broker\n"), (["--add", *allow], " is configured on the broker\n"),
        (["--remove", *allow, "--force"], " is configured\n"),
    ):  # fmt: skip
        assert kafka_tools.run("kafka-acls", [*at, *arguments]) == 1
        assert capsys.readouterr().out == says + end
    for arguments, wrong in (
        (["--list"], "One of --bootstrap-server or --bootstrap-controller must be specified"),
        (at, "Command must include exactly one action: --list, --add, --remove."),
        ([*at, "--add", "--topic", "a"], "You must specify one of: --allow-principal, --deny-principal"),
        ([*at, "--add", "--allow-principal", "User:ann"], "You must provide at least one resource"),
    ):
        assert kafka_tools.run("kafka-acls", arguments) == 1
        assert capsys.readouterr().err.startswith(wrong)
