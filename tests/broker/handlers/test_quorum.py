"""Requests of the quorum at a node that is alone: it leads, and knows what is wrong with what it is asked."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import begin_quorum_epoch as begins
from kafkacompat.protocol.messages import end_quorum_epoch as ends
from kafkacompat.protocol.messages import fetch as fetches
from kafkacompat.protocol.messages import fetch_snapshot as snapshots
from kafkacompat.protocol.messages import vote as votes
from kafkacompat.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
)
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.replication.raft import wire
from kafkacompat.replication.raft.messages import TOPIC_ID, Fetch, FetchSnapshot, Vote
from tests.broker.harness import BrokerHarness

LOG = "__cluster_metadata"


@pytest.fixture(scope="module")
def broker() -> BrokerHarness:
    return BrokerHarness()


def describe(broker, version, topic=LOG, index=0, connection=None):
    asked = DescribeQuorumRequest([DescribeQuorumRequestTopicData(topic, [DescribeQuorumRequestPartitionData(index)])])
    return broker.ask(asked, version, connection)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_quorum_is_described_on_both_listeners(version):
    broker = BrokerHarness()
    for connection in (broker.connection, broker.controller_connection):
        answer = describe(broker, version, connection=connection)
        (topic,) = answer.topics
        (partition,) = topic.partitions
        quorum = broker.broker.quorum
        assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (0, 1, quorum.raft.leader_epoch)
        assert partition.high_watermark == quorum.raft.high_watermark
        (voter,) = partition.current_voters
        assert (voter.replica_id, voter.log_end_offset) == (1, quorum.raft.high_watermark)
        assert partition.observers == []
        if version >= 1:
            assert voter.last_fetch_timestamp == voter.last_caught_up_timestamp == broker.now.wall_ms
        if version == 2:
            assert voter.replica_directory_id == quorum.raft.voters[0].directory_id
            assert [node.node_id for node in answer.nodes] == [1]
            assert [listener.name for listener in answer.nodes[0].listeners] == ["CONTROLLER"]


@pytest.mark.parametrize(("topic", "index"), [("t", 0), (LOG, 1)])
def test_no_other_partition_has_a_quorum(broker, topic, index):
    (found,) = describe(broker, 2, topic, index).topics
    assert (found.topic_name, found.partitions[0].partition_index) == (topic, index)
    assert found.partitions[0].error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


def cluster_id(broker):
    return broker.broker.cluster_id


def test_a_lone_voter_votes_for_nobody_in_its_epoch(broker):
    epoch = broker.broker.quorum.raft.leader_epoch
    vote = Vote(epoch, 2, bytes(16), epoch - 1, 5, pre_vote=True)
    answer = broker.ask(wire.request(vote, 2, cluster_id(broker)), 2)
    (data,) = answer.topics[0].partitions
    assert (data.error_code, data.vote_granted, data.leader_id, data.leader_epoch) == (0, False, 1, epoch)
    assert [(node.node_id, node.port) for node in answer.node_endpoints] == [(1, 9093)]


@pytest.mark.parametrize(
    "request_",
    [
        votes.VoteRequest("another", topics=[]),
        begins.BeginQuorumEpochRequest("another", topics=[]),
        ends.EndQuorumEpochRequest("another", topics=[]),
        fetches.FetchRequest("another", topics=[]),
        snapshots.FetchSnapshotRequest("another", topics=[]),
    ],
    ids=lambda request: type(request).__name__,
)
def test_another_clusters_members_are_refused(broker, request_):
    api_versions = {"FetchRequest": 18, "VoteRequest": 2}
    version = api_versions.get(type(request_).__name__, 1)
    assert broker.ask(request_, version, broker.controller_connection).error_code == errors.INCONSISTENT_CLUSTER_ID
    request_.cluster_id = None
    assert broker.ask(request_, version, broker.controller_connection).error_code == errors.INVALID_REQUEST


def fetch(broker, offset, *, epoch=None, last_epoch=0, wait_ms=0, high_watermark=-1):
    quorum = broker.broker.quorum
    asked = Fetch(
        7, b"7" * 16, quorum.raft.leader_epoch if epoch is None else epoch, offset, last_epoch, high_watermark,
        max_wait_ms=wait_ms,
    )  # fmt: skip
    request = wire.request(asked, 18, cluster_id(broker))
    return broker.begin(request, 18, broker.controller_connection)


def test_an_observer_reads_the_log_from_the_controllers_listener(broker):
    message = fetch(broker, 0).message
    (data,) = message.responses[0].partitions
    assert (message.error_code, data.error_code, message.responses[0].topic_id) == (0, 0, TOPIC_ID)
    assert data.current_leader.leader_id == 1
    assert data.high_watermark == broker.broker.quorum.raft.high_watermark
    assert read_header(data.records, 0).is_control
    assert fetch(broker, 0, epoch=99).message.responses[0].partitions[0].error_code == errors.UNKNOWN_LEADER_EPOCH
    assert fetch(broker, -1).message.responses[0].partitions[0].error_code == errors.INVALID_REQUEST


def test_a_fetch_waits_for_the_next_change_and_is_forgotten_with_its_connection(broker):
    end = broker.broker.quorum.raft.high_watermark
    epoch = broker.broker.quorum.raft.leader_epoch
    waiting = fetch(broker, end, last_epoch=epoch, wait_ms=500, high_watermark=end)
    assert not waiting.is_there
    broker.create_topic("wakes")
    assert waiting.message.responses[0].partitions[0].records
    end = broker.broker.quorum.raft.high_watermark
    gone = fetch(broker, end, last_epoch=epoch, wait_ms=500, high_watermark=end)
    broker.broker.disconnected(broker.controller_connection, broker.now)
    broker.create_topic("nobody-hears")
    broker.advance(10_000)
    assert not gone.is_there


def test_no_snapshot_is_sent_that_is_not_there(broker):
    asked = FetchSnapshot(7, b"7" * 16, broker.broker.quorum.raft.leader_epoch, (0, 0), 0)
    answer = broker.ask(wire.request(asked, 1, cluster_id(broker)), 1)
    assert answer.topics[0].partitions[0].error_code == errors.SNAPSHOT_NOT_FOUND
