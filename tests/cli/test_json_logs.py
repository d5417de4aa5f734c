"""Log lines as JSON."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

from kafkacompat.cli.json_logs import JsonFormatter
from kafkacompat.cluster.supervisor import _said
from tests.cli.processes import run, serving


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


def test_lines_have_the_id_of_their_node_once_it_is_known() -> None:
    formatter = JsonFormatter()
    record = logging.LogRecord("kafkacompat.x", logging.INFO, "f", 1, "started", None, None)
    assert "node_id" not in json.loads(formatter.format(record))
    formatter.node_id = 7
    assert json.loads(formatter.format(record))["node_id"] == 7


def test_everything_that_a_process_logs_is_json(tmp_path: Path) -> None:
    """Also warnings of Python, errors of threads, and the one that ends it."""
    program = """
import logging, sys, threading, warnings
from kafkacompat.cli.json_logs import install
logging.basicConfig(stream=sys.stderr)
install(logging.getLogger().handlers[0])
warnings.warn("old")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
raise ValueError("the end")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["level"] for line in lines] == ["warning", "critical", "critical"]
    assert ["ZeroDivisionError" in lines[1]["exception"], "ValueError: the end" in lines[2]["exception"]] == [
        True,
        True,
    ]
    assert done.returncode == 1


def test_a_broker_logs_json_from_its_start_to_its_end(tmp_path: Path) -> None:
    with serving(tmp_path, "--log-format", "json", "--log-level", "debug", "--config", "node.id=7") as (child, _):
        assert child.stop() == 0
        lines = [json.loads(line) for line in child.stderr.splitlines()]
    assert lines
    assert {line.get("node_id") for line in lines} <= {7, None}
    assert lines[-1]["node_id"] == 7


def test_the_error_that_prevents_a_start_is_json_too(tmp_path: Path) -> None:
    done = run("serve", "--log-format", "json", "--port", "0", "--rack", "a")
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (done.returncode, line["level"]) == (1, "critical")
    assert "--rack needs --brokers" in line["message"]


def test_a_parent_tells_the_message_of_a_node_that_did_not_start() -> None:
    assert _said('{"level": "critical", "message": "port 1 is taken"}') == "port 1 is taken"
    assert _said("kafkacompat: port 1 is taken") == "port 1 is taken"
    assert _said("{broken") == "{broken"
