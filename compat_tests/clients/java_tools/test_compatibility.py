"""The tool with which Apache Kafka finds out what a broker can do for a client, and tools that measure and compare."""

from __future__ import annotations

import re
import subprocess

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import (
    CLIENT_COMPATIBILITY,
    CONSOLE_PRODUCER,
    END_TO_END_LATENCY,
    REPLICA_VERIFICATION,
    TOPICS,
    ToolError,
    Tools,
)

FEATURES = {
    "offsets-for-times-supported": "true",
    "cluster-id-supported": "true",
    "expect-record-too-large-exception": "false",
    "create-topics-supported": "true",
    "describe-configs-supported": "true",
    "idempotent-producer-supported": "true",
}
"""What every broker of these days has."""


@pytest.mark.api("Produce", "Fetch", "ListOffsets", "CreateTopics", "DescribeConfigs", "InitProducerId", "ApiVersions")
def test_client_compatibility(tools: Tools, broker: Broker, broker_kind: str, topic: str) -> None:
    """Kafka's system test runs it so. This broker has no ACLs and does not offer their APIs, so the tool is told so."""
    tools.create(topic)
    assert judge(tools, broker, topic, has_acls=broker_kind != "kafkacompat").splitlines()[-1] == "SUCCESS."


@pytest.mark.full
@pytest.mark.api("ApiVersions", "Metadata")
def test_client_compatibility_finds_what_is_otherwise(
    tools: Tools, broker: Broker, broker_kind: str, topic: str
) -> None:
    tools.create(topic)
    with pytest.raises(ToolError, match="describeAcls"):
        judge(tools, broker, topic, has_acls=broker_kind == "kafkacompat")


def judge(tools: Tools, broker: Broker, topic: str, *, has_acls: bool) -> str:
    """What the tool says of a broker that is said to have all features, and ACLs or not. Raises ToolError."""
    features = FEATURES | {"describe-acls-supported": str(has_acls).lower()}
    told = [part for name, value in features.items() for part in (f"--{name}", value)]
    nodes = len(broker.bootstrap_servers.split(","))
    tools.run(TOPICS, "--delete", "--topic", "newtopic", "--if-exists")  # the tool makes it and leaves it
    return tools.run(CLIENT_COMPATIBILITY, "--topic", topic, "--num-cluster-nodes", str(nodes), *told)


@pytest.mark.full
@pytest.mark.api("Produce", "Fetch", "CreateTopics")
def test_end_to_end_latency(tools: Tools, topic: str) -> None:
    output = tools.offline(END_TO_END_LATENCY, tools.bootstrap_servers, topic, "200", "1", "100")
    average = re.search(r"Avg latency: ([\d.]+) ms", output)
    assert average
    assert 0 < float(average[1]) < 1000


@pytest.mark.full
@pytest.mark.api("Fetch", "ListOffsets", "Metadata")
def test_replicas_are_alike(tools: Tools, topic: str) -> None:
    tools.create(topic, 2)
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="one\ntwo\nthree")
    command = tools.command(
        REPLICA_VERIFICATION, "--broker-list", tools.bootstrap_servers, "--topics-include", topic,
        "--time", "-2", "--report-interval-ms", "500", "--max-wait-ms", "100",
    )  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        try:
            assert running.stdout is not None
            found = [line for line, _ in zip(running.stdout, range(4), strict=False)]
        finally:
            running.kill()
    assert any(re.search(r"max lag is 0 for partition .* among 2 partitions", line) for line in found), found
