"""Values and lines of a ledger."""

from __future__ import annotations

import hashlib
import json

from kafkacompat.spark.audit.ledger_files import ACKNOWLEDGED, LEDGER_SCHEMA, ledger_line, value_of


def test_values_are_unique_and_of_the_size_that_was_asked_for() -> None:
    values = [value_of(producer, number, 20) for producer in ("a-1", "a-11") for number in range(200)]
    assert len(set(values)) == 400
    assert {len(value) for value in values} == {20}
    assert value_of("producer", 12345, 1) == b"producer.12345."


def test_a_line_has_the_columns_of_the_schema() -> None:
    fields = json.loads(ledger_line("orders", 1, 7, "p", 3, b"v", ACKNOWLEDGED, 1000, 1.234))
    assert list(fields) == [column.split()[0] for column in LEDGER_SCHEMA.split(", ")]
    assert (fields["payload_hash"], fields["ack_ms"]) == (hashlib.sha256(b"v").hexdigest(), 1.23)
