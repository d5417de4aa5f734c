"""Apache Kafka's own tools for clusters, on three nodes that are all there, and on three of which one is not."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from compat_tests.artifacts import KAFKA_VERSION, Artifact, java_program, resolve
from compat_tests.chaos.nodes import Nodes
from compat_tests.clients.java_tools.tools import (
    CLUSTER,
    DUMP_LOG,
    FEATURES,
    REPLICA_VERIFICATION,
    TOPICS,
    ToolError,
    Tools,
)
from compat_tests.cluster.party import Party
from compat_tests.tool_jvm.tools import JVM_OPTIONS

REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
LEADER_ELECTION = "org.apache.kafka.tools.LeaderElectionCommand"
METADATA_QUORUM = "org.apache.kafka.tools.MetadataQuorumCommand"
TRIES = 5
METADATA_SHELL = "org.apache.kafka.shell.MetadataShell"
FIRST = "00000000000000000000"
WAIT_S = 30.0
pytestmark = pytest.mark.api("Metadata")


@pytest.fixture
def tools(nodes: Nodes, tmp_path: Path) -> Tools:
    return Tools(nodes.bootstrap_servers, tmp_path)


def said(tools: Tools, expected: str, main_class: str, *arguments: str) -> str:
    """What the tool prints, run again until it says something. A tool that fails meanwhile may do better later."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            output = tools.run(main_class, *arguments)
        except ToolError as error:
            output = error.output
        if re.search(expected, output):
            return output
        assert time.monotonic() < deadline, output
        time.sleep(0.2)


def described(output: str) -> list[tuple[int, int, str, set[int]]]:
    """Partition, leader, replicas and who is in sync, of each line that describes a partition."""
    pattern = r"Partition: (\d+)\s+Leader: (\S+)\s+Replicas: (\S+)\s+Isr: (\S*)"
    return [
        (int(part), int(leader) if leader != "none" else -1, replicas, {int(each) for each in isr.split(",") if each})
        for part, leader, replicas, isr in re.findall(pattern, output)
    ]


@pytest.mark.api("DescribeTopicPartitions", "DescribeCluster", "ListPartitionReassignments")
def test_topics_that_are_not_well(party: Party, tools: Tools) -> None:
    name = party.create([[1, 2, 3], [2, 3, 1]], min_insync_replicas="2")
    alone = party.create([[3]], "-alone")
    whole = tools.run(TOPICS, "--describe", "--topic", name)
    assert described(whole) == [(0, 1, "1,2,3", {1, 2, 3}), (1, 2, "2,3,1", {1, 2, 3})]
    assert "ReplicationFactor: 3" in whole
    assert described(tools.run(TOPICS, "--describe", "--under-replicated-partitions")) == []
    try:
        party.stop(3)
        party.wait_for(name, [{"isr": {1, 2}}, {"isr": {1, 2}}])
        under = tools.run(TOPICS, "--describe", "--under-replicated-partitions", "--topic", name)
        assert described(under) == [(0, 1, "1,2,3", {1, 2}), (1, 2, "2,3,1", {1, 2})]
        at_min = tools.run(TOPICS, "--describe", "--at-min-isr-partitions", "--topic", name)
        assert described(at_min) == described(under)
        assert described(tools.run(TOPICS, "--describe", "--under-min-isr-partitions", "--topic", name)) == []
        missing = tools.run(TOPICS, "--describe", "--unavailable-partitions")
        assert re.search(rf"Topic: {alone}\s+Partition: 0\s+Leader: none", missing)
    finally:
        party.restore()
    assert described(tools.run(TOPICS, "--describe", "--under-replicated-partitions")) == []


@pytest.mark.api("CreateTopics")
def test_replicas_that_are_asked_for(party: Party, tools: Tools) -> None:
    name = party.topic
    tools.run(TOPICS, "--create", "--topic", name, "--partitions", "2", "--replication-factor", "3")
    party.wait_for(name, [{"isr": {1, 2, 3}}] * 2)
    tools.run(TOPICS, "--create", "--topic", name + "-b", "--replica-assignment", "3:1,2:3")
    party.wait_for(name + "-b", [{"replicas": (3, 1)}, {"replicas": (2, 3)}])
    with pytest.raises(ToolError, match="replication factor"):
        tools.run(TOPICS, "--create", "--topic", name + "-c", "--replication-factor", "4")


@pytest.mark.api(
    "AlterPartitionReassignments", "ListPartitionReassignments", "DescribeTopicPartitions", "IncrementalAlterConfigs"
)
def test_reassign_partitions(party: Party, tools: Tools) -> None:
    name = party.create([[1, 2], [2, 3]])
    party.produce(1, name, 100)
    chosen = tools.file("topics.json", json.dumps({"version": 1, "topics": [{"topic": name}]}))
    generated = tools.run(REASSIGN, "--topics-to-move-json-file", chosen, "--broker-list", "1,2,3", "--generate")
    assert f'"topic":"{name}"' in generated.partition("Proposed partition reassignment configuration")[2]
    wanted = [{"topic": name, "partition": 0, "replicas": [3, 1]}, {"topic": name, "partition": 1, "replicas": [1, 3]}]
    plan = tools.file("plan.json", json.dumps({"version": 1, "partitions": wanted}))
    started = tools.run(REASSIGN, "--reassignment-json-file", plan, "--execute", "--throttle", "50000000")
    assert f"Successfully started partition reassignments for {name}-0,{name}-1" in started
    party.wait_for(name, [{"replicas": (3, 1), "isr": {1, 3}}, {"replicas": (1, 3), "isr": {1, 3}}])
    verified = said(tools, rf"{name}-0 is completed", REASSIGN, "--reassignment-json-file", plan, "--verify")
    assert f"Reassignment of partition {name}-1 is completed" in verified
    assert "Clearing broker-level throttles" in verified
    assert "No partition reassignments found" in tools.run(REASSIGN, "--list")


@pytest.mark.full
@pytest.mark.api("AlterPartitionReassignments", "ListPartitionReassignments")
def test_a_reassignment_that_is_taken_back(party: Party, tools: Tools) -> None:
    name = party.create([[1, 2]])
    plan = tools.file(
        "plan.json", json.dumps({"version": 1, "partitions": [{"topic": name, "partition": 0, "replicas": [3, 1]}]})
    )
    try:
        party.stop(3)
        party.reassign(name, 0, [3, 1])
        party.wait_for(name, [{"replicas": (3, 1, 2)}])
        assert re.search(rf"{name}-0: replicas: 3,1,2. adding: 3. removing: 2.", tools.run(REASSIGN, "--list"))
        cancelled = tools.run(REASSIGN, "--reassignment-json-file", plan, "--cancel", "--preserve-throttles")
        assert re.search(f"Successfully cancelled partition reassignments? for: {name}-0", cancelled)
        party.wait_for(name, [{"replicas": (1, 2)}])
    finally:
        party.restore()


@pytest.mark.full
@pytest.mark.api("ElectLeaders")
def test_leader_election(party: Party, tools: Tools) -> None:
    name = party.create([[3, 1, 2]])
    arguments = ("--election-type", "preferred", "--topic", name, "--partition", "0")
    try:
        party.stop(3)
        party.wait_for(name, [{"leader": 1}])
    finally:
        party.restore(elects=False)
    assert f"Successfully completed leader election (PREFERRED) for partitions {name}-0" in said(
        tools, "Successfully completed", LEADER_ELECTION, *arguments
    )
    party.wait_for(name, [{"leader": 3}])
    assert f"Valid replica already elected for partitions {name}-0" in tools.run(LEADER_ELECTION, *arguments)


@pytest.mark.api("DescribeQuorum")
def test_metadata_quorum(nodes: Nodes, tools: Tools) -> None:
    status = dict(re.findall(r"^(\w+):\s+(.*?)\s*$", tools.run(METADATA_QUORUM, "describe", "--status"), re.M))
    assert status["ClusterId"] == nodes.cluster_id
    assert int(status["LeaderId"]) in nodes.nodes
    assert int(status["HighWatermark"]) > 0
    assert [voter["id"] for voter in json.loads(status["CurrentVoters"])] == [1, 2, 3]
    assert json.loads(status["CurrentObservers"]) == []
    lines = tools.run(METADATA_QUORUM, "describe", "--replication").splitlines()
    assert lines[0].split() == [
        "NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp", "Status",
    ]  # fmt: skip
    rows = [line.split() for line in lines[1:]]
    assert sorted((row[0], row[-1]) for row in rows) in [
        sorted((str(node), "Leader" if node == leader else "Follower") for node in (1, 2, 3)) for leader in (1, 2, 3)
    ]
    assert all(int(row[3]) < 100 for row in rows)


@pytest.mark.full
@pytest.mark.api("Fetch", "ListOffsets")
def test_replica_verification(party: Party, tools: Tools) -> None:
    """It fetches from every replica with a replica id of -2 and compares what it gets."""
    name = party.create([[1, 2, 3], [2, 3, 1]])
    for partition, leader in ((0, 1), (1, 2)):
        party.produce(leader, name, 200, partition)
    command = tools.command(
        REPLICA_VERIFICATION, "--broker-list", tools.bootstrap_servers, "--topics-include", name,
        "--report-interval-ms", "300",
    )  # fmt: skip
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert running.stdout is not None
        lines: list[str] = []
        deadline = time.monotonic() + WAIT_S
        while len([line for line in lines if "max lag is 0" in line]) < 2:
            assert time.monotonic() < deadline, lines
            line = running.stdout.readline()
            assert line, lines
            lines.append(line)
        assert re.search(r"max lag is 0 for partition \S+ at offset \d+ among 2 partitions", "".join(lines))
    finally:
        running.kill()
        running.communicate()


@pytest.mark.full
@pytest.mark.api("DescribeCluster", "UnregisterBroker")
def test_cluster(nodes: Nodes, party: Party, tools: Tools) -> None:
    at = ("--bootstrap-server", tools.bootstrap_servers)
    assert nodes.cluster_id in tools.offline(CLUSTER, "cluster-id", *at)
    rows = [line.split() for line in tools.offline(CLUSTER, "list-endpoints", *at).splitlines()]
    assert sorted((row[0], row[2], row[3]) for row in rows[1:]) == [
        (str(node), nodes.address_of(node).rpartition(":")[2], f"rack-{node}") for node in (1, 2, 3)
    ]
    with pytest.raises(ToolError, match=r"not (currently )?registered"):
        tools.offline(CLUSTER, "unregister", *at, "--id", "9")
    try:
        party.stop(3)
        assert "no longer registered" in tools.offline(CLUSTER, "unregister", *at, "--id", "3")
    finally:
        party.restore()


@pytest.mark.api("ApiVersions")
def test_features(tools: Tools) -> None:
    pattern = r"Feature: (\S+)\s+SupportedMinVersion: (\S+)\s+SupportedMaxVersion: (\S+)\s+FinalizedVersionLevel: (\S+)"
    found = {name: levels for name, *levels in re.findall(pattern, tools.run(FEATURES, "describe"))}
    assert found["metadata.version"][2] == "4.3-IV0"
    assert found["kraft.version"][2] == "0"  # its voters are in the settings, not in the log


@pytest.mark.api("CreateTopics")
def test_the_metadata_log_of_each_node(nodes: Nodes, party: Party, tools: Tools) -> None:
    """The same records at the same offsets wherever, and Kafka's tool reads them."""
    name = party.create([[1, 2, 3]])

    def dumped(node_id: int) -> str:
        log = nodes.nodes[node_id].data_dir / "__cluster_metadata-0" / f"{FIRST}.log"
        return tools.offline(DUMP_LOG, "--files", str(log), "--cluster-metadata-decoder")

    logs = [dumped(node_id) for node_id in (1, 2, 3)]
    kept = [re.findall(r"^\| offset: (\d+) .* payload: (\{.*)$", log, re.M) for log in logs]
    shortest = min(map(len, kept))
    assert shortest > 10
    assert kept[0][:shortest] == kept[1][:shortest] == kept[2][:shortest]
    payloads = [payload for _, payload in kept[0]]
    assert any(f'"name":"{name}"' in payload and "TOPIC_RECORD" in payload for payload in payloads)
    for kind in ("REGISTER_BROKER_RECORD", "PARTITION_RECORD", "FEATURE_LEVEL_RECORD"):
        assert any(f'"type":"{kind}"' in payload for payload in payloads), kind
    assert all("isvalid: false" not in log for log in logs)


@pytest.mark.full
@pytest.mark.api("CreateTopics")
def test_metadata_shell(nodes: Nodes, party: Party, tools: Tools) -> None:
    """Kafka's shell shows what a log or a snapshot of the metadata holds; here the log of a node, as it is."""
    name = party.create([[2, 3, 1]])
    copy = tools.scratch / f"{FIRST}.log"

    def shown(wanted: str, *command: str) -> None:
        """The node may be behind by a moment, and the shell may begin before it has read all."""
        for _ in range(TRIES):
            copy.write_bytes((nodes.nodes[1].data_dir / "__cluster_metadata-0" / copy.name).read_bytes())
            jars = resolve(f"kafka-shell-{KAFKA_VERSION}", [Artifact("org.apache.kafka", "kafka-shell", KAFKA_VERSION)])
            done = subprocess.run(
                [java_program(), *JVM_OPTIONS, "-cp", f"{jars}/*", METADATA_SHELL, "--snapshot", str(copy), *command],
                capture_output=True, text=True, timeout=WAIT_S * 2,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            if re.search(wanted, done.stdout, re.MULTILINE):
                return
        pytest.fail(f"{wanted} is not in {done.stdout}")

    shown(rf"^/image/topics/byName/{name}/0$", "find", "/image/topics/byName")
    shown(r"replicas\W+2, 3, 1\b", "cat", f"/image/topics/byName/{name}/0")
    for node in (1, 2, 3):
        shown(rf"^/image/cluster/brokers/{node}$", "find", "/image/cluster")
