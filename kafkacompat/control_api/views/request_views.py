"""The journal of requests (`broker/journal.py`): switched on and off, and decoded into plain values."""

from functools import partial

from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.journal import Journal
from kafkacompat.broker.registry import APIS_OF
from kafkacompat.broker.request_facts import errors_in, names_in
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.headers import decode_request_header
from kafkacompat.protocol.primitives import MalformedMessageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.journal import JournalEntry
    from kafkacompat.broker.registry import Api
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

UNITS_PER_REQUEST = 5
HOLES_MAX_BYTES = 8 << 20
"""A response with more bytes from segments is not decoded."""


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
    plain["names"] = names_in(entry.frame, position, api, header.api_version, server.broker.image.topic_name)
    plain["errors"] = _errors(entry, api, header.api_version, server)
    return plain


def _errors(entry: "JournalEntry", api: "Api", version: int, server: "BrokerServer") -> "list[Plain] | None":
    """The errors in the response, an empty list if there is none, None if it cannot be told."""
    if entry.response is None:
        return [] if entry.response_bytes == 0 else None
    if sum(part for part in entry.response if isinstance(part, int)) > HOLES_MAX_BYTES:
        return None
    data = b"".join(bytes(part) for part in entry.response)  # bytes(size) stands for what is in a segment
    return errors_in(data, api, version, server.broker.image.topic_name)
