"""What a request and its response say at a glance: the names in the request, the errors in the response."""

from kafkacompat.broker.entities import named
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.headers import decode_response_header, response_header_is_flexible
from kafkacompat.protocol.primitives import MalformedMessageError, Message, UnsupportedVersionError, uuid_to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from kafkacompat.broker.registry import Api

    Plain = dict[str, Any]
    TopicName: TypeAlias = Callable[[bytes], str | None]

ERRORS_MAX = 20
"""The most errors that are shown of one response."""
NAMES_MAX = 20
"""The most topics, groups and transactional ids that are shown of one request."""
_UNDECODABLE = (MalformedMessageError, UnsupportedVersionError, ValueError)
_NAMES = ("name", "topic", "topic_name", "group_id", "key", "resource_name", "transactional_id", "member_id")
_INDEXES = ("partition_index", "partition", "index")


def names_in(frame: bytes | bytearray, position: int, api: "Api", version: int, topic_name: "TopicName") -> list[str]:
    """The topics, groups and transactional ids that a request names. position: of its body. topic_name: of an id."""
    try:
        request = api.messages.decode_request(frame, position, version)
    except _UNDECODABLE:
        return []
    places = (api.names.topics, api.names.groups, api.names.transactional_ids)
    found = [_text(name, topic_name) for place in places for name in named(request, place)]
    return list(dict.fromkeys(found))[:NAMES_MAX]


def errors_in(data: bytes, api: "Api", version: int, topic_name: "TopicName") -> "list[Plain] | None":
    """The errors in a response to a request of this version; None if it cannot be decoded."""
    if not api.min_version <= version <= api.max_version:
        version = 0  # only ApiVersions is answered then, as in version 0
    try:
        flexible = response_header_is_flexible(api.key, version)
        _, position = decode_response_header(data, flexible)
        response = api.messages.decode_response(data, position, version)
    except _UNDECODABLE:
        return None
    found: list[Plain] = []
    for error in _walk(response, "", topic_name):
        if len(found) == ERRORS_MAX:
            break
        found.append(error)
    return found


def _text(name: str | bytes, topic_name: "TopicName") -> str:
    """A name, or that of the topic with this id."""
    return name if isinstance(name, str) else topic_name(name) or uuid_to_text(name)


def _walk(message: Message, entity: str, topic_name: "TopicName") -> "Iterator[Plain]":
    """All errors in a message and in those that it contains."""
    entity = _entity(message, entity, topic_name)
    code = getattr(message, "error_code", 0)
    if isinstance(code, int) and code != error_codes.NONE:
        text = getattr(message, "error_message", None)
        yield {"code": code, "error": error_codes.name(code), "entity": entity, "message": text}
    field: str
    for field in message.__slots__:
        value = getattr(message, field)
        if isinstance(value, Message):
            yield from _walk(value, entity, topic_name)
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            for each in value:
                yield from _walk(each, entity, topic_name)


def _entity(message: Message, outer: str, topic_name: "TopicName") -> str:
    """What the message is about: the name that it has, behind the one around it, as in `orders-0`."""
    for field in _INDEXES:
        index = getattr(message, field, None)
        if isinstance(index, int):
            return f"{outer}-{index}"
    for field in _NAMES:
        name = getattr(message, field, None)
        if isinstance(name, str) and name:
            return name
    topic_id = getattr(message, "topic_id", None)
    return _text(topic_id, topic_name) if isinstance(topic_id, bytes) and any(topic_id) else outer
