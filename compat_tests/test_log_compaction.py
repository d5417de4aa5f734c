"""Compacted topics as Kafka's command-line tools write and read them: the last record of each key stays.

The behaviours are those of ducktape's ``log_compaction_test`` of Apache Kafka; the second test runs the program that
it runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import CONSOLE_CONSUMER, CONSOLE_PRODUCER, Tools
from tests.waiting import wait_until

TESTER = "org.apache.kafka.tools.LogCompactionTester"
SETTINGS = {"log.segment.bytes": "1048576", "log.cleaner.backoff.ms": "200"}
"""The smallest segments that a broker may have: only those before the last one are compacted."""
TOPICS = 3
KEYS = 400
DELETED = 0.1
VALUE_CHARACTERS = 150
RECORDS = 16_000
CLEANED_WITHIN_S = 60
NOTHING_MORE_MS = "20000"
"""After which a reader ends, much longer than a slow machine lets it wait for its partitions."""
SLEEP_S = 5
"""Of the program, between writing and reading."""
TESTER_TIMEOUT_S = 400
NULL = "NIL"

Last = dict[str, str]
"""The last value of each key."""


@pytest.fixture
def tools(new_broker: Callable[..., Broker], tmp_path: Path, needs_java: None) -> tuple[Broker, Tools]:
    """A broker with small segments, and the tools on it."""
    broker = new_broker(config=SETTINGS)
    return broker, Tools(broker.bootstrap_servers, tmp_path)


def first_dirty_offset(broker: Broker, topic: str) -> int:
    """What the cleaner has done, by its checkpoint."""
    path = broker.data_dirs[0] / "cleaner-offset-checkpoint"
    found = re.search(rf"^{re.escape(topic)} 0 (\d+)$", path.read_text() if path.exists() else "", re.MULTILINE)
    return int(found[1]) if found else 0


def lines_of(topic: int) -> tuple[list[str], Last]:
    """Random keys that no other topic has, each many times and at times deleted; and the last value of each."""
    rng = Random(topic)
    last: Last = {}
    lines = []
    for number in range(RECORDS):
        key = f"key-{topic}-{rng.randrange(KEYS)}"
        is_deleted = rng.random() < DELETED
        last[key] = NULL if is_deleted else f"{number} ".ljust(VALUE_CHARACTERS, "x")
        lines.append(f"{key}\t{last[key]}")
    return lines, last


@pytest.mark.api("Produce", "Fetch")
def test_the_last_record_of_each_key_is_the_last_that_is_read(tools: tuple[Broker, Tools], topic: str) -> None:
    broker, run = tools
    sent: Last = {}
    for number in range(TOPICS):
        name = f"{topic}-{number}"
        run.create(name, cleanup_policy="compact", min_cleanable_dirty_ratio="0.01")
        lines, last = lines_of(number)
        sent |= last
        run.run(
            CONSOLE_PRODUCER, "--topic", name, "--reader-property", "parse.key=true",
            "--reader-property", f"null.marker={NULL}", stdin="\n".join(lines) + "\n",
        )  # fmt: skip
    names = [f"{topic}-{number}" for number in range(TOPICS)]
    wait_until(lambda: all(first_dirty_offset(broker, name) > RECORDS // 4 for name in names), CLEANED_WITHIN_S)
    read = run.run(
        CONSOLE_CONSUMER, "--include", f"{topic}-\\d+", "--from-beginning", "--timeout-ms", NOTHING_MORE_MS,
        "--formatter-property", "print.key=true", "--formatter-property", f"null.literal={NULL}",
    ).splitlines()  # fmt: skip
    assert TOPICS * KEYS <= len(read) < TOPICS * RECORDS
    assert dict(line.split("\t") for line in read) == sent
    assert NULL in sent.values()


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("messages", [100_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_kafkas_own_tester_finds_the_last_record_of_each_key(tools: tuple[Broker, Tools], messages: int) -> None:
    broker, run = tools
    said = run.run(
        TESTER, "--topics", str(TOPICS), "--messages", str(messages), "--duplicates", "10", "--percent-deletes", "10",
        "--sleep", str(SLEEP_S), timeout_s=TESTER_TIMEOUT_S,
    )  # fmt: skip
    counts = re.search(r"(\d+) rows of data produced, (\d+) rows of data consumed", said)
    assert counts, said
    assert int(counts[1]) == TOPICS * messages >= int(counts[2])  # all, where the cleaner had no time before
    assert ", 0 mismatches." in said
    assert "Data verification is completed" in said
    topics = set(re.findall(r"log-cleaner-test--?\d+-\d+", said))
    assert len(topics) == TOPICS
    wait_until(lambda: all(first_dirty_offset(broker, topic) for topic in topics), CLEANED_WITHIN_S)
