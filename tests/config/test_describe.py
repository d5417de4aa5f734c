from typing import Any

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.config.config_entry import ConfigEntry
from kafkacompat.config.describe import (
    describe_broker,
    describe_client_metrics,
    describe_cluster,
    describe_group,
    describe_topic,
)


def _row(entry: ConfigEntry) -> list[Any]:
    synonyms = [list(synonym) for synonym in entry.synonyms]
    return [entry.type, entry.value, entry.read_only, entry.sensitive, entry.source, synonyms]


def _rows(entries: list[ConfigEntry]) -> dict[str, list[Any]]:
    return {entry.name: _row(entry) for entry in entries}


@pytest.fixture
def recorded(kafka_facts: dict[str, Any]) -> BrokerConfig:
    return BrokerConfig.from_sources(kafka_facts["static"]).with_dynamic(kafka_facts["cluster"], {})


def test_a_broker_is_described_as_kafka_does(recorded: BrokerConfig, kafka_facts: dict[str, Any]) -> None:
    described = _rows(describe_broker(recorded))
    assert len(described) == 340
    assert described == kafka_facts["broker"]


def test_a_topic_is_described_as_kafka_does(recorded: BrokerConfig, kafka_facts: dict[str, Any]) -> None:
    assert _rows(describe_topic({}, recorded)) == kafka_facts["topic"]


def test_a_group_is_described_as_kafka_does(recorded: BrokerConfig, kafka_facts: dict[str, Any]) -> None:
    assert _rows(describe_group({}, recorded)) == kafka_facts["group"]


def test_client_metrics_are_described_as_kafka_does(kafka_facts: dict[str, Any]) -> None:
    assert _rows(describe_client_metrics({})) == kafka_facts["client_metrics"]


# What Apache Kafka 4.3.1 answered after the static and run-time values below: (value, source, synonyms).
STATIC = {
    "log.retention.hours": "24",
    "log.roll.hours": "10",
    "log.roll.jitter.hours": "2",
    "log.flush.scheduler.interval.ms": "1234",
    "foo.bar": "1",
    "message.max.bytes": "+1500000",
    "ssl.keystore.password": "secret",
    "listener.name.plaintext.max.connections": "9",
    "max.connections": "20",
    "log.initial.task.delay.ms": "100",
}
BEFORE: dict[str, tuple[str | None, int, list[tuple[str, str | None, int]]]] = {
    "log.retention.ms": (None, 5, []),
    "log.retention.hours": ("24", 4, [("log.retention.hours", "24", 4), ("log.retention.hours", "168", 5)]),
    "log.flush.interval.ms": (None, 5, []),
    "log.initial.task.delay.ms": (
        "100",
        4,
        [("log.initial.task.delay.ms", "100", 4), ("log.initial.task.delay.ms", "30000", 5)],
    ),
    "message.max.bytes": (
        "1500000",
        4,
        [("message.max.bytes", "+1500000", 4), ("message.max.bytes", "1048588", 5)],
    ),
    "foo.bar": (None, 4, [("foo.bar", None, 4)]),
    "ssl.keystore.password": (None, 4, [("ssl.keystore.password", None, 4)]),
    "listener.name.plaintext.max.connections": (
        "9",
        4,
        [
            ("listener.name.plaintext.max.connections", "9", 4),
            ("max.connections", "20", 4),
            ("max.connections", "2147483647", 5),
        ],
    ),
}
AFTER: dict[str, tuple[str | None, int, list[tuple[str, str | None, int]]]] = {
    "log.retention.ms": (
        "66",
        2,
        [
            ("log.retention.ms", "66", 2),
            ("log.retention.ms", "77", 3),
            ("log.retention.hours", "24", 4),
            ("log.retention.hours", "168", 5),
        ],
    ),
    "log.retention.hours": ("168", 4, [("log.retention.hours", "24", 4), ("log.retention.hours", "168", 5)]),
    "log.retention.minutes": (None, 5, []),
    "log.roll.ms": (
        "88",
        3,
        [("log.roll.ms", "88", 3), ("log.roll.hours", "10", 4), ("log.roll.hours", "168", 5)],
    ),
    "nope": (None, 2, [("nope", None, 2)]),
    "leader.replication.throttled.rate": ("55", 2, [("leader.replication.throttled.rate", "55", 2)]),
}


@pytest.mark.parametrize("name", BEFORE)
def test_given_before_the_start(name: str) -> None:
    [entry] = describe_broker(BrokerConfig.from_sources(STATIC), [name])
    assert (entry.value, entry.source, entry.synonyms) == BEFORE[name]


@pytest.mark.parametrize("name", AFTER)
def test_altered_while_running(name: str) -> None:
    config = BrokerConfig.from_sources(STATIC).with_dynamic(
        {"log.retention.ms": "77", "log.roll.ms": "88"},
        {"log.retention.ms": "66", "nope": "zz", "leader.replication.throttled.rate": "55"},
    )
    [entry] = describe_broker(config, [name])
    assert (entry.value, entry.source, entry.synonyms) == AFTER[name]


def test_a_topic_shows_all_that_it_could_be() -> None:
    config = BrokerConfig.from_sources(STATIC).with_dynamic({"log.retention.ms": "77"}, {"log.retention.ms": "66"})
    [entry] = describe_topic({"retention.ms": " 1000 "}, config, ["retention.ms"])
    assert entry.value == "1000"
    assert entry.synonyms == [
        ("retention.ms", "1000", 1),
        ("log.retention.ms", "66", 2),
        ("log.retention.ms", "77", 3),
        ("log.retention.hours", "24", 4),
        ("log.retention.hours", "168", 5),
    ]


def test_a_topic_without_a_value_has_the_brokers_in_its_own_unit() -> None:
    values = {entry.name: entry.value for entry in describe_topic({}, BrokerConfig.from_sources(STATIC))}
    assert values["retention.ms"] == "86400000"
    assert values["segment.ms"] == "36000000"
    assert values["segment.jitter.ms"] == "7200000"
    assert values["flush.ms"] == "1234"
    assert values["max.message.bytes"] == "1500000"


def test_the_cluster_resource_has_what_is_set_for_all_brokers_only() -> None:
    config = BrokerConfig.from_sources(STATIC).with_dynamic({"log.roll.ms": "88"}, {"log.retention.ms": "66"})
    [entry] = describe_cluster(config)
    assert (entry.name, entry.value, entry.source, entry.read_only) == ("log.roll.ms", "88", 3, False)
    assert entry.synonyms == [("log.roll.ms", "88", 3)]


def test_a_group_shows_its_own_value_and_the_brokers(plain: BrokerConfig) -> None:
    overrides = {"consumer.session.timeout.ms": "50000", "share.isolation.level": "read_committed"}
    session, isolation = describe_group(overrides, plain, list(overrides))
    assert session.synonyms == [
        ("consumer.session.timeout.ms", "50000", 8),
        ("group.consumer.session.timeout.ms", "45000", 5),
    ]
    assert isolation.synonyms == [
        ("share.isolation.level", "read_committed", 8),
        ("share.isolation.level", "read_uncommitted", 5),
    ]


def test_names_that_are_not_known_or_internal_are_left_out(plain: BrokerConfig) -> None:
    assert describe_broker(plain, ["nope", "log.initial.task.delay.ms"]) == []
    assert describe_topic({}, plain, ["nope", "internal.segment.bytes"]) == []
    assert len(describe_broker(plain, [])) == 340
    [entry] = describe_topic({"internal.segment.bytes": "100"}, plain, ["internal.segment.bytes"])
    assert (entry.value, entry.synonyms) == ("100", [("internal.segment.bytes", "100", 1)])


def test_every_described_config_is_documented(plain: BrokerConfig) -> None:
    entries = [*describe_broker(plain), *describe_topic({}, plain), *describe_group({}, plain)]
    entries += describe_client_metrics({})
    assert [entry.name for entry in entries if not entry.documentation] == []
