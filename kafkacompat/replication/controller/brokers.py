"""Registration, fencing and controlled shutdown of brokers, and their effects on partitions (C3, C4)."""

from itertools import islice

from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.internal.cluster_metadata import (
    BrokerEndpoint,
    BrokerFeature,
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    RegisterBrokerRecord,
)
from kafkacompat.replication.controller.election_context import election_context
from kafkacompat.replication.controller.limits import MAX_PARTITIONS_PER_STEP
from kafkacompat.replication.election import change
from kafkacompat.replication.metadata.delta import ENTER_CONTROLLED_SHUTDOWN, FENCE, UNFENCE
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import (
        BrokerImage,
        Endpoint,
        MetadataImage,
        TopicImage,
    )
    from kafkacompat.replication.metadata.settings import Settings

    Place = tuple[int, int]

_START = (0, 0)


class Registration:
    """The registration of a starting broker. Each process has a new `incarnation_id`.

    `previous_epoch` is the broker epoch of its last run if it can prove that no data was lost since, else −1.
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
        previous_epoch: int = NO_BROKER_EPOCH,
        features: "Mapping[str, tuple[int, int]]" = SUPPORTED_FEATURES,
    ) -> None:
        self.broker_id = broker_id
        self.features = features
        self.incarnation_id = incarnation_id
        self.endpoints = endpoints
        self.log_dirs = log_dirs
        self.rack = rack
        self.previous_epoch = previous_epoch


class PartitionSteps:
    """A change of all partitions of a broker, made in steps of MAX_PARTITIONS_PER_STEP. A crash between two steps is
    harmless, as each partition changes by itself; the next controller makes the remaining steps.

    is_over: the last step found no partition left to change.
    """

    __slots__ = ("_partition_count", "is_over", "is_unclean", "place")

    def __init__(self) -> None:
        self.is_over = False
        self.is_unclean = False  # the broker may have lost data: it leaves the ELR as well
        self.place = _START  # where the next step begins
        self._partition_count = 0

    def begin(self) -> "Place":
        """Begin a step. Returns the place where it begins."""
        self.is_over = False
        self._partition_count = 0
        return self.place

    def includes(self, place: "Place") -> bool:
        """Whether the partition at that place belongs to this step. If not, the next step begins with it."""
        if self._partition_count == MAX_PARTITIONS_PER_STEP:
            self.place = place
            return False
        self._partition_count += 1
        return True

    def finish(self) -> None:
        """The step has reached the last partition."""
        self.is_over = True
        self.place = _START


def register(
    registration: Registration,
    image: "MetadataImage",
    settings: "Settings",
    next_offset: int,
    steps: PartitionSteps | None = None,
) -> Result:
    """Register a broker, fenced, with a new epoch: the next offset of the log. The response is the epoch.

    After an unclean stop the broker may have lost data, so it first leaves every ISR and ELR. Until `steps` are over,
    it is not registered and the response has no meaning.
    """
    broker_id = registration.broker_id
    before = image.brokers.get(broker_id)
    unclean = before is None or before.epoch != registration.previous_epoch
    records: list[Message] = list(leader_and_isr_updates(broker_id, image, settings, steps, unclean=unclean))
    if steps is not None and not steps.is_over:
        steps.is_unclean = unclean
        return Result(records)
    records.append(
        RegisterBrokerRecord(
            broker_id=broker_id,
            incarnation_id=registration.incarnation_id,
            broker_epoch=next_offset,
            end_points=_end_points(registration.endpoints),
            features=[BrokerFeature(name, low, high) for name, (low, high) in registration.features.items()],
            rack=registration.rack,
            fenced=True,
            log_dirs=sorted(registration.log_dirs),
        )
    )
    return Result(records, next_offset)


def moved(registration: Registration, present: "BrokerImage") -> "list[Message]":
    """The record that gives a registered broker other endpoints; none if they are the same. All else stays."""
    if tuple(registration.endpoints) == present.endpoints:
        return []
    return [
        RegisterBrokerRecord(
            broker_id=present.id,
            incarnation_id=present.incarnation_id,
            broker_epoch=present.epoch,
            end_points=_end_points(registration.endpoints),
            features=[BrokerFeature(name, low, high) for name, (low, high) in present.features.items()],
            rack=present.rack,
            fenced=present.fenced,
            in_controlled_shutdown=present.in_controlled_shutdown,
            log_dirs=list(present.log_dirs),
            cordoned_log_dirs=None if present.cordoned_log_dirs is None else list(present.cordoned_log_dirs),
        )
    ]


def _end_points(endpoints: "Sequence[Endpoint]") -> list[BrokerEndpoint]:
    return [BrokerEndpoint(each.name, each.host, each.port, each.security_protocol) for each in endpoints]


def fence(broker_id: int, image: "MetadataImage", settings: "Settings", steps: PartitionSteps | None = None) -> Result:
    """Remove a broker from every ISR, then mark it as fenced."""
    broker = image.brokers[broker_id]
    records: list[Message] = list(leader_and_isr_updates(broker_id, image, settings, steps))
    if steps is None or steps.is_over:
        records.append(BrokerRegistrationChangeRecord(broker.id, broker.epoch, fenced=FENCE))
    return Result(records)


def unfence(
    broker_id: int, image: "MetadataImage", settings: "Settings", steps: PartitionSteps | None = None
) -> Result:
    """Unfence a registered broker, and elect leaders for the partitions that have none."""
    broker = image.brokers[broker_id]
    records: list[Message] = []
    if broker.fenced:
        records.append(BrokerRegistrationChangeRecord(broker.id, broker.epoch, fenced=UNFENCE))
    for number, topic, indices in _topics(image, _START if steps is None else steps.begin()):
        for index in indices:
            partition = topic.partitions[index]
            if partition.leader == NO_LEADER:
                if steps is not None and not steps.includes((number, index)):
                    return Result(records)
                context = election_context(settings, image, topic, partition, returning=(broker_id,))
                _add(records, change(partition, topic.topic_id, index, context))
    if steps is not None:
        steps.finish()
    return Result(records)


def begin_controlled_shutdown(
    broker_id: int, image: "MetadataImage", settings: "Settings", steps: PartitionSteps | None = None
) -> Result:
    """Move leadership away from a broker that is about to stop."""
    broker = image.brokers[broker_id]
    records: list[Message] = []
    if not broker.in_controlled_shutdown:
        records.append(
            BrokerRegistrationChangeRecord(broker.id, broker.epoch, in_controlled_shutdown=ENTER_CONTROLLED_SHUTDOWN)
        )
    records += leader_and_isr_updates(broker_id, image, settings, steps)
    return Result(records)


def leader_and_isr_updates(
    broker_id: int,
    image: "MetadataImage",
    settings: "Settings",
    steps: PartitionSteps | None = None,
    *,
    unclean: bool = False,
) -> "Iterator[PartitionChangeRecord]":
    """The records that remove a broker from every ISR, and after an unclean stop from every ELR; with `steps` one step
    of them (Kafka's generateLeaderAndIsrUpdates). They are over when a pass over the image finds no such partition.
    """
    lost = (broker_id,) if unclean else ()
    for number, topic, indices in _round(image, _START if steps is None else steps.begin()):
        for index in indices:
            partition = topic.partitions[index]
            if broker_id in partition.isr or (unclean and broker_id in partition.elr):
                if steps is not None and not steps.includes((number, index)):
                    return
                context = election_context(settings, image, topic, partition, leaving=(broker_id,))
                isr = tuple(broker for broker in partition.isr if broker != broker_id)
                record = change(partition, topic.topic_id, index, context, isr=isr, unclean_stops=lost)
                if record is not None:
                    yield record
    if steps is not None:
        steps.finish()


def _round(image: "MetadataImage", begin: "Place") -> "Iterator[tuple[int, TopicImage, range]]":
    """All partitions: those from a place on, then those before it."""
    yield from _topics(image, begin)
    last, end = begin
    for number, topic in enumerate(islice(image.topics.values(), last + 1)):
        yield number, topic, range(end if number == last else len(topic.partitions))


def _topics(image: "MetadataImage", begin: "Place") -> "Iterator[tuple[int, TopicImage, range]]":
    """The topics from a place on: number in the image, topic, indices of the partitions."""
    first, index = begin
    for number, topic in enumerate(islice(image.topics.values(), first, None), first):
        yield number, topic, range(index if number == first else 0, len(topic.partitions))


def _add(records: "list[Message]", record: PartitionChangeRecord | None) -> None:
    if record is not None:
        records.append(record)
