"""Three brokers with two log directories each: a disk of one fails while a producer with acks=all writes.

The behaviours are those of ducktape's ``log_dir_failure_test`` of Apache Kafka.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker_process import free_port
from compat_tests.cluster.test_moves_between_directories import (
    NODES,
    PARTITIONS,
    TIMEOUT_S,
    TOPIC,
    Nodes,
    Writer,
    running,
)
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.asking import Asking
from tests.waiting import wait_until

VICTIM = 2


class NodesWithFaults(Nodes):
    """Three nodes whose disks may be made to fail."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._control_ports = {node_id: free_port() for node_id in NODES}

    def flags(self, node_id: int) -> list[str]:
        return ["--control", f"127.0.0.1:{self._control_ports[node_id]}", "--allow-faults"]

    def fail(self, node_id: int, path: str) -> None:
        connection = HTTPConnection("127.0.0.1", self._control_ports[node_id], timeout=TIMEOUT_S)
        body = json.dumps({"directory": path, "error": "EIO"})
        connection.request("PUT", f"/v1/brokers/{node_id}/disk", body, {"content-type": "application/json"})
        assert connection.getresponse().status == 200
        connection.close()

    def described(self, node_id: int) -> dict[str, tuple[int, list[int]]]:
        """Error code and partitions of each directory."""
        with Asking(self.addresses[node_id]) as client:
            answer = client.ask(DescribeLogDirsRequest(topics=None), 4)
        return {
            each.log_dir: (
                each.error_code,
                sorted(one.partition_index for topic in each.topics if topic.name == TOPIC for one in topic.partitions),
            )
            for each in answer.results
        }

    def partitions(self) -> dict[int, tuple[int, list[int]]]:
        """Leader and ISR of each partition, as a broker says whose disks are sound."""
        with Asking(self.addresses[1]) as client:
            answer = client.ask(MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)]), 9)
        return {each.partition_index: (each.leader_id, sorted(each.isr_nodes)) for each in answer.topics[0].partitions}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[NodesWithFaults]:
    yield from running(NodesWithFaults(tmp_path))


@pytest.mark.full
def test_a_failed_disk_takes_its_partitions_and_nothing_that_was_acknowledged(nodes: NodesWithFaults) -> None:
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, len(NODES))])[TOPIC].result(TIMEOUT_S)
    sound, failing = nodes.paths(VICTIM)
    wait_until(lambda: [len(found) for _, found in nodes.described(VICTIM).values()] == [2, 2], TIMEOUT_S)
    lost, kept = nodes.described(VICTIM)[failing][1], nodes.described(VICTIM)[sound][1]
    writer = Writer(nodes.bootstrap_servers)
    writer.start()
    wait_until(lambda: min(map(len, writer.written)) > 200, TIMEOUT_S)
    nodes.fail(VICTIM, failing)
    others = [node_id for node_id in NODES if node_id != VICTIM]
    wait_until(lambda: all(nodes.partitions()[index][1] == others for index in lost), TIMEOUT_S)
    found = nodes.partitions()
    assert all(found[index][0] in others for index in lost)
    assert all(found[index][1] == list(NODES) for index in kept), "the broker goes on with its other directory"
    assert nodes.described(VICTIM) == {sound: (errors.NONE, kept), failing: (errors.KAFKA_STORAGE_ERROR, [])}
    counts = [len(each) for each in writer.written]
    wait_until(
        lambda: all(len(now) > before + 200 for now, before in zip(writer.written, counts, strict=True)), TIMEOUT_S
    )
    nodes.kill(VICTIM)
    nodes.start(VICTIM)  # with a sound disk
    nodes.wait()
    wait_until(lambda: all(isr == list(NODES) for _, isr in nodes.partitions().values()), TIMEOUT_S)
    writer.end()
    assert writer.failed == []
    assert consumed(nodes, sum(map(len, writer.written))) == writer.written


def consumed(nodes: Nodes, count: int) -> list[list[str]]:
    """What is in each partition."""
    consumer = Consumer({"bootstrap.servers": nodes.bootstrap_servers, "group.id": "none"})
    consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)])
    found: list[list[str]] = [[] for _ in range(PARTITIONS)]
    while sum(map(len, found)) < count:
        some = consumer.consume(10_000, TIMEOUT_S)
        assert some
        for message in some:
            assert message.error() is None
            found[message.partition()].append(message.value().decode())
    consumer.close()
    return found
