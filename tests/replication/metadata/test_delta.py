"""Records to images: every record of Kafka 4.3, and a log that Apache Kafka 4.3.1 wrote."""

from pathlib import Path

import pytest

from kafkacompat.protocol.internal import cluster_metadata as records
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.replication.metadata import delta
from kafkacompat.replication.metadata.delta import InvalidMetadataError, apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, RECOVERED, RECOVERING, MetadataImage, PartitionImage
from kafkacompat.replication.raft.batches import decode, encode_record

ID = bytes(range(16))
OTHER_ID = bytes(range(1, 17))


def kafka_log() -> bytes:
    """Written by Apache Kafka 4.3.1: first start, two topics, clean stop, start, kill -9, start."""
    return (Path(__file__).parent / "kafka-4.3.1-metadata.log").read_bytes()


def batches(data: bytes):
    pos = 0
    while pos < len(data):
        header = read_header(data, pos)
        yield header, pos
        pos += header.size_bytes


def after(*found: object, image: MetadataImage = EMPTY_IMAGE) -> MetadataImage:
    return apply(image, list(found), image.offset + len(found), 1)  # type: ignore[arg-type]


def test_every_record_of_the_log_is_known() -> None:
    transactions = {records.BeginTransactionRecord, records.EndTransactionRecord, records.AbortTransactionRecord}
    handled = set(delta._APPLY) | delta.KEPT | delta.PASSED_OVER | transactions
    assert handled == {row[0] for row in records.RECORDS.values()}
    assert not set(delta._APPLY) & (delta.KEPT | delta.PASSED_OVER)


@pytest.mark.parametrize("kind", sorted(delta.KEPT | delta.PASSED_OVER, key=lambda kind: kind.__name__))
def test_records_of_what_is_not_there_yet_are_kept_as_they_are(kind: type) -> None:
    record = kind()
    assert after(record) == EMPTY_IMAGE.but(offset=0, epoch=1, kept=(record,) if kind in delta.KEPT else ())


def test_replay_of_apache_kafkas_log() -> None:
    image = EMPTY_IMAGE
    data = kafka_log()
    for header, pos in batches(data):
        batch = decode(header, data, pos)
        if not batch.is_control:
            image = apply(image, batch.records, batch.last_offset, batch.epoch)
    assert image.features == {
        "metadata.version": 30, "eligible.leader.replicas.version": 1, "group.version": 1, "share.version": 1,
        "streams.version": 1, "transaction.version": 2,
    }  # fmt: skip
    assert image.configs == {(4, ""): {"min.insync.replicas": "1"},
                             (2, "t2"): {"min.insync.replicas": "2", "retention.ms": "1000"}}  # fmt: skip
    assert {name: len(topic.partitions) for name, topic in image.topics.items()} == {"t1": 2, "t2": 1}
    broker = image.brokers[1]
    assert (broker.fenced, broker.epoch, broker.cordoned_log_dirs) == (False, 72, ())
    directories = (broker.log_dirs[0],)
    assert image.topics["t1"].partitions[1] == PartitionImage(
        (1,), (1,), 1, 4, 5, recovery_state=1, directories=directories
    )
    assert image.epoch == 3
    assert image.topics_by_id[image.topics["t2"].topic_id] is image.topics["t2"]


def test_records_are_written_byte_for_byte_as_apache_kafka_writes_them() -> None:
    data = kafka_log()
    compared = 0
    for header, pos in batches(data):
        if header.is_control:
            continue
        for raw in read_records(data, pos, header):
            assert raw.value is not None
            record = records.decode_metadata_record(raw.value)
            written = encode_record(record)
            if isinstance(record, records.RegisterBrokerRecord):  # in the version that Apache Kafka 4.2 reads, too
                assert (raw.value[2], written[2]) == (4, 3)
                assert records.decode_metadata_record(written) == record
            else:
                assert written == raw.value
            compared += 1
    assert compared > 60


def topic(name: str = "t", topic_id: bytes = ID) -> list:
    partition = records.PartitionRecord(0, topic_id, [1], [1], leader=1, leader_epoch=0, partition_epoch=0)
    return [records.TopicRecord(name, topic_id), partition]


def test_a_controller_comes_and_goes() -> None:
    image = after(records.RegisterControllerRecord(controller_id=3))
    assert list(image.controllers) == [3]
    assert after(records.UnregisterControllerRecord(3), image=image).controllers == {}
    with pytest.raises(delta.InvalidMetadataError, match="controller 4 is not registered"):
        after(records.UnregisterControllerRecord(4), image=image)


def test_images_do_not_change_and_share_what_did_not() -> None:
    one = after(*topic())
    two = after(records.ConfigRecord(2, "t", "retention.ms", "1"), image=one)
    assert one.configs == {}
    assert two.topics is one.topics
    three = after(records.PartitionChangeRecord(0, ID, leader=-1, isr=[]), image=two)
    assert two.partition("t", 0).leader == 1  # type: ignore[union-attr]
    assert three.partition("t", 0).leader == -1  # type: ignore[union-attr]
    assert three.configs is two.configs
    assert three.topics["t"] is three.topics_by_id[ID]


def test_partition_epochs() -> None:
    image = after(*topic(), records.PartitionChangeRecord(0, ID, isr=[1]))
    assert (image.topics["t"].partitions[0].leader_epoch, image.topics["t"].partitions[0].partition_epoch) == (0, 1)
    image = after(records.PartitionChangeRecord(0, ID, leader=1), image=image)
    assert (image.topics["t"].partitions[0].leader_epoch, image.topics["t"].partitions[0].partition_epoch) == (1, 2)


def test_the_epoch_of_an_unclean_election_is_remembered_after_the_recovery() -> None:
    seen = []
    image = after(*topic())
    for change in (
        records.PartitionChangeRecord(0, ID, leader=1),
        records.PartitionChangeRecord(0, ID, leader=2, leader_recovery_state=RECOVERING),
        records.PartitionChangeRecord(0, ID, leader=1),  # and is still recovering
        records.PartitionChangeRecord(0, ID, leader_recovery_state=RECOVERED),
        records.PartitionChangeRecord(0, ID, leader=2),
    ):
        image = after(change, image=image)
        partition = image.topics["t"].partitions[0]
        seen.append((partition.leader_epoch, partition.unclean_epoch))
    assert seen == [(1, -1), (2, 2), (3, 3), (3, 3), (4, 3)]


def test_removing_a_topic_takes_its_configs() -> None:
    image = after(*topic(), records.ConfigRecord(2, "t", "a", "1"), records.ConfigRecord(2, "u", "a", "1"))
    image = after(records.RemoveTopicRecord(ID), image=image)
    assert (image.topics, image.topics_by_id, image.configs) == ({}, {}, {(2, "u"): {"a": "1"}})
    assert after(*topic(), records.RemoveTopicRecord(ID)).topics == {}
    assert list(after(*topic(topic_id=OTHER_ID), image=image).topics_by_id) == [OTHER_ID]


def test_a_removed_config_leaves_no_empty_resource() -> None:
    image = after(records.ConfigRecord(2, "t", "a", "1"), records.ConfigRecord(2, "t", "a", None))
    assert image.configs == {}
    assert after(records.ConfigRecord(2, "t", "a", None)).configs == {}


@pytest.mark.parametrize("name", ["t", ""])
def test_clearing_eligible_replicas(name: str) -> None:
    elr = records.PartitionChangeRecord(0, ID, eligible_leader_replicas=[2], last_known_elr=[1])
    partition = after(*topic(), elr, records.ClearElrRecord(name)).topics["t"].partitions[0]
    assert (partition.elr, partition.last_known_elr, partition.partition_epoch) == ((), (), 2)
    assert after(*topic(), records.ClearElrRecord(name)).topics["t"].partitions[0].partition_epoch == 0


def test_transactions_count_when_they_end() -> None:
    begun = after(records.BeginTransactionRecord("x"), *topic())
    assert begun.topics == {}
    ended = after(records.EndTransactionRecord(), image=begun)
    assert (list(ended.topics), ended.transaction) == (["t"], None)
    aborted = after(records.AbortTransactionRecord(), *topic("u", OTHER_ID), image=begun)
    assert (list(aborted.topics), aborted.transaction) == (["u"], None)


def test_old_records_of_fencing_and_registration() -> None:
    registered = after(records.RegisterBrokerRecord(3, broker_epoch=7))
    assert registered.brokers[3].fenced
    assert not registered.is_active(3)
    unfenced = after(records.UnfenceBrokerRecord(3, 7), image=registered)
    assert unfenced.is_active(3)
    assert not after(records.FenceBrokerRecord(3, 7), image=unfenced).is_active(3)
    assert after(records.UnregisterBrokerRecord(3, 7), image=unfenced).brokers == {}
    change = records.BrokerRegistrationChangeRecord(3, 7, log_dirs=[ID], cordoned_log_dirs=[OTHER_ID])
    found = after(change, image=unfenced).brokers[3]
    assert (found.fenced, found.log_dirs, found.cordoned_log_dirs) == (False, (ID,), (OTHER_ID,))


def test_partitions_of_before_directories_have_the_migrating_one() -> None:
    assert after(*topic()).topics["t"].partitions[0].directories == (bytes(16),)


@pytest.mark.parametrize(
    "wrong",
    [
        [*topic(), records.TopicRecord("t", OTHER_ID)],
        [records.RemoveTopicRecord(ID)],
        [records.PartitionRecord(0, ID)],
        [records.TopicRecord("t", ID), records.PartitionRecord(1, ID, [1], [1])],
        [*topic(), records.PartitionChangeRecord(1, ID)],
        [records.ClearElrRecord("nope")],
        [records.BrokerRegistrationChangeRecord(1, 1)],
        [records.RegisterBrokerRecord(1, broker_epoch=2), records.UnfenceBrokerRecord(1, 1)],
        [records.BeginTransactionRecord("x"), records.BeginTransactionRecord("y")],
        [records.EndTransactionRecord()],
        [records.AbortTransactionRecord()],
        [records.ProducerIdsRecord(next_producer_id=10), records.ProducerIdsRecord(next_producer_id=10)],
        [object()],
    ],
)
def test_contradictions_are_refused(wrong: list) -> None:
    with pytest.raises(InvalidMetadataError):
        after(*wrong)
