"""Records as JSON, the same out of `consume` and into `produce`; the schema is in `record.schema.json` beside this."""

from __future__ import annotations

import base64
import contextlib
import json

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.rows import to_json
from kafkacompat.protocol.records.json_form import record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.client.consuming import IncomingRecord
    from kafkacompat.client.producing import OutgoingRecord

TIMESTAMP_TYPES = ("CreateTime", "LogAppendTime")


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
    try:
        record = record_of(line)
    except ValueError as error:
        raise VerbError(str(error)) from None
    return record.topic, OutgoingRecord(record.key, record.value, record.headers, record.timestamp, record.partition)
