"""`kafkacompat bench`: JSON for programs, a bar for terminals."""

from __future__ import annotations

import pytest

from tests.cli.test_terminal import on_terminal
from tests.cli.verbs import run


def test_rates_are_json_for_programs(servers: str) -> None:
    run("topic", "create", "bench", "-p", "2", servers=servers)
    done = run("bench", "produce", "bench", "-n", "2500", "-s", "10", servers=servers)
    assert (done.status, done.err) == (0, "")
    (written,) = done.json_lines
    assert (written["records"], written["bytes"]) == (2500, 25_000)
    assert written["records_per_s"] > 0
    assert 0 < written["batch_p50_ms"] <= written["batch_p99_ms"]
    (read,) = run("bench", "consume", "bench", "-n", "2500", servers=servers).json_lines
    assert (read["records"], read["bytes"]) == (2500, 25_000)
    fewer = run("bench", "consume", "bench", "-n", "9999", servers=servers)
    assert (fewer.status, fewer.json_lines[0]["records"]) == (1, 2500)
    assert fewer.err == (
        "there were 2,500 of 9,999 records: kafkacompat bench produce bench adds some, -n asks for fewer\n"
    )


def test_an_empty_topic_says_how_to_fill_it(servers: str) -> None:
    run("topic", "create", "bench-empty", servers=servers)
    done = run("bench", "consume", "bench-empty", servers=servers)
    assert done.status == 1
    assert "kafkacompat bench produce bench-empty fills it" in done.err


def test_a_terminal_sees_a_bar(servers: str) -> None:
    pytest.importorskip("pty")
    run("topic", "create", "bench-bar", servers=servers)
    shown = on_terminal("bench", "produce", "bench-bar", "-n", "3000", servers=servers).decode()
    assert "produced 1,000 " in shown
    assert "records per s" in shown
