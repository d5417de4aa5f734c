"""The selectors of a rule: which requests and which of their entities it matches. All of them must match (AND)."""

import logging
import re
from functools import partial

from kafkacompat.broker.faults.rule_errors import near
from kafkacompat.broker.faults.shapes import shape_of
from kafkacompat.broker.registry import APIS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.shapes import Entity
    from kafkacompat.broker.faults.turn import Turn
    from kafkacompat.broker.registry import Api

log = logging.getLogger(__name__)

ENTITY_SELECTORS = ("topic", "topic_id", "partition", "group", "txn_id", "resource")
APIS_BY_NAME = {api.stem.replace("_", ""): api for api in APIS.values()}
TEXT_MAX = 1000  # characters of one selector
MANY = 100  # alternatives of one selector


class Texts:
    """Matches texts: exactly, or with wildcards, where * stands for any text and ? for one character."""

    __slots__ = ("_exact", "_patterns")

    def __init__(self, alternatives: "list[str]") -> None:
        self._exact = frozenset(each for each in alternatives if not _is_wild(each))
        self._patterns = [
            re.compile("".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in each), re.DOTALL)
            for each in alternatives
            if _is_wild(each)
        ]

    @property
    def exact(self) -> "frozenset[str] | None":
        """The texts if there are no wildcards."""
        return None if self._patterns else self._exact

    def __contains__(self, text: str) -> bool:
        return text in self._exact or any(pattern.fullmatch(text) for pattern in self._patterns)


def _is_wild(text: str) -> bool:
    return "*" in text or "?" in text


class Selectors:
    """The selectors of one rule. A selector that is None or missing matches everything.

    keys: the API keys that the rule can match. of_request, of_entity: the tests in order, each with the selector's
    name.
    names_broker, names_client: whether these selectors are given: only then misrouted requests and requests of nodes
    match.
    """

    __slots__ = (
        "_given",
        "_of_client",
        "groups",
        "keys",
        "names_api",
        "names_broker",
        "names_client",
        "of_entity",
        "of_request",
        "topics",
    )

    def __init__(self, reader: "Reader") -> None:
        self.of_request: list[tuple[str, Callable[[Turn], bool]]] = []
        self.of_entity: list[tuple[str, Callable[[Entity], bool]]] = []
        self.topics: frozenset[str] | None = None
        self.groups: frozenset[str] | None = None
        self._of_client: list[tuple[str, Any]] = []  # each with what contains the values that match
        self._given = {name: value for name, value in reader.members.items() if value is not None}
        if "transactional_id" in self._given:
            self._given.setdefault("txn_id", self._given.pop("transactional_id"))
        named = self._apis(reader)
        low, high = _versions(reader)
        self._read_request(reader, low, high)
        self._read_entity(reader)
        reader.end()
        self.names_broker, self.names_client = "broker" in self._given, "client_id" in self._given
        self.names_api = named is not None
        wanted = [name for name in ENTITY_SELECTORS if name in self._given]
        self.keys = frozenset(
            api.key for api in (APIS.values() if named is None else named) if _can_match(api, low, high, wanted)
        )
        if named is not None:
            for api in named:
                if api.key not in self.keys:
                    self._explain(reader, api, low, high, wanted)
        elif not self.keys:
            reader.cannot("", f"no API has all of {', '.join(wanted)} in one request")

    def as_dict(self) -> "dict[str, Any]":
        """What was given; functions as their names."""
        return {name: getattr(value, "__name__", "function") if callable(value) else value
                for name, value in self._given.items()}  # fmt: skip

    def may_match(self, facts: "Mapping[str, object]") -> bool:
        """Whether requests of a client may match: facts are its version, broker, listener, client_id and connection."""
        return all(facts[name] in wanted for name, wanted in self._of_client)

    # Reading

    def _apis(self, reader: "Reader") -> "list[Api] | None":
        names = reader.list_of("api", str)
        if names is None:
            return None
        found = []
        for name in names:
            api = APIS_BY_NAME.get(name.replace("_", "").lower())
            if api is None:
                stems = [each.stem for each in APIS.values()]
                reader.mistake("api", f"{name!r:.60} is no API of this broker", near(name, stems))
            else:
                found.append(api)
        return found

    def _read_request(self, reader: "Reader", low: int, high: int) -> None:
        if low or high < _ANY_VERSION:
            self.of_request.append(("version", lambda turn: low <= turn.version <= high))
            self._of_client.append(("version", range(low, high + 1)))
        self._numbers(reader, "broker", lambda turn: turn.node_id)
        self._texts(reader, "listener", lambda turn: turn.connection.listener)
        self._texts(reader, "client_id", lambda turn: turn.client_id)
        self._numbers(reader, "connection", lambda turn: turn.connection.id)
        for condition in reader.list_of("request", str) or ():
            path, sign, value = condition.partition("==")
            if not sign or not path.strip():
                reader.mistake("request", f"{condition!r:.80} is not '<path> == <value>', like 'acks == -1'")
            else:
                self.of_request.append(("request", _condition(path.strip(), value.strip())))
        predicate = reader.take("predicate")
        if predicate is not None:
            if callable(predicate):
                self.of_request.append(("predicate", partial(_ask, predicate)))
            else:
                reader.mistake("predicate", "give a Python function of the request; elsewhere use request")

    def _texts(self, reader: "Reader", name: str, get: "Callable[[Turn], str]") -> None:
        texts = _read_texts(reader, name)
        if texts is not None:
            wanted = texts.exact or texts
            self._of_client.append((name, wanted))
            self.of_request.append((name, lambda turn: get(turn) in wanted))

    def _numbers(self, reader: "Reader", name: str, get: "Callable[[Turn], int]") -> None:
        numbers = reader.list_of(name, int)
        if numbers is not None:
            wanted = frozenset(numbers)
            self._of_client.append((name, wanted))
            self.of_request.append((name, lambda turn: get(turn) in wanted))

    def _read_entity(self, reader: "Reader") -> None:
        topics = _read_texts(reader, "topic")
        if topics is not None:
            self.topics = topics.exact
            named = topics.exact or topics
            self.of_entity.append(("topic", lambda entity: entity.topic is not None and entity.topic in named))
        ids = [_topic_id(reader, text) for text in reader.list_of("topic_id", str) or ()]
        if ids:
            self.of_entity.append(("topic_id", lambda entity: entity.topic_id in ids))
        partitions = reader.list_of("partition", int)
        if partitions is not None:
            indexes = frozenset(partitions)
            self.of_entity.append(("partition", lambda entity: entity.partition in indexes))
        groups = _read_texts(reader, "group")
        if groups is not None:
            self.groups = groups.exact
            self.of_entity.append(("group", lambda entity: entity.group is not None and entity.group in groups))
        txn_ids, others = _read_texts(reader, "txn_id"), _read_texts(reader, "transactional_id")
        if txn_ids is not None and others is not None:
            reader.mistake("transactional_id", "this is another name of txn_id: give one of them")
        txn_ids = txn_ids or others
        if txn_ids is not None:
            self.of_entity.append(("txn_id", lambda entity: entity.txn_id is not None and entity.txn_id in txn_ids))
        resources = _read_texts(reader, "resource")
        if resources is not None:
            self.of_entity.append(("resource", lambda entity: any(each in resources for each in entity.resources)))

    def _explain(self, reader: "Reader", api: "Api", low: int, high: int, wanted: "list[str]") -> None:
        if low > api.max_version or high < api.min_version:
            served = f"{api.min_version}-{api.max_version}"
            reader.cannot("version", f"this broker has {api.stem} in versions {served}")
            return
        found = frozenset().union(*(shape_of(api.key, version).selectors for version in versions_of(api, low, high)))
        for name in wanted:
            if name not in found:
                has = ", ".join(each for each in ENTITY_SELECTORS if each in found)
                reader.cannot(name, f"{api.stem} names {f'only {has}' if has else 'nothing that a rule can select'}")
                return
        reader.cannot("", f"no version of {api.stem} has all of {', '.join(wanted)}")


_ANY_VERSION = 32767


def versions_of(api: "Api", low: int = 0, high: int = _ANY_VERSION) -> "Iterator[int]":
    """The versions of an API within these limits that this broker serves."""
    from kafkacompat.broker.faults.shapes import notation

    first = max(api.min_version, low, notation(api.key)[0].versions.low)
    yield from range(first, min(api.max_version, high) + 1)


def _can_match(api: "Api", low: int, high: int, wanted: "list[str]") -> bool:
    if low > api.max_version or high < api.min_version:
        return False
    return not wanted or any(
        shape_of(api.key, version).selectors.issuperset(wanted) for version in versions_of(api, low, high)
    )


def _versions(reader: "Reader") -> "tuple[int, int]":
    """A number, or a range as text: "3-7", "9+"."""
    value = reader.take("version")
    if value is None:
        return 0, _ANY_VERSION
    if type(value) is int and value >= 0:
        return value, value
    found = re.fullmatch(r"(\d{1,5})(?:(\+)|-(\d{1,5}))?", value) if isinstance(value, str) else None
    if found is None:
        reader.mistake("version", f"give a number, or a range like '3-7' or '9+', not {value!r:.60}")
        return 0, _ANY_VERSION
    low = int(found[1])
    return low, _ANY_VERSION if found[2] else int(found[3] or low)


def _read_texts(reader: "Reader", name: str) -> "Texts | None":
    values = reader.list_of(name, str)
    if values is None:
        return None
    if len(values) > MANY or any(len(value) > TEXT_MAX for value in values):
        reader.mistake(name, f"give at most {MANY} texts of {TEXT_MAX} characters")
        return None
    return Texts(values)


def _topic_id(reader: "Reader", text: str) -> bytes:
    from kafkacompat.protocol.primitives import uuid_from_text

    try:
        return uuid_from_text(text)
    except ValueError:
        reader.mistake("topic_id", f"{text!r:.60} is not a topic id as Kafka prints it, 22 characters of base64")
        return b""


def _condition(path: str, value: str) -> "Callable[[Turn], bool]":
    """Whether a field of the request has this value; in an array, whether any item's has."""
    steps = path.split(".")
    text = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return lambda turn: any(_is(found, text) for found in _values(turn.request, steps))


def _values(message: "Any", steps: "list[str]") -> "Iterator[Any]":
    if isinstance(message, list | tuple):
        for item in message:
            yield from _values(item, steps)
    elif not steps:
        yield message
    elif hasattr(message, steps[0]):
        yield from _values(getattr(message, steps[0]), steps[1:])


def _is(found: object, text: str) -> bool:
    if found is None or isinstance(found, bool):
        return text == {None: "null", True: "true", False: "false"}[found]
    if isinstance(found, bytes):
        return found == text.encode()
    return str(found) == text


def _ask(predicate: "Callable[[Any], object]", turn: "Turn") -> bool:
    """Call a user's function; one that fails does not match."""
    try:
        return bool(predicate(turn.view()))
    except Exception:
        log.exception("the predicate of a fault rule failed on a request of API %s", turn.api.stem)
        return False
