"""The tools that ask a broker, against one, with the output of Apache Kafka's tools."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.cli import kafka_tools
from kafkacompat.cli.kafka_tools import (
    broker_api_versions,
    console_consumer,
    console_producer,
    container_health,
    get_offsets,
    kafka_cluster,
    kafka_topics,
    tool_client,
)
from kafkacompat.cli.kafka_tools.arguments import ToolError


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as kafka:
        yield kafka.bootstrap_servers


def test_a_topic_from_its_creation_to_its_end(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--bootstrap-server", servers, "--topic", "orders"]
    assert kafka_topics.run(["--create", *at, "--partitions", "2", "--config", "retention.ms=5000"]) == 0
    assert capsys.readouterr().out == "Created topic orders.\n"
    assert kafka_topics.run(["--create", *at, "--if-not-exists"]) == 0
    assert kafka_tools.run("kafka-topics", ["--create", *at]) == 1
    assert capsys.readouterr().out == "Error while executing topic command : Topic 'orders' already exists.\n"
    assert kafka_topics.run(["--alter", *at, "--partitions", "3"]) == 0
    assert kafka_topics.run(["--describe", *at]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"Topic: orders\tTopicId: \S{22}\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \S*retention.ms=5000\S*",
        first,
    )
    assert rest[2].startswith("\tTopic: orders\tPartition: 2\tLeader: 1\tReplicas: 1\tIsr: 1")
    assert kafka_topics.run(["--list", "--bootstrap-server", servers, "--exclude-internal"]) == 0
    assert "orders\n" in capsys.readouterr().out
    assert kafka_topics.run(["--delete", *at]) == 0
    capsys.readouterr()
    assert kafka_topics.run(["--delete", *at]) == 1
    expected = "Error while executing topic command : Topic 'orders' does not exist as expected\n"
    assert capsys.readouterr().out == expected
    assert kafka_topics.run(["--delete", *at, "--if-exists"]) == 0


def test_lines_go_in_and_come_out(
    servers: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = ["--bootstrap-server", servers, "--topic", "lines"]
    stdin = io.TextIOWrapper(io.BytesIO(b"a:one\nb:two\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert console_producer.run([*at, "--property", "parse.key=true", "--property", "key.separator=:"]) == 0
    keys = ["--property", "print.key=true", "--property", "key.separator=-"]
    assert console_consumer.run([*at, "--from-beginning", "--max-messages", "2", *keys]) == 0
    printed = capsys.readouterr()
    assert printed.out == "a-one\nb-two\n"
    assert printed.err == "Processed a total of 2 messages\n"
    assert console_consumer.run([*at, "--partition", "0", "--offset", "1", "--timeout-ms", "200"]) == 0
    assert capsys.readouterr().out == "two\n"
    assert get_offsets.run(at) == 0
    assert get_offsets.run([*at, "--time", "earliest"]) == 0
    assert capsys.readouterr().out == "lines:0:2\nlines:0:0\n"


def test_brokers_and_the_cluster_are_named(servers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert broker_api_versions.run(["--bootstrap-server", servers]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == f"{servers} (id: 1 rack: null isFenced: false) -> ("
    assert "\tProduce(0): " in printed
    assert kafka_cluster.run(["cluster-id", "--bootstrap-server", servers]) == 0
    assert re.fullmatch(r"Cluster ID: \S{22}\n", capsys.readouterr().out)
    assert kafka_cluster.run(["list-endpoints", "--bootstrap-server", servers]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE"]
    assert container_health.check(servers.replace("localhost", "127.0.0.1")) == 1


def test_what_is_not_there_is_named() -> None:
    at = ["--bootstrap-server", "127.0.0.1:1", "--topic", "a"]
    for tool, arguments, says in (
        (kafka_topics.run, at, "exactly one action: --list, --describe, --create, --alter or --delete"),
        (kafka_topics.run, ["--list"], "--bootstrap-server must be specified"),
        (console_consumer.run, at[:2], r"required: \[topic\], \[include\]"),
        (console_consumer.run, [*at, "--group", "g", "--partition", "0"], "group and partition"),
        (console_consumer.run, [*at, "--offset", "1"], "partition is required"),
        (console_consumer.run, [*at, "--property", "print.colour=true"], "is not supported here"),
        (console_producer.run, [*at, "--property", "parse.headers=true"], "is not supported here"),
        (kafka_cluster.run, ["unregister"], "cluster-id, list-endpoints"),
        (kafka_cluster.run, [], "too few arguments"),
        (get_offsets.run, [*at, "--time", "noon"], "Malformed time argument noon"),
        (get_offsets.run, ["--unheard"], "Error occurred: unheard is not a recognized option"),
    ):
        with pytest.raises(ToolError, match=says):
            tool(arguments)
    assert tool_client.pairs_of(["a=1,b=2", "c=d=e"]) == {"a": "1,b=2", "c": "d=e"}
