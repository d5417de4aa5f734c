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
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.faults.shapes import Level

CLIENTS_MAX = 10_000
"""Remembered at once; a full table is cleared."""
LOOKED_AT = 8
"""So many requests of a client are looked at in full although no rule matches them: for near misses."""


class _Client:
    """The requests of one API of one client. topics, groups: the names that rules select; None: look at every request.

    left: how many more are looked at in full. level: where requests name topics.
    """

    __slots__ = ("groups", "left", "level", "topics")

    def __init__(self, level: "Level | None") -> None:
        self.level = level
        self.topics: set[str] | None = set()
        self.groups: set[str] = set()
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
        topics, groups = client.topics, client.groups
        if topics is None:
            return False
        if topics and _names(request, client.level, topics, context):
            return False
        if groups and request.group_id in groups:
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
        client = self._clients[key] = _Client(shape.levels[0] if has_names else None)
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
        return client


def _names(request: "Any", level: "Level | None", topics: "set[str]", context: "Context") -> bool:
    """Whether a request may name one of these topics."""
    assert level is not None
    items = getattr(request, level.asks or "")
    if context.header.api_key == FETCH and request.session_id:
        if not topics.isdisjoint(topics_of_session(request, context.services)):
            return True
    elif not items:
        return True  # perhaps it means all
    asked = level.asked
    by_name, by_id = asked.get(NAME), asked.get(TOPIC_ID)
    for item in items:
        name = getattr(item, by_name) if by_name else item if by_id is None else None
        if not name and by_id:
            name = context.services.image.topic_name(getattr(item, by_id))
        if name in topics:
            return True
    return False
