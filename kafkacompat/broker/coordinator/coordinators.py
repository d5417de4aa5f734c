"""The registry of coordinators and their internal topics.

`TYPES` has a row for each of Kafka's internal topics. The broker, handlers and partitions find a coordinator by topic
or by FindCoordinator's key type, never by name.
"""

from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator
    from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition

    class Coordinator(Protocol):
        """The events of a coordinator: its topic's partitions, and the cluster's metadata."""

        def unsettled(self) -> Iterator[tuple[object, int]]: ...
        def on_elected(self, partition: Partition, now: Now) -> None: ...
        def on_resigned(self, partition: Partition, now: Now) -> None: ...
        def on_high_watermark(self, partition: Partition, now: Now) -> None: ...
        def on_metadata(self, old: MetadataImage, new: MetadataImage, now: Now) -> None: ...


GROUP_TOPIC = "__consumer_offsets"

MAX_REMEMBERED_HASHES = 10_000
"""Size of the cache of hashes for one key type; a full cache is cleared."""


def java_hash(text: str) -> int:
    """Kafka's `Utils.abs(text.hashCode())`: over UTF-16 units, modulo 2^32; 0 for Integer.MIN_VALUE."""
    data = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(data), 2):
        hashed = (31 * hashed + (data[at] << 8 | data[at + 1])) & 0xFFFFFFFF
    if hashed < 0x80000000:
        return hashed
    return 0 if hashed == 0x80000000 else 0x100000000 - hashed


class Implementation:
    """How this broker implements a coordinator.

    make: imports and creates it. hash_key: the hash of a key, ≥ 0; modulo the number of partitions it is the partition
    that keeps the key's state. replays_every_record: loading replays every record, because later ones add to earlier
    ones; otherwise it replays the last record of each key, as after compaction.
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

    topic: keeps the state. key_type: the number in FindCoordinator. partitions, replicas: the broker's configs with the
    topic's number of partitions and replicas; None for the defaults of any topic. configs: the topic's configs.
    settings: topic configs whose value comes from a config of the broker. missing: what to tell users if
    `implementation` is None.
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
        """The number of partitions that the topic is created with."""
        return BROKER_DEFAULT if self._partitions is None else config.get_int(self._partitions)

    def replication_factor(self, config: "BrokerConfig") -> int:
        """The number of replicas that the topic is created with."""
        return BROKER_DEFAULT if self._replicas is None else config.get_int(self._replicas)

    def topic_configs(self, config: "BrokerConfig") -> dict[str, str]:
        """The configs that the topic is created with, by name."""
        from_settings = {name: str(config.get_int(setting)) for name, setting in self._settings.items()}
        return dict(sorted({**self._configs, **from_settings}.items()))


def _group_coordinator(
    node: "services.Coordinating", partition_for: "Callable[[str], int]", replays_every_record: bool
) -> "GroupCoordinator":
    from kafkacompat.broker.coordinator.group.service import GroupCoordinator

    return GroupCoordinator(node, partition_for, replays_every_record=replays_every_record)


def _transaction_coordinator(
    node: "services.Coordinating", partition_for: "Callable[[str], int]", replays_every_record: bool
) -> "TransactionCoordinator":
    from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator

    return TransactionCoordinator(node, partition_for, replays_every_record=replays_every_record)


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
    implementation=Implementation(_transaction_coordinator, hash_key=java_hash, replays_every_record=False),
)  # fmt: skip
SHARE = CoordinatorType(
    "__share_group_state", 2,
    missing="This broker has no share coordinator: share groups are not implemented.",
)  # fmt: skip

TYPES = (GROUP, TRANSACTION, SHARE)
BY_TOPIC = {row.topic: row for row in TYPES}
BY_KEY_TYPE = {row.key_type: row for row in TYPES}


class Coordinators:
    """The coordinators of one broker, each created on first use."""

    def __init__(self, node: "services.Coordinating") -> None:
        self._node = node
        self._made: dict[str, Coordinator] = {}  # by topic
        self._groups: GroupCoordinator | None = None
        self._transactions: TransactionCoordinator | None = None
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
        """The group coordinator; None before its first use."""
        return self.groups if GROUP.topic in self._made else None

    @property
    def transactions(self) -> "TransactionCoordinator":
        """The transaction coordinator."""
        if self._transactions is None:
            from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator

            transactions = self._of(TRANSACTION, _implementation(TRANSACTION))
            assert isinstance(transactions, TransactionCoordinator)
            self._transactions = transactions
        return self._transactions

    @property
    def transactions_if_made(self) -> "TransactionCoordinator | None":
        """The transaction coordinator; None before its first use."""
        return self.transactions if TRANSACTION.topic in self._made else None

    def unsettled(self) -> "Iterator[tuple[object, int]]":
        """What has work to do or records that are not committed, with a number that rises as some of it is done."""
        for coordinator in self._made.values():
            yield from coordinator.unsettled()

    def partition_for(self, row: CoordinatorType, key: str) -> int:
        """The partition of the row's topic that keeps the key's state; the topic need not exist yet."""
        hashes = self._hashes.setdefault(row.topic, {})
        hashed = hashes.get(key)
        if hashed is None:
            if len(hashes) >= MAX_REMEMBERED_HASHES:
                hashes.clear()
            hashed = hashes[key] = _implementation(row).hash_key(key)
        topic = self._node.image.topics.get(row.topic)
        return hashed % (row.partition_count(self._node.config) if topic is None else len(topic.partitions))

    # Events of the broker.

    def on_elected(self, partition: "Partition", now: "Now") -> None:
        """This broker has become leader of the partition; the topic's coordinator, if any, loads its state."""
        row = BY_TOPIC.get(partition.topic)
        if row is not None and row.implementation is not None:
            self._of(row, row.implementation).on_elected(partition, now)

    def on_resigned(self, partition: "Partition", now: "Now") -> None:
        """This broker is no longer leader of the partition."""
        coordinator = self._made.get(partition.topic)
        if coordinator is not None:
            coordinator.on_resigned(partition, now)

    def on_high_watermark(self, partition: "Partition", now: "Now") -> None:
        """A partition's high watermark has advanced, so records of a coordinator may be committed."""
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
