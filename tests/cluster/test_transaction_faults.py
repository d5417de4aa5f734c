"""Fault rules by transactional id act at each step of a transaction of that id, and on no other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kafkacompat import Cluster
from kafkacompat.broker.faults.rule_errors import FaultRuleError, UnmatchableRuleError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.asking import ask
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = {
    "find_coordinator": "COORDINATOR_NOT_AVAILABLE", "init_producer_id": "CONCURRENT_TRANSACTIONS",
    "add_partitions_to_txn": "CONCURRENT_TRANSACTIONS", "produce": "NOT_ENOUGH_REPLICAS",
    "add_offsets_to_txn": "COORDINATOR_LOAD_IN_PROGRESS", "txn_offset_commit": "COORDINATOR_LOAD_IN_PROGRESS",
    "end_txn": "COORDINATOR_NOT_AVAILABLE",
}  # fmt: skip
"""An error at each step that a client retries."""


@pytest.fixture(scope="module", params=[1, 3])
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    config = {"offsets.topic.num.partitions": 2, "transaction.state.log.num.partitions": 3}
    with Cluster(brokers=request.param, config=config) as kafka:
        yield kafka


@pytest.fixture(autouse=True)
def no_rules_are_left(kafka: Cluster) -> Iterator[None]:
    from kafkacompat.cluster import startup_topics

    startup_topics.create_topics(kafka.bootstrap_servers.partition(",")[0], {"orders": (1, 1), "bills": (1, 1)})
    yield
    kafka.faults.clear()
    kafka.reset()


def transact(kafka: Cluster, transactional_id: str) -> None:
    """Read, process and write, once."""
    consumer = Consumer(kafka.config_for("confluent") | {"group.id": f"group of {transactional_id}"})
    members: list[Any] = []
    consumer.subscribe(["orders"], on_assign=lambda who, _: members.append(who.consumer_group_metadata()))
    wait_until(lambda: consumer.poll(0.1) is None and bool(members), what="the assignment")
    settings = {"transactional.id": transactional_id, "retry.backoff.ms": 1, "log_level": 0}
    producer = Producer(kafka.config_for("confluent") | settings)
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce("bills", transactional_id, partition=0)
    assert producer.flush(60) == 0
    producer.send_offsets_to_transaction([TopicPartition("orders", 0, 7)], members[-1], 60)
    producer.commit_transaction(60)
    consumer.close()


@pytest.mark.parametrize("api", STEPS)
def test_a_client_meets_an_error_at_this_step_and_its_transaction_is_whole(kafka: Cluster, api: str) -> None:
    when = {"api": api, "transactional_id": "shop", "client_id": "rdkafka"}
    rule = kafka.faults.add(when=when, then={"error": STEPS[api]}, times=2)
    transact(kafka, "other")
    assert rule.hits == 0, "of another id"
    transact(kafka, "shop")
    assert rule.hits == 2
    wait_until(lambda: kafka.transactions()["shop"].state == "CompleteCommit", what="the markers")
    bills = [record for record in kafka.records("bills") if record.control is None]
    assert [(record.value, record.state) for record in bills] == [(b"other", "committed"), (b"shop", "committed")]
    assert kafka.groups()["group of shop"].offset("orders") == 7


@pytest.mark.parametrize("then", [{"error": "NOT_LEADER_OR_FOLLOWER"}, "drop", {"drop": "after"}])
def test_markers_that_are_lost_are_sent_again(kafka: Cluster, then: Any) -> None:
    rule = kafka.faults.add(when={"api": "write_txn_markers"}, then=then, times=2)
    transact(kafka, "shop")
    wait_until(lambda: kafka.transactions()["shop"].state == "CompleteCommit", what="the markers")
    assert rule.hits == 2
    assert {record.state for record in kafka.records("bills")} == {"committed"}


def test_the_question_of_a_broker_is_matched_when_its_api_is_named(kafka: Cluster) -> None:
    """With Produce 12 it is a broker that adds the partition."""
    address = kafka.bootstrap_servers.partition(",")[0]
    found = ask(address, FindCoordinatorRequest("shop", 1), 2)
    coordinator = f"{found.host}:{found.port}"
    born = ask(coordinator, InitProducerIdRequest("shop", 60_000), 5)
    pair = born.producer_id, born.producer_epoch
    leader = kafka.topics()["bills"].partitions[0].leader
    at = next(each for each in kafka.brokers if each.id == leader).address
    records = build_batch(
        [Record(0, 0, None, b"v")], producer_id=pair[0], producer_epoch=pair[1], base_sequence=0, is_transactional=True
    )
    data = [TopicProduceData(topic_id=kafka._call(leader, topic_id), partition_data=[PartitionProduceData(0, records)])]
    request = ProduceRequest("shop", -1, 30_000, data)

    def code() -> int:
        return int(ask(at, request, 13).responses[0].partition_responses[0].error_code)

    of_all = kafka.faults.add(when={"transactional_id": "shop"}, then={"error": "POLICY_VIOLATION"})
    assert code() == errors.POLICY_VIOLATION
    assert of_all.hits == 1, "the request of the client alone"
    of_all.remove()
    when = {"api": "add_partitions_to_txn", "transactional_id": "shop"}
    rule = kafka.faults.add(when=when, then={"error": "COORDINATOR_LOAD_IN_PROGRESS"}, times=1)
    other = kafka.faults.add(when={**when, "transactional_id": "other"}, then={"error": "POLICY_VIOLATION"})
    assert code() == errors.NOT_ENOUGH_REPLICAS
    assert code() == errors.NONE
    assert (rule.hits, other.hits) == (1, 0)
    assert ask(coordinator, EndTxnRequest("shop", *pair, True), 5).error_code == errors.NONE


def topic_id(server: Any) -> bytes:
    found: bytes = server.broker.image.topics["bills"].topic_id
    return found


def test_a_broker_names_several_ids_in_one_request(kafka: Cluster) -> None:
    rule = kafka.faults.add(when={"api": "add_partitions_to_txn", "transactional_id": "b"}, observe=True)
    topics = [AddPartitionsToTxnTopic("bills", [0])]
    for names, hits in ((("a", "c"), 0), (("a", "b"), 1)):
        asked = [AddPartitionsToTxnTransaction(name, 1, 0, True, topics) for name in names]
        ask(kafka.bootstrap_servers.partition(",")[0], AddPartitionsToTxnRequest(asked), 5)
        assert rule.hits == hits


def test_the_selector_has_two_names_and_markers_have_none(kafka: Cluster) -> None:
    rule = kafka.faults.add(when={"api": "end_txn", "transactional_id": "shop-*"}, observe=True)
    assert rule.as_dict()["when"] == {"api": "end_txn", "txn_id": "shop-*"}
    with pytest.raises(FaultRuleError, match="another name of txn_id"):
        kafka.faults.add(when={"txn_id": "a", "transactional_id": "b"}, observe=True)
    with pytest.raises(UnmatchableRuleError, match="write_txn_markers names nothing that a rule can select"):
        kafka.faults.add(when={"api": "write_txn_markers", "transactional_id": "a"}, observe=True)
