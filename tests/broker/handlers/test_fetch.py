"""Fetches of followers that something is wrong with, and consumers that read from followers (KIP-392)."""

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.replicas.delayed_follower_fetches import FULL_READ_MS
from kafkacompat.config.broker_quorum import RACK_AWARE
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch
from kafkacompat.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    BrokerState,
)
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.replication.controller.deletion import delete_topics
from tests.broker.handlers.test_produce_fetch import ALL, LEADER, batch, fetch_request, only, produce_request, values
from tests.broker.replica_node import Cluster

RACKS = {1: "a", 2: "b", 3: "b"}


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster(1, 2, 3, racks=RACKS, replica_selector_class=RACK_AWARE)
    three.create_topic("t", [1, 2, 3])
    three[1].ask(produce_request((0, batch(b"a", b"b"))), 9)
    three.settle()
    return three


def follower_request(cluster: Cluster, replica_id: int = 2, epoch: int = 12, **asked):
    entry = fetch.FetchPartition(0, **{"current_leader_epoch": 0, "partition_max_bytes": 1 << 20, **asked})
    topic_id = cluster.image.topics["t"].topic_id
    state = fetch.ReplicaState(replica_id, epoch)
    return fetch.FetchRequest(replica_state=state, topics=[fetch.FetchTopic("", topic_id, [entry])], min_bytes=1)


def answer(cluster: Cluster, request, node_id: int = 1):
    (response,) = cluster[node_id].ask(request, 18)
    assert response.error_code == errors.NONE
    return only(response)


def test_a_follower_gets_what_is_not_committed(cluster):
    cluster.cuts += [{1, 2}, {1, 3}]
    cluster[1].ask(produce_request((0, batch(b"c")), acks=LEADER), 9)
    got = answer(cluster, follower_request(cluster, fetch_offset=2))
    assert (got.error_code, got.high_watermark, got.log_start_offset) == (errors.NONE, 2, 0)
    assert got.aborted_transactions is None
    assert len(got.records) > 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"current_leader_epoch": 7}, errors.UNKNOWN_LEADER_EPOCH),
        ({"replica_id": 9}, errors.UNKNOWN_LEADER_EPOCH),
        ({"replica_id": 1}, errors.UNKNOWN_LEADER_EPOCH),
        ({"replica_id": 9, "current_leader_epoch": -1}, errors.NOT_LEADER_OR_FOLLOWER),
        ({"epoch": 5}, errors.NOT_LEADER_OR_FOLLOWER),
        ({"fetch_offset": 99}, errors.OFFSET_OUT_OF_RANGE),
    ],
    ids=["of a later epoch", "no replica", "the leader", "no replica, no epoch", "an earlier life", "beyond the end"],
)
def test_what_a_leader_refuses(cluster, changes, code):
    before = cluster[1].partition().in_sync.followers[2].end_offset
    assert answer(cluster, follower_request(cluster, **changes)).error_code == code
    assert cluster[1].partition().in_sync.followers[2].end_offset == before


def test_who_asks_a_follower_is_refused(cluster):
    assert answer(cluster, follower_request(cluster, replica_id=3, epoch=13), 2).error_code == (
        errors.NOT_LEADER_OR_FOLLOWER
    )


def test_an_unknown_topic_is_told(cluster):
    request = follower_request(cluster)
    request.topics[0].topic_id = b"x" * 16
    assert answer(cluster, request).error_code == errors.UNKNOWN_TOPIC_ID


def test_only_the_listener_between_brokers_takes_followers(cluster):
    outside = Connection(5, "127.0.0.1", "OUTSIDE", is_inter_broker=False)
    (response,) = cluster[1].ask(follower_request(cluster), 18, outside)
    assert only(response).error_code == errors.UNKNOWN_LEADER_EPOCH


def test_where_the_logs_part_is_told_at_once(cluster):
    got = answer(cluster, follower_request(cluster, fetch_offset=5, last_fetched_epoch=0))
    assert (got.diverging_epoch.epoch, got.diverging_epoch.end_offset) == (0, 2)
    assert len(got.records) == 0


def test_a_consumer_is_sent_to_the_replica_in_its_rack(cluster):
    cluster.advance(600)
    (response,) = cluster[1].ask(fetch_request((0, 0), rack_id="b"), 11)
    got = only(response)
    assert (got.error_code, got.preferred_read_replica, len(got.records)) == (errors.NONE, 3, 0)
    (response,) = cluster[3].ask(fetch_request((0, 0), rack_id="b"), 11)
    assert only(response).preferred_read_replica == -1
    assert values(response) == [b"a", b"b"]


@pytest.mark.parametrize("rack", ["a", "elsewhere", ""])
def test_a_consumer_of_no_followers_rack_reads_from_the_leader(cluster, rack):
    (response,) = cluster[1].ask(fetch_request((0, 0), rack_id=rack), 11)
    assert only(response).preferred_read_replica == -1
    assert values(response) == [b"a", b"b"]


def test_a_replica_out_of_sync_or_behind_is_not_named(cluster):
    for node_id in (2, 3):
        cluster.fence(node_id)
    (response,) = cluster[1].ask(fetch_request((0, 0), rack_id="b"), 11)
    assert only(response).preferred_read_replica == -1


def test_without_the_selector_nobody_is_sent_elsewhere():
    cluster = Cluster(1, 2, racks=RACKS)
    cluster.create_topic("t", [1, 2])
    (response,) = cluster[1].ask(fetch_request((0, 0), rack_id="b"), 11)
    assert only(response).preferred_read_replica == -1


def test_a_follower_serves_up_to_its_own_high_watermark(cluster):
    cluster.cuts.append({1, 3})
    cluster[1].ask(produce_request((0, batch(b"c")), acks=LEADER), 9)
    cluster.settle()
    follower = cluster[2].partition()
    assert (follower.log_end_offset, follower.high_watermark) == (3, 2)
    (response,) = cluster[2].ask(fetch_request((0, 0)), 11)
    assert values(response) == [b"a", b"b"]
    (response,) = cluster[2].ask(fetch_request((0, 3)), 11)
    assert (only(response).error_code, len(only(response).records)) == (errors.NONE, 0)
    (response,) = cluster[2].ask(fetch_request((0, 4)), 11)
    assert only(response).error_code == errors.OFFSET_OUT_OF_RANGE


def test_a_consumer_that_waits_at_a_follower_is_woken(cluster):
    cluster.advance(600)
    answers = cluster[2].ask(fetch_request((0, 2), max_wait_ms=5000), 11)
    assert answers == []
    cluster[1].ask(produce_request((0, batch(b"c")), acks=ALL), 9)
    cluster.settle()
    assert values(answers[0]) == [b"c"]


def test_old_consumers_read_from_leaders_alone(cluster):
    (response,) = cluster[2].ask(fetch_request((0, 0)), 10)
    assert only(response).error_code == errors.NOT_LEADER_OR_FOLLOWER


def test_a_consumer_that_waits_where_leadership_goes_is_told(cluster):
    answers = cluster[1].ask(fetch_request((0, 2), max_wait_ms=5000), 10)
    cluster.fence(1)
    assert only(answers[0]).error_code == errors.NOT_LEADER_OR_FOLLOWER


def test_a_consumer_that_waits_at_a_follower_is_told_of_the_next_leader(cluster):
    cluster.create_topic("u", [1, 3, 2])
    request = fetch_request((0, 0), max_wait_ms=5000)
    request.topics[0].topic = "u"
    request.topics[0].partitions[0].current_leader_epoch = 0
    answers = cluster[2].ask(request, 11)
    assert answers == []
    cluster.fence(1)
    assert cluster[2].partition("u").leader == 3
    assert only(answers[0]).error_code == errors.FENCED_LEADER_EPOCH


def test_a_consumer_that_waits_at_a_follower_is_told_when_the_replica_goes(cluster):
    answers = cluster[2].ask(fetch_request((0, 2), max_wait_ms=5000), 11)
    assert answers == []
    request = DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1000)
    cluster.commit(delete_topics(request, 6, cluster.image, cluster.settings))
    cluster.settle()
    assert only(answers[0]).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


def test_a_follower_that_waits_where_leadership_goes_is_told(cluster):
    request = follower_request(cluster, fetch_offset=2)
    request.max_wait_ms = 5000
    answers = cluster[1].ask(request, 18)
    assert answers == []
    cluster.fence(1)
    assert only(answers[0]).error_code == errors.FENCED_LEADER_EPOCH


def test_a_quiet_follower_that_the_controller_took_out_comes_back_with_its_next_fetch(cluster):
    cluster.advance(1000)
    shrink = AlterPartitionRequestPartitionData(0, 0, new_isr_with_epochs=[BrokerState(1, 11), BrokerState(2, 12)])
    shrink.partition_epoch = cluster.image.topics["t"].partitions[0].partition_epoch
    topic = AlterPartitionRequestTopicData(cluster.image.topics["t"].topic_id, [shrink])
    answer = cluster.decide(AlterPartitionRequest(1, 11, [topic]))
    assert answer.topics[0].partitions[0].error_code == errors.NONE
    cluster.settle(turns=3)
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2)
    cluster.advance(FULL_READ_MS // 4)
    assert set(cluster.image.topics["t"].partitions[0].isr) == {1, 2, 3}


def test_a_quiet_follower_that_is_let_in_again_comes_back_with_its_next_fetch(cluster):
    cluster.advance(1000)
    cluster.fence(3)
    cluster.advance(1000)
    assert set(cluster.image.topics["t"].partitions[0].isr) == {1, 2}
    cluster.unfence(3)
    cluster.advance(FULL_READ_MS // 4)
    assert set(cluster.image.topics["t"].partitions[0].isr) == {1, 2, 3}
