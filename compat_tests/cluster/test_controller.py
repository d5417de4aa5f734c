"""What admins ask of the controller: elections, reassignments, brokers that leave for good, the quorum, features."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.raw import unordered
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import OWN, Party
from kafkacompat.protocol.messages import (
    alter_partition_reassignments,
    describe_cluster,
    describe_quorum,
    elect_leaders,
    list_partition_reassignments,
    unregister_broker,
    update_features,
)

PREFERRED, UNCLEAN = 0, 1
ELR = "eligible.leader.replicas.version"
QUORUM_OWN = (
    *OWN, "leader_id", "leader_epoch", "high_watermark", "log_end_offset", "last_fetch_timestamp",
    "last_caught_up_timestamp", "replica_directory_id",
)  # fmt: skip


def elect(kind: int, *wanted: tuple[str, list[int]]) -> elect_leaders.ElectLeadersRequest:
    chosen = [elect_leaders.TopicPartitions(topic, list(parts)) for topic, parts in wanted]
    return elect_leaders.ElectLeadersRequest(kind, chosen, 10_000)


@pytest.mark.api("ElectLeaders")
@pytest.mark.parametrize("version", [2, *(pytest.param(old, marks=pytest.mark.full) for old in (0, 1))])
def test_elections(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        name = party.create([[3, 1, 2], [1, 2, 3]])
        found = {}
        try:
            party.stop(3)
            party.wait_for(name, [{"leader": 1}, {"leader": 1}])
            found["the preferred is gone"] = party.ask(elect_leaders, version, elect(PREFERRED, (name, [0, 1])))
        finally:
            party.restore()
        requests = {
            "preferred": elect(PREFERRED, (name, [0, 1])),
            "again": elect(PREFERRED, (name, [0])),
            "no such partition": elect(PREFERRED, (name, [0, 9])),
            "no such topic": elect(PREFERRED, (name + "-not", [0])),
            "no partitions": elect(PREFERRED, (name, [])),
            "nothing": elect(PREFERRED),
            **({"unclean": elect(UNCLEAN, (name, [0, 9])), "of no kind": elect(7, (name, [0]))} if version else {}),
        }  # fmt: skip
        found |= party.ask_all(elect_leaders, version, requests, 2)
        party.wait_for(name, [{"leader": 3}, {"leader": 1}])
        return unordered(found, "replica_election_results", "partition_result")

    compare(script)


@pytest.mark.full
@pytest.mark.api("ElectLeaders")
def test_an_unclean_election(compare: Compare) -> None:
    """A partition whose only replica in sync is gone gets a leader that was not, on request alone."""

    def script(party: Party) -> Any:
        name = party.create([[3, 2]])
        found = {}
        try:
            party.stop(2)
            party.wait_for(name, [{"leader": 3, "isr": {3}}])
            party.produce(3, name, 2)
            party.swap(3, 2)
            party.wait_for(name, [{"leader": -1}])
            found["preferred"] = party.ask(elect_leaders, 2, elect(PREFERRED, (name, [0])))
            found["unclean"] = party.ask(elect_leaders, 2, elect(UNCLEAN, (name, [0])))
            party.wait_for(name, [{"leader": 2, "isr": {2}}])
        finally:
            party.restore()
        return found

    compare(script)


def reassign(
    *wanted: tuple[str, int, list[int] | None], factor: bool = True
) -> alter_partition_reassignments.AlterPartitionReassignmentsRequest:
    api = alter_partition_reassignments
    topics = [api.ReassignableTopic(topic, [api.ReassignablePartition(index, to)]) for topic, index, to in wanted]
    return api.AlterPartitionReassignmentsRequest(10_000, factor, topics)


@pytest.mark.api("AlterPartitionReassignments")
@pytest.mark.parametrize("version", [0, 1])
def test_reassignments(compare: Compare, version: int) -> None:
    api = alter_partition_reassignments

    def script(party: Party) -> Any:
        name = party.create([[1, 2], [2, 3]])
        party.produce(1, name, 3)
        requests = {
            "none in progress": reassign((name, 0, None)),
            "no such partition": reassign((name, 9, [1, 2])),
            "no such topic": reassign((name + "-not", 0, [1, 2])),
            "to nobody": reassign((name, 0, [])),
            "to a stranger": reassign((name, 0, [1, 9])),
            "to a negative node": reassign((name, 0, [1, -1])),
            "twice the same": reassign((name, 0, [1, 1])),
            "to where it is": reassign((name, 0, [1, 2])),
            "one good, one bad": reassign((name, 1, [2, 3]), (name + "-not", 0, [1])),
            "nothing": reassign(),
            **({"more replicas, which is not allowed": reassign((name, 0, [1, 2, 3]), factor=False),
                "fewer, which is not allowed": reassign((name, 0, [1]), factor=False)} if version else {}),
        }  # fmt: skip
        found = party.ask_all(api, version, requests, 3)
        found["elsewhere"] = party.ask(api, version, reassign((name, 0, [3, 1])))
        party.wait_for(name, [{"replicas": (3, 1), "isr": {1, 3}, "leader": 1}, {"leader": 2}])
        found["without its leader"] = party.ask(api, version, reassign((name, 0, [3, 2])))
        party.wait_for(name, [{"replicas": (3, 2), "isr": {2, 3}, "leader": 3}, {"leader": 2}])
        found["more"] = party.ask(api, version, reassign((name, 0, [1, 2, 3])))
        party.wait_for(name, [{"replicas": (1, 2, 3), "isr": {1, 2, 3}}, {"leader": 2}])
        found["fewer"] = party.ask(api, version, reassign((name, 0, [2])))
        party.wait_for(name, [{"replicas": (2,), "isr": {2}, "leader": 2}, {"leader": 2}])
        return unordered(found, "responses")

    compare(script)


@pytest.mark.api("ListPartitionReassignments", "AlterPartitionReassignments")
def test_a_reassignment_in_progress(compare: Compare) -> None:
    """One to a broker that is gone does not end. It is listed, taken back, and gone from the list."""
    api = list_partition_reassignments

    def script(party: Party) -> Any:
        name = party.create([[1, 2], [2, 1]])

        def ask(*wanted: tuple[str, list[int]]) -> list_partition_reassignments.ListPartitionReassignmentsRequest:
            chosen = [api.ListPartitionReassignmentsTopics(topic, parts) for topic, parts in wanted]
            return api.ListPartitionReassignmentsRequest(5_000, chosen or None)

        lists = {"all": ask(), "of it": ask((name, [0, 1])), "of another": ask((name, [1])), "none": ask((name, [9]))}
        found = {"before": party.ask_all(api, 0, lists, 2)}
        try:
            party.stop(3)
            found["move"] = party.ask(alter_partition_reassignments, 0, reassign((name, 0, [3, 1])))
            party.wait_for(name, [{"replicas": (3, 1, 2), "isr": {1, 2}}, {}])
            found["in progress"] = party.ask_all(api, 0, lists, 2)
            found["cancel"] = party.ask(alter_partition_reassignments, 0, reassign((name, 0, None)))
            party.wait_for(name, [{"replicas": (1, 2), "isr": {1, 2}, "leader": 1}, {}])
            found["after"] = party.ask_all(api, 0, lists, 2)
        finally:
            party.restore()
        return found

    answer = compare(script)
    assert answer["in progress"]["all"]["topics"][0]["partitions"][0]["adding_replicas"] == [3]


@pytest.mark.api("UnregisterBroker")
def test_a_broker_that_is_gone_for_good(compare: Compare) -> None:
    def script(party: Party) -> Any:
        asked = unregister_broker.UnregisterBrokerRequest
        found = {
            "a stranger": party.ask(unregister_broker, 0, asked(9)),
            "negative": party.ask(unregister_broker, 0, asked(-1)),
        }
        with_fenced = describe_cluster.DescribeClusterRequest(endpoint_type=1, include_fenced_brokers=True)
        try:
            party.stop(3)
            found["stopped"] = party.ask(unregister_broker, 0, asked(3), 2)
            party.wait(lambda: len(party.ask(describe_cluster, 2, with_fenced)["brokers"]) == 2, "it does not go")
            party.exchanges.clear()
            found["again"] = party.ask(unregister_broker, 0, asked(3), 2)
        finally:
            party.restore()
        found["back"] = unordered(party.ask(describe_cluster, 2, with_fenced), "brokers")
        return found

    compare(script)


@pytest.mark.api("DescribeQuorum")
@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_quorum(compare: Compare, version: int) -> None:
    api = describe_quorum

    def script(party: Party) -> Any:
        def ask(*wanted: tuple[str, int]) -> describe_quorum.DescribeQuorumRequest:
            return api.DescribeQuorumRequest(
                [api.DescribeQuorumRequestTopicData(topic, [api.DescribeQuorumRequestPartitionData(index)])
                 for topic, index in wanted]
            )  # fmt: skip

        requests = {
            "metadata": ask(("__cluster_metadata", 0)),
            "another partition": ask(("__cluster_metadata", 1)),
            "another topic": ask(("__consumer_offsets", 0)),
            "nothing": ask(),
        }
        found = [
            {what: party.ask(api, version, request, node, QUORUM_OWN) for what, request in requests.items()}
            for node in (1, 2, 3)
        ]
        return unordered(found, "current_voters", "observers")

    answer = compare(script)
    assert [voter["replica_id"] for voter in answer[0]["metadata"]["topics"][0]["partitions"][0]["current_voters"]] == [
        1, 2, 3,
    ]  # fmt: skip


@pytest.mark.api("UpdateFeatures")
@pytest.mark.parametrize("version", [0, 1, 2])
def test_features(compare: Compare, version: int) -> None:
    """Only what is refused or only tried: the clusters stay as they are."""
    api = update_features
    upgrade, safe_downgrade, unsafe_downgrade = 1, 2, 3

    def script(party: Party) -> Any:
        def ask(*wanted: tuple[str, int, int], tried: bool = True) -> update_features.UpdateFeaturesRequest:
            if version == 0:  # Apache Kafka does not look at the flag, nor can it be asked to try
                old = [
                    api.FeatureUpdateKey(name, level, allow_downgrade=kind > upgrade) for name, level, kind in wanted
                ]
                return api.UpdateFeaturesRequest(5_000, old)
            updates = [api.FeatureUpdateKey(name, level, upgrade_type=kind) for name, level, kind in wanted]
            return api.UpdateFeaturesRequest(5_000, updates, tried)

        requests = {
            "unknown": ask(("no.such.feature", 1, upgrade), tried=False),
            "far too new": ask(("metadata.version", 9_999, upgrade), tried=False),
            "negative": ask(("metadata.version", -1, upgrade), tried=False),
            "zero metadata": ask(("metadata.version", 0, safe_downgrade), tried=False),
            "far too old": ask(("metadata.version", 1, unsafe_downgrade), tried=False),
            "twice": ask((ELR, 9, upgrade), (ELR, 1, upgrade)),
            "nothing": ask(tried=False),
            "a downgrade called an upgrade": ask((ELR, 0, upgrade), tried=False),
            **({"tried": ask((ELR, 1, safe_downgrade)),
                "of no kind": ask((ELR, 1, 0), tried=False)} if version else {}),
        }  # fmt: skip
        return party.ask_all(api, version, requests, 2)

    compare(script)
