"""Registration, placement, features, producer ids."""

import random

import pytest

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.internal.cluster_metadata import RegisterBrokerRecord, decode_metadata_record
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.partitions import new_partition
from kafkacompat.replication.controller.producer_ids import allocate_producer_ids
from kafkacompat.replication.metadata.features import (
    FEATURES,
    KEPT_LEVELS,
    SUPPORTED_FEATURES,
    bootstrap_configs,
    bootstrap_features,
    kept_levels,
    unsupported_levels,
)
from kafkacompat.replication.metadata.ids import new_uuid
from kafkacompat.replication.metadata.image import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    EMPTY_IMAGE,
    BrokerImage,
    Endpoint,
    PartitionImage,
    TopicImage,
)
from kafkacompat.replication.raft.batches import encode_record
from tests.replication.quorum_world import ENDPOINTS, after, config, image_with, names, settings

ID = bytes(range(16))


def with_partitions(image, *partitions: PartitionImage):
    topic = TopicImage("t", ID, partitions)
    return image.but(topics={"t": topic}, topics_by_id={ID: topic})


def registration(previous_epoch: int = -1) -> brokers.Registration:
    return brokers.Registration(1, ID, ENDPOINTS, [b"b" * 16, b"a" * 16], rack="r", previous_epoch=previous_epoch)


def test_registration_is_fenced_and_names_its_offset() -> None:
    result = brokers.register(registration(), EMPTY_IMAGE, settings(), next_offset=40)
    (record,) = result.records
    assert (record.broker_id, record.broker_epoch, result.response, record.fenced) == (1, 40, 40, True)
    assert (record.rack, record.log_dirs) == ("r", [b"a" * 16, b"b" * 16])
    assert {each.name for each in record.features} == set(SUPPORTED_FEATURES)
    broker = after(EMPTY_IMAGE, result.records).brokers[1]
    assert broker.endpoints == tuple(ENDPOINTS)


@pytest.mark.parametrize(("previous_epoch", "elr"), [(11, (1,)), (-1, ())])
def test_only_a_clean_stop_keeps_a_broker_eligible(previous_epoch: int, elr: tuple[int, ...]) -> None:
    image = with_partitions(image_with(1, 2), PartitionImage((1, 2), (1,), 1), PartitionImage((2,), (2,), 2))
    result = brokers.register(registration(previous_epoch), image, settings(), 40)
    assert names(result.records) == ["PartitionChangeRecord", "RegisterBrokerRecord"]
    partition = after(image, result.records).topics["t"].partitions[0]
    assert (partition.isr, partition.leader, partition.elr, partition.last_known_elr) == ((), -1, elr, (1,))


def test_fencing_moves_leaders_and_then_marks() -> None:
    image = with_partitions(image_with(1, 2), PartitionImage((1, 2), (1, 2), 1), PartitionImage((2, 1), (1, 2), 2))
    result = brokers.fence(1, image, settings())
    assert names(result.records) == ["PartitionChangeRecord"] * 2 + ["BrokerRegistrationChangeRecord"]
    found = after(image, result.records)
    assert [(p.leader, p.isr, p.leader_epoch) for p in found.topics["t"].partitions] == [(2, (2,), 1), (2, (2,), 0)]
    assert not found.is_active(1)
    again = brokers.unfence(1, found, settings())
    assert names(again.records) == ["BrokerRegistrationChangeRecord"], "it joins the ISR by asking its leader"


def test_controlled_shutdown_marks_and_then_moves_leaders() -> None:
    image = with_partitions(image_with(1, 2), PartitionImage((1, 2), (1, 2), 1))
    result = brokers.begin_controlled_shutdown(1, image, settings())
    assert names(result.records) == ["BrokerRegistrationChangeRecord", "PartitionChangeRecord"]
    found = after(image, result.records)
    assert not found.is_active(1)
    assert brokers.begin_controlled_shutdown(1, found, settings()).records == []


def test_a_replica_in_a_lost_directory_does_not_lead() -> None:
    lost = PartitionImage((1,), (), -1, elr=(1,), directories=(DIRECTORY_LOST,))
    other = PartitionImage((1,), (), -1, elr=(1,), directories=(b"x" * 16,))
    unassigned = PartitionImage((1,), (), -1, elr=(1,), directories=(DIRECTORY_UNASSIGNED,))
    image = with_partitions(image_with(1), lost, other, unassigned)
    image = image.but(brokers={1: image.brokers[1].but(fenced=True)})
    found = after(image, brokers.unfence(1, image, settings()).records)
    assert [partition.leader for partition in found.topics["t"].partitions] == [-1, -1, 1]


def test_directories_of_new_replicas() -> None:
    image = image_with(1, 2, 3)
    image = image.but(brokers={**image.brokers, 2: image.brokers[2].but(log_dirs=(b"x" * 16, b"y" * 16)),
                               3: image.brokers[3].but(log_dirs=())})  # fmt: skip
    record = new_partition(image, ID, 0, [1, 2, 3])
    assert record.directories == [b"\x01" * 16, DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING]


def test_features_are_finalized_within_what_is_supported() -> None:
    for feature in FEATURES:
        assert feature.lowest <= feature.finalized <= feature.highest
        assert feature.reason
    assert [(r.name, r.feature_level) for r in bootstrap_features()] == [
        ("metadata.version", 30), ("eligible.leader.replicas.version", 1), ("transaction.version", 2),
    ]  # fmt: skip
    assert bootstrap_configs(config(min_insync_replicas="2"))[0].value == "2"
    started = after(EMPTY_IMAGE, list(bootstrap_features()))
    assert unsupported_levels(started) == []
    other = {**started.features, "share.version": 2, "metadata.version": 28}
    assert unsupported_levels(started.but(features=other)) == [
        "metadata.version 28 (supported: 29 to 30)", "share.version 2 (supported: 0 to 1)",
    ]  # fmt: skip


def test_levels_of_apache_kafka_whose_apis_are_missing_are_kept() -> None:
    image = after(EMPTY_IMAGE, list(bootstrap_features()))
    kept = {"group.version": 1, "share.version": 1, "streams.version": 1}
    theirs = image.but(features={**image.features, **kept})
    assert unsupported_levels(theirs) == kept_levels(image) == []
    assert kept_levels(theirs) == ["group.version 1", "share.version 1", "streams.version 1"]
    assert kept == KEPT_LEVELS
    assert not kept.keys() & SUPPORTED_FEATURES.keys()


def test_producer_ids_come_in_blocks() -> None:
    image = image_with(1)
    first = allocate_producer_ids(AllocateProducerIdsRequest(1, 11), image)
    assert (first.response.error_code, first.response.producer_id_start, first.response.producer_id_len) == (0, 0, 1000)
    second = allocate_producer_ids(AllocateProducerIdsRequest(1, 11), after(image, first.records))
    assert second.response.producer_id_start == 1000
    for broker_id, epoch, error_code in ((2, 11, 77), (1, 10, 77)):
        result = allocate_producer_ids(AllocateProducerIdsRequest(broker_id, epoch), image)
        assert (result.response.error_code, result.records) == (error_code, [])
    full = allocate_producer_ids(AllocateProducerIdsRequest(1, 11), image.but(next_producer_id=LONG_MAX - 999))
    assert (full.response.error_code, full.records) == (-1, [])


def test_uuids_are_random_free_and_printable() -> None:
    rng = random.Random(0)
    found = [new_uuid(rng) for _ in range(3000)]
    assert len(set(found)) == 3000
    assert all(raw[6] >> 4 == 4 and raw[0] >> 2 != 0x3E for raw in found)
    first = new_uuid(random.Random(1))
    assert new_uuid(random.Random(1), {first}) != first


def test_a_registered_broker_gets_other_endpoints_and_keeps_the_rest() -> None:
    present = BrokerImage(
        2, 12, b"i" * 16, (Endpoint("A", "here", 1),), "r", fenced=False, in_controlled_shutdown=True,
        features={"metadata.version": (1, 30)}, log_dirs=(b"d" * 16,), cordoned_log_dirs=(b"d" * 16,),
    )  # fmt: skip
    there = [Endpoint("A", "there", 2)]
    asked = brokers.Registration(2, b"i" * 16, there, [b"e" * 16], rack="other", previous_epoch=7)
    (record,) = brokers.moved(asked, present)
    image = after(EMPTY_IMAGE.but(brokers={2: present}), [record])
    assert image.brokers[2] == present.but(endpoints=tuple(there))
    assert brokers.moved(asked, image.brokers[2]) == []


@pytest.mark.parametrize(("cordoned", "version"), [(None, 3), ([], 4), ([bytes(16)], 4)])
def test_a_registration_without_cordoned_directories_is_one_of_4_2(cordoned: list | None, version: int) -> None:
    value = encode_record(RegisterBrokerRecord(broker_id=1, cordoned_log_dirs=cordoned))
    assert value[2] == version
    assert decode_metadata_record(value).cordoned_log_dirs == cordoned
