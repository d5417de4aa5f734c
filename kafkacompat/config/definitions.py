"""The tables of configs by scope, with the fallbacks of configs that are not set.

For example `BROKER_CONFIGS["num.partitions"]`. The rows are in `broker_*.py`, `topic_keys.py` and `group_keys.py`;
their ConfigKey objects are created on first use.
"""

from __future__ import annotations

from kafkacompat.config import (
    broker_groups,
    broker_log,
    broker_network,
    broker_quorum,
    broker_security,
    group_keys,
    topic_keys,
)
from kafkacompat.config.checks import ListOf
from kafkacompat.config.flags import DYNAMIC, INTERNAL, KEPT, OBEYED
from kafkacompat.config.values import INT, LIST, TYPE_CHECKING, ConfigKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.config.flags import FallbackRow, Row

BROKER = "broker"
TOPIC = "topic"
GROUP = "group"
CLIENT_METRICS = "client metrics"

_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS

# Broker configs for the same value, in several units or places. The first one that is set wins.
_FAMILIES = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
)
_FAMILY_OF = {name: family for family in _FAMILIES for name in family}

LISTENER_PREFIX = "listener.name."


class ConfigTable:
    """The configs of one scope by name, in the order of the table."""

    __slots__ = ("_keys", "_rows", "_scope")

    def __init__(self, scope: str, *parts: tuple[Row, ...] | tuple[FallbackRow, ...]) -> None:
        self._scope = scope
        self._rows: dict[str, Row | FallbackRow] = {row[0]: row for part in parts for row in part}
        self._keys: dict[str, ConfigKey] = {}

    def __getitem__(self, name: str) -> ConfigKey:
        key = self._keys.get(name)
        if key is None:
            key = self._keys[name] = self._build(self._rows[name])
        return key

    def _build(self, row: Row | FallbackRow) -> ConfigKey:
        name, type_code, default, check, flags = row[:5]
        fallbacks = row[5].split() if len(row) == 6 else ()
        return ConfigKey(
            name,
            type_code,
            default,
            check,
            scope=self._scope,
            dynamic=flags & DYNAMIC,
            internal=bool(flags & INTERNAL),
            obeyed=bool(flags & OBEYED),
            synonyms=tuple((fallback, _unit_ms(fallback)) for fallback in fallbacks),
        )

    def get(self, name: str) -> ConfigKey | None:
        """The config of that name, or None."""
        return self[name] if name in self._rows else None

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _unit_ms(name: str) -> int:
    """The factor from the unit of a broker config to that of the topic config that falls back to it."""
    if name.endswith(".hours"):
        return _HOUR_MS
    return _MINUTE_MS if name.endswith(".minutes") else 1


_CLIENT_METRICS_ROWS: tuple[Row, ...] = (
    ("interval.ms", INT, "300000", None, KEPT),
    ("match", LIST, "", ListOf(), KEPT),
    ("metrics", LIST, "", ListOf(), KEPT),
)

BROKER_CONFIGS = ConfigTable(
    BROKER, broker_network.ROWS, broker_log.ROWS, broker_groups.ROWS, broker_quorum.ROWS, broker_security.ROWS
)
TOPIC_CONFIGS = ConfigTable(TOPIC, topic_keys.ROWS)
GROUP_CONFIGS = ConfigTable(GROUP, group_keys.ROWS)
CLIENT_METRICS_CONFIGS = ConfigTable(CLIENT_METRICS, _CLIENT_METRICS_ROWS)


def broker_family(name: str) -> tuple[str, ...]:
    """The broker configs that determine the value of one, in order of precedence (Kafka's brokerConfigSynonyms).

    For `listener.name.<listener>.<config>` these are the name itself and the config without the prefix.
    """
    base = listener_base(name)
    if base is not None:
        return (name, base)
    return _FAMILY_OF.get(name, (name,))


def listener_base(name: str) -> str | None:
    """The config behind `listener.name.<listener>.<config>`; None for a name without that prefix."""
    if not name.startswith(LISTENER_PREFIX):
        return None
    listener, dot, base = name[len(LISTENER_PREFIX) :].partition(".")
    return base if listener and dot and base else None


def broker_key(name: str) -> ConfigKey | None:
    """The broker config of a name, with or without a listener's prefix; None if it is not known."""
    base = listener_base(name)
    if base is None:
        return BROKER_CONFIGS.get(name)
    key = BROKER_CONFIGS.get(base)
    return None if key is None else key.renamed(name)
