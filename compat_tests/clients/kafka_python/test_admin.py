"""kafka-python: the admin client."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType, OffsetSpec, OffsetTimestamp
from kafka.errors import GroupSubscribedToTopicError, NoError
from kafka.structs import OffsetAndMetadata

from compat_tests.broker_process import Broker
from compat_tests.clients.kafka_python.member import FAST_GROUP
from compat_tests.clients.kafka_python.reading import read
from compat_tests.clients.samples import Patience, eventually, numbered

Make = Callable[..., KafkaProducer]
Read = Callable[..., KafkaConsumer]


def configs_of(admin: KafkaAdminClient, topic: str, config_filter: str = "modified") -> dict[str, str]:
    resource = ConfigResource(ConfigResourceType.TOPIC, topic)
    found = admin.describe_configs([resource], config_filter=config_filter)["topic"][topic]
    return {name: entry["value"] for name, entry in found.items()}


def create_with(admin: KafkaAdminClient, topic: str, configs: dict[str, str]) -> None:
    """Make a topic that the broker knows when this returns. The client overlooks the error code of an answer to
    DescribeConfigs: a topic that the controller has made, and the broker has not yet heard of, looks as if it had no
    config at all, and `alter_configs` calls each one that it is given unrecognized.
    """
    admin.create_topics({topic: {"configs": configs}}, wait_for_metadata=True)


def filled(producer: Make, topic: str, count: int) -> TopicPartition:
    sender = producer()
    for n, value in enumerate(numbered(count)):
        sender.send(topic, value, partition=0, timestamp_ms=1_700_000_000_000 + n)
    sender.flush()
    return TopicPartition(topic, 0)


@pytest.mark.api("CreateTopics", "DeleteTopics", "Metadata")
def test_create_describe_delete_topic(admin: KafkaAdminClient, topic: str) -> None:
    wanted = {"num_partitions": 3, "replication_factor": 1, "configs": {"retention.ms": "1234567"}}
    created = admin.create_topics({topic: wanted}, wait_for_metadata=True)["topics"][0]
    assert (created["num_partitions"], created["replication_factor"]) == (3, 1)
    assert created["configs"]["retention.ms"]["value"] == "1234567"
    described = admin.describe_topics([topic])[0]
    assert described["topic_id"] == created["topic_id"]
    assert sorted(p["partition_index"] for p in described["partitions"]) == [0, 1, 2]
    assert all(p["isr_nodes"] == p["replica_nodes"] == [p["leader_id"]] for p in described["partitions"])
    assert admin.describe_topics([uuid.UUID(str(described["topic_id"]))])[0]["name"] == topic
    admin.delete_topics([topic])
    eventually(lambda: topic not in admin.list_topics())


@pytest.mark.api("CreateTopics")
def test_validate_only_creates_nothing(admin: KafkaAdminClient, topic: str) -> None:
    admin.create_topics({topic: {"num_partitions": 3, "replication_factor": 1}}, validate_only=True)
    assert topic not in admin.list_topics()


@pytest.mark.api("CreateTopics")
def test_manual_assignment_and_defaults(admin: KafkaAdminClient, topic: str) -> None:
    node = admin.describe_cluster()["brokers"][0]["broker_id"]
    admin.create_topics({topic: {"assignments": {0: [node], 1: [node]}}}, wait_for_metadata=True)
    assert len(admin.describe_topics([topic])[0]["partitions"]) == 2
    defaults = admin.create_topics([topic + "-default"])["topics"][0]
    assert (defaults["num_partitions"], defaults["replication_factor"]) == (1, 1)


@pytest.mark.api("CreatePartitions")
def test_create_partitions(admin: KafkaAdminClient, producer: Make, topic: str) -> None:
    admin.create_topics({topic: {"num_partitions": 1, "replication_factor": 1}}, wait_for_metadata=True)
    admin.create_partitions({topic: 4})
    eventually(lambda: len(admin.describe_topics([topic])[0]["partitions"]) == 4)
    assert producer().send(topic, b"in the last one", partition=3).get(Patience.wait_s).offset == 0


@pytest.mark.api("IncrementalAlterConfigs", "DescribeConfigs")
def test_configs_changed_one_by_one(admin: KafkaAdminClient, topic: str) -> None:
    create_with(admin, topic, {"retention.ms": "1000000", "cleanup.policy": "delete"})
    change = {"max.message.bytes": "5000", "cleanup.policy": (AlterConfigOp.APPEND, "compact")}
    done = admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, change)], incremental=True)
    assert done == {"topic": {topic: "OK"}}
    expected = {"retention.ms": "1000000", "max.message.bytes": "5000", "cleanup.policy": "delete,compact"}
    eventually(lambda: configs_of(admin, topic).items() >= expected.items())
    change = {"retention.ms": (AlterConfigOp.DELETE, None), "cleanup.policy": (AlterConfigOp.SUBTRACT, "delete")}
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, change)], incremental=True)
    eventually(lambda: "retention.ms" not in configs_of(admin, topic))
    assert configs_of(admin, topic)["cleanup.policy"] == "compact"
    assert configs_of(admin, topic, "all")["retention.ms"] == "604800000"


@pytest.mark.api("AlterConfigs", "DescribeConfigs")
def test_configs_replaced_as_a_whole(admin: KafkaAdminClient, topic: str) -> None:
    create_with(admin, topic, {"retention.ms": "1000000", "segment.bytes": "2000000"})
    change = ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "2000000"})
    done = admin.alter_configs([change], incremental=False)
    assert done == {"topic": {topic: "OK"}}
    eventually(lambda: configs_of(admin, topic)["retention.ms"] == "2000000")
    assert configs_of(admin, topic)["segment.bytes"] == "2000000"  # the client resends what it does not change


@pytest.mark.api("DescribeConfigs")
def test_config_entries_carry_type_source_and_synonyms(admin: KafkaAdminClient, topic: str) -> None:
    create_with(admin, topic, {"retention.ms": "1000000"})
    resource = ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": None, "cleanup.policy": None})
    found = admin.describe_configs([resource], include_synonyms=True, config_filter="all")["topic"][topic]
    assert set(found) == {"retention.ms", "cleanup.policy"}
    entry = found["retention.ms"]
    assert (entry["config_type"], entry["config_source"]) == ("LONG", "DYNAMIC_TOPIC_CONFIG")
    first = entry["synonyms"][0]
    assert (first["name"], first["value"], first["source"]) == ("retention.ms", "1000000", "DYNAMIC_TOPIC_CONFIG")
    policy = found["cleanup.policy"]
    assert (policy["config_type"], policy["config_source"]) == ("LIST", "DEFAULT_CONFIG")
    assert (entry["read_only"], entry["is_sensitive"]) == (False, False)


@pytest.mark.since("4.1", "resources other than client metrics cannot be listed")
@pytest.mark.api("DescribeConfigs")
def test_broker_configs_and_resources(admin: KafkaAdminClient, topic: str) -> None:
    node = admin.describe_cluster()["brokers"][0]["broker_id"]
    resource = ConfigResource(ConfigResourceType.BROKER, str(node))
    found = admin.describe_configs([resource], config_filter="all")["broker"][str(node)]
    assert found["node.id"]["value"] == str(node)
    assert found["node.id"]["read_only"] is True
    assert found["log.retention.ms"]["config_type"] == "LONG"
    admin.create_topics([topic])
    eventually(lambda: topic in admin.list_config_resources(["TOPIC"])["topic"])


@pytest.mark.api("Metadata")
def test_describe_cluster(admin: KafkaAdminClient, broker: Broker) -> None:
    cluster = admin.describe_cluster()
    assert cluster["cluster_id"]
    addresses = {f"{node['host']}:{node['port']}" for node in cluster["brokers"]}
    ports = {address.rpartition(":")[2] for address in broker.bootstrap_servers.split(",")}
    assert {address.rpartition(":")[2] for address in addresses} == ports
    assert cluster["controller_id"] in {node["broker_id"] for node in cluster["brokers"]}


@pytest.mark.api("DeleteRecords")
def test_delete_records(admin: KafkaAdminClient, producer: Make, consumer: Read, topic: str) -> None:
    part = filled(producer, topic, 10)
    assert admin.delete_records({part: 4})[part]["low_watermark"] == 4
    assert admin.list_partition_offsets({part: OffsetSpec.EARLIEST})[part].offset == 4
    reader = consumer(topic)
    assert [record.offset for record in read(reader, 6)] == [4, 5, 6, 7, 8, 9]
    assert admin.delete_records({part: -1})[part]["low_watermark"] == 10


@pytest.mark.api("ListOffsets")
def test_list_offsets(admin: KafkaAdminClient, producer: Make, topic: str) -> None:
    part = filled(producer, topic, 10)

    def offset(spec: OffsetSpec | OffsetTimestamp) -> int:
        return int(admin.list_partition_offsets({part: spec})[part].offset)

    assert offset(OffsetSpec.EARLIEST) == 0
    assert offset(OffsetSpec.LATEST) == 10
    assert offset(OffsetSpec.MAX_TIMESTAMP) == 9
    assert offset(OffsetTimestamp(1_700_000_000_005)) == 5
    assert offset(OffsetSpec.EARLIEST_LOCAL) == 0


@pytest.mark.api("ListGroups", "DescribeGroups", "DeleteGroups")
def test_groups_listed_described_deleted(
    admin: KafkaAdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    part = filled(producer, topic, 5)
    reader = consumer(topic, group_id=group, client_id="reader", **FAST_GROUP)
    read(reader, 5)
    reader.commit()
    listed = {entry["group_id"]: entry for entry in admin.list_groups()}[group]
    assert (listed["protocol_type"], listed["group_state"], listed["group_type"]) == ("consumer", "Stable", "classic")
    described = admin.describe_groups([group])[group]
    assert (described["error"], described["group_state"]) == (None, "Stable")
    assert described["protocol_data"] == "range"
    member = described["members"][0]
    assert member["client_id"] == "reader"
    assert member["member_id"].startswith("reader-")
    assert group in {entry["group_id"] for entry in admin.list_groups(states_filter=["Stable"])}
    assert group not in {entry["group_id"] for entry in admin.list_groups(states_filter=["Empty"])}
    assert admin.delete_groups([group]) == {group: "NonEmptyGroupError"}
    reader.close()
    eventually(lambda: admin.describe_groups([group])[group]["group_state"] == "Empty")
    assert admin.list_group_offsets(group)[group][part].offset == 5
    assert admin.delete_groups([group]) == {group: "OK"}
    assert group not in {entry["group_id"] for entry in admin.list_groups()}


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_group_offsets_altered_and_reset(
    admin: KafkaAdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    part = filled(producer, topic, 10)
    assert admin.alter_group_offsets(group, {part: OffsetAndMetadata(3, "by hand", -1)}) == {part: NoError}
    assert admin.list_group_offsets(group)[group][part] == OffsetAndMetadata(3, "by hand", -1)
    assert admin.reset_group_offsets(group, {part: OffsetTimestamp(1_700_000_000_007)})[part]["offset"] == 7
    assert [record.offset for record in read(consumer(topic, group_id=group, **FAST_GROUP), 3)] == [7, 8, 9]


@pytest.mark.api("OffsetDelete")
def test_offset_delete_of_a_group_without_members(admin: KafkaAdminClient, topic: str, group: str) -> None:
    admin.create_topics([topic], wait_for_metadata=True)
    part = TopicPartition(topic, 0)
    admin.alter_group_offsets(group, {part: OffsetAndMetadata(0, "", -1)})
    assert admin.delete_group_offsets(group, [part]) == {part: NoError}
    assert part not in admin.list_group_offsets(group).get(group, {})


@pytest.mark.api("OffsetDelete")
def test_offset_delete_under_a_subscriber(
    admin: KafkaAdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    part = filled(producer, topic, 3)
    reader = consumer(topic, group_id=group, **FAST_GROUP)
    read(reader, 3)
    reader.commit()
    assert admin.delete_group_offsets(group, [part]) == {part: GroupSubscribedToTopicError}


@pytest.mark.api("DescribeLogDirs", "ApiVersions")
def test_log_dirs_and_features(admin: KafkaAdminClient, producer: Make, topic: str) -> None:
    filled(producer, topic, 100)
    dirs = admin.describe_log_dirs()
    sizes = [
        partition["partition_size"]
        for entry in dirs
        for log_dir in entry["log_dirs"]
        for found in log_dir["topics"]
        for partition in found["partitions"]
        if found["name"] == topic
    ]
    assert len(sizes) == 1
    assert sizes[0] > 100 * len("record-000000")
    features = admin.describe_features()
    assert "metadata.version" in str(features)


@pytest.mark.api("CreateTopics", "DeleteTopics")
@pytest.mark.parametrize("partitions", [1, 3])
def test_topic_can_be_made_again(admin: KafkaAdminClient, producer: Make, topic: str, partitions: int) -> None:
    admin.create_topics({topic: {"num_partitions": partitions}}, wait_for_metadata=True)
    filled(producer, topic, 5)
    first = admin.describe_topics([topic])[0]["topic_id"]
    admin.delete_topics([topic])
    eventually(lambda: topic not in admin.list_topics())
    admin.create_topics({topic: {"num_partitions": partitions}}, wait_for_metadata=True)
    assert admin.describe_topics([topic])[0]["topic_id"] != first
    part = TopicPartition(topic, 0)
    assert admin.list_partition_offsets({part: OffsetSpec.LATEST})[part].offset == 0
