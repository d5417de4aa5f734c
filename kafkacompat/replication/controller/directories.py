"""Log directories in heartbeats: those that went offline (KIP-858), and those that are cordoned (KIP-1066)."""

from kafkacompat.protocol.internal.cluster_metadata import BrokerRegistrationChangeRecord
from kafkacompat.replication.controller.election_context import election_context
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.features import has_cordoned_directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
    from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage
    from kafkacompat.replication.metadata.settings import Settings

MAX_ELECTIONS_PER_HEARTBEAT = 1000
"""Most leaderships that one heartbeat moves."""


def directory_records(
    request: "BrokerHeartbeatRequest", decided: "Sequence[Message]", image: "MetadataImage", settings: "Settings"
) -> "list[Message]":
    """The records for the directories in a heartbeat; `decided` are the heartbeat's other records, which come first.

    The broker leaves the ISR of every partition in a directory that went offline. To use that directory again it must
    register again.
    """
    broker = image.brokers[request.broker_id]
    offline = {bytes(directory) for directory in request.offline_log_dirs} & set(broker.log_dirs)
    cordoned = request.cordoned_log_dirs if has_cordoned_directories(image) else None
    if not offline and cordoned is None:
        return []
    after = apply(image, decided, image.offset, image.epoch) if decided else image
    broker = after.brokers[broker.id]
    records: list[Message] = []
    if offline:
        records += _offline_isr_updates(offline, broker, after, settings)
        online = [directory for directory in broker.log_dirs if directory not in offline]
        records.append(BrokerRegistrationChangeRecord(broker.id, broker.epoch, log_dirs=online))
    if cordoned is not None and tuple(sorted(map(bytes, cordoned))) != broker.cordoned_log_dirs:
        wanted = sorted(map(bytes, cordoned))
        records.append(BrokerRegistrationChangeRecord(broker.id, broker.epoch, cordoned_log_dirs=wanted))
    after = apply(after, records, image.offset, image.epoch) if records else after
    if any(each.full_log_dirs for each in after.brokers.values()):
        records += _leaders_with_room(after, settings)
    return records


def _leaders_with_room(image: "MetadataImage", settings: "Settings") -> "list[PartitionChangeRecord]":
    """Move leadership away from replicas whose directories accept no new records, where another replica can lead: at
    most MAX_ELECTIONS_PER_HEARTBEAT partitions at a time.
    """
    from kafkacompat.replication.election import change

    full = {broker.id: broker for broker in image.brokers.values() if broker.full_log_dirs}
    records: list[PartitionChangeRecord] = []
    for topic in image.topics.values():
        for index, partition in enumerate(topic.partitions):
            leader = full.get(partition.leader)
            if leader is None or not leader.lacks_room(partition.directory(leader.id)):
                continue
            if any(b not in full or not full[b].lacks_room(partition.directory(b)) for b in partition.isr):
                record = change(partition, topic.topic_id, index, election_context(settings, image, topic, partition))
                if record is not None:
                    records.append(record)
            if len(records) == MAX_ELECTIONS_PER_HEARTBEAT:
                return records
    return records


def _offline_isr_updates(
    offline: set[bytes], broker: "BrokerImage", image: "MetadataImage", settings: "Settings"
) -> "list[PartitionChangeRecord]":
    from kafkacompat.replication.election import change

    records = []
    for topic in image.topics.values():
        for index, partition in enumerate(topic.partitions):
            if broker.id in partition.isr and partition.directory(broker.id) in offline:
                context = election_context(settings, image, topic, partition, leaving=(broker.id,))
                isr = tuple(replica for replica in partition.isr if replica != broker.id)
                record = change(partition, topic.topic_id, index, context, isr=isr)
                if record is not None:
                    records.append(record)
    return records
