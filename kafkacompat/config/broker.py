"""A broker's configuration: values from file, flags and dynamic configs, and the value in effect."""

from __future__ import annotations

from kafkacompat.config.definitions import BROKER_CONFIGS, broker_family, broker_key
from kafkacompat.config.values import (
    INVALID_REQUEST,
    TYPE_CHECKING,
    ConfigError,
    ConfigKey,
    parse_again,
    parse_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.config.config_entry import ConfigEntry
    from kafkacompat.config.values import ConfigValue

# Where a value comes from, as `kafkacompat config --explain` says it.
FROM_DEFAULT = "default"
FROM_DEVELOPMENT = "development default"
FROM_FILE = "properties file"
FROM_FLAG = "command line"
FROM_START = "settled at the start"
FROM_CLUSTER = "altered for all brokers"
FROM_BROKER = "altered for this broker"

_NOTHING: dict[str, str] = {}


def development_defaults(broker_count: int) -> dict[str, str]:
    """Defaults for development: no delay of a group's first rebalance, and internal topics that fit the cluster.

    Apache Kafka's container image has the same ones. The caller applies them when it starts brokers.
    """
    replicas = str(min(3, broker_count))
    min_isr = "1" if broker_count < 3 else "2"
    return {
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": min_isr,
        "share.coordinator.state.topic.replication.factor": replicas,
        "transaction.state.log.min.isr": min_isr,
        "transaction.state.log.replication.factor": replicas,
    }


class BrokerConfig:
    """A broker's configuration; immutable. `with_dynamic` makes a changed one.

    `static` has the values from the start, `cluster` and `broker` the dynamic ones, all as text.
    """

    __slots__ = (
        "_changed",
        "_dynamic",
        "_origins",
        "_texts",
        "_values",
        "broker",
        "cluster",
        "static",
        "topic_entries",
        "topic_values",
    )

    static: Mapping[str, str]
    cluster: Mapping[str, str]
    broker: Mapping[str, str]

    def __init__(
        self,
        origins: Mapping[str, tuple[str, str]],
        cluster: Mapping[str, str] = _NOTHING,
        broker: Mapping[str, str] = _NOTHING,
    ) -> None:
        self._origins = origins
        self.static = {name: text for name, (text, _) in origins.items()}
        self.cluster = cluster
        self.broker = broker
        self._texts = _effective_texts(self.static, cluster, broker)
        self._values: dict[str, ConfigValue] = {}
        self._changed: tuple[object, BrokerConfig] | None = None  # the last one of `at_place`
        self._dynamic: tuple[object, BrokerConfig] | None = None  # the last one of `with_dynamic`
        self.topic_entries: dict[str, ConfigEntry] | None = None  # see describe.describe_topic
        self.topic_values: dict[str, ConfigValue] | None = None  # see TopicConfig.resolve

    @classmethod
    def from_sources(
        cls,
        static: Mapping[str, str] = _NOTHING,
        cli: Mapping[str, str] = _NOTHING,
        development: Mapping[str, str] = _NOTHING,
    ) -> BrokerConfig:
        """Flags take precedence over the file, and that over the development defaults.

        node.id and broker.id mean the same: if one is given, the other gets its value. Raises ConfigError for the first
        known config, by name, with an invalid value.
        """
        origins = {name: (text, FROM_DEVELOPMENT) for name, text in development.items()}
        origins.update((name, (text, FROM_FILE)) for name, text in static.items())
        origins.update((name, (text, FROM_FLAG)) for name, text in cli.items())
        for name, other in (("node.id", "broker.id"), ("broker.id", "node.id")):
            if name in origins:
                origins.setdefault(other, origins[name])
        config = cls(origins)
        for name in sorted(origins):
            key = broker_key(name)
            if key is not None:
                parse_value(key, config.static[name])
        return config

    def at_place(self, settled: Mapping[str, str]) -> BrokerConfig:
        """The same configuration with values that the start has determined, such as a free port.

        A reset settles the same ones: it gets the same object, with all values that were parsed before.
        """
        if self._changed is None or self._changed[0] != settled:
            origins = {**self._origins, **{name: (text, FROM_START) for name, text in settled.items()}}
            self._changed = dict(settled), BrokerConfig(origins, self.cluster, self.broker)
        return self._changed[1]

    def with_dynamic(self, cluster: Mapping[str, str], broker: Mapping[str, str]) -> BrokerConfig:
        """The same configuration with other dynamic values: of all brokers, and of this one.

        With the same ones again it is the same object.
        """
        if self.cluster == cluster and self.broker == broker:
            return self
        wanted = dict(cluster), dict(broker)
        if self._dynamic is None or self._dynamic[0] != wanted:
            self._dynamic = wanted, BrokerConfig(self._origins, *wanted)
        return self._dynamic[1]

    def text(self, name: str) -> str | None:
        """The text in effect, which may be the default; None if there is neither."""
        text = self._texts.get(name)
        if text is None:
            key = BROKER_CONFIGS.get(name)
            return None if key is None else key.default
        return text

    def get(self, name: str) -> ConfigValue:
        """The typed value in effect. KeyError if no broker config has that name."""
        try:
            return self._values[name]
        except KeyError:
            value = self._values[name] = self._parse(BROKER_CONFIGS[name])
            return value

    def _parse(self, key: ConfigKey) -> ConfigValue:
        text = self._texts.get(key.name)
        if text is not None:
            try:
                return parse_again(key, text)
            except ConfigError:
                # Static values were checked at the start, so this one is from the metadata log. As in Kafka it is
                # ignored: an invalid value must not stop a broker.
                text = self.static.get(key.name)
        text = key.default if text is None else text
        return None if text is None else parse_again(key, text)

    def get_int(self, name: str) -> int:
        """`get` of an integer config with a default."""
        value = self.get(name)
        assert isinstance(value, int), name
        return value

    def get_bool(self, name: str) -> bool:
        """`get` of a boolean config."""
        value = self.get(name)
        assert isinstance(value, bool), name
        return value

    def get_str(self, name: str) -> str:
        """`get` of a text config with a default."""
        value = self.get(name)
        assert isinstance(value, str), name
        return value

    def get_list(self, name: str) -> tuple[str, ...]:
        """`get` of a list config; empty if it is not set."""
        value = self.get(name)
        assert value is None or isinstance(value, tuple), name
        return value or ()

    def source_of(self, name: str) -> str:
        """The source of the value in effect, in readable words."""
        if name in self.broker:
            return FROM_BROKER
        if name in self.cluster:
            return FROM_CLUSTER
        if name in self._origins and name in self._texts:
            return self._origins[name][1]
        return FROM_DEFAULT


def _effective_texts(
    static: Mapping[str, str], cluster: Mapping[str, str], broker: Mapping[str, str]
) -> dict[str, str]:
    """A dynamic value also overrides static values in other units, as in Kafka (log.retention.ms, .hours)."""
    texts = dict(static)
    for layer in (cluster, broker):
        for name in layer:
            for relative in broker_family(name):
                if relative != name and broker_family(relative) == broker_family(name):
                    texts.pop(relative, None)
        texts.update(layer)
    return texts


def alter_refusal(name: str, value: str | None, reason: str) -> ConfigError:
    """The error of a refused change of a broker config: INVALID_REQUEST (that of a topic config is INVALID_CONFIG)."""
    return ConfigError(name, value, reason, INVALID_REQUEST)
