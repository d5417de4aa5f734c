"""A metadata image as the records of a snapshot: applied to an empty image, they reproduce it (Kafka's ImageWriter)."""

from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_NODE, NO_PARTITION_LEADER_EPOCH
from kafkacompat.protocol.internal.cluster_metadata import (
    BrokerEndpoint,
    BrokerFeature,
    ConfigRecord,
    ControllerEndpoint,
    ControllerFeature,
    FeatureLevelRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    TopicRecord,
)
from kafkacompat.replication.metadata.features import METADATA_VERSION
from kafkacompat.replication.metadata.image import RECOVERING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import (
        BrokerImage,
        ControllerImage,
        MetadataImage,
        PartitionImage,
        TopicImage,
    )


def snapshot_records(image: "MetadataImage") -> "Iterator[Message]":
    """The records. metadata.version comes first, as it determines how the others are read."""
    assert image.transaction is None
    for name in sorted(image.features, key=lambda name: (name != METADATA_VERSION, name)):
        yield FeatureLevelRecord(name=name, feature_level=image.features[name])
    for broker_id in sorted(image.brokers):
        yield _broker(image.brokers[broker_id])
    for controller_id in sorted(image.controllers):
        yield _controller(image.controllers[controller_id])
    for topic in image.topics.values():
        yield TopicRecord(topic.name, topic.topic_id)
        for index, partition in enumerate(topic.partitions):
            if partition.unclean_epoch != NO_PARTITION_LEADER_EPOCH and partition.recovery_state != RECOVERING:
                yield _partition(topic, index, _unclean(partition))
            yield _partition(topic, index, partition)
    for (resource_type, resource_name), configs in image.configs.items():
        for name, value in configs.items():
            yield ConfigRecord(resource_type, resource_name, name, value)
    if image.next_producer_id:
        yield ProducerIdsRecord(NO_NODE, NO_BROKER_EPOCH, image.next_producer_id)
    yield from image.kept


def _broker(broker: "BrokerImage") -> RegisterBrokerRecord:
    return RegisterBrokerRecord(
        broker_id=broker.id,
        incarnation_id=broker.incarnation_id,
        broker_epoch=broker.epoch,
        end_points=[
            BrokerEndpoint(each.name, each.host, each.port, each.security_protocol) for each in broker.endpoints
        ],
        features=[BrokerFeature(name, low, high) for name, (low, high) in broker.features.items()],
        rack=broker.rack,
        fenced=broker.fenced,
        in_controlled_shutdown=broker.in_controlled_shutdown,
        log_dirs=broker.log_dirs,
        cordoned_log_dirs=broker.cordoned_log_dirs,
    )


def _controller(controller: "ControllerImage") -> RegisterControllerRecord:
    return RegisterControllerRecord(
        controller_id=controller.id,
        incarnation_id=controller.incarnation_id,
        end_points=[
            ControllerEndpoint(each.name, each.host, each.port, each.security_protocol) for each in controller.endpoints
        ],
        features=[ControllerFeature(name, low, high) for name, (low, high) in controller.features.items()],
    )


def _unclean(partition: "PartitionImage") -> "PartitionImage":
    """The partition as it was in the epoch of its last unclean election. No record has a field for that epoch, so the
    snapshot has a record of this state before that of the present state, which replaces it (also in Apache Kafka).
    """
    return partition.but(leader_epoch=partition.unclean_epoch, recovery_state=RECOVERING)


def _partition(topic: "TopicImage", index: int, partition: "PartitionImage") -> PartitionRecord:
    """The record of a partition. An empty ELR is left out, as in Kafka."""
    return PartitionRecord(
        partition_id=index,
        topic_id=topic.topic_id,
        replicas=partition.replicas,
        isr=partition.isr,
        removing_replicas=partition.removing,
        adding_replicas=partition.adding,
        leader=partition.leader,
        leader_recovery_state=partition.recovery_state,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
        directories=partition.directories,
        eligible_leader_replicas=partition.elr or None,
        last_known_elr=partition.last_known_elr or None,
    )
