"""Every partition that lives on this broker, and how it follows the metadata image (Kafka's ReplicaManager)."""

import logging

from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE
from kafkacompat.replication.partition import Partition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.config import TopicConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage, TopicImage
    from kafkacompat.storage.manager import LogManager

log = logging.getLogger(__name__)
PartitionKey = tuple[str, int]


class ReplicaManager:
    """Creates, updates and deletes the partitions of one broker as the image says.

    `topic_config(name)` resolves a topic's config from the newest image; `on_moved(partition, now)` is called when a
    high watermark moves, `on_elected` and `on_resigned` when leadership here begins and ends.
    """

    def __init__(
        self,
        node_id: int,
        logs: "LogManager",
        topic_config: "Callable[[str], TopicConfig]",
        *,
        on_moved: "Callable[[Partition, Now], None]",
        on_elected: "Callable[[Partition, Now], None]",
        on_resigned: "Callable[[Partition, Now], None]",
    ) -> None:
        self._node_id = node_id
        self._logs = logs
        self._topic_config = topic_config
        self._on_moved = on_moved
        self._on_elected = on_elected
        self._on_resigned = on_resigned
        self._partitions: dict[PartitionKey, Partition] = {}

    def get(self, topic: str, index: int) -> Partition | None:
        """The partition if a replica of it lives here."""
        return self._partitions.get((topic, index))

    def find(self, image: "MetadataImage", topic: str, index: int) -> Partition | int:
        """The partition, or the error code for a client that asks here: unknown, offline, or led and kept elsewhere."""
        partition = self._partitions.get((topic, index))
        if partition is not None:
            return partition
        topic_image = image.topics.get(topic)
        if topic_image is None or not 0 <= index < len(topic_image.partitions):
            return errors.UNKNOWN_TOPIC_OR_PARTITION
        if self._node_id in topic_image.partitions[index].replicas:
            return errors.KAFKA_STORAGE_ERROR  # it should be here: its log could not be opened
        return errors.NOT_LEADER_OR_FOLLOWER

    def __iter__(self) -> "Iterator[Partition]":
        return iter(self._partitions.values())

    def __len__(self) -> int:
        return len(self._partitions)

    def open_logs(self, image: "MetadataImage", now: "Now") -> None:
        """Recover the logs of this broker's replicas before it has a role in any of them."""
        for topic in image.topics.values():
            config = self._topic_config(topic.name)
            for index, partition in enumerate(topic.partitions):
                if self._node_id in partition.replicas:
                    self._open(topic, index, config, now)

    def apply(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        """Follow the metadata from `old` to `new`."""
        if old.topics is not new.topics:
            self._apply_topics(old, new, now)
        if old.configs is not new.configs:
            self._apply_configs(old, new, now)

    def _apply_topics(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        for name, topic in old.topics.items():
            kept = new.topics.get(name)
            if kept is None or kept.topic_id != topic.topic_id:
                self._delete_topic(topic, now)
        for name, topic in new.topics.items():
            if old.topics.get(name) is not topic:
                self._apply_topic(topic, now)

    def _apply_topic(self, topic: "TopicImage", now: "Now") -> None:
        config = self._topic_config(topic.name)
        for index, image in enumerate(topic.partitions):
            if self._node_id not in image.replicas:
                continue
            partition = self._partitions.get((topic.name, index))
            if partition is None:
                opened = self._open(topic, index, config, now)
                if opened is None:
                    continue
                partition = opened
            led, epoch = partition.is_leader, partition.leader_epoch
            partition.apply(image, config.min_insync_replicas, now)
            if led and (not partition.is_leader or partition.leader_epoch != epoch):
                self._on_resigned(partition, now)
            if partition.is_leader and (not led or partition.leader_epoch != epoch):
                self._on_elected(partition, now)

    def _open(self, topic: "TopicImage", index: int, config: "TopicConfig", now: "Now") -> Partition | None:
        try:
            opened = self._logs.open_log(topic.name, topic.topic_id, index, config, now)
        except OSError as error:
            log.error("the log of %s-%d cannot be opened: %s", topic.name, index, error)
            return None
        checkpoint = self._logs.high_watermark_checkpoint(topic.name, index)
        partition = Partition(topic.name, index, topic.topic_id, self._node_id, opened, checkpoint)
        partition.on_high_watermark = self._on_moved
        self._partitions[topic.name, index] = partition
        return partition

    def _delete_topic(self, topic: "TopicImage", now: "Now") -> None:
        for index in range(len(topic.partitions)):
            partition = self._partitions.pop((topic.name, index), None)
            if partition is not None:
                if partition.is_leader:
                    partition.leader = -1
                    self._on_resigned(partition, now)
                self._logs.delete_log((topic.name, index), now)

    def _apply_configs(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        changed = {
            resource
            for resource in (*old.configs, *new.configs)
            if old.configs.get(resource) != new.configs.get(resource)
        }
        cluster_wide = any(resource_type == BROKER_RESOURCE for resource_type, _ in changed)
        names = {name for resource_type, name in changed if resource_type == TOPIC_RESOURCE}
        for name, topic in new.topics.items():
            if not cluster_wide and name not in names:
                continue
            config = self._topic_config(name)
            for index, image in enumerate(topic.partitions):
                partition = self._partitions.get((name, index))
                if partition is not None:
                    partition.log.config = config
                    partition.apply(image, config.min_insync_replicas, now)
