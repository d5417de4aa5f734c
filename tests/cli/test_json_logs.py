"""Log lines as JSON."""

from __future__ import annotations

import json
import logging
import sys

from kafkacompat.cli.json_logs import JsonFormatter


def test_a_line_has_everything_and_no_line_end_within() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("kafkacompat.x", logging.ERROR, "f", 1, "a bug: %s\n%d", ("b", 2), sys.exc_info())
    record.created = 1_700_000_000.5
    line = JsonFormatter().format(record)
    assert "\n" not in line
    found = json.loads(line)
    assert found.pop("exception").endswith("ValueError: two\nlines")
    assert found == {
        "timestamp": "2023-11-14T22:13:20.500Z", "level": "error", "logger": "kafkacompat.x", "message": "a bug: b\n2",
    }  # fmt: skip
