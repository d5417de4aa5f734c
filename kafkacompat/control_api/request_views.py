"""The journal of requests (`broker/journal.py`): switched on and off, and decoded into plain values."""

from functools import partial

from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.entities import named
from kafkacompat.broker.journal import Journal
from kafkacompat.broker.registry import APIS_OF
from kafkacompat.protocol import api_keys, error_codes
from kafkacompat.protocol.headers import (
    decode_request_header,
    decode_response_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.primitives import MalformedMessageError, Message, UnsupportedVersionError, uuid_to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from kafkacompat.broker.journal import JournalEntry
    from kafkacompat.broker.registry import Api
    from kafkacompat.protocol.headers import RequestHeader
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

UNITS_PER_REQUEST = 5
ERRORS_MAX = 20
"""The most errors that are shown of one response."""
NAMES_MAX = 20
"""The most topics, groups and transactional ids that are shown of one request."""
HOLES_MAX_BYTES = 8 << 20
"""A response with more bytes from segments is not decoded."""
_UNDECODABLE = (MalformedMessageError, UnsupportedVersionError, ValueError)
_NAMES = ("name", "topic", "topic_name", "group_id", "key", "resource_name", "transactional_id", "member_id")
_INDEXES = ("partition_index", "partition", "index")


def switch_journal(server: "BrokerServer", *, on: bool) -> None:
    """Switch the journal of a node on or off. Switched on it is empty, as after a reset; if it is on already, it goes
    on.
    """
    broker = server.broker
    if on and broker.journal is None:
        _switch(server, lambda: _install(server))
        server.on_renewed.append(partial(_install, server))
    elif not on and broker.journal is not None:
        _switch(server, lambda: _remove(server))
        server.on_renewed[:] = [
            each for each in server.on_renewed if not (isinstance(each, partial) and each.func is _install)
        ]


def _switch(server: "BrokerServer", change: "Callable[[], None]") -> None:
    """Change the broker's `dispatch`. Connections follow, unless faulty links, which ask the broker, are before it."""
    are_direct = server.connections.dispatch == server.broker.dispatch
    change()
    if are_direct:
        server.connections.dispatch = server.broker.dispatch


def _remove(server: "BrokerServer") -> None:
    journal = server.broker.journal
    assert journal is not None
    server.broker.dispatch, server.broker.journal = journal.inner, None


def _install(server: "BrokerServer") -> None:
    """An empty journal for the node's broker. After a reset its connections follow by themselves."""
    broker = server.broker
    broker.journal = Journal(broker.dispatch, server.clock.counter_us)
    broker.dispatch = broker.journal.dispatch


def requests(server: "BrokerServer", *, limit: int | None = None) -> "Steps[Plain]":
    """The last requests of clients, oldest first, and at most `limit`.

    The answer has `broker`, `is_on`, `count` (of all requests since the journal was switched on) and `requests`. Each
    has `broker`, `number`, `connection`, `peer_host`, `client_id`, `api`, `version`, `names` (topics, groups and
    transactional ids), `at_ms`, `took_ms` (null: not answered yet), `request_bytes`, `response_bytes`, `errors`,
    `closed` (why the connection was closed instead of an answer, or null) and `fault` (labels of fault rules, or null).
    An error has `code`, `error` (its name), `entity` and `message`; `errors` is null if the response is too large to be
    kept.
    """
    journal = server.broker.journal
    found: list[Plain] = []
    shown: Plain = {
        "broker": server.broker.node_id,
        "is_on": journal is not None,
        "count": 0 if journal is None else journal.count,
        "requests": found,
    }
    entries = [] if journal is None else list(journal)
    for entry in entries if limit is None else entries[-limit:] if limit > 0 else ():
        found.append({"broker": server.broker.node_id, **_request(entry, server)})
        yield UNITS_PER_REQUEST
    return shown


def _request(entry: "JournalEntry", server: "BrokerServer") -> "Plain":
    connection = entry.connection
    plain: Plain = {
        "number": entry.number,
        "connection": connection.id,
        "peer_host": connection.client_host,
        "client_id": "",
        "api": "unknown",
        "version": None,
        "names": [],
        "at_ms": entry.at_ms,
        "took_ms": None if entry.took_us is None else entry.took_us / 1000,
        "request_bytes": entry.request_bytes,
        "response_bytes": entry.response_bytes,
        "errors": [],
        "closed": entry.closed,
        "fault": entry.fault,
    }
    try:
        header, position = decode_request_header(entry.frame)
    except MalformedMessageError:
        return plain
    plain["client_id"] = header.client_id or ""
    plain["api"] = api_keys.name(header.api_key)
    plain["version"] = header.api_version
    api = APIS_OF[BROKER].get(header.api_key)
    if api is None:
        return plain
    plain["names"] = _names(entry, api, header, position, server)
    plain["errors"] = _errors(entry, api, header, server)
    return plain


def _names(
    entry: "JournalEntry", api: "Api", header: "RequestHeader", position: int, server: "BrokerServer"
) -> list[str]:
    """The topics, groups and transactional ids that the request names."""
    try:
        request = api.messages.decode_request(entry.frame, position, header.api_version)
    except _UNDECODABLE:
        return []
    places = (api.names.topics, api.names.groups, api.names.transactional_ids)
    found = [_text(name, server) for place in places for name in named(request, place)]
    return list(dict.fromkeys(found))[:NAMES_MAX]


def _text(name: str | bytes, server: "BrokerServer") -> str:
    """A name, or that of the topic with this id."""
    if isinstance(name, str):
        return name
    return server.broker.image.topic_name(name) or uuid_to_text(name)


def _errors(entry: "JournalEntry", api: "Api", header: "RequestHeader", server: "BrokerServer") -> "list[Plain] | None":
    """The errors in the response, an empty list if there is none, None if it cannot be told."""
    if entry.response is None:
        return [] if entry.response_bytes == 0 else None
    if sum(part for part in entry.response if isinstance(part, int)) > HOLES_MAX_BYTES:
        return None
    data = b"".join(bytes(part) for part in entry.response)  # bytes(size) stands for what is in a segment
    version = header.api_version
    if not api.min_version <= version <= api.max_version:
        version = 0  # only ApiVersions is answered then, as in version 0
    try:
        flexible = response_header_is_flexible(api.key, version)
        _, position = decode_response_header(data, flexible)
        response = api.messages.decode_response(data, position, version)
    except _UNDECODABLE:
        return None
    found: list[Plain] = []
    for error in _walk(response, "", server):
        if len(found) == ERRORS_MAX:
            break
        found.append(error)
    return found


def _walk(message: Message, entity: str, server: "BrokerServer") -> "Iterator[Plain]":
    """All errors in a message and in those that it contains."""
    entity = _entity(message, entity, server)
    code = getattr(message, "error_code", 0)
    if isinstance(code, int) and code != error_codes.NONE:
        text = getattr(message, "error_message", None)
        yield {"code": code, "error": error_codes.name(code), "entity": entity, "message": text}
    field: str
    for field in message.__slots__:
        value = getattr(message, field)
        if isinstance(value, Message):
            yield from _walk(value, entity, server)
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            for each in value:
                yield from _walk(each, entity, server)


def _entity(message: Message, outer: str, server: "BrokerServer") -> str:
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
    return _text(topic_id, server) if isinstance(topic_id, bytes) and any(topic_id) else outer
