"""A topic's configuration: its own values, with the broker's as fallback."""

from __future__ import annotations

from kafkacompat.config.definitions import TOPIC_CONFIGS
from kafkacompat.config.values import TYPE_CHECKING, ConfigError, parse_again

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.config.broker import BrokerConfig
    from kafkacompat.config.values import ConfigValue


def topic_value(name: str, overrides: Mapping[str, str], broker: BrokerConfig) -> ConfigValue:
    """The typed value of one topic config: the topic's own, the first broker config that has one, or the default."""
    key = TOPIC_CONFIGS[name]
    text = overrides.get(name)
    if text is not None:
        try:
            return parse_again(key, text)
        except ConfigError:
            # Ignore an invalid value in the metadata log: it must not take a partition offline.
            pass
    return inherited_value(name, broker)


def inherited_value(name: str, broker: BrokerConfig) -> ConfigValue:
    """The value of a config for a topic that does not set it."""
    key = TOPIC_CONFIGS[name]
    for synonym, factor in key.synonyms:
        value = broker.get(synonym)
        if value is None:
            continue
        if factor == 1 or not isinstance(value, int):
            return value
        return value * factor if value >= 0 else -1  # -1 hours means no limit, not -3600000 ms
    return None if key.default is None else parse_again(key, key.default)


class TopicConfig:
    """The configuration in effect of a topic's partitions and logs; immutable. `resolve` creates it.

    Sizes are in bytes, times in milliseconds, and attributes are config names with underscores. `segment_bytes` has the
    value of internal.segment.bytes if that is set, which may be smaller than segment.bytes allows.
    """

    __slots__ = tuple(name.replace(".", "_") for name in TOPIC_CONFIGS)

    if TYPE_CHECKING:
        cleanup_policy: tuple[str, ...]
        compression_gzip_level: int
        compression_lz4_level: int
        compression_type: str
        compression_zstd_level: int
        delete_retention_ms: int
        file_delete_delay_ms: int
        flush_messages: int
        flush_ms: int
        follower_replication_throttled_replicas: tuple[str, ...]
        index_interval_bytes: int
        internal_segment_bytes: int | None
        leader_replication_throttled_replicas: tuple[str, ...]
        local_retention_bytes: int
        local_retention_ms: int
        max_compaction_lag_ms: int
        max_message_bytes: int
        message_timestamp_after_max_ms: int
        message_timestamp_before_max_ms: int
        message_timestamp_type: str
        min_cleanable_dirty_ratio: float
        min_compaction_lag_ms: int
        min_insync_replicas: int
        preallocate: bool
        remote_log_copy_disable: bool
        remote_log_delete_on_disable: bool
        remote_storage_enable: bool
        retention_bytes: int
        retention_ms: int
        segment_bytes: int
        segment_index_bytes: int
        segment_jitter_ms: int
        segment_ms: int
        unclean_leader_election_enable: bool

    def __init__(self, values: Mapping[str, ConfigValue]) -> None:
        """values: of all topic configs, in their order."""
        for attribute, value in zip(self.__slots__, values.values(), strict=True):
            object.__setattr__(self, attribute, value)

    @classmethod
    def resolve(cls, topic_overrides: Mapping[str, str], broker: BrokerConfig) -> TopicConfig:
        """The topic's own values, and the broker's and Kafka's where it has none."""
        inherited = broker.topic_values
        if inherited is None:
            inherited = broker.topic_values = {name: inherited_value(name, broker) for name in TOPIC_CONFIGS}
        own = {name: topic_value(name, topic_overrides, broker) for name in topic_overrides if name in TOPIC_CONFIGS}
        values = {**inherited, **own}
        if values["internal.segment.bytes"] is not None:
            values["segment.bytes"] = values["internal.segment.bytes"]
        return cls(values)

    @property
    def max_segment_ms(self) -> int:
        """How old a segment grows before another one begins (Kafka's ``LogConfig.maxSegmentMs``)."""
        return min(self.segment_ms, self.max_compaction_lag_ms) if self.is_compacted else self.segment_ms

    @property
    def is_compacted(self) -> bool:
        """Its records need keys."""
        return "compact" in self.cleanup_policy

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TopicConfig is frozen: {name} is set by resolve()")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TopicConfig):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))
