"""`/metrics`: the format, and each number beside what clients did."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api import metrics
from tests.control_api.harness import Api, serving


def scraped(api: Api, target: str = "/metrics") -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answered = api.send("GET", target)
    assert answered.status == 200
    assert answered.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answered.text)
        for sample in family.samples
    }


def value(found: dict[Any, float], name: str, **labels: object) -> float:
    return found[name, tuple(sorted((key, str(text)) for key, text in labels.items()))]


def test_traffic_is_counted() -> None:
    with serving(topics={"orders": 1, "unused": 1}) as (kafka, api):
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 0})
        for number in range(10):
            producer.produce("orders", b"x" * 100, key=str(number))
        producer.flush(30)
        with_consumer = Consumer(
            {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "billing", "auto.offset.reset": "earliest"}
        )
        with_consumer.subscribe(["orders"])
        seen = 0
        while seen < 10:
            message = with_consumer.poll(30)
            assert message is not None
            assert message.error() is None
            seen += 1
        with_consumer.commit(asynchronous=False)
        found = scraped(api)
        with_consumer.close()
    topics = metrics.TOPICS
    assert value(found, f"{topics}messagesin_total", topic="orders") == 10
    assert value(found, f"{topics}messagesin_total", topic="unused") == 0
    bytes_in = value(found, f"{topics}bytesin_total", topic="orders")
    assert 1_000 < bytes_in < 3_000
    assert value(found, f"{topics}bytesout_total", topic="orders") == bytes_in
    assert 1 <= value(found, f"{topics}totalproducerequests_total", topic="orders") <= 10
    assert value(found, f"{topics}totalfetchrequests_total", topic="orders") >= 1
    assert value(found, f"{topics}failedproducerequests_total", topic="orders") == 0
    assert value(found, "kafka_log_log_logendoffset", topic="orders", partition=0) == 10
    assert value(found, "kafka_log_log_size", topic="orders", partition=0) == bytes_in
    assert value(found, "kafka_topic_partition_current_offset", topic="orders", partition=0) == 10
    assert (
        value(found, "kafka_consumergroup_current_offset", consumergroup="billing", topic="orders", partition=0) == 10
    )
    assert value(found, "kafka_consumergroup_lag", consumergroup="billing", topic="orders", partition=0) == 0
    assert value(found, "kafka_consumergroup_members", consumergroup="billing") == 1
    software = {labels for name, labels in found if name == f"{metrics.SOCKETS}connections_software"}
    assert {"confluent-kafka-python"} == {dict(labels)["clientSoftwareName"] for labels in software}


def test_the_state_of_a_new_node_is_told() -> None:
    with serving(topics={"orders": 3}) as (_, api):
        found = scraped(api)
    assert value(found, f"{metrics.REPLICAS}leadercount") == 3
    assert value(found, f"{metrics.REPLICAS}partitioncount") == 3
    for name in ("underreplicatedpartitions", "underminisrpartitioncount", "offlinereplicacount"):
        assert value(found, metrics.REPLICAS + name) == 0
    assert value(found, f"{metrics.CONTROLLER}activecontrollercount") == 1
    assert value(found, f"{metrics.CONTROLLER}globalpartitioncount") == 3
    assert value(found, f"{metrics.CONTROLLER}activebrokercount") == 1
    assert value(found, f"{metrics.RAFT}current_state", current_state="leader") == 1
    assert value(found, "kafka_topic_partitions", topic="orders") == 3
    assert 0 <= value(found, "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent") <= 1


def test_beyond_a_limit_series_of_partitions_are_written_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "PARTITIONS_MAX", 2)
    with serving(topics={"orders": 3}) as (_, api):
        few, many = scraped(api), scraped(api, "/metrics?partitions=true")
    assert not [name for name, labels in few if "partition" in dict(labels)]
    assert value(few, f"{metrics.REPLICAS}leadercount") == 3
    assert value(many, "kafka_log_log_size", topic="orders", partition=2) == 0
    monkeypatch.undo()
    with serving(topics={"orders": 3}) as (_, api):
        assert not [name for name, labels in scraped(api, "/metrics?partitions=false") if name == "kafka_log_log_size"]
