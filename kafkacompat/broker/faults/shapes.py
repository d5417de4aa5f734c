"""The entities of requests: where a request names them, and where its response answers each. Derived from the notation.

An entity is what a response can have an error for: a partition, a topic, a group, a config resource, a member that
leaves. A request has them in arrays inside arrays (`topic_data` > `partition_data`), and the response likewise
(`responses` > `partition_responses`); each pair of arrays is a `Level`. The two are found by the fields that name the
items in both.
"""

from functools import cache
from importlib import import_module

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.notation.compiler.schema import name_classes, parse
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from typing import Any

    from kafkacompat.broker.registry import Api
    from kafkacompat.protocol.notation.compiler.schema import Field, Message, Struct
    from kafkacompat.replication.metadata.image import MetadataImage

    Key = tuple[tuple[str, Hashable], ...]

NAME, TOPIC_ID, PARTITION, GROUP, TXN = "name", "topic_id", "partition", "group", "txn_id"
ROLES = {
    "name": NAME, "topic": NAME, "topic_name": NAME, "topic_names": NAME,
    "topic_id": TOPIC_ID,
    "partition": PARTITION, "index": PARTITION, "partition_index": PARTITION, "partition_id": PARTITION,
    "partitions": PARTITION, "partition_indexes": PARTITION,
    "group_id": GROUP, "groups": GROUP, "groups_names": GROUP,
    "transactional_id": TXN, "transactional_ids": TXN,
    "key": "key", "coordinator_keys": "key",
    "resource_type": "resource_type", "resource_name": "resource_name",
    "member_id": "member_id", "group_instance_id": "group_instance_id",
    "feature": "feature", "id": "directory",
}  # fmt: skip
"""What the fields that name an item stand for. Fields with the same role name the same thing in request and
response.
"""
TXN_FIELDS = ("transactional_id", "v3_and_below_transactional_id", "key")
"""The fields that name the transactional id of a whole request."""
RESOURCES = ("resource_name", "feature", "directory", "member_id", "group_instance_id")
"""The roles that the selector `resource` looks at."""
TOPIC_RESOURCE, GROUP_RESOURCE = 2, 32  # Kafka's ConfigResource
GROUP_KEY, TXN_KEY = 0, 1  # key_type of FindCoordinator


class Level:
    """One array of a request and the one of its response that answers it; either may be missing (None).

    asked, answered: the fields that name an item, by role. Items that are plain values have None as the field.
    has_error: whether the response's items have an error code.
    """

    __slots__ = ("answered", "answers", "asked", "asks", "has_error", "item_class", "roles")

    def __init__(
        self, asks: "str | None", answers: "str | None", asked: "Mapping[str, str | None]",
        answered: "Mapping[str, str]", item_class: str, *, has_error: bool,
    ) -> None:  # fmt: skip
        self.asks = asks
        self.answers = answers
        self.asked = asked
        self.answered = answered
        self.item_class = item_class
        self.has_error = has_error
        self.roles = frozenset(asked) | frozenset(answered)

    def key(self, item: "Any") -> "Key":
        """What names an item of a request."""
        return self._key(
            [(role, item if field is None else getattr(item, field)) for role, field in self.asked.items()]
        )

    def keys(self, item: "Any") -> "tuple[Key, ...]":
        """The keys under which a request may have asked for this item of the response: by id or by name."""
        named = [(role, getattr(item, field)) for role, field in self.answered.items() if role in self.asked]
        by_name = self._key([pair for pair in named if pair[0] != TOPIC_ID])
        return (self._key(named), by_name)

    def _key(self, named: "list[tuple[str, Any]]") -> "Key":
        """A topic with an id is known by it; its name may be missing in a request, and filled in in the response."""
        for role, value in named:
            if role == TOPIC_ID and value != ZERO_UUID:
                return ((role, value),)
        return tuple(pair for pair in named if pair[0] != TOPIC_ID)


class Entity:
    """One entity of a request. `path` are the keys of its levels. An attribute is None if it names no such thing.

    resources: the names that the selector `resource` looks at.
    """

    __slots__ = ("group", "partition", "path", "resources", "topic", "topic_id", "txn_id")

    def __init__(self, path: "tuple[Key, ...]") -> None:
        self.path = path
        self.topic: str | None = None
        self.topic_id: bytes | None = None
        self.partition: int | None = None
        self.group: str | None = None
        self.txn_id: str | None = None
        self.resources: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = [f"{name} {getattr(self, name)!r}" for name in ("topic", "partition", "group", "txn_id")
                 if getattr(self, name) is not None]  # fmt: skip
        parts += [f"resource {name!r}" for name in self.resources]
        return ", ".join(parts) or "the request"


class Shape:
    """The entities of one API in one version.

    levels: from the outermost array to the one that has the entities; none if the request has no entities.
    deeper: arrays with errors of their own that only the response has (Metadata's partitions), else None.
    selectors: the selectors of entities that this request can match: topic, partition, group, ...
    has_errors: whether the response has an error code for each entity. can_ask_for_all: whether a request may ask for
    all entities without naming them.
    """

    __slots__ = (
        "_group",
        "_txn_id",
        "api",
        "can_ask_for_all",
        "deeper",
        "has_errors",
        "has_group_id",
        "has_throttle_time",
        "has_top_error",
        "levels",
        "listed",
        "selectors",
        "version",
    )  # fmt: skip

    def __init__(self, api: "Api", version: int) -> None:
        request, response = notation(api.key)
        self.api = api
        self.version = version
        asked, answered = _present(request.struct, version), _present(response.struct, version)
        self.levels = _align(asked, answered, version)
        self.has_errors = bool(self.levels) and self.levels[-1].has_error
        if not self.levels:
            self.levels = _only_asked(api, asked, version)
        self.deeper = _deeper(answered, self.levels, version) if self.has_errors else None
        names = {field.name for field in asked}
        self.has_throttle_time = any(field.name == "throttle_time_ms" for field in answered)
        self.has_top_error = any(field.name == "error_code" for field in answered)
        self._group = "group_id" if "group_id" in names else ("key" if "key" in names else "")
        self.has_group_id = "group_id" in names
        self._txn_id = next((field for field in TXN_FIELDS if field in names), "")
        by_name = {field.name: field for field in asked}
        outer = by_name.get(self.levels[0].asks or "") if self.levels else None
        names_all = outer is not None and version not in outer.nullable
        self.listed = None if self.has_errors or names_all else _listed(answered, version)
        may_be_all = self.has_errors and _may_be_all(api, version, outer)
        self.can_ask_for_all = self.listed is not None or may_be_all
        self.selectors = self._selectors()

    def _selectors(self) -> frozenset[str]:
        levels = [*self.levels, *([self.deeper] if self.deeper else ()), *([self.listed] if self.listed else ())]
        roles = frozenset().union(*(level.roles for level in levels))
        found = set()
        if NAME in roles or TOPIC_ID in roles:
            found |= {"topic", "topic_id"}
        if PARTITION in roles:
            found.add("partition")
        if GROUP in roles or self._group:
            found.add("group")
        if TXN in roles or self._txn_id:
            found.add("txn_id")
        if "key" in roles:
            found |= {"group", "txn_id"}
        if roles.intersection(RESOURCES):
            found.add("resource")
        if "resource_name" in roles:
            found |= {"topic", "topic_id", "group"}
        return frozenset(found)

    # Requests

    def entities(self, request: "Any", image: "MetadataImage") -> "list[Entity]":
        """The entities that a request names. Topics are found by id and by name."""
        whole = self.whole(request)
        if not self.levels:
            return [whole]
        key_type = getattr(request, "key_type", None)
        return list(self._walk(request, 0, whole, key_type, image))

    def whole(self, request: "Any") -> Entity:
        """The request itself, with what it names outside of arrays."""
        whole = Entity(())
        if self._group:
            whole.group = getattr(request, self._group)
        if self._txn_id == "key":
            key_type = getattr(request, "key_type", GROUP_KEY) if self.version else GROUP_KEY
            whole.group, whole.txn_id = _coordinator(key_type, request.key)
        elif self._txn_id:
            whole.txn_id = getattr(request, self._txn_id)
        return whole

    def _walk(
        self, message: "Any", depth: int, outer: Entity, key_type: "int | None", image: "MetadataImage"
    ) -> "Iterator[Entity]":
        level = self.levels[depth]
        assert level.asks is not None
        items = getattr(message, level.asks)
        if items is None and depth:  # all partitions of a group: the group itself is what is asked for
            yield outer
        for item in items or ():
            entity = Entity((*outer.path, level.key(item)))
            for name in ("topic", "topic_id", "partition", "group", "txn_id", "resources"):
                setattr(entity, name, getattr(outer, name))
            name_entity(entity, {role: item if field is None else getattr(item, field)
                                 for role, field in level.asked.items()}, key_type, image)  # fmt: skip
            if depth + 1 < len(self.levels):
                yield from self._walk(item, depth + 1, entity, key_type, image)
            else:
                yield entity

    def asks_for_all(self, request: "Any") -> bool:
        """Whether the request names no entities and means all of them."""
        if not self.can_ask_for_all:
            return False
        if self.listed is not None or self.levels[0].asks is None:
            return True
        items = getattr(request, self.levels[0].asks)
        return items is None or not (items or _needs_null(self.api, self.version))


def name_entity(entity: Entity, named: "Mapping[str, Any]", key_type: "int | None", image: "MetadataImage") -> None:
    """Fill in the attributes that these fields name, by role."""
    topic, topic_id = named.get(NAME), named.get(TOPIC_ID)
    if named.get("resource_type") == TOPIC_RESOURCE:
        topic = named["resource_name"]
    if topic or (topic_id and topic_id != ZERO_UUID):
        entity.topic = topic or image.topic_name(topic_id or ZERO_UUID)
        known = image.topics.get(topic) if topic else None
        has_id = topic_id and topic_id != ZERO_UUID
        entity.topic_id = topic_id if has_id else None if known is None else known.topic_id
    if PARTITION in named:
        entity.partition = named[PARTITION]
    if GROUP in named:
        entity.group = named[GROUP]
    if TXN in named:
        entity.txn_id = named[TXN]
    if named.get("resource_type") == GROUP_RESOURCE:
        entity.group = named["resource_name"]
    if "key" in named:
        entity.group, entity.txn_id = _coordinator(key_type or GROUP_KEY, named["key"])
    resources = [named[role] for role in RESOURCES if named.get(role)]
    if resources:
        entity.resources = tuple(each.hex() if isinstance(each, bytes) else each for each in resources)


def _coordinator(key_type: int, key: str) -> "tuple[str | None, str | None]":
    return (key if key_type == GROUP_KEY else None), (key if key_type == TXN_KEY else None)


# Derivation


@cache
def notation(api_key: int) -> "tuple[Message, Message]":
    """The parsed request and response of an API."""
    module = import_module("kafkacompat.protocol.notation." + APIS[api_key].stem)
    request, response = parse(module.REQUEST)[0], parse(module.RESPONSE)[0]
    name_classes([request, response])
    return request, response


@cache
def shape_of(api_key: int, version: int) -> Shape:
    """The shape of one API in one version."""
    return Shape(APIS[api_key], version)


def _present(struct: "Struct", version: int) -> "list[Field]":
    return [field for field in struct.fields if version in field.versions]


def _align(asked: "Sequence[Field]", answered: "Sequence[Field]", version: int) -> "list[Level]":
    """The levels that request and response share, from here inwards."""
    for answer in answered:
        if not answer.is_array or answer.struct is None or not _has_error(answer.struct, version):
            continue
        inside = _present(answer.struct, version)
        answer_roles = {ROLES[field.name]: field.name for field in inside if field.name in ROLES and not field.is_array}
        for ask in asked:
            if not ask.is_array:
                continue
            ask_roles = _asked_roles(ask, version)
            common = {role: field for role, field in ask_roles.items() if role in answer_roles}
            if common:
                level = Level(
                    ask.name, answer.name, common, answer_roles, answer.struct.class_name,
                    has_error=any(field.name == "error_code" for field in inside),
                )  # fmt: skip
                deeper = _align(_present(ask.struct, version), inside, version) if ask.struct else []
                return [level, *deeper]
    return []


def _asked_roles(ask: "Field", version: int) -> "dict[str, str | None]":
    if ask.struct is None:
        return {ROLES[ask.name]: None} if ask.name in ROLES else {}
    return {
        ROLES[field.name]: field.name
        for field in _present(ask.struct, version)
        if field.name in ROLES and not field.is_array
    }


def _has_error(struct: "Struct", version: int) -> bool:
    return any(
        field.name == "error_code" or (field.struct is not None and _has_error(field.struct, version))
        for field in _present(struct, version)
    )


def _only_asked(api: "Api", asked: "Sequence[Field]", version: int) -> "list[Level]":
    """The levels of a request whose entities the response has no errors for."""
    places = {place.split(".")[0] for place in f"{api.names.topics}, {api.names.groups}".split(", ")}
    for ask in asked:
        if ask.is_array and ask.name in places:
            level = Level(ask.name, None, _asked_roles(ask, version), {}, "", has_error=False)
            if ask.struct is not None:
                for inner in _present(ask.struct, version):
                    roles = _asked_roles(inner, version) if inner.is_array else {}
                    if PARTITION in roles:
                        return [level, Level(inner.name, None, roles, {}, "", has_error=False)]
            return [level]
    return []


def _deeper(answered: "Sequence[Field]", levels: "Sequence[Level]", version: int) -> "Level | None":
    """The array with errors that only the response has, inside the last level."""
    fields = answered
    for level in levels:
        field = next(each for each in fields if each.name == level.answers)
        assert field.struct is not None
        fields = _present(field.struct, version)
    return _listed(fields, version, needs_error=True)


def _listed(answered: "Sequence[Field]", version: int, *, needs_error: bool = False) -> "Level | None":
    """An array of the response whose items have names, for which nothing was asked."""
    for answer in answered:
        if not answer.is_array or answer.struct is None or answer.tag is not None:
            continue
        inside = _present(answer.struct, version)
        roles = {ROLES[field.name]: field.name for field in inside if field.name in ROLES and not field.is_array}
        has_error = any(field.name == "error_code" for field in inside)
        is_entity = roles.keys() & {NAME, TOPIC_ID, PARTITION, GROUP, "resource_name"}
        if is_entity and (has_error or not needs_error):
            return Level(None, answer.name, {}, roles, answer.struct.class_name, has_error=has_error)
    return None


def _may_be_all(api: "Api", version: int, outer: "Field | None") -> bool:
    return outer is not None and (
        version in outer.nullable or (api.stem in EMPTY_IS_ALL and not _needs_null(api, version))
    )


EMPTY_IS_ALL = ("metadata", "describe_topic_partitions")


def _needs_null(api: "Api", version: int) -> bool:
    """Whether an empty list means nothing: only null means all."""
    return api.stem not in EMPTY_IS_ALL or (api.stem == "metadata" and version > 0)
