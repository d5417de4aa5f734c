"""The reference itself: every release of Apache Kafka that the tests may run on starts, keeps its data and stops."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api import topics
from compat_tests.api.raw import RawClient
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.releases import RELEASES, advertised
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.messages import create_topics, metadata

CREATE_VERSION, METADATA_VERSION = 7, 12
TIMEOUT_S = 60.0


@pytest.fixture(params=RELEASES)
def kafka(request: pytest.FixtureRequest) -> Iterator[ApacheKafka]:
    made = ApacheKafka(version=request.param)
    yield made
    made.close()


@pytest.mark.full
def test_data_outlives_stop_and_kill(kafka: ApacheKafka) -> None:
    kafka.start()
    topics.wait_for_coordinator(kafka.bootstrap_servers)
    with RawClient(kafka.bootstrap_servers) as client:
        topics.create(client, "kept")
        assert topics.produce(client, "kept", 3) == 0
    kafka.stop()
    assert kafka.pids == {}
    kafka.start()
    assert _append(kafka, "kept") == 3
    kafka.kill()
    kafka.start()
    assert _append(kafka, "kept") == 6
    assert f"Kafka version: {kafka.version}" in (kafka.data_dirs[0].parent / "server-1.log").read_text()


@pytest.mark.full
def test_what_a_release_offers(kafka: ApacheKafka) -> None:
    """What tells the releases apart, read from the broker."""
    kafka.start()
    offered = advertised(kafka.bootstrap_servers)
    expected = {
        "3.9.2": {"Fetch": (0, 17), "ApiVersions": (0, 4), "DeleteGroups": (0, 2)},
        "4.3.1": {"Fetch": (4, 18), "ApiVersions": (0, 4), "DeleteGroups": (0, 2)},
        "4.4.0": {"Fetch": (4, 18), "ApiVersions": (0, 5), "DeleteGroups": (0, 3)},
    }[kafka.version]
    assert {name: (offered[key][0], offered[key][-1]) for name, key in _keys(*expected).items()} == expected
    new = {api_keys.UNREGISTER_CONTROLLER, api_keys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE}
    assert (new & offered.keys()) == (new if kafka.version == "4.4.0" else set())


@pytest.mark.full
def test_three_brokers_go_on_with_two() -> None:
    kafka = ApacheKafka(brokers=3)
    try:
        kafka.start()
        assert len(kafka.pids) == 3
        first, *others = kafka.pids
        with RawClient(kafka.address_of(first)) as client:
            _create_replicated(client, "everywhere", 3)
            _wait_for_isr(client, "everywhere", {*kafka.pids})
        killed = others[0]
        kafka.kill_node(killed)
        with RawClient(kafka.address_of(first)) as client:
            _wait_for_isr(client, "everywhere", {*kafka.pids})
        kafka.start()
        with RawClient(kafka.address_of(killed)) as client:
            _wait_for_isr(client, "everywhere", {1, 2, 3})
    finally:
        kafka.close()


def test_the_reference_is_a_release_that_is_tried() -> None:
    assert KAFKA_VERSION in RELEASES


def _keys(*names: str) -> dict[str, int]:
    return {name: api_keys.KEYS[name] for name in names}


def _append(kafka: ApacheKafka, topic: str) -> int:
    """Append three records as soon as the partition is led again; their first offset."""
    with RawClient(kafka.bootstrap_servers) as client:
        topics.wait_until_led(client, topic, 1, TIMEOUT_S)
        return topics.produce(client, topic, 3)


def _create_replicated(client: RawClient, topic: str, factor: int) -> None:
    """Create a topic as soon as there are enough brokers."""
    request = create_topics.CreateTopicsRequest([create_topics.CreatableTopic(topic, 1, factor, [], [])], 10_000, False)
    deadline = time.monotonic() + TIMEOUT_S
    while error := client.call(create_topics.API_KEY, CREATE_VERSION, request).topics[0].error_code:
        assert time.monotonic() < deadline, error
        time.sleep(0.2)


def _wait_for_isr(client: RawClient, topic: str, nodes: set[int]) -> None:
    request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        found = client.call(metadata.API_KEY, METADATA_VERSION, request).topics[0].partitions
        if found and set(found[0].isr_nodes) == nodes and found[0].leader_id in nodes:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
