"""Finds invented values in messages by the names of their fields, and puts those of the replay into requests."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.protocol import api_keys
from kafkacompat.protocol.primitives import Message
from kafkacompat.protocol.records.batch import (
    PRODUCER_EPOCH_OFFSET,
    PRODUCER_ID_OFFSET,
    RecordBatchError,
    read_header,
    stamp_crc,
)
from kafkacompat.traffic.bindings import (
    GENERATION,
    LEADER_EPOCH,
    MEMBER_ID,
    PRODUCER_EPOCH,
    PRODUCER_ID,
    SESSION_ID,
    TOPIC_ID,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.traffic.bindings import Bindings, Scope

KIND_OF = {
    "member_id": MEMBER_ID, "topic_id": TOPIC_ID, "producer_id": PRODUCER_ID,
    "producer_epoch": PRODUCER_EPOCH, "generation_id": GENERATION, "generation_id_or_member_epoch": GENERATION,
    "member_epoch": GENERATION, "leader_epoch": LEADER_EPOCH, "current_leader_epoch": LEADER_EPOCH,
    "last_fetched_epoch": LEADER_EPOCH, "committed_leader_epoch": LEADER_EPOCH,
}  # fmt: skip
ONLY_IN = {
    (api_keys.FETCH, "session_id"): SESSION_ID,
    (api_keys.JOIN_GROUP, "leader"): MEMBER_ID,
    (api_keys.OFFSET_FOR_LEADER_EPOCH, "leader_epoch"): "",  # asked for, not invented
}
"""Fields that are invented, or are not, in one API only."""


class Place(NamedTuple):
    """Where a value is: what it is told apart within."""

    topic: object = None
    partition: int = 0
    group: str = ""
    producer: int = 0


class Topics:
    """The names of topics by their captured ids, so that requests by name and by id are about the same one."""

    def __init__(self) -> None:
        self.names: dict[bytes, str] = {}

    def label(self, topic_id: bytes) -> object:
        """The topic's name, or its id while that is unknown."""
        return self.names.get(topic_id, topic_id)


def kind_of(api_key: int, field: str) -> str:
    """The kind of invented value that a field has; empty for none."""
    found = ONLY_IN.get((api_key, field))
    return KIND_OF.get(field, "") if found is None else found


def scope_of(kind: str, place: Place) -> Scope:
    """What values of the kind are told apart within."""
    if kind == GENERATION:
        return (place.group,)
    if kind == PRODUCER_EPOCH:
        return (place.producer,)
    return (place.topic, place.partition) if kind == LEADER_EPOCH else ()


def inside(message: Message, place: Place, topics: Topics) -> Place:
    """The place of the fields of a message within another one."""
    name = getattr(message, "topic", None) or getattr(message, "name", None) or getattr(message, "topic_name", None)
    topic_id = getattr(message, "topic_id", None)
    if isinstance(name, str):
        place = place._replace(topic=name)
    elif isinstance(topic_id, bytes) and any(topic_id):
        place = place._replace(topic=topics.label(topic_id))
    for field in ("partition_index", "partition", "index"):
        index = getattr(message, field, None)
        if isinstance(index, int):
            place = place._replace(partition=index)
    group = getattr(message, "group_id", None)
    if isinstance(group, str):
        place = place._replace(group=group)
    producer = getattr(message, "producer_id", None)
    return place._replace(producer=producer) if isinstance(producer, int) else place


def rewrite(message: Message, api_key: int, bindings: Bindings, topics: Topics, place: Place = Place()) -> bool:  # noqa: B008 (immutable)
    """Put the values of the replay into a captured request. Returns whether something has changed."""
    place = inside(message, place, topics)
    has_changed = False
    field: str
    for field in message.__slots__:
        value: Any = getattr(message, field)
        kind = kind_of(api_key, field)
        if kind:
            new = _replaced(value, kind, scope_of(kind, place), bindings)
            if new != value:
                setattr(message, field, new)
                has_changed = True
        elif field == "records" and value is not None and len(value):
            new = with_producers(bytes(value), bindings)
            if new is not None:
                setattr(message, field, new)
                has_changed = True
        elif isinstance(value, Message):
            has_changed |= rewrite(value, api_key, bindings, topics, place)
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            for each in value:
                has_changed |= rewrite(each, api_key, bindings, topics, place)
    return has_changed


def _replaced(value: Any, kind: str, scope: Scope, bindings: Bindings) -> Any:
    if isinstance(value, list):
        return [bindings.replayed(kind, scope, each) for each in value]
    return value if value is None else bindings.replayed(kind, scope, value)


def with_producers(records: bytes, bindings: Bindings) -> bytes | None:
    """Batches with the producer ids and epochs of the replay; None if there are none to replace."""
    out: bytearray | None = None
    at = 0
    try:
        while at < len(records):
            header = read_header(records, at)
            producer = bindings.replayed(PRODUCER_ID, (), header.producer_id)
            epoch = bindings.replayed(PRODUCER_EPOCH, (header.producer_id,), header.producer_epoch)
            if at + header.size_bytes > len(records):
                break
            if (producer, epoch) != (header.producer_id, header.producer_epoch):
                assert isinstance(producer, int)
                assert isinstance(epoch, int)
                out = bytearray(records) if out is None else out
                start = at + PRODUCER_ID_OFFSET
                out[start : start + 8] = producer.to_bytes(8, "big", signed=True)
                start = at + PRODUCER_EPOCH_OFFSET
                out[start : start + 2] = epoch.to_bytes(2, "big", signed=True)
                stamp_crc(out, at, header.size_bytes)
            at += header.size_bytes
    except RecordBatchError:
        pass  # sent as it is: the broker has to refuse it
    return None if out is None else bytes(out)
