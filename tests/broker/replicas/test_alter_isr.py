"""Proposals reach the controller one request at a time, and again until somebody decides."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponse
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData as PartitionData
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponseTopicData as TopicData
from kafkacompat.replication.controller.alter_partition import alter_partition as decide
from kafkacompat.replication.partition import Partition
from tests.broker.replica_node import Cluster


@pytest.fixture
def cluster() -> Cluster:
    """Broker 1 leads two partitions, and broker 2 has to come back into their in-sync sets."""
    two = Cluster(1, 2)
    two.create_topic("t", [1, 2], [1, 2])
    two.fence(2)
    assert isr(two) == [(1,), (1,)]
    two.proposals.clear()
    return two


def isr(cluster: Cluster) -> list[tuple[int, ...]]:
    return [partition.isr for partition in cluster.image.topics["t"].partitions]


def test_all_proposals_of_a_turn_go_in_one_request(cluster):
    cluster.unfence(2)
    cluster.advance(600)
    (request,) = cluster.proposals
    assert (request.broker_id, request.broker_epoch) == (1, 11)
    (topic,) = request.topics
    assert [asked.partition_index for asked in topic.partitions] == [0, 1]
    members = [(state.broker_id, state.broker_epoch) for state in topic.partitions[0].new_isr_with_epochs]
    assert members == [(1, 11), (2, 12)]
    assert isr(cluster) == [(1, 2), (1, 2)]
    assert cluster[1].partition("t", 1).isr == (1, 2)


@pytest.mark.parametrize("code", [errors.NOT_CONTROLLER, errors.STALE_BROKER_EPOCH, None])
def test_what_nobody_decides_is_proposed_again(cluster, code):
    cluster.controller_answer = lambda _request: None if code is None else AlterPartitionResponse(error_code=code)
    cluster.unfence(2)
    cluster.advance(1000, 10)
    assert 5 <= len(cluster.proposals) <= 20
    cluster.controller_answer = None
    cluster.advance(100, 10)
    assert isr(cluster) == [(1, 2), (1, 2)]


def test_what_was_decided_and_not_answered_is_learned_from_the_metadata(cluster):
    cluster.controller_answer = lambda request: (
        cluster.commit(decide(request, cluster.image, cluster.settings)) and None
    )
    cluster.unfence(2)
    cluster.advance(600)
    assert isr(cluster) == [(1, 2), (1, 2)]
    assert cluster[1].partition().isr == (1, 2)
    cluster.proposals.clear()
    cluster.advance(400)
    assert cluster.proposals == []


def test_nothing_is_proposed_before_the_broker_is_registered(cluster):
    lifecycle = cluster[1].lifecycle
    epoch, lifecycle.broker_epoch = lifecycle.broker_epoch, -1
    cluster.unfence(2)
    cluster.advance(600)
    assert cluster.proposals == []
    lifecycle.broker_epoch = epoch
    lifecycle.events.registered(epoch, cluster.now)
    cluster.advance(600)
    assert isr(cluster) == [(1, 2), (1, 2)]


def test_a_partition_that_is_refused_does_not_take_the_other_along(cluster):
    def refuse_the_first(request):
        request.topics[0].partitions[0].leader_epoch = 0 if len(cluster.proposals) == 1 else 99
        return cluster.commit(decide(request, cluster.image, cluster.settings))

    cluster.controller_answer = refuse_the_first
    cluster.unfence(2)
    cluster.advance(600)
    assert isr(cluster)[1] == (1, 2)


def test_a_partition_whose_proposal_failed_is_proposed_again(cluster):
    def fail_once(request):
        cluster.controller_answer = None
        (topic,) = request.topics
        failed = [PartitionData(asked.partition_index, errors.UNKNOWN_SERVER_ERROR) for asked in topic.partitions]
        return AlterPartitionResponse(topics=[TopicData(topic.topic_id, failed)])

    cluster.controller_answer = fail_once
    cluster.unfence(2)
    cluster.advance(1000)
    assert isr(cluster) == [(1, 2), (1, 2)]


def test_a_mistake_of_ours_in_an_answer_has_it_proposed_again(cluster, monkeypatch):
    answered = Partition.proposal_answered

    def fail_once(*_args):
        monkeypatch.setattr(Partition, "proposal_answered", answered)
        raise AssertionError("injected")

    monkeypatch.setattr(Partition, "proposal_answered", fail_once)
    cluster.unfence(2)
    cluster[1].metadata_is_late = True
    cluster.advance(1000)
    again = [asked.partition_index for request in cluster.proposals[1:] for asked in request.topics[0].partitions]
    assert again[0] == 0
    cluster[1].metadata_is_late = False
    cluster.advance(600)
    cluster.publish()
    assert [cluster[1].partition("t", index).isr for index in (0, 1)] == [(1, 2), (1, 2)]


def test_who_closes_hears_of_no_answer(cluster):
    cluster.unfence(2)
    node = cluster[1]
    for _ in range(100):
        cluster.advance(10)
        if cluster.proposals:
            break
    node.alter_isr.close()
    cluster.advance(200)
    assert len(cluster.proposals) == 1
