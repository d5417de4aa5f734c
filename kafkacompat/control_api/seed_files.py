"""Seed files: JSON Lines, or a document in JSON or YAML."""

from __future__ import annotations

import json
import os

from kafkacompat.control_api.seeds import Seed, add_record, parse_records, parse_topics
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.protocol.records.json_form import JsonRecord
    from kafkacompat.server.seed import NewTopic

YAML_SUFFIXES = (".yaml", ".yml")
FILE_MAX_BYTES = 1 << 30
DOCUMENT_FIELDS = {"topics", "records"}


def load_seed(path: str | os.PathLike[str]) -> Seed:
    """The seed in a file.

    JSON Lines: a line is a record with its topic, or, without key and value, a topic: {"topic": "orders",
    "partitions": 3, "configs": {...}}. `.json`, `.yaml`, `.yml`: a document {topics: ..., records: ...}, each in the
    forms that `Cluster` takes. Raises KafkaCompatError that names the line.
    """
    path = os.fspath(path)
    try:
        if os.path.getsize(path) > FILE_MAX_BYTES:  # noqa: PTH202 (a path may be a str)
            raise KafkaCompatError(f"{path} has more than {FILE_MAX_BYTES >> 20} MB: write it with a client")
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (as above)
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise KafkaCompatError(f"seed {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        if path.endswith(YAML_SUFFIXES):
            return _document(_yaml(text))
        if path.endswith(".json"):
            return _document(json.loads(text))
        return _lines(text)
    except (KafkaCompatError, ValueError, RecursionError) as error:
        raise KafkaCompatError(f"seed {path}: {error}") from None


def _yaml(text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise KafkaCompatError('YAML needs PyYAML: pip install "kafkacompat[yaml]", or write JSON Lines') from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise KafkaCompatError(" ".join(str(error).split())) from None


def _document(document: Any) -> Seed:
    if not isinstance(document, dict) or document.keys() - DOCUMENT_FIELDS:
        raise KafkaCompatError("give an object with `topics`, `records`, or both")
    return Seed(parse_topics(document.get("topics") or {}), parse_records(document.get("records") or {}))


def _lines(text: str) -> Seed:
    topics: dict[str, NewTopic] = {}
    records: dict[str, list[JsonRecord]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            if isinstance(fields, dict) and "topic" in fields and "key" not in fields and "value" not in fields:
                name = fields.pop("topic")
                topics.update(parse_topics({name: fields}))
            else:
                add_record(records, fields, "it")
        except (KafkaCompatError, ValueError, RecursionError) as error:
            raise KafkaCompatError(f"line {number}: {str(error).removeprefix('it: ')}") from None
    return Seed(topics, records)
