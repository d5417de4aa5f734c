"""What three brokers say of each other and of replicated topics."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.combined import every_day
from compat_tests.api.raw import unordered, versions
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from kafkacompat.protocol.messages import describe_cluster, describe_topic_partitions, list_offsets, metadata

SPREAD = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
BROKERS, CONTROLLERS = 1, 2


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("version", every_day(versions(metadata), 1, 5, 7))
def test_replicated_topics(compare: Compare, version: int) -> None:
    """Every node says the same."""

    def script(party: Party) -> Any:
        name = party.create(SPREAD)
        wanted = [metadata.MetadataRequestTopic(name=name), metadata.MetadataRequestTopic(name=name + "-not")]
        request = metadata.MetadataRequest(wanted)  # that creates nothing here: see SETTINGS
        return [unordered(party.ask(metadata, version, request, node), "brokers", "topics") for node in (1, 2, 3)]

    compare(script)


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("stops", ["kill", pytest.param("stop", marks=pytest.mark.full)])
def test_without_a_node(compare: Compare, stops: str) -> None:
    """Leaders move to the next replica that is in sync; a partition without one has none."""

    def script(party: Party) -> Any:
        name, alone = party.create(SPREAD), party.create([[3], [1]], "-alone")
        wanted = [metadata.MetadataRequestTopic(name=each) for each in (name, alone)]
        request = metadata.MetadataRequest(wanted, allow_auto_topic_creation=False)
        try:
            getattr(party, stops)(3)
            party.wait_for(name, [{"leader": leader, "isr": {1, 2}} for leader in (1, 2, 1)])
            party.wait_for(alone, [{"leader": -1}, {"leader": 1}])
            gone = [_plain(party.ask(metadata, 12, request, node)) for node in (1, 2)]
        finally:
            party.restore()
        party.wait_for(alone, [{"leader": 3}, {"leader": 1}])
        return {"gone": gone, "back": _plain(party.ask(metadata, 12, request))}

    compare(script)


def _plain(answer: Any) -> Any:
    """How often a leader epoch rose depends on what was elected meanwhile; the order in sync on who came when."""
    for topic in answer["topics"]:
        for part in topic["partitions"]:
            del part["leader_epoch"]
            part["isr_nodes"].sort()
    return unordered(answer, "brokers")


@pytest.mark.api("DescribeCluster")
@pytest.mark.parametrize("version", versions(describe_cluster))
def test_describe_cluster(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        requests = {
            "brokers": describe_cluster.DescribeClusterRequest(),
            **({"controllers": describe_cluster.DescribeClusterRequest(endpoint_type=CONTROLLERS),
                "neither": describe_cluster.DescribeClusterRequest(endpoint_type=7)} if version else {}),
            **({"with the fenced": describe_cluster.DescribeClusterRequest(
                include_fenced_brokers=True, endpoint_type=BROKERS)} if version >= 2 else {}),
        }  # fmt: skip
        return unordered(party.ask_all(describe_cluster, version, requests), "brokers")

    compare(script)


@pytest.mark.full
@pytest.mark.api("DescribeCluster")
def test_a_fenced_broker_is_told_on_request(compare: Compare) -> None:
    def script(party: Party) -> Any:
        requests = {
            "usual": describe_cluster.DescribeClusterRequest(endpoint_type=BROKERS),
            "with the fenced": describe_cluster.DescribeClusterRequest(
                endpoint_type=BROKERS, include_fenced_brokers=True
            ),
        }
        try:
            party.stop(3)
            return unordered(party.ask_all(describe_cluster, 2, requests), "brokers")
        finally:
            party.restore()

    answer = compare(script)
    assert [len(answer[name]["brokers"]) for name in ("usual", "with the fenced")] == [2, 3]


@pytest.mark.api("DescribeTopicPartitions")
def test_describe_topic_partitions(compare: Compare) -> None:
    def script(party: Party) -> Any:
        name = party.create(SPREAD)
        other = party.create([[1, 2]], "-other")
        api = describe_topic_partitions
        topics = [api.TopicRequest(name), api.TopicRequest(other), api.TopicRequest(name + "-not")]
        requests = {
            "all": api.DescribeTopicPartitionsRequest(topics, 2000, None),
            "three": api.DescribeTopicPartitionsRequest(topics, 3, None),
            "from the second on": api.DescribeTopicPartitionsRequest(
                topics, 2000, api.DescribeTopicPartitionsRequestCursor(name, 2)
            ),
            "of the other": api.DescribeTopicPartitionsRequest(
                topics, 2000, api.DescribeTopicPartitionsRequestCursor(other, 0)
            ),
        }
        return [party.ask_all(api, 0, requests, node) for node in (1, 3)]

    compare(script)


@pytest.mark.api("DescribeTopicPartitions")
def test_who_is_eligible(compare: Compare) -> None:
    """Below min.insync.replicas those who were in sync last stay eligible (KIP-966)."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3], [3, 2, 1]], min_insync_replicas="3")
        api = describe_topic_partitions
        request = api.DescribeTopicPartitionsRequest([api.TopicRequest(name)], 2000, None)
        try:
            party.stop(3)
            party.wait_for(name, [{"isr": {1, 2}}, {"isr": {1, 2}, "leader": 2}])
            return _without_epochs(party.ask(api, 0, request))
        finally:
            party.restore()

    answer = compare(script)
    assert answer["topics"][0]["partitions"][0]["eligible_leader_replicas"] == [3]


def _without_epochs(answer: Any) -> Any:
    for topic in answer["topics"]:
        for part in topic["partitions"]:
            del part["leader_epoch"]
    return answer


@pytest.mark.api("ListOffsets")
@pytest.mark.parametrize("version", every_day(versions(list_offsets), 4))
def test_offsets_are_the_leaders_to_tell(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        name = party.create([[1, 2], [2, 3]])
        party.produce(1, name, 3)
        parts = [list_offsets.ListOffsetsPartition(index, -1, -1) for index in (0, 1, 2)]
        request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(name, parts)])
        return [unordered(party.ask(list_offsets, version, request, node), "partitions") for node in (1, 2, 3)]

    compare(script)
