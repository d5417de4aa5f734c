"""Records as JSON, the same out of `consume` and into `produce`; the schema is in `record.schema.json` beside this."""

from __future__ import annotations

import base64
import contextlib
import json

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.rows import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.client.consuming import IncomingRecord
    from kafkacompat.client.producing import OutgoingRecord

TIMESTAMP_TYPES = ("CreateTime", "LogAppendTime")
FIELDS = frozenset(
    {
        "topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "key_encoding",
        "value_encoding", "headers", "leader_epoch",
    }
)  # fmt: skip


def record_to_json(topic: str, partition: int, record: IncomingRecord, *, decode_json: bool = False) -> str:
    """One line. Bytes that are UTF-8 are text, others base64; with `decode_json`, values that are JSON are values."""
    key, key_encoding = text_of(record.key)
    value, value_encoding = text_of(record.value)
    line: dict[str, Any] = {
        "topic": topic, "partition": partition, "offset": record.offset, "timestamp": record.timestamp,
        "timestamp_type": TIMESTAMP_TYPES[record.header.is_log_append_time], "key": key, "value": value,
    }  # fmt: skip
    if decode_json and value is not None and value_encoding == "utf8":
        with contextlib.suppress(ValueError):
            line["value"], value_encoding = json.loads(value), "json"
    line["key_encoding"], line["value_encoding"] = key_encoding, value_encoding
    line["headers"] = [_header(name, content) for name, content in record.headers]
    line["leader_epoch"] = record.header.leader_epoch
    return to_json(line)


def text_of(data: bytes | None) -> tuple[str | None, str]:
    """Bytes as JSON has them, and their encoding."""
    if data is None:
        return None, "utf8"
    try:
        return data.decode(), "utf8"
    except UnicodeDecodeError:
        return base64.b64encode(data).decode(), "base64"


def _header(name: str, content: bytes | None) -> list[str | None]:
    text, encoding = text_of(content)
    return [name, text] if encoding == "utf8" else [name, text, encoding]


def record_from_json(text: str | bytes) -> tuple[str | None, OutgoingRecord]:
    """Topic (None: none given) and record of a line. What brokers assign is ignored. Raises VerbError."""
    from kafkacompat.client.producing import OutgoingRecord

    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise VerbError(f"no JSON: {error}; lines of text are produced with -f raw") from None
    if not isinstance(line, dict):
        raise VerbError('a record is a JSON object like {"key": "a", "value": "b"}; lines of text: -f raw')
    unknown = sorted(line.keys() - FIELDS)
    if unknown:
        raise VerbError(f"unknown field {unknown[0]!r}: a record has {', '.join(sorted(FIELDS))}")
    topic = line.get("topic")
    partition, timestamp = line.get("partition"), line.get("timestamp")
    if not isinstance(topic, str | None):
        raise VerbError("topic must be a string")
    for name, number in (("partition", partition), ("timestamp", timestamp)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
            raise VerbError(f"{name} must be an integer")
    key = _bytes(line.get("key"), line.get("key_encoding", "utf8"), "key")
    value = _bytes(line.get("value"), line.get("value_encoding", "utf8"), "value")
    return topic, OutgoingRecord(key, value, _headers(line.get("headers")), timestamp, partition)


def _headers(given: Any) -> list[tuple[str, bytes | None]]:
    if given is None:
        return []
    if isinstance(given, dict):
        given = list(given.items())
    if not isinstance(given, list):
        raise VerbError('headers must be a list like [["name", "value"]]')
    headers = []
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) not in (2, 3) or not isinstance(pair[0], str):
            raise VerbError('a header is ["name", "value"] or ["name", "YQ==", "base64"]')
        headers.append((pair[0], _bytes(pair[1], pair[2] if len(pair) == 3 else "utf8", f"header {pair[0]!r}")))
    return headers


def _bytes(content: Any, encoding: Any, what: str) -> bytes | None:
    if encoding == "json":
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if content is None:
        return None
    if not isinstance(content, str):
        raise VerbError(f'{what} must be a string or null; for JSON say "{what}_encoding": "json"')
    try:
        if encoding == "utf8":
            return content.encode()
        if encoding == "base64":
            return base64.b64decode(content, validate=True)
    except ValueError as error:
        raise VerbError(f"{what} is no {encoding}: {error}") from None
    raise VerbError(f"encoding {encoding!r} of {what}: it is utf8, base64 or json")
