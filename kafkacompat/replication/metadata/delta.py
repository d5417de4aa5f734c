"""Applies records of the metadata log to an image (Kafka's MetadataDelta). An image changes in no other way, whether
the node runs, restarts or fails over.

`_APPLY` has the function for each record of Kafka 4.3. `KEPT` lists the records of features that are not implemented
yet: they are preserved in the log and in snapshots.
"""

from kafkacompat.protocol.internal import cluster_metadata as records
from kafkacompat.replication.metadata.image import (
    DIRECTORY_MIGRATING,
    RECOVERING,
    TOPIC_RESOURCE,
    BrokerImage,
    ControllerImage,
    Endpoint,
    MetadataImage,
    PartitionImage,
    TopicImage,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message

NO_LEADER_CHANGE = -2
NO_STATE_CHANGE = -1
UNFENCE = -1
FENCE = 1
ENTER_CONTROLLED_SHUTDOWN = 1

_NONE: "dict[int, PartitionImage]" = {}


class InvalidMetadataError(Exception):
    """A record contradicts the records before it: the log is damaged, or was not written by a Kafka controller."""


class MetadataDelta:
    """The changes to an image. Each map is copied once, when a record first changes it; topics are put together in
    `finish`.
    """

    def __init__(self, image: MetadataImage) -> None:
        self._image = image
        self._copies: dict[str, dict[Any, Any]] = {}
        self._partitions: dict[bytes, dict[int, PartitionImage]] = {}
        self.next_producer_id = image.next_producer_id
        self.kept: list[Message] = []
        self.transaction = None if image.transaction is None else list(image.transaction)

    def replay(self, record: "Message") -> None:
        """Apply one record. Raises InvalidMetadataError."""
        function = _APPLY.get(type(record))
        if function is not None and self.transaction is None:
            function(self, record)
        elif isinstance(record, records.BeginTransactionRecord):
            if self.transaction is not None:
                raise InvalidMetadataError("a metadata transaction begins inside another")
            self.transaction = []
        elif isinstance(record, (records.EndTransactionRecord, records.AbortTransactionRecord)):
            _end_transaction(self, committed=isinstance(record, records.EndTransactionRecord))
        elif self.transaction is not None:
            self.transaction.append(record)
        else:
            _apply_one(self, record)

    def map(self, name: str) -> "dict[Any, Any]":
        """The copy of a map, for changes."""
        copy = self._copies.get(name)
        if copy is None:
            copy = self._copies[name] = dict(getattr(self._image, name))
        return copy

    def peek(self, name: str) -> "Any":
        """The current state of a map, for reading."""
        return self._copies.get(name, getattr(self._image, name))

    def topic(self, topic_id: bytes) -> TopicImage:
        """The topic with this id. Its partitions may be older than those of the delta."""
        found = self.peek("topics_by_id").get(topic_id)
        if found is None:
            raise InvalidMetadataError(f"a record names the unknown topic id {topic_id.hex()}")
        topic: TopicImage = found
        return topic

    def partition(self, topic_id: bytes, index: int) -> PartitionImage | None:
        """The current state of a partition."""
        changed = self._partitions.get(topic_id, _NONE).get(index)
        if changed is not None:
            return changed
        partitions = self.topic(topic_id).partitions
        return partitions[index] if 0 <= index < len(partitions) else None

    def put_partition(self, topic_id: bytes, index: int, partition: PartitionImage) -> None:
        """Add or replace a partition."""
        changed = self._partitions.get(topic_id)
        if changed is None:
            self.topic(topic_id)
            changed = self._partitions[topic_id] = {}
        changed[index] = partition

    def all_partitions(self, topic: TopicImage) -> "list[tuple[int, PartitionImage]]":
        """The current state of all partitions of a topic, with their indexes."""
        known = dict(enumerate(topic.partitions))
        known.update(self._partitions.get(topic.topic_id, _NONE))
        return list(known.items())

    def forget_partitions(self, topic_id: bytes) -> None:
        """Drop the changed partitions of a deleted topic."""
        self._partitions.pop(topic_id, None)

    def finish(self, offset: int, epoch: int) -> MetadataImage:
        """The new image, at that offset and leader epoch."""
        for topic_id, changed in self._partitions.items():
            topic = self.topic(topic_id)
            partitions = list(topic.partitions)
            for index in sorted(changed):
                if not 0 <= index <= len(partitions):
                    raise InvalidMetadataError(
                        f"the partitions of topic {topic.name} are not numbered from 0 without gaps"
                    )
                partitions[index : index + 1] = [changed[index]]
            joined = topic.but(partitions=tuple(partitions))
            self.map("topics")[topic.name] = joined
            self.map("topics_by_id")[topic_id] = joined
        transaction = None if self.transaction is None else tuple(self.transaction)
        if self.kept:
            self._copies["kept"] = (*self._image.kept, *self.kept)  # type: ignore[assignment]
        return self._image.but(
            offset=offset, epoch=epoch, next_producer_id=self.next_producer_id, transaction=transaction, **self._copies
        )


def apply(image: MetadataImage, batch: "Sequence[Message]", offset: int, epoch: int) -> MetadataImage:
    """The image after the records of one batch; `offset` and `epoch` are those of its last record.

    Raises InvalidMetadataError if they contradict the image.
    """
    delta = MetadataDelta(image)
    for record in batch:
        delta.replay(record)
    return delta.finish(offset, epoch)


def _end_transaction(delta: MetadataDelta, *, committed: bool) -> None:
    held, delta.transaction = delta.transaction, None
    if held is None:
        raise InvalidMetadataError("a metadata transaction ends that has not begun")
    for record in held if committed else ():
        _apply_one(delta, record)


def _apply_one(delta: MetadataDelta, record: "Message") -> None:
    function = _APPLY.get(type(record))
    if function is not None:
        function(delta, record)
    elif type(record) in KEPT:
        delta.kept.append(record)
    elif type(record) not in PASSED_OVER:
        raise InvalidMetadataError(f"{type(record).__name__} is no record of the metadata log")


def _topic(delta: MetadataDelta, record: records.TopicRecord) -> None:
    if record.name in delta.peek("topics"):
        raise InvalidMetadataError(f"topic {record.name} is created twice")
    topic = TopicImage(record.name, bytes(record.topic_id))
    delta.map("topics")[topic.name] = topic
    delta.map("topics_by_id")[topic.topic_id] = topic


def _remove_topic(delta: MetadataDelta, record: records.RemoveTopicRecord) -> None:
    topic = delta.topic(bytes(record.topic_id))
    delta.forget_partitions(topic.topic_id)
    del delta.map("topics")[topic.name]
    del delta.map("topics_by_id")[topic.topic_id]
    if (TOPIC_RESOURCE, topic.name) in delta.peek("configs"):
        del delta.map("configs")[TOPIC_RESOURCE, topic.name]


def _partition(delta: MetadataDelta, record: records.PartitionRecord) -> None:
    directories = tuple(bytes(directory) for directory in record.directories)
    partition = PartitionImage(
        tuple(record.replicas),
        tuple(record.isr),
        record.leader,
        record.leader_epoch,
        record.partition_epoch,
        elr=tuple(record.eligible_leader_replicas or ()),
        last_known_elr=tuple(record.last_known_elr or ()),
        adding=tuple(record.adding_replicas),
        removing=tuple(record.removing_replicas),
        recovery_state=record.leader_recovery_state,
        directories=directories or (DIRECTORY_MIGRATING,) * len(record.replicas),
    )
    before = delta.partition(bytes(record.topic_id), record.partition_id)
    if before is not None and before.unclean_epoch > partition.unclean_epoch:  # as in snapshots
        partition = partition.but(unclean_epoch=before.unclean_epoch)
    delta.put_partition(bytes(record.topic_id), record.partition_id, partition)


# Field of PartitionChangeRecord -> field of PartitionImage, where null means no change.
_CHANGED_LISTS = (
    ("isr", "isr"),
    ("replicas", "replicas"),
    ("removing_replicas", "removing"),
    ("adding_replicas", "adding"),
    ("eligible_leader_replicas", "elr"),
    ("last_known_elr", "last_known_elr"),
)


def changed_partition(partition: PartitionImage, record: records.PartitionChangeRecord) -> PartitionImage:
    """The partition after a change, with the next partition epoch. A record with a leader, even the present one, raises
    the leader epoch.
    """
    changes: dict[str, object] = {"partition_epoch": partition.partition_epoch + 1}
    for theirs, ours in _CHANGED_LISTS:
        value = getattr(record, theirs)
        if value is not None:
            changes[ours] = tuple(value)
    if record.directories is not None:
        changes["directories"] = tuple(bytes(directory) for directory in record.directories)
    elif record.replicas is not None:
        changes["directories"] = tuple(partition.directory(replica) for replica in record.replicas)
    if record.leader != NO_LEADER_CHANGE:
        changes["leader"] = record.leader
        changes["leader_epoch"] = partition.leader_epoch + 1
    if record.leader_recovery_state != NO_STATE_CHANGE:
        changes["recovery_state"] = record.leader_recovery_state
    if changes.get("recovery_state", partition.recovery_state) == RECOVERING:
        changes["unclean_epoch"] = changes.get("leader_epoch", partition.leader_epoch)
    return partition.but(**changes)


def _partition_change(delta: MetadataDelta, record: records.PartitionChangeRecord) -> None:
    topic_id = bytes(record.topic_id)
    partition = delta.partition(topic_id, record.partition_id)
    if partition is None:
        raise InvalidMetadataError(f"a record changes the unknown partition {record.partition_id}")
    delta.put_partition(topic_id, record.partition_id, changed_partition(partition, record))


def _clear_elr(delta: MetadataDelta, record: records.ClearElrRecord) -> None:
    """Clear the ELR of one topic, or of all topics if no name is given."""
    if record.topic_name:
        topic = delta.peek("topics").get(record.topic_name)
        if topic is None:
            raise InvalidMetadataError(f"a record names the unknown topic {record.topic_name}")
        topics: list[TopicImage] = [topic]
    else:
        topics = list(delta.peek("topics").values())
    for topic in topics:
        for index, partition in delta.all_partitions(topic):
            if partition.elr or partition.last_known_elr:
                change = records.PartitionChangeRecord(eligible_leader_replicas=[], last_known_elr=[])
                delta.put_partition(topic.topic_id, index, changed_partition(partition, change))


def _config(delta: MetadataDelta, record: records.ConfigRecord) -> None:
    configs = delta.map("configs")
    resource = (record.resource_type, record.resource_name)
    changed = dict(configs.get(resource, ()))
    if record.value is None:
        changed.pop(record.name, None)
    else:
        changed[record.name] = record.value
    if changed:
        configs[resource] = changed
    else:
        configs.pop(resource, None)


def _feature_level(delta: MetadataDelta, record: records.FeatureLevelRecord) -> None:
    if record.feature_level:
        delta.map("features")[record.name] = record.feature_level
    else:
        delta.map("features").pop(record.name, None)


def _endpoints(given: "Iterable[Any]") -> tuple[Endpoint, ...]:
    return tuple(Endpoint(each.name, each.host, each.port, each.security_protocol) for each in given)


def _ranges(given: "Iterable[Any]") -> dict[str, tuple[int, int]]:
    return {each.name: (each.min_supported_version, each.max_supported_version) for each in given}


def _register_broker(delta: MetadataDelta, record: records.RegisterBrokerRecord) -> None:
    cordoned = record.cordoned_log_dirs
    delta.map("brokers")[record.broker_id] = BrokerImage(
        record.broker_id,
        record.broker_epoch,
        bytes(record.incarnation_id),
        _endpoints(record.end_points),
        record.rack,
        fenced=record.fenced,
        in_controlled_shutdown=record.in_controlled_shutdown,
        features=_ranges(record.features),
        log_dirs=tuple(bytes(directory) for directory in record.log_dirs),
        cordoned_log_dirs=None if cordoned is None else tuple(bytes(directory) for directory in cordoned),
    )


def _broker(delta: MetadataDelta, broker_id: int, epoch: int) -> BrokerImage:
    found = delta.peek("brokers").get(broker_id)
    if found is None or found.epoch != epoch:
        raise InvalidMetadataError(f"a record names broker {broker_id} of epoch {epoch}, which is not registered")
    broker: BrokerImage = found
    return broker


def _broker_registration_change(delta: MetadataDelta, record: records.BrokerRegistrationChangeRecord) -> None:
    broker = _broker(delta, record.broker_id, record.broker_epoch)
    changes: dict[str, object] = {}
    if record.fenced:
        changes["fenced"] = record.fenced == FENCE
    if record.in_controlled_shutdown:
        changes["in_controlled_shutdown"] = record.in_controlled_shutdown == ENTER_CONTROLLED_SHUTDOWN
    if record.log_dirs:
        changes["log_dirs"] = tuple(bytes(directory) for directory in record.log_dirs)
    if record.cordoned_log_dirs is not None:
        changes["cordoned_log_dirs"] = tuple(bytes(directory) for directory in record.cordoned_log_dirs)
    delta.map("brokers")[broker.id] = broker.but(**changes)


def _fence_broker(delta: MetadataDelta, record: records.FenceBrokerRecord) -> None:
    delta.map("brokers")[record.id] = _broker(delta, record.id, record.epoch).but(fenced=True)


def _unfence_broker(delta: MetadataDelta, record: records.UnfenceBrokerRecord) -> None:
    delta.map("brokers")[record.id] = _broker(delta, record.id, record.epoch).but(fenced=False)


def _unregister_broker(delta: MetadataDelta, record: records.UnregisterBrokerRecord) -> None:
    broker = _broker(delta, record.broker_id, record.broker_epoch)
    del delta.map("brokers")[broker.id]


def _register_controller(delta: MetadataDelta, record: records.RegisterControllerRecord) -> None:
    delta.map("controllers")[record.controller_id] = ControllerImage(
        record.controller_id, bytes(record.incarnation_id), _endpoints(record.end_points), _ranges(record.features)
    )


def _unregister_controller(delta: MetadataDelta, record: records.UnregisterControllerRecord) -> None:
    if delta.map("controllers").pop(record.controller_id, None) is None:
        raise InvalidMetadataError(f"controller {record.controller_id} is not registered")


def _producer_ids(delta: MetadataDelta, record: records.ProducerIdsRecord) -> None:
    if record.next_producer_id <= delta.next_producer_id and record.next_producer_id != 0:
        raise InvalidMetadataError(f"producer ids go back from {delta.next_producer_id} to {record.next_producer_id}")
    delta.next_producer_id = record.next_producer_id


_APPLY: "dict[type, Callable[[MetadataDelta, Any], None]]" = {
    records.TopicRecord: _topic,
    records.RemoveTopicRecord: _remove_topic,
    records.PartitionRecord: _partition,
    records.PartitionChangeRecord: _partition_change,
    records.ClearElrRecord: _clear_elr,
    records.ConfigRecord: _config,
    records.FeatureLevelRecord: _feature_level,
    records.RegisterBrokerRecord: _register_broker,
    records.BrokerRegistrationChangeRecord: _broker_registration_change,
    records.FenceBrokerRecord: _fence_broker,
    records.UnfenceBrokerRecord: _unfence_broker,
    records.UnregisterBrokerRecord: _unregister_broker,
    records.RegisterControllerRecord: _register_controller,
    records.UnregisterControllerRecord: _unregister_controller,
    records.ProducerIdsRecord: _producer_ids,
}

PASSED_OVER = frozenset(
    {
        records.NoOpRecord,  # periodic record of the active controller
        records.ZkMigrationStateRecord,  # of clusters that migrated from ZooKeeper
    }
)

KEPT = frozenset(
    {
        records.AccessControlEntryRecord,  # authorization
        records.RemoveAccessControlEntryRecord,
        records.UserScramCredentialRecord,  # authentication
        records.RemoveUserScramCredentialRecord,
        records.DelegationTokenRecord,
        records.RemoveDelegationTokenRecord,
        records.ClientQuotaRecord,  # quotas
    }
)
