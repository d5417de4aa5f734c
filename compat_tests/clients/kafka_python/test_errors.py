"""kafka-python: what goes wrong is told with the client's own error types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition, errors
from kafka.admin import ConfigResource, ConfigResourceType, MemberToRemove
from kafka.structs import OffsetAndMetadata

from compat_tests.clients.kafka_python.member import FAST_GROUP
from compat_tests.clients.kafka_python.reading import read
from compat_tests.clients.samples import MEGABYTE, Patience, eventually, incompressible

Make = Callable[..., KafkaProducer]
Read = Callable[..., KafkaConsumer]


@pytest.mark.api("CreateTopics")
@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"num_partitions": 0}, errors.InvalidPartitionsError),
        ({"replication_factor": 0}, errors.InvalidReplicationFactorError),
        ({"replication_factor": 2}, errors.InvalidReplicationFactorError),
        ({"configs": {"retention.ms": "soon"}}, errors.InvalidConfigurationError),
        ({"configs": {"no.such.config": "1"}}, errors.InvalidConfigurationError),
        ({"configs": {"cleanup.policy": "shred"}}, errors.InvalidConfigurationError),
        ({"assignments": {0: [99]}}, errors.InvalidReplicationAssignmentError),
        ({"assignments": {1: [1]}}, errors.InvalidReplicationAssignmentError),
        ({"assignments": {0: [1]}, "num_partitions": 1}, errors.InvalidRequestError),
    ],
)
def test_topic_that_cannot_be(admin: KafkaAdminClient, topic: str, settings: dict[str, Any], error: type) -> None:
    with pytest.raises(error):
        admin.create_topics({topic: settings})
    assert topic not in admin.list_topics()


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("name", ["with space", "slash/ed", "", ".", "..", "x" * 250, "ünicode"])
def test_bad_topic_name(admin: KafkaAdminClient, name: str) -> None:
    with pytest.raises(errors.InvalidTopicError):
        admin.create_topics([name])


@pytest.mark.api("CreateTopics")
def test_topic_twice(admin: KafkaAdminClient, topic: str) -> None:
    admin.create_topics([topic], wait_for_metadata=True)
    with pytest.raises(errors.TopicAlreadyExistsError):
        admin.create_topics([topic])


@pytest.mark.api("CreateTopics")
def test_topic_names_that_collide(admin: KafkaAdminClient, topic: str) -> None:
    """A dot and an underscore are the same in metric names, so Kafka keeps such topics apart."""
    admin.create_topics([f"{topic}.a"], wait_for_metadata=True)
    with pytest.raises(errors.InvalidTopicError):
        admin.create_topics([f"{topic}_a"])


@pytest.mark.api("Metadata")
def test_unknown_topic(admin: KafkaAdminClient, topic: str) -> None:
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.delete_topics([topic])
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.create_partitions({topic: 3})
    assert admin.describe_topics([topic])[0]["error_code"] == errors.UnknownTopicOrPartitionError.errno
    changed = admin.alter_configs(
        [ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "1"})],
        incremental=True,
        raise_on_unknown=False,
    )
    assert changed["topic"][topic].startswith("[Error 3] UnknownTopicOrPartitionError")


@pytest.mark.api("CreatePartitions")
@pytest.mark.parametrize("count", [1, 2, 0, -1])
def test_fewer_or_as_many_partitions(admin: KafkaAdminClient, topic: str, count: int) -> None:
    admin.create_topics({topic: {"num_partitions": 2, "replication_factor": 1}}, wait_for_metadata=True)
    with pytest.raises(errors.InvalidPartitionsError):
        admin.create_partitions({topic: count})


@pytest.mark.api("IncrementalAlterConfigs")
def test_bad_config_change(admin: KafkaAdminClient, topic: str) -> None:
    admin.create_topics([topic], wait_for_metadata=True)

    def changed(name: str, value: str) -> str:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: value})
        return str(admin.alter_configs([resource], incremental=True, raise_on_unknown=False)["topic"][topic])

    assert changed("retention.ms", "soon").startswith("[Error 40] InvalidConfigurationError")
    assert changed("no.such.config", "1").startswith("[Error 40] InvalidConfigurationError")
    assert changed("retention.ms", "5000") == "OK"


@pytest.mark.api("Produce")
def test_record_too_large(producer: Make, admin: KafkaAdminClient, topic: str) -> None:
    sender = producer(max_request_size=3 * MEGABYTE, enable_idempotence=False)
    with pytest.raises(errors.MessageSizeTooLargeError):
        sender.send(topic, incompressible(2 * MEGABYTE), partition=0).get(Patience.wait_s)
    small = topic + "-small"
    admin.create_topics({small: {"configs": {"max.message.bytes": "1000"}}}, wait_for_metadata=True)
    with pytest.raises(errors.MessageSizeTooLargeError):
        sender.send(small, incompressible(2000), partition=0).get(Patience.wait_s)
    assert sender.send(small, incompressible(500), partition=0).get(Patience.wait_s).offset == 0


@pytest.mark.api("Fetch")
def test_offset_out_of_range(producer: Make, consumer: Read, topic: str) -> None:
    producer().send(topic, b"one", partition=0).get(Patience.wait_s)
    part = TopicPartition(topic, 0)
    strict = consumer(auto_offset_reset="none")
    strict.assign([part])
    strict.seek(part, 100)
    with pytest.raises(errors.OffsetOutOfRangeError):
        read(strict, 1)
    lenient = consumer(auto_offset_reset="earliest")
    lenient.assign([part])
    lenient.seek(part, 100)
    assert read(lenient, 1)[0].offset == 0


@pytest.mark.api("DeleteRecords")
def test_delete_records_beyond_the_end(producer: Make, admin: KafkaAdminClient, topic: str) -> None:
    producer().send(topic, b"one", partition=0).get(Patience.wait_s)
    with pytest.raises(errors.OffsetOutOfRangeError):
        admin.delete_records({TopicPartition(topic, 0): 5})


@pytest.mark.since("4.0", "an unknown group is described without an error")
@pytest.mark.api("DescribeGroups")
def test_unknown_group(admin: KafkaAdminClient, group: str, topic: str) -> None:
    described = admin.describe_groups([group])[group]
    assert described["group_state"] == "Dead"
    assert described["error"].startswith("[Error 69] GroupIdNotFoundError")
    assert admin.delete_groups([group]) == {group: "GroupIdNotFoundError"}
    with pytest.raises(errors.GroupIdNotFoundError):
        admin.delete_group_offsets(group, [TopicPartition(topic, 0)])
    assert admin.list_group_offsets(group) == {group: {}}


@pytest.mark.api("JoinGroup")
def test_unknown_member(producer: Make, consumer: Read, admin: KafkaAdminClient, topic: str, group: str) -> None:
    producer().send(topic, b"one", partition=0).get(Patience.wait_s)
    reader = consumer(topic, group_id=group, group_instance_id="here", **FAST_GROUP)
    read(reader, 1)
    gone = admin.remove_group_members(group, [MemberToRemove(member_id="nobody")])
    assert gone == {"nobody": errors.UnknownMemberIdError}
    gone = admin.remove_group_members(group, [MemberToRemove(group_instance_id="not-here")])
    assert gone == {"not-here": errors.UnknownMemberIdError}
    gone = admin.remove_group_members(group, [MemberToRemove(member_id="nobody", group_instance_id="here")])
    assert list(gone.values()) == [errors.FencedInstanceIdError]


@pytest.mark.api("OffsetCommit")
def test_commit_from_outside_an_active_group(
    producer: Make, consumer: Read, admin: KafkaAdminClient, topic: str, group: str
) -> None:
    producer().send(topic, b"one", partition=0).get(Patience.wait_s)
    reader = consumer(topic, group_id=group, **FAST_GROUP)
    read(reader, 1)
    done = admin.alter_group_offsets(group, {TopicPartition(topic, 0): OffsetAndMetadata(0, "", -1)})
    assert done == {TopicPartition(topic, 0): errors.UnknownMemberIdError}


@pytest.mark.api("JoinGroup")
def test_session_timeout_outside_the_allowed_range(
    consumer: Read, admin: KafkaAdminClient, topic: str, group: str
) -> None:
    admin.create_topics([topic], wait_for_metadata=True)
    hasty = consumer(topic, group_id=group, session_timeout_ms=1000, heartbeat_interval_ms=100)
    with pytest.raises(errors.InvalidSessionTimeoutError):
        eventually(lambda: bool(hasty.poll(timeout_ms=50)), Patience.wait_s)


@pytest.mark.api("CreateTopics")
def test_compression_named_wrong_is_refused_by_topic_config(admin: KafkaAdminClient, topic: str) -> None:
    with pytest.raises(errors.InvalidConfigurationError):
        admin.create_topics({topic: {"configs": {"compression.type": "rar"}}})
