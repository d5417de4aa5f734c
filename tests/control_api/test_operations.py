"""Dashboard and alert rules: each expression is understood and finds its metric in a scrape of three brokers; each
alert is quiet in a sound cluster, and fired by its fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
import yaml
from confluent_kafka import Consumer, Producer, TopicPartition
from prometheus_client.parser import text_string_to_metric_families

from kafkacompat import Cluster
from kafkacompat.control_api.resources import metrics
from tests.control_api.harness import Api, serving
from tests.control_api.promql import Scrape, parse
from tests.tidy.tree import text
from tests.waiting import wait_until

RULES = {rule["alert"]: rule for rule in yaml.safe_load(text("ops/prometheus-rules.yaml"))["groups"][0]["rules"]}
PANELS = json.loads(text("ops/grafana-dashboard.json"))["panels"]
EXPRESSIONS = [rule["expr"] for rule in RULES.values()] + [
    target["expr"] for panel in PANELS for target in panel["targets"]
]
CONFIG = {"offsets.topic.num.partitions": 1, "broker.session.timeout.ms": 2_000, "broker.heartbeat.interval.ms": 500}


STRIMZI = """
kafka_cluster_partition_{atminisr,underminisr}
kafka_controller_controllerstats_uncleanleaderelections_total
kafka_controller_kafkacontroller_{activecontrollercount,offlinepartitionscount}
kafka_consumergroup_{current_offset,lag}
kafka_log_log_size
kafka_log_logmanager_offlinelogdirectorycount
kafka_network_socketserver_networkprocessoravgidle_percent
kafka_server_brokertopicmetrics_{bytesin_total,bytesout_total,failedfetchrequests_total,failedproducerequests_total}
kafka_server_brokertopicmetrics_{messagesin_total,totalfetchrequests_total,totalproducerequests_total}
kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent
kafka_server_kafkaserver_linux_disk_{read_bytes,write_bytes}
kafka_server_raftmetrics_{append_records_rate,current_epoch,current_leader,current_state,current_vote}
kafka_server_raftmetrics_{commit_latency_avg,fetch_records_rate,high_watermark,log_end_offset}
kafka_server_raftchannelmetrics_{incoming_byte_total,outgoing_byte_total,request_total,response_total}
kafka_server_replicamanager_{leadercount,partitioncount,underminisrpartitioncount,underreplicatedpartitions}
kafka_server_socket_server_metrics_connection_count
kafka_topic_partition_{current_offset,in_sync_replica,leader_is_preferred,oldest_offset,replicas}
kafka_topic_partition_under_replicated_partition
kafka_topic_partitions
"""
"""What Strimzi's dashboards strimzi-kafka, strimzi-kraft and strimzi-kafka-exporter and its Kafka rules ask for, as of
August 2026 with the JMX exporter; without what Kubernetes measures.
"""


@pytest.fixture
def three() -> Iterator[tuple[Cluster, Api]]:
    topics = {"orders": (1, 3), "lonely": (3, 1), "strict": (1, 3)}
    with serving(topics=topics, brokers=3, config={**CONFIG, "min.insync.replicas": 2}) as both:
        consumer = Consumer({"bootstrap.servers": both[0].bootstrap_servers, "group.id": "billing"})
        consumer.commit(offsets=[TopicPartition("orders", 0, 0)], asynchronous=False)
        consumer.close()
        wait_until(lambda: both[1].send("GET", "/readyz").status == 200)
        yield both


def scrape(kafka: Cluster, api: Api) -> Scrape:
    found: Scrape = {}
    for node_id in kafka._running_nodes():
        answered = api.send("GET", f"/metrics?node_id={node_id}")
        assert answered.status == 200, answered
        for family in text_string_to_metric_families(answered.text):
            for sample in family.samples:
                labels = tuple(sorted({**sample.labels, "instance": str(node_id)}.items()))
                found[sample.name, labels] = sample.value
    return found


def firing(scrapes: list[Scrape]) -> set[str]:
    return {name for name, rule in RULES.items() if parse(rule["expr"]).over(scrapes)}


def test_each_expression_finds_its_metric_in_a_scrape_of_three_brokers(three: tuple[Cluster, Api]) -> None:
    found = {name for name, _ in scrape(*three)}
    assert len(EXPRESSIONS) == len(RULES) + len(PANELS)
    assert [expression for expression in EXPRESSIONS if parse(expression).metric not in found] == []
    assert firing([scrape(*three)]) == set()


def expanded(names: str) -> set[str]:
    """The names in a list with a{b,c} for ab and ac."""
    found = set()
    for line in names.split():
        head, _, tails = line.rstrip("}").partition("{")
        found |= {head + tail for tail in tails.split(",")}
    return found


def test_each_metric_of_strimzis_dashboards_is_there(three: tuple[Cluster, Api]) -> None:
    found = {name for name, _ in scrape(*three)}
    if not metrics.disk_bytes():  # not Linux
        found |= {"kafka_server_kafkaserver_linux_disk_read_bytes", "kafka_server_kafkaserver_linux_disk_write_bytes"}
    assert expanded(STRIMZI) - found == set()


def test_panels_have_places_of_their_own_and_a_unit() -> None:
    cells = [
        (x, y)
        for panel in PANELS
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
    assert all(panel["title"] and panel["fieldConfig"]["defaults"]["unit"] for panel in PANELS)


@pytest.mark.parametrize("wrong", ["", "sum(a", "a[5m]", "rate(a)", "a > b", "sum(a) without (b)", "a and b"])
def test_what_the_evaluator_does_not_understand_it_refuses(wrong: str) -> None:
    with pytest.raises(ValueError):
        parse(wrong)


def followers(kafka: Cluster, topic: str) -> list[int]:
    partition = kafka.topics()[topic].partitions[0]
    return [broker for broker in partition.replicas if broker != partition.leader]


def shrunk(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    kafka.shrink_isr("orders", 0, followers(kafka, "orders")[0])
    yield scrape(kafka, api)


def under_min_isr(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    for broker in followers(kafka, "strict"):
        kafka.shrink_isr("strict", 0, broker)
    yield scrape(kafka, api)


def killed(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    controller = api.get("/v1/cluster")["controller_id"]
    kafka.kill(next(broker for broker in (1, 2, 3) if broker != controller))
    wait_until(lambda: {"OfflinePartitions", "FencedBrokers"} <= firing([scrape(kafka, api)]))
    yield scrape(kafka, api)


def without_majority(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    controller = api.get("/v1/cluster")["controller_id"]
    kafka.kill(controller)
    kafka.kill(next(broker for broker in (1, 2, 3) if broker != controller))
    wait_until(lambda: "AbnormalControllerState" in firing([scrape(kafka, api)]))
    yield scrape(kafka, api)


def offline(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    logs = kafka._nodes._servers[1].broker.logs
    logs.offline_directories = (logs.metadata_directory,)
    yield scrape(kafka, api)
    logs.offline_directories = ()


def shrinking(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    broker = followers(kafka, "orders")[0]
    for _ in range(3):
        kafka.shrink_isr("orders", 0, broker)
        kafka.expand_isr("orders", 0, broker)
    yield scrape(kafka, api)


def churning(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    for _ in range(4):
        kafka.move_leader("orders")
        yield scrape(kafka, api)


def lagging(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 5})
    for _ in range(1_001):
        producer.produce("orders", b"x")
    producer.flush(30)
    leader = kafka.topics()["orders"].partitions[0].leader
    kafka.move_coordinator("billing", to=leader)  # it knows the end of what it leads
    yield scrape(kafka, api)


def held(kafka: Cluster, api: Api) -> Iterator[Scrape]:
    kafka._call(1, lambda server: server.broker.loop_lag.took(1_500, server.now().monotonic_ms, "a test"))
    yield scrape(kafka, api)


@pytest.mark.parametrize(
    ("alert", "fault"),
    [
        ("UnderReplicatedPartitions", shrunk),
        ("UnderMinIsrPartitionCount", under_min_isr),
        ("OfflinePartitions", killed),
        ("FencedBrokers", killed),
        ("AbnormalControllerState", without_majority),
        ("OfflineLogDirectoryCount", offline),
        ("IsrShrinkRate", shrinking),
        ("LeaderEpochChurn", churning),
        ("ConsumerGroupLag", lagging),
        ("EventLoopHeld", held),
    ],
)
def test_an_alert_is_fired_by_its_fault(
    three: tuple[Cluster, Api], alert: str, fault: Callable[[Cluster, Api], Iterator[Scrape]]
) -> None:
    scrapes = [scrape(*three)]
    assert alert not in firing(scrapes)
    scrapes += list(fault(*three))
    assert alert in firing(scrapes)


def test_each_alert_has_a_fault_that_fires_it() -> None:
    (mark,) = test_an_alert_is_fired_by_its_fault.pytestmark
    assert {alert for alert, _ in mark.args[1]} == set(RULES)
