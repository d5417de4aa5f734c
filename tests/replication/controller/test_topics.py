"""CreateTopics, CreatePartitions, DeleteTopics: the error codes that Apache Kafka 4.3.1 answered to the same."""

import random

import pytest

from kafkacompat.protocol.internal.cluster_metadata import ClearElrRecord
from kafkacompat.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from kafkacompat.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.replication.controller.deletion import delete_topics
from kafkacompat.replication.controller.partitions import create_partitions
from kafkacompat.replication.controller.topics import create_topics
from kafkacompat.replication.metadata.image import MetadataImage
from kafkacompat.steps import at_once
from tests.replication.quorum_world import after, image_with, names, settings, topic

ZERO = bytes(16)


def create(image: MetadataImage, *topics: CreatableTopic, validate_only: bool = False, **static: str):
    request = CreateTopicsRequest(list(topics), validate_only=validate_only)
    return at_once(create_topics(request, image, settings(**static), random.Random(3)))


def with_topics(*topic_names: str) -> MetadataImage:
    image = image_with(1)
    return after(image, create(image, *(topic(name, 1, 1) for name in topic_names)).records)


def assigned(*assignments: tuple[int, list[int]], partitions: int = -1, factor: int = -1) -> CreatableTopic:
    given = [CreatableReplicaAssignment(index, brokers) for index, brokers in assignments]
    return CreatableTopic("p", partitions, factor, assignments=given)


def outcome(result) -> list[tuple[str, int, str | None]]:
    return [(each.name, each.error_code, each.error_message) for each in result.response.topics]


def test_a_topic_with_the_defaults() -> None:
    result = create(image_with(1), topic("a"), num_partitions="3")
    (found,) = result.response.topics
    assert (found.error_code, found.error_message, found.topic_config_error_code) == (0, None, 0)
    assert (found.num_partitions, found.replication_factor, len(found.configs)) == (3, 1, 33)
    assert names(result.records) == ["TopicRecord"] + ["PartitionRecord"] * 3
    assert result.records[0].topic_id == found.topic_id != ZERO
    partition = result.records[3]
    assert (partition.partition_id, partition.replicas, partition.isr, partition.leader) == (2, [1], [1], 1)
    assert (partition.leader_epoch, partition.partition_epoch, partition.directories) == (0, 0, [b"\x01" * 16])


def test_configs_stand_between_topic_and_partitions() -> None:
    result = create(image_with(1), topic("a", 1, 1, min_insync_replicas="2", retention_ms="5"))
    assert names(result.records) == [
        "TopicRecord", "ConfigRecord", "ConfigRecord", "ClearElrRecord", "PartitionRecord",
    ]  # fmt: skip
    assert result.records[3] == ClearElrRecord("a")
    sources = {config.name: (config.value, config.config_source) for config in result.response.topics[0].configs}
    assert sources["retention.ms"] == ("5", 1)
    assert sources["segment.bytes"] == ("1073741824", 5)
    assert list(sources) == sorted(sources)


NAME_RULE = "contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"


@pytest.mark.parametrize(
    ("wanted", "error_code", "message"),
    [
        (topic("a"), 36, "Topic 'a' already exists."),
        (topic(""), 17, "the empty string is not allowed"),
        (topic("."), 17, "'.' is not allowed"),
        (topic(".."), 17, "'..' is not allowed"),
        (topic("a b"), 17, NAME_RULE),
        (topic("é"), 17, NAME_RULE),
        (topic("../x"), 17, NAME_RULE),
        (topic("x" * 250), 17, "is longer than the max allowed length 249"),
        (topic("x" * 249), 0, None),
        (topic("c_d"), 17, "Topic 'c_d' collides with existing topic: c.d"),
        (topic("__cluster_metadata"), 42, "Creation of internal topic __cluster_metadata is prohibited."),
        (topic("__consumer_offsets"), 0, None),
        (topic("p", 0, 1), 37, "invalid non-positive value"),
        (topic("p", -2, 1), 37, "invalid non-positive value"),
        (topic("p", 1, 0), 38, "larger than 0, or -1"),
        (topic("p", 1, -2), 38, "larger than 0, or -1"),
        (topic("p", 0, 0), 38, "larger than 0, or -1"),
        (topic("p", 1, 2), 38, "target replication factor of 2 cannot be reached because only 1 broker(s)"),
        (assigned((0, [1]), partitions=1), 42, "numPartitions was not set to -1"),
        (assigned((0, [1]), factor=1), 42, "replication factor was not set to -1"),
        (assigned((0, [1]), (1, [1])), 0, None),
        (assigned((1, [1]), (0, [1])), 0, None),
        (assigned((0, [1]), (2, [1])), 39, "partitions should be a consecutive 0-based integer sequence"),
        (assigned((-1, [1])), 39, "partitions should be a consecutive 0-based integer sequence"),
        (assigned((0, [])), 39, "includes an empty replica list"),
        (assigned((0, [7])), 39, "includes broker 7, but no such broker is registered"),
        (assigned((0, [1, 1])), 39, "includes the broker 1 more than once"),
        (assigned((0, [1]), (0, [1])), 39, "Found multiple manual partition assignments for partition 0"),
        (topic("p", 1, 1, foo="1"), 40, "foo"),
        (topic("p", 1, 1, retention_ms="abc"), 40, "retention.ms"),
        (topic("p", 1, 1, retention_ms=None, cleanup_policy=None), 40, "retention.ms,cleanup.policy"),
        (topic("p", 1, 1, retention_ms="-2"), 40, "retention.ms"),
        (topic("p", 1, 1, cleanup_policy="x"), 40, "cleanup.policy"),
        (topic("p", 1, 1, cleanup_policy=""), 0, None),
        (topic("p", 1, 1, min_compaction_lag_ms="10", max_compaction_lag_ms="5"), 40, "min.compaction.lag.ms"),
        (topic("p", 1, 1, segment_bytes="10"), 40, "segment.bytes"),
        (topic("p", 1, 1, message_format_version="2.0"), 40, "message.format.version"),
        (topic("p", 1, 1, min_insync_replicas="2"), 0, None),
        (topic("p", 9999, 1), 0, None),
        (topic("p", 10000, 1), 44, "Unable to perform excessively large batch operation."),
        (topic("p", 10001, 1), 44, "Excessively large number of partitions per request."),
    ],
)
def test_creation_as_apache_kafka_answers(wanted: CreatableTopic, error_code: int, message: str | None) -> None:
    result = create(with_topics("a", "c.d"), wanted, validate_only=True)
    (found,) = result.response.topics
    assert (found.name, found.error_code) == (wanted.name, error_code)
    assert found.error_message is None if message is None else message in found.error_message
    assert result.records == []
    if error_code:
        assert (found.topic_id, found.num_partitions, found.replication_factor) == (ZERO, -1, -1)


def test_one_topic_fails_alone_but_too_many_partitions_fail_together() -> None:
    result = create(image_with(1), topic("d1"), topic("d2"), topic("d1"), topic("e.f"), topic("e_f"))
    assert outcome(result) == [
        ("d1", 42, "Duplicate topic name."), ("d2", 0, None), ("e.f", 0, None), ("e_f", 0, None),
    ]  # fmt: skip
    assert [record.name for record in result.records if hasattr(record, "name")] == ["d2", "e.f", "e_f"]
    result = create(image_with(1), topic("p", 6000, 1), topic("q", 6000, 1))
    assert [code for _, code, _ in outcome(result)] == [44, 44]
    assert result.records == []
    assert create(image_with(1)).response.topics == []


def test_no_active_broker() -> None:
    fenced = image_with(1)
    fenced = fenced.but(brokers={1: fenced.brokers[1].but(fenced=True)})
    assert outcome(create(fenced, topic("p", 1, 1)))[0][1] == 38
    assert outcome(create(fenced, assigned((0, [1]))))[0][1] == 39
    stopping = image_with(1)
    stopping = stopping.but(brokers={1: stopping.brokers[1].but(in_controlled_shutdown=True)})
    assert outcome(create(stopping, topic("p", 1, 1)))[0][1] == 38
    assert outcome(create(stopping, assigned((0, [1]))))[0][1] == 39


def test_topics_are_created_while_a_broker_is_in_controlled_shutdown() -> None:
    image = image_with(1, 2, 3)
    image = image.but(brokers={**image.brokers, 2: image.brokers[2].but(in_controlled_shutdown=True)})
    result = create(image, topic("p", 6, 1))
    assert outcome(result) == [("p", 0, None)]
    assert {record.leader for record in result.records[1:]} == {1, 3}


def test_replicas_that_are_not_active_start_outside_the_isr() -> None:
    image = image_with(1, 2)
    image = image.but(brokers={**image.brokers, 1: image.brokers[1].but(fenced=True)})
    (record,) = create(image, assigned((0, [1, 2]))).records[1:]
    assert (record.replicas, record.isr, record.leader) == ([1, 2], [2], 2)
    assert outcome(create(image_with(1, 2), assigned((0, [1]), (1, [1, 2]))))[0][1] == 39


def grow(image: MetadataImage, *wanted: tuple[str, int, list[list[int]] | None], validate_only: bool = False):
    topics = [
        CreatePartitionsTopic(
            name, count, None if given is None else [CreatePartitionsAssignment(ids) for ids in given]
        )
        for name, count, given in wanted
    ]
    return at_once(create_partitions(CreatePartitionsRequest(topics, validate_only=validate_only), image))


@pytest.mark.parametrize(
    ("count", "assignments", "error_code", "message"),
    [
        (2, None, 0, None),
        (1, None, 37, "Topic already has 1 partition(s)."),
        (0, None, 37, "The topic a currently has 1 partition(s); 0 would not be an increase."),
        (-1, None, 37, "would not be an increase"),
        (3, [[1]], 39, "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified."),
        (2, [], 39, "only 0 assignment(s)"),
        (2, [[1]], 0, None),
        (2, [[1, 2]], 39, "no such broker is registered"),
        (2, [[]], 39, "empty replica list"),
        (10_001, None, 0, None),
        (10_002, None, 44, "excessively large"),
        (2**31 - 1, None, 44, "excessively large"),
    ],
)
def test_growth_as_apache_kafka_answers(count: int, assignments, error_code: int, message: str | None) -> None:
    result = grow(with_topics("a"), ("a", count, assignments))
    (found,) = result.response.results
    assert (found.name, found.error_code) == ("a", error_code)
    assert found.error_message is None if message is None else message in found.error_message
    assert len(result.records) == (0 if error_code else count - 1)
    if not error_code:
        assert [record.partition_id for record in result.records] == list(range(1, count))


def test_growth_of_several() -> None:
    image = with_topics("a", "b", "c")
    result = grow(image, ("a", 3, None), ("b", 2, None), ("a", 4, None), ("zz", 3, None), ("c", 10_001, None))
    assert [(each.name, each.error_code) for each in result.response.results] == [
        ("a", 42), ("b", 0), ("zz", 3), ("c", 44),
    ]  # fmt: skip
    assert len(after(image, result.records).topics["b"].partitions) == 2
    assert grow(image, ("b", 2, None), validate_only=True).records == []


def delete(image: MetadataImage, *wanted: tuple[str | None, bytes], version: int = 6, **static: str):
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name, topic_id) for name, topic_id in wanted])
    result = delete_topics(request, version, image, settings(**static))
    return [(each.name, each.topic_id, each.error_code) for each in result.response.responses], result.records


def test_deletion_as_apache_kafka_answers() -> None:
    image = with_topics("a", "b")
    a, b = (image.topics[name].topic_id for name in "ab")
    unknown = bytes(range(16))
    for wanted, answers, deleted in (
        ([("nope", ZERO)], [("nope", ZERO, 3)], 0),
        ([(None, unknown)], [(None, unknown, 100)], 0),
        ([(None, ZERO)], [(None, ZERO, 42)], 0),
        ([("a", a)], [("a", a, 42)], 0),
        ([("a", ZERO), ("a", ZERO)], [("a", ZERO, 42)], 0),
        ([(None, a), (None, a)], [(None, a, 42)], 0),
        ([(None, a), ("a", ZERO)], [("a", a, 42)], 0),
        ([("a", ZERO)], [("a", a, 0)], 1),
        ([(None, a), ("b", ZERO), ("x", ZERO)], [("a", a, 0), ("b", b, 0), ("x", ZERO, 3)], 2),
    ):
        found, records = delete(image, *wanted)
        assert found == answers, wanted
        assert names(records) == ["RemoveTopicRecord"] * deleted
    assert after(image, delete(image, ("a", ZERO))[1]).topics.keys() == {"b"}


@pytest.mark.parametrize(("version", "error_code"), [(1, 42), (3, 73), (6, 73)])
def test_deletion_that_is_switched_off(version: int, error_code: int) -> None:
    found, records = delete(with_topics("a"), ("a", ZERO), version=version, delete_topic_enable="false")
    assert (found, records) == ([("a", ZERO, error_code)], [])


def test_old_versions_name_topics_in_a_field_of_their_own() -> None:
    request = DeleteTopicsRequest(topic_names=["a", "nope", "nope"])
    result = delete_topics(request, 5, with_topics("a"), settings())
    assert [(each.name, each.error_code) for each in result.response.responses] == [("a", 0), ("nope", 42)]
