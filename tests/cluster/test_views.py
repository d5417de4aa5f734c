"""A cluster shows what real clients see, joined over its brokers, and looking changes nothing."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, ConsumerGroupState, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.view_types import record_of
from kafkacompat.control_api.views.record_views import tagged
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.server.broker_server import BrokerServer

COUNT = 12


@pytest.fixture(
    scope="module", params=[(1, False), (3, False), (3, True)], ids=["one broker", "three brokers", "three processes"]
)
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    brokers, processes = request.param
    config = {"default.replication.factor": brokers, "offsets.topic.num.partitions": 5}
    with Cluster(topics={"orders": 3, "empty": 1}, brokers=brokers, processes=processes, config=config) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "enable.idempotence": True})
        for number in range(COUNT):
            key = f"k{number % 4}"
            producer.produce("orders", key=key, value=json.dumps({"id": number}), headers={"h": b"\xff"})
        producer.flush()
        yield kafka


@pytest.fixture(scope="module")
def consumer(kafka: Cluster) -> Iterator[Consumer]:
    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "auto.offset.reset": "earliest",
         "client.id": "billing", "enable.auto.commit": False},
    )  # fmt: skip
    consumer.subscribe(["orders"])
    got = 0
    while got < COUNT:
        message = consumer.poll(30)
        assert message is not None
        assert not message.error()
        got += 1
    consumer.commit(asynchronous=False)
    yield consumer
    consumer.close()


@pytest.fixture(scope="module")
def admin(kafka: Cluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": kafka.bootstrap_servers})


def test_topics_are_those_that_a_client_lists(kafka: Cluster, admin: AdminClient) -> None:
    shown = kafka.topics(internal=True)
    listed = admin.list_topics(timeout=30).topics
    assert set(shown) == set(listed)
    assert set(kafka.topics()) == {"orders", "empty"}
    for name, topic in shown.items():
        assert topic.is_internal == name.startswith("__")
        assert [
            (each.partition, each.leader, sorted(each.replicas), sorted(each.isr)) for each in topic.partitions
        ] == [
            (index, each.leader, sorted(each.replicas), sorted(each.isrs))
            for index, each in sorted(listed[name].partitions.items())
        ]


def test_ends_of_partitions_are_those_that_a_client_asks_for(kafka: Cluster) -> None:
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "ends"})
    for partition in kafka.topics()["orders"].partitions:
        ends = consumer.get_watermark_offsets(TopicPartition("orders", partition.partition), 30)
        assert (partition.start_offset, partition.end_offset) == ends
    consumer.close()


def test_each_partition_is_shown_with_the_replicas_of_all_brokers(kafka: Cluster) -> None:
    brokers = {node.id for node in kafka.brokers}

    def replicated() -> bool:
        logs = [log for each in kafka.topics()["orders"].partitions for log in each.logs]
        return len({(log.broker, log.log_end_offset == log.high_watermark) for log in logs}) == len(brokers)

    wait_until(replicated)
    for partition in kafka.topics()["orders"].partitions:
        assert {log.broker for log in partition.logs} == brokers
        assert partition.leader_log is partition.logs[0]
        assert {follower.broker for follower in partition.logs[0].followers} == brokers - {partition.leader}
        assert len({log.log_end_offset for log in partition.logs}) == 1


def test_records_are_those_that_a_client_consumes(kafka: Cluster) -> None:
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "all"})
    consumer.assign([TopicPartition("orders", index, 0) for index in range(3)])
    consumed = consumer.consume(COUNT, 30)
    consumer.close()
    assert len(consumed) == COUNT
    records = kafka.records("orders")
    assert {
        (each.partition, each.offset): (each.key, each.value, each.headers, each.timestamp) for each in records
    } == {
        (each.partition(), each.offset()): (each.key(), each.value(), each.headers(), each.timestamp()[1])
        for each in consumed
    }
    places = [(each.partition, each.offset) for each in records]
    assert places == sorted(places)
    assert {each.state for each in records} == {"committed"}
    assert sorted(each.json["id"] for each in records) == list(range(COUNT))
    assert records == [each for index in range(3) for each in kafka.records("orders", partition=index, limit=COUNT)]
    assert len(kafka.records("orders", limit=5)) == 5
    assert all(each.offset >= 1 for each in kafka.records("orders", from_offset=1))
    assert kafka.records("empty") == []


def test_producers_are_shown_with_the_ids_of_their_records(kafka: Cluster) -> None:
    producers = kafka.producers()
    assert {each.producer_id for each in producers} == {each.producer_id for each in kafka.records("orders")}
    ends = {each.partition: each.end_offset for each in kafka.topics()["orders"].partitions if each.end_offset}
    assert {each.partition: each.last_offset + 1 for each in producers} == ends


def test_a_group_is_the_one_that_a_client_describes(kafka: Cluster, consumer: Consumer, admin: AdminClient) -> None:
    group = kafka.groups()["g"]
    described = admin.describe_consumer_groups(["g"])["g"].result(30)
    assert (group.group_id, group.protocol) == (described.group_id, described.partition_assignor)
    assert group.state == "Stable"
    assert described.state == ConsumerGroupState.STABLE
    assert group.coordinator == described.coordinator.id
    assert [(each.member_id, each.client_id, each.client_host) for each in group.members] == [
        (each.member_id, each.client_id, each.host) for each in described.members
    ]
    assigned = [(each.topic, each.partition) for each in described.members[0].assignment.topic_partitions]
    assert group.members[0].assignment == {"orders": [index for _, index in assigned]}
    assert group.members[0].subscription == ["orders"]
    assert group.members[0].assignment == {"orders": [0, 1, 2]}
    offsets = {(each.topic, each.partition): each.offset for each in consumer.committed(consumer.assignment(), 30)}
    shown = {(each.topic, each.partition): each.committed_offset for each in group.offsets}
    assert {key: offset for key, offset in offsets.items() if offset >= 0} == shown
    assert group.lag == 0
    assert {each.lag for each in group.offsets} == {0}
    assert group.offset("orders", 0) == shown.get(("orders", 0), -1)
    assert [each.reason for each in group.rebalances] == [f"member {group.members[0].member_id} joined"]


def test_connections_are_shown_with_their_clients(kafka: Cluster, consumer: Consumer) -> None:
    assert consumer.poll(0.01) is None
    wait_until(lambda: any(each.waits for each in kafka.connections() if each.client_id == "billing"))
    found = [each for each in kafka.connections() if each.client_id == "billing"]
    assert {each.client_software_name for each in found} == {"confluent-kafka-python"}
    assert all(each.peer.startswith("127.0.0.1:") and each.request_count > 0 < each.received_bytes for each in found)
    assert {each.broker for each in found} <= {node.id for node in kafka.brokers}


def digest(server: BrokerServer) -> str:
    """What a view could have changed: metadata, logs, groups, sessions, timers and requests that wait."""
    broker, view = server.broker, server.view
    state = [
        broker.image.offset, sorted(broker.image.topics), sorted(map(str, view.replicas())),
        [(group.id, group.state, group.generation, view.committed_offsets(group.id)) for group in view.groups()],
        sorted(session.id for session in view.fetch_sessions()), broker.coordinators.groups_if_made is None,
    ]  # fmt: skip
    return hashlib.sha256(repr(state).encode()).hexdigest()


@pytest.mark.parametrize("brokers", [1, 2])
def test_looking_changes_nothing(brokers: int) -> None:
    with Cluster(topics={"t": 2}, brokers=brokers) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("t", "v", partition=0)
        producer.flush()
        del producer
        wait_until(lambda: {log.high_watermark for log in kafka.topics()["t"].partitions[0].logs} == {1})
        before = [kafka._call(node.id, digest) for node in kafka.brokers]
        for _ in range(3):
            kafka.topics(internal=True)
            kafka.records("t")
            kafka.groups()
            kafka.producers()
            kafka.connections()
            with pytest.raises(KafkaCompatError):
                kafka.records("unknown")
        assert [kafka._call(node.id, digest) for node in kafka.brokers] == before
        assert set(kafka.topics(internal=True)) == {"t"}


def test_a_topic_that_does_not_exist_is_named_with_those_that_do() -> None:
    with Cluster(topics=["t"]) as kafka:
        with pytest.raises(KafkaCompatError, match=r"no topic 'u'; there are: t"):
            kafka.records("u")
        with pytest.raises(KafkaCompatError, match="has 1 partitions, so there is no 3"):
            kafka.records("t", partition=3)


def test_views_leave_out_a_stopped_broker() -> None:
    with Cluster(topics={"t": (1, 2)}, brokers=2, controllers=1) as kafka:
        kafka.stop(2)
        assert [log.broker for log in kafka.topics()["t"].partitions[0].logs] == [1]
        assert {each.broker for each in kafka.connections()} <= {1}


@pytest.mark.parametrize("data", [None, b"", b"text", "Ü".encode(), b"\xff\x00"])
def test_bytes_survive_their_way_through_json(data: bytes | None) -> None:
    text, encoding = tagged(data)
    header = ["h", text, encoding] if encoding == "base64" else ["h", text]
    plain = {
        "offset": 3, "timestamp": 5, "timestamp_type": "create_time", "leader_epoch": 0, "key": text,
        "key_encoding": encoding, "value": text, "value_encoding": encoding, "headers": [header], "producer_id": -1,
        "producer_epoch": -1, "is_transactional": False, "control": None, "state": "committed", "codec": "none",
    }  # fmt: skip
    record = record_of("t", 1, json.loads(json.dumps(plain)))
    assert (record.key, record.value, record.headers) == (data, data, [("h", data)])
    assert (record.topic, record.partition, record.offset) == ("t", 1, 3)
