"""Leaders, coordinators and the controller move; replicas lag, leave the ISR and return; sessions end."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from tests.asking import ask
from tests.cluster.group_member import Member, partition, send
from tests.waiting import wait_until

QUICK = {"controller.quorum.election.timeout.ms": 300, "offsets.topic.num.partitions": 3}
"""Shorter than Kafka's, so that a test of an election does not sleep."""


@pytest.fixture(scope="module", params=[False, True], ids=["in process", "processes"])
def three(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with Cluster(brokers=3, config=QUICK, processes=request.param) as kafka:
        yield kafka


@pytest.fixture(scope="module")
def one() -> Iterator[Cluster]:
    with Cluster(topics=["orders"], config=QUICK) as kafka:
        yield kafka


@pytest.fixture
def topic(three: Cluster, request: pytest.FixtureRequest) -> str:
    """A topic with a replica on each broker."""
    from kafkacompat.cluster import startup_topics

    name = re.sub(r"\W", "-", request.node.name)[-60:]
    startup_topics.create_topics(three.bootstrap_servers.partition(",")[0], {name: (1, 3)})
    wait_until(lambda: len(partition(addresses(three)[0], name).isr_nodes) == 3, what="the ISR")
    return name


def addresses(kafka: Cluster) -> list[str]:
    return kafka.bootstrap_servers.split(",")


def leader_of(kafka: Cluster, topic: str) -> int:
    return partition(addresses(kafka)[0], topic).leader_id


def log_end(kafka: Cluster, topic: str, broker: int) -> int:
    (end,) = (log.log_end_offset for log in kafka.topics()[topic].partitions[0].logs if log.broker == broker)
    return end


def controllers_of(kafka: Cluster) -> set[int]:
    """The active controller, as each controller names it."""
    return {
        ask(f"127.0.0.1:{each.address.rpartition(':')[2]}", DescribeClusterRequest(endpoint_type=2), 1).controller_id
        for each in kafka.controllers
    }


def test_clients_are_told_the_new_leader_by_every_broker(three: Cluster, topic: str) -> None:
    before = leader_of(three, topic)
    to = before % 3 + 1
    assert three.move_leader(topic, 0, to) == to
    for address in addresses(three):
        assert partition(address, topic).leader_id == to
    assert send(addresses(three)[before - 1], topic) == errors.NOT_LEADER_OR_FOLLOWER
    assert send(addresses(three)[to - 1], topic) == errors.NONE
    assert three.move_leader(topic) not in (to,), "the next one in sync"


def test_a_lone_leader_begins_a_new_epoch(one: Cluster) -> None:
    before = partition(one.bootstrap_servers, "orders")
    assert one.move_leader("orders") == 1
    after = partition(one.bootstrap_servers, "orders")
    assert (after.leader_id, after.leader_epoch) == (1, before.leader_epoch + 1)
    assert send(one.bootstrap_servers, "orders") == errors.NONE


def test_a_broker_that_cannot_lead_is_refused(three: Cluster, one: Cluster, topic: str) -> None:
    leader = leader_of(three, topic)
    lagging = leader % 3 + 1
    three.shrink_isr(topic, 0, lagging)
    with pytest.raises(KafkaCompatError, match=f"broker {lagging} is not in the ISR of {topic}-0"):
        three.move_leader(topic, 0, lagging)
    three.expand_isr(topic, 0, lagging)
    with pytest.raises(KafkaCompatError, match="no partition nothing-0: create the topic"):
        three.move_leader("nothing")
    with pytest.raises(KafkaCompatError, match="no partition orders-7: it has 1"):
        one.move_leader("orders", 7)
    with pytest.raises(KafkaCompatError, match="broker 2 has no replica of orders-0: use one of 1"):
        one.move_leader("orders", 0, 2)


@pytest.mark.parametrize("count", [1, 3])
def test_a_group_goes_on_at_another_coordinator(one: Cluster, three: Cluster, count: int) -> None:
    kafka = one if count == 1 else three
    if count == 3:
        from kafkacompat.cluster import startup_topics

        startup_topics.create_topics(addresses(kafka)[0], {"orders": (1, 3)})
    group = kafka.group_id("moving")  # another test's member may be in one of the same name
    member = Member(addresses(kafka)[0], group)
    member.join()
    assert member.commit("orders", 42) == errors.NONE
    before, address = member.coordinator()
    to = kafka.move_coordinator(group)
    assert member.coordinator()[0] == to
    if count == 3:
        assert to != before
        assert member.heartbeat(address) == errors.NOT_COORDINATOR
    assert member.heartbeat() == errors.NONE, "the same member, in the same generation"
    assert member.committed("orders") == 42
    assert member.commit("orders", 43) == errors.NONE
    with pytest.raises(KafkaCompatError, match="give a group or a transactional id"):
        kafka.move_coordinator(group, transactional_id="t")


@pytest.mark.parametrize("count", [1, 3])
def test_an_open_transaction_goes_on_at_another_coordinator(one: Cluster, three: Cluster, count: int) -> None:
    kafka = one if count == 1 else three
    if count == 3:
        from kafkacompat.cluster import startup_topics

        startup_topics.create_topics(addresses(kafka)[0], {"paid": (1, 3)})
    topic = "orders" if count == 1 else "paid"
    producer = Producer(kafka.config_for("confluent") | {"transactional.id": "shop"})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, "two apples", partition=0)
    assert producer.flush(30) == 0
    before = kafka.transactions()["shop"]
    to = kafka.move_coordinator(transactional_id="shop")
    after = kafka.transactions()["shop"]
    assert (after.state, after.coordinator, after.epoch) == ("Ongoing", to, before.epoch)
    assert after.coordinator_epoch > before.coordinator_epoch
    assert (to != before.coordinator) == (count == 3)
    producer.commit_transaction(30)
    assert {each.state for each in kafka.records(topic) if each.value == b"two apples"} == {"committed"}


def test_the_controller_moves_to_the_named_node_and_changes_go_on(three: Cluster, topic: str) -> None:
    (first,) = controllers_of(three)
    to = first % 3 + 1
    assert three.move_controller(to) == to
    assert controllers_of(three) == {to}
    assert three.move_leader(topic) in (1, 2, 3)
    with pytest.raises(KafkaCompatError, match="node 9 is no controller: use one of 1, 2, 3"):
        three.move_controller(9)


def test_the_only_controller_is_elected_again(one: Cluster) -> None:
    before = one._call(1, lambda server: server.broker.quorum.raft.leader_epoch)
    assert one.move_controller() == 1
    assert one._call(1, lambda server: server.broker.quorum.raft.leader_epoch) > before
    assert one.move_leader("orders") == 1


def test_acks_all_waits_for_a_follower_that_lags(three: Cluster, topic: str) -> None:
    leader = leader_of(three, topic)
    lagging, other = (each for each in (1, 2, 3) if each != leader)
    address = addresses(three)[leader - 1]
    three.lag(topic, 0, lagging)
    assert send(address, topic, timeout_ms=300) == errors.REQUEST_TIMED_OUT
    assert send(address, topic, acks=1) == errors.NONE
    assert {log_end(three, topic, each) for each in (leader, other)} == {2}
    assert log_end(three, topic, lagging) == 0
    three.catch_up(topic, 0, lagging)
    assert send(address, topic) == errors.NONE
    assert sorted(partition(address, topic).isr_nodes) == [1, 2, 3], "it was back before the time limit"


def test_a_replica_leaves_the_isr_and_returns(three: Cluster, topic: str) -> None:
    leader = leader_of(three, topic)
    first, second = (each for each in (1, 2, 3) if each != leader)
    address = addresses(three)[leader - 1]
    three.shrink_isr(topic, 0, first)
    assert sorted(partition(address, topic).isr_nodes) == sorted((leader, second))
    assert send(address, topic) == errors.NONE, "the high watermark does not wait for it"
    three.shrink_isr(topic, 0, second)
    assert partition(addresses(three)[second - 1], topic).isr_nodes == [leader]
    assert sorted(partition(address, topic).replica_nodes) == [1, 2, 3]
    for broker in (first, second):
        three.expand_isr(topic, 0, broker)
    assert sorted(partition(address, topic).isr_nodes) == [1, 2, 3]
    assert {log_end(three, topic, each) for each in (1, 2, 3)} == {1}


def test_a_lagging_replica_stays_behind_when_the_leader_moves(three: Cluster, topic: str) -> None:
    leader = leader_of(three, topic)
    lagging, other = (each for each in (1, 2, 3) if each != leader)
    three.shrink_isr(topic, 0, lagging)
    three.move_leader(topic, 0, other)
    assert send(addresses(three)[other - 1], topic) == errors.NONE
    assert log_end(three, topic, lagging) == 0
    three.heal_all()
    three.expand_isr(topic, 0, lagging)


def test_the_leader_cannot_lag_and_one_replica_cannot_leave(one: Cluster, three: Cluster, topic: str) -> None:
    leader = leader_of(three, topic)
    for kafka, name, broker in ((one, "orders", 1), (three, topic, leader)):
        with pytest.raises(KafkaCompatError, match=f"broker {broker} leads {name}-0, and cannot lag: use move_leader"):
            kafka.lag(name, 0, broker)
        with pytest.raises(KafkaCompatError, match="cannot lag"):
            kafka.shrink_isr(name, 0, broker)


@pytest.mark.parametrize("count", [1, 3])
def test_a_member_whose_session_ended_joins_again(one: Cluster, three: Cluster, count: int) -> None:
    kafka = one if count == 1 else three
    member = Member(addresses(kafka)[0], "sessions")
    member.join()
    before = member.id
    begun = time.monotonic()
    assert kafka.expire_session("sessions", before) == before
    assert member.heartbeat() == errors.UNKNOWN_MEMBER_ID
    assert time.monotonic() - begun < member.session_ms / 1000
    member.join()
    assert member.id != before
    assert member.heartbeat() == errors.NONE
    assert kafka.expire_session("sessions", "asking") == member.id, "by its client id"
    with pytest.raises(KafkaCompatError, match="'sessions' has no member 'asking': its members are none"):
        kafka.expire_session("sessions", "asking")
    with pytest.raises(KafkaCompatError, match="no group 'nobody'"):
        kafka.expire_session("nobody", "x")
