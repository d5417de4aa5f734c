"""The directories of three nodes change hands: each broker starts on what the other one's three nodes have left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Process
from compat_tests.hand_over.seen import Seen, differences, look
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S, START_TIMEOUT_S

NODES = (1, 2, 3)
TOPIC, PARTITIONS, RECORDS = "replicated", 3, 90


@pytest.fixture
def kafka() -> Iterator[ApacheKafka]:
    found = ApacheKafka(brokers=len(NODES), config={"min.insync.replicas": "2"})
    try:
        yield found
    finally:
        found.close()


@contextmanager
def ours(kafka: ApacheKafka) -> Iterator[list[Process]]:
    """Our three nodes on the directories, with the settings and at the addresses of Apache Kafka's."""
    root = kafka.data_dirs[0].parent
    with ExitStack() as stack:
        nodes = []
        for node_id in NODES:
            log = root / f"kafkacompat-{node_id}.log"
            log.write_text("")
            settings = str(root / f"server-{node_id}.properties")
            command = [sys.executable, "-m", "kafkacompat", "serve", "--no-control", "--properties", settings]
            node = Process(command, log)
            stack.callback(node.kill)
            nodes.append((node, log))
        for node, log in nodes:
            node.wait_until(lambda log=log: "ready on" in Path(log).read_text(), START_TIMEOUT_S, "kafkacompat")  # type: ignore[misc]
        yield [node for node, _ in nodes]


def write(bootstrap_servers: str, turn: str) -> Seen:
    """Records in and outside of transactions, and the offsets of a group. Returns what is seen then."""
    plain = Producer({"bootstrap.servers": bootstrap_servers, "acks": "all"})
    for number in range(RECORDS):
        plain.produce(TOPIC, f"{turn} {number}", f"k{number}", number % PARTITIONS)
    assert plain.flush(CLIENT_TIMEOUT_S) == 0
    in_transaction = Producer({"bootstrap.servers": bootstrap_servers, "transactional.id": f"of {turn}"})
    in_transaction.init_transactions(CLIENT_TIMEOUT_S)
    for end in (in_transaction.abort_transaction, in_transaction.commit_transaction):
        in_transaction.begin_transaction()
        in_transaction.produce(TOPIC, f"{turn} in a transaction", partition=0)
        assert in_transaction.flush(CLIENT_TIMEOUT_S) == 0
        end(CLIENT_TIMEOUT_S)
    settings = {"bootstrap.servers": bootstrap_servers, "group.id": "readers", "auto.offset.reset": "earliest"}
    consumer = Consumer(settings)
    consumer.subscribe([TOPIC])
    assert consumer.consume(1, CLIENT_TIMEOUT_S)
    consumer.commit(asynchronous=False)
    consumer.close()
    return look(bootstrap_servers)


@pytest.mark.full
@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_three_nodes_change_hands(kafka: ApacheKafka, is_killed: bool) -> None:
    """Apache Kafka's are killed: the last one would wait for a controller that lets it go."""
    kafka.start()
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, len(NODES))])[TOPIC].result()
    seen = write(kafka.bootstrap_servers, "Apache Kafka")
    kafka.kill()
    with ours(kafka) as nodes:
        assert differences(seen, look(kafka.bootstrap_servers)) == []
        seen = write(kafka.bootstrap_servers, "kafkacompat")
        for node in nodes:
            if is_killed:
                node.kill()
        if not is_killed:
            stop_all(nodes)
    kafka.start()
    assert differences(seen, look(kafka.bootstrap_servers)) == []
    write(kafka.bootstrap_servers, "Apache Kafka again")


def stop_all(nodes: list[Process]) -> None:
    """At once: they hand over to each other as long as there is a controller."""
    with ThreadPoolExecutor(len(nodes)) as pool:
        assert list(pool.map(lambda node: node.stop(), nodes)) == [0] * len(nodes)
