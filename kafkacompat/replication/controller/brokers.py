"""Brokers come and go: registration, fencing, controlled shutdown, and what each means for partitions (C3, C4)."""

from kafkacompat.protocol.internal.cluster_metadata import (
    BrokerEndpoint,
    BrokerFeature,
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    RegisterBrokerRecord,
)
from kafkacompat.replication.controller.features import SUPPORTED_FEATURES
from kafkacompat.replication.election import change
from kafkacompat.replication.metadata.changes import ENTER_CONTROLLED_SHUTDOWN, FENCE, UNFENCE
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.replication.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.controller.settings import Settings
    from kafkacompat.replication.metadata.image import (
        Endpoint,
        MetadataImage,
        PartitionImage,
        TopicImage,
    )


class Registration:
    """What a starting broker says of itself. `incarnation_id` is new with each process.

    `previous_epoch` is the broker epoch of its last run if it can prove that nothing was lost since, and −1 otherwise.
    `features` are the ranges of levels that it supports.
    """

    __slots__ = ("broker_id", "endpoints", "features", "incarnation_id", "log_dirs", "previous_epoch", "rack")

    def __init__(
        self,
        broker_id: int,
        incarnation_id: bytes,
        endpoints: "Sequence[Endpoint]",
        log_dirs: "Sequence[bytes]",
        *,
        rack: str | None = None,
        previous_epoch: int = -1,
        features: "Mapping[str, tuple[int, int]]" = SUPPORTED_FEATURES,
    ) -> None:
        self.broker_id = broker_id
        self.features = features
        self.incarnation_id = incarnation_id
        self.endpoints = endpoints
        self.log_dirs = log_dirs
        self.rack = rack
        self.previous_epoch = previous_epoch


def register(registration: Registration, image: "MetadataImage", settings: "Settings", next_offset: int) -> Result:
    """Register a broker, fenced, with a new epoch: the next offset of the log. The response is the epoch.

    After an unclean stop the broker may have lost data: first it leaves every ISR and ELR.
    """
    broker_id = registration.broker_id
    before = image.brokers.get(broker_id)
    unclean = before is None or before.epoch != registration.previous_epoch
    records: list[Message] = list(changes_without(broker_id, image, settings, unclean=unclean))
    records.append(
        RegisterBrokerRecord(
            broker_id=broker_id,
            incarnation_id=registration.incarnation_id,
            broker_epoch=next_offset,
            end_points=[
                BrokerEndpoint(each.name, each.host, each.port, each.security_protocol)
                for each in registration.endpoints
            ],
            features=[BrokerFeature(name, low, high) for name, (low, high) in registration.features.items()],
            rack=registration.rack,
            fenced=True,
            log_dirs=sorted(registration.log_dirs),
        )
    )
    return Result(records, next_offset)


def fence(broker_id: int, image: "MetadataImage", settings: "Settings") -> Result:
    """Take a broker that is not there out of every ISR and mark it."""
    broker = image.brokers[broker_id]
    records: list[Message] = list(changes_without(broker_id, image, settings))
    records.append(BrokerRegistrationChangeRecord(broker.id, broker.epoch, fenced=FENCE))
    return Result(records)


def unfence(broker_id: int, image: "MetadataImage", settings: "Settings") -> Result:
    """Let a registered broker work, and elect leaders of the partitions that have none."""
    broker = image.brokers[broker_id]
    records: list[Message] = [BrokerRegistrationChangeRecord(broker.id, broker.epoch, fenced=UNFENCE)]
    for topic, index, partition in _partitions(image):
        if partition.leader == NO_LEADER:
            surroundings = settings.surroundings(image, topic, partition, back=(broker_id,))
            _add(records, change(partition, topic.topic_id, index, surroundings))
    return Result(records)


def begin_controlled_shutdown(broker_id: int, image: "MetadataImage", settings: "Settings") -> Result:
    """Move leadership away from a broker that is about to stop."""
    broker = image.brokers[broker_id]
    records: list[Message] = []
    if not broker.in_controlled_shutdown:
        records.append(
            BrokerRegistrationChangeRecord(broker.id, broker.epoch, in_controlled_shutdown=ENTER_CONTROLLED_SHUTDOWN)
        )
    records += changes_without(broker_id, image, settings)
    return Result(records)


def changes_without(
    broker_id: int, image: "MetadataImage", settings: "Settings", *, unclean: bool = False
) -> "Iterator[PartitionChangeRecord]":
    """The changes that take a broker out of every ISR, and after an unclean stop out of every ELR."""
    for topic, index, partition in _partitions(image):
        if broker_id in partition.isr or (unclean and broker_id in partition.elr):
            surroundings = settings.surroundings(image, topic, partition, gone=(broker_id,))
            isr = tuple(broker for broker in partition.isr if broker != broker_id)
            lost = (broker_id,) if unclean else ()
            record = change(partition, topic.topic_id, index, surroundings, isr=isr, unclean_stops=lost)
            if record is not None:
                yield record


def _partitions(image: "MetadataImage") -> "Iterator[tuple[TopicImage, int, PartitionImage]]":
    for topic in image.topics.values():
        for index, partition in enumerate(topic.partitions):
            yield topic, index, partition


def _add(records: "list[Message]", record: PartitionChangeRecord | None) -> None:
    if record is not None:
        records.append(record)
