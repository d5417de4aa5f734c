"""The requests in a capture of traffic, in the form of the journal's view."""

from __future__ import annotations

from kafkacompat.broker.registry import APIS
from kafkacompat.broker.request_facts import errors_in, names_in
from kafkacompat.cluster.view_types import request_of
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.headers import decode_request_header
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.traffic.capture_file import CLOSE, OPEN, REDACTED, REQUEST, RESPONSE
from kafkacompat.traffic.decoding import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kafkacompat.cluster.view_types import Request
    from kafkacompat.traffic.capture_file import CaptureFile, Entry

UNANSWERED_MAX = 10_000
"""So many requests may wait for their responses; older ones are shown as not answered."""
TOPICS_MAX = 100_000
"""So many topics are known by their ids."""
BEARS_TOPIC_IDS = frozenset((api_keys.METADATA, api_keys.CREATE_TOPICS, api_keys.DESCRIBE_TOPIC_PARTITIONS))


def captured_requests(capture: CaptureFile) -> Iterator[Request]:
    """The requests, each when its response was sent or its connection was closed; `number` counts them in the file.

    Memory does not grow with the file. Raises CaptureFileError where it is damaged.
    """
    return _Reading(capture).requests()


class _Reading:
    def __init__(self, capture: CaptureFile) -> None:
        self._capture = capture
        self._waiting: dict[tuple[int, int], list[tuple[int, Entry]]] = {}  # by connection and correlation id
        self._connections: dict[int, dict[str, Any]] = {}
        self._topics: dict[bytes, str] = {}
        self._count = 0
        self._waiting_count = 0

    def requests(self) -> Iterator[Request]:
        for entry in self._capture:
            if entry.kind == OPEN:
                self._connections[entry.connection] = entry.fields
            elif entry.kind == REQUEST:
                self._count += 1
                self._waiting_count += 1
                self._waiting.setdefault((entry.connection, entry.correlation_id), []).append((self._count, entry))
                if self._waiting_count > UNANSWERED_MAX:
                    yield self._shown(*self._take(next(iter(self._waiting))), None)
            elif entry.kind == RESPONSE:
                place = (entry.connection, entry.correlation_id)
                self._learn(entry)
                if place in self._waiting:
                    yield self._shown(*self._take(place), entry)
            elif entry.kind == CLOSE:
                reason = entry.fields.get("reason")
                for place in [each for each in self._waiting if each[0] == entry.connection]:
                    while place in self._waiting:
                        yield self._shown(*self._take(place), None, reason)
                self._connections.pop(entry.connection, None)
        while self._waiting:
            yield self._shown(*self._take(next(iter(self._waiting))), None)

    def _take(self, place: tuple[int, int]) -> tuple[int, Entry]:
        first, *others = self._waiting.pop(place)
        if others:
            self._waiting[place] = others
        self._waiting_count -= 1
        return first

    def _learn(self, response: Entry) -> None:
        """Topics by their ids, which later requests name."""
        if response.api_key not in BEARS_TOPIC_IDS or len(self._topics) >= TOPICS_MAX:
            return
        try:
            message: Any = decode(response).message
        except ValueError:
            return
        for topic in message.topics:
            if topic.name and any(topic.topic_id):
                self._topics[topic.topic_id] = topic.name

    def _shown(self, number: int, request: Entry, response: Entry | None, closed: str | None = None) -> Request:
        opened = self._connections.get(request.connection, {})
        client_id, position = _header(request)
        api = APIS.get(request.api_key)
        names: list[str] = []
        errors: list[dict[str, Any]] | None = []
        if api is not None and position:
            names = names_in(request.payload, position, api, request.api_version, self._topic_name)
        if api is not None and response is not None:
            errors = errors_in(response.payload, api, request.api_version, self._topic_name)
        is_known = request.api_key in api_keys.STEMS
        return request_of(
            {
                "broker": opened.get("node", 0), "number": number, "connection": request.connection,
                "peer_host": str(opened.get("peer", "")), "client_id": client_id,
                "api": api_keys.name(request.api_key) if is_known else "unknown", "version": request.api_version,
                "names": names, "at_ms": request.wall_ms,
                "took_ms": None if response is None else (response.at_us - request.at_us) / 1000,
                "request_bytes": len(request.payload),
                "response_bytes": 0 if response is None else len(response.payload), "errors": errors,
                "closed": closed, "fault": None,
            }
        )  # fmt: skip

    def _topic_name(self, topic_id: bytes) -> str | None:
        return self._topics.get(topic_id)


def _header(request: Entry) -> tuple[str, int]:
    """The client id, and where the body begins; 0 if there is none."""
    try:
        header, position = decode_request_header(request.payload)
    except MalformedMessageError:
        return "", 0
    is_cut = request.flags & REDACTED and position == len(request.payload)
    return header.client_id or "", 0 if is_cut else position
