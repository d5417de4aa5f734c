"""The registry of coordinators: which internal topic keeps the state of which one, and who coordinates here.

`TYPES` has a row for each of Kafka's internal topics. All that broker, handlers and partitions have to know of a
coordinator they learn here, by the topic or by FindCoordinator's key type; nobody else knows one by name.
"""

from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition

    class Coordinator(Protocol):
        """What a coordinator is told of the partitions of its topic, and of the cluster."""

        def on_elected(self, partition: Partition, now: Now) -> None: ...
        def on_resigned(self, partition: Partition, now: Now) -> None: ...
        def on_high_watermark(self, partition: Partition, now: Now) -> None: ...
        def on_metadata(self, old: MetadataImage, new: MetadataImage, now: Now) -> None: ...


GROUP_TOPIC = "__consumer_offsets"

MAX_REMEMBERED_HASHES = 10_000
"""Keys of one type whose hash is remembered; all are forgotten when there are more."""


def java_hash(text: str) -> int:
    """`Utils.abs(text.hashCode())` of Java: over UTF-16 units, wrapping at 32 bits; 0 for the one that has no abs."""
    data = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(data), 2):
        hashed = (31 * hashed + (data[at] << 8 | data[at + 1])) & 0xFFFFFFFF
    if hashed < 0x80000000:
        return hashed
    return 0 if hashed == 0x80000000 else 0x100000000 - hashed


class Implementation:
    """What this broker has of a coordinator.

    make: imports and makes it. hash_key: of the key that is coordinated, from 0; modulo the topic's partitions it is
    the one that keeps the key's state. replays_every_record: whether loading replays every record of the log, because
    later ones add to earlier ones; otherwise the last record of each key is enough, as after compaction.
    """

    __slots__ = ("hash_key", "make", "replays_every_record")

    def __init__(
        self,
        make: "Callable[[services.Coordinating, Callable[[str], int], bool], Coordinator]",
        *,
        hash_key: "Callable[[str], int]",
        replays_every_record: bool,
    ) -> None:
        self.make = make
        self.hash_key = hash_key
        self.replays_every_record = replays_every_record


class CoordinatorType:
    """One row (Kafka's FindCoordinatorRequest.CoordinatorType, and the AutoTopicCreationManager's part of it).

    topic: keeps the state. key_type: its number in FindCoordinator. partitions, replicas: the broker's settings that
    say how many the topic is created with, None where it is created like any other topic; configs: its own configs as
    text; settings: those that are taken from a setting of the broker, by name. `missing` says what is not implemented,
    where `implementation` is None.
    """

    __slots__ = ("_configs", "_partitions", "_replicas", "_settings", "implementation", "key_type", "missing", "topic")

    def __init__(
        self,
        topic: str,
        key_type: int,
        *,
        partitions: str | None = None,
        replicas: str | None = None,
        configs: "Mapping[str, str] | None" = None,
        settings: "Mapping[str, str] | None" = None,
        implementation: Implementation | None = None,
        missing: str = "",
    ) -> None:
        self.topic = topic
        self.key_type = key_type
        self.implementation = implementation
        self.missing = missing
        self._partitions = partitions
        self._replicas = replicas
        self._configs = configs or {}
        self._settings = settings or {}

    def partition_count(self, config: "BrokerConfig") -> int:
        """How many partitions its topic is created with."""
        return BROKER_DEFAULT if self._partitions is None else config.get_int(self._partitions)

    def replication_factor(self, config: "BrokerConfig") -> int:
        """How many replicas its topic is created with."""
        return BROKER_DEFAULT if self._replicas is None else config.get_int(self._replicas)

    def topic_configs(self, config: "BrokerConfig") -> dict[str, str]:
        """The configs that its topic is created with, by name."""
        from_settings = {name: str(config.get_int(setting)) for name, setting in self._settings.items()}
        return dict(sorted({**self._configs, **from_settings}.items()))


def _group_coordinator(
    node: "services.Coordinating", partition_for: "Callable[[str], int]", replays_every_record: bool
) -> "GroupCoordinator":
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator

    return GroupCoordinator(node, partition_for, replays_every_record=replays_every_record)


GROUP = CoordinatorType(
    GROUP_TOPIC, 0,
    partitions="offsets.topic.num.partitions",
    replicas="offsets.topic.replication.factor",
    configs={"cleanup.policy": "compact", "compression.type": "producer"},
    settings={"segment.bytes": "offsets.topic.segment.bytes"},
    implementation=Implementation(_group_coordinator, hash_key=java_hash, replays_every_record=False),
)  # fmt: skip
TRANSACTION = CoordinatorType(
    "__transaction_state", 1,
    partitions="transaction.state.log.num.partitions",
    replicas="transaction.state.log.replication.factor",
    configs={
        "cleanup.policy": "compact", "compression.type": "uncompressed", "unclean.leader.election.enable": "false",
    },
    settings={
        "min.insync.replicas": "transaction.state.log.min.isr", "segment.bytes": "transaction.state.log.segment.bytes",
    },
    missing="This broker has no transaction coordinator: transactions are not implemented.",
)  # fmt: skip
SHARE = CoordinatorType(
    "__share_group_state", 2,
    missing="This broker has no share coordinator: share groups are not implemented.",
)  # fmt: skip

TYPES = (GROUP, TRANSACTION, SHARE)
BY_TOPIC = {row.topic: row for row in TYPES}
BY_KEY_TYPE = {row.key_type: row for row in TYPES}


class Coordinators:
    """The coordinators of one broker. Each is made when it is needed first."""

    def __init__(self, node: "services.Coordinating") -> None:
        self._node = node
        self._made: dict[str, Coordinator] = {}  # by topic
        self._groups: GroupCoordinator | None = None
        self._hashes: dict[str, dict[str, int]] = {}  # by topic, then by key

    @property
    def groups(self) -> "GroupCoordinator":
        """The group coordinator."""
        if self._groups is None:
            from kafkacompat.broker.coordinator.group.service import GroupCoordinator

            groups = self._of(GROUP, _implementation(GROUP))
            assert isinstance(groups, GroupCoordinator)
            self._groups = groups
        return self._groups

    @property
    def groups_if_made(self) -> "GroupCoordinator | None":
        """The group coordinator, None before it is needed."""
        return self.groups if GROUP.topic in self._made else None

    def partition_for(self, row: CoordinatorType, key: str) -> int:
        """The partition of the row's topic that keeps the key, or would if the topic was there."""
        hashes = self._hashes.setdefault(row.topic, {})
        hashed = hashes.get(key)
        if hashed is None:
            if len(hashes) >= MAX_REMEMBERED_HASHES:
                hashes.clear()
            hashed = hashes[key] = _implementation(row).hash_key(key)
        topic = self._node.image.topics.get(row.topic)
        return hashed % (row.partition_count(self._node.config) if topic is None else len(topic.partitions))

    # What the broker tells.

    def on_elected(self, partition: "Partition", now: "Now") -> None:
        """The broker leads the partition now: if a coordinator keeps its state there, it loads it."""
        row = BY_TOPIC.get(partition.topic)
        if row is not None and row.implementation is not None:
            self._of(row, row.implementation).on_elected(partition, now)

    def on_resigned(self, partition: "Partition", now: "Now") -> None:
        """It leads the partition no longer."""
        coordinator = self._made.get(partition.topic)
        if coordinator is not None:
            coordinator.on_resigned(partition, now)

    def on_high_watermark(self, partition: "Partition", now: "Now") -> None:
        """A partition's high watermark has moved: what a coordinator wrote there may be committed."""
        coordinator = self._made.get(partition.topic)
        if coordinator is not None:
            coordinator.on_high_watermark(partition, now)

    def on_metadata(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        """The metadata image has changed."""
        for coordinator in self._made.values():
            coordinator.on_metadata(old, new, now)

    def _of(self, row: CoordinatorType, implementation: Implementation) -> "Coordinator":
        made = self._made.get(row.topic)
        if made is None:
            made = self._made[row.topic] = implementation.make(
                self._node, lambda key: self.partition_for(row, key), implementation.replays_every_record
            )
        return made


def _implementation(row: CoordinatorType) -> Implementation:
    assert row.implementation is not None, row.missing
    return row.implementation
