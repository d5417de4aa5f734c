"""DeleteTopics."""

from collections import Counter

from kafkacompat.protocol.error_codes import (
    INVALID_REQUEST,
    NONE,
    TOPIC_DELETION_DISABLED,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from kafkacompat.protocol.internal.cluster_metadata import RemoveTopicRecord
from kafkacompat.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.controller.limits import check_record_count
from kafkacompat.replication.metadata.result import RefusedError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings

    CachedPartition = tuple[str | None, bytes]  # name or None, id or zero


def delete_topics(request: "DeleteTopicsRequest", version: int, image: "MetadataImage", settings: "Settings") -> Result:
    """Delete topics by name or, since version 6, by id (key 20). Each topic succeeds or fails by itself; successes form
    one atomic batch.
    """
    wanted: list[CachedPartition] = [(name, ZERO_UUID) for name in request.topic_names]
    wanted += [(topic.name, bytes(topic.topic_id)) for topic in request.topics]
    times = Counter(wanted)
    deletable = settings.broker_config(image).get_bool("delete.topic.enable")
    records: list[Message] = []
    results = []
    named_and_by_id = _ids_given_twice(times, image)
    disabled = (
        INVALID_REQUEST if version < 3 else TOPIC_DELETION_DISABLED
    )  # older clients do not know TOPIC_DELETION_DISABLED
    for item in times:
        name, topic_id = item
        try:
            if not deletable:
                raise RefusedError(disabled)
            topic = _find(item, times[item], image)
            if topic.topic_id in named_and_by_id:
                if name is None:
                    continue  # answered once, under the name
                topic_id = topic.topic_id
                raise RefusedError(INVALID_REQUEST, "The provided topic name maps to an ID that was already supplied.")
            check_record_count(range(len(records) + 1))
        except RefusedError as refused:
            results.append(DeletableTopicResult(name, topic_id, refused.error_code, refused.message))
            continue
        records.append(RemoveTopicRecord(topic.topic_id))
        results.append(DeletableTopicResult(topic.name, topic.topic_id, NONE, None))
    return Result(records, DeleteTopicsResponse(responses=results))


def _ids_given_twice(times: "Counter[CachedPartition]", image: "MetadataImage") -> set[bytes]:
    """The topics of the request, by name or id, each once."""
    by_name = {image.topics[name].topic_id for name, _ in times if name is not None and name in image.topics}
    return by_name & {topic_id for name, topic_id in times if name is None}


def _find(item: "CachedPartition", times: int, image: "MetadataImage") -> "TopicImage":
    name, topic_id = item
    if name is None and topic_id == ZERO_UUID:
        raise RefusedError(INVALID_REQUEST, "Neither topic name nor id were specified.")
    if name is not None and topic_id != ZERO_UUID:
        raise RefusedError(INVALID_REQUEST, "You may not specify both topic name and topic id.")
    if times > 1:
        raise RefusedError(INVALID_REQUEST, "Duplicate topic name." if topic_id == ZERO_UUID else "Duplicate topic id.")
    topic = image.topics_by_id.get(topic_id) if name is None else image.topics.get(name)
    if topic is None and name is None:
        raise RefusedError(UNKNOWN_TOPIC_ID, "This server does not host this topic ID.")
    if topic is None:
        raise RefusedError(UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.")
    return topic
