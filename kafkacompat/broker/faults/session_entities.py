"""The entities of a fetch: in a session also the partitions that the request does not name."""

from kafkacompat.broker.faults.shapes import Entity
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.faults.shapes import Shape
    from kafkacompat.broker.fetch_session_cache import FetchSessionCache
    from kafkacompat.replication.metadata.image import MetadataImage


def fetched(shape: "Shape", request: "Any", image: "MetadataImage", sessions: "FetchSessionCache") -> "list[Entity]":
    """The partitions of a fetch: those it names, and the others of its session but for those that it forgets."""
    found = shape.entities(request, image)
    session = sessions.get(request.session_id) if request.session_id and request.session_epoch > 0 else None
    if session is None or session.epoch != request.session_epoch:
        return found
    by_id = session.uses_topic_ids
    known = {entity.path for entity in found}
    for (place, index), cached in session.partitions.items():
        path = path_of("" if by_id else place, place if by_id else ZERO_UUID, index)  # type: ignore[arg-type] # as by_id
        if path in known:
            continue
        entity = Entity(path)
        entity.topic = cached.topic or image.topic_name(cached.topic_id)
        topic = image.topics.get(entity.topic) if entity.topic else None
        entity.topic_id = cached.topic_id if by_id else None if topic is None else topic.topic_id
        entity.partition = index
        found.append(entity)
    gone_topics = request.forgotten_topics_data
    forgotten = {path_of(gone.topic, gone.topic_id, index) for gone in gone_topics for index in gone.partitions}
    return [entity for entity in found if entity.path not in forgotten]


def topics_of_session(request: "Any", services: "Any") -> "set[str]":
    """The names of the topics of the session that a fetch goes on with."""
    session = services.fetch_sessions.get(request.session_id)
    if session is None:
        return set()
    image = services.image
    return {cached.topic or image.topic_name(cached.topic_id) or "" for cached in session.partitions.values()}


def path_of(name: str, topic_id: bytes, index: int) -> "tuple[Any, ...]":
    """The path of a partition, as the keys of its levels make it."""
    topic = (("topic_id", topic_id),) if topic_id != ZERO_UUID else (("name", name),)
    return (topic, (("partition", index),))
