"""Validates changes of configs, for AlterConfigs, IncrementalAlterConfigs, CreateTopics and the start.

Each check raises ConfigError for an invalid change, with the error code for the client. As in Apache Kafka 4.3.1,
topics and groups answer INVALID_CONFIG, brokers INVALID_REQUEST.
"""

from __future__ import annotations

from kafkacompat.config.broker import alter_refusal
from kafkacompat.config.broker_rules import check_broker_rules
from kafkacompat.config.definitions import (
    BROKER_CONFIGS,
    GROUP_CONFIGS,
    TOPIC_CONFIGS,
    ConfigTable,
    broker_key,
    listener_base,
)
from kafkacompat.config.flags import CLUSTER_WIDE, PER_BROKER
from kafkacompat.config.topic import topic_value
from kafkacompat.config.values import (
    INVALID_REQUEST,
    LIST,
    TYPE_CHECKING,
    UNKNOWN_SERVER_ERROR,
    ConfigError,
    ConfigKey,
    parse_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.config.broker import BrokerConfig

# The wire codes of IncrementalAlterConfigs' config_operation.
SET = 0
DELETE = 1
APPEND = 2
SUBTRACT = 3

# Key stores and trust stores, which are dynamic per listener only: listener.name.<listener>.<config>.
_PER_LISTENER = frozenset(
    f"ssl.{name}"
    for name in (
        "key.password",
        "keystore.certificate.chain",
        "keystore.key",
        "keystore.location",
        "keystore.password",
        "keystore.type",
        "truststore.certificates",
        "truststore.location",
        "truststore.password",
        "truststore.type",
    )
)
# Listener configs that are dynamic cluster-wide, too.
_LISTENER_CLUSTER_WIDE = frozenset(("max.connection.creation.rate", "max.connections", "num.network.threads"))

# Thread pools may be resized by at most a factor of two at a time.
_THREAD_POOLS = (
    "background.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)


def check_topic_config(name: str, value: str | None) -> None:
    """One topic config; None takes it away, which may be done with any name."""
    _check(TOPIC_CONFIGS, "topic", name, value)


def check_topic_configs(overrides: Mapping[str, str], broker: BrokerConfig) -> None:
    """All configs of a topic as they would be, each one and together."""
    for name, value in overrides.items():
        check_topic_config(name, value)
    least = topic_value("min.compaction.lag.ms", overrides, broker)
    most = topic_value("max.compaction.lag.ms", overrides, broker)
    if isinstance(least, int) and isinstance(most, int) and least > most:
        raise ConfigError("min.compaction.lag.ms", str(least), f"it is more than max.compaction.lag.ms ({most})")
    if topic_value("remote.storage.enable", overrides, broker) is True:
        raise ConfigError("remote.storage.enable", "true", "this broker has no remote tier")


def check_group_config(name: str, value: str | None, broker: BrokerConfig | None = None) -> None:
    """Check one group config; with `broker` also the bounds that the broker's configuration sets."""
    _check(GROUP_CONFIGS, "group", name, value)
    if value is not None and broker is not None:
        _check_group_bounds(name, value, broker)


def check_group_configs(overrides: Mapping[str, str], broker: BrokerConfig) -> None:
    """Check all configs of a group after a change, each one and together."""
    for name, value in overrides.items():
        check_group_config(name, value, broker)
    for kind in ("consumer", "share", "streams"):
        session, heartbeat = (
            _group_value(f"{kind}.{setting}.ms", overrides, broker)
            for setting in ("session.timeout", "heartbeat.interval")
        )
        if session <= heartbeat:
            name = f"{kind}.session.timeout.ms"
            raise ConfigError(name, str(session), f"it has to be more than {kind}.heartbeat.interval.ms ({heartbeat})")


def _group_value(name: str, overrides: Mapping[str, str], broker: BrokerConfig) -> int:
    if name not in overrides:
        return broker.get_int(f"group.{name}")
    value = parse_value(GROUP_CONFIGS[name], overrides[name])
    assert isinstance(value, int)
    return value


def _check_group_bounds(name: str, text: str, broker: BrokerConfig) -> None:
    kind, _, setting = name.partition(".")
    value = parse_value(GROUP_CONFIGS[name], text)
    low, high = f"group.{kind}.min.{setting}", f"group.{kind}.max.{setting}"
    if name == "streams.num.standby.replicas":
        high = "group.streams.max.standby.replicas"
    if not isinstance(value, int):
        return
    if low in BROKER_CONFIGS and value < broker.get_int(low):
        raise ConfigError(name, text, f"it has to be at least {low} ({broker.get_int(low)})")
    if high in BROKER_CONFIGS and value > broker.get_int(high):
        raise ConfigError(name, text, f"it has to be at most {high} ({broker.get_int(high)})")


def _check(table: ConfigTable, kind: str, name: str, value: str | None) -> None:
    if value is None:
        return
    key = table.get(name)
    if key is None:
        raise ConfigError(name, value, f"there is no {kind} config of that name")
    parse_value(key, value)


def check_broker_config(name: str, value: str | None, per_broker: bool) -> None:
    """Check one dynamic broker config, for one broker or for all. Unknown names are accepted."""
    if value is None:
        return
    base = listener_base(name)
    key = broker_key(name)
    if base is not None:
        _check_listener_config(name, base, value, per_broker=per_broker)
    elif key is not None:
        _check_alterable(key, value, per_broker=per_broker)
    if key is not None:
        parse_value(key, value, INVALID_REQUEST)


def _check_listener_config(name: str, base: str, value: str, *, per_broker: bool) -> None:
    if not per_broker and base not in _LISTENER_CLUSTER_WIDE:
        raise alter_refusal(name, value, "it is altered for one broker, not for all: name the broker")


def _check_alterable(key: ConfigKey, value: str, *, per_broker: bool) -> None:
    if not key.dynamic & (CLUSTER_WIDE | PER_BROKER):
        raise alter_refusal(key.name, value, "it cannot be altered while the broker runs")
    if key.name in _PER_LISTENER:
        raise alter_refusal(key.name, value, f"it is altered for one listener: listener.name.<listener>.{key.name}")
    if not per_broker and key.dynamic == PER_BROKER:
        raise alter_refusal(key.name, value, "it is altered for one broker, not for all: name the broker")


def check_broker_change(old: BrokerConfig, new: BrokerConfig) -> None:
    """Check the rules for changes of a running broker that go beyond the limits of each value."""
    check_broker_rules(new, INVALID_REQUEST)
    for name in _THREAD_POOLS:
        before, after = old.get_int(name), new.get_int(name)
        if after > 2 * before or 2 * after < before:
            raise alter_refusal(name, str(after), f"a running broker changes it from {before} by a factor of 2 at most")
    before, after = old.get_int("log.cleaner.threads"), new.get_int("log.cleaner.threads")
    if after < 1 or (after > 2 * before or 2 * after < before):
        raise alter_refusal("log.cleaner.threads", str(after), f"it changes from {before} by a factor of 2 at most")


def apply_operation(
    key: ConfigKey | None, name: str, base: str | None, operation: int, value: str | None
) -> str | None:
    """The text of a config after an operation of IncrementalAlterConfigs; None if it is removed.

    `base` is the text in effect before: the resource's own, or its fallback. List items are compared without trimming
    (as in Kafka: "0:1" and " 0:1" differ).
    """
    if operation == DELETE:
        return None
    if operation not in (SET, APPEND, SUBTRACT):
        raise ConfigError(name, value, f"there is no operation {operation}", UNKNOWN_SERVER_ERROR)
    if value is None:
        raise ConfigError(name, value, "a value is needed", INVALID_REQUEST)
    if operation == SET:
        return value
    if key is None or key.type != LIST:
        verb = "append to" if operation == APPEND else "subtract from"
        raise ConfigError(name, value, f"it is not a list that one could {verb}")
    items = [item for item in (base or "").split(",") if item]
    return ",".join(_appended(items, _split(value)) if operation == APPEND else _subtracted(items, _split(value)))


def _appended(items: list[str], others: list[str]) -> list[str]:
    """The items, and those others that are not among them, each once."""
    known = set(items)
    return items + [item for item in dict.fromkeys(others) if item not in known]


def _subtracted(items: list[str], others: list[str]) -> list[str]:
    """The items that are left when each of the others has removed the first one that is like it."""
    counts: dict[str, int] = {}
    for item in others:
        counts[item] = counts.get(item, 0) + 1
    left = []
    for item in items:
        if counts.get(item):
            counts[item] -= 1
        else:
            left.append(item)
    return left


def _split(value: str) -> list[str]:
    """As Java's String.split: without empty items at the end, but an empty text is one."""
    return value.rstrip(",").split(",") if value.strip(",") or not value else []
