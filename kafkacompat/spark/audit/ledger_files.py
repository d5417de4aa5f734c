"""The lines of a ledger that `load` writes, and the values that it sends. Importable without pyspark."""

from __future__ import annotations

import hashlib
import json
from typing import Any

ACKNOWLEDGED, REFUSED, UNKNOWN = "ok", "fail", "info"
"""How a write ended: it is there; it surely is not; nobody knows."""

LEDGER_SCHEMA = (
    "topic string, partition int, offset bigint, producer string, sequence bigint, payload_hash string, status string, "
    "is_idempotent boolean, sent_ms bigint, ack_ms double"
)
"""Spark's schema. `payload_hash`: SHA-256 of the value, in hex. `ack_ms`: how long the answer took."""


def value_of(producer: str, sequence: int, size_bytes: int) -> bytes:
    """A value that no other write has, of a given size if that is enough for it."""
    return f"{producer}.{sequence}.".encode().ljust(size_bytes, b"x")


def ledger_line(
    topic: str, partition: int, offset: int | None, producer: str, sequence: int, value: bytes, status: str,
    sent_ms: int, ack_ms: float,
) -> str:  # fmt: skip
    """A line of JSON with the columns of LEDGER_SCHEMA."""
    fields: dict[str, Any] = {
        "topic": topic, "partition": partition, "offset": offset, "producer": producer, "sequence": sequence,
        "payload_hash": hashlib.sha256(value).hexdigest(), "status": status, "is_idempotent": True,
        "sent_ms": sent_ms, "ack_ms": round(ack_ms, 2),
    }  # fmt: skip
    return json.dumps(fields, separators=(",", ":")) + "\n"
