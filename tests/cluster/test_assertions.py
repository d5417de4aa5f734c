"""Assertions on a cluster pass when it is so, say what is there instead, and wait for events."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster import waiting
from kafkacompat.protocol.constants import ACKS_ALL, NO_SEQUENCE
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from tests.waiting import DEADLINE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF

TEST_S = 0.05
"""A time-out that is meant to run out."""


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 2}, config={"group.initial.rebalance.delay.ms": 0}) as kafka:
        kafka.journal()
        yield kafka


def produce(
    kafka: Cluster, *values: str | None, key: str | None = None, partition: int = 0, topic: str = "orders"
) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    for value in values:
        producer.produce(topic, value, key, partition, headers={"from": "tests"})
    assert producer.flush(DEADLINE_S) == 0


def test_produced_records_are_compared_with_values_dicts_regexes_and_functions(kafka: Cluster) -> None:
    kafka.assert_produced("orders", [])
    produce(kafka, "text", '{"id": 1, "more": 2}', "other", None, key="a")
    produce(kafka, "0")
    last = [re.compile("^oth"), None, lambda record: record.key is None]
    kafka.assert_produced("orders", ["text", {"id": 1}, *last])
    kafka.assert_produced("orders", [*last, "text", {"id": 1}], order="any")
    kafka.assert_produced("orders", ["text", {"id": 1}, *last], order="exact")
    kafka.assert_produced("orders", "0", key=None)
    kafka.assert_produced("orders", ["text", {"id": 1}, "other", None], key="a", headers={"from": "tests"}, partition=0)
    kafka.assert_produced("orders", [], key="b")
    kafka.assert_produced("orders", [], headers={"from": "others"})
    kafka.assert_produced("orders", [], partition=1)


def append(kafka: Cluster, value: str | None, kind: int | None = None) -> None:
    """A record of a transaction in orders-0, or with `kind` the marker that ends it."""

    def on_loop(server: BrokerServer) -> None:
        partition = server.broker.partitions.get("orders", 0)
        assert partition is not None
        is_control = kind is not None
        data = None if value is None else value.encode()
        record = Record(0, 0, encode_key(kind), encode_end_transaction(0)) if is_control else Record(0, 0, None, data)
        producer = partition.log.producers.entries.get(7)
        batch = build_batch(
            [record], producer_id=7, producer_epoch=0, is_control=is_control, is_transactional=True,
            base_sequence=NO_SEQUENCE if is_control else 0 if producer is None else producer.last_sequence + 1,
        )  # fmt: skip
        partition.append(
            memoryview(batch), ACKS_ALL, server.now(), internal=is_control, guard=VERIFICATION_IS_OFF
        )  # fmt: skip

    kafka._call(1, on_loop)


def test_transactions_count_as_consumers_see_them(kafka: Cluster) -> None:
    append(kafka, "committed")
    append(kafka, None, COMMIT)
    append(kafka, "aborted")
    append(kafka, None, ABORT)
    append(kafka, "open")
    kafka.assert_produced("orders", "committed")
    kafka.assert_produced("orders", ["committed", "aborted", "open"], read="uncommitted")
    with pytest.raises(AssertionError, match=r"but orders-0@2 b'aborted' is aborted(.|\n)*1 in an open transaction"):
        kafka.assert_produced("orders", ["committed", "aborted"])


def test_a_group_has_consumed_all_if_only_markers_and_aborted_records_are_left(kafka: Cluster) -> None:
    append(kafka, "committed")
    append(kafka, None, COMMIT)
    append(kafka, "aborted")
    append(kafka, None, ABORT)
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g"})
    with pytest.raises(AssertionError, match="committed nothing of 4, next is orders-0@0 b'committed'"):
        kafka.assert_consumed_up_to("g", "orders")
    consumer.commit(offsets=[TopicPartition("orders", 0, 1)], asynchronous=False)
    kafka.assert_consumed_up_to("g", "orders")
    consumer.close()


def test_errors_that_a_fault_rule_made_do_not_count(kafka: Cluster) -> None:
    produce(kafka, "one")
    with kafka.faults.add({"api": "Produce"}, {"error": "NOT_LEADER_OR_FOLLOWER"}, times=1):
        produce(kafka, "two")
    assert any(each.fault is not None and each.errors for each in kafka.requests())
    kafka.assert_no_errors()


def test_a_difference_is_an_assertion_error(kafka: Cluster) -> None:
    produce(kafka, "one", "two", key="a")
    with pytest.raises(AssertionError, match="in another order"):
        kafka.assert_produced("orders", ["two", "one"])
    with pytest.raises(AssertionError, match=r"- expected\[1\]: 'three'$"):
        kafka.assert_produced("orders", ["one", "three", "two"])
    with pytest.raises(AssertionError, match=r"\+ orders-0@1 key=b'a' .* b'two'"):
        kafka.assert_produced("orders", "one")
    with pytest.raises(AssertionError, match=r"is with another key\n"):
        kafka.assert_produced("orders", "one", key="b")
    with pytest.raises(AssertionError, match="expected records: 1, but there is no topic 'unknown'"):
        kafka.assert_produced("unknown", "one")
    kafka.assert_produced("unknown", [])
    with pytest.raises(AssertionError, match="so there is no 7"):
        kafka.assert_produced("orders", [], partition=7)


def test_misuse_is_named(kafka: Cluster) -> None:
    with pytest.raises(KafkaCompatError, match="order='sorted': use one of per_key, exact, any"):
        kafka.assert_produced("orders", [], order="sorted")
    with pytest.raises(KafkaCompatError, match="read='all'"):
        kafka.assert_produced("orders", [], read="all")
    produce(kafka, "a")
    produce(kafka, "b", partition=1)
    with pytest.raises(KafkaCompatError, match="order=exact needs partition="):
        kafka.assert_produced("orders", ["a", "b"], order="exact")


def test_an_assertion_waits_for_the_event_and_is_woken_by_it(kafka: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FALLBACK_S", DEADLINE_S)  # without an event it would take as long
    later = threading.Timer(0.1, lambda: produce(kafka, "late"))
    later.start()
    began_s = time.monotonic()
    kafka.assert_produced("orders", "late", timeout_s=DEADLINE_S)
    assert time.monotonic() - began_s < DEADLINE_S / 2
    later.join()
    server_lists = kafka._call(1, lambda server: server.on_event)
    assert server_lists == []


def test_a_condition_is_waited_for_and_what_it_saw_is_told(kafka: Cluster) -> None:
    produce(kafka, "one")
    kafka.wait_until(lambda: kafka.topics()["orders"].partitions[0].end_offset == 1)
    with pytest.raises(AssertionError) as told:
        kafka.wait_until(lambda: len(kafka.records("orders")) == 2, timeout_s=TEST_S, what="two records")
    assert str(told.value).splitlines() == [
        "not within 0.05 s: two records",
        "the condition was False",
        "records of orders then:",
        "  orders-0@0 headers={'from': b'tests'} b'one'",
    ]
    with pytest.raises(AssertionError, match=r"KeyError: 'g'\ngroups then:\n  none"):
        kafka.wait_until(lambda: kafka.groups()["g"].state == "Stable", timeout_s=TEST_S)
    with pytest.raises(ZeroDivisionError):
        kafka.wait_until(lambda: 1 / 0)
    assert kafka._seen is None


def test_a_condition_that_does_not_depend_on_brokers_is_looked_at_too(kafka: Cluster) -> None:
    is_set = threading.Event()
    threading.Timer(0.05, is_set.set).start()
    kafka.wait_until(is_set.is_set)


def test_a_cluster_in_another_process_is_asserted_in_the_same_words() -> None:
    is_set = threading.Event()
    threading.Timer(0.05, is_set.set).start()
    with Cluster(processes=True, topics=["orders"]) as kafka:
        kafka.wait_until(is_set.is_set)
        kafka.assert_produced("orders", [])
        threading.Timer(0.05, produce, (kafka, "one")).start()
        kafka.assert_produced("orders", "one", timeout_s=DEADLINE_S)
        with pytest.raises(AssertionError, match=r"(?s)missing.*two"):
            kafka.assert_produced("orders", ["one", "two"])


def test_a_group_is_asserted_from_joining_to_the_end_of_its_topic(kafka: Cluster) -> None:
    with pytest.raises(AssertionError, match="there is no group 'g'; there are: none"):
        kafka.assert_group("g", state="Stable")
    produce(kafka, "one", "two")
    with pytest.raises(
        AssertionError, match=r"\(there is no such group\) has not consumed orders:\n  orders-0: committed not"
    ):
        kafka.assert_consumed_up_to("g", "orders")
    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "client.id": "billing",
         "auto.offset.reset": "earliest", "enable.auto.commit": False},
    )  # fmt: skip
    consumer.subscribe(["orders"])
    first = consumer.poll(DEADLINE_S)
    assert first is not None
    consumer.commit(first, asynchronous=False)
    kafka.assert_group("g", state="Stable", members=1, generation=1, protocol="range", timeout_s=DEADLINE_S)
    kafka.assert_group("g", members=["billing"])
    kafka.assert_consumed_up_to("g", "orders", partition=1)
    kafka.assert_consumed_up_to("g", "orders", offset=1, partition=0)
    with pytest.raises(AssertionError, match="orders-0: committed 1, expected 2"):
        kafka.assert_consumed_up_to("g", "orders", offset=2, partition=0)
    with pytest.raises(AssertionError, match=r"orders-0: committed 1 of 2, next is orders-0@1 .* b'two'"):
        kafka.assert_consumed_up_to("g", "orders")
    second = consumer.poll(DEADLINE_S)
    assert second is not None
    consumer.commit(second, asynchronous=False)
    kafka.assert_consumed_up_to("g", "orders")
    with pytest.raises(AssertionError) as told:
        kafka.assert_group("g", state="Empty", members=["other"])
    assert "state is 'Stable', expected 'Empty'" in str(told.value)
    assert "its members are ['billing'], expected ['other']" in str(told.value)
    threading.Timer(0.05, consumer.close).start()
    kafka.assert_group("g", state="Empty", members=0, timeout_s=DEADLINE_S)
    with pytest.raises(AssertionError, match="no topic 'unknown'"):
        kafka.assert_consumed_up_to("g", "unknown")


def test_errors_in_responses_are_found_and_normal_ones_are_not(kafka: Cluster) -> None:
    produce(kafka, "one")
    kafka.assert_no_errors()
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g"})
    consumer.subscribe(["orders"])
    consumer.poll(0.1)
    kafka.wait_until(
        lambda: any(error.error == "MEMBER_ID_REQUIRED" for each in kafka.requests() for error in each.errors or ())
    )
    kafka.assert_no_errors()
    consumer.close()
    reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "h", "client.id": "reader"})
    reader.list_topics("unknown", DEADLINE_S)
    reader.close()
    names = {error.error for each in kafka.requests() for error in each.errors or ()}
    assert "UNKNOWN_TOPIC_OR_PARTITION" in names
    with pytest.raises(
        AssertionError, match=r"requests failed .*\n.*reader: Metadata .*UNKNOWN_TOPIC_OR_PARTITION \(unknown"
    ):
        kafka.assert_no_errors()
    kafka.assert_no_errors(ignore=["UNKNOWN_TOPIC_OR_PARTITION"])
    kafka.journal(on=False)
    with pytest.raises(KafkaCompatError, match="the journal is off"):
        kafka.assert_no_errors()
