"""`/metrics`: the format, and each number beside what clients did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.metrics import partition_metrics
from kafkacompat.control_api.metrics.exposition import Exposition
from kafkacompat.control_api.metrics.partition_metrics import of_topics
from kafkacompat.control_api.resources import metrics
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, NO_LEADER, RECOVERING, PartitionImage, TopicImage
from kafkacompat.replication.metadata.raft_driver import RaftDriver
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.steps import at_once
from tests.control_api.harness import Api, serving
from tests.waiting import wait_until


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
    topics = partition_metrics.TOPICS
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
    assert value(found, f"{partition_metrics.REPLICAS}leadercount") == 3
    assert value(found, f"{partition_metrics.REPLICAS}partitioncount") == 3
    for name in ("underreplicatedpartitions", "underminisrpartitioncount", "offlinereplicacount"):
        assert value(found, partition_metrics.REPLICAS + name) == 0
    assert value(found, f"{metrics.CONTROLLER}activecontrollercount") == 1
    assert value(found, f"{metrics.CONTROLLER}globalpartitioncount") == 3
    assert value(found, f"{metrics.CONTROLLER}activebrokercount") == 1
    assert value(found, f"{metrics.RAFT}current_state", current_state="leader") == 1
    assert value(found, "kafka_topic_partitions", topic="orders") == 3
    assert 0 <= value(found, "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent") <= 1


def test_beyond_a_limit_series_of_partitions_are_written_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_metrics, "PARTITIONS_MAX", 2)
    with serving(topics={"orders": 3}) as (_, api):
        few, many = scraped(api), scraped(api, "/metrics?partitions=true")
    assert not [name for name, labels in few if "partition" in dict(labels)]
    assert value(few, f"{partition_metrics.REPLICAS}leadercount") == 3
    assert value(many, "kafka_log_log_size", topic="orders", partition=2) == 0
    monkeypatch.undo()
    with serving(topics={"orders": 3}) as (_, api):
        assert not [name for name, labels in scraped(api, "/metrics?partitions=false") if name == "kafka_log_log_size"]


def test_faults_the_clock_and_preferred_leaders_are_told() -> None:
    with serving(topics={"orders": 1}) as (kafka, api):
        assert value(scraped(api), "kafkacompat_clock_offset_ms") == 0
        rule = api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "observe": True, "label": 'a "b"'}).body
        Producer({"bootstrap.servers": kafka.bootstrap_servers}).list_topics("orders", timeout=30)
        api.send("POST", "/v1/clock/advance", {"ms": 60_000})
        api.send("POST", "/v1/clock/freeze")
        found = scraped(api)
        hits = api.get(f"/v1/faults/{rule['id']}")["hits"]
    assert value(found, "kafkacompat_fault_hits_total", fault=rule["id"], label='a "b"') == hits >= 1
    assert value(found, "kafkacompat_clock_offset_ms") >= 50_000
    assert value(found, "kafkacompat_clock_frozen") == 1
    for name, expected in (
        ("replicas", 1), ("leader", 1), ("leader_is_preferred", 1), ("under_replicated_partition", 0),
    ):  # fmt: skip
        assert value(found, partition_metrics.EXPORTED + name, topic="orders", partition=0) == expected


def test_the_quorum_and_what_is_applied_are_told() -> None:
    with serving(topics={"orders": 1}) as (_, api):
        begun = scraped(api)
        api.send("POST", "/v1/topics", {"name": "new"})
        found = scraped(api)
        node_ms = api.get("/v1/clock")["wall_ms"]
    assert value(begun, f"{metrics.RAFT}append_records_rate") == 0  # there is no scrape before
    assert value(found, f"{metrics.RAFT}append_records_rate") > 0
    assert value(found, f"{metrics.RAFT}fetch_records_rate") == 0
    assert value(found, f"{metrics.RAFT}current_vote") in (-1, 1)
    assert value(found, f"{metrics.APPLIED}lag_ms") == 0
    assert 0 <= node_ms - value(found, f"{metrics.APPLIED}timestamp") < 60_000
    assert value(found, f"{metrics.APPLIED}offset") > value(begun, f"{metrics.APPLIED}offset")
    assert value(found, "kafka_controller_controllerstats_uncleanleaderelections_total") == 0


def test_what_is_committed_and_not_applied_has_an_age(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as (kafka, api):
        kafka.clock.advance(hours=1)
        monkeypatch.setattr(RaftDriver, "high_watermark", property(lambda raft: raft.client.high_watermark + 1))
        found = scraped(api)
        monkeypatch.undo()
    assert value(found, f"{metrics.APPLIED}lag_ms") >= 3_500_000


def test_each_unclean_election_counts_once() -> None:
    topic = TopicImage(
        "orders", b"1" * 16,
        (
            PartitionImage((1, 2), (1,), 1, 3), PartitionImage((1, 2), (1,), NO_LEADER, 3),
            PartitionImage((1, 2), (1,), 1, 3, recovery_state=RECOVERING),
        ),
    )  # fmt: skip
    image = EMPTY_IMAGE.but(topics={"orders": topic}, topics_by_id={topic.topic_id: topic})
    found = at_once(of_topics(image))
    assert (found.partition_count, found.offline_count) == (3, 1)
    assert found.unclean_epochs == {(topic.topic_id, 2): 3}
    last = metrics.LastScrape()
    assert last.count_unclean(found.unclean_epochs) == 1
    assert last.count_unclean(found.unclean_epochs) == 1
    assert last.count_unclean({(topic.topic_id, 2): 5, (topic.topic_id, 0): 1}) == 3
    assert last.count_unclean({}) == 3


def test_rates_are_those_since_the_last_scrape() -> None:
    last = metrics.LastScrape()
    assert last.metadata_rate(100, 5_000) == 0
    assert last.metadata_rate(110, 7_000) == 5
    assert last.metadata_rate(110, 7_000) == 0
    assert last.metadata_rate(90, 8_000) == 0  # the log was truncated


def test_the_time_to_commit_is_that_since_the_last_scrape_or_the_last_known() -> None:
    last = metrics.LastScrape()
    assert last.commit_latency_ms(0, 0.0) is None
    assert last.commit_latency_ms(2, 10.0) == 5
    assert last.commit_latency_ms(2, 10.0) == 5
    assert last.commit_latency_ms(3, 12.0) == 2


def test_a_follower_counts_what_it_asks_the_leader_of_the_quorum() -> None:
    with serving(brokers=3) as (_, api):
        leader = int(value(scraped(api, "/metrics?node_id=1"), f"{metrics.RAFT}current_leader"))
        follower = next(node_id for node_id in (1, 2, 3) if node_id != leader)

        def counts() -> dict[str, float]:
            found = scraped(api, f"/metrics?node_id={follower}")
            names = ("incoming_byte", "outgoing_byte", "request", "response")
            return {name: value(found, f"{metrics.RAFT_CHANNEL}{name}_total") for name in names}

        before = counts()
        wait_until(lambda: all(now > before[name] for name, now in counts().items()))
        after = counts()
        assert after["response"] <= after["request"]
        found = scraped(api, f"/metrics?node_id={leader}")
        assert 0 <= value(found, f"{metrics.RAFT}commit_latency_avg") < 60_000
        names = {name for name, _ in scraped(api, f"/metrics?node_id={follower}")}
        assert f"{metrics.RAFT}commit_latency_avg" not in names


def test_what_linux_counts_of_disks_is_read(tmp_path: Path) -> None:
    counts = tmp_path / "io"
    counts.write_text("rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n")
    assert metrics.disk_bytes(str(counts)) == {"read": 4096, "write": 8192}
    counts.write_text("rchar: 1\n")
    assert metrics.disk_bytes(str(counts)) == metrics.disk_bytes(str(tmp_path / "none")) == {}


def test_no_turn_of_a_scrape_writes_more_than_a_part() -> None:
    with serving(topics={f"topic-{number}": 20 for number in range(15)}) as (kafka, _):

        def parts(server: BrokerServer) -> list[int]:
            out, sizes = CountingExposition(), []
            for _ in partition_metrics.of_partitions(out, server, is_asked_for=True):
                sizes.append(out.count)
                out.count = 0
            return [*sizes, out.count]

        sizes = kafka._call(1, parts)
    assert sum(sizes) > 300 * len(partition_metrics.FAMILIES)
    assert max(sizes) <= partition_metrics.SERIES_PER_YIELD + 10


class CountingExposition(Exposition):
    count = 0

    def series(self, labels: str, value: float) -> None:
        super().series(labels, value)
        self.count += 1
