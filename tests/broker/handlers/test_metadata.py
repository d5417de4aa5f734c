"""Metadata of a cluster of several brokers: who leads, who is offline, and what old clients are told of it."""

import pytest

from kafkacompat.broker.replicas.fetchers import ELECTION_WAIT_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.steps import UNITS_PER_ITERATION
from tests.broker.replica_node import Cluster

LONG_POLL_MS = 500


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3])
    return three


def partition(cluster: Cluster, version: int):
    request = MetadataRequest(topics=[MetadataRequestTopic(name="t")], allow_auto_topic_creation=version < 4)
    (response,) = cluster[2].ask(request, version)
    return response.topics[0].partitions[0]


def test_a_fenced_replica_is_offline(cluster):
    cluster.fence(3)
    seen = partition(cluster, 12)
    assert (seen.error_code, seen.leader_id, list(seen.replica_nodes)) == (errors.NONE, 1, [1, 2, 3])
    assert (list(seen.isr_nodes), list(seen.offline_replicas)) == ([1, 2], [3])


def test_old_clients_are_not_told_of_replicas_that_are_not_there(cluster):
    cluster.fence(3)
    seen = partition(cluster, 0)
    assert (seen.error_code, list(seen.replica_nodes)) == (errors.REPLICA_NOT_AVAILABLE, [1, 2])


@pytest.mark.parametrize(("version", "code"), [(5, errors.LEADER_NOT_AVAILABLE), (6, errors.LISTENER_NOT_FOUND)])
def test_a_leader_that_is_not_on_this_listener_cannot_be_reached(cluster, version, code, monkeypatch):
    elsewhere = cluster.image.brokers[1].but(endpoints=(Endpoint("OTHER", "h", 1),))
    cluster[2].image = cluster.image.but(brokers={**cluster.image.brokers, 1: elsewhere})
    monkeypatch.setattr(
        cluster[2], "nodes", lambda name, **_: [(2, "h", 2, None), (3, "h", 3, None)] if name == "PLAINTEXT" else []
    )
    seen = partition(cluster, version)
    assert (seen.error_code, seen.leader_id, list(seen.offline_replicas)) == (code, -1, [1])


def test_without_a_leader_there_is_none_to_go_to(cluster):
    for node_id in (3, 2, 1):
        cluster.fence(node_id)
    assert partition(cluster, 12).error_code == errors.LEADER_NOT_AVAILABLE


def test_when_all_are_fenced_clients_are_told_where_to_ask_again(cluster):
    cluster.fence(3)
    cluster.fence(1)
    (response,) = cluster[2].ask(MetadataRequest(topics=None), 12)
    assert [broker.node_id for broker in response.brokers] == [2]
    (response,) = cluster[2].ask(DescribeClusterRequest(), 2)
    assert [broker.broker_id for broker in response.brokers] == [2]
    (response,) = cluster[2].ask(DescribeClusterRequest(include_fenced_brokers=True), 2)
    assert [(broker.broker_id, broker.is_fenced) for broker in response.brokers] == [(1, True), (2, False), (3, True)]
    cluster.fence(2)
    (response,) = cluster[2].ask(MetadataRequest(topics=None), 12)
    assert [broker.node_id for broker in response.brokers] == [1, 2, 3]
    assert [each.leader_id for topic in response.topics for each in topic.partitions] == [-1]
    (response,) = cluster[2].ask(DescribeClusterRequest(), 2)
    assert [(broker.broker_id, broker.is_fenced) for broker in response.brokers] == [(1, True), (2, True), (3, True)]


class TestALostLeader:
    """Broker 1 leads "t", and broker 2, which is asked, loses its connection to it. Broker 3 leads "s"."""

    @pytest.fixture
    def cluster(self, cluster) -> Cluster:
        cluster.create_topic("s", [3, 2, 1])
        return cluster

    def lose(self, cluster: Cluster) -> None:
        cluster.advance(LONG_POLL_MS, LONG_POLL_MS)  # only who has answered can be lost
        cluster.cuts.append({1, 2})
        cluster.advance(LONG_POLL_MS, LONG_POLL_MS)
        assert cluster[2].fetchers.lost_leaders(cluster.now)

    @staticmethod
    def ask(cluster: Cluster, *names: str, version: int = 12) -> list:
        return cluster[2].ask(MetadataRequest([MetadataRequestTopic(name=name) for name in names] or None), version)

    @staticmethod
    def leaders(answers: list) -> dict:
        return {topic.name: topic.partitions[0].leader_id for topic in answers[0].topics}

    def test_is_not_named_before_another_one_is_elected(self, cluster):
        self.lose(cluster)
        answers = self.ask(cluster, "t")
        cluster.advance(ELECTION_WAIT_MS // 2)
        assert answers == []
        cluster.fence(1)
        assert self.leaders(answers) == {"t": 2}

    def test_keeps_a_question_about_all_topics(self, cluster):
        self.lose(cluster)
        answers = self.ask(cluster)
        cluster.advance(ELECTION_WAIT_MS // 2)
        assert answers == []
        cluster.fence(1)
        assert self.leaders(answers) == {"t": 2, "s": 3}

    def test_is_not_named_in_answers_that_take_steps(self, cluster):
        cluster.create_topic("wide", *([1, 2],) * (UNITS_PER_ITERATION + 10))
        self.lose(cluster)
        answers = self.ask(cluster, "wide")
        cluster.commit(brokers.fence(1, cluster.image, cluster.settings))
        cluster.publish()
        assert answers == [], "the rest of the answer is for later turns"
        cluster.settle()
        assert self.leaders(answers) == {"wide": 2}

    def test_keeps_a_question_by_topic_id(self, cluster):
        self.lose(cluster)
        asked = MetadataRequestTopic(cluster.image.topics["t"].topic_id, None)
        answers = cluster[2].ask(MetadataRequest([asked]), 12)
        assert answers == []
        cluster.fence(1)
        assert self.leaders(answers) == {"t": 2}

    def test_is_named_when_nobody_was_elected_in_time_and_from_then_on_at_once(self, cluster):
        self.lose(cluster)
        answers = self.ask(cluster, "t")
        cluster.advance(ELECTION_WAIT_MS)
        assert self.leaders(answers) == {"t": 1}
        assert self.leaders(self.ask(cluster, "t")) == {"t": 1}

    def test_is_named_as_soon_as_it_answers_again(self, cluster):
        self.lose(cluster)
        answers = self.ask(cluster, "t")
        cluster.cuts.clear()
        cluster.advance(ELECTION_WAIT_MS // 2)
        assert self.leaders(answers) == {"t": 1}
        assert self.leaders(self.ask(cluster, "t")) == {"t": 1}

    def test_keeps_no_question_about_what_it_does_not_lead(self, cluster):
        self.lose(cluster)
        assert self.leaders(self.ask(cluster, "s")) == {"s": 3}
        (response,) = cluster[2].ask(MetadataRequest([]), 12)
        assert [broker.node_id for broker in response.brokers] == [1, 2, 3]

    def test_that_is_fenced_keeps_no_question_about_all_topics(self, cluster):
        self.lose(cluster)
        cluster[2].metadata_is_late = True
        cluster.fence(1)
        cluster[2].image = cluster.image  # and its partitions have yet to follow that, in turns
        assert cluster[2].fetchers.lost_leaders(cluster.now)
        assert self.leaders(self.ask(cluster)) == {"t": 2, "s": 3}
