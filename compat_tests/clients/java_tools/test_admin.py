"""The tools that look after topics, configs, groups and offsets."""

from __future__ import annotations

import json
import re
import time

import pytest

from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import (
    API_VERSIONS,
    CLUSTER,
    CONFIGS,
    CONSOLE_CONSUMER,
    CONSOLE_PRODUCER,
    DELETE_RECORDS,
    FEATURES,
    GROUPS,
    LOG_DIRS,
    OFFSETS,
    TOPICS,
    ToolError,
    Tools,
    table,
)

pytestmark = pytest.mark.api("Metadata")


def produce(tools: Tools, topic: str, count: int) -> None:
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(f"line {n}" for n in range(count)))


@pytest.mark.full
@pytest.mark.api("CreateTopics", "CreatePartitions", "DeleteTopics", "DescribeConfigs")
def test_topics(tools: Tools, topic: str) -> None:
    tools.create(topic, 3, retention_ms="1234567", cleanup_policy="compact")
    described = tools.run(TOPICS, "--describe", "--topic", topic)
    summary, *partitions = described.splitlines()
    assert "PartitionCount: 3" in summary
    assert "ReplicationFactor: 1" in summary
    assert set(re.search(r"Configs: (\S*)", summary)[1].split(",")) >= {  # type: ignore[index]
        "cleanup.policy=compact", "retention.ms=1234567"
    }  # fmt: skip
    assert [re.search(r"Partition: (\d+)", line)[1] for line in partitions] == ["0", "1", "2"]  # type: ignore[index]
    assert all(re.search(r"Leader: (\d+)\s+Replicas: \1\s+Isr: \1\b", line) for line in partitions)
    tools.run(TOPICS, "--alter", "--topic", topic, "--partitions", "5")
    assert "PartitionCount: 5" in tools.run(TOPICS, "--describe", "--topic", topic)
    assert topic in tools.run(TOPICS, "--list").split()
    tools.run(TOPICS, "--delete", "--topic", topic)
    assert topic not in tools.run(TOPICS, "--list").split()


@pytest.mark.full
@pytest.mark.api("CreateTopics", "CreatePartitions")
def test_topic_errors(tools: Tools, topic: str) -> None:
    tools.create(topic)
    for arguments, error in [
        (("--create", "--topic", topic), "TopicExistsException"),
        (("--create", "--topic", topic + "!"), "InvalidTopicException"),
        (("--create", "--topic", topic + "2", "--replication-factor", "2"), "InvalidReplicationFactorException"),
        (("--alter", "--topic", topic, "--partitions", "1"), "InvalidPartitionsException"),
    ]:
        with pytest.raises(ToolError) as caught:
            tools.run(TOPICS, *arguments)
        assert error in caught.value.output
    tools.run(TOPICS, "--create", "--topic", topic, "--if-not-exists")


@pytest.mark.full
@pytest.mark.api("IncrementalAlterConfigs", "DescribeConfigs")
def test_configs(tools: Tools, topic: str) -> None:
    tools.create(topic, retention_ms="1000000")
    entity = ("--entity-type", "topics", "--entity-name", topic)
    tools.run(CONFIGS, "--alter", *entity, "--add-config", "max.message.bytes=5000,cleanup.policy=[compact,delete]")
    described = tools.run(CONFIGS, "--describe", *entity)
    assert set(re.findall(r"^\s+([\w.]+)=(\S+) sensitive=false", described, re.M)) == {
        ("retention.ms", "1000000"), ("max.message.bytes", "5000"), ("cleanup.policy", "compact,delete")
    }  # fmt: skip
    tools.run(CONFIGS, "--alter", *entity, "--delete-config", "retention.ms,max.message.bytes")
    described = tools.run(CONFIGS, "--describe", *entity, "--all")
    values = dict(re.findall(r"^\s+([\w.]+)=(\S*) sensitive=", described, re.M))
    assert (values["retention.ms"], values["max.message.bytes"]) == ("604800000", "1048588")
    with pytest.raises(ToolError) as caught:
        tools.run(CONFIGS, "--alter", *entity, "--add-config", "retention.ms=soon")
    assert "InvalidConfigurationException" in caught.value.output


@pytest.mark.full
@pytest.mark.api("ListOffsets")
def test_offsets(tools: Tools, topic: str) -> None:
    tools.create(topic, 2)
    produce(tools, topic, 20)
    an_hour_from_now = str(int(time.time() * 1000) + 3_600_000)

    def offsets(when: str) -> dict[int, int]:
        lines = tools.run(OFFSETS, "--topic", topic, "--time", when).split()
        return {int(line.split(":")[1]): int(line.split(":")[2]) for line in lines}

    ends = offsets("latest")
    assert sum(ends.values()) == 20
    assert offsets("earliest") == {0: 0, 1: 0}
    # A partition without a record at or after the time has no line to show.
    assert {partition: offset for partition, offset in offsets("0").items() if ends[partition]} == {
        partition: 0 for partition, end in ends.items() if end
    }
    newest = offsets("max-timestamp")
    assert all(0 <= newest[partition] < end for partition, end in ends.items() if end)
    assert offsets(an_hour_from_now) == {}


@pytest.mark.full
@pytest.mark.api("ListGroups", "DescribeGroups", "OffsetCommit", "OffsetFetch", "OffsetDelete", "DeleteGroups")
def test_groups(tools: Tools, topic: str, group: str) -> None:
    produce(tools, topic, 10)
    tools.run(
        CONSOLE_CONSUMER, "--topic", topic, "--group", group, "--from-beginning", "--max-messages", "4",
        "--command-property", "max.poll.records=4",
    )  # fmt: skip
    assert group in tools.run(GROUPS, "--list").split()
    row = table(tools.run(GROUPS, "--describe", "--group", group))[0]
    assert (row["TOPIC"], row["CURRENT-OFFSET"], row["LOG-END-OFFSET"], row["LAG"]) == (topic, "4", "10", "6")
    state = table(tools.run(GROUPS, "--describe", "--group", group, "--state"))[0]
    assert "Empty" in state.values()
    for target, expected in [(("--to-earliest",), "0"), (("--shift-by", "7"), "7"), (("--to-latest",), "10")]:
        output = tools.run(GROUPS, "--group", group, "--topic", topic, "--reset-offsets", *target, "--execute")
        assert "NEW-OFFSET" in output
        assert output.split()[-1] == expected  # 3.9 has the row in the line of the header
    tools.run(GROUPS, "--group", group, "--topic", topic, "--delete-offsets")
    tools.run(GROUPS, "--group", group, "--delete")
    assert group not in tools.run(GROUPS, "--list").split()
    assert "GroupIdNotFoundException" in tools.run(GROUPS, "--group", group, "--delete")


@pytest.mark.full
@pytest.mark.api("DescribeGroups", "DeleteGroups")
def test_active_group_is_described(tools: Tools, topic: str, group: str) -> None:
    produce(tools, topic, 3)
    reader = tools.start(CONSOLE_CONSUMER, "--topic", topic, "--group", group, "--from-beginning")
    try:
        assert reader.stdout is not None
        assert [reader.stdout.readline().strip() for _ in range(3)] == ["line 0", "line 1", "line 2"]
        row = table(tools.run(GROUPS, "--describe", "--group", group, "--members", "--verbose"))[0]
        assert row["CONSUMER-ID"].startswith("console-consumer-")
        assert row["#PARTITIONS"] == "1"
        assert "Stable" in table(tools.run(GROUPS, "--describe", "--group", group, "--state"))[0].values()
        assert "GroupNotEmptyException" in tools.run(GROUPS, "--group", group, "--delete")
    finally:
        reader.terminate()
        reader.wait(20)
        reader.stdout.close()  # type: ignore[union-attr]


@pytest.mark.full
@pytest.mark.api("DeleteRecords", "DescribeLogDirs")
def test_delete_records_and_log_dirs(tools: Tools, topic: str) -> None:
    produce(tools, topic, 10)
    wanted = {"version": 1, "partitions": [{"topic": topic, "partition": 0, "offset": 6}]}
    output = tools.run(DELETE_RECORDS, "--offset-json-file", tools.file("delete.json", json.dumps(wanted)))
    assert f"{topic}-0\tlow_watermark: 6" in output
    assert tools.run(OFFSETS, "--topic", topic, "--time", "-2").strip() == f"{topic}:0:6"
    output = tools.run(LOG_DIRS, "--describe", "--topic-list", topic)
    described = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    partitions = [
        part for node in described["brokers"] for log_dir in node["logDirs"] for part in log_dir["partitions"]
    ]
    assert [(part["partition"], part["isFuture"], part["offsetLag"]) for part in partitions] == [
        (f"{topic}-0", False, 0)
    ]
    assert partitions[0]["size"] > 0


@pytest.mark.api("DescribeCluster", "ApiVersions")
def test_cluster_features_versions(tools: Tools, broker: Broker) -> None:
    printed = tools.offline(CLUSTER, "cluster-id", "--bootstrap-server", tools.bootstrap_servers)
    assert re.fullmatch(r"Cluster ID: \S{16,}\s*", printed)
    features = tools.run(FEATURES, "describe")
    found = dict(re.findall(r"Feature: (\S+)\s.*FinalizedVersionLevel: (\S+)", features))
    known = tools.version == KAFKA_VERSION  # an older tool has no name for the level of today
    assert re.fullmatch(r"\d\.\d-IV\d+" if known else "UNKNOWN", found["metadata.version"])
    versions = tools.run(API_VERSIONS)
    listed = re.findall(r"(\w+)\((\d+)\): (\d+) to (\d+)", versions)
    assert {"Produce", "Fetch", "Metadata", "ApiVersions", "CreateTopics"} <= {name for name, *_ in listed}
    assert broker.bootstrap_servers.rpartition(":")[2] in versions
