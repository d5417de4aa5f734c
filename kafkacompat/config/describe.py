"""The entries of DescribeConfigs: each config's value, its source, and its synonyms.

Apache Kafka's order is that of a Java hash table, so no client relies on it; here entries are sorted by name.
"""

from __future__ import annotations

from kafkacompat.config.config_entry import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_CLIENT_METRICS,
    DYNAMIC_DEFAULT_BROKER,
    DYNAMIC_GROUP,
    DYNAMIC_TOPIC,
    STATIC_BROKER,
    ConfigEntry,
    is_sensitive,
)
from kafkacompat.config.definitions import (
    BROKER,
    BROKER_CONFIGS,
    CLIENT_METRICS,
    CLIENT_METRICS_CONFIGS,
    GROUP,
    GROUP_CONFIGS,
    TOPIC,
    TOPIC_CONFIGS,
    ConfigTable,
    broker_family,
    broker_key,
)
from kafkacompat.config.topic import inherited_value
from kafkacompat.config.values import TYPE_CHECKING, ConfigError, ConfigKey, format_value, parse_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.config_entry import Synonym


def describe_broker(config: BrokerConfig, names: Collection[str] | None = None) -> list[ConfigEntry]:
    """The configs of a broker (resource BROKER with its id): all except internal ones that are not set."""
    given = {*config.static, *config.cluster, *config.broker}
    known = [name for name in BROKER_CONFIGS if not BROKER_CONFIGS[name].internal]
    entries = []
    for name in _chosen({*known, *given}, names):
        key = broker_key(name)
        entries.append(
            ConfigEntry(
                name,
                _broker_value(config, name, key),
                key=key,
                scope=BROKER,
                read_only=name not in BROKER_CONFIGS or not BROKER_CONFIGS[name].dynamic,
                synonyms=broker_synonyms(config, name),
            )
        )
    return entries


def describe_cluster(config: BrokerConfig, names: Collection[str] | None = None) -> list[ConfigEntry]:
    """The dynamic configs of all brokers (resource BROKER with an empty name)."""
    entries = []
    for name in _chosen(config.cluster, names):
        key = broker_key(name)
        text = config.cluster[name]
        entries.append(
            ConfigEntry(
                name,
                _printed(key, text),
                key=key,
                scope=BROKER,
                read_only=name not in BROKER_CONFIGS or not BROKER_CONFIGS[name].dynamic,
                synonyms=[(name, None if is_sensitive(key) else text, DYNAMIC_DEFAULT_BROKER)],
            )
        )
    return entries


def describe_topic(
    overrides: Mapping[str, str], broker: BrokerConfig, names: Collection[str] | None = None
) -> list[ConfigEntry]:
    """The configs of a topic, also for the response of CreateTopics. Topics share their inherited entries."""
    inherited = _inherited(broker)
    if not overrides and not names:
        return [entry for name, entry in inherited.items() if not TOPIC_CONFIGS[name].internal]
    entries = []
    for name in _listed(TOPIC_CONFIGS, overrides, names):
        entry = inherited[name]
        if name in overrides:
            key = TOPIC_CONFIGS[name]
            value = overrides[name] if key.internal else _printed(key, overrides[name])  # as in Kafka's ConfigHelper
            synonyms: list[Synonym] = [(name, value, DYNAMIC_TOPIC), *entry.synonyms]
            entry = ConfigEntry(name, value, key=key, scope=TOPIC, read_only=False, synonyms=synonyms)
        entries.append(entry)
    return entries


def _inherited(broker: BrokerConfig) -> dict[str, ConfigEntry]:
    """The entries of a topic without own configs, by name: made once for each BrokerConfig."""
    found = broker.topic_entries
    if found is None:
        found = broker.topic_entries = {}
        for name in sorted(TOPIC_CONFIGS):
            key = TOPIC_CONFIGS[name]
            synonyms = broker_synonyms(broker, key.synonyms[0][0]) if key.synonyms else []
            value = format_value(key, inherited_value(name, broker))
            found[name] = ConfigEntry(name, value, key=key, scope=TOPIC, read_only=False, synonyms=synonyms)
    return found


def describe_group(
    overrides: Mapping[str, str], broker: BrokerConfig, names: Collection[str] | None = None
) -> list[ConfigEntry]:
    """The configs of a group, which need not exist."""
    entries = []
    for name in _listed(GROUP_CONFIGS, overrides, names):
        key = GROUP_CONFIGS[name]
        if key.synonyms:
            fallback = key.synonyms[0][0]
            value = format_value(key, broker.get(fallback))
            synonyms = broker_synonyms(broker, fallback)
        else:
            value = key.default
            synonyms = [(name, value, DEFAULT)]
        if name in overrides:
            value = _printed(key, overrides[name])
            synonyms.insert(0, (name, value, DYNAMIC_GROUP))
        entries.append(ConfigEntry(name, value, key=key, scope=GROUP, read_only=False, synonyms=synonyms))
    return entries


def describe_client_metrics(overrides: Mapping[str, str], names: Collection[str] | None = None) -> list[ConfigEntry]:
    """The configs of a client metrics subscription, which fall back only to their defaults."""
    entries = []
    for name in _listed(CLIENT_METRICS_CONFIGS, overrides, names):
        key = CLIENT_METRICS_CONFIGS[name]
        value = _printed(key, overrides[name]) if name in overrides else key.default
        source = DYNAMIC_CLIENT_METRICS if name in overrides else DEFAULT
        entries.append(
            ConfigEntry(name, value, key=key, scope=CLIENT_METRICS, read_only=False, synonyms=[], default_source=source)
        )
    return entries


def broker_synonyms(config: BrokerConfig, name: str) -> list[Synonym]:
    """The synonyms of a broker config, the one in effect first (Kafka's configSynonyms).

    Entries before the first one with the config's own name are dropped: a config that is not set and has no default has
    no synonyms, although the same config in another unit may be set.
    """
    secret = is_sensitive(broker_key(name))
    family = broker_family(name)
    found: list[Synonym] = []
    layers = ((config.broker, DYNAMIC_BROKER), (config.cluster, DYNAMIC_DEFAULT_BROKER), (config.static, STATIC_BROKER))
    for layer, source in layers:
        found.extend((member, None if secret else layer[member], source) for member in family if member in layer)
    for member in family:
        key = BROKER_CONFIGS.get(member)
        if key is not None and key.default is not None:
            found.append((member, None if secret else key.default, DEFAULT))
    own = next((index for index, synonym in enumerate(found) if synonym[0] == name), len(found))
    return found[own:]


def _broker_value(config: BrokerConfig, name: str, key: ConfigKey | None) -> str | None:
    if key is None:
        return None
    if name in BROKER_CONFIGS:
        return format_value(key, config.get(name))
    text = config.text(name)
    return None if text is None else _printed(key, text)


def _printed(key: ConfigKey | None, text: str) -> str | None:
    if key is None:
        return None
    try:
        return format_value(key, parse_value(key, text))
    except ConfigError:
        return text


def _listed(table: ConfigTable, overrides: Mapping[str, str], names: Collection[str] | None) -> list[str]:
    return _chosen([name for name in table if not table[name].internal or name in overrides], names)


def _chosen(candidates: Iterable[str], names: Collection[str] | None) -> list[str]:
    """The candidates in `names`, sorted. None or an empty list means all, as in Kafka; unknown names are left out."""
    wanted = set(names or ())
    return sorted(name for name in candidates if not wanted or name in wanted)
