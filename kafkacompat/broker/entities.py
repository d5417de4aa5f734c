"""Finds the topics, groups and transactional ids that a request names, by the field paths in its registry row."""

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.protocol.primitives import Message


class Names:
    """The field paths of one API's requests, separated by commas.

    A path goes through all items of arrays: "groups.topics.name". "key where key_type=0" adds a condition on a field
    beside the last one. A topic may be named by id.
    """

    __slots__ = ("groups", "topics", "transactional_ids")

    def __init__(self, topics: str = "", groups: str = "", transactional_ids: str = "") -> None:
        self.topics = topics
        self.groups = groups
        self.transactional_ids = transactional_ids


NOTHING = Names()


def named(request: "Message", places: str) -> "list[str | bytes]":
    """The non-empty values of a request at these paths, in order; topic ids are bytes."""
    return [name for place in places.split(", ") if place for name in _at(request, place) if name and any(name)]


def _at(request: "Message", place: str) -> "Iterator[str | bytes]":
    path, _, condition = place.partition(" where ")
    *way, last = path.split(".")
    messages = [request]
    for field in way:
        messages = [item for message in messages for item in attrgetter(field)(message) or ()]
    for message in messages:
        field, _, value = condition.partition("=")
        if field and attrgetter(field)(message) != int(value):
            continue
        found = attrgetter(last)(message)
        if isinstance(found, str | bytes):
            yield found
        else:
            yield from found or ()
