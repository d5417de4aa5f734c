from typing import Any

import pytest

from kafkacompat.config import BrokerConfig, ConfigError, TopicConfig, development_defaults, topic
from kafkacompat.config.definitions import (
    BROKER_CONFIGS,
    GROUP_CONFIGS,
    TOPIC_CONFIGS,
    broker_family,
    listener_base,
)


def test_defaults_are_kafkas(plain: BrokerConfig) -> None:
    assert plain.get("num.partitions") == 1
    assert plain.get_bool("auto.create.topics.enable")
    assert plain.get_int("socket.request.max.bytes") == 104857600
    assert plain.get_str("log.message.timestamp.type") == "CreateTime"
    assert plain.get_list("log.dirs") == ()
    assert plain.get("log.retention.ms") is None
    assert plain.source_of("num.partitions") == "default"
    with pytest.raises(KeyError):
        plain.get("nope")


def test_sources_go_before_each_other() -> None:
    development = development_defaults(1)
    config = BrokerConfig.from_sources({"num.partitions": "2"}, development=development)
    assert (config.get("num.partitions"), config.source_of("num.partitions")) == (2, "properties file")
    config = BrokerConfig.from_sources({"num.partitions": "2"}, {"num.partitions": "3"}, development)
    assert (config.get("num.partitions"), config.source_of("num.partitions")) == (3, "command line")
    delay = "group.initial.rebalance.delay.ms"
    assert (config.get(delay), config.source_of(delay)) == (0, "development default")
    assert BrokerConfig.from_sources({delay: "7"}, development=development).get(delay) == 7


def test_run_time_values_go_first_and_leave_the_old_config_alone() -> None:
    old = BrokerConfig.from_sources({"message.max.bytes": "1000"})
    new = old.with_dynamic({"message.max.bytes": "2000"}, {})
    own = new.with_dynamic({"message.max.bytes": "2000"}, {"message.max.bytes": "3000"})
    values = [(config.get("message.max.bytes"), config.source_of("message.max.bytes")) for config in (old, new, own)]
    assert values == [
        (1000, "properties file"),
        (2000, "altered for all brokers"),
        (3000, "altered for this broker"),
    ]
    assert own.with_dynamic({}, {}).get("message.max.bytes") == 1000


def test_a_run_time_value_that_does_not_fit_is_passed_over() -> None:
    config = BrokerConfig.from_sources({"message.max.bytes": "1000"}).with_dynamic({}, {"message.max.bytes": "many"})
    assert config.get("message.max.bytes") == 1000


@pytest.mark.parametrize(("name", "text"), [("num.partitions", "0"), ("listeners", ""), ("delete.topic.enable", "on")])
def test_a_start_with_a_value_that_does_not_fit_is_refused(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=name):
        BrokerConfig.from_sources({name: text})
    with pytest.raises(ConfigError, match=name):
        BrokerConfig.from_sources({}, {name: text})


def test_a_listeners_own_value_is_checked_too() -> None:
    with pytest.raises(ConfigError, match=r"listener\.name\.internal\.max\.connections"):
        BrokerConfig.from_sources({"listener.name.internal.max.connections": "x"})


@pytest.mark.parametrize("name", ["node.id", "broker.id"])
def test_node_id_and_broker_id_are_one(name: str) -> None:
    config = BrokerConfig.from_sources({name: "5"})
    assert (config.get("node.id"), config.get("broker.id")) == (5, 5)


@pytest.mark.parametrize(("brokers", "replicas", "min_isr"), [(1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 3, 2)])
def test_internal_topics_fit_the_number_of_brokers(brokers: int, replicas: int, min_isr: int) -> None:
    config = BrokerConfig.from_sources(development=development_defaults(brokers))
    assert config.get("offsets.topic.replication.factor") == replicas
    assert config.get("transaction.state.log.replication.factor") == replicas
    assert config.get("transaction.state.log.min.isr") == min_isr


@pytest.mark.parametrize(
    ("static", "dynamic", "retention_ms"),
    [
        ({}, {}, 604800000),
        ({"log.retention.hours": "1"}, {}, 3600000),
        ({"log.retention.hours": "1", "log.retention.minutes": "2"}, {}, 120000),
        ({"log.retention.hours": "1", "log.retention.ms": "3"}, {}, 3),
        ({"log.retention.hours": "-1"}, {}, -1),
        ({"log.retention.hours": "1"}, {"log.retention.ms": "4"}, 4),
    ],
)
def test_retention_in_three_units(static: dict[str, str], dynamic: dict[str, str], retention_ms: int) -> None:
    broker = BrokerConfig.from_sources(static).with_dynamic(dynamic, {})
    assert TopicConfig.resolve({}, broker).retention_ms == retention_ms
    assert TopicConfig.resolve({"retention.ms": "99"}, broker).retention_ms == 99


def test_a_topic_has_the_brokers_values_where_it_has_none() -> None:
    broker = BrokerConfig.from_sources(
        {
            "log.segment.bytes": "2097152",
            "log.roll.hours": "2",
            "log.flush.scheduler.interval.ms": "77",
            "message.max.bytes": "5000",
            "log.message.timestamp.type": "LogAppendTime",
            "log.preallocate": "true",
        }
    )
    topic = TopicConfig.resolve({"max.message.bytes": "6000", "cleanup.policy": "compact,delete"}, broker)
    assert topic.segment_bytes == 2097152
    assert topic.segment_ms == 7200000
    assert topic.flush_ms == 77
    assert topic.max_message_bytes == 6000
    assert topic.message_timestamp_type == "LogAppendTime"
    assert topic.preallocate
    assert topic.is_compacted
    assert topic.min_cleanable_dirty_ratio == 0.5


def test_a_small_segment_for_tests(plain: BrokerConfig) -> None:
    assert TopicConfig.resolve({"internal.segment.bytes": "100"}, plain).segment_bytes == 100


def test_a_topics_value_that_does_not_fit_is_passed_over(plain: BrokerConfig) -> None:
    assert TopicConfig.resolve({"retention.ms": "soon", "nope": "1"}, plain).retention_ms == 604800000


def test_a_topic_config_is_frozen_and_compares(plain: BrokerConfig) -> None:
    one, same = (TopicConfig.resolve({"flush.messages": "1"}, plain) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != TopicConfig.resolve({}, plain)
    with pytest.raises(AttributeError):
        one.flush_messages = 2


def test_what_topics_inherit_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    find = topic.inherited_value
    monkeypatch.setattr(topic, "inherited_value", lambda name, broker: (looked_up.append(name), find(name, broker))[1])
    broker = BrokerConfig.from_sources({"log.retention.ms": "5"})
    for overrides, retention_ms in (({}, 5), ({"retention.ms": "7"}, 7), ({"flush.ms": "1"}, 5)):
        assert TopicConfig.resolve(overrides, broker).retention_ms == retention_ms
    assert looked_up == list(TOPIC_CONFIGS)
    changed = broker.with_dynamic({"log.retention.ms": "9"}, {})
    assert TopicConfig.resolve({}, changed).retention_ms == 9


def test_every_attribute_that_is_promised_is_there(plain: BrokerConfig) -> None:
    topic = TopicConfig.resolve({}, plain)
    assert len(TopicConfig.__slots__) == len(TOPIC_CONFIGS) == 34
    for name in TopicConfig.__slots__:
        getattr(topic, name)


def test_what_stands_in_for_a_config() -> None:
    assert TOPIC_CONFIGS["retention.ms"].synonyms == (
        ("log.retention.ms", 1),
        ("log.retention.minutes", 60_000),
        ("log.retention.hours", 3_600_000),
    )
    for table in (TOPIC_CONFIGS, GROUP_CONFIGS):
        for name in table:
            for synonym, _ in table[name].synonyms:
                assert synonym in BROKER_CONFIGS
    assert broker_family("log.roll.hours") == ("log.roll.ms", "log.roll.hours")
    assert broker_family("listener.name.a.max.connections") == ("listener.name.a.max.connections", "max.connections")
    assert listener_base("listener.name.a") is None


def test_tables_name_each_config_once(kafka_facts: dict[str, Any]) -> None:
    assert set(kafka_facts["broker"]) <= set(BROKER_CONFIGS)
    assert len(BROKER_CONFIGS) == 365
    secret = {name for name in BROKER_CONFIGS if BROKER_CONFIGS[name].sensitive}
    assert secret == {name for name, row in kafka_facts["broker"].items() if row[3]}


def test_a_place_that_is_settled_again_keeps_what_was_parsed() -> None:
    config = BrokerConfig.from_sources({"message.max.bytes": "1000"})
    settled = config.at_place({"listeners": "PLAINTEXT://a:1"})
    assert config.at_place({"listeners": "PLAINTEXT://a:1"}) is settled
    other = config.at_place({"listeners": "PLAINTEXT://b:2"})
    assert (settled.text("listeners"), other.text("listeners")) == ("PLAINTEXT://a:1", "PLAINTEXT://b:2")
    assert settled.with_dynamic({}, {}) is settled
    changed = settled.with_dynamic({"message.max.bytes": "7"}, {})
    assert (changed.get("message.max.bytes"), settled.get("message.max.bytes")) == (7, 1000)
    assert settled.with_dynamic({"message.max.bytes": "7"}, {}) is changed
    assert settled.with_dynamic({"message.max.bytes": "8"}, {}).get("message.max.bytes") == 8
