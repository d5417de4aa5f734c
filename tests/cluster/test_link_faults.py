"""Cut links and faulty disks, as clients see them."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster import startup_topics
from kafkacompat.control_api.faults import node_links
from kafkacompat.control_api.faults.disks import is_full
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.asking import Asking, ask
from tests.cluster.group_member import partition, send
from tests.waiting import wait_until

QUICK = {
    "controller.quorum.election.timeout.ms": 300, "broker.session.timeout.ms": 1000,
    "broker.heartbeat.interval.ms": 200, "replica.lag.time.max.ms": 1500,
}  # fmt: skip
SILENCE_S = 0.3
SLOW_MS = 300
ROUNDED_MS = 1
"""Brokers count whole milliseconds, so what is delayed may come so much earlier."""
METADATA = MetadataRequest(topics=[])


@pytest.fixture(scope="module")
def three() -> Iterator[Cluster]:
    with Cluster(brokers=3, controllers=1, config=QUICK) as kafka:
        yield kafka


@pytest.fixture
def topic(three: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    name = request.node.name[-60:]
    startup_topics.create_topics(addresses(three)[0], {name: (1, 3)})
    wait_until(lambda: len(partition(addresses(three)[0], name).isr_nodes) == 3, what="the ISR")
    yield name
    three.heal_all()
    for broker in (1, 2, 3):
        wait_until(lambda broker=broker: broker in brokers_of(three, broker), what=f"broker {broker} is back")


def addresses(kafka: Cluster) -> list[str]:
    return kafka.bootstrap_servers.split(",")


def brokers_of(kafka: Cluster, asked: int) -> list[int]:
    return sorted(each.node_id for each in ask(addresses(kafka)[asked - 1], METADATA, 9).brokers)


def test_requests_of_clients_do_not_arrive_until_the_cut_ends() -> None:
    with Cluster(topics=["orders"]) as kafka, Asking(kafka.bootstrap_servers) as client:
        client.ask(METADATA, 9)
        kafka.cut("clients", 1)
        client.send(METADATA, 9)
        with Asking(kafka.bootstrap_servers, timeout_s=SILENCE_S) as another, pytest.raises(TimeoutError):
            another.ask(METADATA, 9)  # accepted, and silent
        wait_until(lambda: kafka._call(1, node_links.held_count) == 1, what="the closed one's request is dropped")
        kafka.heal()
        assert client.receive(METADATA, 9).brokers, "held bytes are delivered"
        assert kafka._call(1, node_links.held_count) == 0
        assert client.ask(METADATA, 9).brokers


def test_a_journal_that_is_switched_leaves_a_cut_alone() -> None:
    with Cluster() as kafka, Asking(kafka.bootstrap_servers) as client:
        kafka.cut("clients", 1)
        kafka.journal(on=True)
        client.send(METADATA, 9)
        wait_until(lambda: kafka._call(1, node_links.held_count) == 1, what="the request is held")
        kafka.heal()
        assert client.receive(METADATA, 9).brokers
        assert [request.api for request in kafka.requests()] == ["Metadata"]
        kafka.cut("clients", 1)
        kafka.journal(on=False)
        client.send(METADATA, 9)
        wait_until(lambda: kafka._call(1, node_links.held_count) == 1, what="the request is held")
        kafka.heal()
        assert client.receive(METADATA, 9).brokers
        assert kafka._call(1, lambda server: server.connections.dispatch == server.broker.dispatch)


def test_responses_do_not_arrive_although_the_work_is_done() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.cut(1, "clients")
        with pytest.raises(TimeoutError):
            send(kafka.bootstrap_servers, "orders", patience_s=SILENCE_S)
        assert kafka._call(1, lambda server: server.view.replica("orders", 0).log_end_offset) == 1
        kafka.heal_all()
        assert send(kafka.bootstrap_servers, "orders") == errors.NONE


def test_what_belongs_to_closed_connections_is_dropped() -> None:
    with Cluster() as kafka:
        kafka.cut("clients", 1)
        for _ in range(3):
            with Asking(kafka.bootstrap_servers) as client:
                client.send(METADATA, 9)
        with Asking(kafka.bootstrap_servers) as client:
            client.send(METADATA, 9)
            wait_until(lambda: kafka._call(1, lambda server: len(server.connections)) == 1)
            wait_until(lambda: kafka._call(1, node_links.held_count) == 1, what="only the open one's request is held")
            kafka.heal()
            assert client.receive(METADATA, 9).brokers


def test_on_a_slow_link_requests_are_on_their_way_together() -> None:
    with Cluster(topics=["orders"]) as kafka, Asking(kafka.bootstrap_servers) as client:
        kafka.delay("clients", 1, SLOW_MS, both=True)
        began_s = time.monotonic()
        client.ask(METADATA, 9)
        assert time.monotonic() - began_s >= 2 * (SLOW_MS - ROUNDED_MS) / 1000
        kafka.delay("clients", 1, 600_000)
        for _ in range(3):
            client.send(METADATA, 9)
        wait_until(lambda: kafka._call(1, node_links.held_count) == 3, what="all three are on their way")
        kafka.heal()
        for _ in range(3):
            assert client.receive(METADATA, 9).brokers
        assert kafka._call(1, lambda server: server.connections.dispatch == server.broker.dispatch)


def test_a_slow_follower_makes_acks_all_slow() -> None:
    with Cluster(brokers=2, controllers=1, topics={"orders": (1, 2)}) as kafka:
        address = addresses(kafka)[0]
        wait_until(lambda: len(partition(address, "orders").isr_nodes) == 2, what="the ISR")
        leader = partition(address, "orders").leader_id
        kafka.delay(3 - leader, leader, SLOW_MS)
        began_s = time.monotonic()
        assert send(addresses(kafka)[leader - 1], "orders") == errors.NONE
        assert time.monotonic() - began_s >= (SLOW_MS - ROUNDED_MS) / 1000
        assert len(partition(address, "orders").isr_nodes) == 2


def test_a_restart_ends_the_faults_of_a_brokers_links(three: Cluster) -> None:
    three.cut(1, 2, both=True)
    three.delay(3, 2, 10)
    three.cut(1, 3)
    three.restart(2)
    faults = {node: three._call(node, lambda server: server.links and (server.links.incoming, server.links.outgoing))
              for node in (1, 2, 3)}  # fmt: skip
    assert faults == {1: ({}, {3: None}), 2: None, 3: ({1: None}, {})}
    three.heal_all()


@pytest.mark.parametrize("delay_ms", [0, -1, 3_600_001, 1.5, True, None])
def test_impossible_delays_are_refused(three: Cluster, delay_ms: object) -> None:
    with pytest.raises(KafkaCompatError, match="give whole milliseconds from 1 to 3600000"):
        three.delay(1, 2, delay_ms)  # type: ignore[arg-type]


def test_a_leader_cut_off_from_controllers_is_fenced_and_clients_reach_it(three: Cluster, topic: str) -> None:
    leader = partition(addresses(three)[0], topic).leader_id
    other = leader % 3 + 1
    three.isolate(leader, from_="controllers")
    wait_until(lambda: leader not in brokers_of(three, other), what="the controller fences it")
    assert partition(addresses(three)[other - 1], topic).leader_id != leader
    assert leader in brokers_of(three, leader), "it answers clients, and does not know"
    three.heal(leader)
    wait_until(lambda: leader in brokers_of(three, other), what="it is back")


def test_one_way_a_follower_gets_no_records_and_leaves_the_isr(three: Cluster, topic: str) -> None:
    leader = partition(addresses(three)[0], topic).leader_id
    follower = leader % 3 + 1
    three.cut(follower, leader)  # its fetches do not arrive
    address = addresses(three)[leader - 1]
    assert send(address, topic, acks=1) == errors.NONE
    wait_until(lambda: follower not in partition(address, topic).isr_nodes, what="the leader removes it")
    assert follower in brokers_of(three, leader), "the controllers reach it"
    three.heal()
    wait_until(lambda: follower in partition(address, topic).isr_nodes, what="it returns")


def test_the_default_isolates_from_everybody(three: Cluster, topic: str) -> None:
    leader = partition(addresses(three)[0], topic).leader_id
    other = leader % 3 + 1
    three.isolate(leader)
    with Asking(addresses(three)[leader - 1], timeout_s=SILENCE_S) as client, pytest.raises(TimeoutError):
        client.ask(METADATA, 9)
    wait_until(lambda: partition(addresses(three)[other - 1], topic).leader_id not in (leader, -1), what="an election")


def test_ends_that_are_not_there_are_refused(three: Cluster) -> None:
    for call in (
        lambda: three.cut(1, 9), lambda: three.cut("nobody", 1), lambda: three.heal(9), lambda: three.isolate(1, [2, 9])
    ):  # fmt: skip
        with pytest.raises(KafkaCompatError, match="is no node: use one of 1, 2, 3, 1001, clients, controllers or"):
            call()
    with pytest.raises(KafkaCompatError, match="direction='sideways': use to, from or both"):
        three.isolate(1, direction="sideways")


def test_proxies_cut_links_between_nodes_one_way() -> None:
    config = {"replica.lag.time.max.ms": 1500}  # sessions are Kafka's: a busy machine must not fence a broker as well
    with Cluster(brokers=3, controllers=1, isolation=True, config=config) as kafka:
        startup_topics.create_topics(addresses(kafka)[0], {"orders": (1, 3)})
        wait_until(lambda: len(partition(addresses(kafka)[0], "orders").isr_nodes) == 3, what="the ISR")
        leader = partition(addresses(kafka)[0], "orders").leader_id
        follower = leader % 3 + 1
        kafka.cut(follower, leader)
        address = addresses(kafka)[leader - 1]
        assert send(address, "orders", acks=1) == errors.NONE
        wait_until(lambda: follower not in partition(address, "orders").isr_nodes, what="the leader removes it")
        kafka.heal()
        wait_until(lambda: follower in partition(address, "orders").isr_nodes, what="it returns")
        kafka.delay(follower, leader, SLOW_MS)
        began_s = time.monotonic()
        assert send(address, "orders") == errors.NONE
        assert time.monotonic() - began_s >= (SLOW_MS - ROUNDED_MS) / 1000, "acks=all waits for the slow follower"
        with pytest.raises(KafkaCompatError, match="cannot tell clients apart"):
            kafka.cut("clients", 1)


def test_a_full_disk_refuses_appends_until_it_has_room_again() -> None:
    with Cluster(topics=["orders"]) as kafka:
        address = kafka.bootstrap_servers
        assert send(address, "orders") == errors.NONE
        kafka.disk(1, free_bytes=200)
        assert send(address, "orders", value=bytes(1000)) == errors.KAFKA_STORAGE_ERROR
        assert kafka._call(1, is_full)
        assert partition(address, "orders").leader_id == 1, "all else goes on"
        kafka.disk(1)
        assert send(address, "orders", value=bytes(1000)) == errors.NONE


def test_a_reset_ends_all_faults() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.cut("clients", 1)
        kafka.disk(1, free_bytes=0)
        kafka.reset()
        assert send(kafka.bootstrap_servers, "orders") == errors.NONE
        kafka.delay(1, "clients", 1)
        assert send(kafka.bootstrap_servers, "orders") == errors.NONE, "the cut of before the reset is forgotten"
        kafka.heal()
        assert kafka._call(1, lambda server: server.connections.dispatch == server.broker.dispatch)
        assert kafka._call(1, lambda server: server.files.faults) is None


def test_a_slow_disk_delays_who_waits_for_it_and_nobody_else(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path, topics=["orders", "others"], config={"log.flush.interval.messages": 1}) as kafka:
        address = kafka.bootstrap_servers
        assert send(address, "orders") == errors.NONE
        kafka.disk(1, fsync_delay_ms=500)
        with Asking(address) as client, Asking(address) as other:
            began = time.monotonic()
            client.send(*produce("orders"))
            other.ask(METADATA, 9)
            assert not select.select([client.sock], [], [], 0)[0], "the loop does not wait for the disk"
            assert client.receive(*produce("orders")).responses[0].partition_responses[0].error_code == errors.NONE
            assert time.monotonic() - began >= 0.5
        kafka.heal_all()
        assert send(address, "orders") == errors.NONE


def test_a_broken_disk_stops_a_broker_and_a_restart_mends_it(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path, topics=["orders"]) as kafka:
        assert send(kafka.bootstrap_servers, "orders") == errors.NONE
        kafka.disk(1, error="EIO")
        assert send(kafka.bootstrap_servers, "orders") == errors.KAFKA_STORAGE_ERROR
        wait_until(lambda: not kafka._running_nodes(), what="the node stops")
        kafka.restart(1)
        assert send(kafka.bootstrap_servers, "orders") == errors.NONE


def test_a_disk_fault_that_cannot_be_is_refused() -> None:
    with Cluster() as kafka:
        for fault, says in (
            ({"fsync_delay_ms": 5}, "needs a cluster with data_dir="),
            ({"free_bytes": -1}, "free_bytes=-1: give at least 0"),
            ({"error": "ENOTHING"}, "no name|is not a name of the module errno"),
        ):
            with pytest.raises(KafkaCompatError, match=says):
                kafka.disk(1, **fault)


def produce(topic: str) -> tuple:
    from tests.robustness.client import batch_of, produce_request

    return produce_request(topic, batch_of(b"v")), 9
