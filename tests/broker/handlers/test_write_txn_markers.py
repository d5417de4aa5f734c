"""Markers from coordinators: what they end, what they are refused for, and when they are answered."""

import pytest

from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.handlers.group_harness import with_coordinator
from tests.broker.harness import BrokerHarness
from tests.broker.replica_node import Cluster

P, Q = 7, 8


def marker(producer, *places, epoch=0, commit=True, coordinator_epoch=0, version=0):
    topics = [WritableTxnMarkerTopic(name, indexes) for name, indexes in places]
    return WritableTxnMarker(producer, epoch, commit, topics, coordinator_epoch, version)


def codes(response):
    return {
        (each.producer_id, topic.name, partition.partition_index): partition.error_code
        for each in response.markers
        for topic in each.topics
        for partition in topic.partitions
    }


class Kafka(BrokerHarness):
    def __init__(self, **config):
        super().__init__(**config)
        self.create_topic("a", 3)

    def log(self, index=0):
        return self.broker.partitions.get("a", index)

    def write(self, producer=P, index=0, epoch=0):
        batch = build_batch(
            [Record(0, 0, None, b"v")], producer_id=producer, producer_epoch=epoch, base_sequence=0,
            is_transactional=True,
        )  # fmt: skip
        self.broker.partitions.append(
            self.log(index), memoryview(batch), ACKS_ALL, self.now, guard=VERIFICATION_IS_OFF
        )  # fmt: skip

    def end(self, *markers, version=2):
        return codes(self.ask(WriteTxnMarkersRequest(markers), version))


@pytest.fixture
def kafka():
    return Kafka()


@pytest.mark.parametrize("version", [1, 2])
def test_a_marker_ends_a_transaction_on_each_partition(kafka, version):
    for index in range(2):
        kafka.write(index=index)
    assert [kafka.log(index).last_stable_offset for index in range(3)] == [0, 0, 0]
    found = kafka.end(marker(P, ("a", [0, 1, 2]), commit=False), version=version)
    assert found == {(P, "a", index): errors.NONE for index in range(3)}
    assert [kafka.log(index).last_stable_offset for index in range(3)] == [2, 2, 1]
    assert [len(kafka.log(index).log.segments.aborted.base_offsets) for index in range(3)] == [1, 1, 0]


def test_what_is_not_here_is_unknown(kafka):
    found = kafka.end(marker(P, ("a", [0, 9])), marker(Q, ("b", [0])))
    assert found == {
        (P, "a", 0): errors.NONE,
        (P, "a", 9): errors.UNKNOWN_TOPIC_OR_PARTITION,
        (Q, "b", 0): errors.UNKNOWN_TOPIC_OR_PARTITION,
    }
    kafka.log(1).fail("a test")
    assert kafka.end(marker(P, ("a", [1]))) == {(P, "a", 1): errors.UNKNOWN_TOPIC_OR_PARTITION}


def test_zombies_are_refused(kafka):
    kafka.write(epoch=3)
    assert kafka.end(marker(P, ("a", [0]), epoch=2)) == {(P, "a", 0): errors.INVALID_PRODUCER_EPOCH}
    assert kafka.end(marker(P, ("a", [0]), epoch=3, version=2)) == {(P, "a", 0): errors.INVALID_PRODUCER_EPOCH}
    assert kafka.end(marker(P, ("a", [0]), epoch=4, version=2, coordinator_epoch=2)) == {(P, "a", 0): errors.NONE}
    older = marker(P, ("a", [0]), epoch=4, coordinator_epoch=1)
    assert kafka.end(older) == {(P, "a", 0): errors.TRANSACTION_COORDINATOR_FENCED}
    assert kafka.end(marker(-1, ("a", [1])), marker(P, ("a", [1]), epoch=-1)) == {
        (-1, "a", 1): errors.UNKNOWN_SERVER_ERROR,
        (P, "a", 1): errors.UNKNOWN_SERVER_ERROR,
    }


def test_markers_of_one_producer_share_a_result(kafka):
    found = kafka.ask(WriteTxnMarkersRequest([marker(P, ("a", [0]), epoch=1), marker(P, ("a", [1]), epoch=1)]), 2)
    assert len(found.markers) == 1
    assert codes(found) == {(P, "a", 0): errors.NONE, (P, "a", 1): errors.NONE}
    last = kafka.end(marker(P, ("a", [0]), epoch=2), marker(P, ("a", [0]), epoch=1))
    assert last == {(P, "a", 0): errors.INVALID_PRODUCER_EPOCH}
    assert kafka.end() == kafka.end(marker(P)) == {}


def test_a_marker_is_answered_once_it_is_synced():
    kafka = Kafka(log_flush_interval_messages="1")
    kafka.write()
    kafka.settle()
    assert kafka.end(marker(P, ("a", [0]))) == {(P, "a", 0): errors.NONE}


def test_many_markers_are_written_in_several_iterations(kafka):
    answer = kafka.begin(WriteTxnMarkersRequest([marker(n, ("a", [0, 1, 2])) for n in range(100)]), 2)
    assert not answer.is_there
    for _ in range(10):
        kafka.advance(1)
    assert set(codes(answer.message).values()) == {errors.NONE}
    assert kafka.log().log_end_offset == 100


def test_the_group_coordinator_writes_those_for_its_log():
    kafka = with_coordinator()
    index = kafka.broker.groups.partition_for("g")
    request = WriteTxnMarkersRequest([marker(P, (GROUP_TOPIC, [index]))])
    response = kafka.ask("write_txn_markers", 2, request)
    assert codes(response) == {(P, GROUP_TOPIC, index): errors.NONE}
    assert kafka.broker.partitions.get(GROUP_TOPIC, index).log_end_offset == 1


def test_a_marker_waits_for_the_followers_and_they_know_what_was_aborted():
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2])
    leader, follower = cluster[1], cluster[2]
    batch = build_batch(
        [Record(0, 0, None, b"v")], producer_id=P, producer_epoch=0, base_sequence=0, is_transactional=True
    )  # fmt: skip
    leader.partitions.append(leader.partition(), memoryview(batch), ACKS_ALL, cluster.now, guard=VERIFICATION_IS_OFF)
    cluster.advance(600)
    request = WriteTxnMarkersRequest([marker(P, ("t", [0]), commit=False)])
    answers = leader.ask(request, 2)
    partition = leader.partition()
    assert not answers
    assert (partition.high_watermark, partition.last_stable_offset) == (1, 0)
    cluster.advance(1_200)
    assert codes(answers[0]) == {(P, "t", 0): errors.NONE}
    for each in (partition, follower.partition()):
        assert (each.high_watermark, each.last_stable_offset) == (2, 2)
        part = each.log.read(0, 1000, end_offset=2, at_least_one=True)
        assert [(found.producer_id, found.first_offset) for found in each.log.aborted(0, part)] == [(P, 0)]
        part.release()
