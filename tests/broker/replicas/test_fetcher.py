"""One fetcher and what comes in its way: errors that pass, syncs that take long, leaders that move or go."""

import pytest

from kafkacompat.broker.network import FETCH
from kafkacompat.broker.replicas.fetcher import SYNC_WAIT_MS, WAKE_UP_FETCH
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.metadata.image import Endpoint
from tests.broker.handlers.test_produce_fetch import ALL, LEADER, batch, only, produce_request
from tests.broker.replica_node import LISTENER, Cluster

SOON_MS = 100
"""More than a first pause and a round, and less than a pause that has doubled a few times, or a long poll."""


def produce(cluster: Cluster, leader: int = 1, topic: str = "t", acks: int = ALL) -> list:
    answers = cluster[leader].ask(produce_request((0, batch(b"a")), topic=topic, acks=acks), 9)
    cluster.settle()
    return answers


def answered_soon(cluster: Cluster, answers: list) -> bool:
    cluster.advance(SOON_MS, 10)
    return [only(answer).error_code for answer in answers] == [errors.NONE]


def open_to(cluster: Cluster, node_id: int) -> set[int]:
    """The nodes to which this one has connections."""
    return {leader for leader, _channel in cluster[node_id].fetchers.network._open}


@pytest.fixture
def cluster() -> Cluster:
    """Broker 1 leads the only partition, broker 2 follows."""
    two = Cluster(1, 2)
    two.create_topic("t", [1, 2])
    two.advance(600)
    return two


def test_after_errors_that_have_passed_the_next_one_pauses_shortly_again(cluster):
    is_soon = False
    for duration_ms in (5_000, 40):
        cluster[1].partitions.resign(cluster.now)
        cluster.advance(duration_ms, 10)
        cluster[1].take(cluster.image)
        answers = produce(cluster)
        is_soon = answered_soon(cluster, answers)
        cluster.advance(1_100, 10)
        assert only(answers[0]).error_code == errors.NONE
    assert is_soon


def test_in_a_new_epoch_of_its_leader_a_partition_that_paused_long_pauses_shortly_again(cluster):
    cluster[1].metadata_is_late = True
    for epoch in (1, 2):
        topic = cluster.image.topics["t"]
        changed = topic.but(partitions=(topic.partitions[0].but(leader_epoch=epoch, partition_epoch=epoch),))
        cluster.image = cluster.image.but(topics={"t": changed}, topics_by_id={changed.topic_id: changed})
        cluster.publish()
        cluster.advance(5_000 if epoch == 1 else 40, 10)
    cluster[1].metadata_is_late = False
    cluster.publish()
    assert answered_soon(cluster, produce(cluster))


def test_a_leader_whose_address_is_not_known_is_asked_when_it_is(cluster):
    brokers = cluster.image.brokers
    cluster[2].take(cluster.image.but(brokers={2: brokers[2]}))
    produce(cluster, acks=LEADER)
    cluster.advance(2_000, 10)
    assert cluster[1].partition().high_watermark == 0
    cluster[2].take(cluster.image)
    cluster.advance(1_100, 10)
    assert cluster[1].partition().high_watermark == 1


def test_a_leader_that_has_moved_is_asked_where_it_is_over_a_new_connection(cluster):
    before = dict(cluster[2].fetchers.network._open)
    broker = cluster.image.brokers[1]
    moved = broker.but(endpoints=(Endpoint(LISTENER, "elsewhere", 1),))
    cluster.image = cluster.image.but(brokers={**cluster.image.brokers, 1: moved})
    cluster.publish()
    answers = produce(cluster)
    cluster.advance(600)
    assert only(answers[0]).error_code == errors.NONE
    after = cluster[2].fetchers.network._open
    assert not set(before.values()) & set(after.values())


def test_others_do_not_wait_long_for_a_partition_whose_sync_takes_long_and_it_is_asked_for_at_its_end():
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2])
    cluster.create_topic("synced", [1, 2], flush_messages="1")
    cluster.advance(600)
    cluster[2].syncs_are_late = True
    waiting = produce(cluster, topic="synced")
    others = produce(cluster)
    cluster.advance(SYNC_WAIT_MS + SOON_MS, 10)
    assert only(others[0]).error_code == errors.NONE
    assert waiting == []
    cluster.advance(200, 10)  # a long poll is under way
    cluster[2].syncs_are_late = False
    assert answered_soon(cluster, waiting)


def test_of_a_leader_from_which_the_last_partition_goes_while_it_rests_nothing_is_left():
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3])
    three.advance(600)
    three[1].partitions.resign(three.now)
    three.advance(600)
    three.fence(1)
    three.advance(2_000)
    assert len(three[3].fetchers) == 1
    assert open_to(three, 3) == {2}


def test_of_a_leader_from_which_the_last_partition_goes_during_a_sync_nothing_is_left():
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3], flush_messages="1")
    three.create_topic("later", [1, 2, 3], flush_messages="1")  # the leader is woken for it
    three.advance(600)
    assert {channel for _leader, channel in three[3].fetchers.network._open} == {FETCH, WAKE_UP_FETCH}
    three[3].syncs_are_late = True
    for topic in ("t", "later"):
        produce(three, topic=topic, acks=LEADER)
    three.advance(40)
    three.fence(1)
    three[3].syncs_are_late = False
    three.advance(2_000)
    assert len(three[3].fetchers) == 1
    assert open_to(three, 3) == {2}
