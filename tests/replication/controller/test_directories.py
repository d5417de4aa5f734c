"""Log directories: offline, cordoned, assigned (KIP-858, KIP-1066)."""

from typing import Any

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequestDirectoryData,
    AssignReplicasToDirsRequestPartitionData,
    AssignReplicasToDirsRequestTopicData,
)
from kafkacompat.replication.metadata.image import DIRECTORY_UNASSIGNED, PartitionImage
from tests.replication.controller.active_world import ID, World

A, B = b"a" * 16, b"b" * 16


def world(**options: Any) -> World:
    """Broker 1 leads both partitions of t, one in each of its two directories; 2 and 3 follow."""
    directories = [(directory, bytes([2]) * 16, bytes([3]) * 16) for directory in (A, B)]
    partitions = [PartitionImage((1, 2, 3), (1, 2, 3), 1, directories=of) for of in directories]
    made = World(*partitions, **options)
    image = made.image
    broker = image.brokers[1].but(log_dirs=(A, B))
    made.quorum.image = made.quorum.newest = image.but(brokers={**image.brokers, 1: broker})
    return made


def test_what_is_in_an_offline_directory_is_given_up() -> None:
    w = world()
    assert w.beat(1, 0, offline_log_dirs=[B]).error_code == errors.NONE
    assert [(w.partition(n).leader, w.partition(n).isr) for n in (0, 1)] == [(1, (1, 2, 3)), (2, (2, 3))]
    assert w.image.brokers[1].log_dirs == (A,)
    offset = w.image.offset
    w.beat(1, 1, offline_log_dirs=[B])
    assert w.image.offset == offset, "it is said once"


def test_unknown_directories_may_be_offline() -> None:
    w = world()
    w.beat(1, 0, offline_log_dirs=[b"x" * 16])
    assert w.quorum.records == []


def test_a_broker_that_begins_to_work_leads_nothing_in_an_offline_directory() -> None:
    w = world()
    w.beat(1, 0, want_fence=True)
    w.beat(2, 0, want_fence=True)
    w.beat(3, 0, want_fence=True)
    assert w.partition(1).elr == (2, 3)
    w.beat(1, 1, offline_log_dirs=[B])
    assert [w.partition(n).leader for n in (0, 1)] == [-1, -1]
    assert not w.image.brokers[1].fenced


@pytest.mark.parametrize(("said", "known"), [(None, None), ([], ()), ([B, A], (A, B))])
def test_cordoned_directories_are_written_down_when_they_change(said: Any, known: Any) -> None:
    w = world()
    w.beat(1, 0, cordoned_log_dirs=said)
    assert w.image.brokers[1].cordoned_log_dirs == known
    count = len(w.quorum.records)
    w.beat(1, 1, cordoned_log_dirs=said)
    assert len(w.quorum.records) == count


def test_a_cluster_of_4_2_has_no_cordoned_directories() -> None:
    """Apache Kafka 4.2 could not read the record."""
    w = world()
    w.quorum.newest = w.quorum.image = w.image.but(features={**w.image.features, "metadata.version": 29})
    w.beat(1, 0, cordoned_log_dirs=[A, A, B, B])
    assert w.quorum.records == []


def test_leaderships_in_a_full_directory_go_to_replicas_with_room() -> None:
    w = world()
    w.beat(1, 0, cordoned_log_dirs=[B, B])
    assert w.image.brokers[1].cordoned_log_dirs == (B, B)
    assert [w.partition(n).leader for n in (0, 1)] == [1, 2]
    w.beat(1, 1, cordoned_log_dirs=[A, B, A, B])
    assert [w.partition(n).leader for n in (0, 1)] == [2, 2]
    assert w.image.brokers[1].is_full


def test_a_cordoned_directory_keeps_its_leaderships() -> None:
    w = world()
    w.beat(1, 0, cordoned_log_dirs=[A, B])
    assert [w.partition(n).leader for n in (0, 1)] == [1, 1]
    broker = w.image.brokers[1]
    assert broker.is_cordoned
    assert not broker.is_full
    assert not broker.lacks_room(A)
    w.beat(1, 1, cordoned_log_dirs=[A, B, B])
    assert [w.partition(n).leader for n in (0, 1)] == [1, 2]


def assign(w: World, directory: bytes, *indexes: int, broker_id: int = 1, topic_id: bytes = ID, epoch: int = 11) -> Any:
    partitions = [AssignReplicasToDirsRequestPartitionData(index) for index in indexes]
    topics = [AssignReplicasToDirsRequestTopicData(topic_id, partitions)]
    request = AssignReplicasToDirsRequest(
        broker_id, epoch, [AssignReplicasToDirsRequestDirectoryData(directory, topics)]
    )
    return w.controller.assign_directories(request, Now(0, 0)).response


def codes(response: Any) -> list[int]:
    return [each.error_code for each in response.directories[0].topics[0].partitions]


def test_a_replica_moves_to_another_directory() -> None:
    w = world()
    assert codes(assign(w, B, 0, 1)) == [errors.NONE, errors.NONE]
    assert [w.partition(n).directory(1) for n in (0, 1)] == [B, B]
    assert w.partition(0).partition_epoch == 1
    assert w.partition(1).partition_epoch == 0, "where it is already"
    assert w.partition(0).directory(2) == bytes([2]) * 16
    assert (w.partition(0).leader, w.partition(0).leader_epoch) == (1, 0)


def test_a_replica_in_a_directory_that_is_not_online_is_given_up() -> None:
    w = world()
    assert codes(assign(w, b"x" * 16, 0, 0)) == [errors.NONE, errors.NONE]
    assert (w.partition(0).leader, w.partition(0).isr) == (2, (2, 3))


def test_directories_that_nobody_has_named_stay_unassigned() -> None:
    w = World(PartitionImage((1, 2), (1, 2), 1))
    assign(w, bytes([1]) * 16, 0)
    assert w.partition().directories == (bytes([1]) * 16, DIRECTORY_UNASSIGNED)


def test_what_cannot_be_assigned() -> None:
    w = World(PartitionImage((2, 3), (2, 3), 2))
    assert codes(assign(w, A, 0, 9, -1)) == [errors.NOT_LEADER_OR_FOLLOWER] + [errors.UNKNOWN_TOPIC_OR_PARTITION] * 2
    assert codes(assign(w, A, 0, topic_id=b"z" * 16)) == [errors.UNKNOWN_TOPIC_ID]
    for broker_id, epoch in ((1, 10), (9, 11)):
        assert assign(w, A, 0, broker_id=broker_id, epoch=epoch).error_code == errors.STALE_BROKER_EPOCH
    assert w.quorum.records == []
