"""Three brokers with two log directories each: all replicas move while a producer with acks=all writes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker_process import Process, free_port, new_cluster_id
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from tests.asking import Asking
from tests.waiting import wait_until

NODES = (1, 2, 3)
TOPIC, PARTITIONS = "moving", 4
TIMEOUT_S = 60.0


class Nodes:
    """Three combined nodes of this broker, as processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ports = {node_id: (free_port(), free_port()) for node_id in NODES}
        self.addresses = {node_id: f"127.0.0.1:{ports[0]}" for node_id, ports in self._ports.items()}
        self._processes: dict[int, Process] = {}
        self._cluster_id = new_cluster_id()

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(self.addresses.values())

    def paths(self, node_id: int) -> list[str]:
        return [str(self._folder / f"{node_id}-{name}") for name in ("one", "two")]

    def start(self, node_id: int) -> None:
        port, controller_port = self._ports[node_id]
        voters = ",".join(f"{each}@127.0.0.1:{ports[1]}" for each, ports in self._ports.items())
        settings = {
            "node.id": str(node_id),
            "process.roles": "broker,controller",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": voters,
            "log.dirs": ",".join(self.paths(node_id)),
            "min.insync.replicas": "2",
        }
        path = self._folder / f"{node_id}.properties"
        path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        log = self._folder / f"{node_id}.log"
        command = [
            sys.executable,
            "-m",
            "kafkacompat",
            "serve",
            *self.flags(node_id),
            "--properties",
            str(path),
            "--cluster-id",
            self._cluster_id,
        ]
        log.write_text("")
        self._processes[node_id] = Process(command, log)

    def flags(self, node_id: int) -> list[str]:
        """More arguments of a node."""
        return ["--no-control"]

    def wait(self) -> None:
        for node_id, process in self._processes.items():
            log = self._folder / f"{node_id}.log"
            process.wait_until(lambda log=log: "ready on" in log.read_text(), TIMEOUT_S, "kafkacompat")  # type: ignore[misc]

    def kill(self, node_id: int) -> None:
        self._processes.pop(node_id).kill()

    def alter(self, node_id: int, target: int) -> None:
        wanted = AlterReplicaLogDir(self.paths(node_id)[target], [AlterReplicaLogDirTopic(TOPIC, range(PARTITIONS))])
        with Asking(self.addresses[node_id]) as client:
            answer = client.ask(AlterReplicaLogDirsRequest([wanted]), 2)
        assert [each.error_code for each in answer.results[0].partitions] == [0] * PARTITIONS

    def counts(self, node_id: int) -> list[int]:
        """How many replicas of the topic each directory has, those that move there too."""
        with Asking(self.addresses[node_id]) as client:
            answer = client.ask(DescribeLogDirsRequest(topics=None), 4)
        found = {
            each.log_dir: sum(len(topic.partitions) for topic in each.topics if topic.name == TOPIC)
            for each in answer.results
        }
        return [found[path] for path in self.paths(node_id)]

    def are_in(self, target: int) -> bool:
        wanted = [PARTITIONS, 0] if target == 0 else [0, PARTITIONS]
        return all(self.counts(node_id) == wanted for node_id in NODES)


Started = TypeVar("Started", bound=Nodes)


def running(made: Started) -> Iterator[Started]:
    """All nodes are started and ready, and killed at the end."""
    with ExitStack() as stack:
        for node_id in NODES:
            made.start(node_id)
            stack.callback(lambda node_id=node_id: made.kill(node_id))  # type: ignore[misc]
        made.wait()
        yield made


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    yield from running(Nodes(tmp_path))


class Writer(threading.Thread):
    """Writes numbers into all partitions until `end`. `written`: those that were acknowledged, by partition."""

    def __init__(self, bootstrap_servers: str) -> None:
        super().__init__()
        settings = {"bootstrap.servers": bootstrap_servers, "acks": "all", "linger.ms": 2, "enable.idempotence": True}
        self._producer = Producer(settings)
        self._ends = threading.Event()
        self.written: list[list[str]] = [[] for _ in range(PARTITIONS)]
        self.failed: list[str] = []

    def run(self) -> None:
        number = 0
        while not self._ends.is_set():
            for partition in range(PARTITIONS):
                self._producer.produce(TOPIC, f"{number} {'x' * 200}", partition=partition, on_delivery=self._delivered)
            number += 1
            self._producer.poll(0.002)

    def _delivered(self, error: object, message: object) -> None:
        if error:
            self.failed.append(str(error))
        else:
            self.written[message.partition()].append(message.value().decode())  # type: ignore[attr-defined]

    def end(self) -> None:
        self._ends.set()
        self.join()
        assert self._producer.flush(TIMEOUT_S) == 0


@pytest.mark.full
@pytest.mark.parametrize("is_killed", [False, True], ids=["running", "killed"])
def test_all_replicas_move_while_a_producer_writes(nodes: Nodes, is_killed: bool) -> None:
    """One of the brokers is killed in the middle of its moves, and goes on with them."""
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, len(NODES))])[TOPIC].result(TIMEOUT_S)
    writer = Writer(nodes.bootstrap_servers)
    writer.start()
    wait_until(lambda: min(map(len, writer.written)) > 500, TIMEOUT_S)
    for target in (0, 1):
        for node_id in NODES:
            nodes.alter(node_id, target)
        if is_killed:
            nodes.kill(2)
            nodes.start(2)
            nodes.wait()
        wait_until(lambda target=target: nodes.are_in(target), TIMEOUT_S)  # type: ignore[misc]
    writer.end()
    assert writer.failed == []
    consumer = Consumer({"bootstrap.servers": nodes.bootstrap_servers, "group.id": "none"})
    consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)])
    found: list[list[str]] = [[] for _ in range(PARTITIONS)]
    while sum(map(len, found)) < sum(map(len, writer.written)):
        some = consumer.consume(10_000, TIMEOUT_S)
        assert some
        for message in some:
            assert message.error() is None
            found[message.partition()].append(message.value().decode())
    consumer.close()
    assert found == writer.written
