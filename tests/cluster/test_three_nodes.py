"""Three nodes in one process: what is acknowledged survives stops, losses and changes of leader and controller."""

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kafkacompat.replication.controller import brokers
from kafkacompat.replication.metadata.image import BROKER_RESOURCE
from tests.cluster.nodes import Nodes
from tests.waiting import wait_until

TOPIC = "t"


@pytest.fixture
def nodes(tmp_path):
    with Nodes(tmp_path) as found:
        yield found


class Writer:
    """Writes with acks=all and knows what was acknowledged; reads it all back."""

    def __init__(self, nodes):
        self.bootstrap_servers = nodes.bootstrap_servers
        self.sent = 0
        self.acknowledged = {}
        self.gap_s = 0.0
        self._last_s = None
        self._producer = Producer({
            "bootstrap.servers": self.bootstrap_servers, "acks": "all", "linger.ms": 0, "log_level": 0,
            "message.timeout.ms": 60_000, "retry.backoff.ms": 20, "enable.idempotence": True,
            "reconnect.backoff.max.ms": 200, "topic.metadata.refresh.interval.ms": 1000,
        })  # fmt: skip

    def write(self, count=20, timeout_s=70):
        """All of them are acknowledged when this returns."""
        for _ in range(count):
            self.send()
        assert self._producer.flush(timeout_s) == 0
        assert len(self.acknowledged) == self.sent

    def send(self):
        value = f"v{self.sent}".encode()
        self.sent += 1
        self._producer.produce(TOPIC, value, on_delivery=lambda error, message, value=value: self._on(error, value))
        self._producer.poll(0)

    def _on(self, error, value):
        assert error is None, error
        now_s = time.monotonic()
        if self._last_s is not None:
            self.gap_s = max(self.gap_s, now_s - self._last_s)
        self._last_s = now_s
        self.acknowledged[value] = True

    def write_for(self, duration_s, until=lambda: False):
        """One record every few milliseconds, whatever happens."""
        end_s = time.monotonic() + duration_s
        while time.monotonic() < end_s and not until():
            self.send()
            self._producer.poll(0.005)

    def flush(self, timeout_s=70):
        assert self._producer.flush(timeout_s) == 0

    def check(self):
        """All that was acknowledged is there, once, in its order."""
        found = read_all(self.bootstrap_servers)
        assert found == sorted(found, key=lambda value: int(value[1:]))
        assert len(set(found)) == len(found)
        assert set(self.acknowledged) <= set(found)


def read_all(bootstrap_servers, topic=TOPIC, timeout_s=60):
    consumer = Consumer({
        "bootstrap.servers": bootstrap_servers, "group.id": "readers", "enable.auto.commit": False,
        "enable.partition.eof": True, "log_level": 0,
    })  # fmt: skip
    found = []
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            message = consumer.poll(0.5)
            if message is None:
                continue
            if message.error() is None:
                found.append(message.value())
            elif message.error().name() == "_PARTITION_EOF":
                return found
    finally:
        consumer.close()
    raise AssertionError("the end of the log was not reached")


def create(nodes, name=TOPIC, partitions=1, factor=3, **config):
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers, "log_level": 0})
    topic = NewTopic(name, partitions, factor, config={key.replace("_", "."): value for key, value in config.items()})
    admin.create_topics([topic])[name].result(60)
    wait_until(lambda: all(name in server.broker.image.topics for server in nodes.servers.values()))


def is_whole(nodes, topic=TOPIC):
    """All replicas of all partitions are in sync, as every node knows."""
    return all(
        sorted(partition.isr) == sorted(partition.replicas) and partition.leader >= 0
        for server in nodes.servers.values()
        for partition in server.broker.image.topics[topic].partitions
    )


def controller_is_known(nodes):
    return nodes.controller_id is not None


# --- the plain life ---


def test_three_nodes_are_one_cluster(nodes):
    began_s = time.monotonic()
    nodes.start()
    assert time.monotonic() - began_s < 8  # no session had to end for that
    image = nodes.image()
    assert sorted(image.brokers) == sorted(image.controllers) == [1, 2, 3] or wait_until(
        lambda: sorted(nodes.image().controllers) == [1, 2, 3], what="controllers register"
    )
    assert not any(broker.fenced for broker in image.brokers.values())
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    writer.check()
    metadata = AdminClient({"bootstrap.servers": nodes.bootstrap_servers}).list_topics(timeout=30)
    assert sorted(metadata.brokers) == [1, 2, 3]
    assert metadata.controller_id in (1, 2, 3)
    assert image.config(BROKER_RESOURCE, "") == {"min.insync.replicas": "1"}


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_node_goes_and_comes_back_in_many_steps(nodes, is_clean, monkeypatch):
    """As one with tens of thousands of partitions does."""
    steps, begin = [], brokers.PartitionSteps.begin
    monkeypatch.setattr(brokers, "MAX_PARTITIONS_PER_STEP", 4)
    monkeypatch.setattr(brokers.PartitionSteps, "begin", lambda self: (steps.append(self), begin(self))[1])
    nodes.start()
    create(nodes, partitions=30)
    sole = "sole"
    create(nodes, sole, partitions=30, factor=1)
    controller_id = nodes.await_controller()
    gone = next(node_id for node_id in (1, 2, 3) if node_id != controller_id)
    steps.clear()
    (nodes.stop if is_clean else nodes.lose)(gone)
    wait_until(lambda: nodes.image().brokers[gone].fenced, what="it is fenced")
    for topic in (TOPIC, sole):
        assert not any(gone in (each.leader, *each.isr) for each in nodes.image().topics[topic].partitions)
    assert all(each.leader >= 0 for each in nodes.image().topics[TOPIC].partitions)
    assert len(steps) >= 30 // 4
    steps.clear()
    Writer(nodes).write()
    nodes.start(gone)
    wait_until(lambda: is_whole(nodes) and is_whole(nodes, sole), what="all are led again")
    assert len(steps) >= 10 // 4
    Writer(nodes).write()


def test_a_rolling_restart_loses_no_write(nodes):
    nodes.start()
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    for node_id in (1, 2, 3):
        nodes.stop(node_id)
        wait_until(lambda: nodes.partition(TOPIC).leader >= 0)
        writer.write()
        nodes.start(node_id)
        wait_until(lambda: is_whole(nodes), what=f"in sync again after the restart of {node_id}")
    writer.write()
    writer.check()


def test_the_whole_cluster_stops_and_starts_again(nodes):
    nodes.start()
    create(nodes)
    writer = Writer(nodes)
    writer.write()
    nodes.stop_at_once()
    nodes.start()
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


# --- losses ---


def test_a_leader_that_is_lost_is_replaced_by_one_in_sync(nodes):
    nodes.start()
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    leader = nodes.partition(TOPIC).leader
    nodes.lose(leader)
    took_s = wait_until(lambda: nodes.partition(TOPIC).leader not in (-1, leader), what="another leader")
    assert took_s < 8  # it was not waited for the end of its session
    writer.write()
    nodes.start(leader)
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


def test_who_was_lost_may_come_back_at_once(nodes):
    nodes.start()
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    leaders = (nodes.partition(TOPIC).leader, nodes.await_controller())
    follower = next(id_ for id_ in (1, 2, 3) if id_ not in leaders)
    nodes.lose(follower)
    began_s = time.monotonic()
    nodes.start(follower)
    assert time.monotonic() - began_s < 8  # Apache Kafka refuses it until its old session ends
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


@pytest.mark.parametrize("clean", [True, False])
def test_another_controller_takes_over(nodes, clean):
    nodes.start()
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    before = nodes.await_controller()
    (nodes.stop if clean else nodes.lose)(before)
    wait_until(lambda: nodes.controller_id not in (None, before), what="another controller")
    wait_until(lambda: nodes.partition(TOPIC).leader not in (-1, before), what="a leader that lives")
    writer.write()
    create(nodes, "another", 2, 2)
    nodes.start(before)
    wait_until(lambda: is_whole(nodes))
    writer.check()


def test_without_a_majority_nothing_is_decided_and_with_it_all_goes_on(nodes):
    nodes.start()
    create(nodes, min_insync_replicas="1")
    writer = Writer(nodes)
    writer.write()
    nodes.lose(2, 3)
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers, "log_level": 0})
    created = admin.create_topics([NewTopic("never", 1, 1)], request_timeout=1.5)
    with pytest.raises(KafkaException):
        created["never"].result(30)
    nodes.start(2, 3)
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


# --- what a node claims when it comes back (§2.8) ---


def claim(nodes, node_id):
    """The epoch of its last life with which a node that runs has registered; −1: it may have lost something."""
    return nodes.servers[node_id].broker.logs.previous_broker_epoch


def test_who_was_killed_claims_its_epoch_if_its_logs_are_whole(nodes):
    nodes.start()
    create(nodes, min_insync_replicas="2")
    writer = Writer(nodes)
    writer.write()
    epoch = nodes.image().brokers[3].epoch
    nodes.lose(3)
    nodes.start(3)
    assert claim(nodes, 3) == epoch
    wait_until(lambda: is_whole(nodes))
    nodes.lose(3)
    path = Path(nodes.dirs[3]) / f"{TOPIC}-0" / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    nodes.start(3)
    assert claim(nodes, 3) == -1
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


def test_what_was_deleted_while_a_node_was_away_is_set_aside(nodes):
    nodes.start()
    create(nodes)
    create(nodes, "gone")
    nodes.stop(3)
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers, "log_level": 0})
    admin.delete_topics(["gone"])["gone"].result(30)
    nodes.start(3)
    names = [path.name for path in Path(nodes.dirs[3]).iterdir()]
    assert f"{TOPIC}-0" in names
    assert not [name for name in names if name == "gone-0"]
    assert [name for name in names if name.startswith("gone-0.") and name.endswith("-stray")]
    Writer(nodes).write()
