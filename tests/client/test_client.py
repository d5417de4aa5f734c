"""The blocking client against our own broker: routing, produce, fetch, and peers that are no broker."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kafkacompat import Cluster
from kafkacompat.client import errors
from kafkacompat.client.client import Client, parse_servers
from kafkacompat.client.consuming import Fetched, Fetcher
from kafkacompat.client.group_admin import commit_offsets, delete_group, describe_group, list_groups
from kafkacompat.client.partition_offsets import EARLIEST, LATEST, delete_records, list_offsets
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.client.topic_admin import (
    NewTopic,
    create_topics,
    delete_topics,
    describe_configs,
    describe_topics,
    wait_for_leaders,
)
from kafkacompat.protocol import error_codes


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, config={"auto.create.topics.enable": "false"}) as running:
        yield running


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers, timeout_s=20) as opened:
        yield opened


def create(client: Client, name: str, partitions: int = 3, replicas: int = 3) -> None:
    assert create_topics(client, {name: NewTopic(partitions, replicas)}) == {name: None}
    wait_for_leaders(client, [name])


def read(client: Client, topic: str, partitions: int = 3) -> list[Fetched]:
    places = [(topic, number) for number in range(partitions)]
    ends = list_offsets(client, dict.fromkeys(places, LATEST))
    pieces = []
    with Fetcher(client, {place: 0 for place in places if ends[place].offset}) as fetcher:
        while fetcher.positions:
            for piece in fetcher.poll(1):
                pieces.append(piece)
                if piece.next_offset >= ends[piece.topic, piece.partition].offset:
                    fetcher.stop((piece.topic, piece.partition))
    return pieces


def test_records_reach_every_leader_and_come_back(client: Client) -> None:
    create(client, "all")
    producer = Producer(client, compression="gzip")
    for number in range(300):
        producer.send("all", OutgoingRecord(b"%d" % number, b"v%d" % number, [("h", b"x")], 1000 + number))
    places = producer.flush()
    assert len(places) == 300
    assert {place.partition for place in places} == {0, 1, 2}
    records = [record for piece in read(client, "all") for record in piece.records]
    assert sorted(int(record.key or b"") for record in records) == list(range(300))
    assert all(record.value == b"v" + (record.key or b"") for record in records)
    assert all(record.timestamp == 1000 + int(record.key or b"") for record in records)


def test_batches_larger_than_one_go_in_order(client: Client) -> None:
    create(client, "large", partitions=1)
    producer = Producer(client)
    for number in range(6):
        producer.send("large", OutgoingRecord(None, bytes([number]) * 300_000, partition=0))
    assert [place.offset for place in producer.flush()] == list(range(6))
    values = [record.value for piece in read(client, "large", 1) for record in piece.records]
    assert [value[0] for value in values if value] == list(range(6))


def test_leaders_that_move_are_found_again(cluster: Cluster, client: Client) -> None:
    create(client, "moving", partitions=3)
    producer = Producer(client)
    places = dict.fromkeys([("moving", number) for number in range(3)], 0)
    with Fetcher(client, places) as fetcher:
        for partition in range(3):
            producer.send("moving", OutgoingRecord(None, b"before", partition=partition))
        producer.flush()
        cluster.kill(2)
        try:
            for partition in range(3):
                producer.send("moving", OutgoingRecord(None, b"after", partition=partition))
            assert [place.offset for place in producer.flush()] == [1, 1, 1]
            seen = 0
            while seen < 6:
                seen += sum(len(piece.records) for piece in fetcher.poll(1))
        finally:
            cluster.restart(2)
    assert list_offsets(client, dict.fromkeys(places, LATEST))[("moving", 0)].offset == 2


def test_a_lost_answer_writes_nothing_twice(client: Client) -> None:
    create(client, "once", partitions=1)
    producer = Producer(client)
    producer.send("once", OutgoingRecord(None, b"x"))
    leader = client.leader(("once", 0))
    connection = client.node(leader)
    real = connection.call
    lost = []

    def lose(*given: object, **named: object) -> object:
        answer = real(*given, **named)  # type: ignore[arg-type]
        if not lost:
            lost.append(answer)
            raise errors.UnreachableError("the answer is lost")
        return answer

    connection.call = lose  # type: ignore[method-assign]
    client.node = lambda node_id: connection if node_id == leader else Client.node(client, node_id)  # type: ignore[method-assign,assignment]
    producer._start()
    lost.clear()
    client.forget = lambda _connection: None  # type: ignore[method-assign,assignment]
    producer.flush()
    assert lost
    assert list_offsets(client, {("once", 0): LATEST})[("once", 0)].offset == 1


@pytest.mark.parametrize("api", ["Produce", "ListOffsets"])
def test_a_leader_that_has_not_heard_of_a_new_topic_is_asked_again(cluster: Cluster, client: Client, api: str) -> None:
    topic = f"new-{api}"
    create(client, topic, partitions=1)
    producer = Producer(client)
    producer.send(topic, OutgoingRecord(None, b"x"))
    when = {"api": api, "topic": topic}
    with cluster.faults.add(when=when, then={"error": "UNKNOWN_TOPIC_OR_PARTITION"}, times=2) as rule:
        producer.flush()
        assert list_offsets(client, {(topic, 0): LATEST})[topic, 0].offset == 1
        assert rule.hits == 2


def test_a_topic_that_was_deleted_is_not_written_to_for_long(client: Client) -> None:
    create(client, "deleted", partitions=1)
    producer = Producer(client)
    producer.send("deleted", OutgoingRecord(None, b"x"))
    client.leader(("deleted", 0))
    assert delete_topics(client, ["deleted"]) == {"deleted": None}
    with pytest.raises(errors.BrokerError) as refused:
        producer.flush()
    assert refused.value.error_code == error_codes.UNKNOWN_TOPIC_OR_PARTITION


def test_records_are_deleted_up_to_an_offset(client: Client) -> None:
    create(client, "trimmed", partitions=1)
    producer = Producer(client)
    for _ in range(5):
        producer.send("trimmed", OutgoingRecord(None, b"x"))
    producer.flush()
    assert delete_records(client, {("trimmed", 0): 3}) == {("trimmed", 0): 3}
    assert list_offsets(client, {("trimmed", 0): EARLIEST})[("trimmed", 0)].offset == 3
    with Fetcher(client, {("trimmed", 0): 0}) as fetcher, pytest.raises(errors.BrokerError) as refused:
        fetcher.poll(20)
    assert refused.value.error_code == error_codes.OFFSET_OUT_OF_RANGE


def test_what_does_not_exist_is_named(client: Client) -> None:
    with pytest.raises(errors.BrokerError, match=r"topic 'nowhere': it does not exist"):
        describe_topics(client, ["nowhere"])
    create(client, "small", partitions=1)
    with pytest.raises(errors.BrokerError, match=r"partition 4 of topic 'small'"):
        client.leader(("small", 4))


@contextmanager
def peer(answer: bytes | None) -> Iterator[int]:
    """Answers the first bytes of one connection with `answer` and closes; None: says nothing until the end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                if answer is None:
                    ended.wait(30)
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", errors.UnknownPeerError, "it speaks HTTP"),
        (b"\x15\x03\x03\0\x02\x02\x46", errors.UnknownPeerError, "it speaks TLS"),
        (b"SSH-2.0-OpenSSH", errors.UnknownPeerError, "it speaks SSH"),
        (b"\xff\xff\xff\xff", errors.UnknownPeerError, "is not Kafka"),
        (b"\x7f\xff\xff\xff", errors.UnknownPeerError, "is not Kafka"),
        (b"\0\0\0\x08\0\0\0\x09\0\0\0\0", errors.UnknownPeerError, "it answers request 9"),
        (b"\0\0\0\x05\0\0\0\x01\0", errors.UnknownPeerError, "is not Kafka"),
        (b"", errors.UnreachableError, "closed the connection"),
        (b"\0\0", errors.UnreachableError, "closed the connection"),
        (None, errors.ExpiredError, "has not answered in time"),
    ],
)
def test_peers_that_are_no_broker_are_named(answer: bytes | None, kind: type[Exception], why: str) -> None:
    timeout_s = 0.3 if answer is None else 20
    with (
        peer(answer) as port, Client(f"127.0.0.1:{port}", timeout_s=timeout_s) as client,
        pytest.raises(kind, match=why),
    ):  # fmt: skip
        client.metadata(())


def test_the_first_of_several_servers_may_be_down(cluster: Cluster) -> None:
    with Client(f"127.0.0.1:1,{cluster.bootstrap_servers}") as client:
        assert len(client.metadata(()).brokers) == 3
    with Client("127.0.0.1:1,127.0.0.1:2") as client, pytest.raises(errors.UnreachableError, match="no broker can be"):
        client.metadata(())


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        ("a:1,b:2", [("a", 1), ("b", 2)]), ("a", [("a", 9092)]), ("[::1]:9", [("::1", 9)]), ("::1", [("::1", 9092)]),
        ("PLAINTEXT://h:5,", [("h", 5)]),
    ],
)  # fmt: skip
def test_addresses_are_read(text: str, servers: list[tuple[str, int]]) -> None:
    assert parse_servers(text) == servers


@pytest.mark.parametrize("text", ["", ",", "a:b", "a:0", "a:65536", ":9092", ",".join(["a:1"] * 101)])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(errors.ClientError):
        parse_servers(text)


def test_where_nothing_ever_listened_a_coordinator_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(pause_s: float) -> None:
        raise AssertionError(f"it waits {pause_s} s")

    monkeypatch.setattr("kafkacompat.client.client.time.sleep", wait)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with Client(address, timeout_s=20) as client, pytest.raises(errors.UnreachableError):
            describe_group(client, "billing")


def test_what_an_answer_leaves_out_is_an_error_that_names_it() -> None:
    topic = {("orders", 0): 0}
    with Cluster(topics=["orders"]) as kafka, Client(kafka.bootstrap_servers, timeout_s=10) as client:
        commit_offsets(client, "billing", topic)
        for api, named, ask in (
            ("describe_groups", {"group": "billing"}, lambda: describe_group(client, "billing")),
            ("offset_commit", {"topic": "orders"}, lambda: commit_offsets(client, "billing", topic)),
            ("delete_groups", {"group": "billing"}, lambda: delete_group(client, "billing")),
            ("describe_configs", {"resource": "orders"}, lambda: describe_configs(client, ["orders"])),
            ("metadata", {"topic": "orders"}, lambda: client.partitions("orders")),
        ):
            with (
                kafka.faults.add(when={"api": api, **named}, then="hide", must_hit=True),
                pytest.raises(errors.BrokerError, match=r"leaves it out|does not exist"),
            ):
                ask()
        for group in ("billing", "other"):
            commit_offsets(client, group, topic)
        with kafka.faults.add(when={"group": "other"}, then="hide"):
            assert [each.group for each in list_groups(client)] == ["billing"]
        with kafka.faults.add(when={"api": "metadata", "topic": "orders"}, then="hide", times=1, must_hit=True):
            assert client.partitions("orders") == [0]
