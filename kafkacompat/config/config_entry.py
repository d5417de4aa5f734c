"""One config as DescribeConfigs answers it (Kafka's ConfigEntry), and where a value may come from."""

from __future__ import annotations

from kafkacompat.config.values import TYPE_CHECKING, UNKNOWN, ConfigKey

if TYPE_CHECKING:
    from typing import TypeAlias

    # name, value (None if it is secret), source code
    Synonym: TypeAlias = tuple[str, str | None, int]

# The wire codes of DescribeConfigs' config_source.
DYNAMIC_TOPIC = 1
DYNAMIC_BROKER = 2
DYNAMIC_DEFAULT_BROKER = 3
STATIC_BROKER = 4
DEFAULT = 5
DYNAMIC_CLIENT_METRICS = 7
DYNAMIC_GROUP = 8


class ConfigEntry:
    """One config of a DescribeConfigs answer. `value` is None if it is not set or secret."""

    __slots__ = ("encoded", "name", "read_only", "scope", "sensitive", "source", "synonyms", "type", "value")

    def __init__(
        self,
        name: str,
        value: str | None,
        *,
        key: ConfigKey | None,
        scope: str,
        read_only: bool,
        synonyms: list[Synonym],
        default_source: int = DEFAULT,
    ) -> None:
        self.name = name
        self.scope = scope
        self.type = UNKNOWN if key is None else key.type
        self.sensitive = is_sensitive(key)
        self.value = None if self.sensitive else value
        self.read_only = read_only
        self.synonyms = synonyms
        self.source = synonyms[0][2] if synonyms else default_source
        self.encoded: dict[object, bytes] = {}  # for who answers with it again and again, by how it is encoded

    @property
    def documentation(self) -> str | None:
        """What the config is for; None if it is not known. Loads the texts on first use."""
        from kafkacompat.config.docs import documentation

        return documentation(self.scope, self.name)


def is_sensitive(key: ConfigKey | None) -> bool:
    """Secrets, and what this broker does not know and could be one."""
    return key is None or key.sensitive
