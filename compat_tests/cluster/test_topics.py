"""Topics with replicas: how many, where, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.combined import every_day
from compat_tests.api.raw import unordered, versions
from compat_tests.chaos import view
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from kafkacompat.protocol.messages import create_partitions, create_topics, delete_topics, describe_configs, metadata

Assignment, Config, Topic = (
    create_topics.CreatableReplicaAssignment, create_topics.CreatableTopicConfig, create_topics.CreatableTopic,
)  # fmt: skip


def assigned(name: str, *replicas: list[int], **more: Any) -> Any:
    return Topic(name, -1, -1, [Assignment(index, each) for index, each in enumerate(replicas)], **more)


@pytest.mark.api("CreateTopics", "Metadata")
@pytest.mark.parametrize("version", every_day(versions(create_topics), 5))
def test_every_case(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        t = party.topic
        cases = {
            "three of three": Topic(t + "-a", 2, 3),
            "two of three": Topic(t + "-b", 3, 2),
            "as many as usual": Topic(t + "-c", -1, -1),
            "four of three": Topic(t + "-d", 1, 4),
            "far too many": Topic(t + "-e", 1, 32_767),
            "assigned": assigned(t + "-f", [3, 1, 2], [2, 3, 1]),
            "assigned to few": assigned(t + "-g", [3], [1]),
            "assigned unevenly": assigned(t + "-h", [3, 1], [1]),
            "assigned twice": assigned(t + "-i", [2, 2]),
            "assigned to a stranger": assigned(t + "-j", [1, 2, 9]),
            "assigned to strangers alone": assigned(t + "-k", [8, 9]),
            "assigned to nobody": assigned(t + "-l", [1, 2], []),
            "min isr above the replicas": Topic(t + "-m", 1, 2, [], [Config("min.insync.replicas", "3")]),
            "min isr above the brokers": Topic(t + "-n", 1, 3, [], [Config("min.insync.replicas", "7")]),
        }
        found = {}
        for number, (what, wanted) in enumerate(cases.items()):
            request = create_topics.CreateTopicsRequest([wanted], 10_000)
            found[what] = unordered(party.ask(create_topics, version, request, 1 + number % 3), "configs")
        party.wait_for(t + "-f", [{"leader": 3, "isr": {1, 2, 3}}, {"leader": 2, "isr": {1, 2, 3}}])
        party.wait_for(t + "-g", [{"leader": 3}, {"leader": 1}])
        seen = [metadata.MetadataRequestTopic(name=t + suffix) for suffix in ("-f", "-g")]
        look = metadata.MetadataRequest(seen, allow_auto_topic_creation=False)
        found["where they are"] = unordered(party.ask(metadata, 12, look, 2), "brokers", "isr_nodes")
        found["how many they are"] = {
            suffix: sorted(len(set(part.replicas)) for part in _parts(party, t + suffix)) for suffix in ("-a", "-b")
        }
        return found

    compare(script)


def _parts(party: Party, topic: str) -> Any:
    return party.quietly(lambda client: view.parts(client, topic))


@pytest.mark.full
@pytest.mark.api("CreateTopics")
def test_with_a_node_gone(compare: Compare) -> None:
    """A stopped broker is no place for new replicas, unless it is named."""

    def script(party: Party) -> Any:
        t = party.topic
        cases = {
            "three of two": Topic(t + "-a", 1, 3),
            "two of two": Topic(t + "-b", 1, 2),
            "named": assigned(t + "-c", [1, 3]),
            "named first": assigned(t + "-d", [3, 1]),
            "named alone": assigned(t + "-e", [3]),
        }
        try:
            party.stop(3)
            requests = {what: create_topics.CreateTopicsRequest([wanted], 5_000) for what, wanted in cases.items()}
            return unordered(party.ask_all(create_topics, 7, requests), "configs")
        finally:
            party.restore()

    compare(script)


@pytest.mark.api("CreatePartitions")
@pytest.mark.parametrize("version", every_day(versions(create_partitions)))
def test_more_partitions(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        name = party.create([[1, 2], [2, 3]])
        api = create_partitions

        def ask(count: int, *replicas: list[int]) -> create_partitions.CreatePartitionsRequest:
            given = [api.CreatePartitionsAssignment(each) for each in replicas]
            return api.CreatePartitionsRequest([api.CreatePartitionsTopic(name, count, given or None)], 10_000, False)

        requests = {
            "one more": ask(3),
            "fewer": ask(2),
            "as many": ask(3),
            "assigned": ask(5, [3, 1], [1, 3]),
            "more assigned than asked for": ask(6, [3, 1], [1, 3]),
            "fewer assigned": ask(7, [3, 1]),
            "assigned unevenly": ask(6, [3]),
            "assigned more": ask(6, [1, 2, 3]),
            "assigned to a stranger": ask(6, [1, 9]),
            "assigned twice": ask(6, [1, 1]),
            "assigned to nobody": ask(6, []),
        }
        found = party.ask_all(api, version, requests, 2)
        party.wait_for(name, [{"leader": 1}, {"leader": 2}, {}, {"replicas": (3, 1)}, {"replicas": (1, 3)}])
        return found

    compare(script)


@pytest.mark.api("DeleteTopics")
def test_deleted_everywhere(compare: Compare) -> None:
    """By a node that does not lead it, and no node knows it any more."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        request = delete_topics.DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000)
        found = [party.ask(delete_topics, 5, request, node) for node in (3, 2)]
        party.wait_for(name, [])
        return found

    compare(script)


@pytest.mark.api("DescribeConfigs")
def test_configs_of_brokers(compare: Compare) -> None:
    """Each broker answers for itself alone."""

    def script(party: Party) -> Any:
        api = describe_configs

        def ask(name: str) -> describe_configs.DescribeConfigsRequest:
            keys = ["broker.rack", "node.id", "min.insync.replicas", "default.replication.factor"]
            return api.DescribeConfigsRequest([api.DescribeConfigsResource(4, name, keys)])

        return unordered(
            {node: party.ask_all(api, 4, {name: ask(name) for name in ("1", "2", "9", "")}, node) for node in (1, 2)},
            "configs",
        )

    compare(script)
