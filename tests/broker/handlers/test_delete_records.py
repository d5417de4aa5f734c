"""DeleteRecords with several replicas: it is answered when the logs of all live ones start there."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.replica_node import Cluster


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3])
    three[1].ask(produce_request((0, batch(b"a", b"b", b"c"))), 9)
    three.settle()
    return three


def delete(cluster: Cluster, offset: int, timeout_ms: int = 5000) -> list:
    topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(0, offset)])
    answers = cluster[1].ask(DeleteRecordsRequest(topics=[topic], timeout_ms=timeout_ms), 2)
    cluster.settle()
    return answers


def told(answers: list) -> tuple[int, int]:
    (partition,) = answers[0].topics[0].partitions
    return partition.error_code, partition.low_watermark


def test_followers_delete_as_well_and_the_answer_waits_for_it(cluster):
    answers = delete(cluster, 2)
    assert told(answers) == (errors.NONE, 2)
    assert [cluster[node_id].partition().log_start_offset for node_id in (1, 2, 3)] == [2, 2, 2]


def test_a_follower_that_does_not_come_is_waited_for(cluster):
    cluster.cuts.append({1, 3})
    answers = delete(cluster, -1)
    cluster.advance(2000)
    assert answers == []
    cluster.cuts.clear()
    cluster.advance(1100)
    assert told(answers) == (errors.NONE, 3)


def test_a_fenced_broker_is_not_waited_for(cluster):
    cluster.cuts.append({1, 3})
    answers = delete(cluster, 1)
    cluster.fence(3)
    cluster[1].purgatory.touch("metadata", cluster.now)
    assert told(answers) == (errors.NONE, 1)


def test_the_wait_ends(cluster):
    cluster.cuts.append({1, 3})
    answers = delete(cluster, 1, timeout_ms=300)
    cluster.advance(300)
    assert told(answers) == (errors.REQUEST_TIMED_OUT, 0)


def test_leadership_that_goes_ends_the_wait(cluster):
    cluster.cuts += [{1, 3}, {1, 2}]
    answers = delete(cluster, 1)
    assert answers == []
    cluster.fence(1)
    assert told(answers) == (errors.NOT_LEADER_OR_FOLLOWER, -1)
