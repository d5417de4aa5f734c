"""Lets requests pass that no rule can match, before anything is made for them.

Most selectors are the same for all requests of a client: API, version, broker, listener, client id, connection. Which
rules are left is remembered for each. If all of those name topics or groups, a look at the names in the request
decides.
"""

from kafkacompat.broker.faults.session_entities import topics_of_session
from kafkacompat.broker.faults.shapes import NAME, TOPIC_ID, shape_of
from kafkacompat.protocol.api_keys import FETCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.faults.shapes import Level
    from kafkacompat.replication.metadata.image import MetadataImage

    MayName: TypeAlias = Callable[[Any, Context], bool]

CLIENTS_MAX = 10_000
"""Remembered at once; a full table is cleared."""
LOOKED_AT = 8
"""So many requests of a client are looked at in full although no rule matches them: for near misses."""


class _Client:
    """The requests of one API of one client. topics, groups: the names that rules select; None: look at every request.

    may_name: whether a request may name one of the topics. left: how many more are looked at in full.
    """

    __slots__ = ("groups", "left", "may_name", "topics")

    def __init__(self) -> None:
        self.topics: set[str] | None = set()
        self.groups: set[str] = set()
        self.may_name: MayName | None = None
        self.left = LOOKED_AT


class Gate:
    """The gate in front of the rules of one step."""

    __slots__ = ("_clients", "_node_id", "_rules")

    def __init__(self, rules: "Mapping[int, tuple[Rule, ...]]", node_id: int) -> None:
        self._rules = rules
        self._node_id = node_id
        self._clients: dict[tuple[object, ...], _Client] = {}

    def passes(self, request: "Any", context: "Context") -> bool:
        """Whether no rule can match the request."""
        header, connection = context.header, context.connection
        key = (header.api_key, header.api_version, header.client_id, connection.id, connection.is_forwarded)
        client = self._clients.get(key)
        if client is None:
            client = self._add(key, connection)
        if client.topics is None:
            return False
        if client.may_name is not None and client.may_name(request, context):
            return False
        if client.groups and request.group_id in client.groups:
            return False
        if client.left:
            client.left -= 1
            return False
        return True

    def passes_shape(
        self, version: int, client_id: str | None, topic: str, api_key: int, connection: "Connection"
    ) -> bool:
        """Whether no rule can match requests of this client to partitions of this topic."""
        key = (api_key, version, client_id, connection.id, connection.is_forwarded)
        client = self._clients.get(key)
        return client is not None and not client.left and client.topics is not None and topic not in client.topics

    def _add(self, key: "tuple[Any, ...]", connection: "Connection") -> _Client:
        if len(self._clients) >= CLIENTS_MAX:
            self._clients.clear()
        api_key, version, client_id = key[:3]
        facts = {"version": version, "broker": self._node_id, "listener": connection.listener,
                 "client_id": client_id or "", "connection": connection.id}  # fmt: skip
        shape = shape_of(api_key, version)
        has_names = bool(shape.levels) and not shape.levels[0].roles.isdisjoint((NAME, TOPIC_ID))
        client = self._clients[key] = _Client()
        for rule in self._rules.get(api_key, ()):
            selectors = rule.selectors
            if not selectors.may_match(facts):
                continue
            if selectors.topics is not None and has_names and client.topics is not None:
                client.topics |= selectors.topics
            elif selectors.groups is not None and shape.has_group_id:
                client.groups |= selectors.groups
            else:
                client.topics = None
        if client.topics:
            names = _names(shape.levels[0], frozenset(client.topics))
            client.may_name = (
                _Fetches(names, frozenset(client.topics))
                if api_key == FETCH
                else _or_all(names, shape.levels[0].asks or "")
            )
        return client


def _names(level: "Level", topics: "frozenset[str]") -> "MayName":
    """A function that says whether a request names one of these topics. It is called for each request of a client."""
    items, name, topic_id = level.asks or "", level.asked.get(NAME), level.asked.get(TOPIC_ID)
    image: MetadataImage | None = None
    ids: set[bytes] = set()

    def names(request: "Any", context: "Context") -> bool:
        nonlocal image, ids
        if topic_id is None:
            for item in getattr(request, items) or ():
                if (item if name is None else getattr(item, name)) in topics:
                    return True
            return False
        now = context.services.image
        if now is not image:
            image = now
            ids = {now.topics[each].topic_id for each in topics if each in now.topics}
        for item in getattr(request, items) or ():
            if getattr(item, topic_id) in ids or (name is not None and getattr(item, name) in topics):
                return True
        return False

    return names


def _or_all(names: "MayName", items: str) -> "MayName":
    """As `names`; a request without any topic may mean all."""
    return lambda request, context: not getattr(request, items) or names(request, context)


class _Fetches:
    """Looks for topics in fetches. What a session has is looked up once, until its client or the metadata change it."""

    __slots__ = ("_names", "_session", "_topics")

    def __init__(self, names: "MayName", topics: "frozenset[str]") -> None:
        self._names = names
        self._topics = topics
        self._session: tuple[int, MetadataImage, bool] | None = None  # id, image at the time, whether a topic is in it

    def __call__(self, request: "Any", context: "Context") -> bool:
        if request.topics or request.forgotten_topics_data:
            self._session = None
            if self._names(request, context):
                return True
        session_id = request.session_id
        if not session_id:
            return False
        known, image = self._session, context.services.image
        if known is None or known[0] != session_id or known[1] is not image:
            is_in = not self._topics.isdisjoint(topics_of_session(request, context.services))
            known = self._session = session_id, image, is_in
        return known[2]
