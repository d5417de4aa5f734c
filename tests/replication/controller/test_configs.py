"""AlterConfigs and IncrementalAlterConfigs: the answers and the records of Apache Kafka 4.3.1."""

import pytest

from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord, PartitionChangeRecord
from kafkacompat.protocol.messages import alter_configs as legacy
from kafkacompat.protocol.messages import incremental_alter_configs as incremental
from kafkacompat.replication.controller.configs import alter_configs, incremental_alter_configs
from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
from tests.replication.quorum_world import after, image_with, settings

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def world(partition: PartitionImage | None = None, **configs: str) -> MetadataImage:
    found = TopicImage("a", bytes(16), (partition or PartitionImage((1,), (1,), 1),))
    own = {key.replace("_", "."): value for key, value in configs.items()}
    return image_with(
        1, 2, topics={"a": found}, topics_by_id={found.topic_id: found}, configs={(TOPIC, "a"): own} if own else {}
    )


def increment(image: MetadataImage, *resources: tuple, validate_only: bool = False):
    given = [
        incremental.AlterConfigsResource(
            kind, name, [incremental.AlterableConfig(key, op, value) for key, op, value in ops]
        )
        for kind, name, ops in resources
    ]
    result = incremental_alter_configs(
        incremental.IncrementalAlterConfigsRequest(given, validate_only=validate_only), image, settings()
    )
    return [(each.resource_type, each.resource_name, each.error_code) for each in result.response.responses], result


def replace(image: MetadataImage, *resources: tuple, validate_only: bool = False):
    given = [
        legacy.AlterConfigsResource(kind, name, [legacy.AlterableConfig(key, value) for key, value in configs])
        for kind, name, configs in resources
    ]
    result = alter_configs(legacy.AlterConfigsRequest(given, validate_only=validate_only), image, settings())
    return [(each.resource_type, each.resource_name, each.error_code) for each in result.response.responses], result


@pytest.mark.parametrize(
    ("operation", "error_code", "records"),
    [
        ((TOPIC, "a", [("retention.ms", SET, "9")]), 0, ["9"]),
        ((TOPIC, "a", [("retention.ms", SET, "99")]), 0, []),
        ((TOPIC, "a", [("retention.ms", DELETE, None)]), 0, [None]),
        ((TOPIC, "a", [("segment.ms", DELETE, None)]), 0, []),
        ((TOPIC, "a", [("foo", DELETE, None)]), 0, []),
        ((TOPIC, "a", [("cleanup.policy", APPEND, "compact")]), 0, ["delete,compact"]),
        ((TOPIC, "a", [("cleanup.policy", SUBTRACT, "delete")]), 0, [""]),
        ((TOPIC, "a", [("cleanup.policy", SUBTRACT, "compact")]), 0, ["delete"]),
        ((TOPIC, "a", [("retention.ms", APPEND, "1")]), 40, []),
        ((TOPIC, "a", [("foo", SUBTRACT, "1")]), 40, []),
        ((TOPIC, "a", [("cleanup.policy", APPEND, "zzz")]), 40, []),
        ((TOPIC, "a", [("foo", SET, "1")]), 40, []),
        ((TOPIC, "a", [("retention.ms", SET, "x")]), 40, []),
        ((TOPIC, "a", [("retention.ms", SET, None)]), 42, []),
        ((TOPIC, "a", [("retention.ms", SET, "1"), ("retention.ms", SET, "2")]), 42, []),
        ((TOPIC, "nope", [("retention.ms", SET, "1")]), 3, []),
        ((TOPIC, "nope", [("retention.ms", SET, "x")]), 40, []),
        ((TOPIC, "", [("retention.ms", SET, "1")]), 42, []),
        ((TOPIC, "a b", [("retention.ms", SET, "1")]), 17, []),
        ((TOPIC, "a", []), 0, []),
        ((0, "a", [("x", SET, "1")]), 42, []),
        ((77, "a", [("x", SET, "1")]), 42, []),
        ((BROKER_LOGGER, "1", [("x", SET, "INFO")]), 42, []),
        ((BROKER, "", [("log.retention.ms", SET, "100000")]), 0, ["100000"]),
        ((BROKER, "1", [("log.cleaner.threads", SET, "1")]), 0, ["1"]),
        ((BROKER, "2", [("log.cleaner.threads", SET, "1")]), 42, []),
        ((BROKER, "x", [("log.cleaner.threads", SET, "1")]), 42, []),
        ((BROKER, "-1", [("log.cleaner.threads", SET, "1")]), 42, []),
        ((BROKER, "", [("node.id", SET, "5")]), 42, []),
        ((BROKER, "", [("listeners", SET, "PLAINTEXT://:1")]), 42, []),
        ((BROKER, "", [("foo.bar", SET, "5")]), 0, ["5"]),
        ((BROKER, "", [("log.retention.ms", SET, "x")]), 42, []),
        ((BROKER, "", [("log.retention.ms", DELETE, None)]), 0, [None]),
        ((BROKER, "", [("min.insync.replicas", SET, "1")]), 0, ["1"]),
        ((BROKER, "1", [("min.insync.replicas", SET, "1")]), 40, []),
        ((BROKER, "", [("min.insync.replicas", DELETE, None)]), 40, []),
        ((BROKER, "", [("min.insync.replicas", DELETE, None), ("broker.rack", SET, "a")]), 42, []),
        ((BROKER, "1", [("min.insync.replicas", SET, "0")]), 42, []),
        ((GROUP, "g", [("consumer.session.timeout.ms", SET, "46000")]), 0, ["46000"]),
        ((GROUP, "", [("consumer.session.timeout.ms", SET, "46000")]), 42, []),
        ((GROUP, "g", [("foo", SET, "1")]), 40, []),
        ((GROUP, "g", [("consumer.session.timeout.ms", SET, "1")]), 40, []),
        ((CLIENT_METRICS, "s", [("metrics", SET, "*"), ("interval.ms", SET, "1000")]), 0, ["*", "1000"]),
        ((CLIENT_METRICS, "s", [("foo", SET, "1")]), 42, []),
        ((CLIENT_METRICS, "", [("metrics", SET, "*")]), 42, []),
        ((CLIENT_METRICS, "s", [("interval.ms", SET, "1")]), 42, []),
        ((CLIENT_METRICS, "s", [("interval.ms", SET, "x")]), 40, []),
        ((CLIENT_METRICS, "s", [("match", SET, "client_id=a.*,client_software_name=b")]), 0, None),
        ((CLIENT_METRICS, "s", [("match", SET, "color=red")]), 40, []),
        ((CLIENT_METRICS, "s", [("match", SET, "client_id=(")]), 40, []),
    ],
)
def test_increments_as_apache_kafka_answers(operation: tuple, error_code: int, records: list | None) -> None:
    outcome, result = increment(world(retention_ms="99"), operation)
    assert outcome == [(operation[0], operation[1], error_code)]
    if records is not None:
        assert [record.value for record in result.records] == records
    assert all((record.resource_type, record.resource_name) == operation[:2] for record in result.records)
    message = result.response.responses[0].error_message
    assert (message is None) == (error_code == 0)


@pytest.mark.parametrize(("level", "error_code"), [(29, 40), (30, 0)])
def test_directories_are_cordoned_from_4_3_on(level: int, error_code: int) -> None:
    image = world().but(features={"metadata.version": level})
    outcome, result = increment(image, (BROKER, "1", [("cordoned.log.dirs", SET, "*")]))
    assert outcome[0][2] == error_code
    assert bool(result.records) is (error_code == 0)


def test_unknown_operation_is_refused() -> None:
    outcome, result = increment(world(), (TOPIC, "a", [("retention.ms", 9, "1")]))
    assert outcome[0][2] == -1
    assert result.records == []


def test_resources_fail_alone_and_twice_named_ones_both() -> None:
    twice = (TOPIC, "a", [("retention.ms", SET, "1")])
    outcome, result = increment(world(), twice, (BROKER, "", [("log.retention.ms", SET, "7")]), twice)
    assert outcome == [(TOPIC, "a", 42), (BROKER, "", 0), (TOPIC, "a", 42)]
    assert result.records == [ConfigRecord(BROKER, "", "log.retention.ms", "7")]
    assert increment(world(), twice, validate_only=True)[1].records == []
    assert replace(world(), (TOPIC, "a", []), (TOPIC, "a", []))[0] == [(TOPIC, "a", 42)] * 2


def test_replacing_removes_what_is_not_named() -> None:
    image = world(retention_ms="1", segment_ms="2")
    outcome, result = replace(image, (TOPIC, "a", [("retention.ms", "1"), ("flush.ms", "3")]))
    assert outcome == [(TOPIC, "a", 0)]
    assert after(image, result.records).configs == {(TOPIC, "a"): {"retention.ms": "1", "flush.ms": "3"}}
    assert len(result.records) == 2
    assert replace(image, (TOPIC, "a", []), validate_only=True)[1].records == []
    assert after(image, replace(image, (TOPIC, "a", []))[1].records).configs == {}


@pytest.mark.parametrize(
    ("resource", "error_code"),
    [
        ((TOPIC, "a", [("retention.ms", None)]), 42),
        ((TOPIC, "a", [("retention.ms", "1"), ("retention.ms", "1")]), 42),
        ((TOPIC, "a", [("foo", "1")]), 40),
        ((TOPIC, "nope", []), 3),
        ((BROKER_LOGGER, "1", []), 42),
        ((99, "1", []), 42),
        ((BROKER, "1", [("node.id", "5000")]), 42),
        ((BROKER, "1", []), 0),
    ],
)
def test_replacements_as_apache_kafka_answers(resource: tuple, error_code: int) -> None:
    assert replace(world(), resource)[0] == [(*resource[:2], error_code)]


@pytest.mark.parametrize("resource", [(TOPIC, "a"), (BROKER, "")])
def test_a_new_minimum_changes_who_is_eligible_in_the_same_batch(resource: tuple[int, str]) -> None:
    image = world(PartitionImage((1, 2), (1,), 1, elr=()), min_insync_replicas="1")
    if resource[0] == BROKER:
        image = image.but(configs={})
    raised = increment(image, (*resource, [("min.insync.replicas", SET, "2")]))[1].records
    assert raised[1:] == [PartitionChangeRecord(0, bytes(16))], "the epoch moves even if nothing else does"
    image = after(image, raised)
    partition = image.topics["a"].partitions[0].but(elr=(2,))
    found = image.topics["a"].but(partitions=(partition,))
    image = image.but(topics={"a": found}, topics_by_id={found.topic_id: found})
    lowered = increment(image, (*resource, [("min.insync.replicas", SET, "1")]))[1].records
    assert lowered[1:] == [PartitionChangeRecord(0, bytes(16), eligible_leader_replicas=[])]


def test_a_minimum_above_the_replication_factor_changes_nothing_for_a_partition() -> None:
    assert len(increment(world(), (TOPIC, "a", [("min.insync.replicas", SET, "2")]))[1].records) == 1


def test_altered_broker_configs_count_at_once() -> None:
    image = after(world(), increment(world(), (BROKER, "", [("delete.topic.enable", SET, "false")]))[1].records)
    assert image.configs == {} or image.configs == {(BROKER, ""): {"delete.topic.enable": "false"}}
    image = after(world(), increment(world(), (BROKER, "", [("log.retention.ms", SET, "7")]))[1].records)
    found = settings()
    assert found.broker_config(image).get_int("log.retention.ms") == 7
    assert found.broker_config(image) is found.broker_config(image.but(offset=99))
    assert found.topic_value(image, "a", "retention.ms") == 7


@pytest.mark.parametrize(
    ("name", "of_any_broker", "of_this_node"),
    [
        ("", None, None),
        ("1", None, None),
        ("2", None, "Unexpected broker id, expected 1, but received 2"),
        ("01", None, None),
        ("-1", "Invalid negative broker ID.", "Unexpected broker id, expected 1, but received -1"),
        ("1_0", "Unable to parse broker name as a base 10 number.", "Node id must be an integer, but it is: 1_0"),
        (" 1", "Unable to parse broker name as a base 10 number.", "Node id must be an integer, but it is:  1"),
        (
            "4294967297",
            "Unable to parse broker name as a base 10 number.",
            "Node id must be an integer, but it is: 4294967297",
        ),
    ],
)  # fmt: skip
def test_which_brokers_a_broker_and_a_controller_take_configs_of(name, of_any_broker, of_this_node):
    for any_broker, message in ((True, of_any_broker), (False, of_this_node)):
        request = incremental.IncrementalAlterConfigsRequest(
            [
                incremental.AlterConfigsResource(
                    BROKER, name, [incremental.AlterableConfig("log.cleaner.backoff.ms", SET, "9")]
                )
            ]
        )
        (answer,) = incremental_alter_configs(request, world(), settings(), any_broker=any_broker).response.responses
        assert answer.error_message == message
        assert (answer.error_code == 0) is (message is None)
