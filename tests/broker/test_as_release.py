"""A broker that stands for an older release (`emulated.release`, Cluster(version=...))."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.api.raw import RawClient
from compat_tests.releases import advertised
from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.broker.as_release import versions_of
from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.registry import APIS
from kafkacompat.broker.release_table import FEATURES, VERSIONS
from kafkacompat.config.releases import CONFLUENT, RELEASES, release_of
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import NAMES
from kafkacompat.protocol.messages import api_versions, find_coordinator, metadata, offset_commit, produce
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.waiting import wait_until

FAR_IN_THE_FUTURE_MS = 4_102_444_800_000


def test_clients_are_offered_what_the_release_offered_and_no_more() -> None:
    ours = {key: api for key, api in APIS.items() if BROKER in api.listeners}
    for release in ("2.8", "3.9", "4.1"):
        theirs = versions_of(release)
        with Cluster(version=release) as kafka:
            offered = advertised(kafka.bootstrap_servers)
        expected = {}
        for key, api in ours.items():
            low, high = theirs.get(key, (0, -1))
            both = range(max(low, api.min_version), min(high, api.max_version) + 1)
            if both:
                expected[key] = both
        assert offered == expected
        assert offered != {key: range(api.min_version, api.max_version + 1) for key, api in ours.items()}


def test_a_version_that_the_release_did_not_have_closes_the_connection() -> None:
    _, highest = versions_of("3.9")[metadata.API_KEY]
    with Cluster(version="3.9") as kafka, RawClient(kafka.bootstrap_servers) as client:
        assert client.call(metadata.API_KEY, highest, metadata.MetadataRequest(topics=[])).brokers
        with pytest.raises(ConnectionError):
            client.call(metadata.API_KEY, highest + 1, metadata.MetadataRequest(topics=[]))


def test_a_newer_question_for_versions_is_answered_in_the_oldest_form() -> None:
    request = api_versions.ApiVersionsRequest("raw", "1")
    with Cluster(version="2.8") as kafka, RawClient(kafka.bootstrap_servers) as client:
        known = client.call(api_versions.API_KEY, 3, request)
        assert known.error_code == errors.NONE
        assert list(known.finalized_features) == []
        with pytest.raises(MalformedMessageError):  # as v4: it came as v0
            client.call(api_versions.API_KEY, 4, request)


def test_features_have_the_levels_of_the_release() -> None:
    with Cluster(version="3.9") as kafka, RawClient(kafka.bootstrap_servers) as client:
        answer = client.call(api_versions.API_KEY, 3, api_versions.ApiVersionsRequest("raw", "1"))
    levels = {each.name: each.max_version_level for each in answer.finalized_features}
    assert levels == {name: finalized for name, (_, finalized) in FEATURES["3.9"].items()}


@pytest.mark.parametrize(
    ("version", "committed", "produced"),
    [("7.9.1", errors.ILLEGAL_GENERATION, errors.NONE), ("4.0", errors.GROUP_ID_NOT_FOUND, errors.INVALID_TIMESTAMP)],
)
def test_errors_and_defaults_are_those_of_the_release(version: str, committed: int, produced: int) -> None:
    partition = offset_commit.OffsetCommitRequestPartition(0, 1, committed_metadata="")
    commit = offset_commit.OffsetCommitRequest(
        "billing", 5, "member", topics=[offset_commit.OffsetCommitRequestTopic("orders", partitions=[partition])]
    )
    batch = build_batch([Record(0, FAR_IN_THE_FUTURE_MS, None, b"two apples")])
    data = produce.TopicProduceData("orders", partition_data=[produce.PartitionProduceData(0, batch)])
    write = produce.ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[data])
    with Cluster(version=version, topics=["orders"]) as kafka, RawClient(kafka.bootstrap_servers) as client:
        coordinator = find_coordinator.FindCoordinatorRequest("billing")
        wait_until(lambda: client.call(find_coordinator.API_KEY, 3, coordinator).error_code == errors.NONE)
        answer = client.call(offset_commit.API_KEY, 9, commit)
        assert answer.topics[0].partitions[0].error_code == committed
        written = client.call(produce.API_KEY, 9, write)
        assert written.responses[0].partition_responses[0].error_code == produced


def test_brokers_of_an_old_release_still_replicate_with_each_other() -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    with Cluster(brokers=3, version="2.8", topics={"orders": (1, 3)}) as kafka:
        producer = confluent_kafka.Producer(kafka.config_for("confluent") | {"acks": "all"})
        producer.produce("orders", b"two apples")
        assert producer.flush(30) == 0
        group = {"group.id": kafka.group_id(), "auto.offset.reset": "earliest"}
        consumer = confluent_kafka.Consumer(kafka.config_for("confluent") | group)
        consumer.subscribe(["orders"])
        (message,) = consumer.consume(1, 30)
        assert message.value() == b"two apples"
        consumer.close()
        (partition,) = kafka.topics()["orders"].partitions
        assert sorted(partition.isr) == [1, 2, 3]


def test_a_restart_and_a_reset_do_not_forget_it() -> None:
    with Cluster(version="3.5") as kafka:
        first = advertised(kafka.bootstrap_servers)
        kafka.restart(1)
        assert advertised(kafka.bootstrap_servers) == first
        kafka.reset()
        assert advertised(kafka.bootstrap_servers) == first


def test_versions_are_read_as_kafkas_or_confluents() -> None:
    assert [release_of(text) for text in ("3.9", "3.9.2", "7.9.0", "8.1.3", "4.4")] == [
        "3.9",
        "3.9",
        "3.9",
        "4.1",
        "4.4",
    ]
    assert list(VERSIONS) == list(FEATURES) == list(RELEASES)
    assert set(CONFLUENT.values()) <= set(RELEASES)
    with pytest.raises(KafkaCompatError, match=r"version '5\.5' is not known: use one of 2\.8 to 4\.4"):
        Cluster(version="5.5")


def test_the_page_lists_what_each_release_had_and_this_broker_has_not() -> None:
    page = (Path(__file__).parents[2] / "docs" / "releases.md").read_text()
    for release in RELEASES:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {release} |")]
        missing = []
        for key, (low, high) in versions_of(release).items():
            api = APIS.get(key)
            if api is None or BROKER not in api.listeners or low > api.max_version or high < api.min_version:
                missing.append(key)
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[3:5] == [str(len(versions_of(release)) - len(missing)), str(len(missing))]
        assert [NAMES[key] for key in missing if key in NAMES and f"`{NAMES[key]}`" not in page] == []
