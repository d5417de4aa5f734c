from typing import Any

import pytest

from kafkacompat.config import BrokerConfig, ConfigError, TopicConfig
from kafkacompat.config.alter import (
    APPEND,
    DELETE,
    SET,
    SUBTRACT,
    _appended,
    _subtracted,
    apply_operation,
    check_broker_change,
    check_broker_config,
    check_group_config,
    check_group_configs,
    check_topic_config,
    check_topic_configs,
)
from kafkacompat.config.broker_rules import check_broker_rules
from kafkacompat.config.definitions import GROUP_CONFIGS, TOPIC_CONFIGS, broker_key
from kafkacompat.errors import StartupError
from kafkacompat.server.settings import broker_config, checked_settings
from tests.comparisons import Comparisons

TOPIC_RESOURCE, BROKER_RESOURCE, GROUP_RESOURCE = 2, 4, 32


def _answer(broker: BrokerConfig, resource_type: int, resource: str, name: str, operation: int, value: Any) -> int:
    """The error code of an alteration of one config on a resource that has none."""
    tables = {TOPIC_RESOURCE: TOPIC_CONFIGS.get, BROKER_RESOURCE: broker_key, GROUP_RESOURCE: GROUP_CONFIGS.get}
    key = tables[resource_type](name)
    try:
        text = apply_operation(key, name, None if key is None else key.default, operation, value)
        overrides = {} if text is None else {name: text}
        if resource_type == TOPIC_RESOURCE:
            check_topic_configs(overrides, broker)
        elif resource_type == GROUP_RESOURCE:
            check_group_configs(overrides, broker)
        else:
            check_broker_config(name, text, per_broker=bool(resource))
            layers = ({}, overrides) if resource else (overrides, {})
            check_broker_change(broker, broker.with_dynamic(*layers))
    except ConfigError as why:
        return why.error_code
    return 0


def test_alterations_are_answered_as_kafka_does(kafka_facts: dict[str, Any]) -> None:
    broker = BrokerConfig.from_sources(kafka_facts["static"])
    assert len(kafka_facts["alterations"]) == 200
    wrong = {}
    for resource_type, resource, name, operation, value, code in kafka_facts["alterations"]:
        if (name, resource, code) == ("min.insync.replicas", "1", 40):
            continue  # refused because of the feature eligible.leader.replicas.version: the controller's to know
        answer = _answer(broker, resource_type, resource, name, operation, value)
        if answer != code:
            wrong[resource_type, resource, name, operation, value] = (answer, code)
    assert wrong == {}


def test_every_broker_config_is_altered_where_kafka_lets_it(kafka_facts: dict[str, Any]) -> None:
    per_broker = set(kafka_facts["dynamic_per_broker"])
    dynamic = per_broker | set(kafka_facts["dynamic_cluster_wide"])
    for name in kafka_facts["broker"]:
        key = broker_key(name)
        assert key is not None
        assert bool(key.dynamic) == (name in dynamic), name
        if name.startswith("ssl.") or key.default is None:
            continue
        for one_broker in (True, False):
            allowed = name in dynamic and (one_broker or name not in per_broker)
            if allowed:
                check_broker_config(name, key.default, per_broker=one_broker)
                continue
            with pytest.raises(ConfigError) as caught:
                check_broker_config(name, key.default, per_broker=one_broker)
            assert (caught.value.name, caught.value.error_code) == (name, 42)


def test_key_stores_are_altered_for_one_listener_at_a_time() -> None:
    with pytest.raises(ConfigError, match="listener"):
        check_broker_config("ssl.keystore.password", "x", per_broker=True)
    check_broker_config("listener.name.plaintext.ssl.keystore.password", "x", per_broker=True)
    with pytest.raises(ConfigError, match="name the broker"):
        check_broker_config("listener.name.plaintext.ssl.keystore.password", "x", per_broker=False)


def test_taking_away_needs_no_known_name() -> None:
    check_topic_config("nope", None)
    check_broker_config("num.partitions", None, per_broker=True)
    check_group_config("nope", None)


def test_configs_that_contradict_each_other(plain: BrokerConfig) -> None:
    with pytest.raises(ConfigError, match=r"max\.compaction\.lag\.ms") as caught:
        check_topic_configs({"min.compaction.lag.ms": "100", "max.compaction.lag.ms": "50"}, plain)
    assert caught.value.error_code == 40
    slow = BrokerConfig.from_sources({"group.consumer.max.heartbeat.interval.ms": "60000"})
    with pytest.raises(ConfigError, match="heartbeat"):
        check_group_configs({"consumer.heartbeat.interval.ms": "50000"}, slow)


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [
        ("log.roll.ms", "0", {}),
        ("log.roll.jitter.ms", "-1", {}),
        ("log.retention.ms", "0", {"log.retention.hours": "1"}),
        ("log.retention.minutes", "0", {}),
        ("log.retention.hours", "0", {}),
        ("log.cleaner.dedupe.buffer.size", "5", {}),
        ("log.cleaner.dedupe.buffer.size", str(1 << 20), {}),
        ("log.cleaner.dedupe.buffer.size", str((2 << 20) + 1), {"log.cleaner.threads": "2"}),
        ("group.min.session.timeout.ms", "1800001", {}),
        ("cordoned.log.dirs", "/elsewhere", {}),
        ("cordoned.log.dirs", "*,/here", {"log.dirs": "/here"}),
    ],
)
def test_a_broker_that_could_not_work(name: str, text: str, others: dict[str, str]) -> None:
    """It is neither made nor started; Apache Kafka 4.3.1 refuses the same (``KafkaConfig.validateValues``)."""
    file = {name: text, **others}
    with pytest.raises(ConfigError, match=name):
        check_broker_rules(BrokerConfig.from_sources(file))
    with pytest.raises(StartupError, match=f"^{name}=[^\\n]*: [^\\n]*$"):
        broker_config({}, file)
    with pytest.raises(StartupError, match=f"^{name}="):
        checked_settings({}, file, ())


@pytest.mark.parametrize(
    "file",
    [
        {},
        {"log.retention.hours": "0", "log.retention.minutes": "0", "log.retention.ms": "1"},
        {"log.retention.ms": "-1"},
        {"log.roll.ms": "1", "log.roll.jitter.ms": "0"},
        {"log.cleaner.dedupe.buffer.size": str((1 << 20) + 1)},
        {"cordoned.log.dirs": "*"},
        {"cordoned.log.dirs": "/here", "log.dirs": "/here,/there"},
    ],
)
def test_a_broker_that_can_work(file: dict[str, str]) -> None:
    assert broker_config({}, file)[0].static.items() >= file.items()


def test_a_controller_has_no_cordoned_directories() -> None:
    check_broker_rules(BrokerConfig.from_sources({"cordoned.log.dirs": "/elsewhere", "process.roles": "controller"}))


# Seen at Apache Kafka 4.3.1: (what stands, operation, value, what a topic then has).
OPERATIONS = [
    ("cleanup.policy", "delete", APPEND, "delete,compact,compact", ("delete", "compact")),
    ("cleanup.policy", "delete,compact,compact", SUBTRACT, "compact", ("delete", "compact")),
    ("cleanup.policy", "delete", SUBTRACT, "delete", ()),
    ("cleanup.policy", "delete", SUBTRACT, "compact", ("delete",)),
    ("cleanup.policy", "compact", SET, " delete , compact ", ("delete", "compact")),
    ("cleanup.policy", "compact", DELETE, None, ("delete",)),
    ("leader.replication.throttled.replicas", "", APPEND, "0:1", ("0:1",)),
    ("leader.replication.throttled.replicas", "0:1", APPEND, "1:1, 0:1", ("0:1", "1:1", "0:1")),
    ("leader.replication.throttled.replicas", "0:1,1:1, 0:1", SUBTRACT, "0:1", ("1:1", "0:1")),
    ("leader.replication.throttled.replicas", ",0:1,,1:1,", APPEND, ",2:1,,", ("0:1", "1:1", "", "2:1")),
    ("cleanup.policy", "delete", APPEND, ",,", ("delete",)),
]


@pytest.mark.parametrize(("name", "base", "operation", "value", "result"), OPERATIONS)
def test_operations(
    name: str, base: str, operation: int, value: str | None, result: tuple[str, ...], plain: BrokerConfig
) -> None:
    text = apply_operation(TOPIC_CONFIGS[name], name, base, operation, value)
    overrides = {} if text is None else {name: text}
    check_topic_configs(overrides, plain)
    assert getattr(TopicConfig.resolve(overrides, plain), name.replace(".", "_")) == result


def test_long_lists_are_appended_and_subtracted_without_comparing_each_with_each() -> None:
    compared = Comparisons(str)
    items: list[str] = [compared.value(f"{number}:1") for number in range(1_000)]
    others: list[str] = [compared.value(f"{number}:1") for number in range(999, 1_999)]
    assert _appended(items, others) == items + others[1:]
    assert _subtracted(items, others) == items[:-1]
    assert compared.count < 10_000


def test_appending_nothing_leaves_an_empty_item() -> None:
    text = apply_operation(TOPIC_CONFIGS["cleanup.policy"], "cleanup.policy", "delete", APPEND, "")
    with pytest.raises(ConfigError, match="empty"):
        check_topic_config("cleanup.policy", text)
