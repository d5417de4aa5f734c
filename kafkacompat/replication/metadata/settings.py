"""The configuration in effect: a node's static configuration, overridden by the configs in the image."""

from kafkacompat.config.topic import topic_value
from kafkacompat.replication.metadata.image import (
    BROKER_RESOURCE,
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    TOPIC_RESOURCE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.config import BrokerConfig
    from kafkacompat.replication.metadata.image import MetadataImage


class Settings:
    """A node's id and static configuration, from which the configuration under an image is computed."""

    __slots__ = ("_applied", "_static", "_topic_values", "_values_of", "node_id")

    def __init__(self, node_id: int, config: "BrokerConfig") -> None:
        self.node_id = node_id
        self._static = config
        self._applied: tuple[Mapping[str, str], Mapping[str, str], BrokerConfig] | None = None
        self._values_of: object = None  # the configs from which the next field was computed
        self._topic_values: dict[tuple[str, str], object] = {}

    def broker_config(self, image: "MetadataImage") -> "BrokerConfig":
        """The configuration with the dynamic configs of all brokers and of this one, cached until they change."""
        cluster = image.config(BROKER_RESOURCE, "")
        broker = image.config(BROKER_RESOURCE, str(self.node_id))
        applied = self._applied
        if applied is None or applied[0] is not cluster or applied[1] is not broker:
            applied = self._applied = (cluster, broker, self._static.with_dynamic(cluster, broker))
        return applied[2]

    def topic_value(self, image: "MetadataImage", topic_name: str, name: str) -> object:
        """The typed value of a topic's config, cached until a config changes."""
        if self._values_of is not image.configs:
            self._values_of, self._topic_values = image.configs, {}
        key = (topic_name, name)
        if key not in self._topic_values:
            overrides = image.config(TOPIC_RESOURCE, topic_name)
            self._topic_values[key] = topic_value(name, overrides, self.broker_config(image))
        return self._topic_values[key]


def has_directory(image: "MetadataImage", broker_id: int, directory: bytes) -> bool:
    """Whether a replica's directory is online (KIP-858). An unassigned directory counts as online."""
    broker = image.brokers.get(broker_id)
    if broker is None or directory == DIRECTORY_LOST:
        return False
    if directory in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING) or not broker.log_dirs:
        return True
    return directory in broker.log_dirs


def default_directory(image: "MetadataImage", broker_id: int) -> bytes:
    """The directory of a new replica: the broker's only one, or unassigned until the broker has chosen (KIP-858)."""
    broker = image.brokers.get(broker_id)
    if broker is None or not broker.log_dirs:
        return DIRECTORY_MIGRATING
    return broker.log_dirs[0] if len(broker.log_dirs) == 1 else DIRECTORY_UNASSIGNED
