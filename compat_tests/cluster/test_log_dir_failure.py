"""Three brokers with two log directories each: a disk of one fails while producers with acks=all write.

The behaviours are those of ducktape's ``log_dir_failure_test`` of Apache Kafka, seen with its tools: kafka-log-dirs,
the verifiable producer and the verifiable consumer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker_process import free_port
from compat_tests.clients.java_tools.test_verifiable import Consumer as VerifiableConsumer
from compat_tests.clients.java_tools.test_verifiable import Producer as VerifiableProducer
from compat_tests.clients.java_tools.tools import LOG_DIRS, VERIFIABLE_CONSUMER, VERIFIABLE_PRODUCER, Tools
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
VERIFIED = "verified"
"""The topic of the verifiable clients."""
PER_SECOND = 400
KEYS = 100
"""So that all partitions get records."""
MORE = 200
"""Records of each partition that show that it goes on."""
STORAGE_ERROR = "org.apache.kafka.common.errors.KafkaStorageException"

Described = dict[str, tuple[int, list[int]]]


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

    def described(self, node_id: int) -> Described:
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


def as_the_tool_says(tools: Tools, node_id: int) -> Described:
    """The same as `described`, by kafka-log-dirs."""
    said = tools.run(LOG_DIRS, "--describe", "--topic-list", TOPIC, "--broker-list", str(node_id))
    (broker,) = json.loads(said.splitlines()[-1])["brokers"]
    codes = {None: errors.NONE, STORAGE_ERROR: errors.KAFKA_STORAGE_ERROR}
    return {
        each["logDir"]: (
            codes[each["error"]], sorted(int(one["partition"].rpartition("-")[2]) for one in each["partitions"])
        )
        for each in broker["logDirs"]
    }  # fmt: skip


class Verified:
    """A verifiable producer and consumer at work on a topic of their own."""

    def __init__(self, tools: Tools, stack: ExitStack) -> None:
        self._producer = VerifiableProducer(
            tools.start(
                VERIFIABLE_PRODUCER, "--topic", VERIFIED, "--acks", "-1", "--throughput", str(PER_SECOND),
                "--repeating-keys", str(KEYS),
            )
        )  # fmt: skip
        stack.callback(self._producer.end)
        self._consumer = VerifiableConsumer(
            tools.start(
                VERIFIABLE_CONSUMER, "--topic", VERIFIED, "--group-id", "verifies", "--reset-policy", "earliest"
            )
        )
        stack.callback(self._consumer.end)
        self._acked = [0] * PARTITIONS

    def goes_on(self) -> bool:
        """Whether more was acknowledged in each partition since this was true."""
        self._producer.look()
        now = [len(self._producer.acked.get(partition, [])) for partition in range(PARTITIONS)]
        if any(count < before + MORE for count, before in zip(now, self._acked, strict=True)):
            return False
        self._acked = now
        return True

    def end(self) -> None:
        """All that was acknowledged is read."""
        self._producer.end()
        wait_until(self._is_all_read, TIMEOUT_S)

    def _is_all_read(self) -> bool:
        self._consumer.look()
        return all(
            set(acked) <= {offset for some in self._consumer.offsets.get(partition, []) for offset in some}
            for partition, acked in self._producer.acked.items()
        )


@pytest.mark.full
def test_a_failed_disk_takes_its_partitions_and_nothing_that_was_acknowledged(
    nodes: NodesWithFaults, tmp_path: Path
) -> None:
    tools = Tools(nodes.bootstrap_servers, tmp_path)
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers})
    for future in admin.create_topics([NewTopic(name, PARTITIONS, len(NODES)) for name in (TOPIC, VERIFIED)]).values():
        future.result(TIMEOUT_S)
    sound, failing = nodes.paths(VICTIM)
    wait_until(lambda: sum(len(found) for _, found in nodes.described(VICTIM).values()) == PARTITIONS, TIMEOUT_S)
    before = nodes.described(VICTIM)
    assert as_the_tool_says(tools, VICTIM) == before
    lost, kept = before[failing][1], before[sound][1]
    assert lost
    assert kept
    with ExitStack() as stack:
        writer = Writer(nodes.bootstrap_servers)
        writer.start()
        stack.callback(writer.end)
        verified = Verified(tools, stack)
        wait_until(lambda: min(map(len, writer.written)) > MORE and verified.goes_on(), TIMEOUT_S)
        nodes.fail(VICTIM, failing)
        others = [node_id for node_id in NODES if node_id != VICTIM]
        wait_until(lambda: all(nodes.partitions()[index][1] == others for index in lost), TIMEOUT_S)
        found = nodes.partitions()
        assert all(found[index][0] in others for index in lost)
        assert all(found[index][1] == list(NODES) for index in kept), "the broker goes on with its other directory"
        failed = {sound: (errors.NONE, kept), failing: (errors.KAFKA_STORAGE_ERROR, [])}
        assert (nodes.described(VICTIM), as_the_tool_says(tools, VICTIM)) == (failed, failed)
        counts = [len(each) for each in writer.written]
        wait_until(verified.goes_on, TIMEOUT_S)
        wait_until(
            lambda: all(len(now) > then + MORE for now, then in zip(writer.written, counts, strict=True)), TIMEOUT_S
        )
        nodes.kill(VICTIM)
        nodes.start(VICTIM)  # with a sound disk
        nodes.wait()
        wait_until(lambda: all(isr == list(NODES) for _, isr in nodes.partitions().values()), TIMEOUT_S)
        assert as_the_tool_says(tools, VICTIM) == before
        writer.end()
        verified.end()
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
