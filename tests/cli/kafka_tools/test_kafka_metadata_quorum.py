"""`kafka-metadata-quorum describe` on one node and on three. `compat_tests/kafka_tools` compares with Kafka's tool."""

from __future__ import annotations

import re

import pytest

from kafkacompat import Cluster
from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.cli.kafka_tools.kafka_metadata_quorum import run


@pytest.mark.parametrize("brokers", [1, 3])
def test_the_status_and_the_replicas(brokers: int, capsys: pytest.CaptureFixture[str]) -> None:
    with Cluster(brokers=brokers) as kafka:
        at = ["--bootstrap-server", kafka.bootstrap_servers, "describe"]
        assert run([*at, "--status"]) == 0
        status = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
        assert status["ClusterId:"] == kafka.cluster_id
        assert set(re.findall(r'"id": (\d+)', status["CurrentVoters:"])) == {str(n + 1) for n in range(brokers)}
        assert status["CurrentObservers:"] == "[]"
        assert run([*at, "--replication"]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        assert [row[6].strip() for row in rows] == ["Status", "Leader", *["Follower"] * (brokers - 1)]
        assert rows[1][0].strip() == status["LeaderId:"]
        assert run([*at, "--replication", "--human-readable"]) == 0
        assert " ms ago" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "too few arguments"), (["shoe"], "invalid choice: 'shoe'"), (["describe"], "One of --status"),
        (["describe", "--status", "--replication"], "Only one of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_kafkas_words(arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        run(arguments)


def test_voters_are_not_changed() -> None:
    with pytest.raises(ToolError, match="add-controller is not supported here"):
        run(["add-controller"])
