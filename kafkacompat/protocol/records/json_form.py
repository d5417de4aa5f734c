"""Records as JSON objects, the form that `consume` prints, `produce` reads, and seeds have."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.protocol.records.builder import Header

FIELDS = frozenset(
    {
        "topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "key_encoding",
        "value_encoding", "headers", "leader_epoch",
    }
)  # fmt: skip
HEADER_FORM = 'a header is ["name", "value"] or ["name", "YQ==", "base64"]'


class JsonRecord(NamedTuple):
    """A record out of a JSON object. None: not given."""

    topic: str | None
    partition: int | None
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: list[Header]


def record_of(fields: Mapping[str, Any]) -> JsonRecord:
    """The record of a JSON object. What brokers assign is ignored. Raises ValueError with a line for the user."""
    if not fields.keys() <= FIELDS:
        unknown = sorted(map(str, fields.keys() - FIELDS))
        raise ValueError(f"unknown field {unknown[0]!r}: a record has {', '.join(sorted(FIELDS))}")
    topic = fields.get("topic")
    partition, timestamp = fields.get("partition"), fields.get("timestamp")
    if topic is not None and not isinstance(topic, str):
        raise ValueError("topic must be a string")
    for name, number in (("partition", partition), ("timestamp", timestamp)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
            raise ValueError(f"{name} must be an integer")
    key = _bytes(fields.get("key"), fields.get("key_encoding", "utf8"), "key")
    value = _bytes(fields.get("value"), fields.get("value_encoding", "utf8"), "value")
    return JsonRecord(topic, partition, timestamp, key, value, _headers(fields.get("headers")))


def _headers(given: Any) -> list[Header]:
    if given is None:
        return []
    if isinstance(given, dict):
        given = list(given.items())
    if not isinstance(given, list | tuple):
        raise ValueError('headers must be a list like [["name", "value"]]')
    headers: list[Header] = []
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) not in (2, 3) or not isinstance(pair[0], str):
            raise ValueError(HEADER_FORM)
        headers.append((pair[0], _bytes(pair[1], pair[2] if len(pair) == 3 else "utf8", f"header {pair[0]!r}")))
    return headers


def _bytes(content: Any, encoding: Any, what: str) -> bytes | None:
    if isinstance(content, str) and encoding == "utf8":
        try:
            return content.encode()
        except ValueError as error:
            raise ValueError(f"{what} is no utf8: {error}") from None
    if encoding == "json":
        import json

        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if content is None:
        return None
    if not isinstance(content, str):
        raise ValueError(f'{what} must be a string or null; for JSON say "{what}_encoding": "json"')
    if encoding == "base64":
        import base64

        try:
            return base64.b64decode(content, validate=True)
        except ValueError as error:
            raise ValueError(f"{what} is no base64: {error}") from None
    raise ValueError(f"encoding {encoding!r} of {what}: it is utf8, base64 or json")
