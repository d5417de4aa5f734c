"""Rule C1: every check, and their order."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    BrokerState,
)
from kafkacompat.replication.controller.alter_partition import alter_partition
from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage, PartitionImage, TopicImage
from kafkacompat.replication.metadata.result import Result
from tests.replication.quorum_world import after, image_with, settings

TOPIC_ID = bytes(range(16))
LED = PartitionImage((1, 2, 3), (1, 2), 1, 5, 7)


def image_of(partition: PartitionImage = LED, **brokers: BrokerImage) -> MetadataImage:
    image = image_with(1, 2, 3, 4)
    topic = TopicImage("t", TOPIC_ID, (partition,))
    changed = {**image.brokers, **{broker.id: broker for broker in brokers.values()}}
    return image.but(topics={"t": topic}, topics_by_id={TOPIC_ID: topic}, brokers=changed)


def asked(isr: tuple[int, ...] = (1, 2, 3), leader_epoch: int = 5, epoch: int = 7, state: int = 0, index: int = 0):
    members = [BrokerState(broker, 10 + broker) for broker in isr]
    return AlterPartitionRequestPartitionData(index, leader_epoch, (), members, state, epoch)


def run(
    *partitions: AlterPartitionRequestPartitionData,
    image: MetadataImage | None = None,
    sender: int = 1,
    broker_epoch: int | None = None,
    topic_id: bytes = TOPIC_ID,
) -> Result:
    epoch = 10 + sender if broker_epoch is None else broker_epoch
    request = AlterPartitionRequest(sender, epoch, [AlterPartitionRequestTopicData(topic_id, partitions)])
    return alter_partition(request, image or image_of(), settings(min_insync_replicas="2"))


def answer_of(result: Result) -> AlterPartitionResponsePartitionData:
    assert result.response.error_code == errors.NONE
    return result.response.topics[0].partitions[0]


def test_an_expansion_answers_the_partition_as_it_is_then() -> None:
    result = run(asked())
    assert result.records == [PartitionChangeRecord(0, TOPIC_ID, isr=[1, 2, 3])]
    assert answer_of(result) == AlterPartitionResponsePartitionData(0, errors.NONE, 1, 5, [1, 2, 3], 0, 8)


def test_a_shrink_keeps_who_leaves_eligible_below_the_minimum() -> None:
    result = run(asked((1,)))
    assert result.records == [PartitionChangeRecord(0, TOPIC_ID, isr=[1], eligible_leader_replicas=[2])]


def test_no_change_is_no_record() -> None:
    result = run(asked((1, 2)))
    assert result.records == []
    assert answer_of(result).partition_epoch == 7


@pytest.mark.parametrize("broker_epoch", [10, 12, -1])
def test_a_past_life_of_the_sender_is_refused_as_a_whole(broker_epoch: int) -> None:
    result = run(asked(), broker_epoch=broker_epoch)
    assert result.records == []
    assert result.response.error_code == errors.STALE_BROKER_EPOCH
    assert run(asked(), sender=9).response.error_code == errors.STALE_BROKER_EPOCH


def test_who_asks_for_nothing_is_not_looked_at() -> None:
    result = alter_partition(AlterPartitionRequest(9, -1), image_of(), settings())
    assert (result.records, result.response) == ([], AlterPartitionResponse())


@pytest.mark.parametrize(
    ("request_data", "error"),
    [
        (asked(leader_epoch=6, epoch=1), errors.NOT_CONTROLLER),
        (asked(leader_epoch=4, epoch=8), errors.NOT_CONTROLLER),
        (asked(leader_epoch=4, epoch=6), errors.FENCED_LEADER_EPOCH),
        (asked(epoch=6, isr=(1, 1)), errors.INVALID_UPDATE_VERSION),
        (asked(isr=(1, 2, 2)), errors.INVALID_REQUEST),
        (asked(isr=(1, 2, 4)), errors.INVALID_REQUEST),
        (asked(isr=(2, 3)), errors.INVALID_REQUEST),
        (asked(isr=()), errors.INVALID_REQUEST),
        (asked(state=1), errors.INVALID_REQUEST),
        (asked(isr=(1,), state=1), errors.INVALID_REQUEST),
        (asked(state=7), errors.INVALID_REQUEST),
        (asked(index=1), errors.UNKNOWN_TOPIC_OR_PARTITION),
        (asked(index=-1), errors.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_refusals(request_data: AlterPartitionRequestPartitionData, error: int) -> None:
    result = run(request_data)
    assert result.records == []
    assert answer_of(result).error_code == error


def test_who_does_not_lead_is_refused_before_its_partition_epoch_is_looked_at() -> None:
    assert answer_of(run(asked(epoch=6), sender=2)).error_code == errors.INVALID_REQUEST


def test_unknown_topics() -> None:
    assert answer_of(run(asked(), topic_id=bytes(16))).error_code == errors.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize(
    "third",
    [
        BrokerImage(3, 13, bytes(16), fenced=True),
        BrokerImage(3, 13, bytes(16), fenced=False, in_controlled_shutdown=True),
        BrokerImage(3, 14, bytes(16), fenced=False),
    ],
)
def test_members_must_be_active_in_the_life_that_the_leader_saw(third: BrokerImage) -> None:
    result = run(asked(), image=image_of(third=third))
    assert [record.isr for record in result.records] == [None]
    assert answer_of(result).error_code == errors.INELIGIBLE_REPLICA


def test_what_was_refused_for_a_member_is_not_accepted_when_it_comes_again() -> None:
    fenced = image_of(third=BrokerImage(3, 13, bytes(16), fenced=True))
    result = run(asked(), image=fenced)
    assert result.records == [PartitionChangeRecord(0, TOPIC_ID)]
    partition = after(fenced, result.records).topics["t"].partitions[0]
    assert (partition.isr, partition.leader, partition.leader_epoch, partition.partition_epoch) == ((1, 2), 1, 5, 8)
    assert answer_of(run(asked(), image=image_of(partition))).error_code == errors.INVALID_UPDATE_VERSION
    assert answer_of(run(asked(epoch=8), image=image_of(partition))).error_code == errors.NONE


def test_version_2_names_no_lives() -> None:
    data = AlterPartitionRequestPartitionData(0, 5, [1, 2, 3], (), 0, 7)
    again = BrokerImage(3, 99, bytes(16), fenced=False)
    assert answer_of(run(data, image=image_of(again=again))).error_code == errors.NONE


def test_a_leader_has_recovered_when_it_says_so() -> None:
    recovering = PartitionImage((1, 2, 3), (1,), 1, 5, 7, recovery_state=1)
    result = run(asked((1, 2)), image=image_of(recovering))
    assert result.records == [PartitionChangeRecord(0, TOPIC_ID, isr=[1, 2], leader_recovery_state=0)]
    assert answer_of(run(asked((1,), state=1), image=image_of(recovering))).error_code == errors.NONE
    assert answer_of(run(asked((1, 2), state=1), image=image_of(recovering))).error_code == errors.INVALID_REQUEST


def test_the_last_member_of_a_reassignment_completes_it() -> None:
    moving = PartitionImage((1, 2, 3), (1, 2), 1, 5, 7, adding=(3,), removing=(1,))
    result = run(asked(), image=image_of(moving))
    assert [record.leader for record in result.records] == [2]
    assert answer_of(result).error_code == errors.NEW_LEADER_ELECTED


def test_a_partition_named_twice_is_changed_once() -> None:
    result = run(asked(), asked((1,)))
    assert len(result.records) == 1
    codes = [answer.error_code for answer in result.response.topics[0].partitions]
    assert codes == [errors.NONE, errors.INVALID_UPDATE_VERSION]
