"""A broker's configuration: what was given by file, flag and at run time, and the value that follows from it."""

from __future__ import annotations

from kafkacompat.config.definitions import BROKER_CONFIGS, broker_family, broker_key
from kafkacompat.config.values import (
    INVALID_REQUEST,
    TYPE_CHECKING,
    ConfigError,
    ConfigKey,
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
    """What is set unless the user sets it: no wait before a group's first rebalance, and internal topics that fit.

    Apache Kafka's container image changes the same for development. Applied by whoever starts brokers.
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
    """Immutable: altering configs makes a new one (`with_dynamic`).

    `static` is what was given before the start, `cluster` and `broker` what was set while running, all as text.
    """

    __slots__ = ("_origins", "_texts", "_values", "broker", "cluster", "static", "topic_entries")

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
        self.topic_entries: dict[str, ConfigEntry] | None = None  # see describe.describe_topic

    @classmethod
    def from_sources(
        cls,
        static: Mapping[str, str] = _NOTHING,
        cli: Mapping[str, str] = _NOTHING,
        development: Mapping[str, str] = _NOTHING,
    ) -> BrokerConfig:
        """The command line goes before the file, and that before the development defaults.

        node.id and broker.id are two names of one thing: where one is given, so is the other.
        ConfigError (of the first one, by name) if a known config has a value that it cannot have.
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
        """The same broker, saying where it runs: what only its start could settle, such as a port that was free."""
        return BrokerConfig(
            {**self._origins, **{name: (text, FROM_START) for name, text in settled.items()}}, self.cluster, self.broker
        )

    def with_dynamic(self, cluster: Mapping[str, str], broker: Mapping[str, str]) -> BrokerConfig:
        """The same broker with other run-time values: for all brokers, and for this one."""
        return BrokerConfig(self._origins, dict(cluster), dict(broker))

    def text(self, name: str) -> str | None:
        """The text in effect, or the default's; None if there is neither."""
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
                return parse_value(key, text)
            except ConfigError:
                # What was given before the start was checked then, so this one is from the metadata log. It is passed
                # over, as Kafka does: one odd value must stop no broker.
                text = self.static.get(key.name)
        text = key.default if text is None else text
        return None if text is None else parse_value(key, text)

    def get_int(self, name: str) -> int:
        """`get` of a config that is a whole number and has a default."""
        value = self.get(name)
        assert isinstance(value, int), name
        return value

    def get_bool(self, name: str) -> bool:
        """`get` of a config that is true or false."""
        value = self.get(name)
        assert isinstance(value, bool), name
        return value

    def get_str(self, name: str) -> str:
        """`get` of a config that is text and has a default."""
        value = self.get(name)
        assert isinstance(value, str), name
        return value

    def get_list(self, name: str) -> tuple[str, ...]:
        """`get` of a config that is a list; empty if it is not set."""
        value = self.get(name)
        assert value is None or isinstance(value, tuple), name
        return value or ()

    def source_of(self, name: str) -> str:
        """Where the value in effect comes from, in words for people."""
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
    """A value set while running also hides what was given before for its other units (seen: log.retention.hours)."""
    texts = dict(static)
    for layer in (cluster, broker):
        for name in layer:
            for relative in broker_family(name):
                if relative != name and broker_family(relative) == broker_family(name):
                    texts.pop(relative, None)
        texts.update(layer)
    return texts


def alter_refusal(name: str, value: str | None, reason: str) -> ConfigError:
    """How a broker's refused alteration is answered: with INVALID_REQUEST, where a topic's has INVALID_CONFIG."""
    return ConfigError(name, value, reason, INVALID_REQUEST)
