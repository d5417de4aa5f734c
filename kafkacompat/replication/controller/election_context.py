"""The context of an election, built from the image and the configuration."""

from kafkacompat.replication.election import ElectionContext
from kafkacompat.replication.high_watermark import effective_min_isr
from kafkacompat.replication.metadata.settings import has_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings


def min_isr_of(settings: "Settings", image: "MetadataImage", topic: "TopicImage", partition: "PartitionImage") -> int:
    """min(min.insync.replicas, replication factor)."""
    value = settings.topic_value(image, topic.name, "min.insync.replicas")
    assert isinstance(value, int)
    return effective_min_isr(value, len(partition.replicas))


def election_context(
    settings: "Settings",
    image: "MetadataImage",
    topic: "TopicImage",
    partition: "PartitionImage",
    *,
    leaving: "Collection[int]" = (),
    returning: "Collection[int]" = (),
) -> ElectionContext:
    """The context of an election of this partition. Whatever the image says, brokers in `leaving` may not lead and
    those in `returning` may.
    """

    def may_lead(broker_id: int) -> bool:
        if broker_id in leaving or not (broker_id in returning or image.is_active(broker_id)):
            return False
        return has_directory(image, broker_id, partition.directory(broker_id))

    def has_room(broker_id: int) -> bool:
        broker = image.brokers.get(broker_id)
        return broker is None or not broker.lacks_room(partition.directory(broker_id))

    allow_unclean = settings.topic_value(image, topic.name, "unclean.leader.election.enable") is True
    min_isr = min_isr_of(settings, image, topic, partition)
    return ElectionContext(min_isr, may_lead, allow_unclean=allow_unclean, has_room=has_room)
