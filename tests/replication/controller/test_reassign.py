"""C7 and C8: preferred leaders and reassignments, compared with the records of Apache Kafka 4.3.1."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from kafkacompat.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
    OngoingPartitionReassignment,
)
from kafkacompat.replication.controller.elect_leaders import elect_leaders
from kafkacompat.replication.controller.reassign import alter_reassignments, list_reassignments
from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage, PartitionImage, TopicImage
from kafkacompat.steps import at_once
from tests.replication.quorum_world import after, image_with, settings

ID = bytes(range(16))
DIRECTORIES = {broker: bytes([broker]) * 16 for broker in (1, 2, 3, 4)}


def image_of(*partitions: PartitionImage, fenced: int = 0) -> MetadataImage:
    image = image_with(1, 2, 3, 4)
    with_directories = tuple(
        partition.but(directories=tuple(DIRECTORIES[replica] for replica in partition.replicas))
        for partition in partitions
    )
    topic = TopicImage("t", ID, with_directories)
    brokers = dict(image.brokers)
    if fenced:
        brokers[fenced] = BrokerImage(fenced, 10 + fenced, bytes(16), fenced=True, log_dirs=(DIRECTORIES[fenced],))
    return image.but(topics={"t": topic}, topics_by_id={ID: topic}, brokers=brokers)


def move(image: MetadataImage, *wanted: list[int] | None, topic: str = "t", index: int = 0, factor: bool = True):
    partitions = [ReassignablePartition(index + n, replicas) for n, replicas in enumerate(wanted)]
    request = AlterPartitionReassignmentsRequest(
        allow_replication_factor_change=factor, topics=[ReassignableTopic(topic, partitions)]
    )
    result = at_once(alter_reassignments(request, image, settings(min_insync_replicas="2")))
    return result.records, [answer.error_code for answer in result.response.responses[0].partitions]


def partition_after(image: MetadataImage, records: list) -> PartitionImage:
    return after(image, records).topics["t"].partitions[0]


def test_a_replica_that_only_goes_is_gone_at_once() -> None:
    records, codes = move(image_of(PartitionImage((2, 3, 1), (1, 2, 3), 2)), [3, 1])
    assert codes == [errors.NONE]
    assert records == [
        PartitionChangeRecord(
            0, ID, isr=[1, 3], leader=3, replicas=[3, 1], directories=[DIRECTORIES[3], DIRECTORIES[1]]
        )
    ]


def test_a_replica_that_comes_is_waited_for() -> None:
    image = image_of(PartitionImage((3, 1), (1, 3), 3))
    records, _ = move(image, [2, 3, 1])
    directories = [DIRECTORIES[replica] for replica in (2, 3, 1)]
    assert records == [PartitionChangeRecord(0, ID, replicas=[2, 3, 1], adding_replicas=[2], directories=directories)]


def test_a_move_keeps_the_old_replicas_until_the_new_ones_are_in_sync() -> None:
    image = image_of(PartitionImage((1, 2), (1, 2), 1))
    partition = partition_after(image, move(image, [3, 4])[0])
    assert (partition.replicas, partition.adding, partition.removing) == ((3, 4, 1, 2), (3, 4), (1, 2))
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((1, 2), 1, 0)


def test_a_move_is_turned_around_and_cancelled() -> None:
    image = image_of(PartitionImage((1, 2), (1, 2), 1))
    moving = after(image, move(image, [3, 4])[0])
    turned = partition_after(moving, move(moving, [1, 3])[0])
    assert (set(turned.replicas), turned.removing) == ({1, 2, 3, 4}, (2, 4))
    cancelled = partition_after(moving, move(moving, None)[0])
    assert (cancelled.replicas, cancelled.adding, cancelled.removing) == ((1, 2), (), ())
    assert cancelled.leader_epoch == 1, "replicas went"


def test_who_is_asked_for_what_is_there_changes_nothing() -> None:
    assert move(image_of(PartitionImage((1, 2), (1, 2), 1)), [1, 2]) == ([], [errors.NONE])


@pytest.mark.parametrize(
    ("wanted", "more", "code"),
    [
        ([1], {"topic": "u"}, errors.UNKNOWN_TOPIC_OR_PARTITION),
        ([1], {"index": 7}, errors.UNKNOWN_TOPIC_OR_PARTITION),
        (None, {}, errors.NO_REASSIGNMENT_IN_PROGRESS),
        ([], {}, errors.INVALID_REPLICA_ASSIGNMENT),
        ([1, 1], {}, errors.INVALID_REPLICA_ASSIGNMENT),
        ([1, 9], {}, errors.INVALID_REPLICA_ASSIGNMENT),
        ([1, 2, 3], {"factor": False}, errors.INVALID_REPLICATION_FACTOR),
    ],
)
def test_refusals(wanted: list[int] | None, more: dict, code: int) -> None:
    assert move(image_of(PartitionImage((1, 2), (1, 2), 1)), wanted, **more) == ([], [code])


def test_no_way_back_to_replicas_of_which_none_is_in_sync() -> None:
    moving = image_of(PartitionImage((3, 1), (3,), 3, adding=(3,), removing=(1,)))
    assert move(moving, None)[1] == [errors.INVALID_REPLICA_ASSIGNMENT]


def test_a_move_that_is_cancelled_keeps_who_holds_committed_records() -> None:
    """2 is behind: 1 alone would be too few for what 1 and 3 have committed."""
    moving = image_of(PartitionImage((3, 1, 2), (1, 3), 1, adding=(3,), removing=(2,)))
    partition = partition_after(moving, move(moving, None)[0])
    assert (partition.replicas, partition.isr, partition.removing) == ((1, 2, 3), (1, 3), (3,))


def test_lists_what_is_under_way() -> None:
    image = image_of(PartitionImage((3, 1), (1,), 1, adding=(3,), removing=(1,)), PartitionImage((1, 2), (1, 2), 1))
    for topics in (
        None,
        [ListPartitionReassignmentsTopics("t", [0, 1, 9]), ListPartitionReassignmentsTopics("u", [0])],
    ):
        answer = list_reassignments(ListPartitionReassignmentsRequest(topics=topics), image)
        assert [topic.partitions for topic in answer.topics] == [[OngoingPartitionReassignment(0, [3, 1], [3], [1])]]


def elect(image: MetadataImage, kind: int = 0, wanted: list | None = None):
    result = elect_leaders(ElectLeadersRequest(kind, wanted), image, settings(min_insync_replicas="2"))
    answers = [
        (topic.topic, each.partition_id, each.error_code)
        for topic in result.response.replica_election_results
        for each in topic.partition_result
    ]
    return result.records, answers


def test_a_preferred_election_answers_what_it_has_changed() -> None:
    image = image_of(PartitionImage((1, 2, 3), (1, 2, 3), 2), PartitionImage((1, 2, 3), (1, 2, 3), 1))
    records, answers = elect(image)
    assert records == [PartitionChangeRecord(0, ID, leader=1)]
    assert answers == [("t", 0, errors.NONE)]


@pytest.mark.parametrize(
    ("partition", "kind", "code"),
    [
        (PartitionImage((1, 2), (1, 2), 1), 0, errors.ELECTION_NOT_NEEDED),
        (PartitionImage((1, 2), (2,), 2), 0, errors.PREFERRED_LEADER_NOT_AVAILABLE),
        (PartitionImage((4, 2), (2, 4), 2), 0, errors.PREFERRED_LEADER_NOT_AVAILABLE),
        (PartitionImage((1, 2), (2,), 2), 1, errors.ELECTION_NOT_NEEDED),
        (PartitionImage((4,), (), -1, elr=(4,)), 1, errors.ELIGIBLE_LEADERS_NOT_AVAILABLE),
    ],
)
def test_elections_that_are_none(partition: PartitionImage, kind: int, code: int) -> None:
    image = image_of(partition, fenced=4)
    assert elect(image, kind, [TopicPartitions("t", [0])]) == ([], [("t", 0, code)])


@pytest.mark.parametrize(
    ("allowed", "codes"), [("false", [errors.INVALID_REPLICA_ASSIGNMENT]), ("true", [errors.NONE])]
)
def test_a_way_back_that_loses_data_is_taken_only_where_that_is_allowed(allowed: str, codes: list[int]) -> None:
    image = image_of(PartitionImage((1, 2, 3), (3,), 3, adding=(3,), removing=(2,)))
    request = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic("t", [ReassignablePartition(0, None)])])
    config = settings(min_insync_replicas="1", unclean_leader_election_enable=allowed)
    result = at_once(alter_reassignments(request, image, config))
    assert [answer.error_code for answer in result.response.responses[0].partitions] == codes
    found = partition_after(image, result.records)
    if allowed == "true":
        assert (found.replicas, found.isr, found.leader, found.recovery_state) == ((1, 2), (1,), 1, 1)
    else:
        assert found == image.topics["t"].partitions[0]


def test_an_unclean_election_takes_whoever_works() -> None:
    image = image_of(PartitionImage((4, 2), (), -1, elr=(4,)), fenced=4)
    records, answers = elect(image, 1, [TopicPartitions("t", [0, 0])])
    assert answers == [("t", 0, errors.NONE)] * 2, "elected once, answered as often as asked"
    assert (records[0].leader, records[0].isr, records[0].leader_recovery_state) == (2, [2], 1)


def test_elections_of_what_is_not_there() -> None:
    wanted = [TopicPartitions("u", [0]), TopicPartitions("t", [3])]
    answers = elect(image_of(PartitionImage((1,), (1,), 1)), 0, wanted)[1]
    assert [code for _, _, code in answers] == [errors.UNKNOWN_TOPIC_OR_PARTITION] * 2
    assert elect_leaders(ElectLeadersRequest(2), image_of(), settings()).response.error_code == errors.INVALID_REQUEST
